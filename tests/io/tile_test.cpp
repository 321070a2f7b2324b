// Tiled beds: images against the closed form of mirrors, what meets at their faces, and errors.

#include "scene_text.h"
#include "talus/core/error.h"
#include "talus/io/export.h"
#include "talus/step/measures.h"
#include "talus/step/overlaps.h"
#include "talus/step/simulation.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <tuple>

namespace talus::test {
namespace {

/// The bodies of `bed`, as its file, in the scene of `text`.
Scene scene_with_bed(const Scene& bed, const std::string& text) {
  return build_scene(
      {"test.yaml", text, {}, {{"bed.json", settled_text(bed.description, bed.world)}}});
}

std::string tile_text(const std::string& keys) {
  return "generators:\n- {type: tile, file: bed.json, " + keys + "}\n";
}

/// One body of each kind that has an image, none of them in a symmetric place.
Scene odd_bodies() {
  return scene_from(R"(bodies:
- {shape: {type: sphere, radius: 0.2}, position: [0.3, 0.2, 0.3], force: [1, 2, 3], torque: [1, 2, 3]}
- {shape: {type: box, size: [0.2, 0.3, 0.1]}, position: [1, 0.4, 0.2], orientation: {euler: [20, 30, 50]}}
- {shape: {type: capsule, radius: 0.1, length: 0.3}, position: [0.5, 1, 0.4], orientation: {euler: [70, 10, 25]}}
- {shape: {type: cylinder, radius: 0.1, length: 0.3}, position: [1.2, 1, 0.4], orientation: {euler: [-40, 15, 5]}}
- {shape: {type: ellipsoid, radii: [0.1, 0.2, 0.3]}, position: [2, 1, 0.5], orientation: {euler: [33, -15, 80]}}
- {shape: {type: convex_hull, points: [[0, 0, 0], [0.4, 0, 0], [0, 0.3, 0], [0, 0.1, 0.2]]}, position: [2, 0.3, 0.2], orientation: {euler: [11, 22, 33]}}
- shape:
    type: compound
    parts:
    - {shape: {type: box, size: [0.4, 0.1, 0.1]}}
    - {shape: {type: sphere, radius: 0.1}, position: [0.2, 0.05, 0.1]}
    - {shape: {type: convex_hull, points: [[0, 0, 0], [0.2, 0, 0], [0, 0.3, 0], [0, 0, 0.1]]}, position: [-0.2, 0, 0], orientation: {euler: [0, 40, 10]}}
  position: [2.6, 0.7, 0.6]
  orientation: {euler: [-60, 20, 140]}
- {shapes: [{shape: {type: capsule, radius: 0.05, length: 0.3}, position: [0.1, 0, 0], orientation: {euler: [0, 90, 20]}}], inertia: {mass: 2, centre: [0.1, 0.02, 0.03], moments: [2, 3, 4], products: [0.1, 0.2, 0.3]}, position: [2.5, 0.2, 0.9], orientation: {euler: [5, 6, 7]}}
)");
}

double reach_along(const ShapePtr& shape, const Transform& pose, const Vec3& direction) {
  if (const auto* compound = std::get_if<Compound>(&shape->geometry)) {
    double most = -1e300;
    for (const Compound::Child& child : compound->children)
      most = std::max(most, reach_along(child.shape, pose * child.pose, direction));
    return most;
  }
  return dot(direction, pose(support_point(*shape, rotate_back(pose.rotation, direction))));
}

/// How far a body reaches in a direction: what it fills, of convex parts.
double reach_along(const World& world, Index body, const Vec3& direction) {
  double most = -1e300;
  for (const BodyShape& shape : world.bodies()[body].shapes)
    most =
        std::max(most, reach_along(shape.shape, world.states()[body].pose * shape.pose, direction));
  return most;
}

Mat3 inertia_in_world(const World& world, Index body) {
  const Quaternion& q = world.states()[body].pose.rotation;
  const Mat3 r = Mat3::columns(rotate(q, {1, 0, 0}), rotate(q, {0, 1, 0}), rotate(q, {0, 0, 1}));
  const Mat3 back = Mat3::columns(r.row(0), r.row(1), r.row(2));
  return r * Mat3::diagonal(world.bodies()[body].moments) * back;
}

TEST(Tile, ImagesAreMirroredAtTheFacesBetweenThem) {
  const Scene bed = odd_bodies();
  const Scene tiled =
      scene_with_bed(bed, tile_text("counts: [3, 2, 2], position: [5, 6, 7], name: t, box: {min: "
                                    "[0, 0, 0], max: [3, 1.5, 1.2]}"));
  const Index bodies = bed.world.size();
  ASSERT_EQ(tiled.world.size(), 12 * bodies);
  EXPECT_EQ(tiled.world.bodies()[13].name, "t 13");
  const std::array<double, 3> size = {3, 1.5, 1.2}, shift = {5, 6, 7};
  for (Index n = 0; n < tiled.world.size(); ++n) {
    const Index b = n % bodies;
    const std::array<Index, 3> image = {n / bodies % 3, n / bodies / 3 % 2, n / bodies / 6};
    Vec3 sign{1, 1, 1}, origin;
    for (int i = 0; i < 3; ++i) {
      if (image[i] % 2 != 0) sign[i] = -1;
      origin[i] = shift[i] + (image[i] + image[i] % 2) * size[i];
    }
    for (const Vec3& d : {Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}, Vec3{1, 2, -3},
                          Vec3{-2, 1, 1}, Vec3{-1, -1, 2}, Vec3{3, -2, 1}, Vec3{-1, -2, -3}}) {
      const Vec3 there{sign.x * d.x, sign.y * d.y, sign.z * d.z};
      EXPECT_NEAR(reach_along(tiled.world, n, there),
                  reach_along(bed.world, b, d) + dot(there, origin), 1e-12)
          << "body " << b << " in image " << image[0] << image[1] << image[2];
    }
    EXPECT_NEAR(tiled.world.bodies()[n].mass, bed.world.bodies()[b].mass, 1e-9);
    const Mat3 was = inertia_in_world(bed.world, b), is = inertia_in_world(tiled.world, n);
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) EXPECT_NEAR(is(i, j), sign[i] * sign[j] * was(i, j), 1e-9);
    const Wrench load = tiled.world.bodies()[n].load(), own = bed.world.bodies()[b].load();
    const double handedness = sign.x * sign.y * sign.z;
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(load.force[i], sign[i] * own.force[i]);
      EXPECT_EQ(load.torque[i], handedness * sign[i] * own.torque[i]);
    }
  }
}

/// Without a box the faces are where the outermost bodies end, so that these touch their images.
TEST(Tile, WithoutABoxIsAsWideAsItsBodies) {
  const Scene bed = odd_bodies();
  const Scene tiled = scene_with_bed(bed, tile_text("counts: [2, 1, 1]"));
  const Index bodies = bed.world.size();
  double width = 0, nearest = 1e300;
  for (Index b = 0; b < bodies; ++b) width = std::max(width, reach_along(bed.world, b, {1, 0, 0}));
  for (Index b = bodies; b < 2 * bodies; ++b)
    nearest = std::min(nearest, -reach_along(tiled.world, b, {-1, 0, 0}));
  EXPECT_NEAR(nearest, width, 1e-12);
  EXPECT_TRUE(find_overlaps(tiled.world, 1e-9).empty());
}

TEST(Tile, LeavesOutWhatReachesOverAFace) {
  const Scene bed = scene_from(R"(bodies:
- {shape: {type: sphere, radius: 0.1}, position: [0.1, 0, 0]}
- {shape: {type: sphere, radius: 0.1}, position: [0.8996, 0, 0]}
- {shape: {type: sphere, radius: 0.1}, position: [0.92, 0.3, 0]}
- {shape: {type: sphere, radius: 0.1}, position: [0.5, 5, 0]}
)");
  const std::string box = "counts: [2, 1, 1], box: {min: [0, -1, -1], max: [0.999, 1, 1]}";
  // The second one reaches over by 0.6 mm, more than half of 1 % of its radius; y is not repeated.
  EXPECT_EQ(scene_with_bed(bed, tile_text(box)).world.size(), 4);
  EXPECT_EQ(scene_with_bed(bed, tile_text(box + ", overlap: 0.0013")).world.size(), 6);
  EXPECT_EQ(scene_with_bed(bed, tile_text(box + ", overlap: 0.05")).world.size(), 8);
  const Scene tiled = scene_with_bed(bed, tile_text(box + ", overlap: 0.0013"));
  const auto overlaps = find_overlaps(tiled.world, 0);
  ASSERT_EQ(overlaps.size(), 1u); // of the second one and its image, by twice as much
  EXPECT_NEAR(overlaps[0].depth, 0.0012, 1e-9);
}

/// Walls at x and y, without friction, around what lies on a rough floor.
std::string walls_text(const Vec3& lower, const Vec3& upper) {
  return fmt::format(R"(step: 1/240
solver: {{tolerance: 1e-8}}
materials:
  rough: {{friction: 0.6}}
  smooth: {{friction: 0}}
bodies:
- {{name: floor, motion: fixed, material: rough, shape: {{type: half_space}}}}
- {{name: left, motion: fixed, material: smooth, shape: {{type: half_space, normal: [1, 0, 0], offset: {}}}}}
- {{name: right, motion: fixed, material: smooth, shape: {{type: half_space, normal: [-1, 0, 0], offset: {}}}}}
- {{name: front, motion: fixed, material: smooth, shape: {{type: half_space, normal: [0, 1, 0], offset: {}}}}}
- {{name: back, motion: fixed, material: smooth, shape: {{type: half_space, normal: [0, -1, 0], offset: {}}}}}
)",
                     lower.x, -upper.x, lower.y, -upper.y);
}

/// Balls and boxes that have come to rest between smooth walls.
Scene settled_bed() {
  Scene scene = scene_from(walls_text({0, 0, 0}, {0.6, 0.6, 1}) + R"(generators:
- {type: packing, name: ball, count: 40, radius: [0.06, 0.09], material: rough, box: {min: [0, 0, 0], max: [0.6, 0.6, 1.2]}}
- {type: packing, name: box, count: 6, shape: {type: box, size: [0.12, 0.1, 0.08]}, material: rough, box: {min: [0, 0, 1.2], max: [0.6, 0.6, 1.8]}}
)");
  Simulation simulation(scene.world, scene.options);
  for (int k = 0; k < 600; ++k) simulation.step();
  std::ranges::copy(simulation.world().states(), scene.world.states().begin());
  for (BodyState& state : scene.world.states()) state.velocity = state.angular_velocity = {};
  return scene;
}

double mass_of_moving(const World& world) {
  double mass = 0;
  for (const Body& body : world.bodies())
    if (body.kind == BodyKind::dynamic) mass += body.mass;
  return mass;
}

Bounds extent_of_moving(const World& world) {
  Bounds extent;
  for (Index b = 0; b < world.size(); ++b)
    for (const BodyShape& shape : world.bodies()[b].shapes)
      if (world.bodies()[b].kind == BodyKind::dynamic)
        extent.include(bounds_of(*shape.shape, world.states()[b].pose * shape.pose));
  return extent;
}

double most_energy(Scene scene, int steps) {
  Simulation simulation(std::move(scene.world), scene.options);
  double most = 0;
  for (int k = 0; k < steps; ++k) most = std::max(most, simulation.step().kinetic_energy);
  return most;
}

/// In the box of its walls what leant on a wall leans on its image with the same force. In that of
/// its bodies it first closes gaps of some micrometres.
TEST(Tile, OfASettledBedStaysAtRest) {
  const Scene bed = settled_bed();
  constexpr Index walls = 5;
  const Index bodies = bed.world.size() - walls;
  const double deepest = find_overlaps(bed.world, 0).front().depth;
  const double mass = mass_of_moving(bed.world);
  const double alone = most_energy(bed, 24) / mass;
  std::vector<double> energies;
  for (const bool has_box : {true, false}) {
    Bounds box{{0, 0, 0}, {0.6, 0.6, 1}};
    if (!has_box) box = extent_of_moving(bed.world);
    const Vec3 size = box.extents();
    const std::string given = has_box ? ", box: {min: [0, 0, 0], max: [0.6, 0.6, 1]}" : "";
    const Scene tiled =
        scene_with_bed(bed, walls_text(box.lower, box.lower + Vec3{3 * size.x, 2 * size.y, 0}) +
                                tile_text("counts: [3, 2, 1]" + given));
    ASSERT_EQ(tiled.world.size(), walls + 6 * bodies);
    EXPECT_NEAR(mass_of_moving(tiled.world), 6 * mass, 1e-9);
    // Twice as deep in an image as in the wall.
    EXPECT_LE(find_overlaps(tiled.world, 0).front().depth, (has_box ? 2.001 : 1.001) * deepest);
    energies.push_back(most_energy(tiled, 24) / (6 * mass));
  }
  EXPECT_LT(energies[0], 2 * alone);
  EXPECT_LT(energies[1], 1e-5); // 4 mm/s; a fall of one step has 41 mm/s
}

TEST(Tile, ComplaintsNameLineAndWhatIsRight) {
  const Scene bed = odd_bodies();
  const Scene loaded = scene_from(
      "bodies:\n- {name: kite, shape: {type: sphere, radius: 1}, force: [[0, [0, 0, 1]], [1, [0, "
      "0, 2]]]}\n");
  const Scene dish = scene_from(
      "bodies:\n- {name: dish, density: 1, shape: {type: hopper, outlet: 1, inlet: 2, height: 1, "
      "wall: 0.1}}\n");
  const std::vector<std::tuple<const Scene*, std::string, std::string>> table = {
      {&bed, "count: 3", "'count'"},
      {&bed, "box: {min: [0, 0, 0], max: [1, 1, 1]}", "'counts'"},
      {&bed, "counts: [2, 0, 1]", "counts"},
      {&bed, "counts: [100000, 100000, 1]", "more than 10000000 bodies"},
      {&bed, "counts: [3000, 3000, 1]", "more than 10000000 bodies"},
      {&bed, "counts: [2, 1, 1], overlap: 0.1", "box beside it"},
      {&bed, "counts: [2, 1, 1], box: {min: [0, 0, 0], max: [0, 1, 1]}", "greater than min"},
      {&bed, "counts: [2, 1, 1], box: {min: [9, 0, 0], max: [10, 1, 1]}", "no body"},
      {&bed, "counts: [2, 1, 1], velocity: [1, 0, 0]", "'velocity' is not for"},
      {&bed, "counts: [2, 1, 1], material: wood", "no material 'wood'"},
      {&loaded, "counts: [2, 1, 1]", "body 'kite': has loads over time"},
      {&dish, "counts: [2, 1, 1]", "body 'dish': has a hopper"},
  };
  for (const auto& [scene, keys, word] : table) {
    std::string message;
    try {
      scene_with_bed(*scene, tile_text(keys));
    } catch (const Error& error) {
      message = error.what();
    }
    EXPECT_NE(message.find("test.yaml:2"), std::string::npos) << keys << "\n" << message;
    EXPECT_NE(message.find(word), std::string::npos) << keys << "\n" << message;
  }
}

} // namespace
} // namespace talus::test
