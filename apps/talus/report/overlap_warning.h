#pragma once
// Says which bodies of a scene overlap from the start.

#include "talus/step/overlaps.h"
#include "talus/step/simulation.h"

#include <nlohmann/json.hpp>

#include <vector>

namespace talus::cli {

/// Before the first step of a scene: prints the deepest overlaps to standard error and returns all
/// of them. Later (after a restart) there are none to tell.
std::vector<Overlap> warn_of_initial_overlaps(const Simulation& simulation);

/// {"pairs": how many, "deepest": [{"body_a", "body_b", "depth"}, ...]}, at most ten of them.
nlohmann::ordered_json overlaps_json(const std::vector<Overlap>& overlaps, const World& world);

} // namespace talus::cli
