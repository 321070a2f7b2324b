#include "talus/contact/contact_set.h"

#include "talus/contact/cross_section.h"
#include "talus/contact/projection_kernels.h"
#include "talus/contact/rolling_set.h"
#include "talus/core/error.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace talus {
namespace {

[[noreturn]] void reject_dimension(const ContactSet& k) {
  const bool moments = has_moments(k.set.kind);
  throw InvalidArgument("a contact of dimension " + std::to_string(k.dimension) + "; it must be " +
                        (moments ? "3, 5 or 6 with rolling friction" : "1, 2 or 3"));
}

void check_dimension(const ContactSet& k) {
  if (!exists_in(k.set.kind, k.dimension)) [[unlikely]]
    reject_dimension(k);
}

/// The kind that describes K without redundancy: without tangents only the ray is left, and in the
/// plane every cross section is the interval [-1,1], where the round sets are the cheapest.
FrictionKind effective_kind(const ContactSet& k) {
  check_dimension(k);
  if (k.dimension >= 3) return k.set.kind;
  if (k.dimension == 1) return FrictionKind::none;
  if (is_cone_shaped(k.set.kind)) return FrictionKind::cone;
  return has_fixed_bound(k.set.kind) ? FrictionKind::cylinder : FrictionKind::none;
}

double length_of_tangent(int dimension, const double* x) {
  return dimension == 3   ? tangential_length<3>(x)
         : dimension == 2 ? tangential_length<2>(x)
                          : tangential_length<1>(x);
}

SectionFacet facet_towards(const FrictionSet& set, const double* x_t) {
  const Tangential x = {x_t[0], x_t[1]};
  return set.kind == FrictionKind::pyramid ? square_facet(x) : polygon_facet(set.facets, x);
}

/// Sign of value: 1, -1, 0 or NaN.
double sign(double value) {
  return value > 0 ? 1 : value < 0 ? -1 : value;
}

/// The face of a polyhedral cone nearest to x, and the height (normal component) of the projection
/// where it lies on a facet or on an edge.
enum class Face { interior, facet, edge, apex };
struct NearestFace {
  Face face;
  double height = 0;
};

/// In the sector of `facet` the cone is { across <= mu apothem n } with the edge
/// (1, mu apothem, mu half_edge) in (normal, across, along). The projection is 0 exactly where the
/// polar cone's most violated generator, that edge, has x on its far side. NaN ends as an edge of
/// height NaN. The comparisons are strict so that the derivative of a cone without interior
/// (mu = 0) is found on its edge.
NearestFace nearest_face(double mu, double n, const SectionFacet& facet) {
  const double apothem = mu * facet.apothem, half_edge = mu * facet.half_edge;
  const double edge = n + apothem * facet.across + half_edge * facet.along;
  if (edge <= 0) return {Face::apex};
  if (facet.across < apothem * n) return {Face::interior};
  const double height = (n + apothem * facet.across) / (1 + apothem * apothem);
  if (facet.along < half_edge * height) return {Face::facet, height};
  return {Face::edge, edge / (1 + apothem * apothem + half_edge * half_edge)};
}

void write_in_facet_axes(const SectionFacet& facet, double across, double along, double* y_t) {
  y_t[0] = across * facet.normal.t + along * facet.edge.t;
  y_t[1] = across * facet.normal.o + along * facet.edge.o;
}

void project_on_polyhedral_cone(const ContactSet& k, const double* x, double* y) {
  const SectionFacet facet = facet_towards(k.set, x + 1);
  const NearestFace nearest = nearest_face(k.mu, x[0], facet);
  const double across = k.mu * facet.apothem * nearest.height;
  switch (nearest.face) {
  case Face::interior:
    std::copy_n(x, 3, y);
    return;
  case Face::apex:
    std::fill_n(y, 3, 0.0);
    return;
  case Face::facet:
    write_in_facet_axes(facet, across, facet.along, y + 1);
    break;
  case Face::edge:
    write_in_facet_axes(facet, across, k.mu * facet.half_edge * nearest.height, y + 1);
    break;
  }
  y[0] = nearest.height;
}

/// Written so that NaN, for which no comparison holds, is passed on.
void project_on_prism(const ContactSet& k, const double* x, double* y) {
  const SectionFacet facet = facet_towards(k.set, x + 1);
  const double across = k.bound * facet.apothem;
  const double half_edge = k.bound * facet.half_edge;
  std::copy_n(x, 3, y);
  y[0] = positive_part(y[0]);
  if (facet.across > across)
    write_in_facet_axes(facet, across, facet.along > half_edge ? half_edge : facet.along, y + 1);
}

void project_in_space(const ContactSet& k, const double* x, double* y) {
  switch (k.set.kind) {
  case FrictionKind::cone:
    return project_on_cone<3>(k.mu, x, y);
  case FrictionKind::none:
    return project_on_ray<3>(x, y);
  case FrictionKind::box:
    return project_on_box<3>(k.bound, x, y);
  case FrictionKind::cylinder:
    return project_on_cylinder<3>(k.bound, x, y);
  case FrictionKind::prism:
    return project_on_prism(k, x, y);
  case FrictionKind::pyramid:
  case FrictionKind::polyhedron:
    return project_on_polyhedral_cone(k, x, y);
  case FrictionKind::rolling:
    return project_on_rolling_cone(k, x, y);
  }
}

void project_in_plane(const ContactSet& k, const double* x, double* y) {
  if (is_cone_shaped(k.set.kind)) return project_on_cone<2>(k.mu, x, y);
  if (has_fixed_bound(k.set.kind)) return project_on_box<2>(k.bound, x, y);
  project_on_ray<2>(x, y);
}

/// jacobian += weight d dᵀ, in an order that keeps it symmetric to the last bit.
void add_outer(double weight, const double* d, int dimension, double* jacobian) {
  for (int i = 0; i < dimension; ++i)
    for (int j = 0; j < dimension; ++j) jacobian[i * dimension + j] += weight * (d[i] * d[j]);
}

/// jacobian += weight on the diagonal from entry `first` on.
void add_diagonal(double weight, int first, int dimension, double* jacobian) {
  for (int i = first; i < dimension; ++i) jacobian[i * dimension + i] += weight;
}

/// With e = x_t/|x_t| and the projection at height h on the ray (1, mu e),
///   J = (1, mu e)(1, mu e)ᵀ / (1 + mu²) + (mu h / |x_t|) (I - e eᵀ) on the tangents.
/// Without a direction e (mu = 0 on the axis) the second term and mu e vanish.
void add_cone_jacobian(double mu, const double* x, int dimension, double* jacobian) {
  const double length = length_of_tangent(dimension, x);
  if (mu * length <= -x[0]) return;
  if (length < mu * x[0]) return add_diagonal(1, 0, dimension, jacobian);
  double ray[3] = {1, 0, 0}, e[3] = {0, 0, 0};
  if (length > 0) {
    for (int i = 1; i < dimension; ++i) {
      e[i] = x[i] / length;
      ray[i] = mu * e[i];
    }
    const double height = (x[0] + mu * length) / (1 + mu * mu);
    const double turn = std::min(mu * height / length, 1.0);
    add_diagonal(turn, 1, dimension, jacobian);
    add_outer(-turn, e, dimension, jacobian);
  }
  add_outer(1 / (1 + mu * mu), ray, dimension, jacobian);
}

/// On the tangents: I inside, (bound / |x_t|) (I - e eᵀ) outside.
void add_disc_jacobian(double bound, const double* x, int dimension, double* jacobian) {
  const double length = length_of_tangent(dimension, x);
  if (length < bound) return add_diagonal(1, 1, dimension, jacobian);
  if (bound == 0) return;
  double e[3] = {0, 0, 0};
  for (int i = 1; i < dimension; ++i) e[i] = x[i] / length;
  add_diagonal(bound / length, 1, dimension, jacobian);
  add_outer(-bound / length, e, dimension, jacobian);
}

/// The orthogonal projector on the span of the nearest face.
void add_polyhedral_cone_jacobian(const ContactSet& k, const double* x, double* jacobian) {
  const SectionFacet facet = facet_towards(k.set, x + 1);
  switch (nearest_face(k.mu, x[0], facet).face) {
  case Face::apex:
    return;
  case Face::interior:
    return add_diagonal(1, 0, 3, jacobian);
  case Face::facet: {
    const double apothem = k.mu * facet.apothem;
    const double normal[3] = {-apothem, facet.normal.t, facet.normal.o};
    add_diagonal(1, 0, 3, jacobian);
    return add_outer(-1 / (1 + apothem * apothem), normal, 3, jacobian);
  }
  case Face::edge: {
    const Tangential vertex = facet.vertex();
    const double ray[3] = {1, k.mu * vertex.t, k.mu * vertex.o};
    return add_outer(1 / (1 + ray[1] * ray[1] + ray[2] * ray[2]), ray, 3, jacobian);
  }
  }
}

void add_polygon_jacobian(const ContactSet& k, const double* x, double* jacobian) {
  const SectionFacet facet = facet_towards(k.set, x + 1);
  if (facet.across < k.bound * facet.apothem) return add_diagonal(1, 1, 3, jacobian);
  const double edge[3] = {0, facet.edge.t, facet.edge.o};
  if (facet.along < k.bound * facet.half_edge) add_outer(1, edge, 3, jacobian);
}

/// max { -s·u_t : s ∈ S }; S = -S, so the sign does not matter.
double section_support(const ContactSet& k, const double* u) {
  switch (effective_kind(k)) {
  case FrictionKind::none:
    return 0;
  case FrictionKind::cone:
  case FrictionKind::cylinder:
    return length_of_tangent(k.dimension, u);
  case FrictionKind::box:
  case FrictionKind::pyramid:
    return std::abs(u[1]) + std::abs(u[2]);
  case FrictionKind::prism:
  case FrictionKind::polyhedron:
    return facet_towards(k.set, u + 1).support();
  case FrictionKind::rolling: // three sizes, which rolling_tilt() has
    break;
  }
  return 0;
}

bool has_nan(int dimension, const double* x) {
  return std::any_of(x, x + dimension, [](double value) { return std::isnan(value); });
}

} // namespace

void project(const ContactSet& k, const double* x, double* y) {
  switch (k.dimension) {
  case 3:
    return project_in_space(k, x, y);
  case 2:
    return project_in_plane(k, x, y);
  case 1:
    return project_on_ray<1>(x, y);
  default:
    check_dimension(k);
    return project_on_rolling_cone(k, x, y);
  }
}

void project_weighted(const ContactSet& k, double weight_n, double weight_t, const double* x,
                      double* y) {
  // Products of a normal and a tangential set: the weights do not couple the two.
  if (!is_cone_shaped(k.set.kind)) return project(k, x, y);
  check_dimension(k);
  // In (x_n, ratio x_t) the norm is Euclidean up to a factor and K is the cone of mu ratio.
  const double ratio = std::sqrt(weight_t / weight_n);
  ContactSet stretched = k;
  stretched.mu *= ratio;
  stretched.rolling *= ratio;
  stretched.spinning *= ratio;
  double z[max_dimension] = {x[0]};
  for (int i = 1; i < k.dimension; ++i) z[i] = ratio * x[i];
  project(stretched, z, z);
  y[0] = z[0];
  for (int i = 1; i < k.dimension; ++i) y[i] = z[i] / ratio;
}

void project_dual(const ContactSet& k, const double* x, double* y) {
  check_dimension(k);
  if (!is_cone_shaped(k.set.kind)) {
    std::copy_n(x, k.dimension, y);
    y[0] = positive_part(y[0]);
    return;
  }
  // Moreau: x = P_{K*}(x) - P_K(-x).
  double opposite[max_dimension] = {};
  for (int i = 0; i < k.dimension; ++i) opposite[i] = -x[i];
  project(k, opposite, opposite);
  for (int i = 0; i < k.dimension; ++i) y[i] = x[i] + opposite[i];
}

void project_polar(const ContactSet& k, const double* x, double* y) {
  check_dimension(k);
  double opposite[max_dimension] = {};
  for (int i = 0; i < k.dimension; ++i) opposite[i] = -x[i];
  project_dual(k, opposite, opposite);
  for (int i = 0; i < k.dimension; ++i) y[i] = -opposite[i];
}

void projection_jacobian(const ContactSet& k, const double* x, double* jacobian) {
  const FrictionKind kind = effective_kind(k);
  const int d = k.dimension;
  if (has_nan(d, x)) {
    std::fill_n(jacobian, d * d, std::numeric_limits<double>::quiet_NaN());
    return;
  }
  std::fill_n(jacobian, d * d, 0.0);
  if (kind == FrictionKind::rolling) return add_rolling_jacobian(k, x, jacobian);
  if (kind == FrictionKind::cone) return add_cone_jacobian(k.mu, x, d, jacobian);
  if (is_cone_shaped(kind)) return add_polyhedral_cone_jacobian(k, x, jacobian);
  jacobian[0] = x[0] > 0 ? 1 : 0;
  if (kind == FrictionKind::cylinder) return add_disc_jacobian(k.bound, x, d, jacobian);
  if (kind == FrictionKind::prism) return add_polygon_jacobian(k, x, jacobian);
  if (kind == FrictionKind::box)
    for (int i = 1; i < d; ++i) jacobian[i * d + i] = std::abs(x[i]) < k.bound ? 1 : 0;
}

double tilt(const ContactSet& k, const double* u) {
  if (k.set.kind == FrictionKind::rolling) return rolling_tilt(k, u);
  return is_cone_shaped(k.set.kind) ? k.mu * section_support(k, u) : 0;
}

void tilt_gradient(const ContactSet& k, const double* u, double* gradient) {
  const FrictionKind kind = effective_kind(k);
  const int tangents = k.dimension - 1;
  std::fill_n(gradient, tangents, 0.0);
  if (!is_cone_shaped(kind)) return;
  if (kind == FrictionKind::rolling) return rolling_tilt_gradient(k, u, gradient);
  if (kind == FrictionKind::pyramid) {
    for (int i = 0; i < 2; ++i) gradient[i] = k.mu * sign(u[1 + i]);
    return;
  }
  const double length = length_of_tangent(k.dimension, u);
  if (!(length > 0)) {
    std::fill_n(gradient, tangents, length); // 0 or NaN
    return;
  }
  if (kind == FrictionKind::cone) {
    for (int i = 0; i < tangents; ++i) gradient[i] = k.mu * (u[1 + i] / length);
    return;
  }
  const Tangential vertex = facet_towards(k.set, u + 1).vertex();
  gradient[0] = k.mu * vertex.t;
  gradient[1] = k.mu * vertex.o;
}

double gauge(const ContactSet& k, const double* x) {
  switch (effective_kind(k)) {
  case FrictionKind::none:
    return 0;
  case FrictionKind::cone:
  case FrictionKind::cylinder:
    return length_of_tangent(k.dimension, x);
  case FrictionKind::box:
  case FrictionKind::pyramid:
    return std::max(std::abs(x[1]), std::abs(x[2]));
  case FrictionKind::prism:
  case FrictionKind::polyhedron: {
    const SectionFacet facet = facet_towards(k.set, x + 1);
    return facet.across / facet.apothem;
  }
  case FrictionKind::rolling:
    return rolling_gauge(k, x);
  }
  return 0;
}

double room(const ContactSet& k, double normal) {
  if (has_moments(k.set.kind)) return normal;
  return is_cone_shaped(k.set.kind) ? k.mu * normal : k.bound;
}

bool is_frictionless(const ContactSet& k) {
  if (has_moments(k.set.kind)) return k.mu == 0 && k.rolling == 0 && k.spinning == 0;
  return k.dimension == 1 || k.set.kind == FrictionKind::none ||
         (is_cone_shaped(k.set.kind) ? k.mu == 0 : k.bound == 0);
}

double support(const ContactSet& k, const double* u) {
  return has_fixed_bound(k.set.kind) ? k.bound * section_support(k, u) : 0;
}

} // namespace talus
