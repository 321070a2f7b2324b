#include "talus/solve/batches/batched_sweeps.h"

#include "talus/core/large_problem.h"
#include "talus/core/parallel.h"

#include <algorithm>
#include <cmath>

namespace talus {
namespace {

/// Where contacts go round in circles this shows after some hundred sweeps; damping them from the
/// start would slow all others down.
constexpr long undamped_sweeps = 120;

/// Well above the rounding of thousands of sweeps.
constexpr double coarse_tolerance = 1e-7;

/// Measuring costs about a sweep. Between measures the error is predicted from the length of the
/// last step, with the ratio of the two at the last measure.
class MeasureBySteps {
public:
  bool is_due(long sweeps, double step, double goal) const {
    return ratio_ * step <= goal || sweeps - last_ > std::max(10L, sweeps / 3);
  }
  void measured(long sweeps, double residual, double step) {
    last_ = sweeps;
    if (step > 0) ratio_ = residual / step;
  }

private:
  long last_ = 0;
  double ratio_ = 1;
};

} // namespace

template <int D>
void BatchedSweeps<D>::begin(const ScaledProblem& problem, ConstSpan z, double momentum) {
  const auto& model = std::get<RigidModel>(problem.problem().model);
  if (!problem.division())
    parts_.divide(static_cast<Index>(model.inverse_mass.size()), model.contact_bodies);
  x_.resize(problem.size());
  u_.resize(problem.size());
  problem.to_operator(z, x_);
  batches_.prepare(problem, parts_, x_);
  row_block_.prepare(problem);
  momentum_ = Momentum(momentum);
  squared_ = 0;
  sweeps_ = 0;
  reset(problem);
}

template <int D>
void BatchedSweeps<D>::reset(const ScaledProblem& problem) {
  last_rows_.assign(x_.begin() + D * static_cast<std::ptrdiff_t>(problem.contacts()), x_.end());
  batches_.reset(x_);
  momentum_.restart();
}

template <int D>
void BatchedSweeps<D>::set_multiplier(const ScaledProblem& problem, Index row, double y, double g,
                                      SweepProgress& progress) {
  const Index contacts = problem.contacts();
  double &x = x_[D * static_cast<std::size_t>(contacts) + row], &last = last_rows_[row];
  const double s = problem.scale()[contacts + row];
  batches_.add_row_impulse(row, g - y);
  progress.squared += (g - y) * (g - y) / (s * s);
  progress.along += (g - y) * (g - x) / (s * s);
  last = x;
  x = g;
}

template <int D>
void BatchedSweeps<D>::sweep_row_block(const ScaledProblem& problem, SweepProgress& progress) {
  const double beta = momentum_.beta();
  const std::span<const Index> rows = row_block_.rows();
  const auto extrapolated = [&](Index row) {
    const double x = x_[D * static_cast<std::size_t>(problem.contacts()) + row];
    return x + beta * (x - last_rows_[row]);
  };
  row_changes_.resize(rows.size());
  for (std::size_t k = 0; k < rows.size(); ++k)
    row_changes_[k] = batches_.row_velocity(rows[k], extrapolated(rows[k]));
  row_block_.solve(row_changes_);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const double y = extrapolated(rows[k]);
    set_multiplier(problem, rows[k], y, y + momentum_.omega() * row_changes_[k], progress);
  }
}

/// Equality rows follow the contacts, one by one but for those of the block.
template <int D>
void BatchedSweeps<D>::sweep(const ScaledProblem& problem) {
  const double beta = momentum_.beta(), omega = momentum_.omega();
  SweepProgress progress = batches_.sweep({beta, omega, ++sweeps_ > undamped_sweeps});
  if (!row_block_.rows().empty()) sweep_row_block(problem, progress);
  const Index contacts = problem.contacts();
  for (Index j = 0; j < problem.equalities(); ++j) {
    if (row_block_.has(j)) continue;
    const double x = x_[D * static_cast<std::size_t>(contacts) + j];
    const double s = problem.scale()[contacts + j], y = x + beta * (x - last_rows_[j]);
    const double g =
        s * problem.project_row(j, (y - omega * s * s * batches_.row_velocity(j, y)) / s);
    set_multiplier(problem, j, y, g, progress);
  }
  squared_ = progress.squared;
  momentum_.observe(progress.squared, progress.along >= 0);
}

template <int D>
void BatchedSweeps<D>::observe(const ScaledProblem& problem, Span z) {
  batches_.get_impulses(x_);
  batches_.contact_velocities(u_);
  const Index contacts = problem.contacts();
  for (Index j = 0; j < problem.equalities(); ++j) {
    const std::size_t at = D * static_cast<std::size_t>(contacts) + j;
    u_[at] = problem.scale()[contacts + j] * batches_.row_velocity(j, x_[at]);
  }
  // Angular velocities are measured in the lengths of the operator, as scaled ones are.
  parallel_for(contacts, [&](Index begin, Index end) {
    for (Index c = begin; c < end; ++c)
      for (int i = 0; i < D; ++i) u_[D * static_cast<std::size_t>(c) + i] *= problem.scale()[c];
  });
  problem.from_operator(x_, z);
}

template <int D>
bool BatchedSweeps<D>::measure(const ScaledProblem& problem, Span z, Monitor& monitor) {
  observe(problem, z);
  if (monitor.measure(z, u_)) return true;
  if (monitor.status() != Status::converged) return false;
  // Rounding gathers in velocities that follow impulses: where it could matter believe only fresh
  // ones. The answer is judged from its impulses in any case.
  if (monitor.tolerance() >= coarse_tolerance) return false;
  reset(problem);
  observe(problem, z);
  return monitor.measure(z, u_);
}

template <int D>
void BatchedSweeps<D>::end(const ScaledProblem& problem) {
  if (!is_large(problem.contacts())) return;
  batches_ = RigidBatches<D>();
  x_ = u_ = Vector();
}

template <int D>
void BatchedSweeps<D>::run(const ScaledProblem& problem, Span z, Monitor& monitor,
                           double momentum) {
  sweep_until_told(problem, z, monitor, momentum);
  end(problem);
}

template <int D>
bool BatchedSweeps<D>::run_some(const ScaledProblem& problem, Span z, Monitor& monitor, long sweeps,
                                double momentum) {
  const bool goes_on = sweep_so_often(problem, z, monitor, sweeps, momentum);
  end(problem);
  return goes_on;
}

template <int D>
void BatchedSweeps<D>::sweep_until_told(const ScaledProblem& problem, Span z, Monitor& monitor,
                                        double momentum) {
  begin(problem, z, momentum);
  const bool is_cold = problem.is_zero(z);
  if (is_cold) monitor.begin_with(z); // nothing is learnt from measuring zero
  const double goal = monitor.tolerance() * problem.reference();
  MeasureBySteps schedule;
  for (long sweeps = 0; monitor.count_iteration(); ++sweeps) {
    const double step = std::sqrt(squared_);
    const bool due = sweeps == 0 ? !is_cold : schedule.is_due(sweeps, step, goal);
    if (due || monitor.wants_every_iteration()) {
      if (!measure(problem, z, monitor)) return;
      schedule.measured(sweeps, monitor.error() * problem.reference(), step);
    }
    sweep(problem);
    problem.count_products(1);
  }
  reset(problem);
  observe(problem, z);
  monitor.measure_last(z, u_);
}

template <int D>
bool BatchedSweeps<D>::sweep_so_often(const ScaledProblem& problem, Span z, Monitor& monitor,
                                      long sweeps, double momentum) {
  begin(problem, z, momentum);
  sweeps_ = undamped_sweeps;
  bool goes_on = true;
  for (long k = 0; k < sweeps && goes_on; ++k) {
    goes_on = monitor.count_iteration();
    if (!goes_on) break;
    sweep(problem);
    problem.count_products(1);
  }
  reset(problem);
  observe(problem, z);
  if (!goes_on) monitor.measure_last(z, u_);
  return goes_on;
}

template class BatchedSweeps<3>;
template class BatchedSweeps<6>;

} // namespace talus
