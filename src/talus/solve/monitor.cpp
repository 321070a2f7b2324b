#include "talus/solve/monitor.h"

#include "talus/core/elementary.h"
#include "talus/core/vector_ops.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace talus {
namespace {

/// No progress: the error has not fallen below `clear_progress` of its value during the last half
/// of all iterations, at least `patience` of them and `patient_measures` measures.
constexpr double clear_progress = 0.99;
constexpr long patience = 2000;
constexpr int patient_measures = 12;
/// Iterations share a look at the clock until they have worked on so many entries.
constexpr long entries_per_look = 256;
/// Measures between two looks at the size of the impulses.
constexpr long measures_per_size = 16;

} // namespace

Monitor::Monitor(const ScaledProblem& problem, const SolveOptions& options, Storage storage,
                 Clock::time_point start)
    : problem_(&problem), options_(options), cost_(problem), start_(start) {
  look_at_clock_ = entries_per_look / std::max<long>(1, problem.size());
  main_.tolerance = options.tolerance;
  main_.best = std::move(storage.best);
  main_.best.clear();
  sub_.best = std::move(storage.subproblem_best);
  if (options.keep_history) states_.assign(problem.contacts(), -1);
}

double Monitor::seconds_at(Clock::time_point time) const {
  return std::chrono::duration<double>(time - start_ - recording_).count();
}

void Monitor::note(std::string_view text) {
  if (!options_.keep_history) return;
  if (!note_.empty()) note_ += "; ";
  note_ += text;
}

std::string Monitor::message() const {
  if (!phase_end_) return message_;
  if (phase_end_->slow_error == 0) return fmt::format("{} products used", phase_end_->products);
  return fmt::format("error {:.2g} after {} products, too slow", phase_end_->slow_error,
                     phase_end_->products);
}

bool Monitor::finish(Status status, std::string message) {
  if (interruption_ && status != Status::converged) {
    status = *interruption_;
    message = status == Status::stopped         ? "stopped by the caller"
              : status == Status::product_limit ? fmt::format("{} products used", work())
                                                : fmt::format("{} s used", options_.time_limit);
  }
  status_ = status;
  phase_end_.reset();
  message_ = std::move(message);
  return false;
}

void Monitor::stall(std::string reason) {
  finish(Status::stalled, std::move(reason));
}

void Monitor::declare_unsupported(std::string reason) {
  finish(Status::unsupported, std::move(reason));
}

void Monitor::declare_infeasible() {
  finish(Status::infeasible, "contacts contradict each other");
}

long Monitor::work() const {
  return cost_.work(*problem_) + work_within_;
}

long Monitor::products_left() const {
  long left = std::numeric_limits<long>::max();
  if (options_.max_products > 0) left = std::max(0L, options_.max_products - work());
  if (phase_)
    left = std::min(left, phase_->limits.products - (problem_->products() - phase_->begin));
  return left;
}

long Monitor::budget_left() const {
  return options_.max_products > 0 ? std::max(1L, options_.max_products - work()) : 0;
}

bool Monitor::products_are_used() const {
  return options_.max_products > 0 && work() >= options_.max_products;
}

SolveOptions Monitor::options_within(double tolerance) const {
  SolveOptions options;
  options.tolerance = tolerance;
  options.stop = options_.stop;
  options.max_iterations = std::max(1L, options_.max_iterations - iterations());
  options.max_products = budget_left();
  if (options_.time_limit > 0)
    options.time_limit = std::max(1e-6, options_.time_limit - seconds_at(Clock::now()));
  return options;
}

/// Over ranks the flag would be seen in different iterations: callers look at it between solves.
bool Monitor::stop_is_set() const {
  return !problem_->division() && options_.stop && options_.stop->load(std::memory_order_relaxed);
}

bool Monitor::interrupt(Status reason) {
  interruption_ = reason;
  finish(reason, "");
  return true;
}

bool Monitor::must_stop() {
  if (interruption_) return interrupt(*interruption_);
  if (stop_is_set()) return interrupt(Status::stopped);
  if (products_are_used()) return interrupt(Status::product_limit);
  if (options_.time_limit > 0 && seconds_at(Clock::now()) > options_.time_limit)
    return interrupt(Status::time_limit);
  return false;
}

bool Monitor::is_interrupted() {
  const bool looks =
      interruption_ || stop_is_set() || products_are_used() || iterations_ + 1 >= look_at_clock_;
  if (!looks) return false;
  look_at_clock_ = iterations_ + 1 + entries_per_look / std::max<long>(1, problem_->size());
  return must_stop();
}

bool Monitor::count_iteration() {
  if (iterations_ >= options_.max_iterations)
    return finish(Status::iteration_limit,
                  fmt::format("{} iterations used", options_.max_iterations));
  if (is_interrupted()) return false;
  ++iterations_;
  return true;
}

bool Monitor::count_iterate() {
  // The start of a subproblem is the end of the previous one: it is measured, not counted again.
  if (iterations_ < 0)
    iterations_ = 0;
  else if (count_next_ ? !count_iteration() : is_interrupted())
    return false;
  count_next_ = true;
  return true;
}

bool Monitor::proceed(ConstSpan z, ConstSpan u) {
  if (count_iterate()) return measure(z, u);
  measure_last(z, u);
  return false;
}

bool Monitor::proceed(ConstSpan z, ConstSpan u, double error) {
  if (count_iterate()) return judge(z, u, error);
  measure_last(z, u);
  return false;
}

void Monitor::begin_with(ConstSpan z) {
  if (level().best.empty()) level().best.assign(z.begin(), z.end());
}

double Monitor::measured(ConstSpan z, ConstSpan u) const {
  return in_subproblem_ ? problem_->frozen_error(z, u) : problem_->error(z, u, options_.measure);
}

bool Monitor::measure(ConstSpan z, ConstSpan u) {
  return judge(z, u, measured(z, u));
}

bool Monitor::judge(ConstSpan z, ConstSpan u, double error) {
  level().error = certified(z, error);
  if (options_.keep_history) record(z, u);
  note_.clear();
  return judge_progress(z);
}

/// The size is looked at where it decides, and now and then: it costs a pass over z.
double Monitor::certified(ConstSpan z, double error) {
  impulses_outgrew_ = false;
  const bool claims_success = error <= level().tolerance;
  if (!claims_success && ++measures_ % measures_per_size != 0) return error;
  const double size = problem_->relative_size(z);
  impulses_outgrew_ = size > largest_relative_size;
  const double resolution = std::numeric_limits<double>::epsilon() * size;
  if (options_.measure == Measure::talus && error < resolution) error = resolution;
  // Whatever the measure says of impulses that large, they are no answer.
  if (impulses_outgrew_ && error <= level().tolerance) error = std::max(resolution, 1.0);
  return error;
}

void Monitor::measure_last(ConstSpan z, ConstSpan u) {
  judge_last(z, u, measured(z, u));
}

void Monitor::judge_last(ConstSpan z, ConstSpan u, double error) {
  if (interruption_) interrupt(*interruption_); // a subproblem may have said something else
  const Status status = status_;
  std::string message = message_;
  judge(z, u, error);
  if (status_ != Status::converged) finish(status, std::move(message));
}

bool Monitor::judge_progress(ConstSpan z) {
  Level& current = level();
  if (!std::isfinite(current.error)) return finish(Status::stalled, "the iterate is not finite");
  if (impulses_outgrew_)
    return finish(Status::stalled, fmt::format("the impulses grow beyond {:.0e} times those that "
                                               "stop each contact on its own",
                                               largest_relative_size));
  if (current.error < current.best_error) {
    current.best_error = current.error;
    current.best.assign(z.begin(), z.end());
  }
  if (current.error <= current.tolerance) return finish(Status::converged, "");
  if (current.error < clear_progress * current.milestone_error) {
    current.milestone_error = current.error;
    current.milestone = iterations_;
    current.measures_since = 0;
  } else if (++current.measures_since > patient_measures &&
             iterations_ - current.milestone > std::max(patience, iterations_ / 2)) {
    return finish(Status::stalled, fmt::format("no progress since iteration {} (error {:.3g})",
                                               current.milestone, current.best_error));
  }
  return !phase_is_over();
}

void Monitor::begin_phase(const PhaseLimits& limits) {
  phase_ = Phase{.limits = limits};
  phase_->begin = phase_->half = phase_->next_half = problem_->products();
  phase_->half_error = phase_->next_half_error = main_.error;
  main_.milestone_error = std::numeric_limits<double>::infinity();
  main_.milestone = std::max(0L, iterations_);
  main_.measures_since = 0;
  count_next_ = iterations_ < 0;
  finish(Status::stalled, "");
}

bool Monitor::end_phase() {
  phase_.reset();
  count_next_ = false;
  return status_ == Status::stalled;
}

bool Monitor::phase_is_over() {
  if (!phase_) return false;
  const long products = problem_->products(), spent = products - phase_->begin;
  if (spent >= phase_->limits.products) return finish_phase({.products = spent});
  if (in_subproblem_) return false;
  // Two errors are kept, so that `half` is always at between a quarter and half of the phase.
  if (2 * (phase_->next_half - phase_->begin) <= spent) {
    phase_->half = phase_->next_half;
    phase_->half_error = phase_->next_half_error;
    phase_->next_half = products;
    phase_->next_half_error = main_.error;
  }
  if (spent < phase_->limits.trial || phase_->half == products) return false;
  const double rate =
      logarithm(phase_->half_error / main_.error) / static_cast<double>(products - phase_->half);
  const double needed = logarithm(main_.error / main_.tolerance);
  if (rate * static_cast<double>(phase_->limits.horizon) >= needed) return false;
  return finish_phase({.products = spent, .slow_error = main_.error});
}

bool Monitor::finish_phase(PhaseEnd end) {
  finish(Status::stalled, "");
  phase_end_ = end;
  return true;
}

void Monitor::begin_subproblem(double tolerance) {
  Level fresh;
  fresh.best = std::move(sub_.best);
  fresh.best.clear();
  fresh.tolerance = tolerance;
  fresh.milestone = iterations_;
  sub_ = std::move(fresh);
  in_subproblem_ = true;
  count_next_ = false;
  ++outer_iterations_;
}

bool Monitor::end_subproblem(Span z) {
  // A rank without contacts has an empty best iterate, but decides as the others do.
  const bool usable =
      !sub_.best.empty() || (problem_->division() && std::isfinite(sub_.best_error));
  if (usable) copy(sub_.best, z);
  in_subproblem_ = false;
  count_next_ = false;
  return usable && !interruption_ && (status_ == Status::converged || status_ == Status::stalled);
}

void Monitor::record(ConstSpan z, ConstSpan u) {
  const auto begin = Clock::now();
  IterationRecord r;
  r.iteration = iterations();
  r.outer_iteration = outer_iterations_;
  r.products = problem_->products();
  // At the instant from which on recording is left out: any later one would count a part twice.
  r.seconds = seconds_at(begin);
  r.error = problem_->error(z, u, options_.measure);
  r.objective = problem_->objective(z, u);
  const ScaledProblem::ActiveSet active = problem_->active_set(z, states_);
  r.separated = active.separated;
  r.boundary = active.boundary;
  r.interior = active.interior;
  r.active_set_changes = active.changes;
  if (!options_.reference_velocity.empty())
    r.velocity_error = problem_->velocity_error(u, options_.reference_velocity);
  products_.resize(problem_->contacts());
  complementarity_products(*problem_, z, u, products_);
  r.feasibility = statistics_of(products_);
  r.note = note_;
  history_.records.push_back(std::move(r));
  recording_ += Clock::now() - begin;
}

} // namespace talus
