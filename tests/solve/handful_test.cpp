// Sweeps over a handful of contacts: they arrive where nsgs does, in fewer sweeps.

#include "feasible_problems.h"
#include "solver_checks.h"
#include "talus/problem/explicit_operator.h"
#include "talus/problem/few_contacts.h"
#include "talus/solve/handful.h"

namespace talus {
namespace {

using namespace test;

ContactProblem local(ContactProblem problem) {
  problem.model = eliminate_velocities(std::get<GlobalModel>(problem.model));
  return problem;
}

struct Sweeps {
  bool admitted = false;
  Status status = Status::stalled;
  long products = 0;
  double error = 0; ///< Of the best iterate, judged.
  Vector x;
};

Sweeps sweep(const ContactProblem& problem, const SolveOptions& options) {
  const auto n = make_operator(problem);
  const ScaledProblem scaled(problem, *n);
  Monitor monitor(scaled, options);
  Vector z(scaled.size(), 0.0);
  if (!options.initial.empty()) scaled.to_scaled(options.initial, z);
  Sweeps result;
  result.admitted = sweep_handful(scaled, z, monitor);
  if (!result.admitted) return result;
  result.status = monitor.status();
  result.products = scaled.products();
  result.x.resize(z.size());
  scaled.to_physical(monitor.best(), result.x);
  result.error = judge(problem, *n, result.x).error;
  return result;
}

TEST(Handful, ArrivesInFewerSweepsThanNsgs) {
  FeasibleProblems problems(7);
  SolveOptions options;
  options.tolerance = 1e-9;
  options.max_iterations = 3000;
  const char* sets[] = {"cone", "cone", "pyramid", "polyhedron:6", "cylinder", "none"};
  long ours = 0, theirs = 0;
  int solved = 0;
  for (int trial = 0; trial < 120; ++trial) {
    ProblemTraits traits;
    traits.contacts = 1 + trial % FewContacts::most;
    traits.friction = parse_friction_set(sets[trial % 6]);
    traits.law = trial % 5 == 0 ? Law::associated : Law::coulomb;
    traits.body_structure = trial % 3 == 0;
    traits.mu = trial % 4 == 0 ? 0.3 : -1;
    ContactProblem problem = local(problems.make(traits));
    if (trial % 7 == 0) problem.compliance.assign(problem.size(), 0.05);
    const SolveResult expected = run_solver("nsgs", problem, options);
    if (expected.status != Status::converged || expected.products == 0) continue;
    const Sweeps found = sweep(problem, options);
    ASSERT_TRUE(found.admitted);
    ASSERT_EQ(Status::converged, found.status) << "trial " << trial << ", error " << found.error;
    EXPECT_LE(found.error, 1.01 * options.tolerance) << "trial " << trial;
    ours += found.products;
    theirs += expected.products;
    ++solved;
  }
  EXPECT_GT(solved, 60);
  EXPECT_LT(ours, 0.7 * static_cast<double>(theirs));
}

TEST(Handful, NeedsNoSweepFromTheAnswer) {
  FeasibleProblems problems(8);
  const ContactProblem problem = local(problems.make({.contacts = 5}));
  SolveOptions options;
  const Sweeps cold = sweep(problem, options);
  ASSERT_EQ(Status::converged, cold.status);
  options.initial = cold.x;
  options.tolerance *= 1.01;
  const Sweeps warm = sweep(problem, options);
  EXPECT_EQ(Status::converged, warm.status);
  EXPECT_EQ(0, warm.products);
}

TEST(Handful, KeepsTheBestIterateAtALimit) {
  FeasibleProblems problems(9);
  const ContactProblem problem = local(problems.make({.contacts = 8, .body_structure = true}));
  SolveOptions options;
  options.tolerance = 1e-14;
  options.max_iterations = 3;
  const Sweeps found = sweep(problem, options);
  EXPECT_EQ(Status::iteration_limit, found.status);
  EXPECT_EQ(run_solver("nsgs", problem, options).products, found.products);
  EXPECT_LT(found.error, 1);
}

TEST(Handful, RefusesWhatItDoesNotSolve) {
  FeasibleProblems problems(10);
  const ContactProblem with_velocities = problems.make({.contacts = 3});
  EXPECT_FALSE(sweep(with_velocities, {}).admitted);
  EXPECT_TRUE(sweep(local(with_velocities), {}).admitted);
  EXPECT_FALSE(sweep(local(problems.make({.dimension = 2, .contacts = 3})), {}).admitted);
  EXPECT_FALSE(sweep(local(problems.make({.contacts = 3, .equalities = 1})), {}).admitted);
  EXPECT_FALSE(sweep(local(problems.make({.contacts = FewContacts::most + 1})), {}).admitted);
}

SolveResult at_once(const ContactProblem& problem, const SolveOptions& options, long most_sweeps) {
  SolveResult result;
  result.message = "untouched";
  solve_handful(problem, *make_operator(problem), options, most_sweeps, result);
  return result;
}

TEST(Handful, AtOnceGivesTheAnswerOfASolve) {
  FeasibleProblems problems(11);
  int solved = 0;
  for (int trial = 0; trial < 100; ++trial) {
    ProblemTraits traits;
    traits.contacts = 1 + trial % FewContacts::most;
    traits.law = trial % 5 == 0 ? Law::associated : Law::coulomb;
    ContactProblem problem = local(problems.make(traits));
    if (trial % 7 == 0) problem.compliance.assign(problem.size(), 0.05);
    SolveOptions options;
    options.measure = trial % 2 == 0 ? Measure::talus : Measure::fclib;
    const auto n = make_operator(problem);
    SolveResult found;
    if (!solve_handful(problem, *n, options, 48, found)) continue;
    ++solved;
    EXPECT_EQ(Status::converged, found.status);
    EXPECT_GT(found.iterations, 0);
    EXPECT_LE(found.iterations, 48);
    EXPECT_EQ(found.iterations, found.products);
    const Quality judged = judge(problem, *n, found.x);
    EXPECT_LE(error_of(judged, options.measure), 1.0001 * options.tolerance) << trial;
    EXPECT_NEAR(judged.objective, found.quality.objective,
                1e-12 * (1 + std::abs(judged.objective)));
    EXPECT_EQ(found.x, run_solver("auto", problem, options).x) << trial;
    // The same sweeps are measured one by one where a history is kept.
    options.keep_history = true;
    EXPECT_LE(run_solver("auto", problem, options).iterations, found.iterations) << trial;
  }
  EXPECT_GT(solved, 80);
}

TEST(Handful, AtOnceLeavesTheRestAlone) {
  FeasibleProblems problems(12);
  const ContactProblem problem = local(problems.make({.contacts = 6, .body_structure = true}));
  SolveOptions options;
  ASSERT_EQ(Status::converged, at_once(problem, options, 400).status);
  EXPECT_EQ("untouched", at_once(problem, options, 1).message);
  ContactProblem pyramids = problem;
  pyramids.friction = parse_friction_set("pyramid");
  EXPECT_EQ("untouched", at_once(pyramids, options, 400).message);
  options.max_iterations = 1;
  EXPECT_EQ("untouched", at_once(problem, options, 400).message);
  options = {};
  options.initial.assign(problem.size(), 0.1);
  EXPECT_EQ("untouched", at_once(problem, options, 400).message);
  options = {};
  options.keep_history = true;
  EXPECT_EQ("untouched", at_once(problem, options, 400).message);
  options = {};
  options.tolerance = 0;
  EXPECT_EQ("untouched", at_once(problem, options, 400).message);
}

} // namespace
} // namespace talus
