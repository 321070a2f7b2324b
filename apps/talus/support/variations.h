#pragma once
// Values that a parameter study gives to the keys of a scene.

#include <string>
#include <string_view>
#include <vector>

namespace talus::cli {

/// A key of a scene and the values it takes, as they stand in a scene file.
struct Variation {
  std::string key;
  std::vector<std::string> values;
};

/// "materials.sand.friction=0.1:0.8:8" (from, to, how many), "...=1:1000:4:log" (by equal factors)
/// or "solver.name=nsgs,auto". Throws InvalidArgument.
Variation parse_variation(std::string_view text);

/// All combinations, the last variation running fastest: a value of each, in their order. Throws
/// InvalidArgument for more than a million, and for a key that is varied twice.
std::vector<std::vector<std::string>> combinations(const std::vector<Variation>& variations);

} // namespace talus::cli
