// Simulations over ranks where dividing them is awkward: the same bits all the same.

#include "cluster/rank_runs.h"
#include "talus/step/envelope.h"

#include <set>

namespace talus {
namespace {

using namespace test;

Outcome expect_same_bits_on(std::initializer_list<int> counts, const World& world, RankRun run) {
  run.ranks = 1;
  const Outcome one = simulate(world, run);
  for (const int ranks : counts) {
    run.ranks = ranks;
    run.threads = 1 + ranks % 2;
    expect_same_bits(simulate(world, run), one, std::to_string(ranks) + " ranks");
  }
  return one;
}

Index most_contacts(const Outcome& outcome) {
  Index most = 0;
  for (const StepReport& report : outcome.reports) most = std::max(most, report.contacts);
  return most;
}

/// Every solver that runs over ranks steps a pile, whether it converges or not.
class RankSolvers : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Listed, RankSolvers,
                         testing::Values("auto", "nsgs", "ansgs", "nncg", "jacobi", "pgd", "apgd",
                                         "coulomb-apgd", "spg", "bb", "cpg", "kucera", "gpminres",
                                         "admm"),
                         [](const auto& solver) {
                           std::string name = solver.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST_P(RankSolvers, StepWithTheSameBits) {
  RankRun run{.steps = 12, .options = small_cells()};
  run.step = {.solver = GetParam(), .tolerance = 1e-3, .max_products = 150};
  const Outcome one = expect_same_bits_on({2, 3, 4, 8}, falling_pile(60), run);
  EXPECT_GT(most_contacts(one), 20);
}

TEST(RankHardCases, AllBodiesInOneCell) {
  RankRun run{.steps = 10, .options = {.cell_radii = 1000}, .step = {.tolerance = 1e-4}};
  World world = falling_pile(40);
  for (BodyState& state : world.states()) state.pose.position += Vec3{5, 5, 0};
  expect_same_bits_on({2, 8}, world, run);
  run.ranks = 8;
  const Outcome many = simulate(world, run);
  EXPECT_EQ(many.most_own, 40);
  EXPECT_EQ(many.least_own, 0);
}

TEST(RankHardCases, MoreRanksThanCells) {
  RankRun run{.steps = 10, .options = {.cell_radii = 8}, .step = {.tolerance = 1e-4}};
  const World world = falling_pile(60);
  std::set<CellCode> cells;
  const std::vector<double> radii = bounding_radii(world);
  const CellGrid grid{8 * *std::ranges::max_element(radii)};
  for (Index i = 1; i < world.size(); ++i)
    cells.insert(grid.cell_of(world.states()[i].pose.position));
  EXPECT_GT(cells.size(), 1u);
  EXPECT_LT(cells.size(), 11u);
  expect_same_bits_on({11}, world, run);
}

/// A ball flies over the cells of three ranks and more in one step.
TEST(RankHardCases, ABodyCrossesThreeRanksInAStep) {
  World world;
  world.gravity = {};
  for (int k = 0; k < 60; ++k)
    world.add(body().with(make_sphere(0.05)).at({0.25 * (k % 20), 0.101 * (k / 20), 0}));
  const Index bullet =
      world.add(body("bullet").with(make_sphere(0.05)).at({0.01, 0.05, 4}).moving({600, 0, 0}));
  RankRun run{.ranks = 8, .steps = 3, .options = small_cells(), .step = {.tolerance = 1e-4}};
  const CellGrid grid{run.options.cell_radii * bounding_radii(world).front()};
  std::vector<CellCode> codes;
  for (int k = 1; k < 8; ++k) codes.push_back(grid.cell_of({0.6 * k, 0.05, 4}));
  std::ranges::sort(codes);
  run.options.cuts = codes;
  const CellOwners owners(codes);
  const Outcome many = simulate(world, run);
  run.steps = 1;
  const Outcome first = simulate(world, run);
  const int from = owners.owner(grid.cell_of(world.states()[bullet].pose.position)),
            to = owners.owner(grid.cell_of(first.state.bodies[bullet].pose.position));
  EXPECT_GE(std::abs(to - from), 3);
  EXPECT_GT(most_contacts(many), 0);
  run = {.steps = 3, .options = small_cells(), .step = run.step};
  expect_same_bits(many, simulate(world, run), "one rank");
}

/// Sizes 1 : 20: the large balls are on all ranks, or make cells wide.
TEST(RankHardCases, SizesOneToTwenty) {
  World world;
  world.add(fixed_body("floor").with(make_half_space({0, 0, 1})));
  for (int k = 0; k < 100; ++k)
    world.add(body().with(make_sphere(0.02)).at({0.041 * (k % 10), 0.041 * (k / 10), 0.02}));
  for (int k = 0; k < 2; ++k)
    world.add(body()
                  .with(make_sphere(0.4))
                  .at({0.1 + 0.2 * k, 0.15, 0.445 + 0.81 * k})
                  .moving({0, 0, -1}));
  for (const double large_radius : {8.0, 100.0}) {
    RankRun run{.steps = 3, .options = small_cells()};
    run.step = {.tolerance = 1e-3, .max_products = 300};
    run.options.large_radius = large_radius;
    const Outcome one = expect_same_bits_on({3, 8}, world, run);
    EXPECT_GT(most_contacts(one), 100);
    run.ranks = 8;
    const Outcome many = simulate(world, run);
    EXPECT_LT(many.most_own, large_radius == 8 ? 60 : 103);
  }
}

/// Bodies beyond the grid of cells count as those of its last cells, and one goes there.
TEST(RankHardCases, BodiesLeaveTheGridOfCells) {
  World world;
  world.gravity = {};
  RankRun run{.steps = 6, .options = small_cells(), .step = {.tolerance = 1e-4}};
  const ShapePtr ball = make_sphere(0.05);
  world.add(body().with(ball).at({}));
  const double edge = 0x1p20 * run.options.cell_radii * bounding_radii(world).front();
  for (int k = 0; k < 20; ++k)
    world.add(body()
                  .with(ball)
                  .at({edge - 0.04 + 0.101 * (k % 5), 0.101 * (k / 5), 0})
                  .moving({k % 5 == 0 ? 6.0 : -1.0, 0, 0}));
  world.add(body("leaver").with(ball).at({edge - 0.04, 2, 0}).moving({6, 0, 0}));
  world.add(body("far").with(ball).at({1e9, -1e9, 0}).moving({5, 0, 0}));
  const Outcome one = expect_same_bits_on({2, 3, 8}, world, run);
  EXPECT_GT(most_contacts(one), 10);
  EXPECT_GT(one.state.bodies[21].pose.position.x, edge);
}

} // namespace
} // namespace talus
