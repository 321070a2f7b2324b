#include "talus/collide/broad_phase.h"

#include "talus/core/elementary.h"
#include "talus/core/parallel.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <ranges>
#include <span>

namespace talus {
namespace {

/// Levels double in size; everything beyond the last one joins it.
constexpr int max_levels = 48;
/// Up to this many of the largest leaves are compared with all others instead of having a grid.
constexpr Index max_large = 16;

/// Cell coordinate, kept in the range that doubles count exactly.
std::int64_t cell_of(double x, double inverse_cell) {
  return static_cast<std::int64_t>(std::floor(std::clamp(x * inverse_cell, -0x1p52, 0x1p52)));
}

/// Diameter a leaf needs in a grid so that near leaves lie in neighbouring cells.
double size_of(const Leaf& leaf, double envelope) {
  return 2 * leaf.radius + envelope;
}

Bounds leaf_bounds(const Leaves& leaves, Index i) {
  return leaves.leaf[i].kind == ShapeKind::sphere ? bounds_of_sphere(leaves.leaf[i])
                                                  : leaves.bounds(i);
}

/// The body of a movable sphere without filters, whose pairs with others of its kind need no more
/// checks than their distance and their bodies; -1 for all other leaves.
Index plain_body_of(const Leaf& leaf) {
  const bool plain = leaf.kind == ShapeKind::sphere && leaf.movable && leaf.group == 1 &&
                     leaf.mask == ~std::uint32_t{0} && leaf.body >= 0;
  return plain ? leaf.body : -1;
}

/// A body has few partners: insertion beats std::sort, except for the few bodies that have many.
template <class Iterator>
void sort_by_second(Iterator first, Iterator last) {
  constexpr auto few = 24;
  if (last - first > few) {
    std::sort(first, last,
              [](const LeafPair& p, const LeafPair& q) { return p.second < q.second; });
    return;
  }
  for (auto next = first; next != last; ++next) {
    const LeafPair pair = *next;
    auto hole = next;
    for (; hole != first && pair.second < (hole - 1)->second; --hole) *hole = *(hole - 1);
    *hole = pair;
  }
}

bool near_half_space(const Leaves& leaves, Index plane, const Leaf& other, double envelope) {
  const auto& half_space = std::get<HalfSpace>(leaves.shape(plane).geometry);
  const Transform& pose = leaves.pose(plane);
  const Vec3 n = rotate(pose.rotation, half_space.normal);
  const double height = dot(n, other.centre - pose.position) - half_space.offset;
  return height - other.radius <= envelope;
}

} // namespace

bool BroadPhase::admissible(const Leaf& a, const Leaf& b) const {
  if (a.body == b.body || !(a.movable || b.movable)) return false;
  if (!(a.group & b.mask) || !(b.group & a.mask)) return false;
  return excluded.empty() ||
         !std::binary_search(excluded.begin(), excluded.end(),
                             std::pair<Index, Index>(std::minmax(a.body, b.body)));
}

void BroadPhase::add_if_near(const Leaves& leaves, Index i, Index j, double envelope,
                             std::vector<LeafPair>& out) const {
  const Leaf &a = leaves.leaf[i], &b = leaves.leaf[j];
  if (!admissible(a, b)) return;
  if (a.kind == ShapeKind::half_space || b.kind == ShapeKind::half_space) {
    if (a.kind == b.kind) return; // Two half-spaces have no contact rule; one is never movable.
    const bool near = a.kind == ShapeKind::half_space ? near_half_space(leaves, i, b, envelope)
                                                      : near_half_space(leaves, j, a, envelope);
    if (!near) return;
  } else {
    const double reach = a.radius + b.radius + envelope;
    const Vec3 d = a.centre - b.centre;
    if (dot(d, d) > reach * reach) return;
    const bool spheres = a.kind == ShapeKind::sphere && b.kind == ShapeKind::sphere;
    if (!spheres && !overlap(grown(leaf_bounds(leaves, i), envelope), leaf_bounds(leaves, j))) {
      return;
    }
  }
  out.push_back(i < j ? LeafPair{i, j} : LeafPair{j, i});
}

template <class Search>
void BroadPhase::collect(Index n, Index min_length, Search&& search) {
  const Chunks chunks(n, min_length);
  const std::size_t first = lists_;
  for (Index c = 0; c < chunks.count; ++c) new_list();
  parallel_for(
      n,
      [&](Index begin, Index end) { search(begin, end, unsorted_[first + begin / chunks.length]); },
      min_length);
}

std::vector<LeafPair>& BroadPhase::new_list() {
  if (lists_ == unsorted_.size()) unsorted_.emplace_back();
  unsorted_[lists_].clear();
  return unsorted_[lists_++];
}

void BroadPhase::choose_levels(const Leaves& leaves, double envelope) {
  const Index n = leaves.count();
  double smallest = std::numeric_limits<double>::infinity();
  for (const Leaf& leaf : leaves.leaf) smallest = std::min(smallest, size_of(leaf, envelope));
  std::array<Index, max_levels> count{};
  level_of_.resize(n);
  for (Index i = 0; i < n; ++i) {
    const double ratio = size_of(leaves.leaf[i], envelope) / smallest;
    // Equal sizes share level 0; level k holds ratios in (2^(k-1), 2^k].
    int level = 0;
    if (!(ratio <= 1)) {
      std::frexp(ratio * (1 - 1e-12), &level);
    }
    level_of_[i] = static_cast<std::uint8_t>(std::isfinite(ratio) ? std::min(level, max_levels - 1)
                                                                  : max_levels);
    if (level_of_[i] < max_levels) ++count[level_of_[i]];
  }
  Index in_large = 0;
  int top = max_levels;
  while (top > 0 && in_large + count[top - 1] <= max_large) in_large += count[--top];
  grids_.resize(max_levels);
  for (Grid& grid : grids_) {
    grid.cell = 0;
    grid.list.clear();
  }
  large_.clear();
  others_.clear();
  for (Index i = 0; i < n; ++i) {
    if (level_of_[i] >= top) {
      large_.push_back(i);
      continue;
    }
    others_.push_back(i);
    Grid& grid = grids_[level_of_[i]];
    grid.list.push_back(i);
    grid.cell = std::max(grid.cell, size_of(leaves.leaf[i], envelope));
  }
}

void BroadPhase::fill_grid(Grid& grid, const Leaves& leaves, double envelope) {
  const auto n = static_cast<Index>(grid.list.size());
  // A hair more than the largest member, against rounding in the division by the cell.
  grid.cell = (1 + 1e-9) * std::max(grid.cell, envelope);
  const double inverse_cell = 1 / grid.cell;
  Bounds centres;
  for (Index i : grid.list) centres.include(leaves.leaf[i].centre);
  // At least 4 cells in each direction, so that a cell's neighbours -1, 0, +1 stay distinct, and
  // about two buckets per leaf at most.
  int bits[3];
  for (int k = 0; k < 3; ++k) {
    const double cells = centres.extents()[k] * inverse_cell + 2;
    bits[k] = std::max(2, static_cast<int>(ceil_log2(std::min(cells, 0x1p20))));
  }
  const int most = std::max(6, 1 + static_cast<int>(ceil_log2(static_cast<double>(n))));
  while (bits[0] + bits[1] + bits[2] > most) --*std::max_element(bits, bits + 3);
  for (int k = 0; k < 3; ++k) grid.mask[k] = (std::int64_t{1} << bits[k]) - 1;
  grid.shift[0] = bits[0];
  grid.shift[1] = bits[0] + bits[1];

  grid.bucket_of.resize(n);
  parallel_for(n, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      const Vec3& c = leaves.leaf[grid.list[i]].centre;
      grid.bucket_of[i] =
          static_cast<Index>((cell_of(c.x, inverse_cell) & grid.mask[0]) |
                             (cell_of(c.y, inverse_cell) & grid.mask[1]) << grid.shift[0] |
                             (cell_of(c.z, inverse_cell) & grid.mask[2]) << grid.shift[1]);
    }
  });
  const std::size_t buckets = std::size_t{1} << (bits[0] + bits[1] + bits[2]);
  grid.start.assign(buckets + 1, 0);
  for (Index b : grid.bucket_of) ++grid.start[b + 1];
  for (std::size_t b = 0; b < buckets; ++b) grid.start[b + 1] += grid.start[b];
  for (auto* v : {&grid.x, &grid.y, &grid.z, &grid.r}) v->resize(n);
  grid.member.resize(n);
  grid.plain_body.resize(n);
  for (Index i = n; i-- > 0;) {
    // Fills each bucket from its end; afterwards start[b + 1] has become the begin of bucket b.
    const Index slot = --grid.start[grid.bucket_of[i] + 1];
    const Leaf& leaf = leaves.leaf[grid.list[i]];
    grid.member[slot] = grid.list[i];
    grid.x[slot] = leaf.centre.x;
    grid.y[slot] = leaf.centre.y;
    grid.z[slot] = leaf.centre.z;
    grid.r[slot] = leaf.radius;
    grid.plain_body[slot] = excluded.empty() ? plain_body_of(leaf) : -1;
  }
  for (std::size_t b = 0; b < buckets; ++b) grid.start[b] = grid.start[b + 1];
  grid.start[buckets] = n;
}

void BroadPhase::search_own_level(const Leaves& leaves, const Grid& grid, double envelope) {
  const auto buckets = static_cast<Index>(grid.start.size() - 1);
  collect(buckets, 512, [&](Index begin, Index end, std::vector<LeafPair>& out) {
    const auto test_range = [&](Index i, Index first, Index last) {
      const double x = grid.x[i], y = grid.y[i], z = grid.z[i], r = grid.r[i] + envelope;
      for (Index j = first; j < last; ++j) {
        const double dx = grid.x[j] - x, dy = grid.y[j] - y, dz = grid.z[j] - z;
        const double reach = grid.r[j] + r;
        if (dx * dx + dy * dy + dz * dz > reach * reach) continue;
        const Index a = grid.member[i], b = grid.member[j];
        if (grid.plain_body[i] < 0 || grid.plain_body[j] < 0) {
          add_if_near(leaves, a, b, envelope, out);
        } else if (grid.plain_body[i] != grid.plain_body[j]) {
          out.push_back(a < b ? LeafPair{a, b} : LeafPair{b, a});
        }
      }
    };
    for (Index b = begin; b < end; ++b) {
      const Index first = grid.start[b], last = grid.start[b + 1];
      if (first == last) continue;
      const std::int64_t x = b & grid.mask[0];
      const std::int64_t y = b >> grid.shift[0] & grid.mask[1];
      const std::int64_t z = b >> grid.shift[1] & grid.mask[2];
      // Half of the neighbourhood: the next cell of the row, and four whole rows of three cells.
      const auto row = [&](int dy, int dz) {
        return ((y + dy) & grid.mask[1]) << grid.shift[0] | ((z + dz) & grid.mask[2])
                                                                << grid.shift[1];
      };
      const std::int64_t rows[4] = {row(1, 0), row(-1, 1), row(0, 1), row(1, 1)};
      const std::int64_t next = ((x + 1) & grid.mask[0]) | row(0, 0);
      const bool wraps = x == 0 || x == grid.mask[0];
      for (Index i = first; i < last; ++i) {
        test_range(i, i + 1, last);
        test_range(i, grid.start[next], grid.start[next + 1]);
        for (const std::int64_t base : rows) {
          if (!wraps) {
            test_range(i, grid.start[base + x - 1], grid.start[base + x + 2]);
            continue;
          }
          for (int dx = -1; dx <= 1; ++dx) {
            const std::int64_t c = base | ((x + dx) & grid.mask[0]);
            test_range(i, grid.start[c], grid.start[c + 1]);
          }
        }
      }
    }
  });
}

void BroadPhase::search_coarser_level(const Leaves& leaves, const Grid& fine, const Grid& coarse,
                                      double envelope) {
  const double inverse_cell = 1 / coarse.cell;
  collect(static_cast<Index>(fine.member.size()), 256,
          [&](Index begin, Index end, std::vector<LeafPair>& out) {
            for (Index i = begin; i < end; ++i) {
              // A coarse leaf's radius is at most (cell - envelope) / 2, so that fewer than four
              // cells in a row are in reach and the wrapped grid shows none of them twice.
              const double reach = fine.r[i] + (envelope + coarse.cell) / 2;
              const Vec3 c{fine.x[i], fine.y[i], fine.z[i]};
              std::int64_t low[3], high[3];
              for (int k = 0; k < 3; ++k) {
                low[k] = cell_of(c[k] - reach, inverse_cell);
                high[k] = cell_of(c[k] + reach, inverse_cell);
              }
              for (std::int64_t z = low[2]; z <= high[2]; ++z) {
                for (std::int64_t y = low[1]; y <= high[1]; ++y) {
                  for (std::int64_t x = low[0]; x <= high[0]; ++x) {
                    const std::int64_t b = (x & coarse.mask[0]) |
                                           (y & coarse.mask[1]) << coarse.shift[0] |
                                           (z & coarse.mask[2]) << coarse.shift[1];
                    for (Index j = coarse.start[b]; j < coarse.start[b + 1]; ++j) {
                      add_if_near(leaves, fine.member[i], coarse.member[j], envelope, out);
                    }
                  }
                }
              }
            }
          });
}

void BroadPhase::search_large(const Leaves& leaves, double envelope) {
  if (large_.empty()) return;
  std::vector<LeafPair>& among_large = new_list();
  for (std::size_t k = 0; k < large_.size(); ++k) {
    for (std::size_t l = k + 1; l < large_.size(); ++l) {
      add_if_near(leaves, large_[k], large_[l], envelope, among_large);
    }
  }
  collect(static_cast<Index>(others_.size()), 1024,
          [&](Index begin, Index end, std::vector<LeafPair>& out) {
            for (Index i = begin; i < end; ++i) {
              for (Index l : large_) add_if_near(leaves, l, others_[i], envelope, out);
            }
          });
}

void BroadPhase::sort_pairs(const Leaves& leaves, std::vector<LeafPair>& pairs) {
  // Counting sort by the first leaf's collider, then a small sort within each collider.
  const bool one_each = leaves.one_each();
  const Index colliders = leaves.count() == 0 ? 0 : leaves.leaf.back().collider + 1;
  const auto bucket = [&](const LeafPair& p) {
    return one_each ? p.first : leaves.leaf[p.first].collider;
  };
  bucket_start_.assign(static_cast<std::size_t>(colliders) + 1, 0);
  const std::span lists(unsorted_.data(), lists_);
  std::size_t total = 0;
  for (const auto& list : lists) {
    total += list.size();
    for (const LeafPair& p : list) ++bucket_start_[bucket(p) + 1];
  }
  for (Index c = 0; c < colliders; ++c) bucket_start_[c + 1] += bucket_start_[c];
  pairs.resize(total);
  for (const auto& list : lists | std::views::reverse) {
    for (const LeafPair& p : list | std::views::reverse) {
      pairs[--bucket_start_[bucket(p) + 1]] = p;
    }
  }
  const auto by_colliders = [&](const LeafPair& p, const LeafPair& q) {
    const Index c = leaves.leaf[p.second].collider, d = leaves.leaf[q.second].collider;
    if (c != d) return c < d;
    return p.first != q.first ? p.first < q.first : p.second < q.second;
  };
  parallel_for(colliders, [&](Index begin, Index end) {
    for (Index c = begin; c < end; ++c) {
      // After the scatter, bucket c begins at bucket_start_[c + 1].
      const auto first = pairs.begin() + bucket_start_[c + 1];
      const auto last = c + 2 <= colliders ? pairs.begin() + bucket_start_[c + 2] : pairs.end();
      if (one_each) {
        sort_by_second(first, last);
      } else {
        std::sort(first, last, by_colliders);
      }
    }
  });
}

void BroadPhase::find_pairs(const Leaves& leaves, double envelope, std::vector<LeafPair>& pairs) {
  lists_ = 0;
  choose_levels(leaves, envelope);
  for (Grid& grid : grids_) {
    if (!grid.list.empty()) fill_grid(grid, leaves, envelope);
  }
  for (std::size_t l = 0; l < grids_.size(); ++l) {
    if (grids_[l].list.empty()) continue;
    search_own_level(leaves, grids_[l], envelope);
    for (std::size_t m = l + 1; m < grids_.size(); ++m) {
      if (!grids_[m].list.empty()) search_coarser_level(leaves, grids_[l], grids_[m], envelope);
    }
  }
  search_large(leaves, envelope);
  sort_pairs(leaves, pairs);
}

} // namespace talus
