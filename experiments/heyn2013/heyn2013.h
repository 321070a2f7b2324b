#pragma once
// What the experiments of heyn2013 share: its four methods, frictionless problems, equal
// iterations.

#include "experiments/frame/solver_runs.h"
#include "experiments/frame/sphere_pile.h"

#include <map>

namespace talus::experiments {

/// Jacobi, GPMINRES, P-SPG-FB and Kučera, as the paper's figures have them.
std::vector<SolverRun> heyn_methods();

/// The paper gives radius and mass of the spheres and the container (sec. 5.1, 5.2), and says that
/// they were "allowed to settle" and frozen when they "had nearly settled". Here they fall from a
/// loose grid, each moved at random by up to 0.3 radii, so that they come to lie in no order: from
/// a dense grid, three layers of 1000 spheres settle into a crystal with 4.4 contacts per sphere.
/// After 2 s they have nearly settled: 0.02 J per sphere is left of the motion. Up to which gap
/// Chrono::Engine reported contacts the paper does not say: 15 mm were fitted to the contacts of
/// Test Problem 2, one gap for its three piles.
SpherePile heyn_pile(Index spheres, double container_radius);
/// The same for the reader of a report.
inline constexpr std::string_view fitted_gap =
    " The spheres fell from a loose grid at random places; gaps up to 15 mm count as contacts, "
    "which was fitted to the counts of Test Problem 2: that these are met is no independent "
    "finding.";

/// The settled pile as a frictionless problem (heyn2013 eq. 11), kept under `name`.
ContactProblem frictionless_pile(const Context& context, const std::string& name,
                                 const SpherePile& pile);

/// Recorded runs of the methods with an equal number of iterations, by solver.
std::map<std::string, Json> run_heyn_methods(const Context& context, const std::string& key,
                                             const ContactProblem& problem, long iterations);

/// The least objective of all of them.
double least_objective(const std::map<std::string, Json>& runs);

} // namespace talus::experiments
