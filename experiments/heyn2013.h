#pragma once
// What the experiments of heyn2013 share: its four methods, frictionless problems, equal
// iterations.

#include "solver_runs.h"
#include "sphere_pile.h"

#include <map>

namespace talus::experiments {

/// Jacobi, GPMINRES, P-SPG-FB and Kučera, as the paper's figures have them.
std::vector<SolverRun> heyn_methods();

/// The settled pile as a frictionless problem (heyn2013 eq. 11), kept under `name`.
ContactProblem frictionless_pile(const Context& context, const std::string& name,
                                 const SpherePile& pile);

/// Recorded runs of the methods with an equal number of iterations, by solver.
std::map<std::string, Json> run_heyn_methods(const Context& context, const std::string& key,
                                             const ContactProblem& problem, long iterations);

/// The least objective of all of them.
double least_objective(const std::map<std::string, Json>& runs);

} // namespace talus::experiments
