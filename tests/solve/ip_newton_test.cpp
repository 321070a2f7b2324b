// The interior-point method of the exact law, its cones and its end game.

#include "solve/solver_checks.h"
#include "support/corpus.h"
#include "support/random_problems.h"
#include "talus/contact/second_order_cone.h"
#include "talus/problem/files/problem_file.h"
#include "talus/solve/central_path/central_path_follower.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace talus {
namespace {

using test::expect_refused;
using test::expect_same_velocities;
using test::Random;
using test::random_planar_problem;
using test::random_rigid_problem;
using test::run_solver;
using test::uniform;
using test::with_set;

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
  for (const char* name : {"settling_balls.hdf5", "hourglass_neck.hdf5", "card_house.hdf5"}) {
    const SolveResult result = run_solver("ip-newton", read_problem(test::own_file(name)));
    EXPECT_EQ(Status::converged, result.status) << name << ": " << result.message;
    EXPECT_LT(result.iterations, 30) << name; // gradient methods need thousands
  }
}

// Strong friction and few bodies: here and there the central path comes round again and again.
/// A path that visits recorded points, again and again.
class RecordedPath {
public:
  RecordedPath(const ScaledProblem& problem, std::vector<Vector> points)
      : problem_(problem), points_(std::move(points)) {}
  PathOutcome step(Span z, Span u, Monitor& monitor) {
    copy(points_[steps_++ % points_.size()], z);
    problem_.velocity(z, u);
    return monitor.proceed(z, u) ? PathOutcome::moved : PathOutcome::stopped;
  }
  std::size_t steps() const { return steps_; }

private:
  const ScaledProblem& problem_;
  std::vector<Vector> points_;
  std::size_t steps_ = 0;
};

TEST(IpNewton, EndsWhereThePathGoesInCircles) {
  Random random(7);
  const ContactProblem problem = with_set(random_rigid_problem(random), "cone");
  const auto n = make_operator(problem);
  const ScaledProblem scaled(problem, *n);
  std::vector<Vector> points;
  for (const double size : {0.0, 0.1, 0.02}) points.emplace_back(scaled.size(), size);
  RecordedPath path(scaled, points);
  SolveOptions options;
  options.keep_history = true;
  Monitor monitor(scaled, options);
  Vector z(scaled.size(), 0.0), u(scaled.size());
  constexpr int most_idle = 60;
  NewtonFinish no_newton;
  no_newton.steps = 0;
  EXPECT_TRUE(
      follow_and_finish(path, PathPersistence{most_idle, 1e-2}, scaled, no_newton, z, u, monitor));
  // The best of the three points comes once in the first round; from then on nothing is better.
  const History history = monitor.take_history();
  const auto& records = history.records;
  const auto best = std::ranges::min_element(records, {}, &IterationRecord::error);
  EXPECT_LT(best - records.begin(), 3);
  EXPECT_EQ(static_cast<std::size_t>(best - records.begin()) + most_idle + 1, path.steps());
  EXPECT_EQ(best->error, monitor.best_error());
  EXPECT_TRUE(std::ranges::equal(monitor.best(), z));
}

TEST(IpNewton, TriesNewtonStepsFromTheBestPointOfAPathInCircles) {
  Random random(7);
  const ContactProblem problem = with_set(random_rigid_problem(random), "cone");
  const auto n = make_operator(problem);
  const ScaledProblem scaled(problem, *n);
  const SolveResult solution = run_solver("prox-newton", problem);
  ASSERT_EQ(Status::converged, solution.status);
  Vector near(scaled.size());
  scaled.to_scaled(solution.x, near);
  for (double& entry : near) entry *= 1 + 1e-4;
  RecordedPath path(scaled, {Vector(scaled.size(), 0.0), near});
  const SolveOptions options;
  Monitor monitor(scaled, options);
  Vector z(scaled.size(), 0.0), u(scaled.size());
  NewtonFinish finish;
  finish.error = 0; // only when the path is lost
  EXPECT_FALSE(follow_and_finish(path, PathPersistence{10, 1e-2}, scaled, finish, z, u, monitor));
  EXPECT_EQ(Status::converged, monitor.status());
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
