#pragma once
// Ranks that are processes of MPI. Copies of entries go through PetscSF.

#include "talus/core/ranks.h"

// Open MPI's former C++ interface would need a library of its own.
#define OMPI_SKIP_MPICXX 1
#include <mpi.h>

namespace talus::mpi {

/// Starts MPI and PETSc, and ends them.
class Session {
public:
  Session();
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
};

/// All processes of MPI_COMM_WORLD, on a communicator of its own. To be made while there is a
/// Session.
class PetscRanks : public Ranks {
public:
  PetscRanks();
  ~PetscRanks() override;

  int count() const override { return count_; }
  int rank() const override { return rank_; }
  /// Ends all processes: for a failure that the others do not know of, and wait.
  [[noreturn]] void abort(int code);
  bool has_block_systems() const override { return true; }
  /// Cores that this process may use, divided by the processes of its machine that may use the
  /// same; at least 1. For all ranks together.
  int own_cores() const;

protected:
  void do_sum(std::span<std::int64_t> numbers) override;
  std::int64_t do_max(std::int64_t number) override;
  std::int64_t do_before(std::int64_t number) override;
  std::vector<Bytes> do_exchange(std::vector<Bytes> out) override;
  std::unique_ptr<Halo> do_make_halo(HaloPlan plan) override;
  std::unique_ptr<BlockSystem> do_make_block_system(BlockSystemPlan plan) override;

private:
  MPI_Comm communicator_ = MPI_COMM_NULL;
  int count_ = 1, rank_ = 0;
};

} // namespace talus::mpi
