// The part of a solid below a plane, against closed forms and against samples.

#include "talus/shape/containers.h"
#include "talus/shape/immersion.h"
#include "talus/shape/mass_properties.h"
#include "talus/shape/ray_interval.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

namespace talus {
namespace {

constexpr Vec3 up{0, 0, 1};

Vec3 random_vector(std::mt19937& engine, double size) {
  std::uniform_real_distribution<double> number(-size, size);
  return {number(engine), number(engine), number(engine)};
}

TEST(Immersion, OfASphereIsItsCap) {
  const auto sphere = make_sphere(0.5);
  for (const double depth : {0.1, 0.37, 0.5, 0.8}) {
    const SolidPart part = part_below(*sphere, {{1, 2, 0.5}, {}}, up, depth);
    const double volume = std::numbers::pi * depth * depth * (1.5 - depth) / 3;
    EXPECT_NEAR(part.volume, volume, 1e-14);
    const double centre = 0.5 - 3 * (1 - depth) * (1 - depth) / (4 * (1.5 - depth));
    EXPECT_NEAR(part.centre.z, centre, 1e-13);
    EXPECT_NEAR(part.centre.x, 1, 1e-14);
  }
  EXPECT_EQ(part_below(*sphere, {}, up, -0.6).volume, 0);
  EXPECT_NEAR(part_below(*sphere, {}, up, 7).volume, std::numbers::pi / 6, 1e-15);
}

TEST(Immersion, OfABoxUprightAndOnItsEdge) {
  const auto box = make_box({0.5, 0.3, 0.2});
  const SolidPart flat = part_below(*box, {{0, 0, 0.2}, {}}, up, 0.1);
  EXPECT_NEAR(flat.volume, 1 * 0.6 * 0.1, 1e-15);
  EXPECT_NEAR(flat.centre.z, 0.05, 1e-15);
  // A cube on its edge, at half of its height: a triangle's prism below.
  const auto cube = make_box({0.5, 0.5, 0.5});
  const SolidPart wedge =
      part_below(*cube, {{0, 0, 0}, axis_angle({1, 0, 0}, std::numbers::pi / 4)}, up, 0);
  EXPECT_NEAR(wedge.volume, 0.5, 1e-14);
  EXPECT_NEAR(wedge.centre.z, -std::numbers::sqrt2 / 2 / 3, 1e-14);
}

TEST(Immersion, AtAnInfiniteLevelIsTheWholeSolid) {
  const std::vector<ShapePtr> shapes = {
      make_sphere(0.3),
      make_box({0.1, 0.2, 0.3}),
      make_capsule(0.2, 0.4),
      make_cylinder(0.2, 0.3),
      make_ellipsoid({0.1, 0.2, 0.5}),
      make_hopper(0.1, 0.4, 0.5, 0.2, 0.05),
      make_convex_hull({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 2}, {1, 1, 1}})};
  for (const ShapePtr& shape : shapes) {
    const MassProperties whole = mass_properties(*shape, 1);
    const Transform pose{{3, -1, 2}, axis_angle({1, 2, 3}, 0.7)};
    for (const double level : {Bounds::inf, 1e12}) {
      const SolidPart part = part_below(*shape, pose, up, level);
      EXPECT_NEAR(part.volume, whole.mass, 1e-12 * whole.mass);
      EXPECT_LE(norm(part.centre - pose(whole.centre)), 1e-12);
    }
  }
}

/// Sums lengths of rays that are cut at the plane.
double sampled_volume(const Shape& shape, const Transform& pose, double level, Vec3& centre) {
  const Bounds bounds = bounds_of(shape, pose);
  const int n = 1200;
  const Vec3 size = bounds.extents();
  double volume = 0;
  Vec3 first;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      const double x = bounds.lower.x + (i + 0.5) * size.x / n;
      const double y = bounds.lower.y + (j + 0.5) * size.y / n;
      const RayInterval hit = ray_interval(shape, pose, {x, y, 0}, up);
      const double end = std::min(hit.end, level);
      if (!(end > hit.begin)) continue;
      volume += end - hit.begin;
      first += (end - hit.begin) * Vec3{x, y, 0.5 * (hit.begin + end)};
    }
  centre = first / volume;
  return volume * size.x * size.y / (n * n);
}

TEST(Immersion, OfTiltedRoundShapesAgreesWithSamples) {
  std::mt19937 engine(3);
  for (const ShapePtr& shape :
       {make_cylinder(0.2, 0.3), make_capsule(0.2, 0.3), make_ellipsoid({0.1, 0.2, 0.4})})
    for (int trial = 0; trial < 3; ++trial) {
      const Transform pose{{}, exponential_map(random_vector(engine, 2))};
      const double level = random_vector(engine, 0.15).x;
      const SolidPart part = part_below(*shape, pose, up, level);
      Vec3 centre;
      const double sampled = sampled_volume(*shape, pose, level, centre);
      EXPECT_NEAR(part.volume, sampled, 1e-4 * sampled);
      EXPECT_LE(norm(part.centre - centre), 1e-4);
    }
}

/// A plane and its reverse share a solid between them.
TEST(Immersion, HasTheRestAboveThePlane) {
  std::mt19937 engine(5);
  const std::vector<ShapePtr> shapes = {make_box({0.1, 0.2, 0.3}), make_capsule(0.2, 0.4),
                                        make_cylinder(0.2, 0.3), make_sphere(0.2),
                                        make_cylinder_shell(0.2, 0.5, 0.1)};
  for (const ShapePtr& shape : shapes) {
    const MassProperties whole = mass_properties(*shape, 1);
    for (int trial = 0; trial < 30; ++trial) {
      const Transform pose{random_vector(engine, 1), exponential_map(random_vector(engine, 3))};
      const Vec3 normal = normalized(random_vector(engine, 1));
      const double level = dot(normal, pose(whole.centre)) + random_vector(engine, 0.2).x;
      const SolidPart below = part_below(*shape, pose, normal, level);
      const SolidPart above = part_below(*shape, pose, -normal, -level);
      EXPECT_NEAR(below.volume + above.volume, whole.mass, 1e-9 * whole.mass);
      const Vec3 first = below.volume * below.centre + above.volume * above.centre;
      EXPECT_LE(norm(first / whole.mass - pose(whole.centre)), 1e-8);
    }
  }
}

TEST(Immersion, IsNoneOfShapesWithoutVolume) {
  EXPECT_FALSE(has_volume(*make_half_space({0, 0, 1})));
  EXPECT_EQ(part_below(*make_half_space({0, 0, 1}), {}, up, 1).volume, 0);
  EXPECT_TRUE(has_volume(*make_sphere(1)));
}

} // namespace
} // namespace talus
