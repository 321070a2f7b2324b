#pragma once
// What the static experiments of mazhar2014 (sec. 5.1 and 5.2) share: spheres settled in a
// container, and the race of an interior point method against APGD to one objective.

#include "experiments/frame/solver_runs.h"
#include "experiments/frame/sphere_pile.h"

namespace talus::experiments {

/// How good the steps of settling were.
enum class Settling {
  thorough, ///< Up to 10000 iterations per step.
  poor,     ///< 10 iterations per step, from zero.
};
std::string_view to_string(Settling settling);

/// h, s.
inline constexpr double mazhar_step = 5e-4;

/// The paper gives neither size nor mass nor friction of its spheres, nor the container. A pile at
/// rest has the objective -½ Σ m (h g)², so that the published -0.0232 J means 6.0 kg per sphere:
/// here they are heyn2013's, from the same group (0.1 m, 6.28 kg), with μ = 0.25, and they fall
/// from a loose grid as those do. The container is a cylinder just wide enough for the 64 spheres
/// of the smallest system to lie on its floor, and gaps up to 15 mm count as contacts, which fits
/// the piles of heyn2013, too. Grid, radius and gap were fitted to the published contacts of 64,
/// 320 and 2560 spheres, so that those counts, and the objective at rest, are no independent tests.
/// From a dense grid the smaller piles lie in layers, and no gap fits all three counts.
SpherePile mazhar_pile(Index spheres);
/// The same for the reader of a report.
inline constexpr std::string_view fitted_pile =
    " The paper gives neither container nor spheres: how loosely they start, the container's "
    "radius (1.1 m) and the contact gap (15 mm) were fitted to its contacts of 64, 320 and 2560 "
    "spheres, the mass (6.28 kg) agrees with its objective at rest; that these are met is no "
    "independent finding.";

/// As in the paper: settled for 4 s in steps of h under the relaxed law. Associated problem.
ContactProblem settled_for_long(const Context& context, Index spheres, Settling settling);
/// Settled with larger steps for 2 s; the problem itself has the paper's step. A single layer is
/// taken after 1 s: its spheres roll on for long, and the longer they do the more of them meet (82
/// contacts of 64 spheres after 1 s, 96 after 2 s).
ContactProblem settled_quickly(const Context& context, Index spheres);

/// The interior point method, and APGD until it has nearly (to 4·10⁻⁵, as in the paper) the same
/// objective.
struct Race {
  Json interior, apgd;  ///< Recorded runs; APGD's velocity errors are against the other's answer.
  double objective = 0; ///< Of the interior point.
  Reached reached;      ///< By APGD.
};
Race race(const Context& context, const std::string& key, const ContactProblem& problem,
          long most_iterations);

/// What both take without recording, in processor time (s): other work on the machine does not
/// distort it much. The least of up to three runs; infinite for APGD if it did not get there.
struct RaceTimes {
  double interior, apgd;
};
RaceTimes race_times(const Context& context, const std::string& key, const ContactProblem& problem,
                     const Race& race);

/// ½ v'Mv of the bodies at the start of the step, from the problem alone: v = M⁻¹k - h g.
double kinetic_energy_before(const ContactProblem& problem);
/// The primal objective ½ v'Mv - k'v of the velocities before the step.
double primal_objective_before(const ContactProblem& problem);

} // namespace talus::experiments
