#pragma once
// The geometry of one contact's admissible set K: projections, their derivatives, and the support
// function of its cross section. Every function takes `dimension` doubles (1, 2 or 3; with
// rolling friction 5 or 6, or 3 in the plane), normal first, and treats the contact alone; whole
// vectors are handled by ScaledProblem. These functions are all a new set has to provide
// (set_traits.h).
//
// Scaling: in the variable z = r / s (s > 0, one number per contact) a cone-shaped K is unchanged
// and a fixed bound becomes bound / s. That is how the per-contact scaled metric |r|²/s² is served.
//
// Everything is exact up to rounding: closed formulas and a finite choice of faces, no iteration,
// no trigonometry. A call costs at most one square root and two divisions (with rolling friction
// three square roots and seven divisions), for polygons of m facets up to m/4 comparisons more;
// loops over contacts of one kind can inline projection_kernels.h instead. In the plane all
// cone-shaped sets coincide, and so do all fixed-bound sets; in dimension 1 every set is { r_n >= 0
// }.
//
// Output may be the input. NaN in x gives NaN in the projections and in the Jacobian. A dimension
// that the set does not have, or in space a number of facets that friction_set.h does not allow,
// throws InvalidArgument.

#include "talus/contact/set_traits.h"

namespace talus {

struct ContactSet {
  FrictionSet set;
  int dimension = 3;
  double mu = 0;       ///< Friction coefficient, >= 0.
  double bound = 0;    ///< Tangential bound of the fixed-bound sets, >= 0.
  double rolling = 0;  ///< Length that bounds the rolling moment, >= 0.
  double spinning = 0; ///< Length that bounds the spinning moment, >= 0; dimension 6.
};

/// y = P_K(x), the nearest point of K in the Euclidean norm. y may be x.
void project(const ContactSet& k, const double* x, double* y);

/// The nearest point of K in the norm  weight_n x_n² + weight_t |x_t|²  (both weights > 0).
void project_weighted(const ContactSet& k, double weight_n, double weight_t, const double* x,
                      double* y);

/// y = P_{K*}(x): nearest point of the dual cone K* = { u : u·r >= 0 for all r ∈ K }. For the
/// fixed-bound sets, which are not cones, K* is that of their recession cone, { u : u_n >= 0 }.
void project_dual(const ContactSet& k, const double* x, double* y);

/// y = P_{K°}(x), K° = -K*.
void project_polar(const ContactSet& k, const double* x, double* y);

/// An element J of the generalised (Clarke) Jacobian of P_K at x, row-major dimension x dimension.
/// It is symmetric with eigenvalues in [0, 1], and the derivative itself wherever P_K is
/// differentiable: for polyhedral sets the orthogonal projector on the span of the nearest face.
void projection_jacobian(const ContactSet& k, const double* x, double* jacobian);

/// σ(u_t) = max { -s·u_t : s ∈ mu S } for cone-shaped sets (mu |u_t| for the cone; with rolling
/// friction mu |u_t| + rolling |ω_roll| + spinning |ω_spin|); 0 for the others.
double tilt(const ContactSet& k, const double* u);

/// gradient[0 .. dimension-2] = an element of ∂σ at u_t, with 0 chosen at u_t = 0. σ is positively
/// homogeneous: gradient · u_t = σ(u_t).
void tilt_gradient(const ContactSet& k, const double* u, double* gradient);

/// The smallest t >= 0 with x_t ∈ t S: how far the tangential part reaches, in units of the cross
/// section. With rolling friction S is the product of the discs of radius mu, rolling and spinning.
double gauge(const ContactSet& k, const double* x);

/// The largest gauge() that K admits at the normal impulse `normal`: mu normal for cone-shaped sets
/// (with rolling friction `normal` itself), the bound for the fixed-bound sets.
double room(const ContactSet& k, double normal);

/// True when K is the ray { r_n >= 0, r_t = 0 }.
bool is_frictionless(const ContactSet& k);

/// max { -y·u : y ∈ K } with u first moved into K* (so that it is finite): 0 for cones, the support
/// of bound S for the fixed-bound sets. r·u + support is the complementarity gap of r ∈ K at u.
double support(const ContactSet& k, const double* u);

} // namespace talus
