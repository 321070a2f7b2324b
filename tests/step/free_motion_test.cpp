#include "step/step_test_support.h"
#include "talus/step/assembly/free_motion.h"
#include "talus/step/measures.h"

namespace talus {
namespace {

TEST(FreeMotion, projectile_follows_the_discrete_parabola) {
  World world;
  const Vec3 start{1, 2, 30}, launch{3, -1, 5};
  const Index ball = world.add(body().with(make_sphere(0.1)).at(start).moving(launch));
  const double h = 0.01;
  Simulation simulation(std::move(world), {.step = h});
  run(simulation, 150);
  // v_n = v_0 + n h g,  x_n = x_0 + n h v_0 + h² g n (n + 1) / 2
  const double n = 150;
  const Vec3 g{0, 0, -gravity};
  const BodyState& state = simulation.world().state(ball);
  expect_near(state.velocity, launch + n * h * g, 1e-12);
  expect_near(state.pose.position, start + n * h * launch + (h * h * n * (n + 1) / 2) * g, 1e-11);
  EXPECT_NEAR(simulation.time(), 1.5, 1e-12);
  EXPECT_EQ(simulation.steps(), 150);
}

World spinning_body(const Vec3& moments, const Vec3& omega) {
  World world;
  world.gravity = {};
  MassProperties properties;
  properties.mass = 2;
  properties.inertia = Mat3::diagonal(moments);
  world.add(body("top").mass_properties(properties).spinning(omega));
  return world;
}

TEST(FreeMotion, asymmetric_top_keeps_energy_and_momentum) {
  // Near the unstable middle axis: the body tumbles over again and again (Dzhanibekov).
  double wobble[2] = {};
  for (const int refinement : {0, 1}) {
    const double h = refinement == 0 ? 0.004 : 0.002;
    Simulation simulation(spinning_body({1, 2, 3}, {0.01, 2, 0.02}), {.step = h});
    const double energy = kinetic_energy(simulation.world());
    const Vec3 spin = angular_momentum(simulation.world());
    double lowest = 2, change = 0;
    for (long k = 0; k < steps_for(40, h); ++k) {
      const StepReport& report = simulation.step();
      change = std::max({change, std::abs(report.kinetic_energy / energy - 1),
                         std::abs(norm(report.angular_momentum) / norm(spin) - 1)});
      wobble[refinement] =
          std::max(wobble[refinement], norm(report.angular_momentum - spin) / norm(spin));
      const BodyState& top = simulation.world().state(0);
      lowest = std::min(lowest, rotate_back(top.pose.rotation, top.angular_velocity).y);
    }
    EXPECT_LT(change, 1e-10) << "rounding alone";
    EXPECT_LT(lowest, -1.9) << "the top must have turned over";
  }
  // The direction of the angular momentum wavers by O(h).
  EXPECT_LT(wobble[0], 0.02);
  EXPECT_NEAR(wobble[0] / wobble[1], 2, 0.3);
}

TEST(FreeMotion, symmetric_top_precesses_at_the_exact_rate) {
  // In the body frame ω_⊥ turns at (I_z - I_x) / I_x ω_z.
  const double h = 1e-3, spin = 3;
  Vec3 omega{0.2, 0, spin};
  Quaternion q;
  for (int k = 0; k < 1000; ++k) {
    omega = free_angular_velocity({1, 1, 1.5}, q, omega, {}, h);
    q = advance(q, omega, h);
  }
  const Vec3 seen = rotate_back(q, omega);
  const double angle = (1.5 - 1) / 1 * spin * 1.0;
  expect_near(seen, {0.2 * std::cos(angle), 0.2 * std::sin(angle), spin}, 1e-6);
}

TEST(FreeMotion, torque_turns_a_body_about_a_principal_axis) {
  World world = spinning_body({1, 2, 3}, {});
  world.set_load(0, {{4, 0, 0}, {0, 6, 0}});
  const double h = 0.01;
  Simulation simulation(std::move(world), {.step = h});
  run(simulation, 100);
  expect_near(simulation.world().state(0).angular_velocity, {0, 3, 0}, 1e-12);
  expect_near(simulation.world().state(0).velocity, {2, 0, 0}, 1e-12);
}

TEST(FreeMotion, force_functions_act_at_the_step_start) {
  // A spring in half-implicit Euler keeps v² + ω² x² - h ω² x v.
  World world;
  world.gravity = {};
  const Index mass = world.add(body().with(make_sphere(0.1)).mass(2).at({1, 0, 0}));
  world.add(ForceFunction([mass](const World& w, double, std::span<Wrench> wrenches) {
    wrenches[mass].force -= 18.0 * w.state(mass).pose.position;
  }));
  const double h = 0.01, w2 = 9;
  Simulation simulation(std::move(world), {.step = h});
  for (int k = 0; k < 1000; ++k) {
    simulation.step();
    const BodyState& state = simulation.world().state(mass);
    const double x = state.pose.position.x, v = state.velocity.x;
    EXPECT_NEAR(v * v + w2 * x * x - h * w2 * x * v, w2, 1e-10);
  }
}

TEST(FreeMotion, kinematic_bodies_follow_their_motion) {
  World world;
  const auto path = [](double t) {
    return Transform{{std::sin(t), 0, t}, axis_angle({1, 1, 0}, 3 * t)};
  };
  const Index led =
      world.add(kinematic_body().with(make_box({1, 2, 3})).placed(path(0)).following(path));
  const Index driven = world.add(kinematic_body().at({0, 5, 0}).driven_by([](double t) {
    return Twist{{2 * t, 0, 0}, {0, 0, 1}};
  }));
  const Index coasting = world.add(kinematic_body().at({0, 9, 0}).moving({0, 0, 1}));
  const double h = 0.01;
  Simulation simulation(std::move(world), {.step = h});
  run(simulation, 200);
  const Transform goal = path(2);
  expect_near(simulation.world().pose(led).position, goal.position, 1e-12);
  expect_near(rotate(simulation.world().pose(led).rotation, {1, 2, 3}),
              rotate(goal.rotation, {1, 2, 3}), 1e-12);
  EXPECT_NEAR(simulation.world().state(driven).pose.position.x, h * h * 200 * 201, 1e-12);
  EXPECT_NEAR(simulation.world().state(coasting).pose.position.z, 2, 1e-12);
}

TEST(FreeMotion, a_state_that_is_not_finite_names_the_body_and_changes_nothing) {
  World world;
  world.add(body("good").with(make_sphere(1)));
  const Index bad = world.add(body("bad one").with(make_sphere(1)).at({5, 0, 0}));
  bool poisoned = false;
  world.add(ForceFunction([&poisoned, bad](const World&, double, std::span<Wrench> wrenches) {
    if (poisoned) wrenches[bad].force.x = NAN;
  }));
  Simulation simulation(std::move(world), {});
  run(simulation, 10);
  const SimulationState before = simulation.state();
  poisoned = true;
  try {
    simulation.step();
    FAIL() << "the step must throw";
  } catch (const NonFiniteState& error) {
    EXPECT_NE(std::string(error.what()).find("bad one"), std::string::npos) << error.what();
  }
  EXPECT_EQ(simulation.state(), before);
  poisoned = false;
  simulation.step();
  EXPECT_EQ(simulation.steps(), 11);
}

TEST(FreeMotion, a_state_made_not_finite_between_steps_names_the_body) {
  const auto refusal = [](const std::function<void(World&, Index)>& spoil) {
    World world;
    world.add(body("good").with(make_sphere(1)));
    const Index bad = world.add(body("bad one").with(make_sphere(1)).at({5, 0, 0}));
    Simulation simulation(std::move(world), {});
    spoil(simulation.world(), bad);
    try {
      simulation.step();
    } catch (const NonFiniteState& error) {
      EXPECT_EQ(simulation.steps(), 0);
      return std::string(error.what());
    }
    return std::string("no error");
  };
  const auto expect_named = [](const std::string& text, const char* what) {
    EXPECT_NE(text.find("bad one"), std::string::npos) << text;
    EXPECT_NE(text.find(what), std::string::npos) << text;
  };
  expect_named(refusal([](World& w, Index i) { w.state(i).pose.position.y = NAN; }), "pose");
  expect_named(refusal([](World& w, Index i) { w.state(i).velocity.x = NAN; }), "velocity");
  expect_named(refusal([](World& w, Index i) { w.state(i).angular_velocity.z = INFINITY; }),
               "velocity");
  // Finite, but lengths overflow; and a velocity that overflows within the step.
  expect_named(refusal([](World& w, Index i) { w.state(i).velocity.x = 1e308; }), "too fast");
  expect_named(refusal([](World& w, Index i) {
                 w.state(i).velocity.x = 1.79e308;
                 w.set_load(i, {{1.7e308, 0, 0}, {}});
               }),
               "bad one");
}

} // namespace
} // namespace talus
