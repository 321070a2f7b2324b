#pragma once
// What talus-mpi run says in the end: that of `talus run`, and what is of ranks.

#include "report/overlap_warning.h"
#include "talus/cluster/rank_simulation.h"
#include "talus/io/scene.h"
#include "talus/step/step_report.h"

#include <nlohmann/json.hpp>

#include <string>

namespace talus::mpi {

/// What all ranks have sent together.
struct Sent {
  std::int64_t messages = 0, bytes = 0, reductions = 0;
};

Sent sent_by_all(Ranks& ranks);

/// The most memory that the processes have held.
struct Memory {
  double largest = 0, sum = 0; ///< Of one process, of all of them, bytes.
};

Memory memory_of_all(Ranks& ranks);

/// How the stepping ended.
struct Outcome {
  RunSummary summary;
  nlohmann::ordered_json overlaps = cli::overlaps_json({}, World()); ///< At the start; first rank.
  Memory memory;
  double seconds = 0;
  std::uint64_t hash = 0;
  Sent sent;
  int signal = 0;
  std::string unconverged; ///< With --strict: the step that missed its tolerance.
};

nlohmann::ordered_json to_json(const Scene& scene, const RankSimulation& simulation,
                               const Outcome& outcome, const Ranks& ranks);
void print_summary(const Scene& scene, const RankSimulation& simulation, const Outcome& outcome,
                   const Ranks& ranks);

} // namespace talus::mpi
