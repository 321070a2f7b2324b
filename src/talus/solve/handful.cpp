#include "talus/solve/handful.h"

#include "talus/core/lanes.h"
#include "talus/core/vector_ops.h"
#include "talus/solve/local_contact.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace talus {
namespace {

constexpr int d = 3;
constexpr Index most_contacts = 8;

/// The entries of a contact; the fourth stays zero.
using Entries = Lanes4;
/// Of all contacts.
using Values = std::array<Entries, most_contacts>;

double sum(const Entries& x) {
  return (x[0] + x[2]) + (x[1] + x[3]);
}

class Handful {
public:
  Handful(const ScaledProblem& problem, const LocalModel& model)
      : problem_(problem), contacts_(problem.contacts()) {
    for (Index c = 0; c < contacts_; ++c) fill_rows(model.W, c);
    for (Index c = 0; c < contacts_; ++c) {
      double block[d * d];
      for (int i = 0; i < d; ++i)
        for (int j = 0; j < d; ++j) block[d * i + j] = n_[c][c][j][i];
      local_[c] = prepare_local_contact(block, d);
    }
  }

  Index contacts() const { return contacts_; }

  /// Takes z over and makes its velocity N z + q.
  void set(const Values& z) {
    z_ = z;
    refresh();
  }
  /// Makes the velocity anew: rounding gathers during a sweep.
  void refresh() {
    const ConstSpan q = problem_.free_velocity();
    for (Index c = 0; c < contacts_; ++c) u_[c] = Entries{q[d * c], q[d * c + 1], q[d * c + 2], 0};
    for (Index c = 0; c < contacts_; ++c) move(c, z_[c]);
  }
  const Values& impulses() const { return z_; }
  const Values& velocities() const { return u_; }

  /// The square of the step's length.
  double sweep() {
    // One contact is visited once only.
    const LocalAccuracy accuracy = contacts_ == 1 ? LocalAccuracy::rounding : LocalAccuracy::sweep;
    const Law law = problem_.problem().law;
    Entries squared{};
    for (Index c = 0; c < contacts_; ++c) {
      const Entries old = z_[c];
      const double* a = local_[c].A;
      double z[d], b[d];
      for (int i = 0; i < d; ++i) {
        z[i] = old[i];
        b[i] = u_[c][i] - (a[d * i] * old[0] + a[d * i + 1] * old[1] + a[d * i + 2] * old[2]);
      }
      solve_local_contact(local_[c], problem_.contact_set(c), law, b, z, accuracy);
      z_[c] = Entries{z[0], z[1], z[2], 0};
      const Entries step = z_[c] - old;
      squared += step * step;
      move(c, step);
    }
    return sum(squared);
  }

private:
  /// The rows of contact c of the scaled N.
  void fill_rows(const SparseMatrix& w, Index c) {
    const ConstSpan scale = problem_.scale(), compliance = problem_.delassus().compliance();
    double values[d][d * most_contacts];
    for (int i = 0; i < d; ++i) {
      const Index row = d * c + i;
      std::fill_n(values[i], d * contacts_, 0.0);
      for (Index k = w.row_start[row]; k < w.row_start[row + 1]; ++k)
        values[i][w.column[k]] = w.value[k];
      if (!compliance.empty()) values[i][row] += compliance[row];
    }
    for (Index k = 0; k < contacts_; ++k)
      for (int j = 0; j < d; ++j) {
        const Index column = d * k + j;
        n_[k][c][j] = scale[c] * scale[k] *
                      Entries{values[0][column], values[1][column], values[2][column], 0};
      }
  }

  void move(Index c, const Entries& dz) {
    for (Index k = 0; k < contacts_; ++k)
      u_[k] += n_[c][k][0] * dz[0] + n_[c][k][1] * dz[1] + n_[c][k][2] * dz[2];
  }

  using Columns = std::array<Entries, d>;

  const ScaledProblem& problem_;
  Index contacts_;
  std::array<std::array<Columns, most_contacts>, most_contacts> n_; ///< Block column by column.
  std::array<LocalContact, most_contacts> local_;
  Values z_, u_;
};

/// Anderson's method with a memory of two changes.
class Acceleration {
public:
  explicit Acceleration(Index contacts) : contacts_(contacts) {}

  /// The start after a sweep that led from `from` to `to`.
  Values next(const Values& from, const Values& to, double squared_step) {
    Values f, result = to;
    for (Index c = 0; c < contacts_; ++c) f[c] = to[c] - from[c];
    known_ = squared_step <= squared_step_ ? std::min(known_ + 1, 2) : 0;
    squared_step_ = squared_step;
    if (known_ > 0) {
      df_[1] = df_[0];
      dg_[1] = dg_[0];
      for (Index c = 0; c < contacts_; ++c) {
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
  double dot(const Values& x, const Values& y) const {
    Entries products = x[0] * y[0];
    for (Index c = 1; c < contacts_; ++c) products += x[c] * y[c];
    return sum(products);
  }
  void extrapolate(const Values& f, Values& result) const {
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
  void subtract(double factor, const Values& x, Values& result) const {
    for (Index c = 0; c < contacts_; ++c) result[c] -= factor * x[c];
  }

  Index contacts_;
  int known_ = -1; ///< Changes.
  double squared_step_ = std::numeric_limits<double>::infinity();
  Values f_, g_;
  std::array<Values, 2> df_, dg_; ///< The latest first.
};

/// Sweeps come to rest as errors fall: the ratio of both at the last measure tells when the next
/// is worth it. The monitor sees one in eight at least.
class Expectation {
public:
  explicit Expectation(double tolerance) : tolerance_(tolerance) {}
  bool is_worth_measuring(double squared_step) {
    return ++sweeps_ >= most_sweeps ||
           error_per_step_ * std::sqrt(squared_step) <= eager * tolerance_;
  }
  void measured(double error, double squared_step) {
    error_per_step_ = squared_step > 0 ? error / std::sqrt(squared_step)
                                       : std::numeric_limits<double>::infinity();
    sweeps_ = 0;
  }

private:
  static constexpr int most_sweeps = 8;
  static constexpr double eager = 4; ///< Measuring takes a third of the time of a sweep.
  double tolerance_, error_per_step_ = 0;
  int sweeps_ = 0;
};

/// z and u become those of the handful.
void observe(Handful& handful, Span z, Span u) {
  handful.refresh();
  for (Index c = 0; c < handful.contacts(); ++c)
    for (int i = 0; i < d; ++i) {
      z[d * c + i] = handful.impulses()[c][i];
      u[d * c + i] = handful.velocities()[c][i];
    }
}

void run(Handful& handful, const ScaledProblem& problem, Span z, Monitor& monitor) {
  double velocities[d * most_contacts];
  const Span u(velocities, z.size());
  Values start;
  for (Index c = 0; c < handful.contacts(); ++c)
    start[c] = Entries{z[d * c], z[d * c + 1], z[d * c + 2], 0};
  handful.set(start);
  Acceleration acceleration(handful.contacts());
  Expectation expectation(monitor.tolerance());
  double squared_step = 0;
  // Nothing is learnt from measuring zero impulses.
  bool due = max_abs(z) > 0;
  if (!due) monitor.begin_with(z);
  for (bool swept = false; monitor.count_iteration(); swept = true) {
    if (due || monitor.wants_every_iteration()) {
      observe(handful, z, u);
      if (!monitor.measure(z, u)) return;
      expectation.measured(monitor.error(), squared_step);
    }
    if (swept) {
      start = acceleration.next(start, handful.impulses(), squared_step);
      handful.set(start);
    }
    squared_step = handful.sweep();
    problem.count_products(1);
    due = expectation.is_worth_measuring(squared_step);
  }
  observe(handful, z, u);
  monitor.measure_last(z, u);
}

} // namespace

bool sweep_handful(const ScaledProblem& problem, Span z, Monitor& monitor) {
  const auto* model = std::get_if<LocalModel>(&problem.problem().model);
  if (!model || problem.dimension() != d || problem.contacts() > most_contacts ||
      problem.equalities() > 0)
    return false;
  Handful handful(problem, *model);
  run(handful, problem, z, monitor);
  return true;
}

} // namespace talus
