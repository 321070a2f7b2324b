#include "preclik2009.h"

#include "talus/solve/normal_estimate.h"

#include <fmt/format.h>

namespace talus::experiments {

ContactProblem settling_spheres(const Context& context) {
  SpherePile pile;
  pile.spheres = context.sized<Index>(150, 470);
  pile.container_radius = context.sized(0.45, 0.7);
  pile.in_box = true;
  pile.friction = 0.8;
  pile.seconds = 0.35;
  return settled_problem(pile, context, fmt::format("preclik2009-{}", pile.spheres));
}

ContactProblem with_model(const ContactProblem& settling, FrictionKind kind) {
  ContactProblem problem = settling;
  problem.law = Law::coulomb;
  problem.friction.kind = kind;
  if (has_fixed_bound(kind)) problem.normal_estimate = estimate_normal_impulses(problem);
  return problem;
}

std::string described(const ContactProblem& problem) {
  return fmt::format(
      "{} contacts of spheres settling in a box, not yet at rest, μ = 0.8 (1702 contacts in the "
      "paper).",
      problem.contacts());
}

} // namespace talus::experiments
