// talus-mpi: commands of talus over the processes of MPI.

#include "commands.h"
#include "petsc_ranks.h"
#include "rank_commands.h"
#include "talus/core/error.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstdio>
#include <malloc.h>

namespace talus::mpi {
namespace {

/// SuperLU_DIST, which comes with PETSc and is not used here, tells the C library when it is loaded
/// never to give memory back, so that a process holds the most of every stage of a step.
void give_freed_memory_back() {
  constexpr int most_blocks = 1 << 16, block_of_its_own = 4 << 20;
  mallopt(M_MMAP_MAX, most_blocks);
  mallopt(M_MMAP_THRESHOLD, block_of_its_own);
  mallopt(M_TRIM_THRESHOLD, 2 * block_of_its_own);
}

/// Only the first rank prints what all of them would.
int parse(CLI::App& app, int argc, char** argv, bool prints) {
  try {
    app.parse(argc, argv);
    return cli::success;
  } catch (const CLI::ParseError& error) {
    const bool is_help = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success);
    if (prints && is_help) app.exit(error);
    if (prints && !is_help)
      fmt::print(stderr, "talus-mpi: {}\nTry 'talus-mpi --help'.\n", error.what());
    return is_help ? cli::success : cli::usage;
  }
}

int run(PetscRanks& ranks, int argc, char** argv) {
  const bool prints = ranks.rank() == 0;
  CLI::App app("Talus over several processes: start it with mpirun. Results have the same bits for "
               "every number of processes, but for those of solvers with linear systems (option "
               "linear of admm, prox-newton and conic-ip: mumps, gamg or hypre).",
               "talus-mpi");
  app.set_version_flag("--version", "talus-mpi " TALUS_VERSION);
  app.require_subcommand(0, 1);
  RankCommand chosen;
  const int own_cores = ranks.own_cores();
  register_solve(app, chosen, own_cores);
  register_run(app, chosen, own_cores);
  register_model(app, chosen);
  try {
    if (const int code = parse(app, argc, argv, prints); code != cli::success || !chosen) {
      if (code == cli::success && app.get_subcommands().empty() && argc < 2) {
        if (prints) fmt::print(stderr, "{}", app.help());
        return cli::usage;
      }
      return code;
    }
  } catch (const InvalidArgument& error) { // all ranks have the same arguments
    if (prints) fmt::print(stderr, "talus-mpi: {}\n", error.what());
    return cli::usage;
  }
  return chosen(ranks);
}

} // namespace
} // namespace talus::mpi

int main(int argc, char** argv) {
  using namespace talus;
  mpi::give_freed_memory_back();
  const mpi::Session session;
  mpi::PetscRanks ranks;
  const auto tell = [&](const char* what) {
    if (ranks.rank() == 0) fmt::print(stderr, "talus-mpi: {}\n", what);
  };
  try {
    const int code = mpi::run(ranks, argc, argv);
    std::fflush(stdout);
    return code;
  } catch (const RankFailed& failure) { // all ranks know
    tell(failure.what());
    return failure.is_argument() ? cli::usage : cli::failure;
  } catch (const std::exception& error) {
    if (ranks.count() == 1) {
      tell(error.what());
      return dynamic_cast<const InvalidArgument*>(&error) ? cli::usage : cli::failure;
    }
    // The other ranks may be waiting for this one: nobody goes on.
    fmt::print(stderr, "talus-mpi: rank {}: {}\n", ranks.rank(), error.what());
    std::fflush(stderr);
    ranks.abort(cli::failure);
  }
}
