#pragma once
// Poisson's law of impact: the normal impulse of a contact while it is being compressed acts once
// more, e times, while it expands.
//
// For the instant of an impact, without forces and with rigid contacts, v⁻ is the velocity before,
// and contacts that touch or are about to (w_n = 0 in place of gap/h) are first stopped,
//
//     M (v_c − v⁻) = D r_c + G l_c,          K ∋ r_c ⊥ û(v_c) ∈ K*        compression
//     M (v_e − v_c) = D (e r_cn n + r̃) + G l_e,   K ∋ r̃ ⊥ û(v_e) ∈ K*        expansion
//
// (Pfeiffer and Glocker 1996, Anitescu and Potra 1997). What r̃ adds keeps other contacts from
// closing. The normal velocities u_n(v_e) > 0 of contacts with r_cn > 0 are the speeds at which the
// step lets its contacts rebound, in place of Newton's e |u_n⁻|; contacts that struck and do not
// rebound are stopped, whatever their gap. Forces, gaps, friction and the
// bound on energy (impact_energy.h) are as there. So friction is bounded by the normal impulse of
// the whole impact. Unlike Newton's law it also lets contacts rebound that were at rest, as those
// in Newton's cradle.

#include "talus/problem/contact_problem.h"
#include "talus/solve/solver.h"
#include "talus/step/assembly/step_problem.h"

#include <functional>
#include <vector>

namespace talus {

struct PoissonInput {
  ContactProblem& problem;   ///< Of the step: a RigidModel.
  ConstSpan velocity_before; ///< v⁻, six per body of the problem.
  ConstSpan restitution;     ///< e of each contact.
  double threshold;          ///< Slower rebounds are none, m/s.
  std::function<SolveResult(ContactProblem& part, const Vector& start)> solve;
  // Where the problem is divided over ranks.
  /// Instead of pull_together() (laws/cohesion.h).
  std::function<void(ConstSpan pull, ContactProblem& problem)> pull = {};
  /// The largest of numbers that are not negative, one of each rank.
  std::function<double(double)> largest = {};
};

/// Replaces the rebounds of a step, which are Newton's, with Poisson's, in the list and in the w
/// and E of the problem; where a solve gives no answer all stays as it is. Two solves, whose
/// iterations are returned.
long find_poisson_rebounds(const PoissonInput& input, std::vector<Rebound>& rebounds);

} // namespace talus
