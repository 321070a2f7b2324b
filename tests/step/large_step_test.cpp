// Steps with so many contacts that each phase gives its memory back to the next.

#include "step/step_test_support.h"
#include "talus/core/large_problem.h"

namespace talus {
namespace {

constexpr Index many_contacts = most_contacts_kept + 1;

/// Spheres side by side on a floor, each with one contact.
Simulation many_spheres() {
  World world;
  world.add(fixed_body("floor").with(make_half_space({0, 0, 1})));
  const ShapePtr sphere = make_sphere(0.1);
  for (Index k = 0; k < many_contacts; ++k)
    world.add(body().with(sphere).mass(1).at({0.3 * (k % 250), 0.3 * (k / 250), 0.1}));
  return Simulation(std::move(world), rigid({.step = 0.01, .threads = 1}));
}

TEST(LargeStep, contacts_can_be_read_after_it) {
  Simulation simulation = many_spheres();
  for (int step = 0; step < 2; ++step) {
    ASSERT_TRUE(simulation.step().converged());
    ASSERT_EQ(many_contacts, static_cast<Index>(simulation.contacts().size()));
    for (Index k = 0; k < many_contacts; k += 1001) {
      const ContactPoint& contact = simulation.contacts()[k];
      const Vec3& centre = simulation.world().state(contact.body_b).pose.position;
      ASSERT_EQ(0, contact.body_a);
      ASSERT_EQ(1.0, contact.normal.z);
      ASSERT_NEAR(0, norm(contact.point - Vec3{centre.x, centre.y, 0}), 1e-9);
      ASSERT_NEAR(9.81 * 0.01, simulation.contact_impulses()[k].z, 1e-6);
    }
  }
}

TEST(LargeStep, its_impulses_are_the_start_of_the_next_one_whoever_looks_at_them) {
  Simulation watched = many_spheres(), alone = many_spheres(), restored = many_spheres();
  watched.step();
  alone.step();
  const SimulationState state = watched.state();
  ASSERT_EQ(static_cast<std::size_t>(many_contacts), state.warm_start.contacts.size());
  ASSERT_NEAR(9.81 * 0.01, state.warm_start.contacts[many_contacts / 2].impulse.z, 1e-6);
  watched.next_problem();
  restored.restore(state);
  for (Simulation* simulation : {&watched, &alone, &restored})
    ASSERT_TRUE(simulation->step().converged());
  EXPECT_EQ(alone.state(), watched.state());
  EXPECT_EQ(alone.state(), restored.state());
  EXPECT_EQ(alone.report().iterations, restored.report().iterations);
}

/// A friction set that the solver does not know is found out once the problem is built.
TEST(LargeStep, can_be_repeated_where_it_threw) {
  Simulation simulation = many_spheres();
  simulation.step();
  const StepOptions good = simulation.options();
  StepOptions bad = good;
  bad.solver = "lemke";
  simulation.set_options(bad);
  const std::vector<BodyState> before(simulation.world().states().begin(),
                                      simulation.world().states().end());
  EXPECT_THROW(simulation.step(), ImpossibleStep);
  EXPECT_TRUE(std::ranges::equal(before, simulation.world().states()));
  EXPECT_TRUE(simulation.contacts().empty());
  EXPECT_EQ(1, simulation.steps());
  simulation.set_options(good);
  EXPECT_TRUE(simulation.step().converged());
  EXPECT_NEAR(9.81 * 0.01, simulation.contact_impulses()[many_contacts / 2].z, 1e-6);
}

} // namespace
} // namespace talus
