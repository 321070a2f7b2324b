// P-SPG-FB: preconditioned spectral projected gradient with fallback (heyn2013 sec. 4).
//
// The averaged diagonal preconditioner P = diag(1/rho) is the scaling of ScaledProblem, so in its
// variables the preconditioned method is the plain one. Steps alternate between the two
// Barzilai-Borwein lengths; the line search is Grippo-Lampariello-Lucidi's; the fallback γ_FB with
// the smallest residual is the monitor's best iterate. The objective is quadratic, so its values
// and the gradient along d follow from the one product N d whatever the number of backtracking
// steps. Non-monotone; cheap and quick to 1e-2, slow below 1e-3. Cost: one product per iteration.

#include "talus/core/vector_ops.h"
#include "talus/solve/convex_solver.h"

#include <algorithm>
#include <deque>

namespace talus {
namespace {

class Spg : public ConvexSolver {
public:
  const SolverInfo& info() const override { return info_; }

  void visit_options(OptionVisitor& visitor) override {
    visitor.visit("memory", memory_, "N_GLL, objective values the line search looks back on");
    visitor.visit("armijo", armijo_, "ξ, sufficient decrease");
    visitor.visit("alternate", alternate_,
                  "alternate the two step lengths (false: the first alone)");
    ConvexSolver::visit_options(visitor);
  }

  void minimise(ScaledProblem& problem, Span z, Monitor& monitor) override {
    const Index n = problem.size();
    Vector g(n), d(n), nd(n);
    problem.velocity(z, g);
    double alpha = 1; // the mean diagonal entry of the scaled N is 1
    std::deque<double> recent = {problem.objective(z, g)};
    for (long j = 0; monitor.proceed(z, g); ++j) {
      problem.project_step(z, alpha, g, d);
      axpy(-1.0, z, d);
      const double slope = dot(d, g);
      if (!(slope < 0)) return monitor.stall("no descent direction is left");
      problem.product(d, nd);
      const double curvature = dot(d, nd), value = recent.back();
      const double lambda =
          line_search(value, slope, curvature, *std::max_element(recent.begin(), recent.end()));
      axpy(lambda, d, z);
      axpy(lambda, nd, g);
      if ((j + 1) % refresh == 0) problem.velocity(z, g); // forget accumulated rounding
      recent.push_back(value + lambda * slope + 0.5 * lambda * lambda * curvature);
      if (static_cast<int>(recent.size()) > memory_) recent.pop_front();
      // s = λ d and y = λ N d: the step lengths do not depend on λ.
      const double first = dot(d, d) / curvature, second = curvature / dot(nd, nd);
      alpha = std::clamp(alternate_ && j % 2 == 0 ? second : first, alpha_min, alpha_max);
      if (!(curvature > 0)) alpha = alpha_max;
    }
  }

private:
  static constexpr double alpha_min = 1e-9, alpha_max = 1e9;
  static constexpr double sigma_min = 0.1, sigma_max = 0.9;
  static constexpr long refresh = 100;

  /// Largest tried λ with f(z + λ d) <= max(recent) + ξ λ slope; the trial minimises the quadratic,
  /// safeguarded.
  double line_search(double value, double slope, double curvature, double ceiling) const {
    double lambda = 1;
    for (int trial = 0; trial < 60; ++trial) {
      const double f = value + lambda * slope + 0.5 * lambda * lambda * curvature;
      if (f <= ceiling + armijo_ * lambda * slope) break;
      const double minimiser = -slope / curvature;
      lambda = std::clamp(minimiser, sigma_min * lambda, sigma_max * lambda);
    }
    return lambda;
  }

  SolverInfo info_ = convex_info("spg", "spectral projected gradient with fallback (P-SPG-FB)",
                                 "heyn2013, algorithm P-SPG-FB", "1");
  int memory_ = 10;
  double armijo_ = 1e-4;
  bool alternate_ = true;
};

} // namespace

std::unique_ptr<Solver> make_spg() {
  return std::make_unique<Spg>();
}

} // namespace talus
