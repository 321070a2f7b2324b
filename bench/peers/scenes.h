#pragma once
// The scenes of the race and what is known about their true motion.

#include "peer.h"

namespace talus::peers {

/// A scene, how long it runs, and the closed-form answer where there is one.
struct Trial {
  std::string name;
  PeerScene scene;
  int steps = 0;
  /// Relative error of the engine's final state against the true motion; empty when rest is the
  /// truth, and then drift is the error.
  std::function<double(const Peer&)> truth_error;
};

/// About `count` equal spheres of radius 0.1 m, at most 16 layers of them, that Talus has let
/// settle between four walls, with drag, until they are at rest or have made so many steps. The
/// same bits whenever it is asked for.
PeerScene settled_spheres(Index count, int most_steps);

/// The same at rest with steps of another length: contacts that were good enough for long steps are
/// not for short ones.
PeerScene settled_further(PeerScene scene, double step, int most_steps);

/// Stacks that must stand still, and motions with known ends.
std::vector<Trial> trials(double step);

} // namespace talus::peers
