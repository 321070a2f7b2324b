// Problems that experiments make from others mean the same.

#include "experiments/frame/problem_variants.h"
#include "talus/shape/shape.h"
#include "talus/solve/registry.h"
#include "talus/step/simulation.h"
#include "talus/world/builders.h"

#include <gtest/gtest.h>

#include <cmath>

namespace talus::experiments {
namespace {

/// Discs of different mass in the plane y = 0, one of them pushed into the others on the floor.
ContactProblem planar_step() {
  World world;
  world.confine_to_plane({0, 1, 0});
  const Index material = world.add(Material{.name = "disc", .friction = 0.3});
  world.add(fixed_body("floor").with(make_half_space({0, 0, 1})).of(material));
  const ShapePtr disc = make_sphere(0.5);
  world.add(body().with(disc).of(material).mass(1).at({0, 0, 0.5}).moving({1, 0, 0}));
  world.add(body().with(disc).of(material).mass(2).at({1, 0, 0.5}).moving({-0.5, 0, 0}));
  world.add(body().with(disc).of(material).mass(3).at({0.5, 0, 0.5 + std::sqrt(0.75)}));
  return Simulation(std::move(world), {.step = 0.01, .relative_compliance = 0}).next_problem();
}

SolveResult solved(const ContactProblem& problem) {
  const auto solver = make_solver("nsgs");
  SolveOptions options;
  options.tolerance = 1e-10;
  return solve(*solver, problem, options);
}

TEST(ProblemVariants, InThePlaneHasTheImpulsesOfThePlanarWorld) {
  const ContactProblem space = planar_step();
  const ContactProblem plane = in_plane(space);
  EXPECT_NO_THROW(validate(plane));
  EXPECT_EQ(9, plane.dofs());
  EXPECT_EQ(space.contacts(), plane.contacts());
  const SolveResult expected = solved(space), found = solved(plane);
  ASSERT_EQ(Status::converged, expected.status) << expected.message;
  ASSERT_EQ(Status::converged, found.status) << found.message;
  for (Index c = 0; c < plane.contacts(); ++c) {
    EXPECT_NEAR(expected.x[3 * c], found.x[2 * c], 1e-7);
    EXPECT_NEAR(0, expected.x[3 * c + 1], 1e-12) << "friction out of the plane";
    EXPECT_NEAR(expected.x[3 * c + 2], found.x[2 * c + 1], 1e-7);
  }
}

TEST(ProblemVariants, NormalRowsAreTheFrictionlessProblem) {
  const ContactProblem space = planar_step();
  const SolveResult expected = solved(without_friction(space));
  const SolveResult found = solved(normal_rows(space));
  ASSERT_EQ(Status::converged, expected.status) << expected.message;
  ASSERT_EQ(Status::converged, found.status) << found.message;
  for (Index c = 0; c < space.contacts(); ++c) EXPECT_NEAR(expected.x[3 * c], found.x[c], 1e-7);

  const ContactProblem one = normal_rows(space, [](Index contact) { return contact == 1; });
  ASSERT_EQ(1, one.contacts());
}

} // namespace
} // namespace talus::experiments
