#include "talus/problem/scaled/quality.h"

#include "talus/contact/cone_batch.h"
#include "talus/contact/contact_set.h"
#include "talus/contact/projection_kernels.h"
#include "talus/core/error.h"
#include "talus/core/parallel.h"
#include "talus/core/vector_ops.h"
#include "talus/problem/delassus/extended_product.h"
#include "talus/problem/scaled/contact_sum.h"
#include "talus/problem/scaled/scaled_problem.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>
#include <mutex>
#include <utility>

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
  double tilted[max_dimension], trial[max_dimension], projected[max_dimension],
      gap = support(set, u);
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
  const bool round = is_round_cone(problem.problem().friction.kind, d);
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
  if (const ConstSpan lengths = problem.delassus().lengths(); !lengths.empty())
    for (Index c = begin; c < end; ++c)
      for (int i = problem.delassus().first_moment(); i < d; ++i) u[d * c + i] /= lengths[c];
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

/// The largest violation is no sum.
Parts sum_parts_over_ranks(const ScaledProblem& problem, ConstSpan z, Span u) {
  Parts worst;
  std::mutex comparing;
  Parts parts = sum_over_cells<Parts>(*problem.division(), [&](Index begin, Index end) {
    Parts part = sum_contacts(problem, begin, end, z, u);
    const std::lock_guard lock(comparing);
    worst.include_violation(std::exchange(part.violation, 0.0));
    return part;
  });
  parts.violation = problem.division()->ranks->max(worst.violation);
  return parts += sum_rows(problem, z, u);
}

Parts sum_parts(const ScaledProblem& problem, ConstSpan z, Span u) {
  static_cast<void>(problem.free_velocity()); // large problems make it now, not in the loop
  if (problem.division()) return sum_parts_over_ranks(problem, z, u);
  Parts parts = parallel_sum<Parts>(
      problem.contacts(),
      [&](Index begin, Index end) { return sum_contacts(problem, begin, end, z, u); }, 256);
  return parts += sum_rows(problem, z, u);
}

/// What does not need the model: errors relative to |F(0)|. Without anything to do at zero impulses
/// an answer that is exact up to rounding scores 0 and any other infinity.
Quality quality_of(const Parts& parts, double reference, double rounding, double resolution) {
  const auto relative_to = [](double value, double size, double exact) {
    if (size > 0) return value / size;
    return value <= exact ? 0.0 : std::numeric_limits<double>::infinity();
  };
  const auto relative = [&](double squared) {
    return relative_to(std::sqrt(squared), reference, rounding);
  };
  Quality quality;
  // Arranged so that NaN stays.
  quality.error = relative(parts.residual);
  if (quality.error < resolution) quality.error = resolution;
  quality.resolution = resolution;
  quality.violation = parts.violation;
  quality.primal = relative(parts.primal);
  quality.dual = relative(parts.dual);
  quality.complementarity =
      relative_to(parts.complementarity, reference * reference, rounding * rounding);
  quality.objective = parts.objective;
  return quality;
}

/// Sums of products round to a few dozen times the resolution: errors that are not well above it
/// are measured once more.
constexpr double cancellation = 256;

/// u = S N x in extended precision.
void scaled_extended_product(const ScaledProblem& scaled, ConstSpan x, Span u) {
  extended_product(scaled.problem(), x, u);
  scaled.to_scaled_velocity(u);
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
  const double resolution = scaled.resolution(z);
  scaled.product(z, u);
  Parts parts = sum_parts(scaled, z, u);
  // Extended precision needs the whole problem.
  if (!scaled.division() && scaled.error_of(parts.residual) < cancellation * resolution) {
    scaled_extended_product(scaled, x, u);
    parts = sum_parts(scaled, z, u);
  }
  Quality quality = quality_of(parts, scaled.reference(), scaled.rounding(), resolution);
  if (const auto* global = std::get_if<GlobalModel>(&problem.model); global && !scaled.division())
    quality.momentum = momentum_imbalance(*global, scaled.delassus(), x);
  quality.error_fclib = quality.momentum + scaled.fclib_error_of(parts.physical);
  return quality;
}

} // namespace talus
