#pragma once
// What the final state of an engine is worth, judged from positions and velocities alone.

#include "peer.h"

namespace talus::peers {

struct Accuracy {
  double penetration = 0; ///< Deepest overlap, m.
  double drift = 0;       ///< Farthest that a body is from where it was at the start, m.
  double speed = 0;       ///< Of the fastest body, m/s.
  bool finite = true;
};

Accuracy judge(const PeerScene& start, const Peer& peer);

} // namespace talus::peers
