#include "solver_checks.h"
#include "support/random_models.h"

namespace talus {
namespace {

using namespace test;

/// W with diagonal blocks that are diagonal, as for homogeneous spheres.
ContactProblem sphere_like(RandomProblems& random, Index contacts) {
  ContactProblem problem = random.local(3, contacts, 0);
  auto& W = std::get<LocalModel>(problem.model).W;
  for (Index i = 0; i < W.rows; ++i)
    for (Index k = W.row_start[i]; k < W.row_start[i + 1]; ++k)
      if (W.column[k] != i && W.column[k] / 3 == i / 3) W.value[k] = 0;
  return problem;
}

TEST(Bgs, AgreesWithTotalEnumerationOnRandomSmallProblems) {
  RandomProblems random(11);
  for (const char* set : {"none", "box", "pyramid"})
    for (int trial = 0; trial < 12; ++trial) {
      const ContactProblem problem = with_set(
          random.local(trial % 2 ? 3 : 2, random.integer(1, 3), random.integer(0, 2)), set);
      expect_same_velocities(problem, run_solver("bgs", problem),
                             run_solver("enumeration", problem));
    }
}

TEST(Bgs, AgreesWithNsgsOnRigidBodies) {
  RandomProblems random(12);
  for (const char* set : {"none", "box", "pyramid"})
    for (int trial = 0; trial < 6; ++trial) {
      const ContactProblem problem = with_set(random.global(3, 6, 24, trial % 3), set);
      SolveOptions options;
      options.max_iterations = 100000;
      expect_same_velocities(problem, run_solver("bgs", problem, options),
                             run_solver("nsgs", problem, options), 1e-5);
    }
}

TEST(Bgs, EqualsComponentwiseSweepsOnSpheres) {
  // preclik2009 sec. 4: for spherical bodies the componentwise and the contactwise method are
  // identical.
  RandomProblems random(13);
  for (const char* set : {"none", "box", "pyramid"}) {
    const ContactProblem problem = with_set(sphere_like(random, 8), set);
    for (long sweeps = 1; sweeps <= 8; ++sweeps) {
      SolveOptions options;
      options.max_iterations = sweeps;
      const Vector a = run_solver("bgs", problem, options).x;
      const Vector b = run_solver("pgs", problem, options).x;
      EXPECT_LT(distance(a, b), 1e-12 * norm(b)) << set << " after " << sweeps;
    }
  }
}

TEST(Bgs, ReachesThePyramidThroughAnOuterLoopOfBoxes) {
  RandomProblems random(14);
  for (int trial = 0; trial < 6; ++trial) {
    const ContactProblem problem = with_set(random.local(trial % 2 ? 3 : 2, 5, 1), "pyramid");
    for (const char* name : {"bgs", "pgs"}) {
      const SolveResult outer = run_solver(name, problem, {}, {{"bounds", "outer"}});
      EXPECT_GT(outer.outer_iterations, 1);
      expect_same_velocities(problem, outer, run_solver(name, problem));
    }
  }
}

TEST(Bgs, SurvivesDegenerateContacts) {
  RandomProblems random(15);
  for (const double mu : {0.0, 0.5, 10.0})
    for (const char* set : {"none", "box", "pyramid"}) {
      // Every contact twice: W = [A A; A A] is singular.
      const ContactProblem half = random.local(3, 3, 0);
      const auto& model = std::get<LocalModel>(half.model);
      std::vector<Triplet> entries;
      for (Index i = 0; i < model.W.rows; ++i)
        for (Index k = model.W.row_start[i]; k < model.W.row_start[i + 1]; ++k)
          for (Index copy = 0; copy < 4; ++copy)
            entries.push_back(
                {i + 9 * (copy / 2), model.W.column[k] + 9 * (copy % 2), model.W.value[k]});
      ContactProblem problem = with_set(half, set);
      problem.mu.assign(6, mu);
      if (!problem.normal_estimate.empty()) problem.normal_estimate.assign(6, 0.3);
      LocalModel doubled;
      doubled.W = from_triplets(18, 18, entries);
      doubled.q = model.q;
      doubled.q.insert(doubled.q.end(), model.q.begin(), model.q.end());
      problem.model = doubled;
      SolveOptions options;
      options.max_iterations = 20000;
      const SolveResult result = run_solver("bgs", problem, options);
      EXPECT_TRUE(all_finite(result.x));
      if (mu < 1) {
        EXPECT_EQ(Status::converged, result.status) << set << " " << result.message;
      }
    }
}

TEST(Bgs, RefusesWhatItDoesNotSolve) {
  RandomProblems random(16);
  expect_coulomb_only("bgs", random.local(3, 2, 0), {"prism", "polyhedron", "cylinder", "cone"},
                      "pyramid");
}

} // namespace
} // namespace talus
