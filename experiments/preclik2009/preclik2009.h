#pragma once
// What the experiments of preclik2009 share: spheres that settle in a box, with strong friction.

#include "experiments/frame/solver_runs.h"
#include "experiments/frame/sphere_pile.h"

namespace talus::experiments {

/// Spheres still moving (μ = 0.8): a mixture of sticking and sliding contacts.
ContactProblem settling_spheres(const Context& context);

/// The problem under Coulomb's law with another friction set; fixed bounds (box, cylinder) come
/// from the frictionless solution, as in the paper.
ContactProblem with_model(const ContactProblem& settling, FrictionKind kind);

/// The problem in a sentence.
std::string described(const ContactProblem& problem);

} // namespace talus::experiments
