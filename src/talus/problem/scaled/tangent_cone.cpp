#include "talus/problem/scaled/tangent_cone.h"

#include "talus/core/elementary.h"
#include "talus/core/parallel.h"

#include <cmath>
#include <numbers>

namespace talus {
namespace {

/// Shares of a bound that count as having reached it.
constexpr double reached = 1 - 1e-12;

/// Outward normals (unit) of the constraints active at a point, at most the normal's and two
/// facets'.
struct ActiveConstraints {
  double normal[3][3] = {};
  int count = 0;

  void add(double n, double t, double o) {
    const double length = std::sqrt(n * n + t * t + o * o);
    normal[count][0] = n / length;
    normal[count][1] = t / length;
    normal[count][2] = o / length;
    ++count;
  }
};

double dot3(const double* a, const double* b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/// `size` is the length of the direction that was projected: what is left of it carries its
/// rounding.
bool satisfies(const ActiveConstraints& active, const double* d, double size) {
  for (int i = 0; i < active.count; ++i)
    if (dot3(active.normal[i], d) > 1e-13 * size) return false;
  return true;
}

/// Removes the components of d along one normal, or along the span of two.
void remove(const double* a, double* d) {
  const double along = dot3(a, d);
  for (int i = 0; i < 3; ++i) d[i] -= along * a[i];
}

/// Nearest point of { y : normal·y <= 0 for all active normals }: the first face, in order of
/// growing codimension, whose projection is feasible with non-negative multipliers.
void project_on_halfspaces(const ActiveConstraints& active, double* d) {
  const double size = std::sqrt(dot3(d, d));
  if (satisfies(active, d, size)) return;
  for (int i = 0; i < active.count; ++i) {
    if (dot3(active.normal[i], d) <= 0) continue;
    double trial[3] = {d[0], d[1], d[2]};
    remove(active.normal[i], trial);
    if (!satisfies(active, trial, size)) continue;
    for (int k = 0; k < 3; ++k) d[k] = trial[k];
    return;
  }
  for (int i = 0; i < active.count; ++i)
    for (int j = i + 1; j < active.count; ++j) {
      // Along the edge shared by both half-spaces.
      const double* a = active.normal[i];
      const double* b = active.normal[j];
      const double edge[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
                              a[0] * b[1] - a[1] * b[0]};
      const double length = dot3(edge, edge);
      if (length == 0) continue;
      const double along = dot3(edge, d) / length;
      const double trial[3] = {along * edge[0], along * edge[1], along * edge[2]};
      // Multipliers of the removed part d - trial = α a + β b.
      const double ab = dot3(a, b), rest[3] = {d[0] - trial[0], d[1] - trial[1], d[2] - trial[2]};
      const double alpha = dot3(a, rest) - ab * dot3(b, rest),
                   beta = dot3(b, rest) - ab * dot3(a, rest);
      if (alpha < 0 || beta < 0 || !satisfies(active, trial, size)) continue;
      for (int k = 0; k < 3; ++k) d[k] = trial[k];
      return;
    }
  for (int k = 0; k < 3; ++k) d[k] = 0;
}

/// Adds the facets of the cross section that x has reached. `slope` is mu for cone-shaped sets,
/// where a facet's normal leans against the normal direction, and 0 for fixed bounds.
void add_reached_facets(const ContactSet& k, const double* x, double bound, double slope,
                        ActiveConstraints& active) {
  const double t = x[1], o = k.dimension == 3 ? x[2] : 0.0;
  if (k.dimension == 2) {
    if (std::abs(t) >= reached * bound) active.add(-slope, std::copysign(1.0, t), 0);
    return;
  }
  switch (k.set.kind) {
  case FrictionKind::cone:
  case FrictionKind::cylinder: {
    const double length = hypotenuse(t, o);
    if (length >= reached * bound) active.add(-slope, t / length, o / length);
    return;
  }
  case FrictionKind::pyramid:
  case FrictionKind::box:
    if (std::abs(t) >= reached * bound) active.add(-slope, std::copysign(1.0, t), 0);
    if (std::abs(o) >= reached * bound) active.add(-slope, 0, std::copysign(1.0, o));
    return;
  default:
    break;
  }
  const double apothem = cosine(std::numbers::pi / k.set.facets);
  for (int facet = 0; facet < k.set.facets && active.count < 3; ++facet) {
    const double angle = std::numbers::pi * (2 * facet + 1) / k.set.facets;
    const double a = cosine(angle), b = sine(angle);
    if (a * t + b * o >= reached * apothem * bound) active.add(-slope * apothem, a, b);
  }
}

} // namespace

void project_on_tangent_cone(const ContactSet& k, const double* x, const double* d, double* y) {
  const int dimension = k.dimension;
  double direction[3] = {};
  for (int i = 0; i < dimension; ++i) direction[i] = d[i];
  const auto store = [&] {
    for (int i = 0; i < dimension; ++i) y[i] = direction[i];
  };
  const bool cone = is_cone_shaped(k.set.kind);
  const double bound = cone ? k.mu * x[0] : k.bound;

  if (dimension == 1 || k.set.kind == FrictionKind::none || (cone && k.mu == 0) ||
      (!cone && k.bound == 0)) {
    // No room for friction: only the normal component moves.
    direction[0] = x[0] <= 0 ? std::max(0.0, direction[0]) : direction[0];
    direction[1] = direction[2] = 0;
    return store();
  }
  if (cone && x[0] <= 0) return project(k, d, y); // at the apex the tangent cone is K itself

  if (cone) {
    ActiveConstraints active;
    add_reached_facets(k, x, bound, k.mu, active);
    project_on_halfspaces(active, direction);
    return store();
  }
  // A fixed-bound set is a product: the normal half-line and the cross section are treated apart.
  ActiveConstraints active;
  add_reached_facets(k, x, bound, 0.0, active);
  const double normal = x[0] <= 0 ? std::max(0.0, direction[0]) : direction[0];
  direction[0] = 0;
  project_on_halfspaces(active, direction);
  direction[0] = normal;
  store();
}

void project_on_tangent_cone(const ScaledProblem& problem, ConstSpan z, ConstSpan d, Span y) {
  const int dimension = problem.dimension();
  parallel_for(
      problem.contacts(),
      [&](Index begin, Index end) {
        for (Index c = begin; c < end; ++c)
          project_on_tangent_cone(problem.contact_set(c), &z[dimension * c], &d[dimension * c],
                                  &y[dimension * c]);
      },
      512);
  for (Index j = 0; j < problem.equalities(); ++j) {
    const Index i = dimension * problem.contacts() + j;
    // A step of the interval's own size cannot leave it in both directions.
    const bool at_lower = problem.project_row(j, z[i] - std::abs(z[i]) - 1) == z[i];
    const bool at_upper = problem.project_row(j, z[i] + std::abs(z[i]) + 1) == z[i];
    y[i] = (at_lower && d[i] < 0) || (at_upper && d[i] > 0) ? 0.0 : d[i];
  }
}

} // namespace talus
