#pragma once
// The maximum dissipation problem of one contact (preclik2009 eqs. 14-16):
//
//     x* = argmin ½ x'A x + x'b   over the disc |x| ≤ radius,     A symmetric positive definite,
//                                                                 2 x 2.
//
// If the unconstrained minimiser x_s = -A⁻¹b lies in the disc the contact sticks. Otherwise x* is
// on the circle, x = radius (cos α, sin α), and Newton's method solves f'(α) = 0 from the direction
// of x_s. On the way from x_s (no multiplier) to -b (infinite multiplier) the direction of
// -(A + λ 1)⁻¹ b turns one way only, so x* lies between those two directions: Newton steps that
// leave the bracket are replaced by bisection, and the iteration cannot end in another critical
// point of f. Where A is a multiple of the identity (homogeneous spheres) the start is the answer.

namespace talus {

struct DiscSolution {
  double x[2] = {};
  int newton_iterations = 0;
};

/// A is row-major. A slightly unsymmetric A solves the condition A x + b ∥ -x instead. A singular A
/// is regularised by 1e-12 of its trace.
DiscSolution minimise_on_disc(const double* A, const double* b, double radius);

} // namespace talus
