#pragma once
// One-contact problems on polyhedral sets, by enumerating the faces an impulse can lie on. Exact;
// at most 2 m + 2 small linear systems for m facets.

#include "talus/contact/local_contact.h"

namespace talus {

/// A sliding contact on a pyramid or polyhedron in space: z on a ray (a vertex of the cross
/// section) or a facet (an edge) of the cone, with u_n = 0 (coulomb) or u·z = 0 (associated) and
/// friction that opposes the sliding. Sets z and returns true, or leaves it alone if no face fits:
/// then the contact separates or sticks.
bool slide_on_polyhedral_cone(const LocalContact& contact, const ContactSet& set, Law law,
                              const double* b, double* z);

/// Both components of a contact with fixed tangential bound in the plane.
void solve_interval_contact(const LocalContact& contact, double bound, const double* b, double* z);

} // namespace talus
