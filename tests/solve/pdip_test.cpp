#include "solve/feasible_problems.h"
#include "solve/solver_checks.h"
#include "talus/core/error.h"

#include <gtest/gtest.h>

#include <cmath>

namespace talus {
namespace {

using test::expect_refused;
using test::expect_same_velocities;
using test::FeasibleProblems;
using test::run_solver;
using test::with_set;

TEST(Pdip, AgreesWithTheProximalNewtonMethod) {
  FeasibleProblems problems(31);
  for (const char* set : {"none", "box", "pyramid", "prism:6", "polyhedron:8"})
    for (bool duplicated : {false, true})
      for (const char* start : {"nocedal", "dapuzzo"}) {
        const ContactProblem problem = problems.make({.friction = parse_friction_set(set),
                                                      .law = Law::associated,
                                                      .contacts = 12,
                                                      .equalities = 4,
                                                      .duplicated = duplicated,
                                                      .bounded_rows = !duplicated});
        SCOPED_TRACE(std::string(set) + " " + start);
        expect_same_velocities(
            problem, run_solver("prox-newton", problem, test::with_tolerance(1e-10)),
            run_solver("pdip", problem, test::with_tolerance(1e-10), {{"start", start}}));
      }
}

TEST(Pdip, SolvesEverySetInThePlane) {
  FeasibleProblems problems(32);
  for (const char* set :
       {"none", "box", "pyramid", "prism:6", "polyhedron:8", "cylinder", "cone"}) {
    const ContactProblem problem = problems.make({.dimension = 2,
                                                  .friction = parse_friction_set(set),
                                                  .law = Law::associated,
                                                  .contacts = 15});
    expect_same_velocities(problem, run_solver("conic-ip", problem, test::with_tolerance(1e-10)),
                           run_solver("pdip", problem, test::with_tolerance(1e-10)));
  }
}

TEST(Pdip, GivesTheSameAnswerInEveryForm) {
  FeasibleProblems problems(33);
  ContactProblem problem = problems.make({.friction = {FrictionKind::pyramid},
                                          .law = Law::associated,
                                          .contacts = 20,
                                          .equalities = 4,
                                          .body_structure = true,
                                          .mass_ratio = 1e4});
  for (bool compliant : {false, true}) {
    if (compliant) problem.compliance.assign(problem.size(), 0.05);
    const SolveResult expected = run_solver("apgd", problem, test::with_tolerance(1e-8));
    for (const char* form : {"augmented", "schur", "contact"})
      for (const char* update : {"true", "false"})
        expect_same_velocities(problem, expected,
                               run_solver("pdip", problem, test::with_tolerance(1e-10),
                                          {{"form", form}, {"update_residuals", update}}));
  }
}

/// A brick on four contacts, pushed down: redundant, every normal impulse is free in one direction.
ContactProblem brick(double shift) {
  ContactProblem problem;
  RigidModel model;
  model.inverse_mass = {{1, {6, 0, 0, 6, 0, 6}}};
  model.free_velocity = {0, 0, -1, 0.1, shift, 0};
  for (double x : {-0.5, 0.5})
    for (double y : {-0.5, 0.5}) {
      model.contact_bodies.push_back({-1, 0});
      model.contacts.push_back({{0, 0, 1}, {1, 0, 0}, {}, {x + shift, y, -0.5}});
      model.w.insert(model.w.end(), {0, 0, 0});
      problem.mu.push_back(0);
    }
  problem.friction = {FrictionKind::none};
  problem.model = model;
  return problem;
}

TEST(Pdip, WarmStartsSaveIterations) {
  // mangoni2015 Table 2: none, partial and full warm start on a brick whose contacts move a little.
  const auto iterations = [](const char* warm) {
    const auto solver = make_solver("pdip");
    set_option(*solver, "warm", warm);
    SolveOptions options = test::with_tolerance(1e-8);
    long sum = 0;
    for (int step = 0; step < 10; ++step) {
      const SolveResult result = solve(*solver, brick(1e-4 * step), options);
      EXPECT_EQ(Status::converged, result.status) << result.message;
      sum += result.iterations;
      options.initial = result.x;
    }
    return sum;
  };
  const long none = iterations("none"), partial = iterations("partial"), full = iterations("full");
  EXPECT_LE(partial, none);
  EXPECT_LE(full, 0.75 * none) << full << " of " << none;
}

TEST(Pdip, NeedsFewIterationsWhateverTheMasses) {
  FeasibleProblems problems(34);
  for (double ratio : {1.0, 1e3, 1e6}) {
    const ContactProblem problem = problems.make({.friction = {FrictionKind::none},
                                                  .contacts = 60,
                                                  .body_structure = true,
                                                  .mass_ratio = ratio});
    const SolveResult result = run_solver("pdip", problem, test::with_tolerance(1e-8));
    EXPECT_EQ(Status::converged, result.status) << ratio << " " << result.message;
    EXPECT_LE(result.iterations, 25) << ratio;
  }
}

TEST(Pdip, StopsAtThePapersTestOnRequest) {
  FeasibleProblems problems(35);
  const ContactProblem problem = problems.make({.friction = {FrictionKind::none}, .contacts = 30});
  const SolveResult result =
      run_solver("pdip", problem, test::with_tolerance(1e-15), {{"paper_stop", "true"}});
  EXPECT_EQ(Status::stalled, result.status);
  EXPECT_NE(std::string::npos, result.message.find("(38)")) << result.message;
  EXPECT_LT(result.quality.error, 1e-2);
}

TEST(Pdip, StartsFromOnesWhateverTheUnitsOnRequest) {
  FeasibleProblems problems(37);
  const ContactProblem problem =
      problems.make({.friction = {FrictionKind::none}, .contacts = 30, .body_structure = true});
  const SolveResult own = run_solver("pdip", problem, test::with_tolerance(1e-10));
  const SolveResult ones =
      run_solver("pdip", problem, test::with_tolerance(1e-10), {{"ones", "true"}});
  ASSERT_EQ(Status::converged, own.status) << own.message;
  ASSERT_EQ(Status::converged, ones.status) << ones.message;
  for (std::size_t i = 0; i < own.v.size(); ++i) EXPECT_NEAR(own.v[i], ones.v[i], 1e-6);
}

TEST(Pdip, SolvesCoulombThroughTheFixedPoint) {
  FeasibleProblems problems(36);
  for (const char* set : {"pyramid", "polyhedron:6"}) {
    const ContactProblem problem =
        problems.make({.friction = parse_friction_set(set), .contacts = 10, .mu = 0.3});
    const SolveResult result = run_solver("pdip", problem, test::with_tolerance(1e-8));
    EXPECT_EQ(Status::converged, result.status) << set << " " << result.message;
    EXPECT_GT(result.outer_iterations, 0);
  }
}

TEST(Pdip, RefusesRoundSetsInSpace) {
  FeasibleProblems problems(37);
  const ContactProblem problem = problems.make({});
  expect_refused("pdip", problem, "cone");
  expect_refused("pdip", with_set(problem, "cylinder"), "cylinder");
}

} // namespace
} // namespace talus
