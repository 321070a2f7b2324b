// Friction of bearings, against closed forms; joints together with rolling friction.

#include "step/step_test_support.h"
#include "talus/core/error.h"
#include "talus/step/forces.h"

#include <numbers>

namespace talus {
namespace {

StepOptions bearing_options(double h) {
  StepOptions options = rigid();
  options.step = h;
  options.tolerance = 1e-11;
  return options;
}

// A disc of mass m and inertia J about its horizontal shaft is braked by µ r m g and stops after
// the angle J ω² / (2 µ r m g); in steps after h n ω − α h² n (n + 1)/2 with α = µ r m g / J and n
// = ⌊ω / (α h)⌋.
TEST(Bearing, disc_stops_after_the_angle_of_the_closed_form) {
  const double mass = 3, radius = 0.2, shaft = 0.02, mu = 0.1, omega = 7, h = 0.002;
  World world;
  const Index disc = world.add(body("disc")
                                   .with(make_cylinder(radius, 0.05))
                                   .mass(mass)
                                   .turned(exponential_map({std::numbers::pi / 2, 0, 0}))
                                   .spinning({0, omega, 0}));
  world.add(revolute("bearing").between(ground, disc).along({0, 1, 0}).borne_by({mu, shaft}));
  Simulation simulation(std::move(world), bearing_options(h));
  const double inertia = 0.5 * mass * radius * radius;
  const double alpha = mu * shaft * mass * gravity / inertia;
  const double n = std::floor(omega / (alpha * h));
  run(simulation, static_cast<long>(n) / 2);
  EXPECT_NEAR(joint_efforts(simulation, 0).friction, -mu * shaft * mass * gravity, 1e-8);
  run(simulation, static_cast<long>(n) / 2 + 20);
  const double expected = h * n * omega - 0.5 * alpha * h * h * n * (n + 1);
  EXPECT_NEAR(simulation.world().joint_coordinates()[0], expected, 1e-7 * expected);
  EXPECT_NEAR(expected, inertia * omega * omega / (2 * mu * shaft * mass * gravity), h * omega);
  EXPECT_NEAR(joint_velocity(simulation.world(), simulation.world().joint(0)), 0, 1e-12);
}

// A sledge on a level rail holds up to µ m g.
TEST(Bearing, sledge_holds_up_to_friction_times_load) {
  const double mass = 2, mu = 0.3, h = 0.01;
  for (const double share : {0.999, 1.2}) {
    World world;
    const Index sledge = world.add(body().with(make_box({0.1, 0.1, 0.1})).mass(mass));
    const double push = share * mu * mass * gravity;
    world.add(prismatic("rail")
                  .between(ground, sledge)
                  .along({1, 0, 0})
                  .borne_by({.friction = mu})
                  .pushed_by(push));
    Simulation simulation(std::move(world), bearing_options(h));
    run(simulation, 100);
    const double t = simulation.time(), a = push / mass - mu * gravity;
    const double expected = share < 1 ? 0 : 0.5 * a * t * (t + h);
    EXPECT_NEAR(simulation.world().joint_coordinates()[0], expected, 1e-8);
  }
}

// The load of a swinging pendulum changes with its motion; friction is that of the same step.
TEST(Bearing, friction_belongs_to_the_load_of_the_same_step) {
  const double mu = 0.4, shaft = 0.05;
  World world;
  const Index arm = world.add(body()
                                  .with(make_box({0.05, 0.05, 0.5}))
                                  .at({0.5, 0, 0})
                                  .turned(exponential_map({0, std::numbers::pi / 2, 0})));
  world.add(revolute().between(ground, arm).along({0, 1, 0}).borne_by({mu, shaft}));
  Simulation simulation(std::move(world), bearing_options(0.01));
  double energy = 1e300, turned = 0;
  for (int k = 0; k < 2000; ++k) {
    const StepReport& report = simulation.step();
    EXPECT_TRUE(report.converged());
    const Vec3 force = joint_force(simulation, 0).force;
    const double bound = mu * shaft * std::sqrt(force.x * force.x + force.y * force.y);
    const double friction = std::abs(joint_efforts(simulation, 0).friction);
    EXPECT_LE(friction, bound * (1 + 1e-7));
    const double speed = joint_velocity(simulation.world(), simulation.world().joint(0));
    if (std::abs(speed) > 1e-6) {
      EXPECT_NEAR(friction, bound, 1e-7 * bound);
      turned += std::abs(speed) * 0.01;
    }
    const double now = report.kinetic_energy + report.potential_energy;
    EXPECT_LE(now, energy + 1e-9 * std::abs(energy));
    energy = now;
  }
  EXPECT_GT(turned, 1);
  EXPECT_LE(norm(simulation.world().state(arm).angular_velocity), 1e-9);
}

TEST(Bearing, restoring_then_stepping_equals_stepping) {
  const auto make = [] {
    World world;
    const Index arm = world.add(body().with(make_box({0.5, 0.05, 0.05})).at({0.5, 0, 0}));
    world.add(revolute().between(ground, arm).along({0, 1, 0}).borne_by({0.3, 0.05}));
    const Index second = world.add(body().with(make_box({0.5, 0.05, 0.05})).at({1.5, 0, 0}));
    world.add(revolute().between(arm, second).at({1, 0, 0}).along({0, 1, 0}).borne_by({0.2, 0.05}));
    return Simulation(std::move(world), {.step = 0.005});
  };
  Simulation simulation = make();
  run(simulation, 60);
  const SimulationState saved = simulation.state();
  run(simulation, 40);
  Simulation fresh = make();
  fresh.restore(saved);
  run(fresh, 40);
  EXPECT_EQ(fresh.state(), simulation.state());
}

TEST(Bearing, needs_a_coordinate_and_coefficients_that_are_not_negative) {
  World world;
  const Index ball = world.add(body().with(make_sphere(0.1)));
  EXPECT_THROW(world.add(spherical().between(ground, ball).borne_by({0.1, 0.1})), InvalidArgument);
  EXPECT_THROW(world.add(revolute().between(ground, ball).borne_by({-0.1, 0.1})), InvalidArgument);
  EXPECT_THROW(world.add(revolute().between(ground, ball).borne_by({0.1, NAN})), InvalidArgument);
}

// Eliminating joints changes how steps with rolling friction are solved, not what comes out.
TEST(JointElimination, admits_rolling_friction) {
  std::vector<BodyState> ends;
  for (const bool eliminate : {false, true}) {
    World world;
    world.materials.replace(0, {.name = "default",
                                .friction = 0.6,
                                .stiffness = rigid_stiffness,
                                .rolling = 0.01,
                                .spinning = 0.005});
    world.add(fixed_body("floor").with(make_half_space({0, 0, 1})));
    Index last = ground;
    for (int k = 0; k < 4; ++k) {
      const Index ball =
          world.add(body().with(make_sphere(0.2)).at({0.5 * k, 0, 0.2}).moving({0.3, 0.4 * k, 0}));
      if (last != ground) world.add(spherical().between(last, ball).at({0.5 * k - 0.25, 0, 0.2}));
      last = ball;
    }
    StepOptions options = bearing_options(0.005);
    options.tolerance = 1e-10;
    options.eliminate_joints = eliminate;
    Simulation simulation(std::move(world), options);
    run(simulation, 100);
    ends.insert(ends.end(), simulation.world().states().begin(), simulation.world().states().end());
  }
  for (std::size_t i = 1; i < 5; ++i) {
    expect_near(ends[i].pose.position, ends[i + 5].pose.position, 1e-6);
    expect_near(ends[i].angular_velocity, ends[i + 5].angular_velocity, 1e-5);
  }
}

} // namespace
} // namespace talus
