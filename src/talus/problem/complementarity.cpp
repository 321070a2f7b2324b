#include "talus/problem/complementarity.h"

#include "talus/problem/scaled_problem.h"

#include <algorithm>
#include <cmath>

namespace talus {

Vector complementarity_products(const ContactProblem& problem, const DelassusOperator& n,
                                ConstSpan x) {
  // z·u = r·u: the scaling cancels.
  const ScaledProblem scaled(problem, n);
  const int d = scaled.dimension();
  Vector z(n.size()), u(n.size()), products(scaled.contacts());
  scaled.to_scaled(x, z);
  scaled.velocity(z, u);
  for (Index c = 0; c < scaled.contacts(); ++c) {
    const ContactSet set = scaled.contact_set(c);
    products[c] = support(set, &u[d * c]);
    for (int i = 0; i < d; ++i) products[c] += z[d * c + i] * u[d * c + i];
    if (scaled.is_tilted()) products[c] += z[d * c] * tilt(set, &u[d * c]);
  }
  return products;
}

ComplementarityStatistics complementarity_statistics(const ContactProblem& problem,
                                                     const DelassusOperator& n, ConstSpan x) {
  const Vector products = complementarity_products(problem, n, x);
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

} // namespace talus
