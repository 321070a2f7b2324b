#include "talus/problem/quality.h"

#include "talus/core/error.h"
#include "talus/core/parallel.h"
#include "talus/core/vector_ops.h"
#include "talus/problem/contact_set.h"
#include "talus/problem/scaled_problem.h"

#include <algorithm>
#include <cmath>
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

/// Squared distance of z to P(z) where `projected` is P(z).
double squared_distance(const double* z, const double* projected, int dimension) {
  double sum = 0;
  for (int i = 0; i < dimension; ++i) sum += (z[i] - projected[i]) * (z[i] - projected[i]);
  return sum;
}

/// The sums over contacts in scaled variables, where rho = 1.
struct Parts {
  double residual = 0, primal = 0, dual = 0, complementarity = 0, violation = 0;
  Parts& operator+=(const Parts& other) {
    residual += other.residual;
    primal += other.primal;
    dual += other.dual;
    complementarity += other.complementarity;
    include_violation(other.violation);
    return *this;
  }
  /// A NaN must win every comparison.
  void include_violation(double value) {
    if (!(value <= violation)) violation = value;
  }
};

void add_contact(const ScaledProblem& problem, Index c, const double* z, const double* u,
                 Parts& parts) {
  const int d = problem.dimension();
  const ContactSet set = problem.contact_set(c);
  double tilted[3], trial[3], projected[3], gap = support(set, u);
  for (int i = 0; i < d; ++i) tilted[i] = u[i];
  if (problem.is_tilted()) tilted[0] += tilt(set, u);
  for (int i = 0; i < d; ++i) {
    trial[i] = z[i] - tilted[i];
    gap += z[i] * tilted[i];
  }
  project(set, trial, projected);
  const double residual = squared_distance(z, projected, d);
  parts.residual += residual;
  // |F_c| / rho_c in physical variables is |F_c| / s_c in scaled ones.
  parts.include_violation(std::sqrt(residual) / problem.scale()[c]);
  project(set, z, projected);
  parts.primal += squared_distance(z, projected, d);
  project_dual(set, tilted, projected);
  parts.dual += squared_distance(tilted, projected, d);
  parts.complementarity += std::abs(gap);
}

Parts sum_parts(const ScaledProblem& problem, ConstSpan z, ConstSpan u) {
  const int d = problem.dimension();
  Parts parts = parallel_sum<Parts>(
      problem.contacts(),
      [&](Index begin, Index end) {
        Parts partial;
        for (Index c = begin; c < end; ++c) add_contact(problem, c, &z[d * c], &u[d * c], partial);
        return partial;
      },
      256);
  for (Index j = 0; j < problem.equalities(); ++j) {
    const Index i = d * problem.contacts() + j;
    const double f = z[i] - problem.project_row(j, z[i] - u[i]);
    const double outside = z[i] - problem.project_row(j, z[i]);
    parts.include_violation(std::abs(f) / problem.scale()[problem.contacts() + j]);
    parts.residual += f * f;
    parts.primal += outside * outside;
    if (problem.is_free_row(j)) parts.dual += u[i] * u[i];
  }
  return parts;
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
  scaled.velocity(z, u);
  const Parts parts = sum_parts(scaled, z, u);

  // Relative to |F(0)|; without anything to do at zero impulses, an answer that is exact up to
  // rounding scores 0 and any other infinity.
  const auto relative = [&scaled](double value, double power) {
    if (scaled.reference() > 0) return value / std::pow(scaled.reference(), power);
    return value <= std::pow(scaled.rounding(), power) ? 0.0
                                                       : std::numeric_limits<double>::infinity();
  };
  Quality quality;
  quality.error = relative(std::sqrt(parts.residual), 1);
  quality.violation = parts.violation;
  quality.primal = relative(std::sqrt(parts.primal), 1);
  quality.dual = relative(std::sqrt(parts.dual), 1);
  quality.complementarity = relative(parts.complementarity, 2);
  quality.objective = scaled.objective(z, u);
  if (const auto* global = std::get_if<GlobalModel>(&problem.model))
    quality.momentum = momentum_imbalance(*global, scaled.delassus(), x);
  quality.error_fclib = quality.momentum + scaled.error(z, u, Measure::fclib);
  return quality;
}

} // namespace talus
