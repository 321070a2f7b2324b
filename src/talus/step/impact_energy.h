#pragma once
// Rebounds must not create energy.
//
// Newton's law of impact asks for a normal velocity at the end of a step, u_n⁺ ≥ e |u_n⁻|, whatever
// friction does meanwhile. The impulse that brings it about may do more work than the impact had
// to give: a box that strikes the floor with a corner, turning, with e = 1 and much friction,
// leaves with more energy than it came with (Kane & Levinson 1985).
//
// In a step M (v⁺ − v⁻) = h f + D γ + G λ, so the contacts change the kinetic energy by exactly
//
//     W = γ·(u⁻ + u⁺)/2,     u = Dᵀ v.
//
// Here v⁻ is the velocity at the step's start with the turning of a free body (free_motion.h),
// which keeps the kinetic energy; f is the forces without gyroscopic ones.
//
// These are velocities of bodies, without gap/h. Where one of the two is kinematic, u is relative
// to it, and W leaves out the work γ·(V⁻ + V⁺)/2 that it does. With gravity alone as force, W ≤ 0
// in every step means that T + V + (h/2) f·v never grows, the energy that steps in free flight
// keep.
//
// Penetrations that are undone at speeds ρ = max(0, −w_n) do work by intent, Σ γ_n ρ at most, which
// is subtracted. Of contacts that yield, those that are springs in this step give back what they
// hold and are left out; those that bounce are rigid along their normals, and what their shear
// takes up, Δ(½ E |γ_t|²), is added: it comes back later.
//
// Without rebounds the rest of W is not positive as far as it is the contacts' own: Signorini's
// condition γ_n (u_n⁺ + w_n) = 0 and γ_t·u_t⁺ ≤ 0 give γ·u⁺ ≤ Σ γ_n ρ, and with the velocity v_f
// that forces alone lead to
//
//     γ·(u_f + u⁺)/2 = T(v⁺) − T(v_f) = γ·u⁺ − ½ |v⁺ − v_f|²_M ≤ Σ γ_n ρ.
//
// This is W but for u_f in place of u⁻: forces (or joints) that turn a velocity around within the
// step can still make W positive, by O(h). So what a step without rebounds does is admissible, too.
//
// Where W of an island is above both, the coefficients of restitution of all its contacts that
// bounce are scaled with one factor s < 1.

#include "talus/problem/contact_problem.h"
#include "talus/solve/solver.h"
#include "talus/step/assembly/step_problem.h"

#include <functional>
#include <span>

namespace talus {

/// A step that has been solved with its rebounds.
struct SolvedImpact {
  ContactProblem& problem; ///< A RigidModel.
  std::span<const Rebound> rebounds;
  ConstSpan velocity_before; ///< v⁻ as above, six per body of the problem.
  ConstSpan velocity_after;  ///< v⁺.
  double slack;              ///< W may reach this share of Σ |γ| |u|.
  /// Solves a part of the problem from a start; may set its normal estimate.
  std::function<SolveResult(ContactProblem& part, const Vector& start)> solve;
};

/// v⁻ for SolvedImpact: velocities of the world's states, those of dynamic bodies after the turning
/// of a free body within h, in the order of the problem's bodies.
void turned_velocities(const World& world, double h, const SpatialOrder& order, Span velocities);

struct ImpactLimit {
  double scale = 1; ///< The smallest factor of an island; 1 if nothing was changed.
  long iterations = 0;
  bool stopped = false; ///< A solve was stopped: x is as it was.
};

/// Scales rebounds of islands that gain energy, in the problem's w, and replaces the islands' parts
/// of x, all else staying as it is. At most five solves of each such island, in a fixed order.
ImpactLimit limit_impact_energy(const SolvedImpact& impact, Vector& x);

} // namespace talus
