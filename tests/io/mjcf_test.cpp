// What is read of MJCF files: classes, compiler, shapes, inertia, actuators, equalities, keyframes.

#include "imported.h"

#include <cmath>
#include <numbers>

namespace talus::test {
namespace {

ImportedModel mjcf(const std::string& content, const ImportOptions& options = {}) {
  const ScratchFolder folder;
  return import_model(folder.write("m.xml", "<mujoco model='m'>" + content + "</mujoco>"), options);
}

/// The world below a compiler line.
ImportedModel mjcf_world(const std::string& bodies, const std::string& compiler = "") {
  return mjcf("<compiler " + compiler + "/><worldbody>" + bodies + "</worldbody>");
}

bool warns(const ImportedModel& model, const std::string& text) {
  for (const std::string& warning : model.warnings)
    if (warning.find(text) != std::string::npos) return true;
  return false;
}

TEST(Mjcf, ClassesStandBehindAttributes) {
  const auto model = mjcf(
      "<default><joint damping='1' armature='0.5'/><default class='leg'><joint damping='2'/>"
      "<default class='knee'><joint stiffness='3' springref='30'/></default></default></default>"
      "<worldbody><body name='a'><joint name='a'/><geom size='1'/>"
      "<body name='b' childclass='leg'><joint name='b'/><geom size='1'/>"
      "<body name='c'><joint name='c' class='knee'/><geom size='1'/></body></body></body>"
      "</worldbody>");
  const auto& joints = model.description.joints;
  ASSERT_EQ(joints.size(), 3u);
  EXPECT_EQ(joints[0].spring->damping, 1);
  EXPECT_EQ(joints[1].spring->damping, 2);
  EXPECT_EQ(joints[2].spring->damping, 2);
  EXPECT_EQ(joints[2].spring->stiffness, 3);
  EXPECT_NEAR(joints[2].spring->rest, std::numbers::pi / 6, 1e-15);
  EXPECT_EQ(joints[2].armature, 0.5);
  EXPECT_TRUE(model.warnings.empty()) << model.warnings[0];
}

TEST(Mjcf, TheCompilerSaysWhatNumbersMean) {
  const std::string body = "<body euler='90 0 90'><joint range='-10 20'/><geom size='1'/></body>";
  const auto degrees = mjcf_world(body);
  EXPECT_NEAR(degrees.description.joints[0].limits->upper, std::numbers::pi / 9, 1e-15);
  // Intrinsic: x, then the new z, which points along -y.
  const Quaternion turned = degrees.description.bodies[0].pose.rotation;
  EXPECT_NEAR(norm(rotate(turned, {1, 0, 0}) - Vec3{0, 0, 1}), 0, 1e-15);
  const auto fixed_axes = mjcf_world(body, "eulerseq='XYZ'").description.bodies[0].pose.rotation;
  EXPECT_NEAR(norm(rotate(fixed_axes, {1, 0, 0}) - Vec3{0, 1, 0}), 0, 1e-15);
  const auto radians = mjcf_world(body, "angle='radian'");
  EXPECT_EQ(radians.description.joints[0].limits->upper, 20);
  EXPECT_FALSE(mjcf_world(body, "autolimits='false'").description.joints[0].limits);
  EXPECT_EQ(mjcf_world(body, "settotalmass='7'").description.bodies[0].inertia->mass, 7);
}

TEST(Mjcf, ShapesHaveTheirMass) {
  const auto mass = [](const std::string& geom, const std::string& compiler = "") {
    const auto model = mjcf_world("<body><freejoint/>" + geom + "</body>", compiler);
    return *model.description.bodies.at(0).inertia;
  };
  EXPECT_NEAR(mass("<geom size='0.1'/>").mass, 1000 * 4 * std::numbers::pi / 3 * 1e-3, 1e-12);
  EXPECT_NEAR(mass("<geom type='box' size='1 2 3' density='2'/>").mass, 2 * 48, 1e-12);
  const MassProperties rod =
      mass("<geom type='cylinder' fromto='0 0 0 2 0 0' size='0.1' mass='3'/>");
  EXPECT_EQ(rod.mass, 3);
  EXPECT_NEAR(norm(rod.centre - Vec3{1, 0, 0}), 0, 1e-15);
  EXPECT_NEAR(rod.inertia(1, 1), 3 * (0.01 / 4 + 4.0 / 12), 1e-14); // m (r²/4 + l²/12)
  EXPECT_NEAR(rod.inertia(0, 0), 3 * 0.01 / 2, 1e-14);
  // Its own inertia goes before that of shapes, unless the compiler says otherwise.
  const std::string own = "<inertial pos='0 0 0' mass='5' diaginertia='1 1 1'/><geom size='0.1'/>";
  EXPECT_EQ(mass(own).mass, 5);
  EXPECT_NEAR(mass(own, "inertiafromgeom='true'").mass, 4 * std::numbers::pi / 3, 1e-12);
  EXPECT_EQ(mass("<geom size='0.1' mass='1' group='4'/><geom size='0.1' mass='2' group='1'/>",
                 "inertiagrouprange='0 2'")
                .mass,
            2);
  const MassProperties balanced =
      mass("<inertial pos='0 0 0' mass='5' diaginertia='1 1 4'/>", "balanceinertia='true'");
  EXPECT_NEAR(balanced.inertia(2, 2), 2, 1e-15);
}

TEST(Mjcf, FrictionAndContactsAreThoseOfTheGeoms) {
  const auto model = mjcf(
      "<worldbody><geom type='plane' size='1 1 1' friction='0.3'/>"
      "<body name='a' pos='0 0 1'><freejoint/><geom name='ga' size='0.1' friction='0.8 0.01 0.002' "
      "condim='6'/></body>"
      "<body name='b' pos='0 0 2'><freejoint/><geom name='gb' size='0.1' contype='2' "
      "conaffinity='2'/></body>"
      "<body name='c' pos='0 0 3'><freejoint/><geom name='gc' size='0.1'/><geom size='0.2' "
      "contype='0' conaffinity='0'/></body></worldbody>"
      "<contact><exclude body1='a' body2='c'/><pair geom1='gb' geom2='gc' "
      "friction='0.1'/></contact>");
  const World world = build_world(model.description);
  const auto may_touch = [&](const char* a, const char* b) {
    const Index x = world.find_body(a), y = world.find_body(b);
    const std::pair<Index, Index> pair(std::min(x, y), std::max(x, y));
    return std::ranges::count(world.contact_exclusions(), pair) == 0;
  };
  EXPECT_TRUE(may_touch("world", "a"));
  EXPECT_FALSE(may_touch("world", "b"));
  EXPECT_FALSE(may_touch("a", "b"));
  EXPECT_FALSE(may_touch("a", "c"));
  EXPECT_TRUE(may_touch("b", "c"));
  const auto between = [&](const char* a, const char* b) {
    return world.materials.between(world.body(world.find_body(a)).shapes[0].material,
                                   world.body(world.find_body(b)).shapes[0].material);
  };
  EXPECT_EQ(between("world", "a").friction, 0.8); // MuJoCo takes the larger one
  EXPECT_EQ(between("b", "c").friction, 0.1);
  EXPECT_EQ(world.materials[world.body(world.find_body("a")).shapes[0].material].rolling, 0.002);
  EXPECT_TRUE(warns(model, "a shape that does not collide is ignored"));
}

TEST(Mjcf, ActuatorsBecomeServosAndEfforts) {
  const auto joints_with = [](const std::string& actuators, const std::string& keyframe = "") {
    return mjcf(
               "<worldbody><body><joint name='j'/><geom size='0.1'/></body></worldbody><actuator>" +
                   actuators + "</actuator><keyframe><key name='k' ctrl='0.5 0.25'/></keyframe>",
               from_keyframe(keyframe))
        .description.joints[0];
  };
  const auto position =
      joints_with("<position joint='j' kp='20' gear='2' forcerange='-3 3'/>", "k");
  EXPECT_EQ(position.motor->mode, MotorMode::position);
  EXPECT_EQ(position.motor->stiffness, 80); // kp gear²
  EXPECT_EQ(position.motor->target, 0.25);  // control / gear
  EXPECT_EQ(position.motor->max_effort, 6);
  const auto both = joints_with("<position joint='j' kp='20'/><velocity joint='j' kv='4'/>", "k");
  EXPECT_EQ(both.motor->stiffness, 20);
  EXPECT_EQ(both.motor->damping, 4);
  EXPECT_EQ(both.motor->target, (20 * 0.5 + 4 * 0.25) / 20);
  const auto velocity = joints_with("<velocity joint='j' kv='4'/>", "k");
  EXPECT_EQ(velocity.motor->mode, MotorMode::velocity);
  EXPECT_EQ(velocity.motor->target, 0.5);
  const auto general = joints_with("<general joint='j' gainprm='10' biastype='affine' "
                                   "biasprm='1 -10 -2' ctrllimited='true' ctrlrange='-0.2 0.2'/>",
                                   "k");
  EXPECT_EQ(general.motor->stiffness, 10);
  EXPECT_EQ(general.motor->damping, 2);
  EXPECT_EQ(general.motor->target, (10 * 0.2 + 1) / 10);
  const auto motor = joints_with("<motor joint='j' gear='30'/>", "k");
  EXPECT_FALSE(motor.motor);
  EXPECT_EQ(motor.effort, 15);
  EXPECT_EQ(joints_with("<motor joint='j' gear='30'/>").effort, 0);
}

TEST(Mjcf, KeyframesPlaceBodiesAndGiveThemSpeed) {
  const std::string text =
      "<worldbody><body name='base'><freejoint/><geom size='0.1' mass='1'/>"
      "<body name='arm' pos='1 0 0'><joint name='j' axis='0 0 1'/><geom pos='1 0 0' size='0.1' "
      "mass='1'/></body></body></worldbody><keyframe><key name='home' qpos='1 2 3 1 0 0 1 "
      "0.5' qvel='0 0 1 0 0 2 3'/></keyframe>";
  const auto model = mjcf(text, from_keyframe("home"));
  const auto& bodies = model.description.bodies;
  EXPECT_NEAR(norm(bodies[0].pose.position - Vec3{1, 2, 3}), 0, 1e-15);
  // The base is turned by 90° about z: the arm begins one metre along y.
  EXPECT_NEAR(norm(bodies[1].pose.position - Vec3{1, 3, 3}), 0, 1e-15);
  EXPECT_EQ(model.description.joints[0].position, 0.5);
  EXPECT_NEAR(norm(bodies[1].angular_velocity - Vec3{0, 0, 5}), 0, 1e-15);
  const double angle = std::numbers::pi / 2 + 0.5;
  const Vec3 expected = Vec3{0, 0, 1} + cross(Vec3{0, 0, 2}, Vec3{0, 1, 0}) +
                        cross(Vec3{0, 0, 5}, Vec3{std::cos(angle), std::sin(angle), 0});
  EXPECT_NEAR(norm(bodies[1].velocity - expected), 0, 1e-14);
  EXPECT_THROW(mjcf(text, from_keyframe("away")), InvalidArgument);
}

TEST(Mjcf, ReferencesShiftCoordinates) {
  const auto model = mjcf_world("<body name='a'><joint name='j' axis='0 1 0' ref='40' range='0 "
                                "90' stiffness='2' springref='10'/><geom size='0.1'/></body>");
  const World world = build_world(model.description);
  EXPECT_NEAR(joint_coordinate(world, world.joint(0)), 40 * std::numbers::pi / 180, 1e-15);
  EXPECT_EQ(world.pose(0).rotation, Quaternion{});
}

TEST(Mjcf, LoopsCloseLikeTheJointsOfAScene) {
  // Four bars of different length, the last joint a connect.
  const std::string masses = "mass='1' diaginertia='0.01 0.05 0.05'/>";
  const auto model = mjcf(
      "<option timestep='0.002'/><worldbody><body name='a'><joint name='ja' axis='0 1 0'/>"
      "<inertial pos='0.2 0 0.2' " +
      masses +
      "<body name='b' pos='0.4 0 0.4'><joint name='jb' axis='0 1 0'/><inertial pos='0.3 0 0' " +
      masses +
      "</body></body>"
      "<body name='c' pos='1.2 0 0'><joint name='jc' axis='0 1 0'/><inertial pos='-0.1 0 0.2' " +
      masses +
      "</body></worldbody><equality><connect body1='b' body2='c' anchor='0.6 0 0'/>"
      "</equality>");
  const std::string scene =
      "step: 0.002\nsolver: {tolerance: 1e-13}\nbodies:\n"
      "- {name: a, inertia: {mass: 1, centre: [0.2, 0, 0.2], moments: [0.01, 0.05, 0.05]}}\n"
      "- {name: b, position: [0.4, 0, 0.4], inertia: {mass: 1, centre: [0.3, 0, 0], moments: "
      "[0.01, 0.05, 0.05]}}\n"
      "- {name: c, position: [1.2, 0, 0], inertia: {mass: 1, centre: [-0.1, 0, 0.2], moments: "
      "[0.01, 0.05, 0.05]}}\njoints:\n"
      "- {type: revolute, between: [ground, a], at: [0, 0, 0], axis: [0, 1, 0]}\n"
      "- {type: revolute, between: [a, b], at: [0.4, 0, 0.4], axis: [0, 1, 0]}\n"
      "- {type: revolute, between: [ground, c], at: [1.2, 0, 0], axis: [0, 1, 0]}\n"
      "- {type: spherical, between: [b, c], at: [1, 0, 0.4]}\n";
  WorldDescription d = model.description;
  d.step.tolerance = 1e-13;
  const std::vector<std::string> names = {"a", "b", "c"};
  EXPECT_LE(largest_difference(poses_after(build_scene(d), 100, names),
                               poses_after(scene_from(scene), 100, names)),
            1e-10);
}

TEST(Mjcf, SeveralJointsOfOneBodyActInTurn) {
  // A planar root: free fall along z while it turns about y.
  const auto model = mjcf("<option timestep='0.002'/><worldbody><body name='a' pos='0 0 1'>"
                          "<joint name='x' type='slide' axis='1 0 0'/><joint name='z' type='slide' "
                          "axis='0 0 1'/><joint name='turn' axis='0 1 0'/><geom type='box' "
                          "size='0.1 0.2 0.3' mass='2'/></body></worldbody><keyframe><key name='k' "
                          "qvel='0.5 0 3'/></keyframe>",
                          from_keyframe("k"));
  ASSERT_EQ(model.description.bodies.size(), 3u);
  double mass = 0;
  for (const BodyDescription& body : model.description.bodies) mass += body.inertia->mass;
  EXPECT_NEAR(mass, 2, 1e-14);
  Scene scene = build_scene(model.description);
  Simulation simulation(std::move(scene.world), scene.options);
  for (int i = 0; i < 100; ++i) simulation.step();
  const Transform pose = simulation.world().pose(simulation.world().find_body("a"));
  const double t = 0.2, h = 0.002;
  EXPECT_NEAR(pose.position.x, 0.5 * t, 1e-9);
  EXPECT_NEAR(pose.position.z, 1 - 9.81 * t * (t + h) / 2, 1e-9); // of the stepping
  EXPECT_NEAR(norm(logarithmic_map(pose.rotation) - Vec3{0, 3 * t, 0}), 0, 1e-9);
}

TEST(Mjcf, FilesIncludeOthers) {
  const ScratchFolder folder;
  folder.write("parts.xml", "<mujocoinclude><body name='b' pos='0 0 2' strange='1'><freejoint/>\n"
                            "<geom size='0.1'/></body></mujocoinclude>");
  const auto model = import_model(
      folder.write("m.xml", "<mujoco><worldbody><include file='parts.xml'/></worldbody></mujoco>"));
  ASSERT_EQ(model.description.bodies.size(), 1u);
  EXPECT_EQ(model.description.bodies[0].name, "b");
  EXPECT_TRUE(warns(model, "parts.xml:1: 'strange' of <body> is ignored"));
}

TEST(Mjcf, WhatIsIgnoredIsNamedWithItsLine) {
  const auto model = mjcf("<visual/>\n<worldbody><light pos='0 0 1'/>\n<body><freejoint/>\n<geom "
                          "size='1' rgba='1 0 0 1'\n solref='1 1'/></body></worldbody>\n"
                          "<sensor><gyro site='x'/></sensor>");
  EXPECT_TRUE(warns(model, "m.xml:1: <visual> in <mujoco> is ignored"));
  EXPECT_TRUE(warns(model, "m.xml:2: <light> in <worldbody> is ignored"));
  EXPECT_TRUE(warns(model, "m.xml:4: 'rgba' of <geom> is ignored"));
  EXPECT_TRUE(warns(model, "m.xml:5: 'solref' of <geom> is ignored"));
  EXPECT_TRUE(warns(model, "m.xml:6: <sensor> in <mujoco> is ignored"));
  EXPECT_EQ(model.warnings.size(), 5u);
}

} // namespace
} // namespace talus::test
