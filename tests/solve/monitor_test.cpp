#include "support/random_problems.h"
#include "talus/core/error.h"
#include "talus/core/vector_ops.h"
#include "talus/solve/monitor.h"
#include "talus/solve/registry.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace talus {
namespace {

using test::Random;
using test::random_rigid_problem;

struct Tiny {
  ContactProblem problem;
  std::unique_ptr<DelassusOperator> n;
  ScaledProblem scaled;

  explicit Tiny(int seed) {
    Random random(seed);
    problem = random_rigid_problem(random, {.bodies = 2, .contacts = 3});
    n = make_operator(problem);
    scaled.assign(problem, *n);
  }
};

TEST(Monitor, KeepsAnUnmeasuredStartUntilAnIterateIsMeasured) {
  Tiny tiny(51);
  const SolveOptions options;
  Monitor monitor(tiny.scaled, options);
  const Vector start(tiny.scaled.size(), 0.0), not_finite(start.size(), std::nan(""));
  Vector next(start.size(), 0.0), u(start.size());
  EXPECT_TRUE(monitor.best().empty());
  monitor.begin_with(start);
  EXPECT_FALSE(monitor.measure(not_finite, not_finite));
  EXPECT_EQ(start, Vector(monitor.best().begin(), monitor.best().end()));

  next[0] = 1e-3;
  tiny.scaled.velocity(next, u);
  monitor.measure(next, u);
  EXPECT_EQ(next, Vector(monitor.best().begin(), monitor.best().end()));
  monitor.begin_with(start);
  EXPECT_EQ(next, Vector(monitor.best().begin(), monitor.best().end()));
}

TEST(Monitor, EndsTinyProblemsAtTheTimeLimit) {
  const Tiny tiny(52);
  SolveOptions options;
  options.time_limit = 1e-3;
  options.max_iterations = std::numeric_limits<long>::max();
  Monitor monitor(tiny.scaled, options);
  long iterations = 0;
  while (monitor.count_iteration()) ++iterations;
  EXPECT_EQ(Status::time_limit, monitor.status()) << iterations;
}

TEST(Monitor, CountsTimeFromTheGivenStart) {
  const Tiny tiny(53);
  SolveOptions options;
  options.time_limit = 60;
  const auto long_ago = Monitor::Clock::now() - std::chrono::hours(1);
  Monitor monitor(tiny.scaled, options, {}, long_ago);
  long iterations = 0;
  while (iterations < 1000 && monitor.count_iteration()) ++iterations;
  // A tiny problem looks at the clock only after some iterations.
  EXPECT_LT(iterations, 100);
  EXPECT_EQ(Status::time_limit, monitor.status());
}

/// The answer is the same whether the start is measured, which a history asks for, or not.
TEST(Monitor, StartsFromZeroWithoutMeasuring) {
  const Tiny tiny(54);
  SolveOptions options;
  options.tolerance = 1e-6;
  for (const char* name : {"nsgs", "nncg", "ansgs"}) {
    const auto solver = make_solver(name);
    const SolveResult plain = solve(*solver, tiny.problem, options);
    options.keep_history = true;
    const SolveResult recorded = solve(*solver, tiny.problem, options);
    options.keep_history = false;
    EXPECT_EQ(Status::converged, plain.status) << name;
    EXPECT_EQ(Status::converged, recorded.status) << name;
    EXPECT_EQ(0, recorded.history.records.front().iteration) << name;
    EXPECT_GE(plain.iterations, recorded.iterations) << name;
  }
}

/// Shows the monitor zero impulses with velocities that would make them a solution.
class Deceiver : public Solver {
public:
  Deceiver() { info_.name = "deceiver"; }
  const SolverInfo& info() const override { return info_; }
  void run(ScaledProblem& problem, Span z, Monitor& monitor) override {
    fill(z, 0.0);
    Vector u(problem.size(), 0.0);
    for (Index c = 0; c < problem.contacts(); ++c) u[3 * c] = 1;
    EXPECT_FALSE(monitor.proceed(z, u));
    EXPECT_EQ(Status::converged, monitor.status());
  }

private:
  SolverInfo info_;
};

TEST(Solve, BelievesTheAnswerAndNotTheSolver) {
  const Tiny tiny(56);
  Deceiver deceiver;
  for (const Measure measure : {Measure::talus, Measure::fclib}) {
    SolveOptions options;
    options.measure = measure;
    const SolveResult result = solve(deceiver, tiny.problem, options);
    EXPECT_EQ(Status::stalled, result.status);
    EXPECT_NE(std::string::npos, result.message.find("but the judged error is"));
    EXPECT_DOUBLE_EQ(1, result.quality.error);
  }
  // And the other way round: what is good enough has converged, whatever the solver says.
  SolveOptions options;
  options.tolerance = 1;
  options.max_iterations = 0;
  EXPECT_EQ(Status::converged, solve(*make_solver("nsgs"), tiny.problem, options).status);
}

TEST(SolveOptions, WithoutMeaningAreRefused) {
  const Tiny tiny(55);
  const auto solver = make_solver("nsgs");
  const auto refused = [&](auto change) {
    SolveOptions options;
    options.max_iterations = 10;
    options.keep_history = true;
    change(options);
    EXPECT_THROW(solve(*solver, tiny.problem, options), InvalidArgument);
  };
  refused([](SolveOptions& o) { o.tolerance = -1e-8; });
  refused([](SolveOptions& o) { o.tolerance = std::nan(""); });
  refused([](SolveOptions& o) { o.time_limit = -1; });
  refused([](SolveOptions& o) { o.time_limit = std::nan(""); });
  refused([](SolveOptions& o) { o.max_iterations = -1; });
  refused([](SolveOptions& o) { o.initial = {1, 2}; });
  refused([](SolveOptions& o) { o.reference_velocity = {1, 2}; });
}

} // namespace
} // namespace talus
