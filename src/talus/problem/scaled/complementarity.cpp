#include "talus/problem/scaled/complementarity.h"

#include <algorithm>
#include <cmath>

namespace talus {

void complementarity_products(const ScaledProblem& problem, ConstSpan z, ConstSpan u,
                              Span products) {
  // z·u = r·u: the scaling cancels.
  const int d = problem.dimension();
  for (Index c = 0; c < problem.contacts(); ++c) {
    const ContactSet set = problem.own_set(c);
    double velocity[max_dimension];
    std::copy_n(&u[d * c], d, velocity);
    velocity[0] -= problem.frozen_tilt(c);
    products[c] = support(set, velocity);
    for (int i = 0; i < d; ++i) products[c] += z[d * c + i] * velocity[i];
    if (problem.is_tilted()) products[c] += z[d * c] * tilt(set, velocity);
  }
}

Vector complementarity_products(const ContactProblem& problem, const DelassusOperator& n,
                                ConstSpan x) {
  const ScaledProblem scaled(problem, n);
  Vector z(n.size()), u(n.size()), products(scaled.contacts());
  scaled.to_scaled(x, z);
  scaled.velocity(z, u);
  complementarity_products(scaled, z, u, products);
  return products;
}

ComplementarityStatistics statistics_of(ConstSpan products) {
  ComplementarityStatistics statistics;
  if (products.empty()) return statistics;
  for (double f : products) {
    statistics.mean += f / static_cast<double>(products.size());
    statistics.largest = std::max(statistics.largest, std::abs(f));
  }
  for (double f : products) {
    const double off = f - statistics.mean;
    statistics.deviation += off * off / static_cast<double>(products.size());
  }
  statistics.deviation = std::sqrt(statistics.deviation);
  return statistics;
}

ComplementarityStatistics complementarity_statistics(const ContactProblem& problem,
                                                     const DelassusOperator& n, ConstSpan x) {
  return statistics_of(complementarity_products(problem, n, x));
}

} // namespace talus
