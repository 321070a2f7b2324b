#include "overlap_warning.h"

#include "table.h"
#include "talus/core/parallel.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

namespace talus::cli {
namespace {

constexpr std::size_t most_printed = 3, most_listed = 10;

std::span<const Overlap> deepest(const std::vector<Overlap>& overlaps, std::size_t most) {
  return {overlaps.data(), std::min(overlaps.size(), most)};
}

} // namespace

std::vector<Overlap> warn_of_initial_overlaps(const Simulation& simulation) {
  if (simulation.steps() > 0) return {};
  const World& world = simulation.world();
  std::vector<Overlap> overlaps =
      with_threads(simulation.options().threads, [&] { return find_overlaps(world); });
  for (const Overlap& overlap : deepest(overlaps, most_printed))
    fmt::print(stderr, "talus: warning: bodies '{}' and '{}' overlap by {} m at the start\n",
               world.bodies()[overlap.body_a].name, world.bodies()[overlap.body_b].name,
               short_number(overlap.depth));
  if (overlaps.size() > most_printed)
    fmt::print(stderr, "talus: warning: {} more pairs of bodies overlap at the start\n",
               overlaps.size() - most_printed);
  return overlaps;
}

nlohmann::ordered_json overlaps_json(const std::vector<Overlap>& overlaps, const World& world) {
  auto listed = nlohmann::ordered_json::array();
  for (const Overlap& overlap : deepest(overlaps, most_listed))
    listed.push_back({{"body_a", world.bodies()[overlap.body_a].name},
                      {"body_b", world.bodies()[overlap.body_b].name},
                      {"depth", overlap.depth}});
  return {{"pairs", overlaps.size()}, {"deepest", std::move(listed)}};
}

} // namespace talus::cli
