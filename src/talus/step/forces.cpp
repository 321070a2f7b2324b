#include "talus/step/forces.h"

#include "talus/core/error.h"
#include "talus/step/assembly/joint_rows.h"
#include "talus/step/contact_sums.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace talus {

namespace {

/// The moment of rolling and spinning friction on body b, in world axes; over the step.
Vec3 contact_moment(const Simulation& simulation, std::size_t c, const RigidContact& frame) {
  const ContactProblem& problem = simulation.problem();
  if (problem.dimension < 6 || simulation.solution().size() < (c + 1) * 6) return {};
  return mean_moment(frame, &simulation.solution()[6 * c + 3], simulation.options().step);
}

/// Adds the force of contact c on one of its sides, with the arm that the step had.
void add_contact(const Simulation& simulation, std::size_t c, bool on_b, Wrench& sum) {
  const RigidContact& frame = std::get<RigidModel>(simulation.problem().model).contacts[c];
  add_contact(simulation.contact_impulses()[c], frame, contact_moment(simulation, c, frame), on_b,
              simulation.options().step, sum);
}

template <class Counts>
Wrench sum_of_contacts(const Simulation& simulation, Index body, Counts&& counts) {
  simulation.world().body(body); // complains about bodies that are not there
  Wrench sum;
  const auto contacts = simulation.contacts();
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    if (contacts[c].body_a == body && counts(contacts[c].body_b))
      add_contact(simulation, c, false, sum);
    if (contacts[c].body_b == body && counts(contacts[c].body_a))
      add_contact(simulation, c, true, sum);
  }
  return sum;
}

/// Calls with each row and its effort. A step that threw may leave rows without an answer; these do
/// not count.
template <class Call>
void for_rows(const Simulation& simulation, Call&& call) {
  const auto rows = simulation.joint_rows();
  const Vector& x = simulation.solution();
  const std::size_t first = static_cast<std::size_t>(simulation.problem().impulses());
  if (simulation.steps() == 0 || x.size() != first + rows.size()) return;
  for (std::size_t r = 0; r < rows.size(); ++r)
    call(rows[r], x[first + r] / simulation.options().step);
}

template <class Call>
void for_rows_of(const Simulation& simulation, Index joint, Call&& call) {
  simulation.world().joint(joint); // complains about joints that are not there
  for_rows(simulation, [&](const JointRow& row, double effort) {
    if (row.joint == joint) call(row, effort);
  });
}

/// Of a motor that overcomes friction, whose row holds the sum of both.
double overcome_friction(const World& world, const Joint& joint) {
  if (joint.friction == 0 || !overcomes_friction(joint)) return 0;
  const double velocity = joint_velocity(world, joint);
  return velocity > 0 ? -joint.friction : velocity < 0 ? joint.friction : 0;
}

/// Where the body was when the step began: the motion of the step undone.
Transform pose_at_start(const Simulation& simulation, Index body) {
  const World& world = simulation.world();
  if (body == ground) return {};
  const BodyState& state = world.state(body);
  if (world.body(body).kind == BodyKind::fixed) return state.pose;
  const double h = simulation.options().step;
  return {state.pose.position - h * state.velocity,
          advance(state.pose.rotation, state.angular_velocity, -h)};
}

/// What a row does to body b, about its centre of mass, in world axes.
void add_row(const JointRow& row, double effort, Wrench& sum) {
  sum.force += effort * row.jacobian.linear_b;
  sum.torque += effort * row.jacobian.angular_b;
}

/// Moves such a sum to the joint's origin on b and into the axes of the joint frame on a.
Wrench in_joint_frame(const Simulation& simulation, const Joint& joint, const Wrench& sum) {
  if (joint.kind == JointKind::gear) return {{}, sum.torque};
  const Transform body_b = pose_at_start(simulation, joint.body_b);
  const Vec3 arm = body_b(joint.frame_b.position) - body_b.position;
  const Quaternion axes = pose_at_start(simulation, joint.body_a).rotation * joint.frame_a.rotation;
  return {rotate_back(axes, sum.force), rotate_back(axes, sum.torque - cross(arm, sum.force))};
}

} // namespace

Wrench contact_force(const Simulation& simulation, Index body) {
  return sum_of_contacts(simulation, body, [](Index) { return true; });
}

Wrench contact_force(const Simulation& simulation, Index body, Index other) {
  simulation.world().body(other);
  return sum_of_contacts(simulation, body, [other](Index each) { return each == other; });
}

Wrench contact_force(const Simulation& simulation, std::span<const Index> bodies,
                     std::span<const Index> others) {
  enum : std::uint8_t { outside, in_group, in_others };
  std::vector<std::uint8_t> side(static_cast<std::size_t>(simulation.world().size()), outside);
  const auto mark = [&](std::span<const Index> marked, std::uint8_t as) {
    for (const Index body : marked) {
      simulation.world().body(body); // complains about bodies that are not there
      std::uint8_t& now = side[static_cast<std::size_t>(body)];
      if (now == in_group && as == in_others)
        throw InvalidArgument(fmt::format("body '{}' is on both sides of a contact force",
                                          simulation.world().body(body).name));
      now = as;
    }
  };
  mark(bodies, in_group);
  mark(others, in_others);
  const std::uint8_t counted = others.empty() ? outside : in_others;
  Wrench sum;
  const auto contacts = simulation.contacts();
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    const Index a = contacts[c].body_a, b = contacts[c].body_b;
    const auto side_a = side[static_cast<std::size_t>(a)],
               side_b = side[static_cast<std::size_t>(b)];
    const bool on_a = side_a == in_group && side_b == counted;
    if (!on_a && !(side_b == in_group && side_a == counted)) continue;
    Wrench part; // about the body's centre, where the step began
    add_contact(simulation, c, !on_a, part);
    add_to_group(part, pose_at_start(simulation, on_a ? a : b).position, sum);
  }
  return sum;
}

std::vector<Wrench> contact_forces(const Simulation& simulation) {
  std::vector<Wrench> forces(static_cast<std::size_t>(simulation.world().size()));
  const auto contacts = simulation.contacts();
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    add_contact(simulation, c, false, forces[static_cast<std::size_t>(contacts[c].body_a)]);
    add_contact(simulation, c, true, forces[static_cast<std::size_t>(contacts[c].body_b)]);
  }
  return forces;
}

Wrench joint_force(const Simulation& simulation, Index joint) {
  const Joint& j = simulation.world().joint(joint);
  Wrench sum;
  for_rows_of(simulation, joint,
              [&](const JointRow& row, double effort) { add_row(row, effort, sum); });
  return in_joint_frame(simulation, j, sum);
}

std::vector<Wrench> joint_forces(const Simulation& simulation) {
  const auto joints = simulation.world().joints();
  std::vector<Wrench> forces(joints.size());
  for_rows(simulation, [&](const JointRow& row, double effort) {
    add_row(row, effort, forces[static_cast<std::size_t>(row.joint)]);
  });
  for (std::size_t j = 0; j < joints.size(); ++j)
    forces[j] = in_joint_frame(simulation, joints[j], forces[j]);
  return forces;
}

JointEfforts joint_efforts(const Simulation& simulation, Index joint) {
  const JointKind kind = simulation.world().joint(joint).kind;
  JointEfforts efforts;
  double overcome = 0;
  for_rows_of(simulation, joint, [&](const JointRow& row, double effort) {
    if (row.row == RowName::drive) {
      overcome = overcome_friction(simulation.world(), simulation.world().joint(joint));
      efforts.motor += effort - overcome;
    }
    if (row.row == RowName::lower_limit) efforts.limit += effort;
    if (row.row == RowName::upper_limit) efforts.limit -= effort;
    if (row.row == RowName::dry_friction) efforts.friction += effort;
    if (row.row == RowName::rotor) efforts.armature += effort;
    const bool has_one = kind != JointKind::spherical && kind != JointKind::universal;
    if (row.row == RowName::spring && has_one) efforts.spring += effort;
  });
  efforts.friction += overcome;
  return efforts;
}

std::vector<double> joint_positions(const Simulation& simulation) {
  const auto coordinates = simulation.world().joint_coordinates();
  return {coordinates.begin(), coordinates.end()};
}

std::vector<double> joint_velocities(const Simulation& simulation) {
  std::vector<double> velocities;
  for (const Joint& joint : simulation.world().joints())
    velocities.push_back(joint_velocity(simulation.world(), joint));
  return velocities;
}

std::vector<double> motor_efforts(const Simulation& simulation) {
  std::vector<double> efforts(simulation.world().joints().size());
  for_rows(simulation, [&](const JointRow& row, double effort) {
    if (row.row != RowName::drive) return;
    const World& world = simulation.world();
    efforts[static_cast<std::size_t>(row.joint)] =
        effort - overcome_friction(world, world.joint(row.joint));
  });
  return efforts;
}

ForceSums force_sums(const Simulation& simulation) {
  const World& world = simulation.world();
  ContactSums sums;
  sums.h = simulation.options().step;
  const auto contacts = simulation.contacts();
  const auto impulses = simulation.contact_impulses();
  for (std::size_t c = 0; c < contacts.size(); ++c)
    sums.add(impulses[c], world.bodies()[contacts[c].body_a].kind == BodyKind::dynamic,
             world.bodies()[contacts[c].body_b].kind == BodyKind::dynamic);
  return {sums.support, sums.largest, largest_joint_force(simulation)};
}

double largest_joint_force(const Simulation& simulation) {
  double largest = 0;
  for (const Wrench& joint : joint_forces(simulation))
    largest = std::max(largest, norm(joint.force));
  return largest;
}

} // namespace talus
