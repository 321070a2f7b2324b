#include "solver_checks.h"
#include "support/random_problems.h"

namespace talus {
namespace {

using namespace test;
using test::Random;
using test::random_planar_problem;
using test::random_rigid_problem;

SolveOptions cycles(long count) {
  SolveOptions options;
  options.tolerance = 1e-7;
  options.max_iterations = count;
  return options;
}

TEST(Amg, AgreesWithApgdByBothTransfers) {
  Random random(61);
  for (const char* set : {"none", "box"})
    for (int trial = 0; trial < 4; ++trial) {
      const ContactProblem problem =
          with_set(trial % 2 == 0 ? random_rigid_problem(random, {.bodies = 30, .contacts = 60})
                                  : random_planar_problem(random, 30, 50),
                   set);
      const SolveResult expected = run_solver("apgd", problem, cycles(100000));
      for (const char* transfer : {"impulse", "velocity"})
        expect_same_velocities(problem,
                               run_solver("amg", problem, cycles(20000), {{"transfer", transfer}}),
                               expected, 1e-4);
    }
}

TEST(Amg, AgreesWithTotalEnumeration) {
  Random random(62);
  for (const char* set : {"none", "box"})
    for (int trial = 0; trial < 6; ++trial) {
      const ContactProblem problem = with_set(
          random_rigid_problem(random, {.bodies = 4, .contacts = 4, .rows = trial % 3}), set);
      for (const char* transfer : {"impulse", "velocity"})
        expect_same_velocities(problem,
                               run_solver("amg", problem, cycles(20000), {{"transfer", transfer}}),
                               run_solver("enumeration", problem), 1e-4);
    }
}

TEST(Amg, TakesEveryCycleAndCorrection) {
  Random random(63);
  const ContactProblem problem =
      with_set(random_rigid_problem(random, {.bodies = 60, .contacts = 120}), "box");
  const SolveResult expected = run_solver("apgd", problem, cycles(100000));
  for (const char* cycle : {"V", "W"})
    for (const char* reject : {"true", "false"})
      for (const auto& [rebuild, warm_up] : {std::pair("0", "20"), {"3", "0"}})
        expect_same_velocities(
            problem,
            run_solver(
                "amg", problem, cycles(20000),
                {{"cycle", cycle}, {"reject", reject}, {"rebuild", rebuild}, {"warm_up", warm_up}}),
            expected, 1e-4);
}

TEST(Amg, SurvivesDegenerateProblems) {
  Random random(64);
  for (const test::RandomOptions& shape :
       {test::RandomOptions{.bodies = 3, .contacts = 8, .duplicate_contacts = true},
        test::RandomOptions{.bodies = 3, .contacts = 12, .mu_low = 10, .mu_high = 10},
        test::RandomOptions{.bodies = 4, .contacts = 8, .mass_ratio = 1e6},
        test::RandomOptions{.bodies = 2, .contacts = 6, .mu_low = 0, .mu_high = 0}})
    for (const char* set : {"none", "box"})
      for (const char* transfer : {"impulse", "velocity"}) {
        const ContactProblem problem = with_set(random_rigid_problem(random, shape), set);
        const SolveResult result =
            run_solver("amg", problem, cycles(2000), {{"transfer", transfer}});
        EXPECT_TRUE(all_finite(result.x));
        EXPECT_EQ(result.status == Status::converged, result.quality.error <= 1e-7);
      }
}

TEST(Amg, RefusesWhatItDoesNotSolve) {
  Random random(65);
  ContactProblem problem = random_rigid_problem(random);
  for (const char* set : {"pyramid", "prism", "polyhedron", "cylinder", "cone"})
    expect_refused("amg", with_set(problem, set), "friction set");
  // Without bodies there are no velocities to transfer.
  ContactProblem local = with_set(problem, "none");
  LocalModel model;
  model.W = from_triplets(3, 3, {{0, 0, 1}, {1, 1, 1}, {2, 2, 1}});
  model.q = {-1, 0, 0};
  local.mu = {0};
  local.model = model;
  EXPECT_EQ(Status::converged, run_solver("amg", local).status);
  const SolveResult refused = run_solver("amg", local, {}, {{"transfer", "velocity"}});
  EXPECT_EQ(Status::unsupported, refused.status);
  EXPECT_NE(std::string::npos, refused.message.find("body structure")) << refused.message;
}

} // namespace
} // namespace talus
