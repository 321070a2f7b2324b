// Nonsmooth nonlinear conjugate gradients over Gauss-Seidel sweeps (Silcowitz, Niebe, Erleben,
// "A nonsmooth nonlinear conjugate gradient method for interactive contact force problems", Visual
// Computer 2010). The step of a sweep, r = GS(x) - x, plays the negative gradient:
//
//     β = |r⁺|² / |r|²   (Fletcher-Reeves);   β > 1: restart, p = r⁺;   else x⁺ = GS(x) + β p,
//     p ← β p + r⁺
//
// Velocities are linear in impulses, so those of x⁺ follow from the ones before and after the sweep
// and from those of p, without a product; only where the projection on K moves a contact are its
// bodies told.
//
// The sweep is that of nsgs, so every friction set and both laws are solved directly; norms are
// those of the scaled variables, and iterates are projected back on K. No convergence theory. It
// reaches high accuracy in fewer sweeps than nsgs, with occasional erratic phases that the restarts
// end. Use it like nsgs where more accuracy is wanted. Cost: a sweep and a few vector passes,
// little more than a product.

#include "talus/solve/contact_sweep.h"

namespace talus {
namespace {

/// A sweep and the conjugate step after it: the sweep leaves its step and the step's norm, one pass
/// over the contacts does the rest. Steps and directions may be kept in single precision: what they
/// lose is how far the velocities of the bodies drift from those of the impulses, until these are
/// made anew.
template <class Real>
class ConjugateSweep {
public:
  /// The steps of sweeps are kept in `step`, which may be used for other things between them.
  void start(const ScaledProblem& problem, std::vector<Real>& step) {
    problem_ = &problem;
    step_ = &step;
    sweep_.prepare(problem);
    last_squared_ = 0;
    step.resize(problem.size());
    direction_.resize(problem.size());
  }

  template <class Rows>
  void operator()(Rows& rows, Span x, bool backward) {
    rows.mark();
    const double squared = sweep_(rows, x, backward, std::span<Real>(*step_));
    const double ratio = last_squared_ > 0 ? squared / last_squared_ : 0.0;
    const double beta = ratio <= 1 ? ratio : 0.0;
    last_squared_ = squared;
    if (beta == 0)
      std::swap(*step_, direction_);
    else
      advance<Rows::dimension>(beta, x);
    rows.extrapolate(beta, x);
    if (beta != 0) tell_projection(rows);
  }

private:
  /// x ← P_K(x + β p), p ← r + β p; the step r gives way to what the projection changed.
  template <int d>
  void advance(double beta, Span x) {
    const Index contacts = problem_->contacts();
    parallel_for(
        contacts,
        [&](Index begin, Index end) {
          for (Index first = begin; first < end; first += block_contacts)
            advance_block<d>(beta, x, first, std::min(block_contacts, end - first));
        },
        contact_chunk);
    for (Index j = 0; j < problem_->equalities(); ++j) {
      const Index i = d * contacts + j;
      const double scaled = extrapolate(beta, x, i) / problem_->scale()[contacts + j];
      take_projection(x, i, problem_->scale()[contacts + j], scaled,
                      problem_->project_row(j, scaled));
    }
  }

  /// The same for a few contacts whose scaled impulses stay in the first-level cache.
  template <int d>
  void advance_block(double beta, Span x, Index first, Index count) {
    double scaled[d * block_contacts], projected[d * block_contacts];
    for (Index c = 0; c < count; ++c)
      for (int i = 0; i < d; ++i)
        scaled[d * c + i] =
            extrapolate(beta, x, d * (first + c) + i) / problem_->scale()[first + c];
    std::copy_n(scaled, d * count, projected);
    problem_->project_contacts(first, count, projected);
    for (Index c = 0; c < count; ++c)
      for (int i = 0; i < d; ++i)
        take_projection(x, d * (first + c) + i, problem_->scale()[first + c], scaled[d * c + i],
                        projected[d * c + i]);
  }

  double extrapolate(double beta, Span x, Index i) {
    const double along = beta * direction_[i];
    direction_[i] = static_cast<Real>((*step_)[i] + along);
    return x[i] += along;
  }

  /// An entry that the projection leaves alone keeps its bits.
  void take_projection(Span x, Index i, double scale, double before, double after) {
    const double moved = after == before ? x[i] : scale * after;
    (*step_)[i] = static_cast<Real>(moved - x[i]);
    x[i] = moved;
  }

  template <class Rows>
  void tell_projection(Rows& rows) const {
    constexpr int d = Rows::dimension;
    rows.parts().for_each(false, [&](Index c) {
      double dx[d];
      std::copy_n(&(*step_)[d * c], d, dx);
      if (std::any_of(dx, dx + d, [](double entry) { return entry != 0; })) rows.follow(c, dx);
    });
    for (Index j = 0; j < problem_->equalities(); ++j)
      if (const double dx = (*step_)[d * problem_->contacts() + j]; dx != 0) rows.row_follow(j, dx);
  }

  static constexpr Index block_contacts = 64;

  const ScaledProblem* problem_ = nullptr;
  ContactSweep sweep_;
  std::vector<Real>* step_ = nullptr; ///< r.
  std::vector<Real> direction_;       ///< p.
  double last_squared_ = 0;
};

class Nncg : public Solver {
public:
  const SolverInfo& info() const override { return info_; }

  void run(ScaledProblem& problem, Span z, Monitor& monitor) override {
    if (saves_memory(problem, monitor)) return run(compact_, compact_step_, problem, z, monitor);
    run(conjugate_, memory_.u, problem, z, monitor); // velocities are measured between sweeps
  }

private:
  template <class Real>
  void run(ConjugateSweep<Real>& conjugate, std::vector<Real>& step, const ScaledProblem& problem,
           Span z, Monitor& monitor) {
    conjugate.start(problem, step);
    run_sweeps(memory_, problem, z, monitor, SweepOrder::forward, conjugate);
  }

  SolverInfo info_ = {.name = "nncg",
                      .summary = "nonlinear conjugate gradients over Gauss-Seidel sweeps",
                      .paper = "Silcowitz, Niebe, Erleben 2010",
                      .coulomb = "direct",
                      .products_per_iteration = "1"};
  ConjugateSweep<double> conjugate_;
  ConjugateSweep<float> compact_;
  std::vector<float> compact_step_;
  SweepMemory memory_;
};

} // namespace

std::unique_ptr<Solver> make_nncg() {
  return std::make_unique<Nncg>();
}

} // namespace talus
