#include "talus/solve/handful.h"

#include "talus/core/vector_ops.h"
#include "talus/problem/few_contacts.h"
#include "talus/solve/local_contact.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

namespace talus {
namespace {

constexpr int d = FewContacts::dimension;
using Entries = FewContacts::Entries;
/// Of all contacts, whose number is a constant: the loops over them are unrolled.
template <int contacts>
using Values = std::array<Entries, contacts>;

double sum(const Entries& x) {
  return (x[0] + x[2]) + (x[1] + x[3]);
}

/// Impulses and velocities of the contacts, swept one after the other.
template <int contacts>
class Handful {
public:
  explicit Handful(const FewContacts& problem) : problem_(problem) {
    for (Index c = 0; c < contacts; ++c) {
      double block[d * d];
      for (int j = 0; j < d; ++j)
        for (int i = 0; i < d; ++i) block[d * i + j] = column(c, j, c)[i];
      prepare_local_contact(block, d, local_[c]);
    }
  }

  const FewContacts& problem() const { return problem_; }
  const Values<contacts>& impulses() const { return z_; }
  const Values<contacts>& velocities() const { return u_; }

  void set_to_zero() {
    z_ = {};
    for (Index c = 0; c < contacts; ++c) u_[c] = problem_.free_velocity(c);
  }
  /// Takes z over and makes its velocity N z + q.
  void set(const Values<contacts>& z) {
    z_ = z;
    refresh();
  }
  /// Makes the velocity anew: rounding gathers during a sweep.
  void refresh() {
    for (Index c = 0; c < contacts; ++c) u_[c] = problem_.free_velocity(c);
    for (Index c = 0; c < contacts; ++c) move(c, z_[c]);
  }

  /// The square of the step's length.
  double sweep() {
    // One contact is visited once only.
    constexpr LocalAccuracy accuracy =
        contacts == 1 ? LocalAccuracy::rounding : LocalAccuracy::sweep;
    Entries squared{};
    for (Index c = 0; c < contacts; ++c) {
      const Entries old = z_[c];
      const Entries free = u_[c] - product(c, old, c);
      double z[4], b[4];
      std::memcpy(z, &old, sizeof z);
      std::memcpy(b, &free, sizeof b);
      if (problem_.has_round_cones())
        solve_on_round_cone(local_[c], problem_.mu(c), problem_.law(), b, z, accuracy);
      else
        solve_local_contact(local_[c], problem_.set(c), problem_.law(), b, z, accuracy);
      z_[c] = Entries{z[0], z[1], z[2], 0};
      const Entries step = z_[c] - old;
      squared += step * step;
      move(c, step);
      left_[c] = u_[c];
    }
    return sum(squared);
  }

  /// An estimate of the error after a sweep, by what later contacts did to the velocities of
  /// earlier ones. For round cones it is an upper bound, up to the accuracy of the sweep:
  /// projections do not lengthen differences, and a tilt is μ|u_t|.
  double error_estimate(Measure measure) const {
    const bool physical = measure == Measure::fclib;
    Entries change{}, impulse{};
    for (Index c = 0; c < contacts; ++c) {
      const double scale = problem_.scale(c);
      const Entries r = scale * z_[c];
      impulse += r * r;
      if (separates(c)) continue;
      const Entries f = ((1 + problem_.mu(c)) / (physical ? scale : 1.0)) * (u_[c] - left_[c]);
      change += f * f;
    }
    if (sum(change) == 0) return 0;
    const double size = physical ? std::max(problem_.free_velocity_norm(), std::sqrt(sum(impulse)))
                                 : problem_.reference();
    return std::sqrt(sum(change)) / size;
  }

private:
  /// Column j of the block of N through which contact `from` acts on contact `to`.
  const Entries& column(Index from, int j, Index to) const {
    return problem_.columns()[contacts * (d * from + j) + to];
  }
  /// What impulses of contact `from` do to contact `to`.
  Entries product(Index from, const Entries& z, Index to) const {
    return column(from, 0, to) * z[0] + column(from, 1, to) * z[1] + column(from, 2, to) * z[2];
  }
  void move(Index c, const Entries& dz) {
    for (Index k = 0; k < contacts; ++k) u_[k] += product(c, dz, k);
  }
  /// Without an error, whatever moved it (round cones).
  bool separates(Index c) const {
    if (z_[c][0] != 0) return false;
    const double tilt =
        problem_.is_tilted() ? 0 : problem_.mu(c) * planar_length(u_[c][1], u_[c][2]);
    return u_[c][0] >= tilt;
  }

  const FewContacts& problem_;
  std::array<LocalContact, contacts> local_;
  Values<contacts> z_, u_;
  Values<contacts> left_; ///< Velocities when the last sweep left each contact.
};

/// Anderson's method with a memory of two changes.
template <int contacts>
class Acceleration {
public:
  using Vectors = Values<contacts>;

  /// The start after a sweep that led from `from` to `to`.
  Vectors next(const Vectors& from, const Vectors& to, double squared_step) {
    Vectors f, result = to;
    for (Index c = 0; c < contacts; ++c) f[c] = to[c] - from[c];
    known_ = squared_step <= squared_step_ ? std::min(known_ + 1, 2) : 0;
    squared_step_ = squared_step;
    if (known_ > 0) {
      df_[1] = df_[0];
      dg_[1] = dg_[0];
      for (Index c = 0; c < contacts; ++c) {
        df_[0][c] = f[c] - f_[c];
        dg_[0][c] = to[c] - g_[c];
      }
      extrapolate(f, result);
    }
    f_ = f;
    g_ = to;
    return result;
  }

private:
  static double dot(const Vectors& x, const Vectors& y) {
    Entries products = x[0] * y[0];
    for (Index c = 1; c < contacts; ++c) products += x[c] * y[c];
    return sum(products);
  }
  void extrapolate(const Vectors& f, Vectors& result) const {
    const double a = dot(df_[0], df_[0]), p = dot(df_[0], f);
    if (!(a > 0)) return;
    if (known_ > 1) {
      const double b = dot(df_[0], df_[1]), c = dot(df_[1], df_[1]), q = dot(df_[1], f);
      const double determinant = a * c - b * b;
      if (determinant > 1e-6 * a * c) {
        subtract((c * p - b * q) / determinant, dg_[0], result);
        subtract((a * q - b * p) / determinant, dg_[1], result);
        return;
      }
    }
    subtract(p / a, dg_[0], result);
  }
  static void subtract(double factor, const Vectors& x, Vectors& result) {
    for (Index c = 0; c < contacts; ++c) result[c] -= factor * x[c];
  }

  int known_ = -1; ///< Changes.
  double squared_step_ = std::numeric_limits<double>::infinity();
  Vectors f_, g_;
  std::array<Vectors, 2> df_, dg_; ///< The latest first.
};

/// Sweeps come to rest as errors fall: the ratio of both at the last measure, or an estimate
/// after the first sweep, tells when the next measure is worth it. The referee sees one sweep in
/// eight at least.
class Expectation {
public:
  explicit Expectation(double tolerance) : tolerance_(tolerance) {}
  bool has_ratio() const { return std::isfinite(error_per_step_); }
  bool is_worth_measuring(double squared_step) {
    return ++sweeps_ >= most_sweeps || !(squared_step > 0) ||
           error_per_step_ * std::sqrt(squared_step) <= eager * tolerance_;
  }
  void measured(double error, double squared_step) {
    error_per_step_ = squared_step > 0 ? error / std::sqrt(squared_step)
                                       : std::numeric_limits<double>::infinity();
    sweeps_ = 0;
  }

private:
  static constexpr int most_sweeps = 8;
  static constexpr double eager = 8; ///< Rather a measure too many than a sweep.
  double tolerance_, error_per_step_ = std::numeric_limits<double>::infinity();
  int sweeps_ = 0;
};

/// Sweeps from `start` on until the referee is content or tired: it counts sweeps and measures the
/// handful.
template <int contacts, class Referee>
void run(const FewContacts& problem, Values<contacts> start, bool start_is_zero, Referee& referee) {
  Handful<contacts> handful(problem);
  if (start_is_zero)
    handful.set_to_zero();
  else
    handful.set(start);
  Acceleration<contacts> acceleration;
  Expectation expectation(referee.tolerance());
  double squared_step = 0;
  // Nothing is learnt from measuring zero impulses.
  bool due = !start_is_zero;
  for (bool swept = false; referee.may_sweep(); swept = true) {
    if (due || referee.wants_every_sweep()) {
      if (!referee.measure(handful)) return;
      expectation.measured(referee.error(), squared_step);
    }
    if (swept) {
      start = acceleration.next(start, handful.impulses(), squared_step);
      handful.set(start);
    }
    squared_step = handful.sweep();
    referee.count_sweep();
    if constexpr (contacts == 1) {
      due = true; // and done
    } else {
      if (!expectation.has_ratio())
        expectation.measured(handful.error_estimate(referee.measure_kind()), squared_step);
      due = expectation.is_worth_measuring(squared_step);
    }
  }
  referee.measure_last(handful);
}

/// Calls body with the number of contacts as a constant.
template <int largest = FewContacts::most, class Body>
void with_contacts(Index contacts, Body&& body) {
  if constexpr (largest > 0) {
    if (contacts == largest) return body(std::integral_constant<int, largest>());
    with_contacts<largest - 1>(contacts, body);
  }
}

/// The monitor of a solve, whose iterate is z.
class MonitorReferee {
public:
  MonitorReferee(const ScaledProblem& problem, Span z, Monitor& monitor)
      : problem_(problem), z_(z), monitor_(monitor) {}

  double tolerance() const { return monitor_.tolerance(); }
  Measure measure_kind() const { return monitor_.options().measure; }
  double error() const { return monitor_.error(); }
  bool wants_every_sweep() const { return monitor_.wants_every_iteration(); }
  bool may_sweep() { return monitor_.count_iteration(); }
  void count_sweep() { problem_.count_products(1); }
  template <int contacts>
  bool measure(Handful<contacts>& handful) {
    copy_from(handful);
    return monitor_.measure(z_, {u_, z_.size()});
  }
  template <int contacts>
  void measure_last(Handful<contacts>& handful) {
    copy_from(handful);
    monitor_.measure_last(z_, {u_, z_.size()});
  }

private:
  template <int contacts>
  void copy_from(Handful<contacts>& handful) {
    handful.refresh();
    for (Index c = 0; c < contacts; ++c)
      for (int i = 0; i < d; ++i) {
        z_[d * c + i] = handful.impulses()[c][i];
        u_[d * c + i] = handful.velocities()[c][i];
      }
  }

  const ScaledProblem& problem_;
  Span z_;
  double u_[d * FewContacts::most];
  Monitor& monitor_;
};

/// Judges the impulses themselves as the answer, with nobody else to ask.
class Judge {
public:
  Judge(const SolveOptions& options, long most_sweeps)
      : options_(options), most_sweeps_(std::min(most_sweeps, options.max_iterations)) {}

  double tolerance() const { return options_.tolerance; }
  Measure measure_kind() const { return options_.measure; }
  double error() const { return error_of(quality_, options_.measure); }
  static bool wants_every_sweep() { return false; }
  bool may_sweep() const { return sweeps_ < most_sweeps_; }
  void count_sweep() { ++sweeps_; }
  template <int contacts>
  bool measure(const Handful<contacts>& handful) {
    constexpr std::size_t size = d * contacts;
    for (Index c = 0; c < contacts; ++c)
      for (int i = 0; i < d; ++i)
        x_[d * c + i] = handful.problem().scale(c) * handful.impulses()[c][i];
    quality_ = judge(handful.problem(), {x_, size}, {u_, size});
    return error() > tolerance();
  }
  template <int contacts>
  void measure_last(const Handful<contacts>& handful) {
    measure(handful);
  }

  bool is_content() const { return error() <= tolerance(); }
  void hand_over(Index size, SolveResult& result) const {
    result.x.assign(x_, x_ + size);
    result.u.assign(u_, u_ + size);
    result.v.clear();
    result.status = Status::converged;
    result.message.clear();
    result.iterations = result.products = sweeps_;
    result.outer_iterations = 0;
    result.quality = quality_;
    result.history = {};
  }

private:
  const SolveOptions& options_;
  long most_sweeps_, sweeps_ = 0;
  Quality quality_{.error = std::numeric_limits<double>::infinity(),
                   .error_fclib = std::numeric_limits<double>::infinity()};
  double x_[d * FewContacts::most], u_[d * FewContacts::most];
};

} // namespace

bool sweep_handful(const ScaledProblem& problem, Span z, Monitor& monitor) {
  if (!FewContacts::admits(problem.problem())) return false;
  const FewContacts few(problem.problem(), problem.delassus());
  const bool start_is_zero = max_abs(z) == 0;
  if (start_is_zero) monitor.begin_with(z);
  MonitorReferee referee(problem, z, monitor);
  with_contacts(few.contacts(), [&](auto contacts) {
    Values<contacts> start;
    for (Index c = 0; c < contacts; ++c)
      start[c] = Entries{z[d * c], z[d * c + 1], z[d * c + 2], 0};
    run<contacts>(few, start, start_is_zero, referee);
  });
  return true;
}

bool solve_handful(const ContactProblem& problem, const DelassusOperator& n,
                   const SolveOptions& options, long most_sweeps, SolveResult& result) {
  const bool plain = options.initial.empty() && !options.continue_from_result &&
                     !options.keep_history && problem.friction.kind == FrictionKind::cone &&
                     FewContacts::admits(problem);
  if (!plain) return false;
  const auto begin = Monitor::Clock::now();
  const FewContacts few(problem, n);
  if (few.reference() == 0) return false; // zero impulses are the answer
  Judge referee(options, most_sweeps);
  with_contacts(few.contacts(),
                [&](auto contacts) { run<contacts>(few, Values<contacts>{}, true, referee); });
  if (!referee.is_content()) return false;
  referee.hand_over(problem.size(), result);
  result.seconds = std::chrono::duration<double>(Monitor::Clock::now() - begin).count();
  return true;
}

} // namespace talus
