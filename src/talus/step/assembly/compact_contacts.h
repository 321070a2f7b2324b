#pragma once
// Contacts while their problem is being solved, without what can be had elsewhere: normals and
// points are in the problem, bodies follow from colliders, and neighbours mostly have equal keys.
// Of spheres, a fifth of the memory.

#include "talus/collide/contact_point.h"
#include "talus/problem/contact_problem.h"
#include "talus/step/assembly/step_problem.h"

#include <functional>
#include <span>
#include <vector>

namespace talus {

class CompactContacts {
public:
  /// Takes the contacts and leaves none.
  explicit CompactContacts(std::vector<ContactPoint>& contacts);

  /// Gives them back, points up to rounding and all else bit by bit. `frames` are those of a
  /// problem in space: in a planar world normals would be other ones. `states` are those that the
  /// contacts were found with, of bodies with the numbers of `body_of(collider)`.
  void restore(const std::function<Index(Index collider)>& body_of,
               std::span<const RigidContact> frames, std::span<const BodyState> states,
               std::vector<ContactPoint>& contacts);

private:
  struct Item {
    Index collider_a, collider_b;
    double gap;
  };
  /// Contacts from `first` on, up to the next run, share the key.
  struct Run {
    Index first;
    FeatureKey key;
  };
  std::size_t run_of(Index contact) const;

  std::vector<Item> items_;
  std::vector<Run> runs_;
};

} // namespace talus
