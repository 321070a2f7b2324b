// Principal pivoting (Keller 1973) on problems without friction and with box friction, the direct
// method for symmetric problems; Coulomb's law on pyramids, and on every set in the plane, by the
// fixed point on the bounds.
//
// Class: positive semi-definite N, redundant contacts and joints included; linear complementarity
// problems with such a matrix, or with a P-matrix. A matrix that is neither ends the run with a
// message.
// Cost: dense, 2 n² flops per pivot (an iteration), with n = 1 unknown per contact without
// friction, 3 with a box, 2 in the plane; about as many pivots as components that carry an impulse
// strictly between their bounds. A warm start fixes which of them begin at a bound.
// Use it instead of `lemke` where it applies: it needs a third of the unknowns.

#include "talus/core/vector_ops.h"
#include "talus/solve/coulomb/bound_fixed_point.h"
#include "talus/solve/lcp/bounded_system.h"
#include "talus/solve/lcp/principal_pivoting.h"
#include "talus/solve/monitor.h"

#include <fmt/format.h>

namespace talus {
namespace {

constexpr Index most_unknowns = 3000;

std::string describe(PrincipalEnd end) {
  switch (end) {
  case PrincipalEnd::ray:
    return "principal pivoting ended in a ray: no impulses satisfy all conditions";
  case PrincipalEnd::not_convex:
    return "principal pivoting met a pivot that is not positive: the matrix is not positive "
           "semi-definite";
  case PrincipalEnd::stopped:
    return "principal pivoting did not end: rounding hides its ties";
  case PrincipalEnd::solution:
    return "principal pivoting ended in a basis that rounding had spoiled";
  }
  return "";
}

class Keller : public Solver {
public:
  Keller() {
    info_.name = "keller";
    info_.summary = "principal pivoting, exact, for symmetric problems of tens of bodies";
    info_.paper = "Keller 1973 (beside anitescu2002)";
    info_.laws = {Law::coulomb};
    info_.friction = {Section::interval, Section::square};
    info_.coulomb = "fixed point";
    info_.products_per_iteration = "a dense pivot";
  }
  const SolverInfo& info() const override { return info_; }
  void visit_options(OptionVisitor& visitor) override { fixed_point_.visit_options(visitor); }

  std::string refuses(const ScaledProblem& problem) const override {
    if (problem.size() <= most_unknowns) return "";
    return fmt::format("problems of more than {} unknowns; this one has {}", most_unknowns,
                       problem.size());
  }

  void run(ScaledProblem& problem, Span z, Monitor& monitor) override {
    fixed_point_.run(problem, z, monitor, [&] { solve_fixed(problem, z, monitor); });
  }

private:
  void solve_fixed(ScaledProblem& problem, Span z, Monitor& monitor) {
    Vector u(problem.size());
    problem.velocity(z, u);
    if (!monitor.proceed(z, u)) return;
    if (monitor.must_stop()) return;
    const BoundedSystem system = bounded_system(problem);
    if (monitor.must_stop()) return;
    const Eigen::MatrixXd matrix = system.A;
    Eigen::Map<Dense> x(z.data(), problem.size());
    bool within_limits = true;
    long left = most_pivots(problem.size());
    const auto go_on = [&] {
      within_limits = monitor.count_iteration();
      return within_limits && --left > 0;
    };
    const PrincipalAnswer answer =
        principal_pivoting(matrix, system.b, system.lower, system.upper, x, go_on);
    x = answer.x;
    problem.velocity(z, u);
    if (!within_limits) return monitor.measure_last(z, u);
    if (monitor.measure(z, u)) monitor.stall(describe(answer.end));
  }

  SolverInfo info_;
  BoundFixedPoint fixed_point_;
};

} // namespace

std::unique_ptr<Solver> make_keller() {
  return std::make_unique<Keller>();
}

} // namespace talus
