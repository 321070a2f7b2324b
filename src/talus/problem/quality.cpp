#include "talus/problem/quality.h"

#include "talus/core/error.h"
#include "talus/core/parallel.h"
#include "talus/core/vector_ops.h"
#include "talus/problem/contact_set.h"
#include "talus/problem/projection_kernels.h"
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

/// The geometry of a contact, for add_contact: any set, ...
struct AnySet {
  ContactSet k;
  int dimension() const { return k.dimension; }
  double tilt(const double* u) const { return talus::tilt(k, u); }
  double support(const double* u) const { return talus::support(k, u); }
  void project(const double* x, double* y) const { talus::project(k, x, y); }
  void project_dual(const double* x, double* y) const { talus::project_dual(k, x, y); }
};
/// ... or the round cone in space, which most contacts are, without a call.
struct RoundCone {
  double mu;
  static constexpr int dimension() { return 3; }
  double tilt(const double* u) const { return mu * tangential_length<3>(u); }
  double support(const double*) const { return 0; }
  void project(const double* x, double* y) const { project_on_cone<3>(mu, x, y); }
  void project_dual(const double* x, double* y) const {
    const double opposite[3] = {-x[0], -x[1], -x[2]};
    project_on_cone<3>(mu, opposite, y);
    for (int i = 0; i < 3; ++i) y[i] += x[i];
  }
};

template <class Set>
void add_contact(const Set& set, bool is_tilted, double scale, const double* z, const double* u,
                 Parts& parts) {
  const int d = set.dimension();
  double tilted[3], trial[3], projected[3], gap = set.support(u);
  for (int i = 0; i < d; ++i) tilted[i] = u[i];
  if (is_tilted) tilted[0] += set.tilt(u);
  for (int i = 0; i < d; ++i) {
    trial[i] = z[i] - tilted[i];
    gap += z[i] * tilted[i];
  }
  set.project(trial, projected);
  const double residual = squared_distance(z, projected, d);
  parts.residual += residual;
  // |F_c| / rho_c in physical variables is |F_c| / s_c in scaled ones.
  parts.include_violation(std::sqrt(residual) / scale);
  set.project(z, projected);
  parts.primal += squared_distance(z, projected, d);
  set.project_dual(tilted, projected);
  parts.dual += squared_distance(tilted, projected, d);
  parts.complementarity += std::abs(gap);
}

Parts sum_parts(const ScaledProblem& problem, ConstSpan z, ConstSpan u) {
  const int d = problem.dimension();
  const bool tilted = problem.is_tilted();
  const bool round = d == 3 && problem.problem().friction.kind == FrictionKind::cone;
  Parts parts = parallel_sum<Parts>(
      problem.contacts(),
      [&](Index begin, Index end) {
        Parts partial;
        for (Index c = begin; c < end; ++c) {
          const double s = problem.scale()[c], *zc = &z[d * c], *uc = &u[d * c];
          if (round)
            add_contact(RoundCone{problem.problem().mu[c]}, tilted, s, zc, uc, partial);
          else
            add_contact(AnySet{problem.own_set(c)}, tilted, s, zc, uc, partial);
        }
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
  const auto relative_to = [](double value, double reference, double rounding) {
    if (reference > 0) return value / reference;
    return value <= rounding ? 0.0 : std::numeric_limits<double>::infinity();
  };
  const auto relative = [&](double squared) {
    return relative_to(std::sqrt(squared), scaled.reference(), scaled.rounding());
  };
  Quality quality;
  quality.error = relative(parts.residual);
  quality.violation = parts.violation;
  quality.primal = relative(parts.primal);
  quality.dual = relative(parts.dual);
  quality.complementarity =
      relative_to(parts.complementarity, scaled.reference() * scaled.reference(),
                  scaled.rounding() * scaled.rounding());
  quality.objective = scaled.objective(z, u);
  if (const auto* global = std::get_if<GlobalModel>(&problem.model))
    quality.momentum = momentum_imbalance(*global, scaled.delassus(), x);
  quality.error_fclib = quality.momentum + scaled.error(z, u, Measure::fclib);
  return quality;
}

} // namespace talus
