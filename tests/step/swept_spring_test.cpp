// Springs and dampers along a line that bodies carry around (step/assembly/joint_drift.h).

#include "step/step_test_support.h"

#include <numbers>

namespace talus {
namespace {

struct Sweep {
  double largest_growth = -1; ///< Of T + V, as a share of T at the start.
  double length = 0;          ///< At the end.
  double first_growth = 0;
};

/// A ball that begins to circle with v around the ground, on a line of length 1.
Sweep sweep(JointBuilder line, double v, double h, int steps, bool eliminate) {
  World world;
  world.gravity = {};
  const Index ball =
      world.add(body().with(make_sphere(0.05)).mass(1).at({1, 0, 0}).moving({0, v, 0}));
  world.add(line.between(ground, ball).at({0, 0, 0}));
  Simulation simulation(std::move(world), {.step = h, .eliminate_joints = eliminate});
  const double start = 0.5 * v * v;
  Sweep result;
  for (int k = 0; k < steps; ++k) {
    const StepReport& report = simulation.step();
    EXPECT_TRUE(report.converged()) << report.message;
    const double growth = (report.kinetic_energy + report.elastic_energy) / start - 1;
    if (k == 0) result.first_growth = growth;
    result.largest_growth = std::max(result.largest_growth, growth);
  }
  result.length = norm(simulation.world().state(ball).pose.position);
  return result;
}

// The first step lengthens the line by κ/(1 + x), κ = h² v²/(2 L) and x = k h²/m, and gives the
// mass the speed x κ/((1 + x) h) along it: T + V grows by ½ m (κ/h)² x/(1 + x).
TEST(SweptSprings, gain_what_the_first_step_gives_and_no_more) {
  const double h = 0.01;
  for (const double v : {0.3, 3.0})
    for (const double x : {1e-4, 1e-2, 1.0, 1e2, 1e4, 1e6, 1e8}) {
      const double bound = 0.25 * v * v * h * h;
      for (const bool eliminate : {true, false}) {
        const Sweep swept =
            sweep(spring("s", x / (h * h)).second_at({1, 0, 0}), v, h, 1000, eliminate);
        EXPECT_NEAR(swept.first_growth, bound * x / (1 + x), 0.01 * bound) << x << ' ' << v;
        EXPECT_LE(swept.largest_growth, 1.02 * bound) << x << ' ' << v;
        if (x >= 1e6) {
          EXPECT_NEAR(swept.length, 1, 1e-6) << x << ' ' << v;
        }
      }
    }
}

/// A very strong damper holds the length, which would creep by κ in every step without it.
TEST(SweptSprings, strong_dampers_do_not_creep) {
  const double v = 3, h = 0.01;
  const int steps = 1000;
  const Sweep swept = sweep(spring("s", 0, 1e9).second_at({1, 0, 0}), v, h, steps, true);
  EXPECT_NEAR(swept.length, 1, steps * 1e-8);
}

/// On a slide that turns, k (r − r₀) = m ω² r at rest: the radius is r₀/(1 − ω² m/k).
TEST(SweptSprings, governor_opens_to_its_radius) {
  const double omega = 4, h = 0.005, k = 100, m = 1, r = 0.5;
  World world;
  world.gravity = {};
  const Index turntable = world.add(
      kinematic_body("turntable").with(make_box({0.05, 0.05, 0.05})).spinning({0, 0, omega}));
  const Index slider = world.add(body("slider")
                                     .with(make_sphere(0.05))
                                     .mass(m)
                                     .at({r, 0, 0})
                                     .moving({0, omega * r, 0})
                                     .spinning({0, 0, omega}));
  world.add(prismatic("slide")
                .between(turntable, slider)
                .at({r, 0, 0})
                .along({1, 0, 0})
                .sprung(k, 2 * std::sqrt(k * m)));
  Simulation simulation(std::move(world), {.step = h});
  run(simulation, 2000);
  const double expected = r / (1 - omega * omega * m / k);
  const double radius = norm(simulation.world().state(slider).pose.position);
  EXPECT_NEAR(radius, expected, 0.25 * omega * omega * h * h * expected);
}

/// A spring without rest length is pulled through its own anchor: no line to follow there.
TEST(SweptSprings, of_length_zero_pass_their_anchor) {
  World world;
  world.gravity = {};
  const Index ball =
      world.add(body().with(make_sphere(0.05)).mass(1).at({1, 0, 0}).moving({0, 0.01, 0}));
  world.add(spring("s", 400).between(ground, ball).at({0, 0, 0}).second_at({1, 0, 0}).length(1e-9));
  Simulation simulation(std::move(world), {.step = 0.01});
  const double start = 0.5 * 400;
  for (int k = 0; k < 500; ++k) {
    const StepReport& report = simulation.step();
    ASSERT_LE(report.kinetic_energy + report.elastic_energy, start * (1 + 1e-3)) << k;
  }
}

} // namespace
} // namespace talus
