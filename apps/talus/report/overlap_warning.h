#pragma once
// Says which bodies of a scene overlap from the start.

#include "talus/step/overlaps.h"
#include "talus/step/simulation.h"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace talus::cli {

struct InitialOverlaps {
  struct Pair {
    std::string body_a, body_b;
    double depth = 0;
  };
  static constexpr std::size_t most_listed = 10;

  std::int64_t pairs = 0;
  std::vector<Pair> deepest; ///< At most `most_listed`.
};

/// Before the first step of a scene. Later (after a restart) there are none to tell.
InitialOverlaps initial_overlaps(const Simulation& simulation);

/// Prints the deepest to standard error.
void warn_of(const InitialOverlaps& overlaps);

/// {"pairs": how many, "deepest": [{"body_a", "body_b", "depth"}, ...]}.
nlohmann::ordered_json overlaps_json(const InitialOverlaps& overlaps);

} // namespace talus::cli
