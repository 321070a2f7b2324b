#include "talus/query/ray.h"

#include "talus/core/error.h"
#include "talus/query/placed_leaf.h"
#include "talus/query/shape_ray.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace talus {

namespace {

constexpr Index most_in_leaf = 4;

Vec3 doubled_centre(const Bounds& bounds) {
  return bounds.lower + bounds.upper;
}

int longest_side(const Bounds& bounds) {
  const Vec3 e = bounds.extents();
  return e.x >= e.y && e.x >= e.z ? 0 : e.y >= e.z ? 1 : 2;
}

} // namespace

/// A binary tree over the bounded leaves, halved at the median along the longest side. Planes stand
/// apart, at the end of the leaves.
struct RayCaster::Tree {
  explicit Tree(std::vector<QueryLeaf> all) : leaves(std::move(all)) {
    const auto is_bounded = [](const QueryLeaf& leaf) {
      return kind_of(*leaf.geometry) != ShapeKind::half_space;
    };
    std::ranges::stable_partition(leaves, is_bounded);
    bounded = static_cast<Index>(std::ranges::count_if(leaves, is_bounded));
    if (bounded == 0) return;
    order.resize(static_cast<std::size_t>(bounded));
    for (Index i = 0; i < bounded; ++i) order[static_cast<std::size_t>(i)] = i;
    nodes.push_back({{}, 0, bounded});
    for (std::size_t i = 0; i < nodes.size(); ++i) split(i); // nodes grow meanwhile
  }

  void split(std::size_t number) {
    const Index first = nodes[number].first, count = nodes[number].count;
    Bounds bounds, centres;
    for (Index k = first; k < first + count; ++k) {
      bounds.include(leaf_at(k).bounds);
      centres.include(doubled_centre(leaf_at(k).bounds));
    }
    nodes[number].bounds = bounds;
    if (count <= most_in_leaf) return;
    const int axis = longest_side(centres);
    const auto begin = order.begin() + first, middle = begin + count / 2, end = begin + count;
    std::nth_element(begin, middle, end, [&](Index a, Index b) {
      return std::pair(doubled_centre(leaves[static_cast<std::size_t>(a)].bounds)[axis], a) <
             std::pair(doubled_centre(leaves[static_cast<std::size_t>(b)].bounds)[axis], b);
    });
    nodes[number].first = static_cast<Index>(nodes.size());
    nodes[number].count = 0;
    nodes.push_back({{}, first, count / 2});
    nodes.push_back({{}, first + count / 2, count - count / 2});
  }

  const QueryLeaf& leaf_at(Index k) const {
    return leaves[static_cast<std::size_t>(order[static_cast<std::size_t>(k)])];
  }

  std::vector<QueryLeaf> leaves;
  Index bounded = 0;
  std::vector<Index> order;
  std::vector<BoundsNode> nodes;
};

namespace {

/// The nearest hit so far.
struct Nearest {
  const Ray& ray;
  const RayFilter& filter;
  double limit;
  const QueryLeaf* leaf = nullptr;
  SurfaceHit hit = {};

  void look_at(const QueryLeaf& each) {
    if (each.body == filter.ignore || (each.group & filter.mask) == 0) return;
    const auto found = first_hit(*each.geometry, each.pose, ray, limit);
    if (!found) return;
    // Equal distances: the first body, so that the order of the search does not matter.
    if (leaf && found->distance == limit &&
        std::pair(each.body, each.shape) >= std::pair(leaf->body, leaf->shape))
      return;
    leaf = &each;
    hit = *found;
    limit = hit.distance;
  }
};

} // namespace

RayCaster::RayCaster(const World& world) : tree_(std::make_unique<const Tree>(leaves_of(world))) {}
RayCaster::~RayCaster() = default;
RayCaster::RayCaster(RayCaster&&) noexcept = default;
RayCaster& RayCaster::operator=(RayCaster&&) noexcept = default;

std::optional<RayHit> RayCaster::cast(const Vec3& origin, const Vec3& direction,
                                      const RayFilter& filter) const {
  if (!is_finite(origin) || !is_finite(direction))
    throw InvalidArgument("the origin and the direction of a ray must be finite");
  const double length = norm(direction);
  if (!(length > 0) || !std::isfinite(length))
    throw InvalidArgument(fmt::format("the direction of a ray has length {}", length));
  if (!(filter.max_distance >= 0))
    throw InvalidArgument(
        fmt::format("max_distance is {}, it must be at least 0", filter.max_distance));
  const Ray ray{origin, direction / length};
  const Vec3 inverse{1 / ray.direction.x, 1 / ray.direction.y, 1 / ray.direction.z};
  Nearest nearest{ray, filter, filter.max_distance};
  for (auto k = static_cast<std::size_t>(tree_->bounded); k < tree_->leaves.size(); ++k)
    nearest.look_at(tree_->leaves[k]);
  Index stack[64]; // the tree halves: its depth is that of 2^31 leaves at most, two entries a level
  int waiting = 0;
  if (tree_->bounded > 0) stack[waiting++] = 0;
  while (waiting > 0) {
    const BoundsNode& node = tree_->nodes[static_cast<std::size_t>(stack[--waiting])];
    if (!meets(node.bounds, ray, inverse, nearest.limit)) continue;
    if (node.count > 0) {
      for (Index k = node.first; k < node.first + node.count; ++k)
        nearest.look_at(tree_->leaf_at(k));
      continue;
    }
    // The child towards which the ray points is searched last, so that the nearer one, taken from
    // the top of the stack, comes first.
    const Vec3 way = doubled_centre(tree_->nodes[static_cast<std::size_t>(node.first + 1)].bounds) -
                     doubled_centre(tree_->nodes[static_cast<std::size_t>(node.first)].bounds);
    const Index near = dot(way, ray.direction) > 0 ? 0 : 1;
    stack[waiting++] = node.first + 1 - near;
    stack[waiting++] = node.first + near;
  }
  if (!nearest.leaf) return {};
  const double distance = nearest.hit.distance;
  return RayHit{nearest.leaf->body, nearest.leaf->shape, distance,
                origin + distance * ray.direction, nearest.hit.normal};
}

} // namespace talus
