#pragma once
// Contacts that pull (Cohesion, world/material.h).
//
// The impulse r of a contact that pulls with up to c lies in a cone whose apex is shifted, r + c h
// n ∈ K. With r̃ = r + c h n as the unknown,
//
//     u = N r + q = N r̃ + (q − N c h n),     K ∋ r̃ ⊥ û ∈ K*:
//
// an ordinary contact problem in which the two bodies are drawn together by the given impulse c h.
// Solvers, error and certificate are those of that problem; r = r̃ − c h n is what acts. Where a
// contact yields, it yields to r̃, the repulsion of its surfaces: c presses them together by c/k,
// and at the limit of what they bear they just touch (as in the model of Derjaguin, Muller and
// Toporov 1975). Friction and moments are bounded by r̃_n.
//
// Whether a pair of shapes pulls is decided at the start of each step, from its least gap g:
//
//     begins   g ≤ touch, or it bore an impulse in the last step, and g ≤ reach
//     ends     g > reach = max(range, touch)
//
// with `touch` what rounding and the tolerance of solves may leave between bodies that touch. The
// force of a pair is shared by its points with gaps up to reach; a stress acts on the area of their
// convex hull, seen along the normal of the first.

#include "talus/collide/contact_point.h"
#include "talus/problem/contact_problem.h"
#include "talus/step/assembly/spatial_order.h"
#include "talus/step/assembly/step_problem.h"
#include "talus/step/simulation_state.h"
#include "talus/world/world.h"

#include <array>
#include <span>
#include <vector>

namespace talus {

/// What bonds are found from: contacts in the order of the problem, with the `order` that leads to
/// the sorted one, and the impulses of the last step.
struct BondInput {
  const World& world;
  ColliderTable colliders;
  std::span<const ContactPoint> contacts;
  const SpatialOrder& order;
  const WarmStart& cache;
  double touch; ///< m.
  double h;
};

struct Bonds {
  std::vector<Bond> list; ///< Sorted.
  Vector pull;            ///< c h of each contact, N s.
  Vector origins;         ///< Of each contact's pair, m.

  // Work space.
  std::vector<std::array<double, 2>> points, hull;
};

/// From the bonds of the last step to those of this one. O(contacts + bonds).
void find_bonds(const BondInput& input, std::span<const Bond> before, Bonds& bonds);

/// Draws the bodies of contacts together: c h in the free velocities of a RigidModel.
void pull_together(ConstSpan pull, ContactProblem& problem);

/// Σ c (gap − origin) at the end of a step with these velocities (six per body of the world), J.
double cohesive_energy(const Bonds& bonds, std::span<const ContactPoint> contacts,
                       std::span<const RigidContact> frames, ConstSpan velocities, double h);
/// The part of contact c.
double cohesive_energy(const Bonds& bonds, std::size_t c, const ContactPoint& contact,
                       const RigidContact& frame, ConstSpan velocities, double h);

} // namespace talus
