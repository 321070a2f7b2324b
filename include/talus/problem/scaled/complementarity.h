#pragma once
// How well complementarity is satisfied, contact by contact (heyn2013 fig. 9: f_i = γ_i (Nγ +
// r)_i).

#include "talus/problem/scaled/scaled_problem.h"

namespace talus {

/// Of f_c = r_c·û_c + support_c, which is zero for a solution: for frictionless contacts the
/// paper's γ_i (Nγ + r)_i, for cones r_c·û_c with the law's tilted velocity, and for fixed bounds
/// what maximum dissipation still leaves. An energy, in joules. Negative values mean penetrating
/// velocities.
struct ComplementarityStatistics {
  double mean = 0;
  double deviation = 0; ///< Standard deviation, of the contacts as a whole population.
  double largest = 0;   ///< max |f_c|.
};

ComplementarityStatistics statistics_of(ConstSpan products);

/// f_c for each contact. One product with N.
Vector complementarity_products(const ContactProblem& problem, const DelassusOperator& n,
                                ConstSpan x);
/// The same at a scaled iterate z with velocity u, for the problem itself whatever is frozen. No
/// product.
void complementarity_products(const ScaledProblem& problem, ConstSpan z, ConstSpan u,
                              Span products);

ComplementarityStatistics complementarity_statistics(const ContactProblem& problem,
                                                     const DelassusOperator& n, ConstSpan x);

} // namespace talus
