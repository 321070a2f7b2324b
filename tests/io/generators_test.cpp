// Shapes and generators of scene files that make many parts or bodies: their geometry against
// closed forms, and their errors.

#include "scene_text.h"
#include "talus/core/error.h"
#include "talus/io/checkpoint.h"
#include "talus/io/export.h"
#include "talus/step/overlaps.h"
#include "talus/step/simulation.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <numbers>

namespace talus::test {
namespace {

constexpr double pi = std::numbers::pi;

std::string generator_message(const std::string& text) {
  try {
    scene_from(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

double mass_of(const World& world, const std::string& name) {
  return world.bodies()[world.find_body(name)].mass;
}

TEST(Repeat, CopiesAPartAroundACircleAndAlongALine) {
  const Scene scene = scene_from(R"(bodies:
- name: star
  density: 1000
  shapes: [{shape: {type: sphere, radius: 0.1}, position: [1, 0, 0], repeat: {count: 4}}]
- name: row
  density: 1000
  shape: {type: compound, parts: [{shape: {type: sphere, radius: 0.1}, repeat: {count: 3, offset: [1, 0, 0]}}]}
)");
  const World& world = scene.world;
  const double ball = 1000 * 4 * pi / 3 * 1e-3;
  EXPECT_NEAR(mass_of(world, "star"), 4 * ball, 1e-9);
  EXPECT_NEAR(mass_of(world, "row"), 3 * ball, 1e-9);
  // The centres of mass: that of the star at its origin, that of the row in its middle.
  EXPECT_NEAR(norm(world.states()[0].pose.position), 0, 1e-12);
  EXPECT_NEAR(norm(world.states()[1].pose.position - Vec3{1, 0, 0}), 0, 1e-12);
}

TEST(Gear, MeshesWithoutOverlapAndWithTheGivenPlay) {
  // Two wheels at the distance of their pitch radii, tooth in gap.
  const std::string wheels = R"(shapes:
  a: {type: gear, teeth: 20, module: 0.01, width: 0.02, backlash: 0.0004}
  b: {type: gear, teeth: 30, module: 0.01, width: 0.02, backlash: 0.0004}
bodies:
- {name: a, shape: a}
- {name: b, shape: b, position: [0.25, 0, 0], orientation: {axis: [0, 0, 1], angle: ANGLE}}
)";
  const auto overlaps_at = [&](double angle) {
    std::string text = wheels;
    text.replace(text.find("ANGLE"), 5, std::to_string(angle));
    const Scene scene = scene_from(text);
    return !find_overlaps(scene.world, 1e-9).empty();
  };
  // The play is 0.8 mm on the circle of radius 0.15 m: 0.306 degrees, half of it to each side. Of a
  // gap flank of an involute the play along the circle is the given one.
  EXPECT_FALSE(overlaps_at(6));
  EXPECT_FALSE(overlaps_at(6 + 0.14));
  EXPECT_FALSE(overlaps_at(6 - 0.14));
  EXPECT_TRUE(overlaps_at(6 + 0.17));
  EXPECT_TRUE(overlaps_at(6 - 0.17));
}

TEST(Turned, HasTheVolumeOfItsFrusta) {
  // A bottle: cylinder, cone, neck. A regular polygon of 64 corners has less area than its circle.
  const Scene scene = scene_from(R"(bodies:
- {name: bottle, density: 1, shape: {type: turned, segments: 64, profile: [[0.3, 0], [0.3, 1], [0.1, 1.5], [0.1, 2]]}}
)");
  const double circle = 32 * std::sin(2 * pi / 64); // area of the polygon in the unit circle
  const double volume = circle * (0.09 * 1 + 0.5 * (0.09 + 0.03 + 0.01) / 3 + 0.01 * 0.5);
  EXPECT_NEAR(mass_of(scene.world, "bottle"), volume, 1e-9);
}

TEST(Track, ClosesWithPinsInPlaceAndEqualShoes) {
  const Scene scene = scene_from(R"(generators:
- type: track
  name: shoe
  count: 30
  shape: {type: box, size: [0.08, 0.2, 0.02]}
  wheels: [[-0.5, 0.2, 0.15], [0.4, 0.1, 0.12], [0.6, 0.3, 0.1]]
  position: [1, 2, 3]
)");
  ASSERT_EQ(scene.world.size(), 30);
  ASSERT_EQ(scene.world.joints().size(), 30u);
  // Centres lie half a pitch from their pins, and all pitches are equal.
  const auto& joints = scene.description.joints;
  const double pitch = norm(joints[1].at - joints[0].at);
  for (std::size_t i = 0; i < joints.size(); ++i) {
    const Vec3 from = joints[i].at, to = joints[(i + 1) % joints.size()].at;
    EXPECT_NEAR(norm(to - from), pitch, 1e-12);
    EXPECT_NEAR(norm(scene.description.bodies[i].pose.position - 0.5 * (from + to)), 0, 1e-12);
    EXPECT_EQ(joints[i].at.y, 2);
  }
  EXPECT_GE(scene.world.find_joint("shoe 29 pin"), 0);
}

TEST(Track, WrapsTwoEqualWheelsAsAStadium) {
  // L = 2 · 2 + 2π · 0.5; a chord p of the arcs is shorter than its arc by p³ / 24 r².
  const Scene scene = scene_from(R"(generators:
- {type: track, count: 400, shape: {type: sphere, radius: 0.001}, wheels: [[-1, 0, 0.5], [1, 0, 0.5]]}
)");
  const auto& joints = scene.description.joints;
  const double pitch = norm(joints[1].at - joints[0].at);
  EXPECT_NEAR(400 * pitch, 4 + pi * (1 - pitch * pitch / (24 * 0.25)), 1e-5);
  for (const JointDescription& pin : joints) {
    const double beyond = std::max(0.0, std::abs(pin.at.x) - 1);
    EXPECT_NEAR(std::hypot(beyond, pin.at.z), 0.5, 1e-9);
  }
}

TEST(Path, SpacesBodiesAlongALineAndTurnsThem) {
  const Scene scene = scene_from(R"(generators:
- {type: path, name: d, shape: {type: box, size: [0.1, 0.2, 0.3]}, spacing: 0.5, points: [[0, 0, 0], [0, 1, 0], [0, 3, 0]]}
)");
  ASSERT_EQ(scene.world.size(), 7);
  for (Index i = 0; i < 7; ++i) {
    const Transform& pose = scene.description.bodies[static_cast<std::size_t>(i)].pose;
    EXPECT_NEAR(norm(pose.position - Vec3{0, 0.5 * static_cast<double>(i), 0}), 0, 1e-3);
    EXPECT_NEAR(norm(rotate(pose.rotation, Vec3{1, 0, 0}) - Vec3{0, 1, 0}), 0, 1e-9);
  }
}

TEST(Dome, SharesFacesExactly) {
  const Scene scene = scene_from(R"(generators:
- {type: dome, name: s, inner_radius: 2, outer_radius: 2.3, rings: 4, blocks: 9, opening: 20, density: 1}
)");
  EXPECT_EQ(scene.world.size(), 4 * 9 + 9);
  EXPECT_TRUE(find_overlaps(scene.world, 1e-9).empty());
  // The blocks lie between the spheres, above the springing.
  for (Index i = 0; i < 36; ++i) EXPECT_GT(scene.world.states()[i].pose.position.z, 0);
}

TEST(Arch, WithADeckIsLevelOnTop) {
  const Scene scene = scene_from(R"(generators:
- {type: arch, inner_radius: 2, deck: 2.5, depth: 1, blocks: 7, angle: 80, position: [0, 0, 1]}
)");
  EXPECT_TRUE(find_overlaps(scene.world, 1e-9).empty());
  for (Index i = 0; i < scene.world.size(); ++i) {
    const auto& shape = scene.world.bodies()[i].shapes[0];
    const Bounds bounds = bounds_of(*shape.shape, scene.world.states()[i].pose * shape.pose);
    EXPECT_NEAR(bounds.upper.z, 3.5, 1e-9);
  }
}

TEST(Stones, HaveTheirSizesAndRepeatWithTheSeed) {
  const std::string text = R"(generators:
- type: packing
  count: 40
  stones: {size: [0.1, 0.3], exponent: 2, kinds: 20, points: 16}
  box: {min: [0, 0, 0], max: [3, 3, 3]}
  seed: 4
)";
  const Scene scene = scene_from(text), again = scene_from(text);
  std::vector<double> diameters;
  for (const ShapeDescription& shape : scene.description.shapes) {
    double radius = 0;
    for (const Vec3& v : std::get<described::ConvexHull>(shape.geometry).points)
      radius = std::max(radius, norm(v));
    diameters.push_back(2 * radius);
    EXPECT_GE(2 * radius, 0.1);
    EXPECT_LE(2 * radius, 0.3);
  }
  ASSERT_EQ(diameters.size(), 20u);
  // N(< d) ∝ 1/0.1 - 1/d: half of the stones are smaller than 2 / (1/0.1 + 1/0.3) = 0.15.
  EXPECT_LT(diameters[9], 0.15);
  EXPECT_GT(diameters[10], 0.15);
  for (Index i = 0; i < scene.world.size(); ++i)
    EXPECT_EQ(scene.world.states()[i].pose.position, again.world.states()[i].pose.position);
}

TEST(Settled, BringsBodiesOfACheckpointAndKeepsThem) {
  const ScratchFolder folder;
  Scene scene = scene_from(small_scene);
  Simulation simulation(scene.world, scene.options);
  for (int i = 0; i < 10; ++i) simulation.step();
  write_checkpoint(folder.path("bed.h5"), scene.source, description_text(scene.description),
                   simulation.state());
  const std::string text = "materials:\n  wood: {friction: 0.3}\ngenerators:\n"
                           "- {type: settled, file: bed.h5, position: [0, 0, 1]}\n";
  const Scene loaded = build_scene({folder.path("scene.yaml"), text, {}, {}});
  ASSERT_EQ(loaded.world.size(), 2); // without the fixed floor
  for (const char* name : {"ball", "box"}) {
    const Transform was = simulation.world().pose(simulation.world().find_body(name));
    const Transform is = loaded.world.pose(loaded.world.find_body(name));
    EXPECT_NEAR(norm(is.position - was.position - Vec3{0, 0, 1}), 0, 1e-12);
    EXPECT_EQ(loaded.world.states()[loaded.world.find_body(name)].velocity, Vec3{});
  }
  // The source holds what it needs: the file may go.
  std::filesystem::remove(folder.path("bed.h5"));
  const Scene again = build_scene(loaded.source);
  EXPECT_EQ(again.world.pose(0).position, loaded.world.pose(0).position);
}

TEST(Settled, ReadsTheShortTextAndFixesLowBodies) {
  const ScratchFolder folder;
  const Scene scene = scene_from(small_scene);
  Simulation simulation(scene.world, scene.options);
  for (int i = 0; i < 3; ++i) simulation.step();
  const World& world = simulation.world();
  std::ofstream(folder.path("bed.json")) << settled_text(scene.description, world, 6);
  const double ball = world.pose(world.find_body("ball")).position.z;
  const double box = world.pose(world.find_body("box")).position.z;
  const std::string text = fmt::format(
      "materials:\n  wood: {{friction: 0.3}}\ngenerators:\n- {{type: settled, file: bed.json, "
      "fixed_below: {}}}\n",
      0.5 * (ball + box));
  const Scene loaded = build_scene({folder.path("scene.yaml"), text, {}, {}});
  ASSERT_EQ(loaded.world.size(), 2);
  for (const char* name : {"ball", "box"}) {
    const Transform was = world.pose(world.find_body(name));
    const Index body = loaded.world.find_body(name);
    EXPECT_NEAR(norm(loaded.world.pose(body).position - was.position), 0, 1e-6);
    const bool is_lower = was.position.z < 0.5 * (ball + box);
    EXPECT_EQ(loaded.world.body(body).kind, is_lower ? BodyKind::fixed : BodyKind::dynamic);
  }
  std::ofstream(folder.path("bed.json")) << "{\"talus_description\":1,\"bodies\":[3]}";
  EXPECT_THROW(build_scene({folder.path("scene.yaml"), text, {}, {}}), FileError);
}

TEST(GeneratorErrors, NameLineAndWhatIsRight) {
  const std::vector<std::pair<std::string, std::string>> table = {
      {"generators:\n- {type: track, shape: {type: sphere, radius: 1}, count: 9, wheels: [[0, 0, "
       "1], "
       "[1, 0]]}\n",
       "3 entries"},
      {"generators:\n- {type: track, shape: {type: sphere, radius: 1}, count: 9, wheels: [[0, 0, "
       "1], "
       "[0.5, 0, 2]]}\n",
       "inside the other"},
      {"generators:\n- {type: track, shape: {type: sphere, radius: 1}, count: 9, wheels: [[0, 0, "
       "1], "
       "[5, 5, 1], [5, 0, 1]]}\n",
       "counter-clockwise"},
      {"generators:\n- {type: path, shape: {type: sphere, radius: 1}, spacing: 1, points: [[0, 0, "
       "0]]}\n",
       "too few points"},
      {"generators:\n- {type: path, shape: {type: sphere, radius: 1}, spacing: 1, count: 9, "
       "points: "
       "[[0, 0, 0], [3, 0, 0]]}\n",
       "too short for 9"},
      {"generators:\n- {type: packing, count: 1, stones: {size: [2, 1]}, box: {min: [0, 0, 0], "
       "max: "
       "[9, 9, 9]}}\n",
       ">= 2"},
      {"generators:\n- {type: packing, count: 1, stones: {sizes: 1}, box: {min: [0, 0, 0], max: "
       "[9, "
       "9, 9]}}\n",
       "'sizes'"},
      {"generators:\n- {type: arch, inner_radius: 2, deck: 1, depth: 1, blocks: 5}\n", "> 2"},
      {"generators:\n- {type: arch, inner_radius: 2, deck: 3, depth: 1, blocks: 5}\n",
       "160 degrees"},
      {"generators:\n- {type: settled, file: none.h5}\n", "there is no file"},
      {"bodies:\n- {shape: {type: turned, profile: [[1, 0], [1, 0]]}}\n", "upwards in z"},
      {"bodies:\n- {shape: {type: turned, profile: [[0, 0], [0, 1]]}}\n", "one end"},
      {"bodies:\n- {shape: {type: gear, teeth: 3, module: 1, width: 1}}\n", "teeth"},
      {"bodies:\n- {shapes: [{shape: {type: sphere, radius: 1}, repeat: {count: 0}}]}\n", "count"},
      {"bodies:\n- {shape: {type: sphere, radius: 1}}\nsensors:\n- {name: e, type: energy}\n"
       "finding: {says: x, sensor: e, expect: [0, 1]}\n",
       "no column"},
      {"bodies:\n- {shape: {type: sphere, radius: 1}}\nsensors:\n- {name: e, type: energy}\n"
       "finding: {says: x, sensor: e.kinetic, value: best, expect: [0, 1]}\n",
       "allowed: last"},
      {"bodies:\n- {shape: {type: sphere, radius: 1}}\nsensors:\n- {name: e, type: energy}\n"
       "finding: {says: x, sensor: e.kinetic, expect: [1, 0]}\n",
       ">= 1"},
  };
  for (const auto& [text, word] : table) {
    const std::string message = generator_message(text);
    EXPECT_NE(message.find("test.yaml:"), std::string::npos) << text << "\n" << message;
    EXPECT_NE(message.find(word), std::string::npos) << text << "\n" << message;
  }
}

} // namespace
} // namespace talus::test
