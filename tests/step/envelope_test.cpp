// How far ahead a step looks, against the definition in step_options.h.

#include "step/step_test_support.h"
#include "talus/step/envelope.h"

namespace talus {
namespace {

/// Two balls of radius 1 and 0.2, and a fixed floor that does not count.
World two_balls(const Vec3& first_velocity, const Vec3& second_spin) {
  World world;
  world.add(fixed_body("floor").with(make_half_space({0, 0, 1})));
  world.add(body("large").with(make_sphere(1)).at({0, 0, 5}).moving(first_velocity));
  const Index small = world.add(body("small").with(make_sphere(0.2)).at({9, 0, 5}));
  world.state(small).angular_velocity = second_spin;
  return world;
}

TEST(Envelope, HoldsTheTwoFastestSurfaces) {
  const World world = two_balls({3, 0, 4}, {0, 10, 0});
  const auto radii = bounding_radii(world);
  ASSERT_EQ(radii.size(), 3u);
  // The balls' corners are √3 radii away, which bounds the surface.
  const double spin = 10 * radii[2];
  const Vector at_rest(18, 0.0);
  EXPECT_DOUBLE_EQ(automatic_envelope(world, at_rest, radii, 0.01), 0.01 * (5 + spin));
  // Where the velocities at the end of the step are larger, they count.
  Vector faster(18, 0.0);
  faster[6] = 7;
  EXPECT_DOUBLE_EQ(automatic_envelope(world, faster, radii, 0.01), 0.01 * (7 + spin));
}

TEST(Envelope, IsAHundredthOfTheSmallestMovableBodyAtLeast) {
  const World world = two_balls({}, {});
  const auto radii = bounding_radii(world);
  EXPECT_DOUBLE_EQ(automatic_envelope(world, Vector(18, 0.0), radii, 0.01), 0.01 * radii[2]);
  EXPECT_EQ(automatic_envelope(World{}, {}, {}, 0.01), 0);
  EXPECT_DOUBLE_EQ(automatic_penetration(world, radii), 1e-5 * radii[2]);
  EXPECT_EQ(automatic_penetration(World{}, {}), 0);
}

TEST(Envelope, IsOutrunByBodiesThatPassHalfOfIt) {
  const World world = two_balls({}, {});
  const auto radii = bounding_radii(world);
  Vector velocity(18, 0.0);
  velocity[6] = 6; // the large one
  const auto outran = [&](double envelope) {
    return count_outrunning(velocity, radii, 0.01, envelope);
  };
  EXPECT_EQ(outran(0.06), 0) << "alone it stays within the envelope";
  EXPECT_EQ(outran(0.05), 1);
  velocity[12] = 4;
  EXPECT_EQ(outran(0.1), 0) << "together they just do";
  EXPECT_EQ(outran(0.09), 1) << "0.04 m are less than half of it";
  EXPECT_EQ(outran(0.07), 2);
}

} // namespace
} // namespace talus
