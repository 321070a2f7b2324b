#pragma once
// Contacts while their problem is being solved, without what can be had elsewhere: normals are in
// the problem, bodies follow from colliders. Two thirds of the memory.

#include "talus/collide/contact_point.h"
#include "talus/problem/contact_problem.h"
#include "talus/step/step_problem.h"

#include <span>
#include <vector>

namespace talus {

class AbbreviatedContacts {
public:
  /// Takes the contacts and leaves none.
  explicit AbbreviatedContacts(std::vector<ContactPoint>& contacts);

  /// Gives them back, bit by bit. `frames` are those of a problem in space: in a planar world
  /// normals would be other ones.
  void restore(std::span<const ColliderInfo> colliders, std::span<const RigidContact> frames,
               std::vector<ContactPoint>& contacts);

private:
  struct Item {
    Index collider_a, collider_b;
    FeatureKey key;
    Vec3 point;
    double gap;
  };
  std::vector<Item> items_;
};

} // namespace talus
