#pragma once
// What Gauss-Seidel solvers share: running sweeps over the rows of N and deciding when to measure.
//
// A sweep keeps impulses in physical variables, the monitor judges scaled ones. Measuring costs
// about half a sweep, so sweeps are measured rarely: the next time is predicted from the last two
// errors, and never later than after four sweeps or a fifth of those made so far.

#include "talus/core/elementary.h"
#include "talus/core/large_problem.h"
#include "talus/core/parallel.h"
#include "talus/problem/delassus/sweep_rows.h"
#include "talus/solve/monitor.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace talus {

/// Chunk length for loops over contacts that are not cheap.
inline constexpr Index contact_chunk = 512;

/// Order of the contacts within an iteration.
enum class SweepOrder { forward, backward, symmetric };

class MeasureSchedule {
public:
  bool due(long iteration) const { return iteration >= next_; }

  void measured(long iteration, double error, double tolerance) {
    long wait = iteration / 5;
    if (error_ > error && error > tolerance) {
      const double rate = logarithm(error_ / error) / static_cast<double>(iteration - iteration_);
      const double latest = static_cast<double>(std::max(4L, wait));
      wait = static_cast<long>(std::min(latest, std::ceil(logarithm(error / tolerance) / rate)));
    }
    next_ = iteration + std::max(1L, wait);
    iteration_ = iteration;
    error_ = error;
  }

  /// Nothing is learnt from measuring the start.
  void skip_start() { next_ = 1; }

private:
  long next_ = 0, iteration_ = 0;
  double error_ = 0;
};

struct IgnoreError {
  void operator()(double) const {}
};

/// What run_sweeps works with, kept by solvers that run often.
struct SweepMemory {
  std::optional<SweepRows> rows;
  Vector x, u;
};

/// True when run_sweeps does without vectors of its own: impulses are kept in the memory of the
/// solver's z, scaled in place for every measure (which changes no more than last bits), and
/// velocities are measured as they are made.
inline bool saves_memory(const ScaledProblem& problem, const Monitor& monitor) {
  return is_large(problem.contacts()) && !problem.division() && problem.equalities() == 0 &&
         monitor.needs_residual_only();
}

/// u = the scaled velocities of contacts [first, first + count), whose entries begin at u[0].
template <class Rows>
void observe_contacts(const Rows& rows, const ScaledProblem& problem, Index first, Index count,
                      double* u) {
  constexpr int d = Rows::dimension;
  for (Index c = 0; c < count; ++c) {
    rows.velocity(first + c, u + d * c);
    for (int i = 0; i < d; ++i) u[d * c + i] *= problem.scale()[first + c];
  }
}

/// The Talus error at scaled impulses z, which the rows know.
template <class Rows>
double error_of_contacts(const Rows& rows, const ScaledProblem& problem, ConstSpan z) {
  constexpr Index block = ScaledProblem::block_contacts;
  const double squared = parallel_sum(
      problem.contacts(),
      [&](Index begin, Index end) {
        double sum = 0, u[Rows::dimension * block];
        for (Index first = begin; first < end; first += block) {
          const Index count = std::min(block, end - first);
          observe_contacts(rows, problem, first, count, u);
          sum +=
              problem.squared_block_residual(first, count, &z[Rows::dimension * first], u, false);
        }
        return sum;
      },
      contact_chunk);
  return problem.error_of(squared);
}

/// The error while impulses are kept in the memory of z. Velocities drift from the impulses by what
/// rounding took from the steps since they were made, single precision included: small errors are
/// believed only after making them anew.
class ErrorInPlace {
public:
  /// Scales the impulses x.
  template <class Rows>
  double operator()(Rows& rows, const ScaledProblem& problem, Span x, double tolerance) {
    problem.from_operator(x, x);
    const double error = error_of_contacts(rows, problem, x);
    if (!Rows::is_incremental || error > std::max(tolerance, believed * error_when_new_))
      return error;
    problem.to_operator(x, x);
    rows.reset(x);
    problem.from_operator(x, x);
    return error_when_new_ = error_of_contacts(rows, problem, x);
  }

private:
  static constexpr double believed = 1e-4;
  double error_when_new_ = 1; ///< About what a start has; without impulses it is 1.
};

/// Runs sweep(rows, x, backward) until the monitor stops it. `x` are physical impulses; the sweep
/// changes x and the rows together. One iteration is one sweep, or a forward and a backward one for
/// `symmetric`. measured(error) is called after every measure.
template <class Rows, class Sweep, class Measured>
void run_sweeps(Rows& rows, SweepMemory& memory, const ScaledProblem& problem, Span z,
                Monitor& monitor, SweepOrder order, Sweep&& sweep, Measured&& measured) {
  constexpr int d = Rows::dimension;
  const bool in_place = saves_memory(problem, monitor);
  if (!in_place) {
    memory.x.resize(problem.size());
    memory.u.resize(problem.size());
  }
  const Span x = in_place ? z : Span(memory.x);
  Vector& u = memory.u; // a sweep may put other memory in its place
  problem.to_operator(z, x);
  rows.reset(x);
  const auto observe = [&] {
    rows.settle();
    parallel_for(
        problem.contacts(),
        [&](Index begin, Index end) {
          observe_contacts(rows, problem, begin, end - begin, &u[d * begin]);
        },
        contact_chunk);
    for (Index j = 0; j < problem.equalities(); ++j)
      u[d * problem.contacts() + j] =
          problem.scale()[problem.contacts() + j] * rows.row_velocity(j);
    problem.from_operator(x, z);
  };
  ErrorInPlace error_in_place;
  const auto good_enough = [&] {
    if (in_place) {
      const bool goes_on =
          monitor.measure(z, error_in_place(rows, problem, x, monitor.tolerance()));
      if (goes_on) problem.to_operator(z, x);
      return !goes_on;
    }
    observe();
    if (monitor.measure(z, u)) return false;
    if (!Rows::is_incremental || monitor.status() != Status::converged) return true;
    rows.reset(x); // rounding gathers in incremental velocities: believe only a fresh state
    observe();
    return !monitor.measure(z, u);
  };

  MeasureSchedule schedule;
  if (problem.is_zero(x)) {
    monitor.begin_with(x);
    schedule.skip_start();
  }
  // A subproblem has a schedule of its own.
  const long start = monitor.iterations();
  while (monitor.count_iteration()) {
    const long iteration = monitor.iterations() - start;
    if (monitor.wants_every_iteration() || schedule.due(iteration)) {
      if (good_enough()) return;
      schedule.measured(iteration, monitor.error(), monitor.tolerance());
      measured(monitor.error());
    }
    if (order != SweepOrder::backward) sweep(rows, x, false);
    if (order != SweepOrder::forward) sweep(rows, x, true);
    problem.count_products(order == SweepOrder::symmetric ? 2 : 1);
  }
  rows.reset(x);
  if (in_place) {
    problem.from_operator(x, z);
    return monitor.measure_last(z, error_of_contacts(rows, problem, z));
  }
  observe();
  monitor.measure_last(z, u);
}

/// True for sweeps that can visit contacts with moments: they say `handles_moments`. Others are not
/// compiled for them.
template <class Sweep>
inline constexpr bool handles_moments = requires {
  std::decay_t<Sweep>::handles_moments;
};

/// The same with the rows of the problem's operator, of whatever kind they are.
template <class Sweep, class Measured = IgnoreError>
void run_sweeps(SweepMemory& memory, const ScaledProblem& problem, Span z, Monitor& monitor,
                SweepOrder order, Sweep&& sweep, Measured&& measured = {}) {
  std::visit(
      [&](auto& rows) {
        if constexpr (std::decay_t<decltype(rows)>::dimension <= 3 || handles_moments<Sweep>)
          run_sweeps(rows, memory, problem, z, monitor, order, sweep, measured);
        else
          monitor.stall("this sweep does not know moments");
      },
      renew(memory.rows, problem.delassus().rows()));
}

/// Calls visit_row(j) for every equality row, in order or in reverse.
template <class VisitRow>
void for_each_row(const ScaledProblem& problem, bool backward, VisitRow&& visit_row) {
  const Index n = problem.equalities();
  for (Index k = 0; k < n; ++k) visit_row(backward ? n - 1 - k : k);
}

/// Calls visit(c) for every contact, parts of the rows at once, and visit_row(j) for every equality
/// row, contacts first; the reverse if `backward`.
template <class Rows, class Visit, class VisitRow>
void for_each_block(Rows& rows, const ScaledProblem& problem, bool backward, Visit&& visit,
                    VisitRow&& visit_row) {
  if (backward) for_each_row(problem, backward, visit_row);
  rows.for_each_contact(backward, visit);
  if (!backward) for_each_row(problem, backward, visit_row);
}

/// One Gauss-Seidel step on an equality row: its velocity becomes zero, or its multiplier meets a
/// bound. The change of the multiplier.
template <class Rows>
double relax_row(Rows& rows, const ScaledProblem& problem, Span x, Index row, double omega) {
  const Index i = Rows::dimension * problem.contacts() + row;
  const double s = problem.scale()[problem.contacts() + row];
  const double updated =
      s * problem.project_row(row, (x[i] - omega * s * s * rows.row_velocity(row)) / s);
  const double change = updated - x[i];
  rows.row_add(row, change);
  x[i] = updated;
  return change;
}

} // namespace talus
