// Algebraic multigrid with projected Gauss-Seidel as smoother (preclik2009 sec. 3.4), for problems
// with fixed bounds: frictionless and box. Two transfers between levels:
//
//   impulse    the paper's: C/F splitting of the impulses, Galerkin coarse problems with bounds
//              (impulse_multigrid.h);
//   velocity   the paper's suggestion after the first one fails: corrections are made of body
//              velocities, aggregates of bodies with their rigid modes (velocity_multigrid.h), then
//              an exact line search and the projection on the bounds. Needs bodies.
//
// An iteration is a cycle. `warm_up` sweeps come first, so that the coarse space is made for nearly
// the right active set; it is made anew every `rebuild` cycles. A sweep never increases the
// objective and a velocity correction is dropped where it would, so `velocity` converges at least
// as Gauss-Seidel does; `impulse` has that guard on its finest level alone (`guard`).
// Cost: a cycle is pre_sweeps + post_sweeps on the finest level, each about a product, and the
// correction; the coarse levels are made anew every `rebuild` cycles.
//
// Neither pays on sphere packings. On A1000_mu25 with box friction an error of 1e-4 takes 787
// cycles (impulse) or 833 (velocity) of four sweeps each, where pgs alone takes 2381 sweeps;
// without friction (A1000_mu0) 167 and 186 cycles against 668 sweeps. The null space is not the
// only reason: `velocity` is free of it, minimises over its coarse space exactly and still gains
// less than one sweep does, because the slow errors of packings with barely enough contacts are not
// rigid motions of neighbouring bodies. It is here for comparison; use cpg for these problems.
// (talus solve A1000_mu25.hdf5 --friction box --solver amg --option transfer=impulse --tol 1e-4)

#include "talus/core/vector_ops.h"
#include "talus/solve/monitor.h"
#include "talus/solve/multigrid/impulse_multigrid.h"
#include "talus/solve/multigrid/velocity_multigrid.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace talus {
namespace {

class Amg : public Solver {
public:
  const SolverInfo& info() const override { return info_; }

  void visit_options(OptionVisitor& visitor) override {
    visitor.visit("transfer", transfer_, {"impulse", "velocity"},
                  "errors that levels exchange; velocity needs bodies");
    visitor.visit("cycle", cycle_, {"V", "W"}, "recursion of the impulse transfer");
    visitor.visit("pre_sweeps", impulse_.pre_sweeps, Range::at_least(0),
                  "ν₁, sweeps before the correction");
    visitor.visit("post_sweeps", impulse_.post_sweeps, Range::at_least(0),
                  "ν₂, sweeps after the correction");
    visitor.visit("warm_up", warm_up_, Range::at_least(0),
                  "sweeps before the first coarse levels are made");
    visitor.visit("rebuild", rebuild_, Range::at_least(0),
                  "cycles between making the coarse levels; 0: once");
    visitor.visit("strength", impulse_.strength, Range::between(0, 1),
                  "θ, share of the strongest coupling that is strong");
    visitor.visit("coarse_size", coarse_size_, Range::at_least(1),
                  "velocity transfer: largest coarse space");
    visitor.visit("guard", impulse_.guard,
                  "impulse corrections that do not lower the objective are dropped");
    visitor.visit("reject", impulse_.reject,
                  "impulse corrections that leave the bounds are rejected (false: projected)");
  }

  std::string refuses(const ScaledProblem& problem) const override {
    if (transfer_ != velocity || problem.delassus().face() == std::string_view("bodies")) return "";
    return "problems without body structure by velocity transfer";
  }

  void run(ScaledProblem& problem, Span z, Monitor& monitor) override {
    if (monitor.must_stop()) return;
    const BoundedSystem system = bounded_system(problem);
    Dense x = Eigen::Map<const Dense>(z.data(), problem.size()), u;
    std::optional<ImpulseMultigrid> impulses;
    std::optional<VelocityMultigrid> velocities;
    impulse_.cycle = cycle_ + 1;
    const auto measure = [&] {
      u = system.A * x + system.b;
      std::copy(x.begin(), x.end(), z.begin());
      return monitor.proceed(z, {u.data(), static_cast<std::size_t>(u.size())});
    };
    for (long k = 0; measure(); ++k) {
      const bool build = k == 0 || (rebuild_ > 0 && k % rebuild_ == 0);
      if (k == 0) {
        for (int sweep = 0; sweep < warm_up_; ++sweep) smooth(system, x, sweep % 2 == 1);
        problem.count_products(warm_up_);
      }
      if (build && monitor.must_stop()) return;
      if (transfer_ == impulse) {
        if (build || !impulses) impulses.emplace(system, x, impulse_);
        if (build) monitor.note(fmt::format("{} levels", impulses->levels()));
        problem.count_products(std::lround(std::ceil(impulses->cycle(x))));
      } else {
        if (!velocities) velocities.emplace(problem, coarse_size_);
        if (build) velocities->build(system, x);
        if (build && monitor.must_stop()) return;
        if (build) monitor.note(fmt::format("{} coarse modes", velocities->coarse_size()));
        velocity_cycle(system, *velocities, x);
        problem.count_products(impulse_.pre_sweeps + impulse_.post_sweeps + 4);
      }
    }
  }

private:
  enum { impulse, velocity };

  void velocity_cycle(const BoundedSystem& system, const VelocityMultigrid& coarse,
                      Dense& x) const {
    for (int k = 0; k < impulse_.pre_sweeps; ++k) smooth(system, x, false);
    const Dense u = system.A * x + system.b;
    Dense e;
    coarse.correction(u, e);
    // Only what is still between its bounds, or leaves them inwards, moves.
    for (Index i = 0; i < system.size(); ++i)
      if ((x[i] <= system.lower[i] && e[i] < 0) || (x[i] >= system.upper[i] && e[i] > 0)) e[i] = 0;
    const double slope = u.dot(e), curvature = e.dot(system.A * e);
    if (slope < 0 && curvature > 0) {
      const double alpha = -slope / curvature;
      const Dense next = (x + alpha * e).cwiseMax(system.lower).cwiseMin(system.upper);
      const Dense step = next - x;
      // f(next) - f(x) = u's + ½ s'A s.
      if (u.dot(step) + 0.5 * step.dot(system.A * step) < 0) x = next;
    }
    for (int k = 0; k < impulse_.post_sweeps; ++k) smooth(system, x, true);
  }

  SolverInfo info_ = {.name = "amg",
                      .summary = "algebraic multigrid over projected Gauss-Seidel sweeps",
                      .paper = "preclik2009 sec. 3.4",
                      .friction = {{Section::interval, Section::square}, AdmittedSets::only_fixed},
                      .coulomb = "direct",
                      .products_per_iteration = "about 6"};
  ImpulseMultigridOptions impulse_;
  int transfer_ = impulse, cycle_ = 0, warm_up_ = 20, rebuild_ = 10, coarse_size_ = 2000;
};

} // namespace

std::unique_ptr<Solver> make_amg() {
  return std::make_unique<Amg>();
}

} // namespace talus
