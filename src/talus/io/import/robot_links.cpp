// Which links become one body, where they are at the start, and which may touch.

#include "talus/core/error.h"
#include "talus/core/nearest_name.h"
#include "talus/io/import/robot_world.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace talus::robot {

namespace {

std::map<std::string, RobotJoint*> joints_by_name(RobotModel& model) {
  std::map<std::string, RobotJoint*> found;
  for (Link& link : model.links)
    for (RobotJoint& joint : link.joints) found.emplace(joint.name, &joint);
  return found;
}

void clamp_start(RobotJoint& joint, Warnings& warnings) {
  if (!joint.limits) return;
  const double allowed = std::clamp(joint.start, joint.limits->lower, joint.limits->upper);
  if (allowed == joint.start) return;
  warnings.push_back(fmt::format("{}: joint '{}' starts at {:.6g}, the limit nearest to {:.6g}",
                                 to_string(joint.place), joint.name, allowed, joint.start));
  joint.start = allowed;
}

/// The motion of a link's frame in itself by one of its joints.
Transform motion_of(const RobotJoint& joint) {
  if (joint.kind == JointKind::prismatic) return {(joint.start - joint.reference) * joint.axis, {}};
  const Quaternion turn = joint.kind == JointKind::spherical
                              ? joint.start_rotation
                              : axis_angle(joint.axis, joint.start - joint.reference);
  return {joint.anchor - rotate(turn, joint.anchor), turn};
}

} // namespace

void set_start(RobotModel& model, const ImportOptions& options, Warnings& warnings) {
  const auto joints = joints_by_name(model);
  const auto find = [&](const std::string& name) -> RobotJoint* {
    const auto found = joints.find(name);
    return found == joints.end() ? nullptr : found->second;
  };
  for (const auto& [name, value] : options.positions) {
    RobotJoint* joint = find(name);
    if (!joint || joint->kind == JointKind::spherical) {
      std::vector<std::string> names;
      for (const auto& [each, other] : joints) names.push_back(each);
      throw InvalidArgument(fmt::format("positions: the model has no joint {} with a coordinate",
                                        unknown_name(name, names)));
    }
    joint->start = value;
  }
  for (const auto& [name, joint] : joints) clamp_start(*joint, warnings);
  // Chains of couplings settle after as many rounds as they are long.
  for (std::size_t round = 0; round <= model.couplings.size(); ++round) {
    bool changed = false;
    for (const Coupling& c : model.couplings) {
      RobotJoint *follower = find(c.follower), *leader = find(c.leader);
      if (!leader || !follower)
        fail_at(c.place,
                fmt::format("joint '{}' follows '{}', which does not exist", c.follower, c.leader));
      if (c.ratio == 0)
        fail_at(c.place, fmt::format("joint '{}' follows '{}' with a ratio of 0; make it fixed",
                                     c.follower, c.leader));
      const double start = c.ratio * leader->start + c.offset;
      changed = changed || follower->start != start;
      follower->start = start;
      follower->velocity = c.ratio * leader->velocity;
    }
    if (!changed) return;
  }
  fail_at(model.couplings.front().place, "the joints follow each other in a circle");
}

Bodies assign_bodies(const RobotModel& model, bool merge_fixed) {
  const std::size_t n = model.links.size();
  Bodies bodies{std::vector<int>(n, -1), std::vector<int>(n, -1), std::vector<bool>(n), {}};
  const auto welded = [&](int i) { return model.links[i].joints.empty() && !model.links[i].free; };
  std::map<int, int> first_heavy; // of each cluster
  for (int i = 0; i < static_cast<int>(n); ++i) {
    const Link& link = model.links[i];
    const bool joins = welded(i) && link.parent >= 0;
    bodies.cluster[i] = joins ? bodies.cluster[link.parent] : i;
    bodies.is_static[i] = welded(i) && (link.parent < 0 || bodies.is_static[link.parent]);
    if (link.mass) first_heavy.emplace(bodies.cluster[i], i);
  }
  for (int i = 0; i < static_cast<int>(n); ++i) {
    const Link& link = model.links[i];
    const int top = bodies.cluster[i];
    const int above = top == i ? -1 : bodies.carrier[link.parent];
    if (bodies.is_static[i]) {
      const bool merges = merge_fixed && above >= 0;
      bodies.carrier[i] = merges ? above : link.geoms.empty() ? above : i;
      continue;
    }
    const auto heavy = first_heavy.find(top);
    if (heavy == first_heavy.end())
      fail_at(link.place, fmt::format("link '{}' moves, but neither it nor a link welded to it has "
                                      "a mass",
                                      link.name));
    if (merge_fixed)
      bodies.carrier[i] = heavy->second;
    else
      bodies.carrier[i] = link.mass ? i : above >= 0 ? above : heavy->second;
    if (bodies.carrier[i] == i && i != heavy->second) bodies.welds.push_back(i);
  }
  return bodies;
}

LinkStates link_states(const RobotModel& model, const Transform& at) {
  LinkStates s;
  for (const Link& link : model.links) {
    const bool has_parent = link.parent >= 0;
    Transform pose = (has_parent ? s.poses[link.parent] : at) * link.pose;
    Vec3 spin = has_parent ? s.spins[link.parent] : Vec3{};
    Vec3 drift = has_parent ? s.drifts[link.parent] : Vec3{};
    if (link.free) {
      spin = rotate(at.rotation, link.spin);
      drift = rotate(at.rotation, link.velocity) - cross(spin, pose.position);
    }
    std::vector<Transform> stages{pose};
    std::vector<Vec3> spins, drifts;
    for (const RobotJoint& joint : link.joints) {
      const Vec3 anchor = pose(joint.anchor), axis = rotate(pose.rotation, joint.axis);
      pose = pose * motion_of(joint);
      pose.rotation = normalized(pose.rotation);
      if (joint.kind == JointKind::prismatic) {
        drift += joint.velocity * axis;
      } else {
        const Vec3 turn = joint.kind == JointKind::spherical
                              ? rotate(pose.rotation, joint.start_spin)
                              : joint.velocity * axis;
        spin += turn;
        drift -= cross(turn, anchor);
      }
      stages.push_back(pose);
      spins.push_back(spin);
      drifts.push_back(drift);
    }
    s.poses.push_back(pose);
    s.spins.push_back(spin);
    s.drifts.push_back(drift);
    s.stages.push_back(std::move(stages));
    s.stage_spins.push_back(std::move(spins));
    s.stage_drifts.push_back(std::move(drifts));
  }
  return s;
}

std::vector<std::pair<int, int>> contact_filter(const RobotModel& model, const Bodies& bodies) {
  const int n = static_cast<int>(model.links.size());
  std::set<std::pair<int, int>> forbidden;
  const auto forbid = [&](int a, int b) {
    const int x = a < 0 ? -1 : bodies.carrier[a], y = b < 0 ? -1 : bodies.carrier[b];
    if (x >= 0 && y >= 0 && x != y) forbidden.insert(std::minmax(x, y));
  };
  std::map<int, std::vector<int>> members; // carriers of each cluster
  for (int i = 0; i < n; ++i)
    if (bodies.carrier[i] == i) members[bodies.cluster[i]].push_back(i);
  for (const auto& [top, links] : members) {
    if (bodies.is_static[top]) continue; // fixed bodies never touch each other
    for (const int a : links)
      for (const int b : links) forbid(a, b);
    const int parent = model.links[top].parent;
    if (model.links[top].free || parent < 0 || model.neighbours_touch) continue;
    if (bodies.is_static[parent] && model.children_touch_fixed_parents) continue;
    for (const int a : members[bodies.cluster[parent]])
      for (const int b : links) forbid(a, b);
  }
  for (const auto& [a, b] : model.excluded) forbid(a, b);
  // Shapes that do not collide with each other; without a special kind all do.
  struct Filter {
    unsigned kind = 0, partners = 0;
  };
  std::map<int, std::vector<Filter>> filters;
  bool special = false;
  for (int i = 0; i < n; ++i)
    for (const Geom& g : model.links[i].geoms) {
      if (!g.collides || bodies.carrier[i] < 0) continue;
      filters[bodies.carrier[i]].push_back({g.kind, g.partners});
      special = special || g.kind != 1 || g.partners != 1;
    }
  if (special)
    for (auto a = filters.begin(); a != filters.end(); ++a)
      for (auto b = std::next(a); b != filters.end(); ++b) {
        if (bodies.is_static[a->first] && bodies.is_static[b->first]) continue;
        bool touch = false;
        for (const Filter& f : a->second)
          for (const Filter& g : b->second)
            touch = touch || (f.kind & g.partners) != 0 || (g.kind & f.partners) != 0;
        if (!touch) forbid(a->first, b->first);
      }
  for (const SurfacePair& pair : model.pairs) {
    if (pair.link_a < 0 || pair.link_b < 0) continue;
    forbidden.erase(std::minmax(bodies.carrier[pair.link_a], bodies.carrier[pair.link_b]));
  }
  return {forbidden.begin(), forbidden.end()};
}

} // namespace talus::robot
