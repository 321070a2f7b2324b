#include "talus/cluster/cells.h"

#include <algorithm>
#include <cmath>

namespace talus {
namespace {

/// Moves the lowest 21 bits apart, with two zeros after each.
CellCode spread(std::uint64_t bits) {
  bits = (bits | bits << 32) & 0x1f00000000ffff;
  bits = (bits | bits << 16) & 0x1f0000ff0000ff;
  bits = (bits | bits << 8) & 0x100f00f00f00f00f;
  bits = (bits | bits << 4) & 0x10c30c30c30c30c3;
  return (bits | bits << 2) & 0x1249249249249249;
}

/// The inverse of spread(), which ignores the other bits.
std::uint64_t gather(CellCode code) {
  code &= 0x1249249249249249;
  code = (code | code >> 2) & 0x10c30c30c30c30c3;
  code = (code | code >> 4) & 0x100f00f00f00f00f;
  code = (code | code >> 8) & 0x1f0000ff0000ff;
  code = (code | code >> 16) & 0x1f00000000ffff;
  return (code | code >> 32) & 0x1fffff;
}

} // namespace

Index CellGrid::colour_of(CellCode code, Index stride) {
  const auto part = [&](int axis) { return static_cast<Index>(gather(code >> axis) % stride); };
  return part(0) + stride * (part(1) + stride * part(2));
}

Index CellGrid::stride_for(double reach) const {
  constexpr double most_strides = 64, hair = 1e-6;
  // Two points within `reach` of a third are at most twice as far apart.
  const double cells = std::ceil(2 * reach * (1 + hair) / width);
  return 1 + static_cast<Index>(std::clamp(cells, 1.0, most_strides));
}

std::int64_t CellGrid::coordinate(double x) const {
  constexpr double half = 0x1p20;
  return static_cast<std::int64_t>(
      std::clamp(std::floor(x / width) + half, 0.0, static_cast<double>(most)));
}

CellCode CellGrid::code_of(std::int64_t x, std::int64_t y, std::int64_t z) {
  return spread(x) | spread(y) << 1 | spread(z) << 2;
}

CellCode CellGrid::cell_of(const Vec3& point) const {
  return code_of(coordinate(point.x), coordinate(point.y), coordinate(point.z));
}

int CellOwners::owner(CellCode code) const {
  return static_cast<int>(std::ranges::upper_bound(cuts_, code) - cuts_.begin());
}

CellOwners CellOwners::balanced(std::vector<CellWeight> weights, Ranks& ranks) {
  // Each cell once: there are far fewer cells than bodies and contacts.
  std::ranges::sort(weights, {}, &CellWeight::code);
  Bytes mine;
  for (std::size_t k = 0; k < weights.size();) {
    CellWeight cell = weights[k++];
    while (k < weights.size() && weights[k].code == cell.code) cell.weight += weights[k++].weight;
    append(mine, cell);
  }
  std::vector<CellWeight> all;
  for (const Bytes& bytes : ranks.gather(mine)) {
    const auto cells = values_in<CellWeight>(bytes);
    all.insert(all.end(), cells.begin(), cells.end());
  }
  return balanced(std::move(all), ranks.count());
}

CellOwners CellOwners::balanced(std::vector<CellWeight> all, int count) {
  std::ranges::sort(all, {}, &CellWeight::code);
  std::int64_t total = 0;
  for (const CellWeight& cell : all) total += cell.weight;
  std::vector<CellCode> cuts;
  std::int64_t before = 0;
  for (const CellWeight& cell : all) {
    // A cell begins the ranks whose share ends before its middle.
    while (static_cast<int>(cuts.size()) < count - 1 &&
           count * (2 * before + cell.weight) >= 2 * total * (static_cast<int>(cuts.size()) + 1))
      cuts.push_back(cell.code);
    before += cell.weight;
  }
  cuts.resize(count - 1, ~CellCode{0});
  return CellOwners(std::move(cuts));
}

} // namespace talus
