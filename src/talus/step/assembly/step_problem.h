#pragma once
// The contact problem of one step, as a RigidModel whose bodies are those of the world, in the
// order that SpatialOrder gives them.

#include "talus/collide/contact_point.h"
#include "talus/problem/contact_problem.h"
#include "talus/step/assembly/drag.h"
#include "talus/step/assembly/joint_rows.h"
#include "talus/step/assembly/spatial_order.h"
#include "talus/step/collider_runs.h"
#include "talus/step/laws/hertz_contacts.h"
#include "talus/step/step_options.h"
#include "talus/world/world.h"

namespace talus {

/// A contact that rebounds in a step.
struct Rebound {
  Index contact = 0;
  double speed = 0; ///< Not negative; by Newton's law of impact e |u⁻|.
  double plain = 0; ///< w_n if it did not rebound: the problem's is the smaller of this and -speed.
};

/// Removes the contacts that no admissible motion can feel: in a planar world those whose normal is
/// orthogonal to the plane.
void drop_out_of_plane_contacts(const World& world, std::vector<ContactPoint>& contacts);

/// Everything the problem is made from: contacts that are felt, in the order that they have in the
/// problem. Rows between immovable sides are removed from their list.
struct StepInput {
  const World& world;
  const StepOptions& options;
  ColliderTable colliders;
  double allowed_penetration; ///< Not negative (StepOptions).
  ConstSpan free_velocities;
  ConstSpan last_impulses; ///< In world axes, 3 or 6 per contact; or empty.
  std::span<const ContactPoint> contacts;
  const SpatialOrder& order;
  std::span<const double> radii; ///< Bounding radii of the bodies (envelope.h).
  std::vector<JointRow>& rows;
  /// Compliance along the surface in the last step of each contact, m/N, or 0; or empty.
  ConstSpan last_shear;
  /// What is to be known of each contact after the solve; empty without materials of Hertz' law.
  std::vector<HertzContact>& hertz;
  std::span<const AddedMass> added_mass; ///< Of the bodies, or empty (drag.h).
};

/// The approach speed below which contacts do not rebound, m/s.
double restitution_threshold_of(const StepOptions& options, double gravity);

/// Entries per contact: 3, or 6 where a material of the world resists rolling or spinning.
int contact_dimension(const World& world);

/// Fills `problem` with the masses, contact frames, w, joint rows and their bounds, and `rebounds`
/// in the order of the contacts, reusing their memory. Normal impulse estimates of fixed-bound sets
/// are left to the caller.
void build_step_problem(const StepInput& input, ContactProblem& problem,
                        std::vector<Rebound>& rebounds);

} // namespace talus
