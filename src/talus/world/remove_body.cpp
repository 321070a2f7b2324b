// Bodies that are taken away. They keep their places in all lists, so that the numbers of the
// others, and the contacts and joints that a solve starts from, stay what they are.

#include "talus/core/error.h"
#include "talus/world/world.h"

namespace talus {

void World::mark_removed(Index index, bool removed) {
  Body& body = bodies_[index];
  if (body.removed == removed) return;
  if (removed) {
    body.extras.own().kind_before_removal = body.kind;
    body.kind = BodyKind::fixed;
    states_[index].velocity = states_[index].angular_velocity = {};
  } else {
    body.kind = body.extras.own().kind_before_removal;
  }
  body.removed = removed;
  ++revision_;
}

/// A gear comes after the joints that it couples.
void World::mark_joints_of_removed() {
  const auto is_gone = [&](Index body) { return body != ground && bodies_[body].removed; };
  for (Joint& joint : joints_) {
    joint.removed = is_gone(joint.body_a) || is_gone(joint.body_b);
    if (joint.kind == JointKind::gear)
      joint.removed =
          joint.removed || joints_[joint.gear.first].removed || joints_[joint.gear.second].removed;
  }
}

void World::remove_body(Index body) {
  mark_removed(checked_body(body), true);
  mark_joints_of_removed();
}

void World::remove_bodies_due(double time) {
  bool some = false;
  for (const auto& [when, body] : removals_) {
    if (when > time) break;
    if (bodies_[body].removed) continue;
    mark_removed(body, true);
    some = true;
  }
  if (some) mark_joints_of_removed();
}

void World::set_removed(std::span<const Index> bodies) {
  for (const Index body : bodies) checked_body(body);
  std::size_t next = 0;
  for (Index i = 0; i < size(); ++i) {
    const bool removed = next < bodies.size() && bodies[next] == i;
    if (removed) ++next;
    mark_removed(i, removed);
  }
  if (next < bodies.size())
    throw InvalidArgument("the numbers of removed bodies are not in increasing order");
  mark_joints_of_removed();
}

std::vector<Index> World::removed_bodies() const {
  std::vector<Index> removed;
  for (Index i = 0; i < size(); ++i)
    if (bodies_[i].removed) removed.push_back(i);
  return removed;
}

} // namespace talus
