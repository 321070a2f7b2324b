#include "talus/core/error.h"
#include "talus/world/world.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace talus {
namespace {

template <class Action>
std::string message_of(Action&& action) {
  try {
    action();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "";
}

void expect_near(const Vec3& a, const Vec3& b, double tolerance) {
  EXPECT_LE(norm(a - b), tolerance) << a.x << ' ' << a.y << ' ' << a.z;
}

TEST(World, builders_read_like_sentences) {
  World world;
  const Index ice = world.add(Material{.name = "ice", .friction = 0.03});
  const Index floor = world.add(fixed_body("floor").with(make_half_space({0, 0, 1})));
  const Index puck = world.add(body("puck")
                                   .with(make_cylinder(0.04, 0.01))
                                   .of(ice)
                                   .mass(0.17)
                                   .at({0, 0, 0.01})
                                   .moving({2, 0, 0}));
  EXPECT_EQ(world.size(), 2);
  EXPECT_EQ(world.find_body("puck"), puck);
  EXPECT_EQ(world.find_body("nobody"), -1);
  EXPECT_EQ(world.body(floor).kind, BodyKind::fixed);
  EXPECT_DOUBLE_EQ(world.body(puck).mass, 0.17);
  EXPECT_NEAR(world.body(puck).moments.z, 0.17 * 0.04 * 0.04 / 2, 1e-15);
  EXPECT_EQ(world.state(puck).velocity, (Vec3{2, 0, 0}));
  EXPECT_EQ(world.body(puck).shapes[0].material, ice);
}

TEST(World, recentres_shapes_on_the_centre_of_mass) {
  // Three unit cubes in an L.
  World world;
  const Transform pose{{5, 6, 7}, axis_angle({1, 2, 3}, 0.7)};
  const Index l = world.add(body("L")
                                .with(make_box({0.5, 0.5, 0.5}))
                                .with(make_box({0.5, 0.5, 0.5}), {{1, 0, 0}, {}})
                                .with(make_box({0.5, 0.5, 0.5}), {{0, 1, 0}, {}})
                                .density(2)
                                .placed(pose));
  EXPECT_NEAR(world.body(l).mass, 6, 1e-12);
  expect_near(world.state(l).pose.position, pose({1.0 / 3, 1.0 / 3, 0}), 1e-12);
  const Transform back = world.pose(l);
  expect_near(back.position, pose.position, 1e-12);
  expect_near(rotate(back.rotation, {1, 2, 4}), rotate(pose.rotation, {1, 2, 4}), 1e-12);
  // Shapes stay where they were put.
  const Transform second = world.state(l).pose * world.body(l).shapes[1].pose;
  expect_near(second.position, pose({1, 0, 0}), 1e-12);
  // Moments: about z through the centre, 3 (1/6 + distance²) per unit mass with Σ d² = 4/3.
  const double about_z = 2 * (3.0 / 6 + 4.0 / 3);
  const Vec3 m = world.body(l).moments;
  EXPECT_NEAR(std::max({m.x, m.y, m.z}), about_z, 1e-12);
  EXPECT_NEAR(m.x + m.y + m.z, 2 * (3.0 / 2 + 2 * 4.0 / 3), 1e-12);
}

TEST(World, set_pose_moves_the_reference_frame) {
  World world;
  const Index i = world.add(
      body().with(make_sphere(1), {{2, 0, 0}, {}}).with(make_box({1, 2, 3}), {{0, 1, 0}, {}}));
  EXPECT_EQ(world.body(i).name, "body 0");
  const Transform goal{{1, 2, 3}, axis_angle({0, 1, 1}, 2)};
  world.set_pose(i, goal);
  expect_near(world.pose(i).position, goal.position, 1e-13);
}

TEST(World, names_what_is_wrong_and_stays_unchanged) {
  World world;
  world.add(body("a").with(make_sphere(1)));
  const auto expect_message = [&](const BodyBuilder& builder, const std::string& part) {
    EXPECT_NE(message_of([&] { world.add(builder); }).find(part), std::string::npos) << part;
  };
  const auto ball = make_sphere(1);
  expect_message(body("a").with(ball), "body 'a': the name is taken");
  expect_message(body("b"), "needs a shape");
  expect_message(body("b").with(make_half_space({0, 0, 1})), "body 'b'");
  expect_message(body("b").with(ball).mass(-1), "body 'b'");
  expect_message(body("b").with(make_sphere(1e200)), "mass is inf kg");
  expect_message(body("b").with(make_sphere(1e90)), "moments of inertia are not finite");
  expect_message(body("b").with(ball).of(7), "no material 7");
  expect_message(body("b").with(ball).at({0, NAN, 0}), "pose is not finite");
  expect_message(body("b").with(ball).turned({2, 0, 0, 0}), "must be 1");
  expect_message(body("b").with(ball).moving({INFINITY, 0, 0}), "velocity is not finite");
  expect_message(fixed_body("b").with(ball).moving({1, 0, 0}), "kinematic");
  expect_message(body("b").with(ball).following([](double) { return Transform{}; }),
                 "only kinematic");
  expect_message(body("b").with(nullptr), "null");
  EXPECT_EQ(world.size(), 1);
  EXPECT_NE(message_of([&] { world.add(spherical("j").between(0, 3)); }).find("no body 3"),
            std::string::npos);
  EXPECT_NE(message_of([&] { world.add(spherical("j").between(0, 0)); }).find("itself"),
            std::string::npos);
  EXPECT_NE(message_of([&] {
              world.add(spherical("j").between(ground, 0).limited(0, 1));
            }).find("no coordinate"),
            std::string::npos);
  EXPECT_NE(message_of([&] {
              world.add(revolute("j").between(ground, 0).limited(1, 0));
            }).find("lower limit"),
            std::string::npos);
  EXPECT_NE(message_of([&] { world.add(distance_joint("j").between(ground, 0)); }).find("length"),
            std::string::npos);
  EXPECT_EQ(world.joints().size(), 0u);
  EXPECT_THROW(world.state(5), InvalidArgument);
  EXPECT_THROW(world.confine_to_plane({}), InvalidArgument);
}

TEST(World, finds_bodies_by_the_names_they_were_not_given) {
  World world;
  const ShapePtr ball = make_sphere(1);
  world.add(body("body 2").with(ball));
  world.add(body().with(ball));
  EXPECT_EQ(world.find_body("body 1"), 1);
  EXPECT_EQ(world.find_body("body 2"), 0);
  for (const char* name : {"body 0", "body 3", "body 01", "body 1 ", "body", "body -1", "body x"})
    EXPECT_EQ(world.find_body(name), -1) << name;
  EXPECT_NE(message_of([&] { world.add(body().with(ball)); }).find("the name is taken"),
            std::string::npos);
  EXPECT_NE(message_of([&] { world.add(body("body 1").with(ball)); }).find("the name is taken"),
            std::string::npos);
}

TEST(World, bodies_of_a_kind_share_their_shapes) {
  World world;
  const ShapePtr ball = make_sphere(1);
  const Index ice = world.add(Material{.name = "ice", .friction = 0.03});
  for (int i = 0; i < 2; ++i) world.add(body().with(ball).at({3.0 * i, 0, 0}));
  world.add(body().with(ball).of(ice));
  world.add(fixed_body());
  const auto shapes = [&](Index i) { return world.body(i).shapes.all().data(); };
  EXPECT_EQ(shapes(0), shapes(1));
  EXPECT_NE(shapes(1), shapes(2));
  EXPECT_EQ(world.body(2).shapes[0].material, ice);
  EXPECT_EQ(world.body(2).shapes.size(), 1u);
  EXPECT_TRUE(world.body(3).shapes.empty());
}

TEST(World, names_are_one_line_of_text) {
  World world;
  for (const char* name : {"a\nb", "\t", "end\x7f"}) {
    EXPECT_THROW(world.add(body(name).with(make_sphere(1))), InvalidArgument);
    EXPECT_THROW(world.materials.add({.name = name}), InvalidArgument);
  }
  EXPECT_EQ(world.size(), 0);
  EXPECT_EQ(world.add(body("Größe µ").with(make_sphere(1))), 0);
  EXPECT_THROW(world.add(revolute("a\rb").between(ground, 0)), InvalidArgument);
}

TEST(World, joined_bodies_do_not_collide_unless_told) {
  World world;
  const auto ball = make_sphere(0.4);
  for (int i = 0; i < 4; ++i) world.add(body().with(ball).at({1.0 * i, 0, 0}));
  world.add(spherical().between(1, 0).at({0.5, 0, 0}));
  world.add(revolute().between(1, 2).at({1.5, 0, 0}).letting_bodies_collide());
  world.add(spherical().between(ground, 3));
  world.forbid_contact(3, 2);
  world.forbid_contact(2, 3);
  const std::vector<std::pair<Index, Index>> expected = {{0, 1}, {2, 3}};
  EXPECT_EQ(world.contact_exclusions(), expected);
}

TEST(World, joint_coordinates_follow_the_poses_beyond_a_turn) {
  World world;
  const Index wheel = world.add(body().with(make_sphere(1)).at({1, 0, 0}));
  const Index hinge = world.add(revolute().between(ground, wheel).at({0, 0, 0}).along({0, 2, 0}));
  EXPECT_NEAR(joint_coordinate(world, world.joint(hinge)), 0, 1e-15);
  double last = 0;
  for (int k = 1; k <= 40; ++k) {
    const Quaternion turn = axis_angle({0, 1, 0}, 0.5 * k);
    world.set_pose(wheel, {rotate(turn, {1, 0, 0}), turn});
    last = joint_coordinate(world, world.joint(hinge), last);
    EXPECT_NEAR(last, 0.5 * k, 1e-12);
  }
  const Index rail = world.add(prismatic().between(ground, wheel).along({1, 1, 0}));
  world.state(wheel).pose.position += 3.0 * normalized(Vec3{1, 1, 0});
  EXPECT_NEAR(joint_coordinate(world, world.joint(rail)), 3, 1e-12);
}

TEST(Materials, combine_by_rule_unless_a_pair_is_given) {
  MaterialTable table;
  const Index a = table.add({.name = "a", .friction = 0.2, .restitution = 0.1});
  const Index b = table.add({.name = "b", .friction = 0.8, .restitution = 0.5});
  EXPECT_DOUBLE_EQ(table.between(a, b).friction, 0.4);
  EXPECT_DOUBLE_EQ(table.between(a, b).restitution, 0.5);
  EXPECT_EQ(table.between(a, a).friction, 0.2);
  const std::pair<CombineRule, double> rules[] = {{CombineRule::average, 0.5},
                                                  {CombineRule::minimum, 0.2},
                                                  {CombineRule::maximum, 0.8},
                                                  {CombineRule::product, 0.16}};
  for (const auto& [rule, value] : rules) {
    table.friction_rule = rule;
    EXPECT_DOUBLE_EQ(table.between(b, a).friction, value);
    EXPECT_EQ(combine_rule_from(to_string(rule)), rule);
  }
  table.set_pair({.a = b, .b = a, .friction = 0.9, .restitution = 0});
  EXPECT_EQ(table.between(a, b).friction, 0.9);
  EXPECT_EQ(table.between(b, a).friction, 0.9);
  EXPECT_DOUBLE_EQ(table.between(b, b).friction, 0.64);
  EXPECT_THROW(table.add({.name = "c", .friction = -1}), InvalidArgument);
  EXPECT_THROW(table.add({.name = "c", .friction = 1e5}), InvalidArgument);
  EXPECT_THROW(table.add({.name = "c", .friction = std::nan("")}), InvalidArgument);
  EXPECT_THROW(table.add({.name = "c", .restitution = 2}), InvalidArgument);
  EXPECT_THROW(table.add({.name = "c", .stiffness = 1e-7}), InvalidArgument);
  EXPECT_THROW(table.add({.name = "c", .stiffness = -1}), InvalidArgument);
  EXPECT_THROW(table.add({.name = "c", .stiffness = std::nan("")}), InvalidArgument);
  EXPECT_THROW(table.set_pair({.a = 0, .b = 1, .stiffness = 1e-7}), InvalidArgument);
  EXPECT_THROW(table.add({.name = "c", .tangential_ratio = 0}), InvalidArgument);
  EXPECT_THROW(table.set_pair({.a = 0, .b = 1, .tangential_ratio = 1e4}), InvalidArgument);
  for (const double young : {-1.0, 0.5, std::nan(""), rigid_stiffness})
    EXPECT_THROW(table.add({.name = "c", .young = young}), InvalidArgument);
  for (const double poisson : {-1.0, 0.6, std::nan("")})
    EXPECT_THROW(table.add({.name = "c", .young = 1e9, .poisson = poisson}), InvalidArgument);
  EXPECT_THROW(table.add({.name = "c", .stiffness = 1e5, .young = 1e9}), InvalidArgument);
  EXPECT_THROW(table.add({.name = "c", .tangential_ratio = 2, .young = 1e9}), InvalidArgument);
  EXPECT_THROW(table.add({.name = "a"}), InvalidArgument);
  EXPECT_THROW(table.set_pair({.a = 0, .b = 9}), InvalidArgument);
  EXPECT_THROW(combine_rule_from("sum"), InvalidArgument);
}

TEST(Materials, springs_of_two_surfaces_act_in_series_unless_the_pair_was_measured) {
  MaterialTable table;
  const Index soft = table.add({.name = "soft", .stiffness = 1e3});
  const Index hard = table.add({.name = "hard", .stiffness = 4e3});
  EXPECT_EQ(table.between(0, 0).compliance, 0);
  EXPECT_DOUBLE_EQ(table.between(0, soft).compliance, 1e-3);
  EXPECT_DOUBLE_EQ(table.between(soft, hard).compliance, 1.25e-3);
  table.set_pair({.a = soft, .b = hard, .friction = 0.1});
  EXPECT_DOUBLE_EQ(table.between(soft, hard).compliance, 1.25e-3);
  table.set_pair({.a = soft, .b = hard, .friction = 0.1, .stiffness = 1e5});
  EXPECT_DOUBLE_EQ(table.between(hard, soft).compliance, 1e-5);
}

TEST(Materials, a_contact_is_automatic_if_a_surface_is_unless_the_pair_says_otherwise) {
  MaterialTable table;
  const Index rigid = table.add({.name = "rigid", .stiffness = rigid_stiffness});
  const Index soft = table.add({.name = "soft", .stiffness = 1e3});
  EXPECT_TRUE(table.between(0, 0).is_automatic);
  EXPECT_TRUE(table.between(0, rigid).is_automatic);
  EXPECT_TRUE(table.between(0, soft).is_automatic);
  EXPECT_FALSE(table.between(rigid, rigid).is_automatic);
  EXPECT_FALSE(table.between(rigid, soft).is_automatic);
  EXPECT_EQ(table.between(rigid, rigid).compliance, 0);
  table.set_pair({.a = 0, .b = rigid, .stiffness = rigid_stiffness});
  EXPECT_FALSE(table.between(0, rigid).is_automatic);
  table.set_pair({.a = rigid, .b = soft, .stiffness = automatic_stiffness});
  EXPECT_TRUE(table.between(rigid, soft).is_automatic);
  EXPECT_EQ(table.between(rigid, soft).compliance, 0);
}

TEST(Materials, moduli_combine_as_hertz_and_mindlin_say) {
  MaterialTable table;
  const Index steel = table.add({.name = "steel", .young = 2e11, .poisson = 0.3});
  const Index rubber = table.add({.name = "rubber", .young = 1e7, .poisson = 0.5});
  const Index rigid = table.add({.name = "rigid", .stiffness = rigid_stiffness});
  const Index spring = table.add({.name = "spring", .stiffness = 1e6, .tangential_ratio = 0.5});
  const SurfaceCoefficients same = table.between(steel, steel);
  EXPECT_NEAR(same.young, 2e11 / (2 * 0.91), 1);
  EXPECT_NEAR(same.hertz_ratio, 2 * 0.7 / 1.7, 1e-12);
  EXPECT_FALSE(same.is_automatic);
  EXPECT_EQ(same.compliance, 0);
  const SurfaceCoefficients mixed = table.between(steel, rubber);
  EXPECT_NEAR(1 / mixed.young, 0.91 / 2e11 + 0.75 / 1e7, 1e-20);
  EXPECT_NEAR(mixed.hertz_ratio,
              4 * (0.91 / 2e11 + 0.75 / 1e7) / (1.7 * 2.6 / 2e11 + 1.5 * 3 / 1e7), 1e-12);
  for (const Index other : {Index{0}, rigid, spring}) {
    EXPECT_NEAR(table.between(steel, other).young, 2e11 / 0.91, 1);
    EXPECT_NEAR(table.between(other, steel).hertz_ratio, 2 * 0.7 / 1.7, 1e-12);
    EXPECT_FALSE(table.between(steel, other).is_automatic);
  }
  EXPECT_DOUBLE_EQ(table.between(steel, spring).compliance, 1e-6);
  EXPECT_DOUBLE_EQ(table.between(steel, spring).shear_compliance, 2e-6);
  table.set_pair({.a = steel, .b = rubber, .tangential_ratio = 0.9});
  EXPECT_EQ(table.between(rubber, steel).young, mixed.young);
  EXPECT_EQ(table.between(rubber, steel).hertz_ratio, 0.9);
  table.set_pair({.a = steel, .b = rubber, .stiffness = 1e7});
  EXPECT_EQ(table.between(steel, rubber).young, 0) << "a measured stiffness replaces the law";
  EXPECT_TRUE(table.has_hertz_contacts());
  EXPECT_FALSE(MaterialTable().has_hertz_contacts());
}

TEST(Materials, tangential_ratios_are_those_of_springs_in_series) {
  MaterialTable table;
  const Index a = table.add({.name = "a", .stiffness = 1e3, .tangential_ratio = 0.5});
  const Index b = table.add({.name = "b", .stiffness = 4e3});
  const Index automatic = table.add({.name = "c", .tangential_ratio = 0.25});
  EXPECT_DOUBLE_EQ(table.between(a, b).shear_compliance, 2e-3 + 2.5e-4);
  EXPECT_DOUBLE_EQ(table.between(0, automatic).automatic_shear, 2.5);
  EXPECT_DOUBLE_EQ(table.between(a, automatic).automatic_shear, 4);
  EXPECT_EQ(table.between(0, 0).automatic_shear, 1);
  table.set_pair({.a = a, .b = b, .tangential_ratio = 2});
  EXPECT_DOUBLE_EQ(table.between(a, b).shear_compliance, 1.25e-3 / 2);
}

TEST(Materials, contacts_yield_as_soon_as_one_surface_or_pair_does) {
  MaterialTable table;
  EXPECT_TRUE(table.has_yielding_contacts(0.01));
  EXPECT_FALSE(table.has_yielding_contacts(0));
  table.replace(0, {.name = "default", .stiffness = rigid_stiffness});
  EXPECT_FALSE(table.has_yielding_contacts(0.01));
  const Index wood = table.add({.name = "wood", .stiffness = rigid_stiffness});
  table.set_pair({.a = 0, .b = wood});
  EXPECT_FALSE(table.has_yielding_contacts(0.01));
  table.set_pair({.a = 0, .b = wood, .stiffness = 1e6});
  EXPECT_TRUE(table.has_yielding_contacts(0));
  table.replace(0, {.name = "default", .stiffness = 1e6});
  EXPECT_TRUE(table.has_yielding_contacts(0));
}

} // namespace
} // namespace talus
