#include "rank_summary.h"

#include "report/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

namespace talus::mpi {

using namespace talus::cli;

Sent sent_by_all(Ranks& ranks) {
  const Traffic now = ranks.traffic();
  std::int64_t sums[2] = {now.messages, now.bytes};
  ranks.sum(std::span<std::int64_t>(sums));
  return {sums[0], sums[1], now.reductions};
}

/// What Linux says of this process; 0 elsewhere.
static double peak_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:")) return 1024.0 * std::stod(line.substr(6));
  return 0;
}

Memory memory_of_all(Ranks& ranks) {
  const double mine = peak_bytes();
  return {ranks.max(mine), static_cast<double>(ranks.sum(static_cast<std::int64_t>(mine)))};
}

RunFacts facts_of(const Scene& scene, const RankSimulation& simulation, const Outcome& outcome) {
  return {.scene = scene,
          .options = simulation.options(),
          .materials = simulation.materials(),
          .bodies = simulation.all_bodies(),
          .has_joints = simulation.joints() > 0,
          .time = simulation.time(),
          .kinetic_energy = outcome.kinetic_energy,
          .potential_energy = outcome.potential_energy,
          .elastic_energy = simulation.report().elastic_energy};
}

nlohmann::ordered_json to_json(const RunFacts& facts, const RankSimulation& simulation,
                               const Outcome& outcome, const Ranks& ranks) {
  auto json = summary_json(facts, outcome);
  json["ranks"] = ranks.count();
  json["iterations"] = outcome.summary.iterations;
  json["messages"] = outcome.sent.messages;
  json["bytes"] = outcome.sent.bytes;
  json["reductions"] = outcome.sent.reductions;
  json["peak_bytes_of_a_rank"] = outcome.memory.largest;
  json["peak_bytes"] = outcome.memory.sum;
  json["hash"] = fmt::format("{:016x}", outcome.hash);
  json["same_bits_for_all_ranks"] = simulation.has_same_bits();
  return json;
}

void print_summary(const RunFacts& facts, const RankSimulation& simulation, const Outcome& outcome,
                   const Ranks& ranks) {
  const RunSummary& summary = outcome.summary;
  print_summary_rows(facts, outcome, fmt::format(", {} ranks", ranks.count()));
  const auto per_iteration = [&](double count) {
    return count / static_cast<double>(std::max(1L, summary.iterations));
  };
  print_row("iterations", fmt::format("{}, {} each", summary.iterations,
                                      short_seconds(per_iteration(summary.seconds_solve))));
  print_row("sent",
            fmt::format("{:.1f} messages and {:.0f} bytes per iteration, {:.1f} sums over ranks",
                        per_iteration(static_cast<double>(outcome.sent.messages)),
                        per_iteration(static_cast<double>(outcome.sent.bytes)),
                        per_iteration(static_cast<double>(outcome.sent.reductions))));
  const Memory& memory = outcome.memory;
  if (memory.sum > 0)
    print_row("memory",
              fmt::format("{:.2f} GB at most in a rank, {:.2f} GB in all, {:.0f} bytes per body",
                          1e-9 * memory.largest, 1e-9 * memory.sum,
                          memory.sum / std::max<Index>(1, simulation.all_bodies())));
  print_row("hash",
            fmt::format("{:016x}{}", outcome.hash,
                        simulation.has_same_bits()
                            ? ""
                            : ": linear systems are rounded otherwise on other numbers of ranks"));
}

} // namespace talus::mpi
