#pragma once
// The solver that chooses (auto.cpp), and how it divides a problem into islands
// (auto_islands.cpp).

#include "talus/solve/auto/methods.h"
#include "talus/solve/islands.h"

namespace talus {

class Auto : public Solver {
public:
  Auto();
  const SolverInfo& info() const override { return info_; }
  void visit_options(OptionVisitor& visitor) override;
  std::string details() override;
  void run(ScaledProblem& problem, Span z, Monitor& monitor) override;

private:
  /// The solve of a problem or of one of its islands.
  struct Solve {
    ScaledProblem& problem;
    Span z; ///< The best iterate, between stages.
    Monitor& monitor;
    unsigned facts; ///< But for Fact::close.
  };
  Solve begin(ScaledProblem& problem, bool warm, Span z, Monitor& monitor);
  /// Each false when the run is over.
  bool run_part(Part part, const Solve& solve, long limit_factor = 1);
  bool run_stage(const Stage& stage, const Solve& solve, long limit_factor);
  /// The parts after the first; says that the run has stalled where they do not suffice.
  void run_other_parts(const Solve& solve);

  struct IslandRun;
  struct IslandTotals;
  void solve_islands(const Solve& solve, const Islands& islands);
  IslandTotals run_islands(const Solve& solve, const std::vector<Island>& parts,
                           const Vector& goals, Span x) const;
  void solve_island(const Island& island, const SolveOptions& options, double goal, IslandRun& run);

  SolverInfo info_;
  bool split_islands_ = true, solve_regions_ = true;
  SizeLimits sizes_;
  Methods methods_;
  Vector start_; ///< Where the solve began.
};

} // namespace talus
