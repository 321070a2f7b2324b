#include "solver_checks.h"
#include "support/random_models.h"
#include "support/random_problems.h"

namespace talus {
namespace {

using namespace test;
using test::Random;
using test::random_rigid_problem;

const char* const every_set[] = {"none",         "box",      "pyramid", "prism:6",
                                 "polyhedron:8", "cylinder", "cone"};

TEST(Pgs, AgreesWithNsgsOnEverySetHoweverItSweeps) {
  RandomProblems random(17);
  for (const char* set : every_set)
    for (int trial = 0; trial < 8; ++trial) {
      const ContactProblem problem = with_set(
          random.local(trial % 2 ? 3 : 2, random.integer(1, 8), random.integer(0, 2)), set);
      const SolveResult expected = run_solver("nsgs", problem);
      for (const OptionList& options :
           {OptionList{}, OptionList{{"bounds", "outer"}}, OptionList{{"omega", "0.7"}},
            OptionList{{"omega", "1.2"}}, OptionList{{"sweep", "backward"}},
            OptionList{{"sweep", "symmetric"}},
            OptionList{{"bounds", "outer"}, {"sweep", "symmetric"}, {"omega", "1.2"}}})
        expect_same_velocities(problem, run_solver("pgs", problem, {}, options), expected);
    }
}

TEST(Pgs, ReachesConesThroughAnOuterFixedPointOfFixedBounds) {
  Random random(18);
  for (const char* set : {"pyramid", "polyhedron:8", "cone"}) {
    const ContactProblem problem =
        with_set(random_rigid_problem(random, {.bodies = 8, .contacts = 12, .mu_high = 0.5}), set);
    const SolveResult outer = run_solver("pgs", problem, {}, {{"bounds", "outer"}});
    const SolveResult in_sweep = run_solver("pgs", problem);
    EXPECT_EQ(Status::converged, outer.status) << set << ": " << outer.message;
    EXPECT_EQ(Status::converged, in_sweep.status) << set << ": " << in_sweep.message;
    EXPECT_GT(outer.outer_iterations, 1) << set;
    EXPECT_EQ(0, in_sweep.outer_iterations) << set;

    // At the fixed point the answer solves the problem with the bounds it implies.
    ContactProblem fixed = problem;
    fixed.friction.kind = with_fixed_bound(problem.friction.kind);
    for (Index c = 0; c < problem.contacts(); ++c)
      fixed.normal_estimate.push_back(std::max(0.0, outer.x[3 * c]));
    EXPECT_LT(judge(fixed, *make_operator(fixed), outer.x).error, 1e-7) << set;
    expect_same_velocities(fixed, run_solver("apgd", fixed), outer, 1e-6);
  }
}

TEST(Pgs, SweepsInTheOrderItIsTold) {
  // On the reversed problem a backward sweep does what a forward one does on the problem itself.
  RandomProblems random(19);
  const Index contacts = 6;
  const ContactProblem problem = with_set(random.local(3, contacts, 0), "cone");
  ContactProblem reversed = problem;
  const auto& model = std::get<LocalModel>(problem.model);
  auto& mirror = std::get<LocalModel>(reversed.model);
  const auto moved = [&](Index row) { return 3 * (contacts - 1 - row / 3) + row % 3; };
  std::vector<Triplet> entries;
  for (Index i = 0; i < model.W.rows; ++i)
    for (Index k = model.W.row_start[i]; k < model.W.row_start[i + 1]; ++k)
      entries.push_back({moved(i), moved(model.W.column[k]), model.W.value[k]});
  mirror.W = from_triplets(3 * contacts, 3 * contacts, std::move(entries));
  for (Index i = 0; i < 3 * contacts; ++i) mirror.q[moved(i)] = model.q[i];
  for (Index c = 0; c < contacts; ++c) reversed.mu[contacts - 1 - c] = problem.mu[c];
  SolveOptions options;
  options.max_iterations = 3;
  for (const auto& [order, opposite] :
       {std::pair("forward", "backward"), {"backward", "forward"}}) {
    const Vector x = run_solver("pgs", problem, options, {{"sweep", order}}).x;
    const Vector y = run_solver("pgs", reversed, options, {{"sweep", opposite}}).x;
    for (Index i = 0; i < 3 * contacts; ++i) EXPECT_NEAR(x[i], y[moved(i)], 1e-12) << order;
  }
  const SolveResult symmetric = run_solver("pgs", problem, options, {{"sweep", "symmetric"}});
  EXPECT_EQ(2 * symmetric.iterations, symmetric.products);
}

TEST(Pgs, RefusesTheAssociatedLaw) {
  RandomProblems random(20);
  expect_coulomb_only("pgs", random.local(3, 2, 0), {}, "cone");
}

} // namespace
} // namespace talus
