// Random chains of boxes with everything that joints can have, which fall onto a floor.

#include "step/step_test_support.h"
#include "talus/step/assembly/elastic_joints.h"
#include "talus/step/measures.h"

namespace talus {
namespace {

/// 10^x with x between the two.
double magnitude(Random& random, double least, double most) {
  return std::pow(10.0, random(least, most));
}

JointBuilder random_joint(Random& random, const Vec3& at) {
  constexpr JointKind kinds[] = {JointKind::revolute,  JointKind::prismatic, JointKind::cylindrical,
                                 JointKind::universal, JointKind::spherical, JointKind::distance,
                                 JointKind::spring,    JointKind::bushing};
  const JointKind kind = kinds[static_cast<int>(random(0, 7.999))];
  JointBuilder builder = joint(kind);
  // Others would begin with an error, which their first step would undo at great speed.
  if (kind == JointKind::distance || kind == JointKind::spring)
    builder.second_at(at + Vec3{0.3, 0, 0.1});
  const double k = magnitude(random, 0, 9);
  const double c = random(0, 1) < 0.5 ? magnitude(random, -3, 4) : 0.0;
  if (kind == JointKind::bushing)
    return builder.bushed({{k, k, k}, {c, c, c}, {0.01 * k, 0.01 * k, k}, {c, c, c}});
  if (kind == JointKind::spring || random(0, 1) < 0.7) builder.sprung(k, c);
  if (!has_coordinate(kind)) return builder;
  if (random(0, 1) < 0.4) builder.rubbing(magnitude(random, -2, 2));
  if (random(0, 1) < 0.3) builder.with_armature(magnitude(random, -3, 0));
  if (random(0, 1) < 0.5) builder.limited(-0.3, 0.3, magnitude(random, 2, 7), c);
  return builder;
}

World random_mechanism(Random& random) {
  World world = world_with_floor(0.5);
  Index last = ground;
  for (int i = 0; i < 6; ++i) {
    const Vec3 at{0.6 * i, 0, 0.3 + random(0, 1)};
    const Vec3 half{random(0.05, 0.2), random(0.05, 0.2), random(0.05, 0.2)};
    const Index next = world.add(body().with(make_box(half)).at(at).moving(random.vector(1)));
    const Vec3 middle{0.6 * i - 0.3, 0, 0.6};
    JointBuilder builder = random_joint(random, middle);
    builder.between(last, next).at(middle).along(random.vector(1));
    if (i > 0) world.add(builder.second_axis(random.vector(1)));
    last = next;
  }
  return world;
}

TEST(JointSprings, of_all_stiffnesses_stay_tame_beside_contacts) {
  Random random(11);
  for (int trial = 0; trial < 25; ++trial) {
    World world = random_mechanism(random);
    Simulation simulation(std::move(world), {.step = magnitude(random, -3, -2)});
    // Rigid contacts of bodies on the stiffest springs may use up the products of a step.
    const RunSummary summary = run(simulation, 60, false);
    EXPECT_LE(summary.error_max, 1e-6) << trial;
    for (const BodyState& state : simulation.world().states())
      EXPECT_LT(norm(state.velocity), 15) << trial;
  }
}

// What steps in free flight keep is T + V + (h/2) f·v (impact_energy.h); what springs that are
// swept around may add is of the order (v h / L)² of it (docs/theory/joints.md).
TEST(JointSprings, mechanisms_never_exceed_their_first_energy) {
  Random random(11);
  for (int trial = 0; trial < 80; ++trial) {
    World world = random_mechanism(random);
    StepOptions options = rigid();
    options.step = magnitude(random, -3, -2);
    options.max_recovery_speed = 0;
    Simulation simulation(std::move(world), options);
    const auto energy = [&] {
      const World& w = simulation.world();
      return kinetic_energy(w) + potential_energy(w) +
             0.5 * options.step * dot(momentum(w), w.gravity);
    };
    const double start = energy() + spring_energy(simulation.world());
    for (int k = 0; k < 60; ++k) {
      const double elastic = simulation.step().elastic_energy;
      ASSERT_LE(energy() + elastic, start * (1 + 1e-4)) << trial << ' ' << k;
    }
  }
}

} // namespace
} // namespace talus
