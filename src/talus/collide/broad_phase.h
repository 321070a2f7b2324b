#pragma once
// Broad phase: which leaves may be within the envelope of each other.
//
// Leaves of like size share a level, each level a uniform grid whose cell is the size of its
// largest leaf; a leaf sits in the one cell of its centre. Like-sized leaves look into the
// neighbouring cells of their own grid, and small ones into the cells they reach of each coarser
// grid. The few largest leaves and the half-spaces are compared with everything. Grids wrap around
// (a cell is taken modulo a power of two in each direction), so memory is linear in the number of
// leaves however far bodies fly apart.

#include "talus/collide/leaf.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace talus {

class BroadPhase {
public:
  /// Body pairs (smaller index first, sorted) that are never reported.
  std::vector<std::pair<Index, Index>> excluded;

  /// Replaces `pairs` with every admissible pair of leaves whose bounding spheres, and bounding
  /// boxes, are within `envelope`; pairs of spheres are exact. Sorted by (collider, collider, leaf,
  /// leaf).
  void find_pairs(const Leaves& leaves, double envelope, std::vector<LeafPair>& pairs);

private:
  /// One level: its members sorted by cell.
  struct Grid {
    double cell = 0;
    std::int64_t mask[3] = {3, 3, 3};
    int shift[2] = {2, 4};     ///< bucket = x | y << shift[0] | z << shift[1].
    std::vector<Index> start;  ///< Members of bucket b: start[b] … start[b + 1].
    std::vector<Index> member; ///< Leaf of each member.
    std::vector<double> x, y, z, r;
    std::vector<Index> plain_body; ///< Body of a member that only its body can exclude, else -1.
    std::vector<Index> list;       ///< Leaves of this level before sorting.
    std::vector<Index> bucket_of;  ///< Bucket of each entry of `list`.
  };

  void choose_levels(const Leaves& leaves, double envelope);
  void fill_grid(Grid& grid, const Leaves& leaves, double envelope);
  void search_own_level(const Leaves& leaves, const Grid& grid, double envelope);
  void search_coarser_level(const Leaves& leaves, const Grid& fine, const Grid& coarse,
                            double envelope);
  void search_large(const Leaves& leaves, double envelope);
  std::vector<LeafPair>& new_list();
  void sort_pairs(const Leaves& leaves, std::vector<LeafPair>& pairs);
  bool admissible(const Leaf& a, const Leaf& b) const;
  void add_if_near(const Leaves& leaves, Index i, Index j, double envelope,
                   std::vector<LeafPair>& out) const;
  /// Appends the pairs found by `search(begin, end, out)` over chunks of [0, n) as one list each.
  template <class Search>
  void collect(Index n, Index min_length, Search&& search);

  std::vector<Grid> grids_;   ///< By level, the finest first.
  std::vector<Index> large_;  ///< Leaves compared with everything.
  std::vector<Index> others_; ///< All the rest.
  std::vector<std::uint8_t> level_of_;
  std::vector<std::vector<LeafPair>> unsorted_; ///< Lists of pairs, in the order of their search.
  std::size_t lists_ = 0;                       ///< How many of them are in use.
  std::vector<Index> bucket_start_;
};

} // namespace talus
