#include "talus/problem/quality.h"

#include "talus/core/error.h"
#include "talus/core/parallel.h"
#include "talus/core/vector_ops.h"
#include "talus/problem/cone_batch.h"
#include "talus/problem/contact_set.h"
#include "talus/problem/few_contacts.h"
#include "talus/problem/projection_kernels.h"
#include "talus/problem/scaled_problem.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>

namespace talus {
namespace {

double momentum_imbalance(const GlobalModel& model, const DelassusOperator& n, ConstSpan x) {
  if (n.dofs() == 0) return 0;
  const Index dofs = model.M.rows;
  Vector v(dofs), momentum(dofs), impulse(dofs);
  n.generalized_velocity(x, v);
  multiply(model.M, v, momentum);
  multiply(join_columns(model.H, model.G), x, impulse);
  Vector imbalance(momentum);
  axpy(-1.0, impulse, imbalance);
  axpy(-1.0, model.f, imbalance);
  const double size = std::max({norm(model.f), norm(momentum), norm(impulse)});
  return size > 0 ? norm(imbalance) / size : 0;
}

double squared_distance(const double* x, const double* y, int dimension) {
  double sum = 0;
  for (int i = 0; i < dimension; ++i) sum += (x[i] - y[i]) * (x[i] - y[i]);
  return sum;
}

/// The sums over contacts in scaled variables, where rho = 1, and those of FCLIB's measure.
struct Parts {
  double residual = 0, primal = 0, dual = 0, complementarity = 0, violation = 0, objective = 0;
  PhysicalSquares physical;
  Parts& operator+=(const Parts& other) {
    residual += other.residual;
    primal += other.primal;
    dual += other.dual;
    complementarity += other.complementarity;
    include_violation(other.violation);
    objective += other.objective;
    physical += other.physical;
    return *this;
  }
  /// A NaN wins every comparison, now and later.
  void include_violation(double value) {
    if (!(value <= violation) && !std::isnan(violation)) violation = value;
  }
};

/// Adds a contact of any set.
void add_contact(const ContactSet& set, bool is_tilted, double scale, const double* z,
                 const double* u, Parts& parts) {
  const int d = set.dimension;
  double tilted[3], trial[3], projected[3], gap = support(set, u);
  for (int i = 0; i < d; ++i) tilted[i] = u[i];
  if (is_tilted) tilted[0] += tilt(set, u);
  for (int i = 0; i < d; ++i) {
    trial[i] = z[i] - tilted[i];
    gap += z[i] * tilted[i];
  }
  project(set, trial, projected);
  const double residual = squared_distance(z, projected, d);
  parts.residual += residual;
  // |F_c| / rho_c in physical variables is |F_c| / s_c in scaled ones.
  parts.include_violation(std::sqrt(residual) / scale);
  project(set, z, projected);
  parts.primal += squared_distance(z, projected, d);
  project_dual(set, tilted, projected);
  parts.dual += squared_distance(tilted, projected, d);
  parts.complementarity += std::abs(gap);
}

/// Adds `count` contacts, at most a block of them, with round cones in space, which most contacts
/// have: the same in batches.
void add_round_cones(const double* mu, bool is_tilted, const double* scale, Index count,
                     const double* z, const double* u, Parts& parts) {
  constexpr Index entries = 3 * ScaledProblem::block_contacts;
  double opposite[entries], on_trial[entries], on_impulse[entries], on_velocity[entries];
  for (Index i = 0; i < 3 * count; ++i) opposite[i] = -u[i];
  if (is_tilted) subtract_cone_tilts(mu, u, count, opposite);
  for (Index i = 0; i < 3 * count; ++i) {
    on_trial[i] = z[i] + opposite[i];
    on_impulse[i] = z[i];
    on_velocity[i] = opposite[i];
  }
  project_on_cones(mu, count, on_trial);
  project_on_cones(mu, count, on_impulse);
  // û - P_{K*}(û) = -P_K(-û).
  project_on_cones(mu, count, on_velocity);
  for (Index c = 0; c < count; ++c) {
    const Index k = 3 * c;
    const double residual = squared_distance(z + k, on_trial + k, 3);
    parts.residual += residual;
    parts.include_violation(std::sqrt(residual) / scale[c]);
    parts.primal += squared_distance(z + k, on_impulse + k, 3);
    parts.dual += on_velocity[k] * on_velocity[k] + on_velocity[k + 1] * on_velocity[k + 1] +
                  on_velocity[k + 2] * on_velocity[k + 2];
    parts.complementarity +=
        std::abs(z[k] * opposite[k] + z[k + 1] * opposite[k + 1] + z[k + 2] * opposite[k + 2]);
  }
}

/// Contacts [begin, end). u is S N S z before and the physical velocity afterwards.
Parts sum_contacts(const ScaledProblem& problem, Index begin, Index end, ConstSpan z, Span u) {
  const int d = problem.dimension();
  const bool tilted = problem.is_tilted();
  const bool round = d == 3 && problem.problem().friction.kind == FrictionKind::cone;
  const double *q = problem.free_velocity().data(), *scale = problem.scale().data();
  Parts parts;
  for (Index i = d * begin; i < d * end; ++i) {
    u[i] += q[i];
    parts.objective += 0.5 * z[i] * (u[i] + q[i]);
  }
  if (round) {
    constexpr Index block = ScaledProblem::block_contacts;
    for (Index c = begin; c < end; c += block)
      add_round_cones(&problem.problem().mu[c], tilted, scale + c, std::min(block, end - c),
                      &z[d * c], &u[d * c], parts);
  } else {
    for (Index c = begin; c < end; ++c)
      add_contact(problem.own_set(c), tilted, scale[c], &z[d * c], &u[d * c], parts);
  }
  parts.physical = problem.physical_squares(begin, end, z, u);
  for (Index c = begin; c < end; ++c)
    for (int i = 0; i < d; ++i) u[d * c + i] /= scale[c];
  return parts;
}

/// The same of the equality rows.
Parts sum_rows(const ScaledProblem& problem, ConstSpan z, Span u) {
  const ConstSpan q = problem.free_velocity();
  Parts parts;
  for (Index j = 0; j < problem.equalities(); ++j) {
    const Index i = problem.dimension() * problem.contacts() + j;
    u[i] += q[i];
    parts.objective += 0.5 * z[i] * (u[i] + q[i]);
    const double f = z[i] - problem.project_row(j, z[i] - u[i]);
    const double outside = z[i] - problem.project_row(j, z[i]);
    parts.include_violation(std::abs(f) / problem.scale()[problem.contacts() + j]);
    parts.residual += f * f;
    parts.primal += outside * outside;
    if (problem.is_free_row(j)) parts.dual += u[i] * u[i];
  }
  parts.physical = problem.physical_row_squares(z, u);
  for (Index j = 0; j < problem.equalities(); ++j)
    u[problem.dimension() * problem.contacts() + j] /= problem.scale()[problem.contacts() + j];
  return parts;
}

Parts sum_parts(const ScaledProblem& problem, ConstSpan z, Span u) {
  static_cast<void>(problem.free_velocity()); // large problems make it now, not in the loop
  Parts parts = parallel_sum<Parts>(
      problem.contacts(),
      [&](Index begin, Index end) { return sum_contacts(problem, begin, end, z, u); }, 256);
  return parts += sum_rows(problem, z, u);
}

/// The sums over few contacts with round cones. Four points of each are projected, a batch of SIMD
/// lanes.
class FewContactSums {
public:
  using Entries = FewContacts::Entries;
  static constexpr int d = FewContacts::dimension;

  FewContactSums(const FewContacts& problem, ConstSpan x) : problem_(problem) {
    set_impulses(x);
    set_velocities();
    for (Index c = 0; c < problem.contacts(); ++c) set_points(c);
    project_points();
  }

  void copy_velocities(Span u) const {
    for (Index c = 0; c < problem_.contacts(); ++c)
      for (int i = 0; i < d; ++i) u[d * c + i] = inverse_[c] * u_[c][i];
  }

  Parts sum() const {
    Parts parts;
    Entries objective{}, primal{}, dual{}, physical{}, impulse{}, motion{};
    for (Index c = 0; c < problem_.contacts(); ++c) {
      const double residual = sum(squares(z_[c] - projected(c, trial)));
      parts.residual += residual;
      parts.include_violation(std::sqrt(residual) * inverse_[c]);
      parts.complementarity += std::abs(sum(z_[c] * opposite_[c]));
      objective += z_[c] * (u_[c] + problem_.free_velocity(c));
      primal += squares(z_[c] - projected(c, at_impulse));
      dual += squares(projected(c, at_opposite)); // û - P_{K*}(û) = -P_K(-û)
      physical += squares(r_[c] - projected(c, physical_trial));
      impulse += squares(r_[c]);
      motion += squares(inverse_[c] * u_[c]);
    }
    parts.objective = 0.5 * sum(objective);
    parts.primal = sum(primal);
    parts.dual = sum(dual);
    parts.physical = {sum(physical), sum(impulse), sum(motion)};
    return parts;
  }

private:
  enum Point { trial, at_impulse, at_opposite, physical_trial, per_contact };

  static Entries load(const double* x) { return Entries{x[0], x[1], x[2], 0}; }
  static double sum(const Entries& entries) { return entries[0] + entries[1] + entries[2]; }
  static Entries squares(const Entries& entries) { return entries * entries; }

  void set_impulses(ConstSpan x) {
    for (Index c = 0; c < problem_.contacts(); ++c) {
      inverse_[c] = 1 / problem_.scale(c);
      r_[c] = load(&x[d * c]);
      z_[c] = inverse_[c] * r_[c];
    }
  }
  void set_velocities() {
    const Index contacts = problem_.contacts();
    for (Index c = 0; c < contacts; ++c) u_[c] = problem_.free_velocity(c);
    const Entries* column = problem_.columns();
    for (Index from = 0; from < contacts; ++from)
      for (int i = 0; i < d; ++i, column += contacts)
        for (Index c = 0; c < contacts; ++c) u_[c] += column[c] * z_[from][i];
  }
  /// Each point overwrites the fourth entry of the last one.
  void set_points(Index c) {
    const double tilt =
        problem_.is_tilted() ? problem_.mu(c) * planar_length(u_[c][1], u_[c][2]) : 0;
    opposite_[c] = Entries{-tilt, 0, 0, 0} - u_[c];
    const Entries points[per_contact] = {z_[c] + opposite_[c], z_[c], opposite_[c],
                                         r_[c] + inverse_[c] * opposite_[c]};
    double* target = points_ + d * per_contact * c;
    for (const Entries& point : points) {
      std::memcpy(target, &point, sizeof point);
      target += d;
    }
  }
  void project_points() {
    double mu[per_contact * FewContacts::most];
    for (Index c = 0; c < problem_.contacts(); ++c)
      std::fill_n(mu + per_contact * c, Index{per_contact}, problem_.mu(c));
    project_on_cones(mu, per_contact * problem_.contacts(), points_);
  }
  Entries projected(Index c, Point point) const {
    return load(points_ + d * (per_contact * c + point));
  }

  const FewContacts& problem_;
  double inverse_[FewContacts::most];
  Entries r_[FewContacts::most], z_[FewContacts::most];        ///< Impulses, physical and scaled.
  Entries u_[FewContacts::most], opposite_[FewContacts::most]; ///< Scaled; -û.
  double points_[d * per_contact * FewContacts::most + 1];
};

/// What does not need the model: errors relative to |F(0)|. Without anything to do at zero impulses
/// an answer that is exact up to rounding scores 0 and any other infinity.
Quality quality_of(const Parts& parts, double reference, double rounding) {
  const auto relative_to = [](double value, double size, double exact) {
    if (size > 0) return value / size;
    return value <= exact ? 0.0 : std::numeric_limits<double>::infinity();
  };
  const auto relative = [&](double squared) {
    return relative_to(std::sqrt(squared), reference, rounding);
  };
  Quality quality;
  quality.error = relative(parts.residual);
  quality.violation = parts.violation;
  quality.primal = relative(parts.primal);
  quality.dual = relative(parts.dual);
  quality.complementarity =
      relative_to(parts.complementarity, reference * reference, rounding * rounding);
  quality.objective = parts.objective;
  return quality;
}

} // namespace

Measure parse_measure(std::string_view text) {
  if (text == "talus") return Measure::talus;
  if (text == "fclib") return Measure::fclib;
  throw InvalidArgument("unknown measure '" + std::string(text) + "'; known: talus, fclib");
}

std::string_view to_string(Measure measure) {
  return measure == Measure::talus ? "talus" : "fclib";
}

Quality judge(const ContactProblem& problem, const DelassusOperator& n, ConstSpan x) {
  const ScaledProblem scaled(problem, n);
  Vector z(n.size()), u(n.size());
  return judge(scaled, x, z, u);
}

Quality judge(const ScaledProblem& scaled, ConstSpan x, Span z, Span u) {
  const ContactProblem& problem = scaled.problem();
  scaled.to_scaled(x, z);
  scaled.product(z, u);
  const Parts parts = sum_parts(scaled, z, u);
  Quality quality = quality_of(parts, scaled.reference(), scaled.rounding());
  if (const auto* global = std::get_if<GlobalModel>(&problem.model))
    quality.momentum = momentum_imbalance(*global, scaled.delassus(), x);
  quality.error_fclib = quality.momentum + scaled.fclib_error_of(parts.physical);
  return quality;
}

Quality judge(const FewContacts& problem, ConstSpan x, Span u) {
  assert(problem.has_round_cones() && problem.contacts() > 0);
  const FewContactSums sums(problem, x);
  sums.copy_velocities(u);
  const Parts parts = sums.sum();
  Quality quality = quality_of(parts, problem.reference(), problem.rounding());
  quality.error_fclib =
      parts.physical.error(FewContacts::dimension, true, problem.free_velocity_norm());
  return quality;
}

} // namespace talus
