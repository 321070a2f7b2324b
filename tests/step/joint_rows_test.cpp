// The rows of joints against finite differences of what they constrain.

#include "step/step_test_support.h"
#include "talus/step/assembly/joint_rows.h"

namespace talus {
namespace {

constexpr JointKind kinds[] = {
    JointKind::spherical, JointKind::revolute, JointKind::prismatic, JointKind::cylindrical,
    JointKind::universal, JointKind::fixed,    JointKind::distance,  JointKind::point_on_plane};

/// Two bodies and a joint of the kind, then displaced by the given size.
World jointed_pair(JointKind kind, Random& random, double displacement) {
  World world;
  for (int k = 0; k < 2; ++k) {
    world.add(body()
                  .with(make_box({0.2, 0.3, 0.4}))
                  .at(random.vector(1))
                  .turned(random.rotation())
                  .moving(random.vector(1))
                  .spinning(random.vector(1)));
  }
  JointBuilder builder = joint(kind).between(0, 1).at(random.vector(1)).along(random.vector(1));
  builder.second_axis(random.vector(1));
  if (kind == JointKind::distance) builder.second_at(random.vector(2));
  world.add(builder);
  for (int k = 0; k < 2; ++k) {
    BodyState& state = world.state(k);
    state.pose.position += random.vector(displacement);
    state.pose.rotation = advance(state.pose.rotation, random.vector(displacement), 1);
  }
  return world;
}

double row_velocity(const World& world, const JointRow& row) {
  const BodyState &a = world.state(row.bodies.a), &b = world.state(row.bodies.b);
  return dot(row.jacobian.linear_a, a.velocity) + dot(row.jacobian.angular_a, a.angular_velocity) +
         dot(row.jacobian.linear_b, b.velocity) + dot(row.jacobian.angular_b, b.angular_velocity);
}

World moved(World world, double h) {
  for (BodyState& state : world.states()) {
    state.pose.position += h * state.velocity;
    state.pose.rotation = advance(state.pose.rotation, state.angular_velocity, h);
  }
  return world;
}

/// g of every row: b with h = 1.
std::vector<double> values(const World& world) {
  std::vector<JointRow> rows;
  const std::vector<double> coordinates(world.joints().size());
  collect_joint_rows(world, coordinates, 0, 1, rows);
  std::vector<double> result;
  for (const JointRow& row : rows) result.push_back(row.b);
  return result;
}

TEST(JointRows, have_the_right_number_and_vanish_when_made) {
  const std::size_t counts[] = {3, 5, 5, 4, 4, 6, 1, 1};
  Random random(1);
  for (int trial = 0; trial < 10; ++trial) {
    for (std::size_t k = 0; k < std::size(kinds); ++k) {
      const auto g = values(jointed_pair(kinds[k], random, 0));
      ASSERT_EQ(g.size(), counts[k]) << to_string(kinds[k]);
      for (const double value : g) EXPECT_NEAR(value, 0, 1e-14) << to_string(kinds[k]);
    }
  }
}

TEST(JointRows, are_the_derivatives_of_the_constraints) {
  Random random(2);
  const double e = 1e-6;
  for (int trial = 0; trial < 50; ++trial) {
    for (const JointKind kind : kinds) {
      // Rotation rows are derivatives on the constraint itself, the others wherever the bodies are.
      const bool rotates = kind == JointKind::fixed || kind == JointKind::prismatic;
      const World world = jointed_pair(kind, random, rotates ? 0 : 0.3);
      std::vector<JointRow> rows;
      collect_joint_rows(world, std::vector<double>(1), 0, 1, rows);
      const auto before = values(moved(world, -e)), after = values(moved(world, e));
      for (std::size_t r = 0; r < rows.size(); ++r) {
        EXPECT_NEAR(row_velocity(world, rows[r]), (after[r] - before[r]) / (2 * e), 1e-7)
            << to_string(kind) << " row " << r;
      }
    }
  }
}

TEST(JointRows, act_with_equal_and_opposite_moments_about_any_point) {
  Random random(3);
  for (const JointKind kind : kinds) {
    const World world = jointed_pair(kind, random, 0.1);
    std::vector<JointRow> rows;
    collect_joint_rows(world, std::vector<double>(1), 0, 0.01, rows);
    for (const JointRow& row : rows) {
      const RigidRow& j = row.jacobian;
      expect_near(j.linear_a + j.linear_b, {}, 1e-14, "force");
      const Vec3 moment = j.angular_a + j.angular_b +
                          cross(world.state(0).pose.position, j.linear_a) +
                          cross(world.state(1).pose.position, j.linear_b);
      expect_near(moment, {}, 1e-13, "moment");
    }
  }
}

TEST(JointRows, coordinates_change_as_limits_and_motors_say) {
  Random random(4);
  const double e = 1e-6;
  for (const JointKind kind : {JointKind::revolute, JointKind::prismatic}) {
    World world = jointed_pair(kind, random, 0);
    world.set_motor(0, JointMotor{.mode = MotorMode::velocity, .target = 0});
    std::vector<JointRow> rows;
    collect_joint_rows(world, std::vector<double>(1), 0, 1, rows);
    const double rate = (joint_coordinate(moved(world, e), world.joint(0)) -
                         joint_coordinate(moved(world, -e), world.joint(0))) /
                        (2 * e);
    EXPECT_NEAR(row_velocity(world, rows.back()), rate, 1e-7) << to_string(kind);
  }
}

} // namespace
} // namespace talus
