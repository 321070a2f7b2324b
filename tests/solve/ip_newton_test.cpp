// The interior-point method of the exact law, its cones and its end game.

#include "solve/solver_checks.h"
#include "support/corpus.h"
#include "support/random_problems.h"
#include "talus/problem/problem_file.h"
#include "talus/solve/second_order_cone.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace talus {
namespace {

using test::expect_refused;
using test::expect_same_velocities;
using test::run_solver;
using test::with_set;
using testing::Random;
using testing::random_planar_problem;
using testing::random_rigid_problem;
using testing::uniform;

lorentz::Point random_inside(Random& random, int size) {
  lorentz::Point x{};
  double length = 0;
  for (int i = 1; i < size; ++i) {
    x[i] = uniform(random, -1, 1);
    length += x[i] * x[i];
  }
  x[0] = std::sqrt(length) + uniform(random, 0.01, 2);
  return x;
}

TEST(SecondOrderCone, ScalesBothPointsToTheSameOne) {
  Random random(7);
  for (int size : {1, 2, 3})
    for (int trial = 0; trial < 50; ++trial) {
      const lorentz::Point x = random_inside(random, size), y = random_inside(random, size);
      const lorentz::Scaling scaling = lorentz::nesterov_todd(x.data(), y.data(), size);
      double wx[3], wy[3], h[9];
      scaling.apply(x.data(), wx);
      scaling.apply_inverse(y.data(), wy);
      scaling.square(h);
      for (int i = 0; i < size; ++i) {
        EXPECT_NEAR(wx[i], wy[i], 1e-10);
        double hx = 0;
        for (int j = 0; j < size; ++j) hx += h[size * i + j] * x[j];
        EXPECT_NEAR(hx, y[i], 1e-9);
      }
    }
}

TEST(SecondOrderCone, DividesWhatItMultiplied) {
  Random random(8);
  for (int size : {1, 2, 3})
    for (int trial = 0; trial < 50; ++trial) {
      const lorentz::Point x = random_inside(random, size);
      double q[3] = {uniform(random, -1, 1), uniform(random, -1, 1), uniform(random, -1, 1)};
      double product[3], quotient[3];
      lorentz::multiply(x.data(), q, size, product);
      lorentz::divide(x.data(), product, size, quotient);
      for (int i = 0; i < size; ++i) EXPECT_NEAR(q[i], quotient[i], 1e-9);
    }
}

TEST(SecondOrderCone, StepsExactlyToTheBoundary) {
  Random random(9);
  int bounded = 0;
  for (int size : {1, 2, 3})
    for (int trial = 0; trial < 100; ++trial) {
      const lorentz::Point x = random_inside(random, size);
      double dx[3];
      for (double& value : dx) value = uniform(random, -1, 1);
      const double step = lorentz::largest_step(x.data(), dx, size);
      const auto inside = [&](double t) {
        double length = 0;
        for (int i = 1; i < size; ++i) length += std::pow(x[i] + t * dx[i], 2);
        return x[0] + t * dx[0] - std::sqrt(length);
      };
      if (std::isinf(step)) {
        EXPECT_GE(inside(1e6), 0);
        continue;
      }
      ++bounded;
      EXPECT_NEAR(inside(step), 0, 1e-9 * (1 + step));
      EXPECT_GT(inside(0.999 * step), 0);
    }
  EXPECT_GT(bounded, 100);
}

TEST(IpNewton, AgreesWithProxNewton) {
  Random random(21);
  for (Law law : {Law::coulomb, Law::associated})
    for (int trial = 0; trial < 8; ++trial) {
      // Few contacts per body: then velocities are unique under Coulomb's law, too.
      const ContactProblem problem =
          with_set(random_rigid_problem(
                       random, {.bodies = 8, .contacts = 9, .rows = trial % 3, .mu_high = 0.4}),
                   trial % 4 == 0 ? "none" : "cone", law);
      expect_same_velocities(problem, run_solver("ip-newton", problem),
                             run_solver("prox-newton", problem));
    }
  for (int trial = 0; trial < 8; ++trial) {
    const ContactProblem problem = with_set(random_planar_problem(random, 8, 9, 0.4), "cone");
    expect_same_velocities(problem, run_solver("ip-newton", problem),
                           run_solver("prox-newton", problem));
  }
}

TEST(IpNewton, FinishesWithNewton) {
  Random random(22);
  const ContactProblem problem =
      with_set(random_rigid_problem(random, {.bodies = 20, .contacts = 40, .mu_low = 0.2}), "cone");
  SolveOptions options;
  options.tolerance = 1e-12;
  options.keep_history = true;
  const SolveResult result = run_solver("ip-newton", problem, options);
  ASSERT_EQ(Status::converged, result.status) << result.message;
  bool switched = false;
  for (const IterationRecord& record : result.history.records)
    switched = switched || record.note.find("Newton") != std::string::npos;
  EXPECT_TRUE(switched);
  EXPECT_LT(result.iterations, 60);
}

TEST(IpNewton, NeedsFewIterationsOnPackings) {
  if (!testing::has_corpus()) GTEST_SKIP() << testing::no_corpus();
  const ContactProblem problem =
      read_problem((testing::corpus() / "chrono/C320_good.hdf5").string());
  const SolveResult result = run_solver("ip-newton", problem);
  EXPECT_EQ(Status::converged, result.status) << result.message;
  EXPECT_LT(result.iterations, 60); // gradient methods need tens of thousands
}

// Strong friction and few bodies: here and there the central path comes round again and again.
TEST(IpNewton, EndsWhereThePathGoesInCircles) {
  SolveOptions options;
  options.keep_history = true;
  int circles = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const ContactProblem problem =
        with_set(random_rigid_problem(
                     random, {.bodies = 4, .contacts = 6, .rows = 3, .mu_low = 0.5, .mu_high = 3}),
                 "cone");
    const SolveResult result = run_solver("ip-newton", problem, options);
    const auto& records = result.history.records;
    const auto noticed = std::ranges::find_if(records, [](const IterationRecord& record) {
      return record.note.find("goes in circles") != std::string::npos;
    });
    if (noticed == records.end()) continue;
    ++circles;
    // Sixty steps without a smaller error, then a dozen Newton steps from the best iterate.
    const auto best =
        std::ranges::min_element(records.begin(), noticed, {}, &IterationRecord::error);
    EXPECT_GE(noticed->iteration - best->iteration, 60);
    EXPECT_LE(noticed->iteration - best->iteration, 100); // Newton steps may lie between
    EXPECT_LE(result.iterations - noticed->iteration, 12);
    EXPECT_LE(result.quality.error, best->error * (1 + 1e-9));
    EXPECT_EQ(result.status == Status::converged, result.message.empty());
  }
  EXPECT_GT(circles, 0);
  EXPECT_LT(circles, 30) << "a path from start to end takes 15 to 40 steps";
}

TEST(IpNewton, RefusesWhatIsNoSecondOrderCone) {
  Random random(23);
  const ContactProblem problem = random_rigid_problem(random);
  expect_refused("ip-newton", with_set(problem, "box"), "box");
  ContactProblem motor = random_rigid_problem(random, {.rows = 2});
  motor.row_lower.assign(2, -1.0);
  motor.row_upper.assign(2, 1.0);
  expect_refused("ip-newton", with_set(motor, "cone"), "upper bound");
}

} // namespace
} // namespace talus
