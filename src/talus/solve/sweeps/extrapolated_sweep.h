#pragma once
// Gauss-Seidel sweeps with an extrapolation after each: what nncg and ansgs share. The sweep leaves
// its step r = GS(y) - y; one pass over the contacts then moves the impulses along a combination of
// r and what is remembered of the past, and projects them back on K. Velocities are linear in
// impulses, so the rows follow without a product (sweep_rows.h); only where the projection moves a
// contact are its bodies told.
//
// Steps and memories may be kept in single precision: what they lose is how far the velocities of
// the bodies drift from those of the impulses, until these are made anew.

#include "talus/solve/sweeps/contact_sweep.h"

namespace talus {

template <class Real>
class ExtrapolatedSweep {
public:
  static constexpr bool handles_moments = true;

protected:
  /// The steps of sweeps are kept in `step`, which may be used for other things between them. The
  /// rest waits for the first sweep: a step at rest often needs none.
  void prepare(const ScaledProblem& problem, std::vector<Real>& step) {
    problem_ = &problem;
    step_ = &step;
    is_ready_ = false;
  }

  const ScaledProblem& problem() const { return *problem_; }
  std::vector<Real>& step() { return *step_; }
  std::vector<Real>& memory() { return memory_; }

  /// The square of the step's length in scaled variables.
  template <class Rows>
  double sweep(Rows& rows, Span x, bool backward) {
    if (!is_ready_) make_ready();
    return sweep_(rows, x, backward, std::span<Real>(*step_));
  }

  /// Of each contact's update.
  void relax(double omega) { sweep_.relax(omega); }

  /// x_i ← P_K(x_i + along(i)) in scaled variables; the step gives way to what the projection
  /// changed, and projected(i, change) is called for every entry.
  template <int d, class Along, class Projected>
  void extrapolate(Span x, Along&& along, Projected&& projected) {
    const Index contacts = problem_->contacts();
    parallel_for(
        contacts,
        [&](Index begin, Index end) {
          for (Index first = begin; first < end; first += block_contacts)
            extrapolate_block<d>(x, first, std::min(block_contacts, end - first), along, projected);
        },
        contact_chunk);
    for (Index j = 0; j < problem_->equalities(); ++j) {
      const Index i = d * contacts + j;
      const double s = problem_->scale()[contacts + j], scaled = (x[i] += along(i)) / s;
      take_projection(x, i, s, scaled, problem_->project_row(j, scaled), projected);
    }
  }

  /// Tells the rows what the projection changed.
  template <class Rows>
  void apply_projection(Rows& rows) const {
    constexpr int d = Rows::dimension;
    rows.for_each_contact(false, [&](Index c) {
      double dx[d];
      std::copy_n(&(*step_)[d * c], d, dx);
      if (std::any_of(dx, dx + d, [](double entry) { return entry != 0; })) rows.follow(c, dx);
    });
    for (Index j = 0; j < problem_->equalities(); ++j)
      if (const double dx = (*step_)[d * problem_->contacts() + j]; dx != 0) rows.row_follow(j, dx);
  }

private:
  static constexpr Index block_contacts = 64;

  void make_ready() {
    sweep_.prepare(*problem_);
    step_->resize(problem_->size());
    memory_.assign(problem_->size(), Real(0));
    is_ready_ = true;
  }

  /// A few contacts whose scaled impulses stay in the first-level cache.
  template <int d, class Along, class Projected>
  void extrapolate_block(Span x, Index first, Index count, Along&& along, Projected&& projected) {
    double before[d * block_contacts], after[d * block_contacts];
    for (Index c = 0; c < count; ++c)
      for (int i = 0; i < d; ++i) {
        const Index at = d * (first + c) + i;
        before[d * c + i] = (x[at] += along(at)) / problem_->scale()[first + c];
      }
    std::copy_n(before, d * count, after);
    problem_->project_contacts(first, count, after);
    for (Index c = 0; c < count; ++c)
      for (int i = 0; i < d; ++i)
        take_projection(x, d * (first + c) + i, problem_->scale()[first + c], before[d * c + i],
                        after[d * c + i], projected);
  }

  /// An entry that the projection leaves alone keeps its bits.
  template <class Projected>
  void take_projection(Span x, Index i, double scale, double before, double after,
                       Projected&& projected) {
    const double moved = after == before ? x[i] : scale * after, change = moved - x[i];
    (*step_)[i] = static_cast<Real>(change);
    projected(i, change);
    x[i] = moved;
  }

  const ScaledProblem* problem_ = nullptr;
  ContactSweep sweep_;
  std::vector<Real>* step_ = nullptr;
  std::vector<Real> memory_;
  bool is_ready_ = false;
};

/// A solver that runs Sweeps<double>, or Sweeps<float> where problems are large and memory counts.
template <template <class> class Sweeps>
class ExtrapolatedSweepRuns {
public:
  template <class... Options>
  void operator()(const ScaledProblem& problem, Span z, Monitor& monitor, Options... options) {
    const auto run = [&](auto& sweeps, auto& step) {
      sweeps.start(problem, step, options...);
      run_sweeps(memory_, problem, z, monitor, SweepOrder::forward, sweeps);
    };
    if (saves_memory(problem, monitor)) return run(compact_, compact_step_);
    run(plain_, memory_.u); // velocities are measured between sweeps
  }

private:
  Sweeps<double> plain_;
  Sweeps<float> compact_;
  std::vector<float> compact_step_;
  SweepMemory memory_;
};

} // namespace talus
