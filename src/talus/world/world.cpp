#include "talus/world/world.h"

#include "talus/core/elementary.h"
#include "talus/core/error.h"
#include "talus/core/regroup.h"
#include "talus/world/surroundings.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>

namespace talus {

void World::add(ForceFunction force) {
  if (!force) throw InvalidArgument("a force function must not be empty");
  forces_.push_back(std::move(force));
}

void World::confine_to_plane(const Vec3& normal) {
  if (!is_finite(normal) || !(norm(normal) > 0)) {
    throw InvalidArgument("the normal of a planar world must not be zero");
  }
  plane_normal_ = normalized(normal);
}

void World::forbid_contact(Index body_a, Index body_b) {
  checked_body(body_a);
  checked_body(body_b);
  forbidden_.push_back(std::minmax(body_a, body_b));
  ++revision_;
}

Index World::checked_body(Index index) const {
  if (index < 0 || index >= size()) {
    throw InvalidArgument(fmt::format("there is no body {}; there are {}", index, size()));
  }
  return index;
}

Index World::checked_joint(Index index) const {
  if (index < 0 || index >= static_cast<Index>(joints_.size())) {
    throw InvalidArgument(fmt::format("there is no joint {}; there are {}", index, joints_.size()));
  }
  return index;
}

namespace {
Index index_of(const std::unordered_map<std::string, Index>& names, std::string_view name) {
  const auto found = names.find(std::string(name));
  return found == names.end() ? -1 : found->second;
}

/// 17 of "body 17", a name that was not given; -1 of others.
Index number_in_body_name(std::string_view name) {
  constexpr std::string_view start = "body ";
  if (!name.starts_with(start)) return -1;
  const char *first = name.data() + start.size(), *last = name.data() + name.size();
  Index number = -1;
  const auto [end, error] = std::from_chars(first, last, number);
  return error == std::errc() && end == last ? number : -1;
}
} // namespace

Index World::find_body(std::string_view name) const {
  if (const Index given = index_of(body_of_name_, name); given >= 0) return given;
  const Index number = number_in_body_name(name);
  return number >= 0 && number < size() && bodies_[number].name == name ? number : -1;
}

Index World::find_joint(std::string_view name) const {
  return index_of(joint_of_name_, name);
}

Transform World::pose(Index body) const {
  return states_[checked_body(body)].pose * bodies_[body].reference();
}

void World::set_pose(Index body, const Transform& reference_pose) {
  states_[checked_body(body)].pose = reference_pose * inverse(bodies_[body].reference());
}

void World::set_motion(Index body, PrescribedMotion motion) {
  Body& changed = bodies_[checked_body(body)];
  if (changed.kind != BodyKind::kinematic) {
    throw InvalidArgument(
        fmt::format("body '{}' is {}; only kinematic bodies have a prescribed motion", changed.name,
                    to_string(changed.kind)));
  }
  changed.extras.own().motion = std::move(motion);
}

std::vector<std::pair<Index, Index>> World::contact_exclusions() const {
  auto pairs = forbidden_;
  for (const Joint& joint : joints_) {
    if (joint.bodies_collide || joint.body_a == ground || joint.body_b == ground) continue;
    pairs.push_back(std::minmax(joint.body_a, joint.body_b));
  }
  std::ranges::sort(pairs);
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  return pairs;
}

World World::part(std::span<const Index> bodies) const {
  World part;
  part.gravity = gravity;
  part.materials = materials;
  part.plane_normal_ = plane_normal_;
  part.fluids_ = fluids_;
  part.wind_ = wind_;
  part.bodies_.reserve(bodies.size());
  part.states_.reserve(bodies.size());
  for (const Index body : bodies) {
    part.bodies_.push_back(bodies_[checked_body(body)]);
    part.states_.push_back(states_[body]);
  }
  const auto number = [&](Index body) {
    const auto found = std::ranges::lower_bound(bodies, body);
    const bool there = found != bodies.end() && *found == body;
    return there ? static_cast<Index>(found - bodies.begin()) : -1;
  };
  part.joints_ = joints_;
  part.joint_of_name_ = joint_of_name_;
  part.joint_coordinates_ = joint_coordinates_;
  for (Joint& joint : part.joints_)
    for (Index* body : {&joint.body_a, &joint.body_b}) {
      if (*body == ground) continue;
      *body = number(*body);
      if (*body < 0)
        throw InvalidArgument(
            fmt::format("a part of a world has joint '{}' without its bodies", joint.name));
    }
  for (const ForceFunction& force : forces_) {
    const Index loaded = loaded_body(force);
    if (loaded < 0)
      throw InvalidArgument("a part of a world cannot have force functions: they may look at any "
                            "body");
    if (const Index body = number(loaded); body >= 0) part.forces_.push_back(load_on(force, body));
  }
  for (const auto& [a, b] : forbidden_)
    if (number(a) >= 0 && number(b) >= 0) part.forbidden_.emplace_back(number(a), number(b));
  part.revision_ = 1;
  return part;
}

void World::regroup(std::span<const char> leaves, std::span<const Index> places,
                    std::vector<Body> newcomers, std::vector<BodyState> states) {
  // Where bodies with joints and loads go.
  std::vector<Index> held;
  for (const Joint& joint : joints_)
    for (const Index body : {joint.body_a, joint.body_b})
      if (body != ground) held.push_back(body);
  for (const ForceFunction& force : forces_) {
    const Index body = loaded_body(force);
    if (body < 0)
      throw InvalidArgument("a world with force functions cannot be regrouped: they may look at "
                            "any body");
    held.push_back(body);
  }
  std::ranges::sort(held);
  held.erase(std::ranges::unique(held).begin(), held.end());
  std::vector<Index> moved;
  Index left = 0, at = 0;
  std::size_t come = 0;
  for (const Index body : held) {
    for (; at < body; ++at) left += !leaves.empty() && leaves[at];
    if (!leaves.empty() && leaves[body])
      throw InvalidArgument(fmt::format("body '{}' has joints or loads and cannot leave its world",
                                        bodies_[body].name));
    while (come < places.size() && places[come] <= body - left + static_cast<Index>(come)) ++come;
    moved.push_back(body - left + static_cast<Index>(come));
  }
  const auto place = [&](Index body) {
    return moved[std::ranges::lower_bound(held, body) - held.begin()];
  };
  for (Joint& joint : joints_)
    for (Index* body : {&joint.body_a, &joint.body_b})
      if (*body != ground) *body = place(*body);
  for (ForceFunction& force : forces_) force = load_on(force, place(loaded_body(force)));
  talus::regroup(bodies_, leaves, places, std::move(newcomers));
  talus::regroup(states_, leaves, places, std::move(states));
  body_of_name_ = {};
  removals_ = {};
  forbidden_ = {};
  ++revision_;
}

void World::release_slack() {
  bodies_.shrink_to_fit();
  states_.shrink_to_fit();
}

void World::list_names() {
  for (Index k = 0; k < size(); ++k) body_of_name_.emplace(bodies_[k].name, k);
}

Transform body_pose(const World& world, Index body) {
  return body == ground ? Transform::identity() : world.state(body).pose;
}

std::pair<Transform, Transform> joint_frames(const World& world, const Joint& joint) {
  return {body_pose(world, joint.body_a) * joint.frame_a,
          body_pose(world, joint.body_b) * joint.frame_b};
}

double joint_velocity(const World& world, const Joint& joint) {
  if (!has_coordinate(joint.kind)) return 0;
  const auto [a, b] = joint_frames(world, joint);
  const auto twist_of = [&](Index body) {
    return body == ground ? Twist{}
                          : Twist{world.state(body).velocity, world.state(body).angular_velocity};
  };
  const Twist of_a = twist_of(joint.body_a), of_b = twist_of(joint.body_b);
  const Vec3 axis = rotate(a.rotation, {0, 0, 1});
  if (joint.kind != JointKind::prismatic) return dot(axis, of_b.angular - of_a.angular);
  // d/dt z_a · (p_b - p_a), where z_a turns with a.
  const Vec3 centre_a = body_pose(world, joint.body_a).position;
  const Vec3 centre_b = body_pose(world, joint.body_b).position;
  return dot(axis, of_b.linear + cross(of_b.angular, b.position - centre_b) - of_a.linear -
                       cross(of_a.angular, b.position - centre_a));
}

double joint_coordinate(const World& world, const Joint& joint, double near) {
  if (!has_coordinate(joint.kind)) return 0;
  const auto [a, b] = joint_frames(world, joint);
  if (joint.kind == JointKind::prismatic) {
    return dot(b.position - a.position, rotate(a.rotation, {0, 0, 1}));
  }
  // The twist about z of the relative rotation (swing-twist decomposition).
  const Quaternion relative = conjugate(a.rotation) * b.rotation;
  const double angle = 2 * angle_of(relative.z, relative.w);
  constexpr double turn = 2 * std::numbers::pi;
  return angle + turn * std::round((near - angle) / turn);
}

} // namespace talus
