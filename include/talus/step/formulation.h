#pragma once
// The six formulations of a step that mazhar2014 compares (sec. 4 and 5.3): which unknowns a step
// is posed in, and with or without the relaxation of the friction law.
//
//     primal    velocities: min ½ v'Mv - k'v with the contact velocities in the dual cones
//               (conic-ip, model=primal)
//     dual      impulses: min ½ γ'Nγ + r'γ over the friction cones (conic-ip, model=dual, or any
//               other solver of the family)
//     eom       the equations of motion as a mixed complementarity problem with polyhedral friction
//               (path)
//
// with `-relaxed`: the associated law, one convex (or monotone) problem per step; without:
// Coulomb's law, for primal and dual by the fixed point on the tilt of the velocities.

#include "talus/step/step_options.h"

namespace talus {

struct Formulation {
  std::string_view name;
  Law law;
  std::string_view solver; ///< The one used unless told otherwise.
  bool any_solver;         ///< Another solver may take its place.
  std::string_view model;  ///< Value of the option `model` of conic-ip; empty for other solvers.
  bool needs_polyhedral;   ///< The cone becomes polyhedron:8, the cylinder prism:8.
};

/// Names in the order of the paper.
std::vector<std::string_view> formulation_names();

/// Throws InvalidArgument that lists the names.
const Formulation& find_formulation(std::string_view name);

/// Throws InvalidArgument unless the formulation can have this law and solver.
void require_admitted(const Formulation& formulation, Law law, std::string_view solver);

/// Sets law, solver with its options, and friction set to those of the formulation. `solver` takes
/// the place of the formulation's own; throws InvalidArgument where that is not possible.
void choose_formulation(StepOptions& options, std::string_view name, std::string_view solver = "");

} // namespace talus
