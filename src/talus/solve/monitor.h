#pragma once
// The referee of a running solver: measures the iterate, records history, keeps the best iterate,
// and says when to stop. Solvers own no stop test:
//
//     while (monitor.proceed(z, u)) { one iteration }
//
// where u is the scaled velocity at z, which gradient methods have at hand. Measuring costs one
// projection pass.

#include "talus/problem/scaled_problem.h"
#include "talus/solve/solver.h"

#include <chrono>

namespace talus {

class Monitor {
public:
  Monitor(const ScaledProblem& problem, const SolveOptions& options);

  /// Counts the iterate z with velocity u (the start counts as iteration 0). False when converged,
  /// out of iterations or time, not finite, or stalled: then status() says which.
  bool proceed(ConstSpan z, ConstSpan u);

  /// For methods that do not have u at hand (Gauss-Seidel): counts an iteration without measuring;
  /// false when out of iterations or time.
  bool count_iteration();
  /// Measures z, u without counting; false if converged. Follows count_iteration().
  bool measure(ConstSpan z, ConstSpan u);

  /// Attaches a remark to the next record.
  void note(std::string text);
  /// A method that cannot go on says why.
  void stall(std::string reason);

  Status status() const { return status_; }
  const std::string& message() const { return message_; }
  long iterations() const { return iterations_; }
  long outer_iterations() const { return outer_iterations_; }
  double error() const { return error_; }
  double tolerance() const { return tolerance_; }

  /// The best iterate seen and its error (infinite before the first measure).
  ConstSpan best() const { return best_; }
  double best_error() const { return best_error_; }

  /// Inner solves of the fixed point: while nested, the monitor drives the error of the given
  /// (convex) problem below `tolerance` and keeps no best iterate; iterations and time still count
  /// towards the limits.
  void begin_inner(const ScaledProblem& inner, double tolerance);
  /// Ends an inner solve. False when a limit was hit inside.
  bool end_inner();

  History take_history() { return std::move(history_); }

private:
  using Clock = std::chrono::steady_clock;
  bool within_limits();
  void record(ConstSpan z, ConstSpan u);
  double elapsed() const;

  const ScaledProblem* problem_;
  const ScaledProblem* inner_ = nullptr;
  const SolveOptions& options_;
  double tolerance_, inner_tolerance_ = 0;
  Status status_ = Status::iteration_limit;
  std::string message_, note_;
  long iterations_ = -1, outer_iterations_ = 0;
  double error_, best_error_;
  Vector best_;
  History history_;
  std::vector<signed char> states_;
  Clock::time_point start_;
  double recording_seconds_ = 0;
};

} // namespace talus
