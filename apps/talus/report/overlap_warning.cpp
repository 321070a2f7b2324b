#include "overlap_warning.h"

#include "table.h"
#include "talus/core/parallel.h"

#include <fmt/format.h>

#include <algorithm>

namespace talus::cli {

InitialOverlaps initial_overlaps(const Simulation& simulation) {
  if (simulation.steps() > 0) return {};
  const World& world = simulation.world();
  const std::vector<Overlap> all =
      with_threads(simulation.options().threads, [&] { return find_overlaps(world); });
  InitialOverlaps overlaps;
  overlaps.pairs = static_cast<std::int64_t>(all.size());
  for (std::size_t k = 0; k < std::min(all.size(), InitialOverlaps::most_listed); ++k)
    overlaps.deepest.push_back(
        {world.bodies()[all[k].body_a].name, world.bodies()[all[k].body_b].name, all[k].depth});
  return overlaps;
}

void warn_of(const InitialOverlaps& overlaps) {
  constexpr std::int64_t most_printed = 3;
  const std::int64_t printed = std::min(overlaps.pairs, most_printed);
  for (std::int64_t k = 0; k < printed; ++k) {
    const InitialOverlaps::Pair& pair = overlaps.deepest[static_cast<std::size_t>(k)];
    fmt::print(stderr, "talus: warning: bodies '{}' and '{}' overlap by {} m at the start\n",
               pair.body_a, pair.body_b, short_number(pair.depth));
  }
  if (overlaps.pairs > printed)
    fmt::print(stderr, "talus: warning: {} more pairs of bodies overlap at the start\n",
               overlaps.pairs - printed);
}

nlohmann::ordered_json overlaps_json(const InitialOverlaps& overlaps) {
  auto listed = nlohmann::ordered_json::array();
  for (const InitialOverlaps::Pair& pair : overlaps.deepest)
    listed.push_back({{"body_a", pair.body_a}, {"body_b", pair.body_b}, {"depth", pair.depth}});
  return {{"pairs", overlaps.pairs}, {"deepest", std::move(listed)}};
}

} // namespace talus::cli
