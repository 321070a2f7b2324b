#include "cluster/thread_ranks.h"
#include "talus/cluster/cells.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>

namespace talus {
namespace {

TEST(Cells, NearbyPointsLieInNearbyCells) {
  std::mt19937 random(1);
  const auto uniform = [&](double size) {
    return size * (static_cast<double>(random()) / 4294967296.0 - 0.5);
  };
  const CellGrid grid{0.3};
  for (int trial = 0; trial < 2000; ++trial) {
    // Far beyond the grid, too.
    const double size = trial % 3 == 0 ? 1e7 : 10;
    const Vec3 a{uniform(size), uniform(size), uniform(size)};
    const double reach = 0.5;
    const Vec3 b = a + Vec3{uniform(2 * reach), uniform(2 * reach), uniform(2 * reach)};
    bool found = false;
    grid.for_each_near(a, reach, [&](CellCode code) { found = found || code == grid.cell_of(b); });
    EXPECT_TRUE(found);
  }
}

TEST(Cells, CodesOfCellsDiffer) {
  const CellGrid grid{1};
  std::set<CellCode> codes;
  for (int x = -5; x < 5; ++x)
    for (int y = -5; y < 5; ++y)
      for (int z = -5; z < 5; ++z) codes.insert(grid.cell_of({x + 0.5, y + 0.5, z + 0.5}));
  EXPECT_EQ(codes.size(), 1000u);
}

/// Two contacts of a body lie in cells that hold points near it: such cells have the same colour
/// only if they are the same.
TEST(Cells, OfOneColourAreFarApart) {
  std::mt19937 random(2);
  const auto uniform = [&](double size) {
    return size * (static_cast<double>(random()) / 4294967296.0 - 0.5);
  };
  for (const double reach : {0.1, 0.5, 0.51, 1.3, 4.0}) {
    const CellGrid grid{1};
    const Index stride = grid.stride_for(reach);
    EXPECT_EQ(stride, 1 + std::max(1, static_cast<int>(std::ceil(2 * reach * (1 + 1e-6)))));
    for (int trial = 0; trial < 20000; ++trial) {
      const double size = trial % 5 == 0 ? 4e6 : 20; // beyond the grid, too
      const Vec3 centre{uniform(size), uniform(size), uniform(size)};
      const auto near = [&] {
        return centre + Vec3{uniform(2 * reach), uniform(2 * reach), uniform(2 * reach)};
      };
      const CellCode a = grid.cell_of(near()), b = grid.cell_of(near());
      if (a == b) continue;
      EXPECT_NE(CellGrid::colour_of(a, stride), CellGrid::colour_of(b, stride));
      EXPECT_LT(CellGrid::colour_of(a, stride), stride * stride * stride);
    }
  }
}

/// Random piles of balls of different sizes: cells of one colour change no body together.
TEST(Cells, OfOneColourChangeNoBodyTogether) {
  std::mt19937 random(9);
  const auto uniform = [&](double low, double high) {
    return low + (high - low) * static_cast<double>(random()) / 4294967296.0;
  };
  for (int trial = 0; trial < 30; ++trial) {
    constexpr double largest = 0.1, envelope = 0.02;
    const CellGrid grid{uniform(2, 6) * largest};
    const Index stride = grid.stride_for(2 * largest + envelope);
    std::vector<Vec3> centres;
    std::vector<double> radii;
    for (int k = 0; k < 400; ++k) {
      centres.push_back({uniform(-0.7, 0.7), uniform(-0.7, 0.7), uniform(-0.7, 0.7)});
      radii.push_back(uniform(0.2, 1) * largest);
    }
    std::set<std::pair<Index, std::size_t>> changed; // colour and body, of one cell at a time
    std::map<CellCode, std::set<std::size_t>> bodies_of;
    for (std::size_t a = 0; a < centres.size(); ++a)
      for (std::size_t b = a + 1; b < centres.size(); ++b)
        if (norm(centres[a] - centres[b]) < radii[a] + radii[b] + envelope)
          bodies_of[std::min(grid.cell_of(centres[a]), grid.cell_of(centres[b]))].insert({a, b});
    EXPECT_GT(bodies_of.size(), 20u);
    for (const auto& [cell, bodies] : bodies_of)
      for (const std::size_t body : bodies)
        EXPECT_TRUE(changed.insert({CellGrid::colour_of(cell, stride), body}).second);
  }
}

TEST(Cells, BalancedCutsDivideTheWeight) {
  for (const int count : {1, 2, 3, 5, 8}) {
    std::vector<std::int64_t> weight(count, 0);
    test::run_ranks(count, [&](Ranks& ranks) {
      std::mt19937 random(ranks.rank());
      std::vector<CellWeight> mine;
      for (int k = 0; k < 400; ++k)
        mine.push_back({random() % 1000, static_cast<std::int64_t>(1 + random() % 3)});
      const CellOwners owners = CellOwners::balanced(mine, ranks);
      EXPECT_TRUE(std::ranges::is_sorted(owners.cuts()));
      for (int r = 0; r < count; ++r) {
        std::int64_t of_rank = 0;
        for (const CellWeight& cell : mine)
          if (owners.owner(cell.code) == r) of_rank += cell.weight;
        const std::int64_t all = ranks.sum(of_rank);
        if (ranks.rank() == 0) weight[r] = all;
      }
    });
    const auto [least, most] = std::ranges::minmax(weight);
    EXPECT_LT(most - least, 40) << count;
  }
}

} // namespace
} // namespace talus
