#pragma once
// The referee of a running solver: measures the iterate, records history, keeps the best iterate,
// and says when to stop. Solvers own no stop test:
//
//     while (monitor.proceed(z, u)) { one iteration }
//
// where u is the scaled velocity at z, which gradient methods have at hand. Measuring costs one
// projection pass.

#include "talus/core/stop_test.h"
#include "talus/problem/scaled/scaled_problem.h"
#include "talus/solve/cost_model.h"
#include "talus/solve/solver.h"

#include <chrono>
#include <limits>
#include <optional>

namespace talus {

/// When a method that is one of several should make room for the next (Monitor::begin_phase). All
/// in products with N, so that the decision depends neither on the clock nor on threads.
struct PhaseLimits {
  long products = 0; ///< At most so many.
  /// From so many on, the phase ends when, at the rate of its last half, the tolerance is farther
  /// away than `horizon`.
  long trial = 0;
  long horizon = 0;
};

class Monitor {
public:
  /// `storage` is memory for best iterates, given back by take_storage().
  struct Storage {
    Vector best, subproblem_best;
  };
  using Clock = std::chrono::steady_clock;
  /// Times are counted from `start` on.
  Monitor(const ScaledProblem& problem, const SolveOptions& options, Storage storage = {},
          Clock::time_point start = Clock::now());
  Storage take_storage() { return {std::move(main_.best), std::move(sub_.best)}; }

  /// Measures the iterate z with velocity u and counts it (the start is iteration 0). False when it
  /// is good enough, when iterations or time are used up, when it is not finite, when its impulses
  /// have outgrown largest_relative_size or when progress has stopped: status() says which. The
  /// products that max_products allows are a limit like time.
  bool proceed(ConstSpan z, ConstSpan u);

  /// True when the error is |z - P(z - u)| / reference() of the problem as it stands, which fused
  /// passes can sum up themselves (ScaledProblem::squared_residual of the subproblem).
  bool measures_plain_residual() const {
    return in_subproblem_ || (options_.measure == Measure::talus && !problem_->is_tilted());
  }
  /// proceed() for a method that has already measured the error which measures_plain_residual()
  /// speaks of.
  bool proceed(ConstSpan z, ConstSpan u, double error);

  /// For long work between iterations (set-up, factorisations): true when the caller wants the
  /// solve to end, by SolveOptions::stop, max_products or the time limit. It stays true, and
  /// status() is then `stopped`, `product_limit` or `time_limit` whatever a method says on its way
  /// out, unless what it leaves is good enough.
  bool must_stop();
  /// must_stop() for linear algebra that knows no monitor. Valid as long as the monitor.
  StopTest stop_test() {
    return [this] { return must_stop(); };
  }

  /// For methods without u at hand (Gauss-Seidel): counts an iteration, measures nothing. False at
  /// a limit.
  bool count_iteration();
  /// Makes z, which need not be measured, the best iterate until one is.
  void begin_with(ConstSpan z);
  /// Measures z, u without counting. False when good enough, not finite or without progress.
  bool measure(ConstSpan z, ConstSpan u);
  /// True when the error is ScaledProblem::error_of the whole problem and nobody asks for
  /// velocities: a method may then measure itself, without a vector of them.
  bool needs_residual_only() const {
    return options_.measure == Measure::talus && !options_.keep_history && !in_subproblem_;
  }
  /// measure() with that error.
  bool measure(ConstSpan z, double error) { return judge(z, {}, error); }
  /// Measures the answer of a method that a limit has ended; the status changes only if it is good
  /// enough after all.
  void measure_last(ConstSpan z, ConstSpan u);
  void measure_last(ConstSpan z, double error) { judge_last(z, {}, error); }
  /// True when every iteration is to be measured because the caller keeps the history.
  bool wants_every_iteration() const { return options_.keep_history; }
  const SolveOptions& options() const { return options_; }

  /// Remark for the next record of the history; nothing where none is kept.
  void note(std::string_view text);
  /// A method that cannot go on says why.
  void stall(std::string reason);

  /// The parts of the problem have used up their shares of max_products: ends all phases.
  void end_at_product_limit() { interrupt(Status::product_limit); }
  /// The problem proved to be one that a method does not admit: ends all phases.
  void declare_unsupported(std::string reason);
  /// A method has proved that the problem has no solution (contradiction.h): ends all phases.
  void declare_infeasible();

  /// Between these calls the monitor drives the frozen subproblem (ScaledProblem::freeze_tilt
  /// or freeze_bounds) to `tolerance`, with a best iterate of its own. Iterations and time count as
  /// always.
  void begin_subproblem(double tolerance);
  /// Hands over the subproblem's best iterate. False when a limit ended it.
  bool end_subproblem(Span z);

  /// Products and factorisations so far (CostModel::work), those of solves within this one
  /// included.
  long work() const;
  /// Products that max_products and the phase leave; a huge number where neither is limited.
  long products_left() const;
  /// max_products for a solve within this one: what is left of it, at least 1, or 0 for none.
  long budget_left() const;
  /// Options for a solve within this one: the stop flag, the products, the time and the iterations
  /// that are left, and a tolerance on the Talus measure.
  SolveOptions options_within(double tolerance) const;
  /// Makes z the answer whatever its error: for methods whose last iterate has a property that a
  /// smaller error does not promise.
  void set_final_answer(ConstSpan z) { final_answer_.assign(z.begin(), z.end()); }
  /// Until end_phase() the monitor also stops a method at the limits, and judges its progress
  /// without what happened before.
  void begin_phase(const PhaseLimits& limits);
  /// True when the run goes on: the phase ended at its own limits or because the method could not
  /// go on. phase_end() says which, in words for the history.
  bool end_phase();
  std::string phase_end() const { return message(); }

  /// Counts the iterations and the work of solves within this one, the latter in products with the
  /// N of this one.
  void add_solves(long iterations, long work) {
    iterations_ = std::max(0L, iterations_) + iterations;
    work_within_ += work;
  }

  Status status() const { return status_; }
  std::string message() const;
  long iterations() const { return std::max(0L, iterations_); }
  long outer_iterations() const { return outer_iterations_; }
  /// The tolerance being driven to: the subproblem's own within one.
  double tolerance() const { return level().tolerance; }
  /// Error at the last measure.
  double error() const { return level().error; }
  /// The best iterate measured so far, or the one insisted on; empty before the first.
  ConstSpan best() const { return final_answer_.empty() ? main_.best : final_answer_; }
  double best_error() const { return main_.best_error; }

  History take_history() { return std::move(history_); }

private:
  /// The state of one drive to a tolerance: the problem's own, or a frozen subproblem's.
  struct Level {
    double tolerance = 0;
    double error = std::numeric_limits<double>::infinity();
    double best_error = std::numeric_limits<double>::infinity();
    Vector best;
    double milestone_error = std::numeric_limits<double>::infinity();
    long milestone = 0;     ///< Iteration at which the error last fell clearly.
    int measures_since = 0; ///< Measures since then.
  };
  /// A phase, and the products and the error at about half of it.
  struct Phase {
    PhaseLimits limits;
    long begin = 0;
    long half = 0, next_half = 0;
    double half_error = 0, next_half_error = 0;
  };
  /// Limits that ended a phase, put in words when somebody asks: repeated solves shall not
  /// allocate.
  struct PhaseEnd {
    long products = 0;
    double slow_error = 0; ///< 0 when all products were used.
  };
  bool phase_is_over();
  bool finish_phase(PhaseEnd end);
  /// must_stop() once per iteration: reading the clock takes as long as an iteration on a handful
  /// of contacts, which then share it.
  bool is_interrupted();
  bool stop_is_set() const;
  bool products_are_used() const;
  bool interrupt(Status reason);
  Level& level() { return in_subproblem_ ? sub_ : main_; }
  const Level& level() const { return in_subproblem_ ? sub_ : main_; }
  /// Counts the iterate; false at a limit.
  bool count_iterate();
  double measured(ConstSpan z, ConstSpan u) const;
  /// The error, raised to what the size of z lets one say.
  double certified(ConstSpan z, double error);
  bool judge(ConstSpan z, ConstSpan u, double error);
  void judge_last(ConstSpan z, ConstSpan u, double error);
  bool judge_progress(ConstSpan z);
  void record(ConstSpan z, ConstSpan u);
  /// Since the start, time spent on recording excluded.
  double seconds_at(Clock::time_point time) const;
  bool finish(Status status, std::string message);

  const ScaledProblem* problem_;
  const SolveOptions& options_;
  CostModel cost_;
  Level main_, sub_;
  bool in_subproblem_ = false;
  Vector final_answer_;
  std::optional<Phase> phase_;
  std::optional<PhaseEnd> phase_end_; ///< Stands for the message.
  bool count_next_ = true;
  long measures_ = 0;
  bool impulses_outgrew_ = false; ///< When they were last looked at.
  Status status_ = Status::stalled;
  std::optional<Status> interruption_; ///< `stopped`, `product_limit` or `time_limit`, once met.
  std::string message_, note_;
  long iterations_ = -1, outer_iterations_ = 0;
  long work_within_ = 0;
  long look_at_clock_ = 0; ///< Iteration.
  History history_;
  std::vector<signed char> states_;
  Vector products_;
  Clock::time_point start_;
  Clock::duration recording_{}; ///< Whole ticks: sums of doubles would not stay in order.
};

} // namespace talus
