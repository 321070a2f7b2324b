#pragma once
// What becomes of a solve that ends with impulses out of all proportion.

#include "talus/solve/solver.h"

namespace talus {

/// For a judged answer that missed its tolerance: with impulses far larger than those that stop
/// each contact on its own, or to a small problem. Looks for contacts that contradict each other
/// (contradiction.h), island by island; where it finds some, the status becomes `infeasible` and
/// the message names them. Islands with a contradiction, or with impulses beyond
/// largest_relative_size, get the impulses of slightly compliant contacts instead, unless those in
/// hand are small and better. The result is then judged anew. Other answers stay as they are. Costs
/// some thousand products with N of the islands concerned.
void treat_infeasible(Solver& solver, const ContactProblem& problem, const DelassusOperator& n,
                      const SolveOptions& options, SolveResult& result);

} // namespace talus
