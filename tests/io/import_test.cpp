// URDF and MJCF models: their motion, what is read, what is warned of, what is refused.

#include "imported.h"
#include "talus/io/checkpoint.h"
#include "talus/io/export.h"
#include "talus/step/measures.h"

#include <cmath>
#include <numbers>

namespace talus::test {
namespace {

/// Before the arm hits itself, where an impact enlarges differences.
constexpr int machine_steps = 90;

class Machines : public testing::TestWithParam<std::string> {};

TEST_P(Machines, MoveAlikeFromUrdfMjcfAndAScene) {
  const std::string machine = GetParam();
  Scene by_hand = scene_by_hand(machine);
  const auto names = moving_bodies(by_hand);
  ASSERT_FALSE(names.empty());
  const auto start = poses_after(by_hand, 0, names);
  const auto expected = poses_after(std::move(by_hand), machine_steps, names);
  const auto urdf = poses_after(scene_with(machine, machine + ".urdf"), machine_steps, names);
  const auto mjcf = poses_after(scene_with(machine, machine + ".xml"), machine_steps, names);
  EXPECT_GT(largest_difference(start, expected), 0.01);
  EXPECT_LE(largest_difference(urdf, expected), 1e-10);
  EXPECT_LE(largest_difference(mjcf, expected), 1e-10);
  EXPECT_LE(largest_difference(urdf, mjcf), 1e-10);
}

TEST_P(Machines, MoveAlikeAfterExport) {
  const std::string machine = GetParam();
  for (const std::string ending : {".urdf", ".xml"}) {
    const ImportedModel model = import_model(model_folder() + machine + ending);
    const ScratchFolder folder;
    const ExportedModel urdf = urdf_text(model.description, "m");
    EXPECT_TRUE(urdf.files.empty());
    folder.write("m.urdf", urdf.text);
    folder.write("m.xml", mjcf_text(model.description).text);
    folder.write("m.yaml", scene_text(model.description));
    WorldDescription plain = model.description;
    plain.step.tolerance = 1e-13;
    plain.step.step = 0.002;
    const Scene original = build_scene(plain);
    const auto names = moving_bodies(original);
    const auto expected = poses_after(original, machine_steps, names);
    for (const char* name : {"m.urdf", "m.xml", "m.yaml"}) {
      Scene again = load_scene(folder.path(name), {"solver.tolerance=1e-13", "step=0.002"});
      EXPECT_LE(largest_difference(poses_after(std::move(again), machine_steps, names), expected),
                1e-10)
          << machine << ending << " as " << name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Machines, testing::ValuesIn(machines),
                         [](const auto& each) { return each.param; });

const std::string base_link = "<link name='world'/>";

/// A body with a mass and a joint of this kind on the world.
std::string one_joint(const std::string& joint, const std::string& link = "") {
  return "<robot name='r'>" + base_link +
         "<link name='a'><inertial><mass value='2'/><inertia ixx='1' iyy='1' izz='1'/></inertial>" +
         link + "</link>\n<joint name='j' " + joint +
         "<parent link='world'/><child link='a'/></joint></robot>";
}

ImportedModel import_text(const std::string& name, const std::string& text,
                          const ImportOptions& options = {}) {
  const ScratchFolder folder;
  return import_model(folder.write(name, text), options);
}

bool has_warning(const ImportedModel& model, const std::string& text) {
  for (const std::string& warning : model.warnings)
    if (warning.find(text) != std::string::npos) return true;
  return false;
}

TEST(Urdf, JointsHaveLimitsDampingAndFriction) {
  const auto model = import_text(
      "m.urdf", one_joint("type='prismatic'><axis xyz='0 0 2'/><limit lower='-1' upper='3'/>"
                          "<dynamics damping='4' friction='5'/>"));
  ASSERT_EQ(model.description.joints.size(), 1u);
  const JointDescription& j = model.description.joints[0];
  EXPECT_EQ(j.kind, JointKind::prismatic);
  EXPECT_EQ(j.limits->lower, -1);
  EXPECT_EQ(j.limits->upper, 3);
  EXPECT_EQ(j.spring->damping, 4);
  EXPECT_EQ(j.friction, 5);
  EXPECT_EQ(j.axis, (Vec3{0, 0, 1}));
}

TEST(Urdf, WhatIsIgnoredIsNamedWithItsLine) {
  const auto model =
      import_text("m.urdf", "<robot name='r'>\n"
                            "<link name='a' colour='red'>\n"
                            "<inertial><mass value='2'/>\n"
                            "<inertia ixx='1' iyy='1' izz='1'/></inertial>\n"
                            "<visual><geometry><sphere radius='1'/></geometry></visual>\n"
                            "<collision><geometry><sphere radius='1'\n"
                            "  texture='x'/></geometry></collision>\n"
                            "</link>\n<gazebo><x y='1'/></gazebo>\n</robot>");
  EXPECT_EQ(model.warnings.size(), 4u);
  EXPECT_TRUE(has_warning(model, "m.urdf:2: 'colour' of <link> is ignored"));
  EXPECT_TRUE(has_warning(model, "m.urdf:5: <visual> in <link> is ignored"));
  EXPECT_TRUE(has_warning(model, "m.urdf:7: 'texture' of <sphere> is ignored"));
  EXPECT_TRUE(has_warning(model, "m.urdf:9: <gazebo> in <robot> is ignored"));
}

TEST(Urdf, ABaseIsFreeOrFixed) {
  const std::string text = "<robot name='r'><link name='a'><inertial><mass value='2'/><inertia "
                           "ixx='1' iyy='1' izz='1'/></inertial></link></robot>";
  EXPECT_EQ(import_text("m.urdf", text).description.bodies[0].kind, BodyKind::dynamic);
  ImportOptions fixed_base;
  fixed_base.base = BaseKind::fixed;
  // A fixed base without shapes is the ground.
  EXPECT_TRUE(import_text("m.urdf", text, fixed_base).description.bodies.empty());
}

TEST(Urdf, WeldedLinksMayBecomeOneBody) {
  const std::string mass = "<inertial><origin xyz='0.1 0 0'/><mass value='2'/><inertia ixx='1' "
                           "iyy='1' izz='1'/></inertial>";
  const std::string text = "<robot name='r'>" + base_link + "<link name='a'>" + mass +
                           "</link><link name='b'>" + mass + "</link><link name='tip'/>" +
                           "<joint name='j' type='continuous'><parent link='world'/><child "
                           "link='a'/><axis xyz='0 1 0'/></joint>"
                           "<joint name='w' type='fixed'><parent link='a'/><child link='b'/>"
                           "<origin xyz='0.5 0 0' rpy='0 0 1'/></joint>"
                           "<joint name='t' type='fixed'><parent link='b'/><child "
                           "link='tip'/></joint></robot>";
  const auto parts = import_text("m.urdf", text);
  ImportOptions merged;
  merged.merge_fixed = true;
  const auto whole = import_text("m.urdf", text, merged);
  EXPECT_EQ(parts.description.bodies.size(), 2u); // links without mass belong to another
  EXPECT_EQ(parts.description.joints.size(), 2u);
  ASSERT_EQ(whole.description.bodies.size(), 1u);
  EXPECT_EQ(whole.description.bodies[0].inertia->mass, 4);
  EXPECT_NEAR(whole.description.bodies[0].inertia->centre.x, (0.1 + 0.5 + 0.1 * std::cos(1.0)) / 2,
              1e-15);
  const auto motion = [](WorldDescription d) {
    d.step.tolerance = 1e-13;
    return poses_after(build_scene(std::move(d)), 100, {"a"});
  };
  // A step moves two welded bodies and one body alike to first order.
  EXPECT_LE(largest_difference(motion(parts.description), motion(whole.description)), 1e-4);
}

TEST(Urdf, StartsWithinLimitsAndWhereAsked) {
  const std::string text =
      one_joint("type='revolute'><axis xyz='0 1 0'/><limit lower='0.5' upper='1.5'/>");
  const auto at_limit = import_text("m.urdf", text);
  EXPECT_EQ(at_limit.description.joints[0].position, 0.5);
  EXPECT_TRUE(has_warning(at_limit, "joint 'j' starts at 0.5"));
  const auto asked = import_text("m.urdf", text, starting_with("j", 1.0));
  EXPECT_EQ(asked.description.joints[0].position, 1.0);
  EXPECT_EQ(asked.warnings.size(), 0u);
  const World world = build_world(asked.description);
  EXPECT_NEAR(joint_coordinate(world, world.joint(0)), 1.0, 1e-15);
  EXPECT_NEAR(norm(logarithmic_map(world.pose(0).rotation) - Vec3{0, 1, 0}), 0, 1e-15);
  EXPECT_THROW(import_text("m.urdf", text, starting_with("k", 1.0)), InvalidArgument);
}

TEST(Urdf, FollowersStartWhereTheirLeadersPutThem) {
  const std::string mass =
      "<inertial><mass value='2'/><inertia ixx='1' iyy='1' izz='1'/></inertial>";
  const auto model = import_text(
      "m.urdf",
      "<robot name='r'>" + base_link + "<link name='a'>" + mass + "</link><link name='b'>" + mass +
          "</link><joint name='j' type='continuous'><parent link='world'/><child "
          "link='a'/><axis xyz='0 1 0'/></joint><joint name='k' type='continuous'>"
          "<parent link='world'/><child link='b'/><origin xyz='0 2 0'/>"
          "<axis xyz='0 1 0'/><mimic joint='j' multiplier='-2' offset='0.25'/></joint>"
          "</robot>",
      starting_with("j", 0.5));
  EXPECT_EQ(model.description.joints[1].position, 0.25 - 1);
  Scene scene = build_scene(model.description);
  Simulation simulation(std::move(scene.world), scene.options);
  simulation.world().state(0).angular_velocity = {0, 0.3, 0};
  for (int i = 0; i < 50; ++i) simulation.step();
  const auto q = simulation.world().joint_coordinates();
  EXPECT_GT(std::abs(q[0] - 0.5), 1e-3);
  EXPECT_NEAR(q[1], -2 * q[0] + 0.25, 1e-10);
}

TEST(Urdf, MeshesAreFoundScaledAndMadeConvex) {
  const ScratchFolder folder;
  const std::string tetrahedron = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 0.1 0.1 0.1\n"
                                  "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
  std::filesystem::create_directories(folder.path("robots/urdf"));
  std::filesystem::create_directories(folder.path("robots/meshes"));
  folder.write("robots/package.xml", "<package/>");
  folder.write("robots/meshes/t.obj", tetrahedron);
  folder.write("robots/meshes/t.dae",
               "<COLLADA><asset><unit meter='0.5'/><up_axis>Z_UP</up_axis></asset>"
               "<library_geometries><geometry id='g'><mesh><source id='s'><float_array>0 0 0 1 0 0 "
               "0 1 0 0 0 1</float_array></source><vertices id='v'><input semantic='POSITION' "
               "source='#s'/></vertices><triangles count='4'><input semantic='VERTEX' source='#v' "
               "offset='0'/><p>0 2 1 0 1 3 0 3 2 1 2 3</p></triangles></mesh></geometry>"
               "</library_geometries><library_visual_scenes><visual_scene><node><translate>0 0 2"
               "</translate><instance_geometry url='#g'/></node></visual_scene>"
               "</library_visual_scenes></COLLADA>");
  const auto hull = [&](const std::string& file, const std::string& scale = "1 1 1") {
    const std::string text =
        one_joint("type='continuous'>", "<collision><geometry><mesh filename='" + file +
                                            "' scale='" + scale + "'/></geometry></collision>");
    const auto model = import_model(folder.write("robots/urdf/m.urdf", text));
    return std::get<described::ConvexHull>(model.description.shapes[0].geometry).points;
  };
  const std::vector<Vec3> once = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  EXPECT_EQ(hull("../meshes/t.obj"), once);
  EXPECT_EQ(hull("package://robots/meshes/t.obj"), once);
  EXPECT_EQ(hull("package://other_name/meshes/t.obj"), once); // its own package
  EXPECT_EQ(hull("../meshes/t.obj", "2 1 1")[1], (Vec3{2, 0, 0}));
  EXPECT_EQ(hull("../meshes/t.dae")[1], (Vec3{0.5, 0, 1}));
}

TEST(Imports, KeepPrefixesPlacesAndCheckpoints) {
  const Scene scene = scene_with("double_pendulum", "double_pendulum.urdf",
                                 ", prefix: left_, at: [1, 2, 3], orientation: {axis: [0, 0, 1], "
                                 "angle: 90}, angles: {shoulder: 30}");
  const Index upper = scene.world.find_body("left_upper");
  ASSERT_GE(upper, 0);
  EXPECT_NEAR(norm(scene.world.pose(upper).position - Vec3{1, 2, 5}), 0, 1e-14);
  const Index shoulder = scene.world.find_joint("left_shoulder");
  EXPECT_NEAR(scene.world.joint_coordinates()[static_cast<std::size_t>(shoulder)],
              std::numbers::pi / 6, 1e-15);
  // From a checkpoint, bit for bit, without the files.
  const ScratchFolder folder;
  Simulation simulation(scene.world, scene.options);
  for (int i = 0; i < 20; ++i) simulation.step();
  write_checkpoint(folder.path("c.h5"), scene.source, description_text(scene.description),
                   simulation.state());
  const Checkpoint checkpoint = read_checkpoint(folder.path("c.h5"));
  Scene restored = scene_of(checkpoint);
  Simulation other(std::move(restored.world), restored.options);
  other.restore(checkpoint.state);
  for (int i = 0; i < 20; ++i) {
    simulation.step();
    other.step();
  }
  EXPECT_TRUE(std::ranges::equal(simulation.world().states(), other.world().states()));
}

TEST(Imports, ScenesRefuseWrongIncludes) {
  const auto message = [](const std::string& include) -> std::string {
    try {
      build_scene({model_folder() + "test.yaml", "step: 0.01\ninclude: " + include, {}, {}});
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(message("{file: arm.obj}").find("test.yaml:2: include: 'arm.obj' is no model"),
            std::string::npos);
  EXPECT_NE(message("{file: none.urdf}").find("none.urdf: cannot be read"), std::string::npos);
  EXPECT_NE(message("{file: arm.urdf, bse: free}").find("did you mean base?"), std::string::npos);
  EXPECT_NE(message("{file: arm.urdf, base: loose}").find("auto, fixed or free"),
            std::string::npos);
  EXPECT_NE(message("[{file: arm.urdf}, {file: arm.urdf}]").find("the name is taken"),
            std::string::npos);
  EXPECT_NE(message("{file: arm.urdf, angles: {j9: 3}}").find("no joint 'j9'"), std::string::npos);
  EXPECT_NE(message("{file: arm.urdf, keyframe: home}").find("only MJCF files have keyframes"),
            std::string::npos);
  EXPECT_EQ(message("[{file: arm.urdf}, {file: arm.urdf, prefix: b_, at: [3, 0, 0]}]"), "");
}

} // namespace
} // namespace talus::test
