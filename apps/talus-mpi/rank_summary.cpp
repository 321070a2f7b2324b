#include "rank_summary.h"

#include "report/report.h"
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

/// What `talus run` has, and what is of ranks.
nlohmann::ordered_json to_json(const Scene& scene, const RankSimulation& simulation,
                               const Outcome& outcome, const Ranks& ranks) {
  const StepReport& report = simulation.report();
  const StepOptions& options = simulation.options();
  const RunSummary& summary = outcome.summary;
  return {{"scene", scene.source.path},
          {"ranks", ranks.count()},
          {"bodies", simulation.all_bodies()},
          {"steps", summary.steps},
          {"time", simulation.time()},
          {"formulation", options.formulation},
          {"law", to_string(options.law)},
          {"friction", to_string(options.friction)},
          {"solver", options.solver},
          {"contacts_mean", summary.contacts_mean},
          {"contacts_max", summary.contacts_max},
          {"error_max", summary.error_max},
          {"unconverged_steps", summary.unconverged_steps},
          {"penetration_max", summary.penetration_max},
          {"kinetic_energy", report.kinetic_energy},
          {"potential_energy", report.potential_energy},
          {"elastic_energy", report.elastic_energy},
          {"seconds", outcome.seconds},
          {"seconds_collide", summary.seconds_collide},
          {"seconds_solve", summary.seconds_solve},
          {"initial_overlaps", outcome.overlaps},
          {"limited_steps", summary.limited_steps},
          {"iterations", summary.iterations},
          {"work", summary.work},
          {"work_max", summary.work_max},
          {"tolerance", summary.tolerance_max},
          {"fast_bodies", summary.outran_envelope},
          {"seconds_build", summary.seconds_build},
          {"seconds_advance", summary.seconds_advance},
          {"messages", outcome.sent.messages},
          {"bytes", outcome.sent.bytes},
          {"reductions", outcome.sent.reductions},
          {"peak_bytes_of_a_rank", outcome.memory.largest},
          {"peak_bytes", outcome.memory.sum},
          {"hash", fmt::format("{:016x}", outcome.hash)},
          {"same_bits_for_all_ranks", simulation.has_same_bits()}};
}

void print_summary(const Scene& scene, const RankSimulation& simulation, const Outcome& outcome,
                   const Ranks& ranks) {
  const StepReport& report = simulation.report();
  const RunSummary& summary = outcome.summary;
  const auto row = [](const char* name, const std::string& value) {
    fmt::print("  {:<14} {}\n", name, value);
  };
  fmt::print("{}: {} bodies, {} ranks, {} steps, t = {:.6g} s\n", scene.title,
             simulation.all_bodies(), ranks.count(), summary.steps, simulation.time());
  row("contacts",
      fmt::format("{:.1f} on average, {} at most", summary.contacts_mean, summary.contacts_max));
  row("solver", fmt::format("{}, error {} at worst (tolerance {})", simulation.options().solver,
                            short_number(summary.error_max), short_number(summary.tolerance_max)));
  if (summary.unconverged_steps > 0)
    row("not converged", fmt::format("{} of {} steps", summary.unconverged_steps, summary.steps));
  if (summary.limited_steps > 0)
    row("limited", fmt::format("{} of them used up {} products (`solver.max_products`)",
                               summary.limited_steps, simulation.options().max_products));
  row("penetration", fmt::format("{} m at most", short_number(summary.penetration_max)));
  if (summary.outran_envelope > 0)
    row("fast bodies",
        fmt::format("{} times in reach of missing a collision; raise `envelope` or lower `step`",
                    summary.outran_envelope));
  if (report.joint_rows > 0)
    row("joint error", fmt::format("{} at most", short_number(summary.joint_error_max)));
  const double elastic = report.elastic_energy;
  row("energy",
      fmt::format("{} J kinetic, {} J potential{}", short_number(report.kinetic_energy),
                  short_number(report.potential_energy),
                  elastic > 0 ? fmt::format(", {} J in contacts", short_number(elastic)) : ""));
  const auto per_iteration = [&](double count) {
    return count / static_cast<double>(std::max(1L, summary.iterations));
  };
  row("iterations", fmt::format("{}, {} each", summary.iterations,
                                short_seconds(per_iteration(summary.seconds_solve))));
  row("sent", fmt::format("{:.1f} messages and {:.0f} bytes per iteration, {:.1f} sums over ranks",
                          per_iteration(static_cast<double>(outcome.sent.messages)),
                          per_iteration(static_cast<double>(outcome.sent.bytes)),
                          per_iteration(static_cast<double>(outcome.sent.reductions))));
  const Memory& memory = outcome.memory;
  if (memory.sum > 0)
    row("memory",
        fmt::format("{:.2f} GB at most in a rank, {:.2f} GB in all, {:.0f} bytes per body",
                    1e-9 * memory.largest, 1e-9 * memory.sum,
                    memory.sum / std::max<Index>(1, simulation.all_bodies())));
  row("time", fmt::format("{} (solve {})", short_seconds(outcome.seconds),
                          short_seconds(summary.seconds_solve)));
  row("hash",
      fmt::format("{:016x}{}", outcome.hash,
                  simulation.has_same_bits()
                      ? ""
                      : ": linear systems are rounded otherwise on other numbers of ranks"));
}

} // namespace talus::mpi
