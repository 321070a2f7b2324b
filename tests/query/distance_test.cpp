// Distances against closed forms and against the conditions that closest points meet.

#include "talus/core/error.h"
#include "talus/query/distance.h"
#include "talus/query/ray.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

namespace talus {
namespace {

Vec3 random_place(std::mt19937& random, double scale) {
  std::uniform_real_distribution<double> uniform(-scale, scale);
  return {uniform(random), uniform(random), uniform(random)};
}

Transform random_pose(std::mt19937& random, double scale) {
  return {random_place(random, scale),
          axis_angle(random_place(random, 1), norm(random_place(random, 3)))};
}

World pair_of(ShapePtr a, const Transform& at_a, ShapePtr b, const Transform& at_b) {
  World world;
  world.add(fixed_body().with(std::move(a)).placed(at_a));
  world.add(fixed_body().with(std::move(b)).placed(at_b));
  return world;
}

Separation between_shapes(ShapePtr a, const Vec3& at_a, ShapePtr b, const Vec3& at_b) {
  return closest(pair_of(std::move(a), {at_a, {}}, std::move(b), {at_b, {}}), 0, 1);
}

void expect_near(const Vec3& a, const Vec3& b, double tolerance = 1e-12) {
  EXPECT_NEAR(norm(a - b), 0, tolerance) << a.x << ' ' << a.y << ' ' << a.z;
}

TEST(Distance, of_spheres) {
  const auto s = between_shapes(make_sphere(0.5), {0, 0, 0}, make_sphere(1), {3, 4, 0});
  EXPECT_NEAR(s.distance, 3.5, 1e-14);
  expect_near(s.normal, {0.6, 0.8, 0});
  expect_near(s.point_a, {0.3, 0.4, 0});
  expect_near(s.point_b, {2.4, 3.2, 0});
  EXPECT_NEAR(between_shapes(make_sphere(0.5), {}, make_sphere(1), {0.3, 0, 0}).distance, -1.2,
              1e-14);
  EXPECT_NEAR(between_shapes(make_sphere(0.5), {}, make_sphere(1), {}).distance, -1.5, 1e-14);
}

TEST(Distance, of_boxes) {
  const ShapePtr cube = make_box({0.5, 0.5, 0.5});
  EXPECT_NEAR(between_shapes(cube, {}, cube, {3, 0.2, 0}).distance, 2, 1e-13);            // faces
  EXPECT_NEAR(between_shapes(cube, {}, cube, {3, 3, 0.1}).distance, std::sqrt(8), 1e-13); // edges
  EXPECT_NEAR(between_shapes(cube, {}, cube, {2, 2, 2}).distance, std::sqrt(3), 1e-13);   // corners
  const auto deep = between_shapes(cube, {}, cube, {0.9, 0.2, 0});
  EXPECT_NEAR(deep.distance, -0.1, 1e-12);
  expect_near(deep.normal, {1, 0, 0}, 1e-9);
}

TEST(Distance, of_capsules_that_cross) {
  const ShapePtr capsule = make_capsule(0.1, 1);
  const Quaternion lying = axis_angle({0, 1, 0}, std::numbers::pi / 2);
  for (const double height : {0.5, 0.15, 0.0}) {
    const auto s = closest(pair_of(capsule, {}, capsule, {{0, height, 0}, lying}), 0, 1);
    EXPECT_NEAR(s.distance, height - 0.2, 1e-13) << height;
    EXPECT_NEAR(std::abs(s.normal.y), 1, 1e-12);
  }
  // A sphere on the axis of the capsule comes free to the side.
  const auto inside = between_shapes(capsule, {}, make_sphere(0.05), {0, 0, 0.3});
  EXPECT_NEAR(inside.distance, -0.15, 1e-13);
  EXPECT_NEAR(inside.normal.z, 0, 1e-12);
}

TEST(Distance, to_planes) {
  const ShapePtr plane = make_half_space({0, 0, 1}, 0.25);
  const auto s = between_shapes(plane, {}, make_sphere(0.5), {1, 2, 3});
  EXPECT_NEAR(s.distance, 2.25, 1e-14);
  expect_near(s.point_a, {1, 2, 0.25});
  expect_near(s.point_b, {1, 2, 2.5});
  expect_near(s.normal, {0, 0, 1});
  const auto back = between_shapes(make_box({1, 1, 1}), {0, 0, 1}, plane, {});
  EXPECT_NEAR(back.distance, -0.25, 1e-14);
  expect_near(back.normal, {0, 0, -1});
}

/// Closest points of convex shapes: the gap is spanned by supporting planes.
TEST(Distance, closest_points_lie_on_supporting_planes) {
  const std::vector<ShapePtr> shapes = {
      make_sphere(0.3),
      make_box({0.3, 0.2, 0.4}),
      make_capsule(0.2, 0.3),
      make_cylinder(0.3, 0.2),
      make_ellipsoid({0.2, 0.3, 0.4}),
      make_convex_hull({{0, 0, 0}, {0.5, 0, 0}, {0, 0.5, 0}, {0, 0, 0.5}})};
  std::mt19937 random(7);
  int apart = 0, deep = 0;
  for (int trial = 0; trial < 400; ++trial) {
    const ShapePtr a = shapes[static_cast<std::size_t>(trial % 6)];
    const ShapePtr b = shapes[static_cast<std::size_t>(trial / 6 % 6)];
    const Transform at_a = random_pose(random, 0.5), at_b = random_pose(random, 0.9);
    const auto s = closest(pair_of(a, at_a, b, at_b), 0, 1);
    EXPECT_NEAR(norm(s.normal), 1, 1e-9);
    const auto highest = [](const Shape& shape, const Transform& pose, const Vec3& n) {
      return dot(n, pose(support_point(shape, rotate_back(pose.rotation, n))));
    };
    // Along the normal the shapes are apart by the distance (or overlap by the depth) ...
    const double gap = -highest(*b, at_b, -s.normal) - highest(*a, at_a, s.normal);
    EXPECT_NEAR(gap, s.distance, 1e-7) << trial;
    (s.distance > 0 ? apart : deep) += 1;
    // ... which no other direction exceeds.
    for (int k = 0; k < 40; ++k) {
      const Vec3 n = normalized(random_place(random, 1));
      EXPECT_LE(-highest(*b, at_b, -n) - highest(*a, at_a, n), s.distance + 1e-9) << trial;
    }
    const auto back = closest(pair_of(b, at_b, a, at_a), 0, 1);
    EXPECT_NEAR(back.distance, s.distance, 1e-9);
  }
  EXPECT_GT(apart, 100);
  EXPECT_GT(deep, 20);
}

TEST(Distance, to_meshes_is_that_to_their_triangles) {
  const Polyhedron box = box_polyhedron({0.5, 0.4, 0.3});
  std::vector<Triangle> triangles;
  for (const Polyhedron::Face& face : box.faces)
    for (Index k = 1; k + 1 < face.count; ++k)
      triangles.push_back(
          {box.loop[face.first], box.loop[face.first + k], box.loop[face.first + k + 1]});
  const ShapePtr mesh = make_triangle_mesh(box.vertices, triangles),
                 solid = make_box({0.5, 0.4, 0.3});
  std::mt19937 random(8);
  int apart = 0;
  for (int trial = 0; trial < 600; ++trial) {
    const Transform at = random_pose(random, 0.4), other = random_pose(random, 1.5);
    const ShapePtr shape = trial % 2 ? make_capsule(0.1, 0.2) : make_cylinder(0.2, 0.1);
    const auto exact = closest(pair_of(solid, at, shape, other), 0, 1);
    const auto found = closest(pair_of(mesh, at, shape, other), 0, 1);
    if (exact.distance > 0) {
      ++apart;
      EXPECT_NEAR(found.distance, exact.distance, 1e-9) << trial;
      EXPECT_NEAR(norm(found.normal - exact.normal), 0, 1e-6);
    } else {
      EXPECT_GE(found.distance, 0);
    }
    // Two meshes.
    const auto both = closest(pair_of(mesh, at, mesh, other), 0, 1);
    const auto boxes = closest(pair_of(solid, at, solid, other), 0, 1);
    if (boxes.distance > 0) {
      EXPECT_NEAR(both.distance, boxes.distance, 1e-9) << trial;
    }
  }
  EXPECT_GT(apart, 300);
  const auto crossed = closest(pair_of(mesh, {}, make_sphere(0.1), {{0.5, 0, 0}, {}}), 0, 1);
  EXPECT_EQ(crossed.distance, 0);
  EXPECT_EQ(crossed.normal, Vec3{});
}

TEST(Distance, from_points) {
  World world;
  const Index box = world.add(fixed_body().with(make_box({1, 1, 1})));
  EXPECT_NEAR(closest(world, Vec3{2, 3, 0}, box).distance, std::sqrt(5), 1e-12);
  EXPECT_NEAR(closest(world, Vec3{0.25, 0, 0}, box).distance, -0.75, 1e-12);
  EXPECT_EQ(closest(world, Vec3{2, 3, 0}, box).point_a, (Vec3{2, 3, 0}));
  // A ray along the way to the closest point meets it.
  const auto s = closest(world, Vec3{2, 3, 0.5}, box);
  EXPECT_NEAR(ray_cast(world, {2, 3, 0.5}, s.normal)->distance, s.distance, 1e-12);
}

TEST(Distance, of_bodies_with_many_shapes_names_the_closest) {
  World world;
  world.add(fixed_body().with(make_sphere(0.1), {{-2, 0, 0}, {}}).with(make_sphere(0.1)));
  world.add(
      fixed_body().with(make_sphere(0.1)).with(make_sphere(0.2), {{-1, 0, 0}, {}}).at({3, 0, 0}));
  const auto s = closest(world, 0, 1);
  EXPECT_NEAR(s.distance, 1.7, 1e-14);
  EXPECT_EQ(s.shape_a, 1);
  EXPECT_EQ(s.shape_b, 1);
}

TEST(Distance, refuses_what_has_none) {
  World world;
  world.add(fixed_body().with(make_half_space({0, 0, 1})));
  world.add(fixed_body().with(make_half_space({0, 0, -1}, 1)));
  world.add(body().mass_properties({1, {}, Mat3::identity()}));
  EXPECT_THROW(closest(world, 0, 1), InvalidArgument);
  EXPECT_THROW(closest(world, 0, 0), InvalidArgument);
  EXPECT_THROW(closest(world, 0, 9), InvalidArgument);
  EXPECT_THROW(closest(world, Vec3{0, 0, NAN}, 0), InvalidArgument);
  EXPECT_TRUE(std::isinf(closest(world, 0, 2).distance));
}

} // namespace
} // namespace talus
