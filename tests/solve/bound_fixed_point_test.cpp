// The fixed point on the tangential bounds, driven by a solver that knows fixed bounds only.

#include "support/random_models.h"
#include "talus/solve/coulomb/bound_fixed_point.h"
#include "talus/solve/registry.h"

#include <gtest/gtest.h>

namespace talus {
namespace {

/// Coulomb's law by Gauss-Seidel on the frozen sets.
class FixedBoundNsgs : public Solver {
public:
  FixedBoundNsgs() : inner_(make_solver("nsgs")), info_(inner_->info()) {
    info_.name = "fixed-bound nsgs";
    info_.laws = {Law::coulomb};
  }
  const SolverInfo& info() const override { return info_; }
  void visit_options(OptionVisitor& visitor) override { fixed_point_.visit_options(visitor); }
  void run(ScaledProblem& problem, Span z, Monitor& monitor) override {
    fixed_point_.run(problem, z, monitor, [&] {
      EXPECT_FALSE(is_cone_shaped(problem.contact_set(0).set.kind));
      inner_->run(problem, z, monitor);
      ++inner_solves;
    });
    EXPECT_FALSE(problem.is_frozen());
  }
  int inner_solves = 0;

private:
  std::unique_ptr<Solver> inner_;
  SolverInfo info_;
  BoundFixedPoint fixed_point_;
};

TEST(BoundFixedPoint, ReachesCoulombsLawOnEveryConeShapedSet) {
  test::RandomProblems random(7);
  for (const char* set : {"cone", "pyramid", "polyhedron:6"})
    for (int trial = 0; trial < 20; ++trial) {
      ContactProblem problem = trial % 2 ? random.rigid(6, 8, 0) : random.local(3, 6, 2);
      problem.friction = parse_friction_set(set);
      for (double& mu : problem.mu) mu *= 0.5;
      FixedBoundNsgs solver;
      SolveOptions options;
      options.max_iterations = 200000;
      const SolveResult result = solve(solver, problem, options);
      EXPECT_EQ(result.status, Status::converged) << set << " " << trial << " " << result.message;
      EXPECT_LE(result.quality.error, 1e-8);
      EXPECT_EQ(result.outer_iterations, solver.inner_solves);
    }
}

TEST(BoundFixedPoint, ServesTheMeasureOfFclib) {
  test::RandomProblems random(8);
  ContactProblem problem = random.local(3, 6, 0);
  FixedBoundNsgs solver;
  SolveOptions options;
  options.measure = Measure::fclib;
  const SolveResult result = solve(solver, problem, options);
  EXPECT_EQ(result.status, Status::converged) << result.message;
  EXPECT_LE(result.quality.error_fclib, 1e-8);
}

TEST(BoundFixedPoint, SolvesFixedSetsAtOnce) {
  test::RandomProblems random(9);
  ContactProblem problem = random.local(3, 4, 0);
  problem.friction = parse_friction_set("cylinder");
  problem.normal_estimate = random.vector(4, 0, 1);
  FixedBoundNsgs solver;
  const SolveResult result = solve(solver, problem, {});
  EXPECT_EQ(result.status, Status::converged) << result.message;
  EXPECT_EQ(solver.inner_solves, 1);
  EXPECT_EQ(result.outer_iterations, 0);
}

TEST(BoundFixedPoint, RefusesTheAssociatedLawOfACone) {
  test::RandomProblems random(10);
  ContactProblem problem = random.local(3, 4, 0);
  problem.law = Law::associated;
  FixedBoundNsgs solver;
  EXPECT_EQ(solve(solver, problem, {}).status, Status::unsupported);
}

TEST(BoundFixedPoint, FrozenBoundsChangeTheSubproblemNotTheJudgement) {
  test::RandomProblems random(11);
  const ContactProblem problem = random.local(3, 5, 0);
  const auto n = make_operator(problem);
  ScaledProblem scaled(problem, *n);
  Vector z = random.vector(15, 0, 1), u(15);
  scaled.velocity(z, u);
  const double own = scaled.error(z, u, Measure::talus), fclib = scaled.error(z, u, Measure::fclib);
  scaled.freeze_bounds(random.vector(5, 0, 1));
  EXPECT_EQ(scaled.contact_set(0).set.kind, FrictionKind::cylinder);
  EXPECT_EQ(scaled.error(z, u, Measure::talus), own);
  EXPECT_EQ(scaled.error(z, u, Measure::fclib), fclib);
  EXPECT_NE(scaled.frozen_error(z, u), own);
  scaled.release_bounds();
  EXPECT_EQ(scaled.contact_set(0).set.kind, FrictionKind::cone);
}

} // namespace
} // namespace talus
