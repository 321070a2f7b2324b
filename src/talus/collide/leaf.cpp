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

void place_leaf(Leaves& leaves, Index i, const Shape& shape, const Transform& pose) {
  Leaf& leaf = leaves.leaf[i];
  leaf.kind = kind_of(shape);
  if (leaf.kind == ShapeKind::sphere) {
    leaf.centre = pose.position;
    leaf.radius = std::get<Sphere>(shape.geometry).radius;
    return;
  }
  leaves.shape[i] = &shape;
  leaves.pose[i] = pose;
  if (leaf.kind == ShapeKind::half_space) {
    leaf.centre = pose.position;
    leaf.radius = std::numeric_limits<double>::infinity();
    return;
  }
  leaves.bounds[i] = bounds_of(shape, pose);
  leaf.centre = leaves.bounds[i].centre();
  leaf.radius = 0.5 * norm(leaves.bounds[i].extents());
  if (leaf.kind == ShapeKind::box) {
    leaf.radius = std::min(leaf.radius, norm(std::get<Box>(shape.geometry).half_extents));
  }
}

void place_collider(Leaves& leaves, Index first, const Collider& c, Index index) {
  const auto common = [&](Index i, Index child) {
    Leaf& leaf = leaves.leaf[i];
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
  first_leaf_.resize(colliders.size() + 1);
  std::size_t total = 0;
  for (Index i = 0; i < n; ++i) {
    if (!is_usable(colliders[i])) reject(colliders[i], i);
    first_leaf_[i] = static_cast<Index>(total);
    total += leaf_count(*colliders[i].shape);
    if (total > static_cast<std::size_t>(std::numeric_limits<Index>::max())) {
      throw InvalidArgument("collision: more than 2^31 - 1 shapes");
    }
  }
  first_leaf_[n] = static_cast<Index>(total);
  leaf.resize(total);
  shape.resize(total);
  pose.resize(total);
  bounds.resize(total);
  parallel_for(n, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) place_collider(*this, first_leaf_[i], colliders[i], i);
  });
}

} // namespace talus
