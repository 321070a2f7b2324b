#include "talus/solve/newton/newton_functions.h"

#include "talus/contact/projection_kernels.h"
#include "talus/core/vector_ops.h"

#include <algorithm>
#include <limits>

namespace talus {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// lo <= z <= hi and the derivative of hi = -lo by the normal impulse, where it varies.
struct Bounds {
  double lo, hi, slope;
};

Bounds bounds_of(const ContactSet& set, double normal, int component) {
  if (component == 0) return {0, infinity, 0};
  if (!is_cone_shaped(set.set.kind)) return {-set.bound, set.bound, 0};
  const double bound = set.mu * std::max(normal, 0.0);
  return {-bound, bound, normal > 0 ? set.mu : 0.0};
}

enum class Piece { velocity, lower, upper };

Piece piece_of(const Bounds& bounds, double z, double u) {
  const bool at_velocity = u < z - bounds.lo;
  if (z - bounds.hi > (at_velocity ? u : z - bounds.lo)) return Piece::upper;
  return at_velocity ? Piece::velocity : Piece::lower;
}

double value_of(Piece piece, const Bounds& bounds, double z, double u) {
  return piece == Piece::velocity ? u : z - (piece == Piece::lower ? bounds.lo : bounds.hi);
}

Bounds row_bounds(const ScaledProblem& problem, Index row) {
  return {problem.project_row(row, -infinity), problem.project_row(row, infinity), 0};
}

/// The product of a ray and the section with the given bound that replaces a cone-shaped set.
ContactSet with_fixed_bound(ContactSet set, double bound) {
  if (!is_cone_shaped(set.set.kind)) return set;
  set.set.kind = talus::with_fixed_bound(set.set.kind);
  set.bound = bound;
  return set;
}

/// The cones of most problems, whose section is a disc in space.
bool has_round_cones(const ScaledProblem& problem) {
  return is_round_cone(problem.problem().friction.kind, problem.dimension());
}

/// Jacobian of the projection of a point p on the section with the bound b = μ p_n, which varies
/// with p unless told otherwise.
void section_derivative(const ContactSet& cone, bool bound_derivative, const double* point,
                        double* jacobian) {
  const int d = cone.dimension;
  const double bound = cone.mu * std::max(point[0], 0.0);
  const ContactSet set = with_fixed_bound(cone, bound);
  projection_jacobian(set, point, jacobian);
  if (!bound_derivative || set.set.kind == cone.set.kind || !(bound > 0)) return;
  // P_{bS}(p) = b P_S(p/b), hence ∂P/∂b = (P - J p) / b.
  double projected[3];
  project(set, point, projected);
  for (int i = 1; i < d; ++i) {
    double slope = projected[i];
    for (int j = 1; j < d; ++j) slope -= jacobian[d * i + j] * point[j];
    jacobian[d * i] += cone.mu * slope / bound;
  }
}

/// The same of a disc in closed form: with e = p_t/|p_t|, P = b e outside of it.
void disc_derivative(double mu, bool bound_derivative, const double* point, double* jacobian) {
  std::fill_n(jacobian, 9, 0.0);
  if (!(point[0] > 0)) return;
  jacobian[0] = 1;
  const double bound = mu * point[0], length = tangential_length<3>(point);
  if (length < bound) {
    jacobian[4] = jacobian[8] = 1;
    return;
  }
  if (bound == 0) return;
  const double e[2] = {point[1] / length, point[2] / length}, shrink = bound / length;
  jacobian[4] = shrink * e[1] * e[1];
  jacobian[8] = shrink * e[0] * e[0];
  jacobian[5] = jacobian[7] = -shrink * e[0] * e[1];
  if (!bound_derivative) return;
  jacobian[3] = mu * e[0];
  jacobian[6] = mu * e[1];
}

} // namespace

std::string_view min_max_refusal(const ScaledProblem& problem) {
  const FrictionKind kind = problem.problem().friction.kind;
  if (problem.dimension() == 1 || kind == FrictionKind::none || kind == FrictionKind::box)
    return {};
  if (problem.dimension() == 2 && !is_cone_shaped(kind)) return {};
  if (problem.dimension() >= 3 && kind != FrictionKind::pyramid)
    return "the min-max function needs bounds for each component: none, box or pyramid in space";
  if (!problem.is_tilted())
    return "the min-max function with variable bounds is Coulomb's law, not the associated one";
  return {};
}

std::string_view alart_curnier_refusal(const ScaledProblem& problem) {
  if (has_moments(problem.problem().friction.kind))
    return "the Alart-Curnier function knows one cross section, not the discs of rolling friction";
  if (problem.dimension() == 1 || problem.is_tilted() ||
      !is_cone_shaped(problem.problem().friction.kind))
    return {};
  return "the Alart-Curnier function is Coulomb's law, not the associated one";
}

double min_max(const ScaledProblem& problem, ConstSpan z, ConstSpan u, Span f) {
  const int d = problem.dimension();
  for (Index c = 0; c < problem.contacts(); ++c) {
    const ContactSet set = problem.contact_set(c);
    for (int i = 0; i < d; ++i) {
      const Index row = d * c + i;
      const Bounds bounds = bounds_of(set, z[d * c], i);
      f[row] = value_of(piece_of(bounds, z[row], u[row]), bounds, z[row], u[row]);
    }
  }
  for (Index j = 0; j < problem.equalities(); ++j) {
    const Index row = d * problem.contacts() + j;
    const Bounds bounds = row_bounds(problem, j);
    f[row] = value_of(piece_of(bounds, z[row], u[row]), bounds, z[row], u[row]);
  }
  return norm(f);
}

void min_max_derivative(const ScaledProblem& problem, bool bound_derivative, ConstSpan z,
                        ConstSpan u, Span c, Span k) {
  const int d = problem.dimension();
  fill(c, 0.0);
  fill(k, 0.0);
  for (Index contact = 0; contact < problem.contacts(); ++contact) {
    const ContactSet set = problem.contact_set(contact);
    double* cc = &c[static_cast<std::size_t>(d) * d * contact];
    double* kc = &k[static_cast<std::size_t>(d) * d * contact];
    for (int i = 0; i < d; ++i) {
      const Index row = d * contact + i;
      const Bounds bounds = bounds_of(set, z[d * contact], i);
      const Piece piece = piece_of(bounds, z[row], u[row]);
      if (piece == Piece::velocity) {
        kc[d * i + i] = 1;
        continue;
      }
      cc[d * i + i] = 1;
      if (i > 0 && bound_derivative)
        cc[d * i] += piece == Piece::lower ? bounds.slope : -bounds.slope;
    }
  }
  const std::size_t first = static_cast<std::size_t>(d) * d * problem.contacts();
  for (Index j = 0; j < problem.equalities(); ++j) {
    const Index row = d * problem.contacts() + j;
    const bool at_velocity = piece_of(row_bounds(problem, j), z[row], u[row]) == Piece::velocity;
    (at_velocity ? k : c)[first + j] = 1;
  }
}

double alart_curnier(const ScaledProblem& problem, const Proximal& proximal, ConstSpan z,
                     ConstSpan u, Span f) {
  if (has_round_cones(problem))
    return projection_residual(problem, proximal, z, u, f, [&](Index c, double* point) {
      project_on_cylinder<3>(problem.problem().mu[c] * std::max(point[0], 0.0), point, point);
    });
  return projection_residual(problem, proximal, z, u, f, [&](Index c, double* point) {
    ContactSet set = problem.contact_set(c);
    set = with_fixed_bound(set, set.mu * std::max(point[0], 0.0));
    project(set, point, point);
  });
}

void alart_curnier_derivative(const ScaledProblem& problem, const Proximal& proximal,
                              bool bound_derivative, ConstSpan z, ConstSpan u, Span c, Span k) {
  const double step = 1 / (1 + proximal.weight);
  const int d = problem.dimension();
  const bool round = has_round_cones(problem);
  for (Index contact = 0; contact < problem.contacts(); ++contact) {
    double point[3];
    for (int i = 0; i < d; ++i) point[i] = proximal_point(proximal, d * contact + i, z, u);
    double* kc = &k[static_cast<std::size_t>(d) * d * contact];
    if (round)
      disc_derivative(problem.problem().mu[contact], bound_derivative, point, kc);
    else
      section_derivative(problem.contact_set(contact), bound_derivative, point, kc);
    double* cc = &c[static_cast<std::size_t>(d) * d * contact];
    for (int i = 0; i < d; ++i)
      for (int j = 0; j < d; ++j) {
        kc[d * i + j] *= step;
        cc[d * i + j] = (i == j ? 1.0 : 0.0) - kc[d * i + j];
      }
  }
  const std::size_t first = static_cast<std::size_t>(d) * d * problem.contacts();
  for (Index j = 0; j < problem.equalities(); ++j) {
    const Index row = d * problem.contacts() + j;
    const double point = proximal_point(proximal, row, z, u);
    k[first + j] = problem.project_row(j, point) == point ? step : 0.0;
    c[first + j] = 1 - k[first + j];
  }
}

} // namespace talus
