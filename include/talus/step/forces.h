#pragma once
// What one can read after a step: forces of contacts and joints. Forces are the impulses of the
// step over its length h (the present StepOptions::step), so they are means over the step.
//
//     simulation.step();
//     const double push = contact_force(simulation, plate, block).force.x;
//     const Wrench reaction = joint_force(simulation, hinge);
//
// Before the first step they are zero, after one that threw and after restore() unspecified.
// Contacts cost O(contacts) per call, joints O(rows).

#include "talus/step/simulation.h"

#include <span>
#include <vector>

namespace talus {

/// Force of all contacts on a body, and torque about its centre of mass, in world axes. Moments of
/// rolling and spinning friction count, and what cohesion pulls.
Wrench contact_force(const Simulation& simulation, Index body);
/// Of its contacts with `other` alone.
Wrench contact_force(const Simulation& simulation, Index body, Index other);
/// Of the contacts of a group of bodies with `others`, or with all bodies outside the group if
/// there are none: contacts inside a group cancel. The torque is about the world's origin.
Wrench contact_force(const Simulation& simulation, std::span<const Index> bodies,
                     std::span<const Index> others = {});
/// Of every body, in one pass.
std::vector<Wrench> contact_forces(const Simulation& simulation);

/// Force of a joint on its body b, and torque about the joint's origin on b, in the axes of the
/// joint frame on a (world/joint.h) at the start of the step. All that the joint does counts: what
/// it holds, limits, motor, spring, friction, armature; a given effort (Joint::effort) does not. On
/// a gear, whose two sides need not meet, the force is 0 and the torque that on its second body
/// about the world's axes.
Wrench joint_force(const Simulation& simulation, Index joint);
/// Of every joint, in one pass.
std::vector<Wrench> joint_forces(const Simulation& simulation);

/// What acts along the coordinate of a joint (N or N m), beside what it holds.
struct JointEfforts {
  double motor = 0;
  double spring = 0; ///< Of a spring along a line too; 0 for spherical and universal joints.
  double limit = 0;  ///< > 0: the lower limit pushes.
  double friction = 0;
  double armature = 0; ///< -J q̈.
};
JointEfforts joint_efforts(const Simulation& simulation, Index joint);

/// Of every joint, in their order: coordinates at the end of the step (rad or m), their velocities,
/// and the efforts of the motors. 0 where a joint has none.
std::vector<double> joint_positions(const Simulation& simulation);
std::vector<double> joint_velocities(const Simulation& simulation);
std::vector<double> motor_efforts(const Simulation& simulation);

/// Of a whole step, about its dynamic bodies.
struct ForceSums {
  Vec3 support;               ///< What contacts with fixed and driven bodies push them with, N.
  double largest_contact = 0; ///< The largest force of one contact, N.
  double largest_joint = 0;   ///< The largest force of a joint on its second body, N.
};
ForceSums force_sums(const Simulation& simulation);
/// ForceSums::largest_joint alone.
double largest_joint_force(const Simulation& simulation);

} // namespace talus
