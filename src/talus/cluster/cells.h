#pragma once
// Cells of space and the ranks that own them.
//
// Cells are cubes of a fixed grid about the origin, whatever the number of ranks, ordered along the
// Morton curve. A rank owns the cells of one stretch of the curve. Coordinates beyond the grid's
// 2²¹ cells in a direction count as those of its last cells; neighbours stay neighbours.

#include "talus/core/ranks.h"
#include "talus/core/vec3.h"

#include <cstdint>
#include <span>
#include <vector>

namespace talus {

/// Position of a cell on the curve.
using CellCode = std::uint64_t;

struct CellGrid {
  double width = 1; ///< m.

  CellCode cell_of(const Vec3& point) const;
  /// Colours 0 … stride³ - 1: cells of one colour are the same or lie at least stride - 1 cells
  /// apart in some direction.
  static Index colour_of(CellCode code, Index stride);
  /// The stride for which bodies within `reach` of a point are in no two cells of one colour.
  Index stride_for(double reach) const;
  /// Calls visit(code) for the cells that hold points within `reach` of `point` in each direction.
  template <class Visit>
  void for_each_near(const Vec3& point, double reach, Visit&& visit) const;

private:
  static constexpr std::int64_t most = (std::int64_t{1} << 21) - 1;
  std::int64_t coordinate(double x) const;
  static CellCode code_of(std::int64_t x, std::int64_t y, std::int64_t z);
};

/// How many bodies (or contacts) are in a cell.
struct CellWeight {
  CellCode code = 0;
  std::int64_t weight = 0;
};

/// Where the curve is cut.
class CellOwners {
public:
  CellOwners() = default;
  /// The first cell of each rank but the first, not descending.
  explicit CellOwners(std::vector<CellCode> cuts) : cuts_(std::move(cuts)) {}
  /// Cuts so that ranks get like weights. `weights` are those of this rank's cells, in any order; a
  /// cell may occur on several ranks. All ranks together.
  static CellOwners balanced(std::vector<CellWeight> weights, Ranks& ranks);
  /// The same of the weights of all cells, for so many ranks.
  static CellOwners balanced(std::vector<CellWeight> weights, int count);

  int owner(CellCode code) const;
  const std::vector<CellCode>& cuts() const { return cuts_; }

private:
  std::vector<CellCode> cuts_;
};

template <class Visit>
void CellGrid::for_each_near(const Vec3& point, double reach, Visit&& visit) const {
  const auto lowest = [&](double x) { return coordinate(x - reach); };
  const auto highest = [&](double x) { return coordinate(x + reach); };
  for (std::int64_t x = lowest(point.x); x <= highest(point.x); ++x)
    for (std::int64_t y = lowest(point.y); y <= highest(point.y); ++y)
      for (std::int64_t z = lowest(point.z); z <= highest(point.z); ++z) visit(code_of(x, y, z));
}

} // namespace talus
