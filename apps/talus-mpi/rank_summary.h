#pragma once
// What talus-mpi run says in the end: that of `talus run`, and what is of ranks.

#include "report/overlap_warning.h"
#include "report/run_end.h"
#include "talus/cluster/rank_simulation.h"
#include "talus/io/scene.h"

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
struct Outcome : cli::RunOutcome {
  Memory memory;
  std::uint64_t hash = 0;
  Sent sent;
  double kinetic_energy = 0, potential_energy = 0; ///< In the end.
};

cli::RunFacts facts_of(const Scene& scene, const RankSimulation& simulation,
                       const Outcome& outcome);
/// What `talus run` has, and what is of ranks.
nlohmann::ordered_json to_json(const cli::RunFacts& facts, const RankSimulation& simulation,
                               const Outcome& outcome, const Ranks& ranks);
/// All but the time.
void print_summary(const cli::RunFacts& facts, const RankSimulation& simulation,
                   const Outcome& outcome, const Ranks& ranks);

} // namespace talus::mpi
