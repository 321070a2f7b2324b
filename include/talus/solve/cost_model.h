#pragma once
// What the linear algebra of solvers costs, in products with N: so that methods can be compared and
// limited without a clock, with the same decisions on every machine.

#include "talus/problem/scaled/scaled_problem.h"

namespace talus {

class CostModel {
public:
  /// O(1).
  explicit CostModel(const ScaledProblem& problem);

  /// Contacts and equality rows.
  Index blocks() const { return blocks_; }
  /// One factorisation of a Newton or interior-point system, in products.
  long factorisation() const { return factorisation_; }
  /// What the problem's counts of products and factorisations come to.
  long work(const ScaledProblem& problem) const {
    return problem.products() + factorisation_ * problem.factorisations();
  }

private:
  Index blocks_;
  long factorisation_;
};

} // namespace talus
