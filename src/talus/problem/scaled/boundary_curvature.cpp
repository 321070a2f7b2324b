#include "talus/problem/scaled/boundary_curvature.h"

#include "talus/core/elementary.h"
#include "talus/problem/scaled/contact_sum.h"

#include <cmath>

namespace talus {
namespace {

/// Share of a bound that counts as having reached it, as in tangent_cone.h.
constexpr double reached = 1 - 1e-12;

double contact_curvature(const ContactSet& set, const double* z, const double* u, const double* p,
                         const double* q) {
  const double friction = hypotenuse(z[1], z[2]);
  const bool cone = set.set.kind == FrictionKind::cone;
  if (!(friction > 0) || friction < reached * (cone ? set.mu * z[0] : set.bound)) return 0;
  const double e[2] = {z[1] / friction, z[2] / friction};
  double multiplier = -(u[1] * e[0] + u[2] * e[1]);
  if (cone) multiplier = (multiplier + set.mu * u[0]) / (1 + set.mu * set.mu);
  if (!(multiplier > 0)) return 0;
  const double along_p = p[1] * e[0] + p[2] * e[1], along_q = q[1] * e[0] + q[2] * e[1];
  return multiplier / friction * (p[1] * q[1] + p[2] * q[2] - along_p * along_q);
}

} // namespace

double boundary_curvature(const ScaledProblem& problem, ConstSpan z, ConstSpan u, ConstSpan p,
                          ConstSpan q) {
  if (problem.dimension() != 3) return 0;
  const FrictionKind kind = problem.set_kind();
  if (kind != FrictionKind::cone && kind != FrictionKind::cylinder) return 0;
  return sum_over_contacts(
      problem,
      [&](Index begin, Index end) {
        double sum = 0;
        for (Index c = begin; c < end; ++c)
          sum +=
              contact_curvature(problem.contact_set(c), &z[3 * c], &u[3 * c], &p[3 * c], &q[3 * c]);
        return sum;
      },
      512);
}

} // namespace talus
