// Setting joint coordinates and velocities moves what hangs on the joints.

#include "talus/core/elementary.h"
#include "talus/core/error.h"
#include "talus/world/joint_state.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace talus {
namespace {

constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();

/// An arm of three links of length 1 along x in the plane y = 0, the first hinged to the ground,
/// with a slider at its end.
World arm() {
  World world;
  Index before = ground;
  for (int i = 0; i < 3; ++i) {
    const Index link = world.add(body().with(make_box({0.5, 0.05, 0.05})).at({i + 0.5, 0, 0}));
    world.add(revolute().between(before, link).at({double(i), 0, 0}).along({0, 1, 0}));
    before = link;
  }
  const Index tool = world.add(body().with(make_box({0.1, 0.1, 0.1})).at({3, 0, 0}));
  world.add(prismatic().between(before, tool).at({3, 0, 0}).along({1, 0, 0}));
  return world;
}

/// The tip of the arm by plane geometry; turning by q about +y takes x towards -z.
Vec3 tip_of(const double (&q)[4]) {
  double angle = 0;
  Vec3 at;
  for (int i = 0; i < 3; ++i) {
    angle += q[i];
    const double length = 1 + (i == 2 ? q[3] : 0);
    at += Vec3{length * std::cos(angle), 0, -length * std::sin(angle)};
  }
  return at;
}

void expect_close(const Vec3& a, const Vec3& b, double tolerance) {
  EXPECT_LE(norm(a - b), tolerance)
      << a.x << " " << a.y << " " << a.z << " is not " << b.x << " " << b.y << " " << b.z;
}

TEST(JointState, ArmReachesWhereItsAnglesSay) {
  World world = arm();
  const double q[] = {0.3, -1.1, 4.0, 0.25};
  set_joint_positions(world, q);
  expect_close(world.state(3).pose.position, tip_of(q), 1e-12);
  for (Index j = 0; j < 4; ++j) {
    EXPECT_NEAR(world.joint_coordinates()[j], q[j], 1e-15);
    EXPECT_NEAR(joint_coordinate(world, world.joint(j), q[j]), q[j], 1e-12);
    // Joints hold: both frames meet.
    const auto [a, b] = joint_frames(world, world.joint(j));
    const Vec3 apart = b.position - a.position;
    expect_close(apart - dot(apart, rotate(a.rotation, {0, 0, 1})) * rotate(a.rotation, {0, 0, 1}),
                 {}, 1e-12);
  }
}

TEST(JointState, VelocitiesAreTheDerivativeOfPositions) {
  const double q[] = {0.3, -1.1, 0.7, 0.25}, rates[] = {0.5, 2.0, -1.5, 0.4};
  World world = arm();
  set_joint_positions(world, q);
  set_joint_velocities(world, rates);
  for (Index j = 0; j < 4; ++j) EXPECT_NEAR(joint_velocity(world, world.joint(j)), rates[j], 1e-12);
  const double h = 1e-6;
  double after[4], before[4];
  for (int j = 0; j < 4; ++j) after[j] = q[j] + h * rates[j], before[j] = q[j] - h * rates[j];
  expect_close(world.state(3).velocity, (tip_of(after) - tip_of(before)) / (2 * h), 1e-8);
  // Moving an arm that moves keeps its joint velocities.
  const double more[] = {-0.2, nan_value, 1.4, nan_value};
  set_joint_positions(world, more);
  for (Index j = 0; j < 4; ++j)
    EXPECT_NEAR(joint_velocity(world, world.joint(j)), rates[j], 1e-12) << j;
}

TEST(JointState, SideThatIsNotHeldMoves) {
  World world;
  const Index free = world.add(body().with(make_sphere(0.1)).at({1, 0, 0}));
  const Index post = world.add(fixed_body("post").with(make_sphere(0.1)));
  world.add(revolute().between(free, post).at({0, 0, 0}).along({0, 0, 1}));
  set_joint_position(world, 0, 0.5);
  expect_close(world.state(post).pose.position, {}, 0);
  expect_close(world.state(free).pose.position, {std::cos(0.5), -std::sin(0.5), 0}, 1e-14);
  EXPECT_NEAR(joint_coordinate(world, world.joint(0)), 0.5, 1e-14);
}

TEST(JointState, MistakesLeaveTheWorldAsItWas) {
  World world = arm();
  const Index end = world.find_body("body 3");
  world.add(spherical("closing").between(ground, end).at({3, 0, 0}));
  const std::vector<BodyState> states(world.states().begin(), world.states().end());
  const auto fails = [&](std::vector<double> values, const std::string& words) {
    try {
      set_joint_positions(world, values);
      ADD_FAILURE() << "was set: " << words;
    } catch (const InvalidArgument& error) {
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
    EXPECT_TRUE(std::equal(states.begin(), states.end(), world.states().begin()));
  };
  fails({0, 0, 0, 0.1, nan_value}, "closed loop");
  fails({0, 0, 0, 0, 1}, "has no coordinate");
  fails({0, 0, 0}, "3 positions were given for 5 joints");
  fails({std::numeric_limits<double>::infinity(), 0, 0, 0, 0}, "finite");
  EXPECT_THROW(set_joint_velocity(world, 0, nan_value), InvalidArgument);
  EXPECT_THROW(set_joint_velocity(world, 9, 0), InvalidArgument);
  set_joint_positions(world, std::vector<double>{0, 0, 0, 0, nan_value}); // nothing changes
}

TEST(JointState, GearsMustStaySatisfied) {
  World world;
  const Index a = world.add(body().with(make_sphere(0.1)));
  const Index b = world.add(body().with(make_sphere(0.1)).at({1, 0, 0}));
  world.add(revolute().between(ground, a).at({0, 0, 0}).along({0, 0, 1}));
  world.add(revolute().between(ground, b).at({1, 0, 0}).along({0, 0, 1}));
  world.add(gear("mesh").coupling(0, 1, 2));
  set_joint_positions(world, std::vector<double>{1.0, -0.5, nan_value});
  EXPECT_THROW(set_joint_position(world, 0, 0.2), InvalidArgument);
  EXPECT_EQ(world.joint_coordinates()[0], 1.0);
  set_joint_velocities(world, std::vector<double>{2.0, -1.0, nan_value});
  EXPECT_THROW(set_joint_velocity(world, 1, 0.2), InvalidArgument);
}

} // namespace
} // namespace talus
