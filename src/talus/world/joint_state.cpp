#include "talus/world/joint_state.h"

#include "talus/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace talus {

namespace {

constexpr double unchanged = std::numeric_limits<double>::quiet_NaN();

bool holds_together(const Joint& joint) {
  return joint.kind != JointKind::gear && joint.kind != JointKind::spring &&
         joint.kind != JointKind::bushing;
}

bool is_held(const World& world, Index body) {
  return body == ground || world.bodies()[body].kind != BodyKind::dynamic;
}

/// All bodies that joints connect with `start` without `cut`. Empty when one of them is held.
std::vector<Index> free_side(const World& world, Index start, Index cut) {
  if (is_held(world, start)) return {};
  std::vector<char> seen(static_cast<std::size_t>(world.size()), 0);
  std::vector<Index> side = {start};
  seen[static_cast<std::size_t>(start)] = 1;
  const auto joints = world.joints();
  // Joints are visited until nothing is added: chains in their order need one pass.
  for (std::size_t before = 0; before != side.size();) {
    before = side.size();
    for (Index j = 0; j < static_cast<Index>(joints.size()); ++j) {
      if (j == cut || !holds_together(joints[j])) continue;
      const Index ends[] = {joints[j].body_a, joints[j].body_b};
      for (int k = 0; k < 2; ++k) {
        const Index here = ends[k], there = ends[1 - k];
        if (here == ground || !seen[static_cast<std::size_t>(here)]) continue;
        if (is_held(world, there)) return {};
        if (seen[static_cast<std::size_t>(there)]) continue;
        seen[static_cast<std::size_t>(there)] = 1;
        side.push_back(there);
      }
    }
  }
  return side;
}

/// What moves when the coordinate of a joint does, and which way.
struct MovingSide {
  std::vector<Index> bodies;
  Index base = ground; ///< The joint's body on the other side.
  double sign = 1;     ///< -1: the first body's side moves.
};

MovingSide moving_side(const World& world, Index index) {
  const Joint& joint = world.joint(index);
  const auto contains = [](const std::vector<Index>& side, Index body) {
    return std::find(side.begin(), side.end(), body) != side.end();
  };
  std::vector<Index> side = free_side(world, joint.body_b, index);
  if (!side.empty() && !contains(side, joint.body_a)) return {std::move(side), joint.body_a, 1};
  const bool is_loop = !side.empty();
  side = free_side(world, joint.body_a, index);
  if (side.empty() || is_loop)
    throw InvalidArgument(fmt::format(
        "joint '{}' is part of a closed loop, or held on both sides: its coordinate cannot be set",
        joint.name));
  return {std::move(side), joint.body_b, -1};
}

Twist twist_at(const World& world, Index body, const Vec3& point) {
  if (body == ground) return {};
  const BodyState& state = world.state(body);
  return {state.velocity + cross(state.angular_velocity, point - state.pose.position),
          state.angular_velocity};
}

void move_by(World& world, Index index, double change) {
  const Joint joint = world.joint(index);
  const MovingSide side = moving_side(world, index);
  const auto [a, b] = joint_frames(world, joint);
  const Vec3 axis = rotate(a.rotation, {0, 0, 1});
  const bool slides = joint.kind == JointKind::prismatic;
  const double amount = side.sign * change;
  const Quaternion turn = slides ? Quaternion{} : exponential_map(amount * axis);
  const Vec3 pivot = side.sign > 0 ? a.position : b.position;
  for (const Index body : side.bodies) {
    BodyState& state = world.state(body);
    const Twist carried = twist_at(world, side.base, state.pose.position);
    const Vec3 velocity = state.velocity - carried.linear;
    const Vec3 spin = state.angular_velocity - carried.angular;
    if (slides)
      state.pose.position += amount * axis;
    else
      state.pose.position = pivot + rotate(turn, state.pose.position - pivot);
    state.pose.rotation = normalized(turn * state.pose.rotation);
    const Twist now = twist_at(world, side.base, state.pose.position);
    state.velocity = now.linear + rotate(turn, velocity);
    state.angular_velocity = now.angular + rotate(turn, spin);
  }
}

void speed_up_by(World& world, Index index, double change) {
  const Joint joint = world.joint(index);
  const MovingSide side = moving_side(world, index);
  const auto [a, b] = joint_frames(world, joint);
  const Vec3 rate = side.sign * change * rotate(a.rotation, {0, 0, 1});
  const Vec3 pivot = side.sign > 0 ? a.position : b.position;
  for (const Index body : side.bodies) {
    BodyState& state = world.state(body);
    if (joint.kind == JointKind::prismatic) {
      state.velocity += rate;
    } else {
      state.velocity += cross(rate, state.pose.position - pivot);
      state.angular_velocity += rate;
    }
  }
}

void require_gears(const World& world, const char* what) {
  const auto q = world.joint_coordinates();
  for (const Joint& joint : world.joints()) {
    if (joint.kind != JointKind::gear) continue;
    const Gear& gear = joint.gear;
    const auto value = [&](Index j) { return q[static_cast<std::size_t>(j)]; };
    const double first = value(gear.first), second = gear.ratio * value(gear.second);
    const double size = 1 + std::abs(first) + std::abs(second);
    if (std::abs(first + second - gear.offset) > 1e-9 * size)
      throw InvalidArgument(fmt::format("these {} do not satisfy the gear '{}'", what, joint.name));
  }
}

void require_gear_velocities(const World& world) {
  for (const Joint& joint : world.joints()) {
    if (joint.kind != JointKind::gear) continue;
    const double first = joint_velocity(world, world.joint(joint.gear.first));
    const double second = joint.gear.ratio * joint_velocity(world, world.joint(joint.gear.second));
    if (std::abs(first + second) > 1e-9 * (1 + std::abs(first) + std::abs(second)))
      throw InvalidArgument(
          fmt::format("these velocities do not satisfy the gear '{}'", joint.name));
  }
}

void require_values(const World& world, std::span<const double> values, const char* what) {
  if (values.size() != world.joints().size())
    throw InvalidArgument(
        fmt::format("{} {} were given for {} joints", values.size(), what, world.joints().size()));
  for (std::size_t j = 0; j < values.size(); ++j) {
    const Joint& joint = world.joints()[j];
    if (std::isinf(values[j]))
      throw InvalidArgument(fmt::format("joint '{}': {} must be finite", joint.name, what));
    if (!has_coordinate(joint.kind) && !std::isnan(values[j]) && values[j] != 0)
      throw InvalidArgument(
          fmt::format("joint '{}' is {} and has no coordinate", joint.name, to_string(joint.kind)));
  }
}

/// Leaves the world as it was if `change` throws.
template <class Change>
void all_or_nothing(World& world, Change&& change) {
  const std::vector<BodyState> states(world.states().begin(), world.states().end());
  const std::vector<double> coordinates(world.joint_coordinates().begin(),
                                        world.joint_coordinates().end());
  try {
    change();
  } catch (...) {
    std::copy(states.begin(), states.end(), world.states().begin());
    std::copy(coordinates.begin(), coordinates.end(), world.joint_coordinates().begin());
    throw;
  }
}

std::vector<double> only(const World& world, Index joint, double value) {
  world.joint(joint); // complains about joints that are not there
  if (!std::isfinite(value))
    throw InvalidArgument(fmt::format("joint '{}': the value must be finite, it is {}",
                                      world.joint(joint).name, value));
  std::vector<double> values(world.joints().size(), unchanged);
  values[static_cast<std::size_t>(joint)] = value;
  return values;
}

} // namespace

void set_joint_positions(World& world, std::span<const double> positions) {
  require_values(world, positions, "positions");
  all_or_nothing(world, [&] {
    for (std::size_t j = 0; j < positions.size(); ++j) {
      const auto index = static_cast<Index>(j);
      if (std::isnan(positions[j]) || !has_coordinate(world.joint(index).kind)) continue;
      double& coordinate = world.joint_coordinates()[j];
      const double now = joint_coordinate(world, world.joint(index), coordinate);
      if (positions[j] != now) move_by(world, index, positions[j] - now);
      coordinate = positions[j];
    }
    require_gears(world, "positions");
  });
}

void set_joint_velocities(World& world, std::span<const double> velocities) {
  require_values(world, velocities, "velocities");
  all_or_nothing(world, [&] {
    for (std::size_t j = 0; j < velocities.size(); ++j) {
      const auto index = static_cast<Index>(j);
      if (std::isnan(velocities[j]) || !has_coordinate(world.joint(index).kind)) continue;
      const double change = velocities[j] - joint_velocity(world, world.joint(index));
      if (change != 0) speed_up_by(world, index, change);
    }
    require_gear_velocities(world);
  });
}

void set_joint_position(World& world, Index joint, double position) {
  set_joint_positions(world, only(world, joint, position));
}
void set_joint_velocity(World& world, Index joint, double velocity) {
  set_joint_velocities(world, only(world, joint, velocity));
}

} // namespace talus
