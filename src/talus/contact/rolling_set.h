#pragma once
// The geometry of rolling friction (dimension 5 or 6, or 3 in the plane): a cone over a product of
// discs,
//
//     K = { (n, x_1, x_2[, x_3]) : |x_i| <= a_i n },   a = (mu, rolling, spinning),
//
// where x_1 (two entries) is the friction, x_2 (two) the rolling moment and x_3 (one) the spinning
// moment. In the plane x_1 and x_2 have one entry each, and there is no x_3. contact_set.h says
// what the functions do; they are called from there.
//
// Projection: with h the normal component of P_K(x), each disc is projected on its own, and h
// minimises the convex, piecewise quadratic (h - n)² + Σ max(0, |x_i| - a_i h)² over h >= 0. Where
// the discs i ∈ A reach beyond their bounds, h = (n + Σ_A a_i |x_i|) / (1 + Σ_A a_i²). A begins
// with all discs; where |x_i| < a_i h the disc leaves, which makes h larger, so that none comes
// back and at most four candidates are tried.

#include "talus/contact/contact_set.h"

namespace talus {

void project_on_rolling_cone(const ContactSet& k, const double* x, double* y);
/// The Jacobian is added to zeros. With e_i = x_i / |x_i| and g = (1, a_i e_i for i ∈ A, 0 else),
/// J = g gᵀ / (1 + Σ_A a_i²) + Σ_A (a_i h / |x_i|) (I - e_i e_iᵀ) + Σ_{not A} I; 0 at the apex.
void add_rolling_jacobian(const ContactSet& k, const double* x, double* jacobian);
/// Σ a_i |u_i|.
double rolling_tilt(const ContactSet& k, const double* u);
void rolling_tilt_gradient(const ContactSet& k, const double* u, double* gradient);
/// max |x_i| / a_i; infinite where a disc has no radius and x_i is not zero.
double rolling_gauge(const ContactSet& k, const double* x);

} // namespace talus
