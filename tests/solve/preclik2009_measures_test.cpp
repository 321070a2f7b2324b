// The measures preclik2009 compares solvers by (figs. 3 and 4), as the history records them:
// velocity error against a reference and active-set changes per iteration.

#include "solver_checks.h"
#include "support/random_models.h"

#include <cmath>

namespace talus {
namespace {

using namespace test;

/// 0 separated, 1 on the boundary, 2 inside, for each contact of a box problem.
std::vector<int> states(const ContactProblem& problem, const Vector& x) {
  std::vector<int> result;
  for (Index c = 0; c < problem.contacts(); ++c) {
    const double bound = problem.mu[c] * problem.normal_estimate[c];
    const double friction = std::max(std::abs(x[3 * c + 1]), std::abs(x[3 * c + 2]));
    result.push_back(x[3 * c] <= 0 ? 0 : friction >= bound * (1 - 1e-9) ? 1 : 2);
  }
  return result;
}

TEST(Preclik2009Measures, RecordVelocityErrorsAndActiveSetChanges) {
  RandomProblems random(51);
  const ContactProblem problem = with_set(random.local(3, 30, 0), "box");
  SolveOptions options;
  options.tolerance = 1e-12;
  options.max_iterations = 1000;
  const Vector reference = run_solver("apgd", problem, options).u;
  options.keep_history = true;
  options.reference_velocity = reference;
  options.tolerance = 1e-8;
  for (const char* name : {"pgs", "bgs", "cpg"}) {
    const SolveResult result = run_solver(name, problem, options);
    ASSERT_EQ(Status::converged, result.status) << name;
    const auto& records = result.history.records;
    EXPECT_EQ(problem.contacts(), records.front().active_set_changes);
    EXPECT_EQ(0, records.back().active_set_changes);
    EXPECT_LT(records.back().velocity_error, 1e-6);
    EXPECT_GT(records.front().velocity_error, 0.01);

    // Against a run stopped after k iterations.
    std::vector<int> before(problem.contacts(), -1);
    for (long k = 0; k <= 5; ++k) {
      SolveOptions stopped;
      stopped.max_iterations = k;
      const SolveResult at_k = run_solver(name, problem, stopped);
      if (std::abs(at_k.quality.error - records[k].error) > 1e-9) break; // an earlier iterate won
      const std::vector<int> now = states(problem, at_k.x);
      Index changes = 0;
      for (Index c = 0; c < problem.contacts(); ++c) changes += now[c] != before[c];
      EXPECT_EQ(changes, records[k].active_set_changes) << name << " iteration " << k;
      before = now;
    }
  }
}

} // namespace
} // namespace talus
