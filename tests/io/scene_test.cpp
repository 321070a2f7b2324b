// Scene files: what they mean, what is wrong with them, overrides.

#include "scene_text.h"
#include "support/memory_use.h"
#include "talus/core/error.h"
#include "talus/io/generators/random.h"
#include "talus/io/scene/scene_tree.h"
#include "talus/step/overlaps.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

namespace talus::test {
namespace {

std::string message_of(const std::string& text, std::vector<std::string> overrides = {}) {
  try {
    scene_from(text, std::move(overrides));
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

struct BadScene {
  std::string text;
  std::vector<std::string> words; ///< All must occur in the message.
};

TEST(SceneErrors, NameFileLineKeyAndWhatIsAllowed) {
  const std::string ball = "bodies:\n- name: ball\n  shape: {type: sphere, radius: 1}\n";
  const std::vector<BadScene> table = {
      {"", {"test.yaml:1", "scene must be a mapping"}},
      {"- 1\n", {"test.yaml:1", "a mapping, not a list"}},
      {"title: x\n", {"test.yaml:1", "no bodies"}},
      {"step: 0.1\nstepp: 0.1\n", {"test.yaml:2", "'stepp'", "allowed: title, gravity"}},
      {"step: 0.1\nstep: 0.2\n", {"test.yaml:2", "'step' occurs twice"}},
      {"step: [\n", {"test.yaml:", "not valid YAML"}},
      {"a: b: c\n", {"test.yaml:1", "not valid YAML"}},
      {small_scene + "---\nstep: 1\n", {"test.yaml:", "second YAML document"}},
      {"a: " + std::string(100000, '['), {"test.yaml:", "nested too deeply"}},
      {"a: &x [*x]\n", {"test.yaml:1", "alias stands inside the value"}},
      {"a: " + std::string(70, '[') + std::string(70, ']'), {"test.yaml:1", "nested too deeply"}},
      {std::string(100000, '{'), {"test.yaml:1", "nested too deeply"}},
      {"a:\n  [1, 2]: 3\n", {"test.yaml:2", "a key must be a plain word"}},
      {"? {b: 1}\n: 2\n", {"test.yaml:1", "a key must be a plain word"}},
      {"a: [[1, 2\n", {"test.yaml:", "not valid YAML"}},
      // The parser would stay before these for ever.
      {",", {"test.yaml:1", "not valid YAML", "','"}},
      {"step: 1\n...\n,\n", {"test.yaml:3", "not valid YAML", "','"}},
      {"[1, 2] 3\n", {"test.yaml:1", "not valid YAML", "'3'"}},
      {"\nstep: fast\n", {"test.yaml:2", "step", "finite number > 0", "'fast'"}},
      {"step: 0\n", {"test.yaml:1", "finite number > 0"}},
      {"step: -1/240\n", {"test.yaml:1", "'-1/240'"}},
      {"step: 1/0\n", {"test.yaml:1", "'1/0'"}},
      {"step: .nan\n", {"test.yaml:1", "finite"}},
      {"step: 1e400\n", {"test.yaml:1", "finite"}},
      {"duration: .inf\n", {"test.yaml:1", "finite"}},
      {"gravity: 9.81\n", {"test.yaml:1", "gravity must be a list"}},
      {"gravity: [0, 0]\n", {"test.yaml:1", "3 entries"}},
      {"gravity: [0, 0, down]\n", {"test.yaml:1", "'down'"}},
      {"law: newton\n", {"test.yaml:1", "newton", "associated", "coulomb"}},
      {"formulation: triple\n", {"test.yaml:1", "triple", "primal-relaxed", "eom"}},
      {"law: coulomb\nformulation: dual-relaxed\n", {"test.yaml:2", "associated", "coulomb"}},
      {"formulation: eom\nsolver: {name: apgd}\n", {"test.yaml:1", "path", "apgd"}},
      {"formulation: dual\nsolver:\n  options: {model: primal}\n", {"test.yaml:3", "dual"}},
      {"friction: cube\n", {"test.yaml:1", "cube", "cone", "pyramid"}},
      {"planar: [0, 0, 0]\n", {"test.yaml:1", "planar"}},
      {"solver: nsgs\n", {"test.yaml:1", "solver must be a mapping"}},
      {"solver: {name: magic}\n", {"test.yaml:1", "magic", "nsgs"}},
      {"solver:\n  tolerance: 0\n", {"test.yaml:2", "tolerance", "> 0"}},
      {"solver:\n  options: {speed: 3}\n", {"test.yaml:2", "speed"}},
      {"materials:\n  ice: {friction: -1}\n", {"test.yaml:2", "material 'ice'", ">= 0"}},
      {"materials:\n  ice: {restitution: 2}\n", {"test.yaml:2", "restitution", "<= 1"}},
      {"materials: [ice]\n", {"test.yaml:1", "mapping from names"}},
      {"material_pairs:\n- {between: [ice, default]}\n",
       {"test.yaml:2", "'ice'", "known: default"}},
      {"material_rules: {friction: sum}\n", {"test.yaml:1", "sum", "geometric_mean"}},
      {"shapes:\n  a: {radius: 1}\n", {"test.yaml:2", "shape 'a'", "'type' is missing", "sphere"}},
      {"shapes:\n  a: {type: torus}\n", {"test.yaml:2", "torus", "allowed:", "cylinder_shell"}},
      {"shapes:\n  a: {type: sphere, size: 1}\n",
       {"test.yaml:2", "'size'", "allowed: type, radius"}},
      {"shapes:\n  a: {type: sphere}\n", {"test.yaml:2", "'radius' is missing"}},
      {"shapes:\n  a: {type: sphere, radius: -1}\n", {"test.yaml:2", "radius", "> 0"}},
      {"shapes:\n  a: {type: convex_hull, points: [[0,0,0],[1,0,0],[0,1,0]]}\n",
       {"test.yaml:2", "convex_hull"}},
      {"shapes:\n  a: {type: mesh, file: no/such.obj}\n", {"test.yaml:2", "no/such.obj"}},
      {"shapes:\n  a: {type: height_field, spacing: [1, 1], heights: [[0, 1], [0]]}\n",
       {"test.yaml:2", "1 heights", "2"}},
      {"materials:\n  ice: {stiffness: 0}\n", {"test.yaml:2", "ice", "stiffness", ">= 1e-06"}},
      {"materials:\n  ice: {stiffness: soft}\n", {"test.yaml:2", "stiffness", "'soft'"}},
      {"materials:\n  ice: {young: 0}\n", {"test.yaml:2", "ice", "young", ">= 1"}},
      {"materials:\n  ice: {young: stiff}\n", {"test.yaml:2", "young", "'stiff'"}},
      {"materials:\n  ice: {young: 1e9, poisson: 0.6}\n", {"test.yaml:2", "poisson", "0.5"}},
      {"materials:\n  ice: {young: 1e9, poisson: -1}\n", {"test.yaml:2", "poisson", "> -1"}},
      {"materials:\n  ice:\n    poisson: 0.2\n", {"test.yaml:3", "ice", "poisson needs young"}},
      {"materials:\n  ice:\n    young: 1e9\n    stiffness: 1e6\n",
       {"test.yaml:4", "'young' and 'stiffness' exclude each other"}},
      {"materials:\n  ice: {young: 1e9, tangential_ratio: 0.5}\n",
       {"test.yaml:2", "'young' and 'tangential_ratio' exclude each other"}},
      {"materials:\n  ice: {tangential_ratio: 0}\n",
       {"test.yaml:2", "tangential_ratio", ">= 0.001"}},
      {"materials:\n  ice: {rolling: -1}\n", {"test.yaml:2", "ice", "rolling", ">= 0"}},
      {"materials:\n  ice: {spinning: fast}\n", {"test.yaml:2", "spinning", "'fast'"}},
      {"material_rules: {rolling: mean}\n", {"test.yaml:1", "mean"}},
      {"materials:\n  glue: {cohesion: -1}\n", {"test.yaml:2", "glue", "cohesion", ">= 0"}},
      {"materials:\n  glue: {cohesion: {range: 1}}\n", {"test.yaml:2", "glue", "force", "stress"}},
      {"materials:\n  glue: {cohesion: {force: 1, heal: no}}\n",
       {"test.yaml:2", "'heal'", "did you mean heals"}},
      {"restitution: {law: poison}\n", {"test.yaml:1", "poison", "newton"}},
      {"bodies: {}\n", {"test.yaml:1", "bodies must be a list"}},
      {"bodies:\n- {name: b, shape: ball}\n", {"test.yaml:2", "no shape 'ball'"}},
      {"bodies:\n- {name: b, radius: 1}\n",
       {"test.yaml:2", "body 'b'", "'radius'", "allowed: name"}},
      {"bodies:\n- {name: b}\n", {"test.yaml:2", "body 'b'", "needs a shape"}},
      {"bodies:\n- {motion: floating}\n", {"test.yaml:2", "floating", "dynamic, fixed, kinematic"}},
      {"bodies:\n- {shape: {type: sphere, radius: 1}, mass: 1, density: 2}\n",
       {"test.yaml:2", "'density' and 'mass' exclude each other"}},
      {"bodies:\n- {shape: {type: half_space}}\n", {"test.yaml:2", "body 0"}},
      {"bodies:\n- {shape: {type: sphere, radius: 1}, orientation: {axis: [0,0,0], angle: 3}}\n",
       {"test.yaml:2", "axis must not be zero"}},
      {"bodies:\n- {shape: {type: sphere, radius: 1}, orientation: {angle: 3}}\n",
       {"test.yaml:2", "needs quaternion, axis and angle, or euler"}},
      {"bodies:\n- {shape: {type: sphere, radius: 1}, orientation: {euler: [0, 0, 3], angle: 3}}\n",
       {"test.yaml:2", "'euler' and 'angle' exclude each other"}},
      {"bodies:\n- {motion: kinematic, shape: {type: sphere, radius: 1}, drive: {frequency: 1, "
       "start: 2, stop: 1}}\n",
       {"test.yaml:2", "stop = 1 s is not after start = 2 s"}},
      {"bodies:\n- {name: \"two\\nlines\", shape: {type: sphere, radius: 1}}\n",
       {"test.yaml:2", "'two'", "control character 0x0a"}},
      {"bodies:\n- {shape: {type: sphere, radius: 1}, drive: {frequency: 1}}\n",
       {"test.yaml:2", "only a kinematic body"}},
      {"bodies:\n- {name: a, shape: {type: sphere, radius: 1}}\n- {name: a, shape: {type: sphere, "
       "radius: 1}}\n",
       {"test.yaml:3", "'a'", "taken"}},
      {"generators:\n- {shape: x}\n", {"test.yaml:2", "'type' is missing", "packing"}},
      {"generators:\n- {type: heap}\n", {"test.yaml:2", "heap", "grid, packing"}},
      {"generators:\n- {type: grid, counts: [1, 1, 0], spacing: [1, 1, 1], shape: {type: sphere, "
       "radius: 1}}\n",
       {"test.yaml:2", "counts", "from 1"}},
      {"generators:\n- {type: packing, count: 100, radius: [1, 1], attempts: 50, box: {min: "
       "[0,0,0], max: [5,5,5]}}\n",
       {"test.yaml:2", "of 100 bodies found room"}},
      {"output: {formats: [movie]}\n", {"test.yaml:1", "movie", "trajectory, csv, paraview, plot"}},
      {"output: {every: 0}\n", {"test.yaml:1", "every", "from 1"}},
  };
  for (const BadScene& bad : table) {
    const std::string message = message_of(bad.text);
    EXPECT_NE(message, "") << bad.text;
    for (const std::string& word : bad.words)
      EXPECT_NE(message.find(word), std::string::npos)
          << "'" << word << "' is missing in: " << message << "\n"
          << bad.text;
  }
  const std::vector<BadScene> joints = {
      {"- {type: hinge}\n", {"test.yaml:5", "hinge", "revolute"}},
      {"- {type: revolute, between: [ground, x], at: [0, 0, 0]}\n", {"test.yaml:5", "no body 'x'"}},
      {"- {type: revolute, between: [ball], at: [0, 0, 0]}\n", {"test.yaml:5", "two bodies"}},
      {"- {type: revolute, between: [ground, ball]}\n", {"test.yaml:5", "'at' is missing"}},
      {"- {type: spherical, between: [ground, ball], at: [0, 0, 0], limits: [0, 1]}\n",
       {"test.yaml:5", "coordinate"}},
      {"- {type: revolute, between: [ground, ball], at: [0, 0, 0], limits: [2, 1]}\n",
       {"test.yaml:5", "limit"}},
      {"- {type: revolute, between: [ground, ball], at: [0, 0, 0], motor: {max_effort: 1}}\n",
       {"test.yaml:5", "speed", "position"}},
      {"- {type: gear, joints: [a, b], ratio: 1}\n", {"test.yaml:5", "no joint 'a'"}},
      {"- {between: [ground, ball], at: [0, 0, 0]}\n", {"test.yaml:5", "'type' is missing"}},
      {"- {name: j, type: revolute, between: [ground, ball], at: [0, 0, 0], ratio: 2}\n",
       {"test.yaml:5", "joint 'j' (revolute)", "unknown key 'ratio'", "axis"}},
      {"- {type: gear, joints: [a, b], ratio: 1, axis: [0, 0, 1]}\n",
       {"test.yaml:5", "(gear)", "unknown key 'axis'"}},
      {"- {type: spherical, between: [ground, ball], at: [0, 0, 0], length: 2}\n",
       {"test.yaml:5", "(spherical)", "unknown key 'length'"}},
      {"- {type: revolute, between: [ground, ball], at: [0, 0, 0], motor: {speed: 1, frequency: "
       "2}}\n",
       {"test.yaml:5", "frequency needs an amplitude"}},
      {"- {type: revolute, between: [ground, ball], at: [0, 0, 0], motor: {speed: 1, "
       "time_constant: 2}}\n",
       {"test.yaml:5", "'speed' and 'time_constant' exclude each other"}},
  };
  for (const BadScene& bad : joints) {
    const std::string message = message_of(ball + "joints:\n" + bad.text);
    EXPECT_NE(message, "") << bad.text;
    for (const std::string& word : bad.words)
      EXPECT_NE(message.find(word), std::string::npos)
          << "'" << word << "' is missing in: " << message << "\n"
          << bad.text;
  }
}

TEST(SceneErrors, RecursiveAndExplodingAliasesAreRefused) {
  EXPECT_NE(message_of("bodies: &a [*a]\n"), "");
  std::string bomb = "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n";
  for (int i = 1; i < 9; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + before;
    for (int k = 0; k < 9; ++k) bomb += ", " + before;
    bomb += "]\n";
  }
  EXPECT_NE(message_of(bomb).find("too large"), std::string::npos);
}

/// Ten lists of ten lists ..., `levels` deep, of one scalar.
std::string alias_bomb(int levels, const std::string& scalar) {
  std::string text = "a0: &a0 " + scalar + "\n";
  for (int i = 1; i <= levels; ++i) {
    text += fmt::format("a{}: &a{} [", i, i);
    for (int k = 0; k < 10; ++k) text += fmt::format("*a{},", i - 1);
    text += "]\n";
  }
  return text;
}

TEST(SceneErrors, AliasesAreRefusedBeforeTheyAreExpanded) {
  for (const std::string& bomb : {alias_bomb(9, "1"), alias_bomb(60, "1"),
                                  alias_bomb(3, '"' + std::string(1'000'000, 'x') + '"')}) {
    const std::string message = message_of(bomb);
    EXPECT_NE(message.find("too large"), std::string::npos) << message.substr(0, 300);
    EXPECT_NE(message.find("test.yaml:"), std::string::npos);
  }
  // Anchors in anchors would be kept again and again.
  std::string nested = "a: ", numbers = "1";
  for (int i = 0; i < 50; ++i) nested += fmt::format("&b{} [", i);
  for (int i = 0; i < 50'000; ++i) numbers += ",1";
  EXPECT_NE(message_of(nested + numbers + std::string(50, ']')).find("too large"),
            std::string::npos);
  if (memory_is_measurable) {
    EXPECT_LT(peak_memory(), std::size_t{500} << 20);
  }
}

TEST(SceneErrors, AliasesRepeatWhatTheyName) {
  const Scene scene = scene_from(R"(step: &h 0.25
duration: *h
bodies:
  - &first {name: one, shape: &ball {type: sphere, radius: 0.5}, position: &p [1, 2, 3]}
  - {name: two, shape: *ball, position: *p}
)");
  EXPECT_EQ(scene.duration, 0.25);
  EXPECT_EQ(scene.world.size(), 2);
  EXPECT_EQ(scene.world.states()[0].pose.position, scene.world.states()[1].pose.position);
}

TEST(Overrides, WithMoreThanAValueAreRefused) {
  for (const char* wrong : {"bodies.ball.position=[0,0,1],", "step=,", "step=1\n---\n2"}) try {
      scene_from(small_scene, {wrong});
      ADD_FAILURE() << wrong;
    } catch (const OverrideError& error) {
      EXPECT_NE(std::string(error.what()).find("--set"), std::string::npos) << error.what();
    }
  std::string deep = "a";
  for (int i = 0; i < 60'000; ++i) deep += ".a";
  EXPECT_THROW(scene_from(small_scene, {deep + "=1"}), InvalidArgument);
}

TEST(Overrides, ChangeValuesBeforeInterpretation) {
  const Scene scene =
      scene_from(small_scene, {"step=1/50", "solver.tolerance=1e-3", "bodies.ball.mass=7",
                               "bodies.2.velocity=[0, 3, 0]", "materials.wood.friction=0.9"});
  EXPECT_EQ(scene.options.step, 1.0 / 50);
  EXPECT_EQ(scene.options.tolerance, 1e-3);
  EXPECT_EQ(scene.world.body(scene.world.find_body("ball")).mass, 7);
  EXPECT_EQ(scene.world.state(2).velocity, (Vec3{0, 3, 0}));
  EXPECT_EQ(scene.world.materials[1].friction, 0.9);
}

TEST(Scenes, SurfacesYieldWhereTheyHaveAStiffness) {
  const MaterialTable table =
      scene_from("materials:\n  soft: {stiffness: 1e5}\n  wood: {stiffness: rigid}\n"
                 "material_pairs:\n  - {between: [soft, default], stiffness: 3e5}\n" +
                 small_scene.substr(small_scene.find("bodies:")))
          .world.materials;
  EXPECT_DOUBLE_EQ(table.between(1, 1).compliance, 2e-5);
  EXPECT_DOUBLE_EQ(table.between(1, 2).compliance, 1e-5);
  EXPECT_DOUBLE_EQ(table.between(0, 1).compliance, 1 / 3e5);
  EXPECT_EQ(table.between(0, 2).compliance, 0);
}

TEST(Scenes, MaterialsHaveModuliAndTangentialRatios) {
  const MaterialTable table =
      scene_from("materials:\n  steel: {young: 2e11, poisson: 0.25}\n  cork: {young: 3e7}\n"
                 "  gel: {stiffness: 1e4, tangential_ratio: 0.5}\n  wood: {}\n"
                 "material_pairs:\n  - {between: [steel, gel], tangential_ratio: 0.8}\n" +
                 small_scene.substr(small_scene.find("bodies:")))
          .world.materials;
  EXPECT_EQ(table[1].young, 2e11);
  EXPECT_EQ(table[1].poisson, 0.25);
  EXPECT_EQ(table[2].poisson, 0.3);
  EXPECT_EQ(table[3].tangential_ratio, 0.5);
  EXPECT_EQ(table.between(1, 3).hertz_ratio, 0.8);
}

TEST(Scenes, MaterialsResistRollingAndSpinning) {
  const MaterialTable table =
      scene_from(
          "materials:\n  rubber: {rolling: 0.04, spinning: 0.01}\n  wood: {rolling: 0.01}\n"
          "material_pairs:\n  - {between: [rubber, default], rolling: 0.5, spinning: 0.2}\n" +
          small_scene.substr(small_scene.find("bodies:")))
          .world.materials;
  EXPECT_DOUBLE_EQ(table.between(1, 2).rolling, 0.02);
  EXPECT_DOUBLE_EQ(table.between(1, 1).spinning, 0.01);
  EXPECT_DOUBLE_EQ(table.between(0, 1).rolling, 0.5);
  EXPECT_DOUBLE_EQ(table.between(0, 1).spinning, 0.2);
  EXPECT_EQ(table.between(0, 2).rolling, 0);
}

TEST(Scenes, MaterialsPullAndBounce) {
  const Scene scene =
      scene_from("restitution: {law: poisson}\n"
                 "materials:\n  glue: {cohesion: 4}\n"
                 "  wood: {cohesion: {force: 9, stress: 100, range: 0.01, heals: false}}\n"
                 "material_pairs:\n  - {between: [glue, default], cohesion: {stress: 7}}\n"
                 "material_rules: {cohesion: minimum}\n" +
                 small_scene.substr(small_scene.find("bodies:")));
  const MaterialTable& table = scene.world.materials;
  EXPECT_EQ(table.between(1, 2).cohesion, (Cohesion{.force = 4, .range = 0.01, .heals = false}));
  EXPECT_EQ(table.between(0, 1).cohesion, (Cohesion{.stress = 7}));
  EXPECT_FALSE(table.between(0, 2).cohesion.exists());
  EXPECT_EQ(scene.options.impact_law, ImpactLaw::poisson);
}

TEST(Overrides, ErrorsNameTheOverride) {
  for (const auto& [assignment, word] : std::vector<std::pair<std::string, std::string>>{
           {"step", "key.path=value"},
           {"=3", "key.path=value"},
           {"a..b=3", "empty"},
           {"bodies.9.mass=3", "no element '9'"},
           {"bodies.cat.mass=3", "ball"},
           {"step.x=3", "inside a single value"},
           {"step=fast", "finite number"},
           {"bodies.ball.weight=3", "unknown key 'weight'"},
           {"step=[", "not valid YAML"},
           {"bodies.ball.mass=-1", "> 0"}}) {
    try {
      scene_from(small_scene, {assignment});
      ADD_FAILURE() << assignment;
    } catch (const InvalidArgument& error) {
      const std::string message = error.what();
      EXPECT_NE(message.find("--set " + assignment), std::string::npos) << message;
      EXPECT_NE(message.find(word), std::string::npos) << message;
    }
  }
}

TEST(SceneMeaning, JointsMayBeLeftToTheSolver) {
  EXPECT_TRUE(scene_from(small_scene).options.eliminate_joints);
  EXPECT_FALSE(scene_from(small_scene, {"solver.eliminate_joints=false"}).options.eliminate_joints);
}

TEST(SceneMeaning, TimesBeyondCountingAreRefused) {
  EXPECT_EQ(steps_until(1, 0.1), 10);
  EXPECT_EQ(steps_until(1.1, 0.1), 11) << "1.1 / 0.1 is a hair more than 11";
  EXPECT_EQ(steps_until(1.11, 0.1), 12);
  EXPECT_THROW(steps_until(1e30, 0.1), InvalidArgument);
  EXPECT_THROW(steps_until(1, 1e-300), InvalidArgument);
  EXPECT_EQ(scene_from(small_scene, {"step=1e-300"}).output.every, 1'000'000'000);
}

TEST(SceneMeaning, OrientationsAgree) {
  const auto turned = [](const std::string& orientation) {
    const Scene scene = scene_from(
        "bodies:\n- {shape: {type: box, size: [1, 2, 3]}, orientation: " + orientation + "}\n");
    return scene.world.pose(0).rotation;
  };
  const Quaternion expected = axis_angle({0, 0, 1}, std::numbers::pi / 6);
  for (const char* text : {"{axis: [0, 0, 2], angle: 30}", "{euler: [0, 0, 30]}",
                           "{quaternion: [0.9659258262890683, 0, 0, 0.25881904510252074]}"}) {
    EXPECT_NEAR(norm(logarithmic_map(conjugate(expected) * turned(text))), 0, 1e-14) << text;
  }
  // First about x, then about the world's z: x stays in the horizontal plane.
  const Vec3 x = rotate(turned("{euler: [90, 0, 90]}"), {1, 0, 0});
  EXPECT_NEAR(norm(x - Vec3{0, 1, 0}), 0, 1e-15);
  const Vec3 y = rotate(turned("{euler: [90, 0, 90]}"), {0, 1, 0});
  EXPECT_NEAR(norm(y - Vec3{0, 0, 1}), 0, 1e-15);
}

TEST(SceneMeaning, FormulationsBringLawSolverAndSet) {
  const auto options = [](const std::string& head) {
    return scene_from(head + "bodies:\n- name: ball\n  shape: {type: sphere, radius: 1}\n").options;
  };
  const StepOptions eom = options("formulation: eom-relaxed\n");
  EXPECT_EQ(eom.formulation, "eom-relaxed");
  EXPECT_EQ(eom.law, Law::associated);
  EXPECT_EQ(eom.solver, "path");
  EXPECT_EQ(to_string(eom.friction), "polyhedron:8");
  EXPECT_EQ(to_string(options("formulation: eom\nfriction: pyramid\n").friction), "pyramid");
  EXPECT_EQ(options("formulation: dual\nsolver: {name: apgd}\n").solver, "apgd");
  EXPECT_EQ(options("formulation: primal\nlaw: coulomb\n").solver, "conic-ip");
  EXPECT_EQ(options("solver: {name: apgd}\n").formulation, "");
}

TEST(SceneMeaning, RecoverySpeedIsANumberAutomaticOrUnlimited) {
  const auto speed = [](const std::string& line) {
    return scene_from(line + "bodies: [{name: ball, shape: {type: sphere, radius: 1}}]\n")
        .options.max_recovery_speed;
  };
  EXPECT_LT(speed(""), 0);
  EXPECT_LT(speed("recovery_speed: auto\n"), 0);
  EXPECT_EQ(speed("recovery_speed: 0\n"), 0);
  EXPECT_EQ(speed("recovery_speed: unlimited\n"), std::numeric_limits<double>::infinity());
}

TEST(SceneMeaning, BodiesJointsAndOptionsArrive) {
  const Scene scene = scene_from(R"(
step: 0.01
law: associated
friction: polyhedron:6
envelope: 0.02
allowed_penetration: 1e-4
recovery_speed: 0.5
restitution: {enabled: false}
solver: {name: apgd, tolerance: 1e-4, max_iterations: 77, max_products: 88, warm_start: false}
output: {every: 3, formats: [csv]}
shapes:
  link: {type: box, size: [1, 0.1, 0.1]}
bodies:
- {name: arm, shape: link, mass: 2, position: [0.5, 0, 0], angular_velocity: [0, 0, 1], force: [0, 0, 5], gravity: false}
- {name: shaker, motion: kinematic, shape: link, position: [0, 5, 0], drive: {amplitude: [0, 0, 1], frequency: 0.25}}
- {name: skew, shape: {type: sphere, radius: 1}, position: [9, 0, 0], inertia: {mass: 3, centre: [0.1, 0, 0], moments: [1, 1, 2]}}
joints:
- {name: hinge, type: revolute, between: [ground, arm], at: [0, 0, 0], axis: [0, 0, 1], limits: [-90, .inf], motor: {position: 45, max_effort: 8}}
)");
  EXPECT_EQ(scene.options.law, Law::associated);
  EXPECT_EQ(to_string(scene.options.friction), "polyhedron:6");
  EXPECT_EQ(scene.options.envelope, 0.02);
  EXPECT_EQ(scene.options.allowed_penetration, 1e-4);
  EXPECT_EQ(scene.options.max_recovery_speed, 0.5);
  EXPECT_FALSE(scene.options.restitution);
  EXPECT_EQ(scene.options.solver, "apgd");
  EXPECT_EQ(scene.options.max_iterations, 77);
  EXPECT_EQ(scene.options.max_products, 88);
  EXPECT_FALSE(scene.options.warm_start);
  EXPECT_EQ(scene.output.every, 3);
  EXPECT_TRUE(scene.output.writes(OutputFormat::csv));
  EXPECT_FALSE(scene.output.writes(OutputFormat::paraview));
  const World& world = scene.world;
  EXPECT_EQ(world.body(0).mass, 2);
  EXPECT_TRUE(world.body(0).floats);
  EXPECT_EQ(world.body(0).load().force.z, 5);
  EXPECT_EQ(world.state(0).angular_velocity.z, 1);
  const auto& drive = std::get<PoseFunction>(world.body(1).motion());
  EXPECT_NEAR(norm(drive(1).position - Vec3{0, 5, 1}), 0, 1e-15);
  EXPECT_NEAR(norm(world.state(2).pose.position - Vec3{9.1, 0, 0}), 0, 1e-15);
  EXPECT_NEAR(norm(world.pose(2).position - Vec3{9, 0, 0}), 0, 1e-15);
  const Joint& hinge = world.joint(0);
  ASSERT_TRUE(hinge.limits && hinge.motor);
  EXPECT_DOUBLE_EQ(hinge.limits->lower, -std::numbers::pi / 2);
  EXPECT_TRUE(std::isinf(hinge.limits->upper));
  EXPECT_DOUBLE_EQ(hinge.motor->target, std::numbers::pi / 4);
  EXPECT_EQ(hinge.motor->max_effort, 8);
}

TEST(SceneMeaning, MeshFilesAreFoundBesideTheSceneAndKept) {
  const ScratchFolder folder;
  folder.write("tetra.obj",
               "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
  const std::string path = folder.write(
      "scene.yaml",
      "bodies:\n- {motion: fixed, shape: {type: mesh, file: tetra.obj, scale: [2, 2, 2]}}\n"
      "- {shape: {type: convex_hull, file: tetra.obj}, position: [5, 0, 0], density: 6}\n");
  Scene scene = load_scene(path);
  ASSERT_EQ(scene.source.files.size(), 1u);
  EXPECT_NEAR(scene.world.body(1).mass, 1, 1e-14);
  std::filesystem::remove(folder.path("tetra.obj"));
  const Scene again = build_scene(scene.source);
  EXPECT_EQ(again.world.body(1).mass, scene.world.body(1).mass);
}

TEST(Generators, CountsAndPlaces) {
  const Scene scene = scene_from(R"(
shapes:
  ball: {type: sphere, radius: 0.1}
  cube: {type: box, size: [0.1, 0.1, 0.1]}
generators:
- {type: grid, name: g, shape: ball, counts: [2, 3, 4], spacing: [1, 1, 1]}
- {type: packing, name: p, shapes: [ball, cube], count: 50, cylinder: {base: [10, 0, 0], radius: 1, height: 3}, seed: 4}
- {type: stack, name: s, shape: cube, count: 5, position: [20, 0, 0], offset: [0, 0, 0.1], twist: 90}
- {type: pyramid, name: y, shape: ball, rows: 16, position: [40, 0, 0], offset: [0.2, 0, 0], row_offset: [0, 0, 0.2]}
- {type: wall, name: w, brick: [0.2, 0.1, 0.05], bricks: 4, courses: 3, position: [0, 20, 0], mass: 2}
- {type: arch, name: a, inner_radius: 1, outer_radius: 1.2, depth: 0.3, blocks: 9, position: [0, 30, 0]}
- {type: chain, name: c, shape: ball, count: 6, position: [0, 40, 0], offset: [0.3, 0, 0]}
- {type: card_house, name: k, card: [0.06, 0.09, 0.001], levels: 3, position: [0, 50, 0]}
)");
  const World& world = scene.world;
  const auto count = [&](const std::string& prefix) {
    return std::count_if(world.bodies().begin(), world.bodies().end(),
                         [&](const Body& body) { return body.name.starts_with(prefix + " "); });
  };
  EXPECT_EQ(count("g"), 24);
  EXPECT_EQ(count("p"), 50);
  EXPECT_EQ(count("s"), 5);
  EXPECT_EQ(count("y"), 136);
  EXPECT_EQ(count("w"), 4 + 5 + 4);
  EXPECT_EQ(count("a"), 9 + 2);
  EXPECT_EQ(count("c"), 6);
  EXPECT_EQ(count("k"), 3 * 2 + 2 + 2 * 2 + 1 + 2);
  EXPECT_EQ(world.joints().size(), 6u);
  EXPECT_EQ(world.body(world.find_body("w 0")).mass, 2);
  for (int i = 0; i < 50; ++i) {
    const Vec3 p = world.state(world.find_body("p " + std::to_string(i))).pose.position;
    EXPECT_LE(std::hypot(p.x - 10, p.y), 0.95);
    for (int j = 0; j < i; ++j) {
      const Vec3 q = world.state(world.find_body("p " + std::to_string(j))).pose.position;
      EXPECT_GE(norm(p - q), std::sqrt(0.75) * 0.1) << i << " " << j;
    }
  }
}

TEST(Generators, RandomNumbersAreTheSameEverywhere) {
  Random random(42);
  EXPECT_EQ(random.bits(), 13679457532755275413u); // splitmix64's published sequence
  double sum = 0;
  for (int i = 0; i < 10000; ++i) {
    const double u = random.unit();
    ASSERT_GE(u, 0);
    ASSERT_LT(u, 1);
    sum += u;
  }
  EXPECT_NEAR(sum / 10000, 0.5, 0.02);
  EXPECT_NEAR(norm(random.rotation()), 1, 1e-15);
}

TEST(ShippedScenes, AllOfThemLoad) {
  const auto names = shipped_scenes();
  EXPECT_GE(names.size(), 15u);
  for (const std::string& name : names) {
    const Scene scene = load_scene(shipped_scene(name));
    EXPECT_GT(scene.world.size(), 0) << name;
    EXPECT_TRUE(find_overlaps(scene.world).empty()) << name;
    EXPECT_EQ(scene.source.text.front(), '#') << name << " begins with a comment on what to see";
  }
}

} // namespace
} // namespace talus::test
