// Scenes of which each rank builds its part: every generator has the bits of the whole scene, and
// what is built is little more than what is kept.

#include "cluster/rank_scenes.h"
#include "scratch_folder.h"
#include "talus/core/error.h"
#include "talus/io/export.h"

#include <fmt/format.h>

#include <fstream>

namespace talus {
namespace {

using namespace test;

void expect_bits_of_the_whole(const SceneSource& source, int steps = 4) {
  const Scene scene = build_scene(source);
  const Outcome whole =
      simulate(scene.world, {.steps = steps, .options = small_cells(), .step = scene.options});
  EXPECT_GT(whole.reports.back().contacts, 0);
  for (const int ranks : {1, 2, 3, 8})
    expect_same_bits(simulate_parts(source, ranks, steps), whole, std::to_string(ranks) + " ranks");
}

/// Bodies of parts are those of the whole, all that a rank keeps are there, and all ranks know the
/// colliders of all.
void expect_parts_of_the_whole(const SceneSource& source) {
  constexpr int ranks = 3;
  const Scene whole = build_scene(source);
  for (int rank = 0; rank < ranks; ++rank) {
    const BuiltPart built = build_part(source, rank, ranks);
    const World& world = built.scene.world;
    EXPECT_LT(world.size(), 2 * whole.world.size() / 3);
    for (Index k = 0; k < world.size(); ++k) {
      const Index number = built.part.numbers[k];
      EXPECT_EQ(world.bodies()[k].name, whole.world.bodies()[number].name);
      EXPECT_EQ(world.bodies()[k].mass, whole.world.bodies()[number].mass);
      EXPECT_EQ(world.states()[k], whole.world.states()[number]);
    }
    ASSERT_EQ(built.part.colliders.bodies(), whole.world.size());
    Index collider = 0;
    for (Index b = 0; b < whole.world.size(); ++b) {
      EXPECT_TRUE(first_owner(b, ranks) != rank ||
                  std::ranges::binary_search(built.part.numbers, b));
      for (const BodyShape& shape : whole.world.bodies()[b].shapes) {
        const ColliderInfo info = built.part.colliders[collider++];
        EXPECT_EQ(info.body, b);
        EXPECT_EQ(info.material, shape.material);
      }
    }
  }
}

constexpr const char* ground_text = R"(step: 1/240
materials:
  rough: {friction: 0.6}
  smooth: {friction: 0.2}
bodies:
  - {name: floor, motion: fixed, material: rough, shape: {type: half_space}}
generators:
)";

const std::string ball = "shape: {type: sphere, radius: 0.05}";
const std::string brick = "shape: {type: box, size: [0.1, 0.1, 0.1]}";

TEST(RankScenes, GeneratorsThatSkipBodiesMakeThoseOfTheWhole) {
  for (const std::string& generator :
       {"grid, " + brick +
            ", counts: [17, 16, 5], spacing: [0.2, 0.2, 0.2], jitter: 0.002, "
            "random_orientation: true",
        "stack, " + ball + ", count: 900, offset: [0.1, 0.01, 0], twist: 3",
        "pyramid, " + brick + ", rows: 40, offset: [0.11, 0, 0], row_offset: [0, 0, 0.1]",
        "path, " + ball + ", spacing: 0.1, points: [[0, 0, 0], [30, 30, 0]]",
        std::string("wall, brick: [0.2, 0.1, 0.1], bricks: 200, courses: 5"),
        std::string("packing, count: 900, shapes: [{type: sphere, radius: 0.1}, {type: box, size: "
                    "[0.1, 0.2, 0.1]}], box: {min: [0, 0, 0], max: [3, 3, 3]}")}) {
    SCOPED_TRACE(generator);
    expect_parts_of_the_whole(source_of(ground_text + ("  - {type: " + generator + "}\n")));
  }
}

TEST(RankScenes, GeneratorsThatDrawNumbersHaveTheBitsOfTheWhole) {
  for (const std::string& generator :
       {"grid, " + ball +
            ", counts: [7, 6, 5], spacing: [0.101, 0.103, 0.102], position: [0, 0, "
            "0.049], jitter: 0.002, seed: 5, material: smooth",
        std::string("packing, count: 200, radius: [0.03, 0.06], box: {min: [0, 0, 0], max: [1, 1, "
                    "0.8]}, velocity: [0, 0, -4]"),
        std::string("packing, count: 200, stones: {size: [0.06, 0.12], kinds: 9}, box: {min: [0, "
                    "0, 0], max: [1, 1, 1]}, velocity: [0, 0, -4]")}) {
    SCOPED_TRACE(generator);
    const SceneSource source = source_of(ground_text + ("  - {type: " + generator + "}\n"));
    expect_parts_of_the_whole(source);
    expect_bits_of_the_whole(source, 2);
  }
}

/// Links and shoes have joints: all ranks build them, also those beyond the first 64 of a rank.
TEST(RankScenes, ChainsAndTracksCanBeDivided) {
  for (const char* generator :
       {"chain, shape: {type: capsule, radius: 0.02, length: 0.1}, count: 70, offset: [0.15, 0, "
        "0], orientation: {euler: [0, 90, 0]}, position: [0, 0.3, 0.12]",
        "track, shape: {type: box, size: [0.03, 0.1, 0.01]}, count: 70, position: [0.5, 0.5, 0.2], "
        "wheels: [[-0.4, 0.3, 0.2], [0.4, 0.3, 0.2]]"}) {
    SCOPED_TRACE(generator);
    expect_bits_of_the_whole(source_of(
        ground_text +
        fmt::format("  - {{type: grid, shape: {{type: sphere, radius: 0.05}}, counts: [10, 9, 1], "
                    "spacing: [0.1, 0.1, 0.1], position: [0, 0, 0.049]}}\n  - {{type: {}}}\n",
                    generator)));
  }
}

constexpr const char* bed_text = R"(materials:
  rough: {friction: 0.6}
  smooth: {friction: 0.2}
generators:
  - {type: packing, count: 30, radius: [0.04, 0.06], material: rough,
     box: {min: [0, 0, 0], max: [0.5, 0.4, 0.5]}}
  - {type: packing, count: 20, stones: {size: [0.06, 0.12], kinds: 7}, material: smooth,
     box: {min: [0, 0, 0.5], max: [0.5, 0.4, 0.9]}}
)";

SceneSource tiled(const std::string& counts) {
  const Scene bed = build_scene(source_of(bed_text));
  return source_of(ground_text +
                       fmt::format("  - {{type: tile, file: bed.json, counts: {}}}\n", counts),
                   {{"bed.json", settled_text(bed.description, bed.world)}});
}

TEST(RankScenes, TilesHaveTheBitsOfTheWhole) {
  expect_bits_of_the_whole(tiled("[3, 2, 1]"), 12);
}

/// The tile, its image and the floor, and what is kept.
TEST(RankScenes, PartsOfTilesAreSmall) {
  constexpr Index tile = 50, images = 200, ranks = 4;
  Index all = 0;
  for (Index rank = 0; rank < ranks; ++rank) {
    const BuiltPart built = build_part(tiled("[50, 4, 1]"), rank, ranks);
    EXPECT_EQ(built.part.colliders.bodies(), 1 + images * tile);
    EXPECT_LE(built.scene.world.size(), 1 + 2 * tile + images * tile / ranks + owned_together);
    EXPECT_TRUE(built.scene.description.bodies.empty());
    for (const Index number : built.part.numbers) all += first_owner(number, ranks) == rank;
  }
  EXPECT_EQ(all, 1 + images * tile);
}

/// Only scenes that are built by parts may have more bodies than one process can hold.
TEST(RankScenes, PartsMayBeOfScenesTooLargeForOneProcess) {
  constexpr int ranks = 1'000'000;
  const SceneSource huge = source_of(
      ground_text + std::string("  - {type: grid, shape: {type: sphere, radius: 0.1}, counts: "
                                "[1000, 1000, 100], spacing: [1, 1, 1], jitter: 0.1}\n"));
  EXPECT_THROW(build_scene(huge), FileError);
  const BuiltPart built = build_part(huge, 7, ranks);
  EXPECT_EQ(built.part.colliders.bodies(), 100'000'001);
  EXPECT_EQ(built.scene.world.size(), 2 + 2 * owned_together); // two blocks, floor, first ball
}

TEST(RankScenes, IncludedScenesAreDivided) {
  const ScratchFolder folder;
  std::ofstream(folder.path("bed.yaml")) << R"(materials:
  gravel: {friction: 0.7}
  smooth: {friction: 0.1}
bodies:
  - {name: arm, material: smooth, shape: {type: box, size: [0.3, 0.1, 0.1]}, position: [-0.3, 0, 0.3]}
generators:
  - {type: grid, name: g, shape: {type: sphere, radius: 0.05}, counts: [8, 8, 2], material: gravel,
     spacing: [0.101, 0.101, 0.101], position: [0, 0, 0.049], jitter: 0.001}
  - {type: grid, name: c, counts: [4, 4, 1], spacing: [0.2, 0.2, 0.2], position: [0, 0, 0.5],
     shape: {type: compound, parts: [{shape: {type: sphere, radius: 0.05}},
       {shape: {type: sphere, radius: 0.05}, position: [0.05, 0, 0]}]}}
  - {type: packing, name: p, count: 70, radius: [0.02, 0.05], material: smooth,
     box: {min: [0, 0, 0.7], max: [0.8, 0.8, 1.2]}, velocity: [0, 0, -3]}
joints:
  - {type: revolute, between: [ground, arm], at: [-0.3, 0, 0.3], axis: [0, 0, 1], motor: {speed: 3}}
)";
  const std::string text = R"(step: 1/240
materials:
  smooth: {friction: 0.3}
  other: {friction: 0.4}
include:
  - {file: bed.yaml, prefix: a_}
  - {file: bed.yaml, prefix: b_, at: [2, 0, 0], material: other}
bodies:
  - {name: floor, motion: fixed, shape: {type: half_space}}
generators:
  - {type: grid, shape: {type: sphere, radius: 0.05}, counts: [9, 9, 1], spacing: [0.1, 0.1, 0.1],
     position: [0, 1.5, 0.049], material: other}
)";
  SceneSource source{folder.path("scene.yaml"), text, {}, {}};
  source = build_scene(std::move(source)).source; // with its files
  expect_bits_of_the_whole(source, 12);
  expect_parts_of_the_whole(source);
}

} // namespace
} // namespace talus
