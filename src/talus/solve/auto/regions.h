#pragma once
// Where sweeps are stuck, most of the residual is often in a few contacts: a grain that rattles in
// its cage, a block that tips on an edge. This method solves the region around them on its own,
// with the impulses outside held, and spreads the answer by some sweeps of the whole:
//
//     repeat:  R ← the contacts of the bodies around the largest residuals
//              u_R = N_RR x_R + w'_R,  with w' such that u_R is the present velocity
//              x_R ← the solution in R;  a few sweeps of all contacts
//
// as long as this halves the error every few rounds. It is a Schwarz method whose subdomains follow
// the residual. Regions beyond a size, or of more than a third of the problem, are left to others.
//
// Class: contacts of a simulation on round cones under Coulomb's law (rigid_batches.h). Cost: that
// of the regions, in proportion to their size, and of the sweeps.

#include "talus/solve/batches/batched_sweeps.h"
#include "talus/solve/islands.h"

#include <memory>

namespace talus {

class Regions : public Solver {
public:
  explicit Regions(std::string_view name) { info_.name = name; }
  const SolverInfo& info() const override { return info_; }
  std::string refuses(const ScaledProblem& problem) const override;
  void run(ScaledProblem& problem, Span z, Monitor& monitor) override;

private:
  /// Marks the blocks of the region in `inside_`; their number, 0 where there is no region.
  Index find_region(const ScaledProblem& problem, ConstSpan z, ConstSpan u);
  /// Bodies of the worst contacts, then of the contacts that press on them.
  void mark_bodies(const RigidModel& model, const ScaledProblem& problem, ConstSpan z, int layers);
  Index mark_blocks(const RigidModel& model);
  void solve_region(ScaledProblem& problem, Index blocks, Span z, ConstSpan u, Monitor& monitor);

  SolverInfo info_;
  std::unique_ptr<Solver> inner_; ///< For regions; made when first needed.
  BatchedSweeps<3> sweeps_;
  std::vector<std::pair<double, Index>> worst_; ///< Squared residuals and their contacts.
  std::size_t seeds_ = 0;                       ///< How many of them the region grows from.
  std::vector<char> body_, new_body_, inside_;
};

} // namespace talus
