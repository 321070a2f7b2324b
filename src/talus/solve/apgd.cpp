// Accelerated projected gradient descent (Nesterov) with adaptive restart: the method mazhar2014
// calls APGD, whose algorithm is in Mazhar, Heyn, Negrut, Tasora, "Using Nesterov's method to
// accelerate multibody dynamics with friction and contact", ACM TOG 2015.
//
//     z⁺ = Π_K(y - g(y)/L),  θ⁺² = (1 - θ⁺) θ²,  β = θ(1-θ)/(θ² + θ⁺),  y = z⁺ + β (z⁺ - z)
//
// g(y) = N y + q follows from the velocities at z⁺ and z by linearity, so an accepted iteration
// costs one product. L is an estimate of the largest curvature, raised when (z⁺-y)'N(z⁺-y) > L
// |z⁺-y|², and lowered slowly otherwise. The momentum restarts when g(y)'(z⁺ - z) > 0 (O'Donoghue &
// Candès 2015). The objective falls like 1/k²; with restarts the error falls linearly in practice,
// at the square root of the condition number. Use it for large packings and accuracies below 1e-3.
// Class: convex problems, every set; Coulomb's law by the fixed point on tilts.
//
// An iteration reads memory three times: y, g(y) and z⁺ in one pass over the contacts; the bodies'
// gathering of impulses; and the product's pass over the contacts, which also makes all inner
// products and the error while the new velocities are in the cache. y and g(y) are not stored but
// made again from the last two iterates.

#include "talus/core/parallel.h"
#include "talus/core/vector_ops.h"
#include "talus/problem/fused_product.h"
#include "talus/solve/convex_solver.h"

#include <cmath>

namespace talus {
namespace {

/// The sums an iteration needs, over d = z⁺ - y.
struct StepSums {
  double length = 0;    ///< d'd
  double curvature = 0; ///< d'N d
  double ascent = 0;    ///< g(y)'(z⁺ - z)
  double size = 0;      ///< y'y
  double residual = 0;  ///< |z⁺ - P(z⁺ - u⁺)|²
  StepSums& operator+=(const StepSums& other) {
    length += other.length;
    curvature += other.curvature;
    ascent += other.ascent;
    size += other.size;
    residual += other.residual;
    return *this;
  }
};

/// An iterate and its velocity.
struct Iterate {
  Vector z, u;
  void resize(Index n) {
    z.resize(n);
    u.resize(n);
  }
};

class Apgd : public ConvexSolver {
public:
  const SolverInfo& info() const override { return info_; }

  void visit_options(OptionVisitor& visitor) override {
    visitor.visit("restart", restart_, "drop the momentum when it points uphill");
    visitor.visit("shrink", shrink_, Range::share(),
                  "factor by which L falls after an accepted step");
    visitor.visit("grow", grow_, Range::above(1),
                  "factor by which L rises when a step was too long");
    ConvexSolver::visit_options(visitor);
  }

  void run(ScaledProblem& problem, Span z, Monitor& monitor) override {
    for (Iterate* iterate : {&last_, &now_, &next_}) iterate->resize(problem.size());
    curvature_ = first_curvature(problem);
    ConvexSolver::run(problem, z, monitor);
  }

  void minimise(ScaledProblem& problem, Span z, Monitor& monitor) override {
    Iterate &last = last_, &now = now_, &next = next_;
    copy(z, now.z);
    problem.velocity(now.z, now.u);
    copy(now.z, last.z);
    copy(now.u, last.u);
    double theta = 1, beta = 0;
    const double reference = problem.reference() > 0 ? problem.reference() : 1.0;
    const bool measured = monitor.measures_plain_residual();
    bool goes_on = monitor.proceed(now.z, now.u);
    while (goes_on) {
      StepSums sums;
      while (true) {
        step_from(problem, last, now, beta, next.z);
        sums = observe(problem, last, now, beta, next);
        // Rounding decides the comparison for tiny steps: then the step is accepted.
        if (sums.curvature <= (1 + 1e-10) * curvature_ * sums.length ||
            sums.length < rounding * rounding * sums.size)
          break;
        curvature_ *= grow_;
      }
      if (restart_ && sums.ascent > 0) {
        theta = 1;
        monitor.note("restart");
      }
      const double theta_next = 0.5 * theta * (std::sqrt(theta * theta + 4) - theta);
      beta = theta * (1 - theta) / (theta * theta + theta_next);
      theta = theta_next;
      curvature_ *= shrink_;
      std::swap(last, now);
      std::swap(now, next);
      goes_on = measured ? monitor.proceed(now.z, now.u, std::sqrt(sums.residual) / reference)
                         : monitor.proceed(now.z, now.u);
    }
    copy(now.z, z);
  }

private:
  /// |N x| / |x| of a vector without pattern, at the price of a product. It is low, which costs a
  /// rejected step or two; a good estimate would cost ten products.
  double first_curvature(const ScaledProblem& problem) {
    for (Index i = 0; i < problem.size(); ++i) {
      const double turns = 0.618033988749895 * i;
      now_.z[i] = 0.5 + (turns - std::floor(turns));
    }
    const double curvature = problem.largest_eigenvalue(1, now_.z, next_.z);
    return curvature > 0 ? curvature : 1.0;
  }

  static constexpr double rounding = 1e-14;
  /// Contacts whose work vectors fit into the first-level cache.
  static constexpr Index block = 64;

  /// next = P(y - g(y)/L).
  void step_from(const ScaledProblem& problem, const Iterate& last, const Iterate& now, double beta,
                 Vector& next) const {
    const int d = problem.dimension();
    const double step = 1 / curvature_;
    const auto descend = [&](Index begin, Index end) {
      const double *z = now.z.data(), *z_last = last.z.data(), *u = now.u.data(),
                   *u_last = last.u.data();
      double* out = next.data();
      for (Index i = begin; i < end; ++i)
        out[i] = z[i] + beta * (z[i] - z_last[i]) - step * (u[i] + beta * (u[i] - u_last[i]));
    };
    parallel_for(
        problem.contacts(),
        [&](Index begin, Index end) {
          for (Index c = begin; c < end; c += block) {
            const Index last_contact = std::min(end, c + block);
            descend(d * c, d * last_contact);
            problem.project_contacts(c, last_contact - c, &next[d * c]);
          }
        },
        DelassusOperator::contact_chunk);
    const Index rows = d * problem.contacts();
    descend(rows, problem.size());
    for (Index j = 0; j < problem.equalities(); ++j)
      next[rows + j] = problem.project_row(j, next[rows + j]);
  }

  /// next.u = N next.z + q, and the sums.
  StepSums observe(const ScaledProblem& problem, const Iterate& last, const Iterate& now,
                   double beta, Iterate& next) const {
    const int d = problem.dimension();
    StepSums sums = product_and_sum<StepSums>(problem, next.z, next.u, [&](Index begin, Index end) {
      StepSums partial;
      for (Index c = begin; c < end; c += block) {
        const Index stop = std::min(end, c + block);
        add_products(problem.free_velocity(), last, now, beta, d * c, d * stop, next, partial);
        partial.residual += problem.squared_residual(c, stop, next.z, next.u, true);
      }
      return partial;
    });
    add_products(problem.free_velocity(), last, now, beta, d * problem.contacts(), problem.size(),
                 next, sums);
    sums.residual += problem.squared_row_residual(next.z, next.u);
    return sums;
  }

  static void add_products(ConstSpan q, const Iterate& last, const Iterate& now, double beta,
                           Index begin, Index end, Iterate& next, StepSums& sums) {
    constexpr Index lanes = 4;
    double length[lanes] = {}, curvature[lanes] = {}, ascent[lanes] = {}, size[lanes] = {};
    const double *z = now.z.data(), *z_last = last.z.data(), *u = now.u.data(),
                 *u_last = last.u.data(), *z_next = next.z.data(), *free = q.data();
    double* u_next = next.u.data();
    const auto add = [&](Index i, Index lane) {
      const double y = z[i] + beta * (z[i] - z_last[i]), g = u[i] + beta * (u[i] - u_last[i]);
      const double d = z_next[i] - y;
      u_next[i] += free[i];
      length[lane] += d * d;
      curvature[lane] += d * (u_next[i] - g);
      ascent[lane] += g * (z_next[i] - z[i]);
      size[lane] += y * y;
    };
    Index i = begin;
    for (; i + lanes <= end; i += lanes)
      for (Index k = 0; k < lanes; ++k) add(i + k, k);
    for (; i < end; ++i) add(i, 0);
    const auto total = [](const double* s) { return (s[0] + s[1]) + (s[2] + s[3]); };
    sums.length += total(length);
    sums.curvature += total(curvature);
    sums.ascent += total(ascent);
    sums.size += total(size);
  }

  SolverInfo info_ = convex_info("apgd", "accelerated projected gradient with restart",
                                 "mazhar2014 (algorithm: Mazhar et al. 2015)", "1");
  bool restart_ = true;
  double shrink_ = 0.98, grow_ = 2.0;
  Iterate last_, now_, next_;
  double curvature_ = 1; ///< L, kept between the convex problems of one run.
};

} // namespace

std::unique_ptr<Solver> make_apgd() {
  return std::make_unique<Apgd>();
}

} // namespace talus
