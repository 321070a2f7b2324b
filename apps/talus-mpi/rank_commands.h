#pragma once
// The commands of talus-mpi. Each describes its arguments and, when chosen, stores its work, which
// all ranks do together and which returns the exit code.

#include "talus/core/ranks.h"

#include <functional>

namespace CLI {
class App;
}

namespace talus::mpi {

using RankCommand = std::function<int(Ranks&)>;

inline constexpr const char* help_of_threads =
    "Threads of each rank; 0 (default) for its share of the machine's cores";

/// `own_cores`: the threads of a rank unless --threads says otherwise.
void register_solve(CLI::App& app, RankCommand& chosen, int own_cores);
void register_run(CLI::App& app, RankCommand& chosen, int own_cores);
void register_model(CLI::App& app, RankCommand& chosen);

} // namespace talus::mpi
