// Clumps: mass properties of unions.

#include "talus/core/error.h"
#include "talus/shape/mass_properties.h"
#include "talus/shape/ray_interval.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

namespace talus {
namespace {

using Children = std::vector<Compound::Child>;

const SolidMoments& moments_of(const ShapePtr& clump) {
  return *std::get<Compound>(clump->geometry).solid;
}

void expect_same(const Mat3& a, const Mat3& b, double tolerance) {
  for (int k = 0; k < 9; ++k) EXPECT_NEAR(a.m[k], b.m[k], tolerance);
}

TEST(Clumps, OfTwoBallsHaveTheVolumeOfTheirUnion) {
  const double r = 0.5, d = 0.6;
  const ShapePtr clump =
      make_clump({{make_sphere(r), {{0, 0, 0}, {}}}, {make_sphere(r), {{d, 0, 0}, {}}}});
  const double lens = std::numbers::pi * (4 * r + d) * (2 * r - d) * (2 * r - d) / 12;
  EXPECT_NEAR(moments_of(clump).volume, 2 * 4 * std::numbers::pi / 3 * r * r * r - lens, 1e-14);
  EXPECT_EQ(moments_of(clump).error, 0);
  EXPECT_LE(norm(moments_of(clump).centre - Vec3{d / 2, 0, 0}), 1e-15);
}

/// A ball in two halves that overlap by nothing, and balls in balls.
TEST(Clumps, LeaveOutBallsWithinOthers) {
  const MassProperties one = mass_properties(*make_sphere(0.5), 1);
  const ShapePtr clump = make_clump(
      {{make_sphere(0.5), {}}, {make_sphere(0.2), {{0.1, 0.2, 0}, {}}}, {make_sphere(0.5), {}}});
  EXPECT_NEAR(moments_of(clump).volume, one.mass, 1e-15);
  expect_same(moments_of(clump).inertia, one.inertia, 1e-15);
}

/// The exact formulas and the integral over rays must agree.
TEST(Clumps, AgreeWithTheIntegralOverRays) {
  std::mt19937 engine(2);
  std::uniform_real_distribution<double> radius(0.3, 0.45), place(-0.2, 0.2);
  for (int trial = 0; trial < 4; ++trial) {
    Children balls;
    for (int i = 0; i < 4; ++i) // a chain: neighbours overlap, others do not
      balls.push_back(
          {make_sphere(radius(engine)), {{0.62 * i, place(engine), place(engine)}, {}}});
    const ShapePtr exact = make_clump(balls);
    ASSERT_EQ(moments_of(exact).error, 0);
    // The same solid, but with parts that are not spheres: integrated.
    Children same = balls;
    const double r = std::get<Sphere>(balls[0].shape->geometry).radius;
    same[0].shape = make_ellipsoid({r, r, r});
    const ShapePtr integrated = make_clump(same);
    EXPECT_GT(moments_of(integrated).error, 0);
    EXPECT_LT(moments_of(integrated).error, 1e-3);
    const double volume = moments_of(exact).volume;
    EXPECT_NEAR(moments_of(integrated).volume, volume, 1e-4 * volume);
    EXPECT_LE(norm(moments_of(integrated).centre - moments_of(exact).centre), 1e-4);
    expect_same(moments_of(integrated).inertia, moments_of(exact).inertia, 1e-4);
  }
}

TEST(Clumps, OfBoxesThatOverlapAreOneBox) {
  const ShapePtr clump = make_clump({{make_box({0.5, 0.2, 0.3}), {{-0.2, 0, 0}, {}}},
                                     {make_box({0.5, 0.2, 0.3}), {{0.2, 0, 0}, {}}}});
  const MassProperties whole = mass_properties(*make_box({0.7, 0.2, 0.3}), 1000);
  const MassProperties mine = mass_properties(*clump, 1000);
  EXPECT_NEAR(mine.mass, whole.mass, 1e-9 * whole.mass);
  expect_same(mine.inertia, whole.inertia, 1e-6 * whole.mass);
}

TEST(Clumps, KeepTheirMassWithinCompounds) {
  const ShapePtr clump =
      make_clump({{make_sphere(0.5), {}}, {make_sphere(0.5), {{0.4, 0, 0}, {}}}});
  const Transform pose{{0, 3, 0}, axis_angle({1, 1, 0}, 0.4)};
  const ShapePtr compound = make_compound({{clump, pose}, {make_sphere(0.2), {{0, 0, 2}, {}}}});
  const MassProperties expected =
      combined(transformed(mass_properties(*clump, 7), pose),
               transformed(mass_properties(*make_sphere(0.2), 7), {{0, 0, 2}, {}}));
  const MassProperties mine = mass_properties(*compound, 7);
  EXPECT_NEAR(mine.mass, expected.mass, 1e-12);
  EXPECT_LE(norm(mine.centre - expected.centre), 1e-13);
  expect_same(mine.inertia, expected.inertia, 1e-11);
}

TEST(Clumps, RefuseShapesWithoutVolume) {
  EXPECT_THROW(make_clump({{make_half_space({0, 0, 1}), {}}}), InvalidArgument);
  EXPECT_THROW(make_clump({}), InvalidArgument);
}

} // namespace
} // namespace talus
