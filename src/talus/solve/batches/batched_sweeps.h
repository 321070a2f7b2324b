#pragma once
// Accelerated Gauss-Seidel sweeps over the contacts of a simulation, in batches (rigid_batches.h):
// what ansgs.cpp runs where it can, several times as fast as contact by contact.

#include "talus/solve/batches/momentum.h"
#include "talus/solve/batches/rigid_batches.h"
#include "talus/solve/monitor.h"
#include "talus/solve/row_block.h"

namespace talus {

template <int D>
class BatchedSweeps {
public:
  /// Sweeps until the monitor stops them, z scaled. The problem must be one that
  /// RigidBatches<D>::admits. `momentum` bounds the extrapolation. Allocates nothing where earlier
  /// problems were as large.
  void run(const ScaledProblem& problem, Span z, Monitor& monitor, double momentum);
  /// So many sweeps, damped from the first on, unless a limit ends the run: then false. z is not
  /// measured, but at a limit.
  bool run_some(const ScaledProblem& problem, Span z, Monitor& monitor, long sweeps,
                double momentum);

private:
  void begin(const ScaledProblem& problem, ConstSpan z, double momentum);
  void sweep_until_told(const ScaledProblem& problem, Span z, Monitor& monitor, double momentum);
  bool sweep_so_often(const ScaledProblem& problem, Span z, Monitor& monitor, long sweeps,
                      double momentum);
  /// Gives memory back that a large problem took.
  void end(const ScaledProblem& problem);
  /// Makes velocities anew.
  void reset(const ScaledProblem& problem);
  void sweep(const ScaledProblem& problem);
  /// The rows that are solved together.
  void sweep_row_block(const ScaledProblem& problem, SweepProgress& progress);
  /// Takes g for the multiplier of a row, in place of the extrapolated y.
  void set_multiplier(const ScaledProblem& problem, Index row, double y, double g,
                      SweepProgress& progress);
  /// Scaled impulses and velocities of the present state.
  void observe(const ScaledProblem& problem, Span z);
  /// Measures; false when the run is over.
  bool measure(const ScaledProblem& problem, Span z, Monitor& monitor);

  RigidBatches<D> batches_;
  SweepPartition parts_;
  Momentum momentum_;
  Vector x_, u_;
  RowBlock row_block_; ///< Over ranks.
  Vector row_changes_;
  Vector last_rows_; ///< Multipliers of equality rows at the last iterate.
  double squared_ = 0;
  long sweeps_ = 0; ///< Of this run.
};

} // namespace talus
