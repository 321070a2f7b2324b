// Projected Barzilai-Borwein, in the form Chrono offers (ChSolverBB, by an author of heyn2013;
// after Birgin, Martínez, Raydan 2000).
//
// It is spg's sister: the same projected direction and spectral lengths, but the line search over
// the last objectives gives up after a few trials and takes what it has, and the length rule can be
// chosen. `adaptive` takes the short length when it is much shorter than the long one (Zhou, Gao,
// Dai 2006). The best iterate is the answer. Non-monotone; quick to 1e-2. Cost: one product per
// iteration.

#include "talus/core/vector_ops.h"
#include "talus/solve/convex_solver.h"

#include <algorithm>
#include <deque>

namespace talus {
namespace {

class Bb : public ConvexSolver {
public:
  const SolverInfo& info() const override { return info_; }

  void visit_options(OptionVisitor& visitor) override {
    visitor.visit("length", length_, {"first", "second", "alternate", "adaptive"},
                  "which spectral step length: s's/s'y, s'y/y'y, both in turn, or by their ratio");
    visitor.visit("memory", memory_, "objective values the line search looks back on");
    visitor.visit("backtracks", backtracks_, "trials after which a step is taken as it is");
    ConvexSolver::visit_options(visitor);
  }

  void minimise(ScaledProblem& problem, Span z, Monitor& monitor) override {
    const Index n = problem.size();
    Vector g(n), d(n), nd(n);
    problem.velocity(z, g);
    double alpha = 1;                  // the mean diagonal entry of the scaled N is 1
    std::deque<double> recent = {0.0}; // objectives relative to the start's
    for (long j = 0; monitor.proceed(z, g); ++j) {
      problem.project_step(z, alpha, g, d);
      axpy(-1.0, z, d);
      const double slope = dot(d, g);
      if (!(slope < 0)) return monitor.stall("no descent direction is left");
      problem.product(d, nd);
      const double curvature = dot(d, nd), value = recent.back();
      const double ceiling = *std::max_element(recent.begin(), recent.end());
      const double lambda = shorten(ceiling - value, slope, curvature);
      axpy(lambda, d, z);
      axpy(lambda, nd, g);
      if ((j + 1) % refresh == 0) problem.velocity(z, g);
      recent.push_back(value + lambda * slope + 0.5 * lambda * lambda * curvature);
      if (static_cast<int>(recent.size()) > memory_) recent.pop_front();
      alpha = curvature > 0 ? next_length(j, dot(d, d) / curvature, curvature / dot(nd, nd))
                            : alpha_max;
    }
  }

private:
  enum Length { first, second, alternate, adaptive };
  static constexpr double alpha_min = 1e-13, alpha_max = 1e13;
  static constexpr double armijo = 1e-4, sigma_min = 0.1, sigma_max = 0.9;
  static constexpr double much_shorter = 0.5;
  static constexpr long refresh = 100;

  /// Share λ of the step after at most `backtracks_` trials; `slack` is how far the objective may
  /// rise above its present value.
  double shorten(double slack, double slope, double curvature) const {
    double lambda = 1;
    for (int trial = 0; trial < backtracks_; ++trial) {
      const double rise = lambda * slope + 0.5 * lambda * lambda * curvature;
      if (rise <= slack + armijo * lambda * slope) break;
      lambda = std::clamp(-slope / curvature, sigma_min * lambda, sigma_max * lambda);
    }
    return lambda;
  }

  double next_length(long j, double longer, double shorter) const {
    const bool take_shorter = length_ == second || (length_ == alternate && j % 2 == 1) ||
                              (length_ == adaptive && shorter < much_shorter * longer);
    return std::clamp(take_shorter ? shorter : longer, alpha_min, alpha_max);
  }

  SolverInfo info_ = convex_info("bb", "projected Barzilai-Borwein, as in Chrono",
                                 "Barzilai, Borwein 1988; Chrono's ChSolverBB", "1");
  int length_ = alternate, memory_ = 10, backtracks_ = 3;
};

} // namespace

std::unique_ptr<Solver> make_bb() {
  return std::make_unique<Bb>();
}

} // namespace talus
