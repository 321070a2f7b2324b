#include "talus/problem/scaled/natural_map.h"

#include "talus/core/vector_ops.h"

namespace talus {
namespace {

void trial_point(const ContactSet& set, bool tilted, const Proximal& proximal, Index row,
                 ConstSpan z, ConstSpan u, double* point) {
  for (int i = 0; i < set.dimension; ++i) point[i] = proximal_point(proximal, row + i, z, u);
  if (tilted) point[0] -= tilt(set, &u[row]) / (1 + proximal.weight);
}

} // namespace

std::size_t block_diagonal_size(const ScaledProblem& problem) {
  const std::size_t d = problem.dimension();
  return d * d * problem.contacts() + problem.equalities();
}

double natural_map(const ScaledProblem& problem, const Proximal& proximal, ConstSpan z, ConstSpan u,
                   Span f) {
  const bool tilted = problem.is_tilted();
  return projection_residual(problem, proximal, z, u, f, [&](Index c, double* point) {
    const ContactSet set = problem.contact_set(c);
    if (tilted) point[0] -= tilt(set, &u[set.dimension * c]) / (1 + proximal.weight);
    project(set, point, point);
  });
}

void natural_map_derivative(const ScaledProblem& problem, const Proximal& proximal, ConstSpan z,
                            ConstSpan u, Span c, Span k) {
  const int d = problem.dimension();
  const bool tilted = problem.is_tilted();
  const double step = 1 / (1 + proximal.weight);
  for (Index contact = 0; contact < problem.contacts(); ++contact) {
    const ContactSet set = problem.contact_set(contact);
    double point[max_dimension], jacobian[max_dimension * max_dimension],
        gradient[max_dimension - 1] = {};
    trial_point(set, tilted, proximal, d * contact, z, u, point);
    projection_jacobian(set, point, jacobian);
    if (tilted) tilt_gradient(set, &u[d * contact], gradient);
    double* cc = &c[static_cast<std::size_t>(d) * d * contact];
    double* kc = &k[static_cast<std::size_t>(d) * d * contact];
    for (int i = 0; i < d; ++i)
      for (int j = 0; j < d; ++j) {
        const double tilted_part = j > 0 ? jacobian[d * i] * gradient[j - 1] : 0.0;
        kc[d * i + j] = step * (jacobian[d * i + j] + tilted_part);
        cc[d * i + j] = (i == j ? 1.0 : 0.0) - step * jacobian[d * i + j];
      }
  }
  const std::size_t first = static_cast<std::size_t>(d) * d * problem.contacts();
  for (Index j = 0; j < problem.equalities(); ++j) {
    const Index row = d * problem.contacts() + j;
    const double point = proximal_point(proximal, row, z, u);
    const double slope = problem.project_row(j, point) == point ? 1.0 : 0.0;
    k[first + j] = step * slope;
    c[first + j] = 1 - step * slope;
  }
}

} // namespace talus
