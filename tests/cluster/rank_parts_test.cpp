// Ranks that have a part of the world each: what they hold, how bodies travel, states in blocks.

#include "cluster/rank_scenes.h"
#include "scratch_folder.h"
#include "talus/cluster/body_packets.h"
#include "talus/io/checkpoint_blocks.h"

namespace talus {
namespace {

using namespace test;

constexpr const char* scene_text = R"(
title: parts
step: 1/240
materials:
  rough: {friction: 0.6}
  smooth: {friction: 0.2}
bodies:
  - {name: floor, motion: fixed, material: rough, shape: {type: half_space}}
  - {name: arm, mass: 5, shape: {type: box, size: [1.0, 0.1, 0.2]}, position: [0, 0, 0.5]}
  - {name: loose, material: smooth, shape: {type: box, size: [0.2, 0.2, 0.2]}, position: [0.5, -0.9, 0.11]}
joints:
  - {name: axle, type: revolute, between: [ground, arm], at: [0, 0, 0.5], axis: [0, 0, 1], motor: {speed: 3}}
generators:
  - {type: grid, name: s, shape: {type: sphere, radius: 0.05}, counts: [9, 9, 2],
     spacing: [0.101, 0.101, 0.101], position: [-0.4, -0.4, 0.05], jitter: 0.002, material: rough}
  - {type: packing, name: p, radius: [0.03, 0.06], count: 40, material: smooth,
     box: {min: [-0.5, -0.5, 0.7], max: [0.5, 0.5, 1.2]}, velocity: [0, 0, -3]}
  - {type: grid, name: b, shape: {type: box, size: [0.06, 0.08, 0.1]}, counts: [12, 6, 1],
     spacing: [0.12, 0.12, 1], position: [-0.6, 0.5, 0.05], random_orientation: true, remove_at: 0.03}
)";

SceneSource source() {
  return source_of(scene_text);
}

RankSimulation from_part(Ranks& ranks) {
  return part_of_run(source(), ranks).simulation;
}

Outcome run_parts(int ranks, int steps) {
  return simulate_parts(source(), ranks, steps);
}

TEST(RankParts, HaveTheBitsOfTheWholeScene) {
  constexpr int steps = 12;
  const Scene scene = build_scene(source());
  const Outcome whole =
      simulate(scene.world, {.steps = steps, .options = small_cells(), .step = scene.options});
  EXPECT_GT(whole.reports.back().contacts, 100);
  EXPECT_EQ(whole.state.removed.size(), 72u);
  for (const int ranks : {1, 2, 3, 8})
    expect_same_bits(run_parts(ranks, steps), whole, std::to_string(ranks) + " ranks");
}

TEST(RankParts, HoldTheirOwnBodiesAndLargeOnes) {
  const World world = stirred_bed(60); // and floor, post, arm
  for (const int count : {1, 2, 5}) {
    std::vector<Index> here(count), own(count);
    run_ranks(count, [&](Ranks& ranks) {
      RankSimulation simulation(world, {}, ranks, small_cells());
      for (int k = 0; k < 3; ++k) simulation.step();
      here[ranks.rank()] = simulation.bodies_here();
      own[ranks.rank()] = simulation.own_bodies();
    });
    Index sum = 0;
    for (int r = 0; r < count; ++r) {
      EXPECT_EQ(here[r], own[r] + 3);
      sum += own[r];
    }
    EXPECT_EQ(sum, 60);
  }
}

/// A ball that is large though only its size says so is on all ranks, whoever has built it.
TEST(RankParts, ABallAmongSandHasTheSameBits) {
  World world = falling_pile(60);
  world.add(body("ball").with(make_sphere(0.7)).at({0.4, 0.4, 2}).moving({0, 0, -8}));
  const RankRun one{.steps = 12, .options = small_cells()};
  const Outcome expected = simulate(world, one);
  for (const int ranks : {2, 3, 8}) {
    RankRun run = one;
    run.ranks = ranks;
    const Outcome many = simulate(world, run);
    EXPECT_LT(many.most_own, 60) << "the ball belongs to nobody";
    expect_same_bits(many, expected, std::to_string(ranks) + " ranks");
  }
}

/// Everything that bodies can have comes along when they change their rank.
TEST(RankParts, BodiesTravelWithAllTheyHave) {
  World world;
  const Index soft = world.add(Material{.name = "soft", .friction = 0.1});
  const ShapePtr box = make_box({0.1, 0.2, 0.3});
  world.add(body("a brick with a long name")
                .with(box, {{0.3, 0, 0}, {}})
                .of(soft)
                .in_group(2, 5)
                .pushed_by({1, 2, 3}, {4, 5, 6})
                .resisted_by({.linear = 0.5})
                .at({1, 2, 3})
                .without_gravity());
  world.add(body("ball").with(make_sphere(0.25)).moving({1, 0, 0}).without_rotation());
  world.add(body("mass").mass(3).mass_properties({3, {}, Mat3::identity()}));
  world.remove_body(1);
  ShapeTable table;
  table.add(world.bodies()[0].shapes);
  for (const bool listed : {false, true}) {
    if (listed) table.add(world.bodies()[1].shapes);
    Bytes bytes;
    for (Index k = 0; k < world.size(); ++k)
      append(bytes, table, {10 * k, world.bodies()[k], world.states()[k], 0.5 + k, 7.0 * k});
    TravellerReader reader(table, bytes);
    for (Index k = 0; k < world.size(); ++k) {
      ASSERT_FALSE(reader.at_end());
      const Traveller there = reader.next();
      const Body& body = world.bodies()[k];
      EXPECT_EQ(there.number, 10 * k);
      EXPECT_EQ(there.state, world.states()[k]);
      EXPECT_EQ(there.radius, 0.5 + k);
      EXPECT_EQ(there.removed_at, 7.0 * k);
      EXPECT_EQ(there.body.name, body.name);
      EXPECT_EQ(there.body.kind, body.kind);
      EXPECT_EQ(there.body.turns, body.turns);
      EXPECT_EQ(there.body.floats, body.floats);
      EXPECT_EQ(there.body.removed, body.removed);
      EXPECT_EQ(there.body.mass, body.mass);
      EXPECT_EQ(there.body.moments, body.moments);
      EXPECT_EQ(there.body.reference(), body.reference());
      EXPECT_EQ(there.body.load(), body.load());
      EXPECT_EQ(there.body.drag(), body.drag());
      EXPECT_EQ(there.body.extras.get().kind_before_removal, body.extras.get().kind_before_removal);
      ASSERT_EQ(there.body.shapes.size(), body.shapes.size());
      for (std::size_t i = 0; i < body.shapes.size(); ++i) {
        BodyShape shape = there.body.shapes[i];
        if (k == 1) {
          EXPECT_EQ(std::get<Sphere>(shape.shape->geometry).radius, 0.25);
        }
        if (k == 1 && !listed) shape.shape = body.shapes[i].shape; // a copy of its own
        EXPECT_EQ(shape, body.shapes[i]);
      }
    }
    EXPECT_TRUE(reader.at_end());
  }
}

TEST(RankParts, CollidersOfTheWholeWorldAreKnown) {
  World world = stirred_bed(3);
  world.add(body().with(make_sphere(0.1)).with(make_sphere(0.1), {{0.1, 0, 0}, {}}));
  world.add(body().mass_properties({3, {}, Mat3::identity()}));
  world.add(body().with(make_sphere(0.1)).with(make_sphere(0.1), {{0.1, 0, 0}, {}}));
  ColliderRuns runs;
  for (const Body& body : world.bodies()) runs.add(body);
  Index collider = 0;
  for (Index i = 0; i < world.size(); ++i) {
    EXPECT_EQ(runs.first_of(i), collider);
    Index number = 0;
    for (const BodyShape& shape : world.bodies()[i].shapes) {
      const ColliderInfo info = runs[collider++];
      EXPECT_EQ(info.body, i);
      EXPECT_EQ(info.material, shape.material);
      EXPECT_EQ(info.shape, number++);
    }
  }
  EXPECT_EQ(runs.colliders(), collider);
  EXPECT_EQ(runs.bodies(), world.size());
}

/// Written by three ranks in turn, read as a whole and by other numbers of ranks.
TEST(RankParts, RefuseMoreCollidersThanHaveNumbers) {
  ColliderRuns runs;
  runs.add(2, 0, 1'000'000'000);
  EXPECT_THROW(runs.add(1, 0, 200'000'000), InvalidArgument);
  EXPECT_EQ(runs.bodies(), 1'000'000'000);
  runs.add(0, 0, 1'000'000'000);
  EXPECT_THROW(runs.add(0, 0, 200'000'000), InvalidArgument);
  EXPECT_EQ(runs.bodies(), 2'000'000'000);
  EXPECT_EQ(runs.colliders(), 2'000'000'000);
}

TEST(RankParts, CheckpointOfBlocksGoesOnOnAnyNumberOfRanks) {
  constexpr int before = 6, after = 6;
  const Outcome whole = run_parts(2, before + after);
  const ScratchFolder folder;
  const std::string path = folder.path("checkpoint.h5");
  SimulationState gathered;
  std::vector<SimulationState> blocks(3);
  run_ranks(3, [&](Ranks& ranks) {
    RankSimulation simulation = from_part(ranks);
    for (int k = 0; k < before; ++k) simulation.step();
    blocks[ranks.rank()] = simulation.block_of_state();
    SimulationState state = simulation.gather_state();
    if (ranks.rank() == 0) gathered = std::move(state);
  });
  {
    AtomicFile target(path);
    begin_checkpoint_of_blocks(target, source(), blocks[0]);
    for (const int k : {1, 2}) append_checkpoint_block(target.temporary_path(), blocks[k]);
    target.commit();
  }
  const Checkpoint checkpoint = read_checkpoint(path);
  EXPECT_TRUE(checkpoint.built_from_scene);
  EXPECT_TRUE(checkpoint.state == gathered);
  EXPECT_EQ(scene_of(checkpoint).world.size(), static_cast<Index>(gathered.bodies.size()));
  for (const int count : {1, 4, 8}) {
    std::uint64_t hash = 0;
    std::vector<SimulationState> parts; // ranks are threads here, which must not read at a time
    for (int r = 0; r < count; ++r) parts.push_back(read_checkpoint_block(path, r, count).state);
    run_ranks(count, [&](Ranks& ranks) {
      RankSimulation simulation = from_part(ranks);
      simulation.restore_block(parts[ranks.rank()]);
      for (int k = 0; k < after; ++k) simulation.step();
      const std::uint64_t mine = simulation.hash();
      if (ranks.rank() == 0) hash = mine;
    });
    EXPECT_EQ(hash, whole.hashes.back()) << count << " ranks";
  }
}

} // namespace
} // namespace talus
