// Rebounds never create energy, and stay what they were where they would not.

#include "step/step_test_support.h"
#include "talus/problem/delassus/delassus.h"
#include "talus/problem/scaled/quality.h"
#include "talus/step/measures.h"

namespace talus {
namespace {

/// Without recovery of penetrations, which does work by intent.
StepOptions without_recovery() {
  StepOptions options = rigid();
  options.max_recovery_speed = 0;
  return options;
}

void set_surfaces(World& world, double friction, double restitution) {
  world.materials.replace(0, {.name = "default", .friction = friction, .restitution = restitution});
}

/// A room of the given half width that moves, without gravity: what flies in it is struck for ever.
World room(double size, const Vec3& velocity = {}) {
  World world;
  world.gravity = {};
  for (int axis = 0; axis < 3; ++axis)
    for (const double side : {-1.0, 1.0}) {
      Vec3 inwards{}, at{};
      inwards[axis] = -side;
      at[axis] = side * size;
      world.add(kinematic_body().with(make_half_space(inwards)).at(at).moving(velocity));
    }
  return world;
}

struct Flight {
  double largest_growth = 0;      ///< Of the kinetic energy in a step, relative.
  double largest_scaled_loss = 0; ///< In a step whose rebounds were scaled, relative.
  double smallest_scale = 1;
  double last_energy = 0; ///< As a share of the first.
  int unconverged_steps = 0, scaled_steps = 0;
};

Flight fly(Simulation& simulation, int steps) {
  Flight flight;
  const double start = kinetic_energy(simulation.world());
  double energy = start;
  for (int k = 0; k < steps; ++k) {
    const StepReport& report = simulation.step();
    flight.unconverged_steps += report.converged() ? 0 : 1;
    flight.largest_growth = std::max(flight.largest_growth, report.kinetic_energy / energy - 1);
    flight.smallest_scale = std::min(flight.smallest_scale, report.restitution_scale);
    if (report.restitution_scale < 1) {
      ++flight.scaled_steps;
      flight.largest_scaled_loss =
          std::max(flight.largest_scaled_loss, 1 - report.kinetic_energy / energy);
    }
    energy = report.kinetic_energy;
  }
  flight.last_energy = energy / start;
  return flight;
}

Index add_thrown_box(World& world, Random& random) {
  return world.add(body()
                       .with(make_box({random(0.1, 0.3), random(0.1, 0.3), random(0.1, 0.3)}))
                       .density(1000)
                       .turned(random.rotation())
                       .moving(random.vector(5))
                       .spinning(random.vector(10)));
}

TEST(ImpactEnergy, tumbling_box_never_gains) {
  int scaled_steps = 0;
  for (unsigned seed = 1; seed <= 40; ++seed) {
    Random random(seed);
    World world = room(0.8);
    set_surfaces(world, 1, 1);
    add_thrown_box(world, random);
    Simulation simulation(std::move(world), without_recovery());
    const Flight flight = fly(simulation, 240);
    EXPECT_LE(flight.largest_growth, 1e-9) << "throw " << seed;
    EXPECT_EQ(flight.unconverged_steps, 0) << "throw " << seed;
    // Scaling takes what would be gained and little more.
    EXPECT_LE(flight.largest_scaled_loss, 0.05) << "throw " << seed;
    scaled_steps += flight.scaled_steps;
  }
  EXPECT_GT(scaled_steps, 20);
}

TEST(ImpactEnergy, tumbling_box_in_gravity_never_exceeds_its_first_energy) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    Random random(seed);
    World world = world_with_floor(1);
    set_surfaces(world, 1, 1);
    const Index box = add_thrown_box(world, random);
    world.state(box).pose.position.z = 1;
    Simulation simulation(std::move(world), without_recovery());
    const double h = simulation.options().step;
    // What steps in free flight keep, see impact_energy.h.
    const auto energy = [&] {
      const World& w = simulation.world();
      return kinetic_energy(w) + potential_energy(w) + 0.5 * h * dot(momentum(w), w.gravity);
    };
    const double start = energy();
    for (int k = 0; k < 480; ++k) {
      simulation.step();
      EXPECT_LE(energy(), start * (1 + 1e-6)) << "throw " << seed << ", step " << k;
    }
  }
}

TEST(ImpactEnergy, crowds_never_gain) {
  for (unsigned seed = 1; seed <= 4; ++seed) {
    Random random(seed);
    World world = room(1.6);
    set_surfaces(world, random(0, 1), 1);
    for (int k = 0; k < 27; ++k) {
      const Vec3 place{1.0 * (k % 3 - 1), 1.0 * (k / 3 % 3 - 1), 1.0 * (k / 9 - 1)};
      const Index box = add_thrown_box(world, random);
      world.state(box).pose.position = place;
    }
    StepOptions options = without_recovery();
    Simulation simulation(std::move(world), options);
    const Flight flight = fly(simulation, 120);
    EXPECT_LE(flight.largest_growth, 1e-9) << "crowd " << seed;
    EXPECT_EQ(flight.unconverged_steps, 0) << "crowd " << seed;
    EXPECT_GT(flight.last_energy, 0.02) << "crowd " << seed;
  }
}

TEST(ImpactEnergy, planar_boxes_never_gain) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    Random random(seed);
    World world = room(0.8);
    world.confine_to_plane({0, 1, 0});
    set_surfaces(world, 1, 1);
    world.add(body()
                  .with(make_box({random(0.1, 0.3), 0.1, random(0.1, 0.3)}))
                  .turned(axis_angle({0, 1, 0}, random(0, 3)))
                  .moving({random(-5, 5), 0, random(-5, 5)})
                  .spinning({0, random(-10, 10), 0}));
    Simulation simulation(std::move(world), without_recovery());
    EXPECT_LE(fly(simulation, 240).largest_growth, 1e-9) << "throw " << seed;
  }
}

TEST(ImpactEnergy, in_a_moving_room_it_is_the_energy_seen_from_there) {
  const Vec3 along{1, -2, 3};
  for (unsigned seed = 1; seed <= 10; ++seed) {
    Random random(seed);
    World world = room(0.8, along);
    set_surfaces(world, 1, 1);
    const Index box = add_thrown_box(world, random);
    Simulation simulation(std::move(world), without_recovery());
    const auto energy = [&] {
      BodyState seen = simulation.world().state(box);
      seen.velocity -= along;
      return kinetic_energy(simulation.world().bodies()[box], seen);
    };
    for (int k = 0; k < 240; ++k) {
      const double before = energy();
      simulation.step();
      EXPECT_LE(energy(), before * (1 + 1e-9)) << "throw " << seed << ", step " << k;
    }
  }
}

TEST(ImpactEnergy, surfaces_that_yield_hold_what_they_take) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    Random random(seed);
    World world = room(0.8);
    world.materials.replace(0,
                            {.name = "default", .friction = 1, .restitution = 1, .stiffness = 1e7});
    add_thrown_box(world, random);
    Simulation simulation(std::move(world), {});
    const double start = kinetic_energy(simulation.world());
    for (int k = 0; k < 240; ++k) {
      const StepReport& report = simulation.step();
      EXPECT_LE(report.kinetic_energy + report.elastic_energy, start * (1 + 1e-6))
          << "throw " << seed << ", step " << k;
    }
  }
}

TEST(ImpactEnergy, recovery_keeps_its_bounds) {
  // With all defaults, too, a box that is thrown about does not gain in the long run.
  for (unsigned seed = 1; seed <= 10; ++seed) {
    Random random(seed);
    World world = room(0.8);
    set_surfaces(world, 1, 1);
    add_thrown_box(world, random);
    Simulation simulation(std::move(world), {});
    const Flight flight = fly(simulation, 480);
    EXPECT_LE(flight.last_energy, 1 + 1e-3) << "throw " << seed;
  }
}

TEST(ImpactEnergy, elastic_ball_keeps_its_speed) {
  World world = world_with_floor(0);
  set_surfaces(world, 0, 1);
  const Index ball = world.add(body().with(make_sphere(0.5)).at({0, 0, 1.5}));
  Simulation simulation(std::move(world), {});
  int bounces = 0;
  for (int k = 0; k < 2400; ++k) {
    const double before = simulation.world().state(ball).velocity.z;
    EXPECT_EQ(simulation.step().restitution_scale, 1);
    const double after = simulation.world().state(ball).velocity.z;
    if (before >= 0 || after <= 0) continue;
    EXPECT_NEAR(after, -before, 1e-9 * after);
    ++bounces;
  }
  EXPECT_GE(bounces, 10);
}

TEST(ImpactEnergy, oblique_ball_is_left_alone) {
  // Friction on a ball does not turn into normal velocity.
  World world = world_with_floor(0.3);
  set_surfaces(world, 0.3, 1);
  const Index ball =
      world.add(body().with(make_sphere(0.1)).density(1000).at({0, 0, 0.11}).moving({5, 0, -2}));
  Simulation simulation(std::move(world), {.step = 1.0 / 200});
  double before = 0;
  while (simulation.world().state(ball).velocity.z < 0) {
    before = simulation.world().state(ball).velocity.z;
    ASSERT_EQ(simulation.step().restitution_scale, 1);
  }
  const Vec3 after = simulation.world().state(ball).velocity;
  EXPECT_NEAR(after.z, -before, 1e-9);
  // The normal impulse turns the fall round and carries the weight in this step.
  EXPECT_NEAR(after.x, 5 - 0.3 * (-2 * before + gravity / 200), 1e-7);
}

TEST(ImpactEnergy, a_moving_paddle_may_give_energy) {
  World world;
  world.gravity = {};
  set_surfaces(world, 0.5, 1);
  world.add(
      kinematic_body("paddle").with(make_box({1, 1, 0.1})).at({0, 0, -0.1}).moving({0, 0, 3}));
  const Index ball = world.add(body().with(make_sphere(0.1)).at({0, 0, 0.5}).moving({0, 0, -2}));
  Simulation simulation(std::move(world), {});
  for (int k = 0; k < 60; ++k) EXPECT_EQ(simulation.step().restitution_scale, 1);
  expect_near(simulation.world().state(ball).velocity, {0, 0, 8}, 1e-7);
}

/// A box that strikes the floor with a corner so that its rebound must be scaled.
World corner_strike() {
  World world = world_with_floor(1);
  set_surfaces(world, 1, 1);
  world.gravity = {};
  const Quaternion tilt = axis_angle({0, 1, 0}, 0.5) * axis_angle({1, 0, 0}, 0.3);
  world.add(body()
                .with(make_box({0.3, 0.2, 0.1}))
                .turned(tilt)
                .at({0, 0, 0.5})
                .moving({-3, 0.5, -3})
                .spinning({1, -6, 2}));
  return world;
}

TEST(ImpactEnergy, friction_sets_are_treated_alike) {
  for (const char* set : {"cone", "pyramid", "polyhedron:6", "box", "cylinder"}) {
    Random random(7);
    World world = room(0.8);
    set_surfaces(world, 1, 1);
    add_thrown_box(world, random);
    StepOptions options = without_recovery();
    options.friction = parse_friction_set(set);
    Simulation simulation(std::move(world), options);
    EXPECT_LE(fly(simulation, 240).largest_growth, 1e-9) << set;
  }
}

TEST(ImpactEnergy, jointed_boxes_do_not_gain_by_impacts) {
  // Joints are held at the end of the step, which is work as well: hence the wider bound.
  for (const bool eliminate : {true, false}) {
    Random random(5);
    double smallest_scale = 1;
    for (int thrown = 0; thrown < 6; ++thrown) {
      World world = room(0.8);
      set_surfaces(world, 1, 1);
      const Index a = world.add(body().with(make_box({0.2, 0.1, 0.1})).at({-0.2, 0, 0}));
      const Index b = world.add(body().with(make_box({0.2, 0.1, 0.1})).at({0.2, 0, 0}));
      world.add(spherical().between(a, b).at({0, 0, 0}));
      const Vec3 velocity = random.vector(5);
      for (const Index each : {a, b}) world.state(each).velocity = velocity;
      StepOptions options = without_recovery();
      options.eliminate_joints = eliminate;
      Simulation simulation(std::move(world), options);
      const Flight flight = fly(simulation, 240);
      EXPECT_LE(flight.last_energy, 1.01) << eliminate << ' ' << thrown;
      smallest_scale = std::min(smallest_scale, flight.smallest_scale);
    }
    EXPECT_LT(smallest_scale, 1) << eliminate;
  }
}

TEST(ImpactEnergy, the_problem_of_a_scaled_step_is_the_one_that_was_solved) {
  Simulation simulation(corner_strike(), without_recovery());
  while (simulation.step().restitution_scale == 1) ASSERT_LT(simulation.steps(), 240);
  const ContactProblem& problem = simulation.problem();
  const auto n = make_operator(problem);
  EXPECT_LE(judge(problem, *n, simulation.solution()).error, simulation.report().tolerance);
  EXPECT_TRUE(simulation.report().converged());
}

TEST(ImpactEnergy, scaled_steps_repeat_bit_for_bit) {
  Simulation straight(corner_strike(), without_recovery());
  std::vector<SimulationState> states = {straight.state()};
  bool scaled = false;
  for (int k = 0; k < 120; ++k) {
    if (straight.step().restitution_scale < 1) scaled = true;
    states.push_back(straight.state());
  }
  EXPECT_TRUE(scaled);
  for (const std::size_t from : {std::size_t{0}, std::size_t{20}, std::size_t{41}}) {
    StepOptions options = without_recovery();
    options.threads = 2;
    Simulation again(corner_strike(), options);
    again.restore(states[from]);
    for (std::size_t k = from + 1; k < states.size(); ++k) {
      again.step();
      ASSERT_EQ(again.state(), states[k]) << k;
    }
  }
}

} // namespace
} // namespace talus
