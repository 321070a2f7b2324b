// Mimic joints and joint equalities between links that all move (world/gear_mesh.h).

#include "imported.h"
#include "scratch_folder.h"
#include "talus/core/error.h"
#include "talus/step/measures.h"
#include "talus/world/builders.h"

#include <fmt/format.h>

#include <cmath>

namespace talus::test {
namespace {

/// A free hand of 2 kg with two fingers of 0.5 kg each.
struct Hand {
  std::string kind;      ///< Of the fingers' joints in URDF.
  std::string axes[2];   ///< Of the fingers.
  std::string places[2]; ///< Of the joints, in the hand.
  double ratio;          ///< right = ratio · left.
};

const Hand sliding{"prismatic", {"0 1 0", "0 -1 0"}, {"0 0.1 0.05", "0 -0.1 0.05"}, 1};
const Hand turning{"continuous", {"1 0 0", "1 0 0"}, {"0 0.1 0.05", "0 -0.1 0.05"}, -2};
const Hand coaxial{"continuous", {"0 1 0", "0 1 0"}, {"0 0.1 0", "0 -0.1 0"}, 3};
const Hand crossed{"continuous", {"0 1 0", "0 0 1"}, {"0 0.1 0", "0.1 0 0.1"}, 1.5};
const Hand rack{"prismatic", {"1 0 0", "0 1 0"}, {"0 0.1 0", "0 -0.1 0"}, 0.5};

std::string as_urdf(const Hand& hand) {
  std::string text =
      "<robot name='hand'><link name='palm'><inertial><mass value='2'/><inertia ixx='0.02' "
      "iyy='0.03' izz='0.04'/></inertial></link>";
  for (int i = 0; i < 2; ++i)
    text += fmt::format(
        "<link name='f{0}'><inertial><origin xyz='0 0 0.05'/><mass value='0.5'/><inertia "
        "ixx='0.002' iyy='0.003' izz='0.001'/></inertial></link><joint name='j{0}' type='{1}'>"
        "<parent link='palm'/><child link='f{0}'/><origin xyz='{2}'/><axis xyz='{3}'/>{4}</joint>",
        i, hand.kind, hand.places[i], hand.axes[i],
        (hand.kind == "prismatic" ? "<limit lower='-9' upper='9' effort='1' velocity='1'/>" : "") +
            (i == 0 ? std::string()
                    : fmt::format("<mimic joint='j0' multiplier='{}'/>", hand.ratio)));
  return text + "</robot>";
}

std::string as_mjcf(const Hand& hand) {
  const std::string kind = hand.kind == "prismatic" ? "slide" : "hinge";
  std::string text = "<mujoco model='hand'><compiler angle='radian'/><worldbody><body name='palm'>"
                     "<freejoint/><inertial pos='0 0 0' mass='2' diaginertia='0.02 0.03 0.04'/>";
  for (int i = 0; i < 2; ++i)
    text += fmt::format("<body name='f{0}' pos='{1}'><inertial pos='0 0 0.05' mass='0.5' "
                        "diaginertia='0.002 0.003 0.001'/><joint name='j{0}' type='{2}' "
                        "axis='{3}'{4}/></body>",
                        i, hand.places[i], kind, hand.axes[i],
                        kind == "slide" ? " limited='true' range='-9 9'" : "");
  return text + fmt::format("</body></worldbody><equality><joint joint1='j1' joint2='j0' "
                            "polycoef='0 {} 0 0 0'/></equality></mujoco>",
                            hand.ratio);
}

/// Tumbles, while an effort acts in the first joint.
Simulation tumbling(WorldDescription description) {
  description.gravity = {0.3, -0.2, -1};
  for (BodyDescription& body : description.bodies) {
    const Vec3 centre = body.pose(body.inertia->centre), spin{1, 2, -1.5};
    body.angular_velocity = spin;
    body.velocity = cross(spin, centre);
  }
  for (JointDescription& joint : description.joints)
    if (joint.name == "j0") joint.effort = 0.02;
  description.step.step = 0.002;
  description.step.tolerance = 1e-12;
  return Simulation(build_world(description), description.step);
}

double coordinate(const Simulation& simulation, const std::string& joint) {
  const World& world = simulation.world();
  return world.joint_coordinates()[static_cast<std::size_t>(world.find_joint(joint))];
}

class MovingGear : public testing::TestWithParam<const Hand*> {};

TEST_P(MovingGear, MovesAlikeFromUrdfAndMjcf) {
  const Hand& hand = *GetParam();
  const ScratchFolder folder;
  const auto urdf = import_model(folder.write("hand.urdf", as_urdf(hand)));
  const auto mjcf = import_model(folder.write("hand.xml", as_mjcf(hand)));
  Simulation a = tumbling(urdf.description), b = tumbling(mjcf.description);
  for (int k = 0; k < 300; ++k) {
    ASSERT_TRUE(a.step().converged()) << a.report().message;
    ASSERT_TRUE(b.step().converged()) << b.report().message;
    EXPECT_NEAR(coordinate(a, "j1"), hand.ratio * coordinate(a, "j0"), 3e-6);
  }
  EXPECT_GT(std::abs(coordinate(a, "j0")), 1e-3) << "it did not move";
  for (const char* name : {"palm", "f0", "f1"}) {
    const Transform one = a.world().pose(a.world().find_body(name));
    const Transform two = b.world().pose(b.world().find_body(name));
    EXPECT_LE(norm(one.position - two.position), 1e-10) << name;
    EXPECT_LE(norm(rotate(one.rotation, {1, 1, 1}) - rotate(two.rotation, {1, 1, 1})), 1e-10);
  }
}

/// Gears are inner forces.
TEST_P(MovingGear, KeepsMomentum) {
  const ScratchFolder folder;
  const auto model = import_model(folder.write("hand.urdf", as_urdf(*GetParam())));
  Simulation simulation = tumbling(model.description);
  simulation.world().gravity = {};
  simulation.step();
  const Vec3 p = simulation.report().momentum, l = simulation.report().angular_momentum;
  for (int k = 0; k < 200; ++k) simulation.step();
  EXPECT_LE(norm(simulation.report().momentum - p), 1e-10);
  // Orientations advance to first order: as in Joint.keeps_momentum.
  EXPECT_LE(norm(simulation.report().angular_momentum - l), 2e-3 * norm(l));
}

INSTANTIATE_TEST_SUITE_P(Hands, MovingGear,
                         testing::Values(&sliding, &turning, &coaxial, &crossed, &rack),
                         [](const auto& each) {
                           const Hand* hand = each.param;
                           return hand == &sliding   ? "sliding"
                                  : hand == &turning ? "turning"
                                  : hand == &coaxial ? "coaxial"
                                  : hand == &crossed ? "crossed"
                                                     : "rack";
                         });

/// Mirrored fingers of a mass m each, effort F in the first slide: q̈ = F / (2 m), and the hand,
/// which weighs nothing here, stays where it is. The idler adds 1e-4 m.
TEST(MovingGear, MirroredFingersFollowTheClosedForm) {
  const ScratchFolder folder;
  auto model = import_model(folder.write("hand.urdf", as_urdf(sliding)));
  model.description.gravity = {};
  for (JointDescription& joint : model.description.joints)
    if (joint.name == "j0") joint.effort = 0.02;
  const double h = 0.002, mass = 0.5;
  Simulation simulation(build_world(model.description), {.step = h, .tolerance = 1e-12});
  const int n = 200;
  for (int k = 0; k < n; ++k) simulation.step();
  const double q = 0.02 / (2 * mass) * h * h * n * (n + 1) / 2;
  EXPECT_NEAR(coordinate(simulation, "j0"), q, 2e-4 * q);
  EXPECT_NEAR(coordinate(simulation, "j1"), q, 2e-4 * q);
  const World& world = simulation.world();
  EXPECT_LE(std::abs(world.pose(world.find_body("palm")).position.y), 2e-4 * q);
}

/// Wheels 1 and 2 on a free bar, far from each other, that mesh inside out: q₁ + r q₂ = 0. Without
/// outer forces the bar turns back by what the wheels' spin needs, so that the effort T meets
/// J = I₁ + I₂/r² − (I₁ − I₂/r)²/I with the inertia I of all about the middle.
TEST(MovingGear, WheelsOnAFreeBarFollowTheClosedForm) {
  World world;
  world.gravity = {};
  const double i1 = 0.01, i2 = 0.03, bar = 0.2, r = 2.5, torque = 0.05, h = 1e-3;
  const auto part = [](double mass, double about_z) {
    return MassProperties{mass, {}, Mat3::diagonal({about_z, about_z, about_z})};
  };
  const auto add = [&](const char* name, double x, const MassProperties& inertia) {
    return world.add(body(name).at({x, 0, 0}).mass_properties(inertia));
  };
  const Index frame = add("bar", 0, part(1, bar));
  const Index one = add("one", -0.4, part(0.5, i1)), two = add("two", 0.4, part(0.5, i2));
  const Index first = world.add(
      revolute("first").between(frame, one).at({-0.4, 0, 0}).along({0, 0, 1}).pushed_by(torque));
  const Index second =
      world.add(revolute("second").between(frame, two).at({0.4, 0, 0}).along({0, 0, 1}));
  world.add(gear().coupling(first, second, r));
  Simulation simulation(std::move(world), {.step = h, .tolerance = 1e-12});
  const double whole = bar + i1 + i2 + 2 * 0.5 * 0.16;
  const double coupled = i1 - i2 / r, inertia = i1 + i2 / (r * r) - coupled * coupled / whole;
  const int n = 300;
  for (int k = 0; k < n; ++k) ASSERT_TRUE(simulation.step().converged());
  const double q = torque / inertia * h * h * n * (n + 1) / 2;
  EXPECT_NEAR(coordinate(simulation, "first"), q, 1e-6 * q);
  EXPECT_NEAR(coordinate(simulation, "second"), -q / r, 1e-6 * q);
}

TEST(MovingGear, JointsWithoutASharedBodyAreRefused) {
  World world;
  const auto add = [&](double x) {
    return world.add(body().with(make_box({0.1, 0.1, 0.1})).at({x, 0, 0}));
  };
  const Index a = add(0), b = add(1), c = add(2), d = add(3);
  const Index first = world.add(revolute("first").between(a, b).at({0.5, 0, 0}));
  const Index second = world.add(revolute("second").between(c, d).at({2.5, 0, 0}));
  try {
    world.add(gear("mesh").coupling(first, second, 1));
    ADD_FAILURE();
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("share a body"), std::string::npos) << error.what();
  }
}

} // namespace
} // namespace talus::test
