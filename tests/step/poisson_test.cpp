// Impacts under Newton's and Poisson's law, against closed forms.

#include "step/step_test_support.h"
#include "talus/core/error.h"
#include "talus/step/measures.h"

namespace talus {
namespace {

constexpr ImpactLaw both_laws[] = {ImpactLaw::newton, ImpactLaw::poisson};

StepOptions impact_options(ImpactLaw law, double h) {
  StepOptions options = rigid();
  options.step = h;
  options.tolerance = 1e-11;
  options.impact_law = law;
  return options;
}

// A sphere strikes a plane with v_n and v_t, without a gap, half of which would lengthen its arm.
// It slides throughout if v_t > (7/2) µ (1 + e) v_n: v_t' = v_t − µ (1 + e) v_n, R ω' = (5/2) µ (1
// + e) v_n. Otherwise it rolls: v_t' = (5/7) v_t.
TEST(ImpactLaws, oblique_impact_of_a_sphere) {
  const double radius = 0.2, v_n = 1.5, mu = 0.3;
  for (const ImpactLaw law : both_laws)
    for (const double e : {0.0, 0.6, 1.0})
      for (const double share : {0.5, 0.99, 1.01, 3.0}) {
        const double v_t = share * 3.5 * mu * (1 + e) * v_n;
        World world = world_with_floor(mu);
        world.gravity = {};
        world.materials.replace(0, {.name = "default", .friction = mu, .restitution = e});
        const Index ball =
            world.add(body().with(make_sphere(radius)).at({0, 0, radius}).moving({v_t, 0, -v_n}));
        Simulation simulation(std::move(world), impact_options(law, 0.001));
        run(simulation, 3);
        const BodyState& state = simulation.world().state(ball);
        const double lost = share > 1 ? mu * (1 + e) * v_n : 2.0 / 7 * v_t;
        EXPECT_NEAR(state.velocity.x, v_t - lost, 1e-9) << e << ' ' << share;
        EXPECT_NEAR(radius * state.angular_velocity.y, 2.5 * lost, 1e-9) << e << ' ' << share;
        EXPECT_NEAR(state.velocity.z, e * v_n, 1e-9) << e << ' ' << share;
      }
}

// A ball dropped from the height H comes to rest after √(2H/g) (1 + e)/(1 − e). Each bounce is
// resolved to a step, and rebounds below 2 h g are none: their share of the time is left out.
TEST(ImpactLaws, bouncing_ball_comes_to_rest) {
  const double radius = 0.1, height = 0.5, h = 1e-4;
  for (const ImpactLaw law : both_laws)
    for (const double e : {0.3, 0.7}) {
      World world = world_with_floor(0.5);
      world.materials.replace(0, {.name = "default", .restitution = e});
      const Index ball = world.add(body().with(make_sphere(radius)).at({0, 0, radius + height}));
      Simulation simulation(std::move(world), impact_options(law, h));
      const double total = std::sqrt(2 * height / gravity) * (1 + e) / (1 - e);
      double last = 0;
      while (simulation.time() < 1.1 * total) {
        simulation.step();
        if (norm(simulation.world().state(ball).velocity) > 1e-6) last = simulation.time();
      }
      // v < 2 h g leaves 2 v / (g (1 − e)) at most, and each of the bounces may be half a step off.
      const double unresolved = 4 * h / (1 - e) + 20 * h;
      EXPECT_NEAR(last, total, unresolved) << e;
      EXPECT_LT(unresolved, 0.01 * total);
    }
}

// A plastic ball falls on an elastic one that rests on a floor. While all of them are stopped the
// floor bears m v; by Poisson's law it gives this back, and both balls leave with v/2. Newton's law
// knows only that the lower ball was at rest, and both stay.
TEST(ImpactLaws, poisson_lets_contacts_rebound_that_were_at_rest) {
  const double radius = 0.1, v = 2;
  for (const ImpactLaw law : both_laws) {
    World world;
    world.gravity = {};
    const Index hard = world.materials.add({.name = "hard", .restitution = 1});
    const Index soft = world.materials.add({.name = "soft"});
    world.materials.set_pair({.a = hard, .b = soft, .restitution = 0});
    world.add(fixed_body("floor").of(hard).with(make_half_space({0, 0, 1})));
    world.add(body().of(hard).with(make_sphere(radius)).at({0, 0, radius}));
    world.add(
        body().of(soft).with(make_sphere(radius)).at({0, 0, 3 * radius + 1e-3}).moving({0, 0, -v}));
    Simulation simulation(std::move(world), impact_options(law, 0.001));
    run(simulation, 3);
    const double expected = law == ImpactLaw::poisson ? v / 2 : 0;
    for (const Index ball : {1, 2})
      EXPECT_NEAR(simulation.world().state(ball).velocity.z, expected, 2e-3 * v);
  }
}

// e = 1, friction, boxes and balls that meet in the air and in corners: W ≤ 0 in every step.
TEST(ImpactLaws, energy_of_crowds_never_grows) {
  for (const ImpactLaw law : both_laws)
    for (unsigned seed = 1; seed <= 6; ++seed) {
      Random random(seed);
      World world;
      world.gravity = {};
      world.materials.replace(0, {.name = "default",
                                  .friction = random(0, 1),
                                  .restitution = 1,
                                  .rolling = seed % 2 == 0 ? 0.01 : 0});
      for (int axis = 0; axis < 3; ++axis)
        for (const double side : {-1.0, 1.0}) {
          Vec3 inwards{}, at{};
          inwards[axis] = -side;
          at[axis] = 1.2 * side;
          world.add(fixed_body().with(make_half_space(inwards)).at(at));
        }
      for (int k = 0; k < 27; ++k)
        world.add(body()
                      .with(k % 2 == 0 ? make_sphere(0.2) : make_box({0.15, 0.15, 0.15}))
                      .at(Vec3{0.7 * (k % 3 - 1), 0.7 * (k / 3 % 3 - 1), 0.7 * (k / 9 - 1)})
                      .turned(random.rotation())
                      .moving(random.vector(4))
                      .spinning(random.vector(8)));
      StepOptions options = rigid();
      options.max_recovery_speed = 0;
      options.impact_law = law;
      Simulation simulation(std::move(world), options);
      double energy = kinetic_energy(simulation.world());
      const double first = energy;
      for (int k = 0; k < 120; ++k) {
        const double now = simulation.step().kinetic_energy;
        EXPECT_LE(now, energy * (1 + 1e-8)) << to_string(law) << ", crowd " << seed;
        energy = now;
      }
      EXPECT_GT(energy, 0.05 * first);
    }
}

TEST(ImpactLaws, have_names) {
  for (const ImpactLaw law : both_laws) EXPECT_EQ(impact_law_from(to_string(law)), law);
  EXPECT_THROW(impact_law_from("poison"), InvalidArgument);
}

} // namespace
} // namespace talus
