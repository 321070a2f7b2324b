#pragma once
// The scenes of the race in motion: bodies that fall, flow and topple.

#include "peer.h"

namespace talus::peers {

/// A scene in motion, and a number by which engines can be compared beside penetration.
struct Motion {
  std::string name;
  PeerScene scene;
  double seconds = 1;
  std::function<Vec3(double time)> gravity; ///< Where it changes; else empty.
  std::string observable;                   ///< What is measured at the end, with its unit.
  std::function<double(const Peer&)> measure;
};

/// Falling and settling spheres, boxes, capsules and octahedra, an hourglass, a rotating drum and a
/// collapsing column, a net of chains and a heap of dolls, of about so many bodies each, and a run
/// of dominoes, of which there are at most 100.
std::vector<Motion> motions(Index bodies);

/// Those with joints (motion_joints.cpp).
Motion chain_net(Index bodies);
Motion doll_heap(Index bodies);

double mean_height(const Peer& peer, Index bodies);

} // namespace talus::peers
