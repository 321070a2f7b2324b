#pragma once
// A scene of the race as a world of Talus.

#include "peer.h"
#include "talus/world/world.h"

namespace talus::peers {

ShapePtr shape_of(const PeerBody& body);

/// The planes are the first bodies, in order; then come the scene's bodies. Contacts have the
/// stiffness given, in N/m.
World world_of(const PeerScene& scene, double stiffness = std::numeric_limits<double>::infinity());

} // namespace talus::peers
