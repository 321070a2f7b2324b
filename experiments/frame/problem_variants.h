#pragma once
// Problems made from others: without friction, normal rows alone, in the plane.

#include "talus/problem/contact_problem.h"

#include <functional>

namespace talus::experiments {

/// The problem without friction, under the associated law, which then is Coulomb's too.
ContactProblem without_friction(ContactProblem problem);

/// The normal rows of a problem in space, without friction, as a linear complementarity problem;
/// only those of the contacts for which `keep` is true (none given: all).
ContactProblem normal_rows(const ContactProblem& problem,
                           const std::function<bool(Index contact)>& keep = {});

/// The step of a world that is confined to the plane y = 0 as a problem in the plane: three
/// velocities per body (x, z and the rotation), two rows per contact. The friction cone is then a
/// pyramid, so that every solver for polyhedral friction admits it exactly.
ContactProblem in_plane(const ContactProblem& rigid);

} // namespace talus::experiments
