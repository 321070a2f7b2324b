// Worlds as plain data: their text, and that equal descriptions give equal worlds.

#include "scene_text.h"
#include "talus/core/error.h"
#include "talus/step/simulation.h"

#include <gtest/gtest.h>

namespace talus::test {
namespace {

/// One of everything that a description can hold.
const std::string rich_scene = R"(title: "a \"rich\" world"
gravity: [0.1, 0, -9.7]
step: 1/300
duration: 0.7
law: associated
friction: polyhedron:6
solver: {name: apgd, tolerance: 1e-7, max_iterations: 77, options: {restart: false}}
recovery_speed: unlimited
restitution: {enabled: false, threshold: 0.3, law: poisson}
output: {every: 3, formats: [csv]}
materials:
  default: {friction: 1/3}
  ice: {friction: 0.03, restitution: 0.1, stiffness: 1e7, rolling: 0.01, spinning: 0.002,
        tangential_ratio: 0.7, cohesion: {force: 0.3, stress: 20, range: 1e-4, heals: false}}
  steel: {young: 2.1e11, poisson: 0.28}
material_pairs:
  - {between: [ice, default], friction: 0.7, restitution: 0.2, stiffness: 1e6,
     rolling: 0.03, spinning: 0.004, tangential_ratio: 0.9, cohesion: 0.7}
material_rules: {friction: minimum, rolling: maximum, cohesion: minimum}
contact: {relative_compliance: 0.003}
shapes:
  brick: {type: box, size: [0.3, 0.2, 0.1]}
bodies:
  - {name: floor, motion: fixed, shape: {type: half_space, normal: [0, 1, 7], offset: -3}}
  - {name: tray, motion: kinematic, shape: {type: open_box, inner: [1, 1, 1], wall: 0.1}, position: [9, 0, 0],
     drive: {amplitude: [0.1, 0, 0], frequency: 3, phase: 20, axis: [0, 1, 1], angle: 5, start: 0.1, stop: 4}}
  - {shape: brick, material: ice, density: 1234.5678901234567, position: [0, 0, 5], velocity: [0.1, 0.2, 0.3],
     angular_velocity: [1, 2, 3], force: [0, 0, 1], torque: [0, 1, 0], orientation: {euler: [10, 20, 30]},
     group: 5, mask: 7}
  - {name: top, shape: {type: sphere, radius: 0.1}, turning: false, gravity: false, mass: 2, position: [3, 0, 3],
     torque: [[0, [0, 0, 1]], [1, [1, 0, 0]]]}
  - {name: odd, shapes: [{shape: brick, position: [0, 0, 1]}, {shape: {type: capsule, radius: 0.1, length: 1}}],
     inertia: {mass: 3, centre: [0, 0, 0.1], moments: [1, 2, 2.5], products: [0.1, 0, 0]}, position: [5, 0, 5]}
  - {shape: {type: compound, parts: [{shape: brick}, {shape: {type: ellipsoid, radii: [1, 2, 3]}, position: [1, 0, 0]}]},
     position: [20, 0, 9]}
  - {name: rock, shape: {type: convex_hull, points: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [0.1, 0.1, 0.1]]},
     position: [30, 0, 5]}
  - {shape: {type: cylinder, radius: 1, length: 2}, position: [40, 0, 5]}
  - {motion: fixed, shape: {type: hopper, outlet: 0.1, inlet: 1, height: 1, wall: 0.1, segments: 12}, position: [50, 0, 0]}
  - {motion: fixed, shape: {type: cylinder_shell, radius: 1, height: 1, wall: 0.1, segments: 12}, position: [60, 0, 0]}
  - {motion: fixed, shape: {type: height_field, heights: [[0, 0.1], [0.2, 0]], spacing: [1, 2]}, position: [70, 0, 0]}
generators:
  - {type: packing, radius: [0.05, 0.1], count: 3, box: {min: [-1, -1, 6], max: [1, 1, 8]}, material: ice}
  - {type: chain, name: link, shape: brick, count: 3, position: [0, 9, 9], offset: [0.5, 0, 0]}
joints:
  - {name: hinge, type: revolute, between: [ground, rock], at: [30, 0, 6], axis: [0, 1, 0], limits: [-30, .inf],
     motor: {speed: 2, amplitude: 0.5, frequency: 3, max_effort: 10}}
  - {name: slide, type: prismatic, between: [ground, top], at: [3, 0, 3], axis: [0, 0, 1], let_collide: true,
     motor: {position: 0.1, time_constant: 0.2}}
  - {name: mesh, type: gear, joints: [hinge, slide], ratio: 0.5}
  - {name: bar, type: revolute, between: [floor, "body 5"], at: [20, 0, 9], spring: {stiffness: 3, damping: 1, rest: 7},
     limits: [-5, 5], limit_spring: {stiffness: 9, damping: 2}, friction: 0.1, armature: 0.2, effort: [[0, 1], [1, 2]],
     motor: {position: [[0, 1], [2, 3]], stiffness: 4, damping: 5}}
  - {type: spring, between: [odd, top], at: [5, 0, 5], second_at: [3, 0, 3], length: 1, spring: {stiffness: 2}}
  - {type: bushing, between: [ground, "body 7"], at: [40, 0, 5], stiffness: [1, 2, 3], angular_damping: [0.1, 0, 0]}
  - {type: universal, between: [odd, "body 2"], at: [3, 0, 5], axis: [1, 0, 0], second_axis: [0, 0, 1]}
  - {type: distance, between: [odd, "body 2"], at: [3, 0, 5], second_at: [4, 0, 5], length: 1.2}
sensors:
  - {name: s, type: distance, between: [odd, ground], points: [[1, 2, 3], [0, 0, 0]]}
  - {name: t, type: stress, box: {min: [0, 0, 0], max: [1, 1, 1]}}
)";

SimulationState after_steps(World world, const StepOptions& options, int steps) {
  Simulation simulation(std::move(world), options);
  for (int i = 0; i < steps; ++i) simulation.step();
  return simulation.state();
}

TEST(Description, TextKeepsEveryBit) {
  const Scene scene = scene_from(rich_scene);
  const std::string text = description_text(scene.description);
  const WorldDescription again = parse_description(text, "text");
  EXPECT_EQ(description_text(again), text);
  EXPECT_EQ(again.title, "a \"rich\" world");
  EXPECT_EQ(again.bodies.size(), static_cast<std::size_t>(scene.world.size()));
  EXPECT_EQ(again.bodies[2].density, 1234.5678901234567);
  EXPECT_EQ(again.step.solver_options, scene.options.solver_options);
  EXPECT_EQ(again.materials.between(0, 1).friction, 0.7);
  EXPECT_FALSE(again.output.writes(OutputFormat::trajectory));
  EXPECT_TRUE(again.output.writes(OutputFormat::csv));
}

TEST(Description, BuildsTheWorldOfTheSceneBitForBit) {
  Scene scene = scene_from(rich_scene, {"law=coulomb", "friction=cone", "solver={name: nsgs}"});
  const WorldDescription again = parse_description(description_text(scene.description), "text");
  const World world = build_world(again);
  ASSERT_EQ(world.size(), scene.world.size());
  for (Index i = 0; i < world.size(); ++i) {
    EXPECT_EQ(world.bodies()[i].name, scene.world.bodies()[i].name);
    EXPECT_EQ(world.bodies()[i].mass, scene.world.bodies()[i].mass);
    EXPECT_TRUE(world.states()[i] == scene.world.states()[i]) << world.bodies()[i].name;
  }
  ASSERT_EQ(world.joints().size(), scene.world.joints().size());
  for (std::size_t j = 0; j < world.joints().size(); ++j)
    EXPECT_TRUE(world.joints()[j].frame_b == scene.world.joints()[j].frame_b);
  EXPECT_TRUE(after_steps(world, again.step, 4) == after_steps(scene.world, scene.options, 4));
}

TEST(Description, IsBuiltWithoutASceneFile) {
  WorldDescription d;
  d.shapes = {{described::Sphere{0.5}}};
  d.bodies.resize(1);
  d.bodies[0].shapes = {{0, {}}};
  d.bodies[0].velocity = {1, 0, 0};
  const Scene scene = build_scene(d);
  EXPECT_EQ(scene.world.bodies()[0].name, "body 0");
  EXPECT_EQ(scene.world.states()[0].velocity, (Vec3{1, 0, 0}));
}

TEST(Description, LeavesOutWhatIsUsual) {
  WorldDescription d;
  EXPECT_EQ(description_text(d), "{\"talus_description\":1\n}\n");
  d.bodies.resize(1);
  EXPECT_EQ(description_text(d), "{\"talus_description\":1,\n\"bodies\":[\n{}]\n}\n");
}

TEST(Description, WrongTextIsRefusedWithItsLine) {
  const auto refused = [](const std::string& text, const std::string& message) {
    try {
      parse_description(text, "d.json");
      ADD_FAILURE() << text << " was read";
    } catch (const FileError& error) {
      EXPECT_NE(std::string(error.what()).find(message), std::string::npos) << error.what();
    }
  };
  const std::string start = "{\"talus_description\":1";
  refused("", "d.json:1");
  refused("{}", "no description");
  refused("{\"talus_description\":99}", "version 99");
  refused(start, "'}' is missing");
  refused(start + "} x", "after the end");
  refused(start + ",\n\"boddies\":[]}", "d.json:2: unknown member 'boddies'");
  refused(start + ",\"gravity\":[0,0]}", "',' is missing");
  refused(start + ",\"gravity\":[0,0,\"x\"]}", "'x' is not a number");
  refused(start + ",\"title\":\"x", "within a string");
  refused(start + ",\"shapes\":[{\"blob\":{}}]}", "there is no shape 'blob'");
  refused(start + ",\"bodies\":[{\"kind\":\"lazy\"}]}", "dynamic, fixed or kinematic");
  refused(start + ",\"bodies\":[{\"group\":-1}]}", "out of range");
  refused(start + ",\"materials\":{\"all\":[{\"friction\":-1}]}}", "friction is -1");
}

TEST(Description, WrongReferencesAreRefusedWhenItIsBuilt) {
  WorldDescription d;
  d.shapes = {{described::Compound{{{3, {}}}}}};
  EXPECT_THROW(build_world(d), InvalidArgument);
  d.shapes = {{described::Sphere{0.5}}};
  d.bodies.resize(1);
  d.bodies[0].shapes = {{1, {}}};
  EXPECT_THROW(build_world(d), InvalidArgument);
  d.bodies[0].shapes = {{0, {}}};
  d.bodies[0].material = "cheese";
  EXPECT_THROW(build_world(d), InvalidArgument);
  d.bodies[0].material.clear();
  d.joints.resize(1);
  d.joints[0].body_b = "nobody";
  EXPECT_THROW(build_world(d), InvalidArgument);
}

} // namespace
} // namespace talus::test
