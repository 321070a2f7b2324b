#include "talus/collide/leaf.h"

#include "talus/core/error.h"
#include "talus/core/parallel.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace talus {
namespace {

bool is_usable(const Collider& c) {
  return c.shape && is_finite(c.pose) && std::abs(norm(c.pose.rotation) - 1) < 1e-6;
}

[[noreturn]] void reject(const Collider& c, Index index) {
  const char* what = !c.shape             ? "has no shape"
                     : !is_finite(c.pose) ? "has a pose that is not finite"
                                          : "has a rotation that is not a unit quaternion";
  throw InvalidArgument(fmt::format("collider {} of body {} {}", index, c.body, what));
}

std::size_t leaf_count(const Shape& shape) {
  const auto* compound = std::get_if<Compound>(&shape.geometry);
  return compound ? compound->children.size() : 1;
}

bool is_lone_sphere(const Collider& c) {
  return kind_of(*c.shape) == ShapeKind::sphere;
}

void place_leaf(Leaves& leaves, Index i, const Shape& shape, const Transform& pose) {
  Leaf& leaf = leaves.leaf[i];
  leaf.kind = kind_of(shape);
  if (leaf.kind == ShapeKind::sphere) {
    leaf.centre = pose.position;
    leaf.radius = std::get<Sphere>(shape.geometry).radius;
    return;
  }
  PlacedShape& placed = leaves.placed[leaf.placed];
  placed.shape = &shape;
  placed.pose = pose;
  if (leaf.kind == ShapeKind::half_space) {
    leaf.centre = pose.position;
    leaf.radius = std::numeric_limits<double>::infinity();
    return;
  }
  placed.bounds = bounds_of(shape, pose);
  leaf.centre = placed.bounds.centre();
  leaf.radius = 0.5 * norm(placed.bounds.extents());
  if (leaf.kind == ShapeKind::box) {
    leaf.radius = std::min(leaf.radius, norm(std::get<Box>(shape.geometry).half_extents));
  }
}

void place_collider(Leaves& leaves, Index first, Index first_placed, const Collider& c,
                    Index index) {
  const auto common = [&](Index i, Index child) {
    Leaf& leaf = leaves.leaf[i];
    leaf.placed = is_lone_sphere(c) ? -1 : first_placed + child;
    leaf.collider = index;
    leaf.child = child;
    leaf.body = c.body;
    leaf.group = c.group;
    leaf.mask = c.mask;
    leaf.movable = c.movable;
  };
  if (const auto* compound = std::get_if<Compound>(&c.shape->geometry)) {
    for (std::size_t k = 0; k < compound->children.size(); ++k) {
      const auto child = static_cast<Index>(k);
      common(first + child, child);
      place_leaf(leaves, first + child, *compound->children[k].shape,
                 c.pose * compound->children[k].pose);
    }
    return;
  }
  common(first, 0);
  place_leaf(leaves, first, *c.shape, c.pose);
}

} // namespace

void Leaves::assign(std::span<const Collider> colliders) {
  const auto n = static_cast<Index>(colliders.size());
  first_.resize(colliders.size());
  std::size_t total = 0, total_placed = 0;
  for (Index i = 0; i < n; ++i) {
    if (!is_usable(colliders[i])) reject(colliders[i], i);
    first_[i] = {static_cast<Index>(total), static_cast<Index>(total_placed)};
    const std::size_t count = leaf_count(*colliders[i].shape);
    total += count;
    if (!is_lone_sphere(colliders[i])) total_placed += count;
    if (total > static_cast<std::size_t>(std::numeric_limits<Index>::max())) {
      throw InvalidArgument("collision: more than 2^31 - 1 shapes");
    }
  }
  leaf.resize(total);
  placed.resize(total_placed);
  parallel_for(n, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i)
      place_collider(*this, first_[i].leaf, first_[i].placed, colliders[i], i);
  });
}

} // namespace talus
