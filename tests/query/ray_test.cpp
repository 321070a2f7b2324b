// Rays against closed forms, and the tree against one shape after the other.

#include "talus/core/error.h"
#include "talus/query/ray.h"
#include "talus/shape/containers.h"
#include "talus/world/world.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

namespace talus {
namespace {

Index add_shape(World& world, ShapePtr shape, const Transform& pose = {}) {
  return world.add(fixed_body().with(std::move(shape)).placed(pose));
}

Vec3 random_point(std::mt19937& random, double scale) {
  std::uniform_real_distribution<double> uniform(-scale, scale);
  return {uniform(random), uniform(random), uniform(random)};
}

Quaternion random_turn(std::mt19937& random) {
  return axis_angle(random_point(random, 1), norm(random_point(random, 3)));
}

std::vector<ShapePtr> convex_shapes() {
  return {make_sphere(0.4),
          make_box({0.3, 0.2, 0.5}),
          make_capsule(0.2, 0.4),
          make_cylinder(0.3, 0.4),
          make_ellipsoid({0.2, 0.3, 0.5}),
          make_convex_hull({{0, 0, 0}, {0.5, 0, 0}, {0, 0.5, 0}, {0, 0, 0.5}, {0.3, 0.3, 0.4}})};
}

/// How far a point lies outside of a convex shape along a direction: 0 on a supporting plane.
double height_over(const Shape& shape, const Transform& pose, const Vec3& point,
                   const Vec3& normal) {
  const Vec3 local = rotate_back(pose.rotation, normal);
  return dot(normal, point) - dot(normal, pose(support_point(shape, local)));
}

TEST(Ray, meets_convex_shapes_where_their_normal_supports_them) {
  std::mt19937 random(1);
  int met = 0;
  for (int trial = 0; trial < 900; ++trial) {
    const ShapePtr shape = convex_shapes()[static_cast<std::size_t>(trial % 6)];
    const Transform pose{random_point(random, 0.3), random_turn(random)};
    World world;
    add_shape(world, shape, pose);
    const Vec3 origin = 3 * normalized(random_point(random, 1));
    const Vec3 target = random_point(random, 0.5);
    const auto hit = ray_cast(world, origin, target - origin);
    if (!hit) continue;
    ++met;
    const Vec3 along = normalized(target - origin);
    EXPECT_NEAR(norm(hit->point - origin - hit->distance * along), 0, 1e-14);
    EXPECT_NEAR(norm(hit->normal), 1, 1e-12);
    EXPECT_LT(dot(hit->normal, along), 0);
    // The point lies on the plane that touches the shape in the direction of the normal.
    EXPECT_NEAR(height_over(*shape, pose, hit->point, hit->normal), 0, 1e-7) << trial;
  }
  EXPECT_GT(met, 250);
}

TEST(Ray, closed_forms) {
  World world;
  const Index ball = add_shape(world, make_sphere(0.5), {{0, 0, 2}, {}});
  const Index floor = add_shape(world, make_half_space({0, 0, 1}, -1));
  const auto down = ray_cast(world, {0.3, 0, 5}, {0, 0, -7});
  ASSERT_TRUE(down);
  EXPECT_EQ(down->body, ball);
  EXPECT_NEAR(down->distance, 3 - 0.4, 1e-15);
  EXPECT_NEAR(norm(down->normal - Vec3{0.6, 0, 0.8}), 0, 1e-15);
  const auto slanted = ray_cast(world, {3, 0, 2}, {3, 0, -4});
  ASSERT_TRUE(slanted);
  EXPECT_EQ(slanted->body, floor);
  EXPECT_NEAR(slanted->distance, 3 / 0.8, 1e-14);
  EXPECT_FALSE(ray_cast(world, {3, 0, 2}, {1, 0, 0}));  // along the floor
  EXPECT_FALSE(ray_cast(world, {3, 0, -2}, {0, 0, 1})); // from below it, passing out
  EXPECT_FALSE(ray_cast(world, {0, 0, 2}, {1, 0, 0}));  // from inside the ball
}

TEST(Ray, filters) {
  World world;
  world.add(fixed_body().with(make_sphere(0.5)).at({0, 0, 2}));
  world.add(fixed_body().with(make_sphere(0.5)).in_group(2, 2));
  const Vec3 from{0, 0, 5}, down{0, 0, -1};
  EXPECT_EQ(ray_cast(world, from, down)->body, 0);
  EXPECT_EQ(ray_cast(world, from, down, {.ignore = 0})->body, 1);
  EXPECT_EQ(ray_cast(world, from, down, {.mask = 2})->body, 1);
  EXPECT_FALSE(ray_cast(world, from, down, {.max_distance = 2.4}));
  EXPECT_TRUE(ray_cast(world, from, down, {.max_distance = 2.6}));
  world.remove_body(0);
  EXPECT_EQ(ray_cast(world, from, down)->body, 1);
}

TEST(Ray, meshes_have_an_outside_and_sheets_two_sides) {
  // A box as a closed mesh gives what the box gives.
  const Polyhedron box = box_polyhedron({0.5, 0.4, 0.3});
  std::vector<Triangle> triangles;
  for (const Polyhedron::Face& face : box.faces)
    for (Index k = 1; k + 1 < face.count; ++k)
      triangles.push_back(
          {box.loop[face.first], box.loop[face.first + k], box.loop[face.first + k + 1]});
  std::mt19937 random(2);
  const Transform pose{{0.1, 0.2, 0.3}, random_turn(random)};
  World solid, mesh;
  add_shape(solid, make_box({0.5, 0.4, 0.3}), pose);
  add_shape(mesh, make_triangle_mesh(box.vertices, triangles), pose);
  int met = 0;
  for (int trial = 0; trial < 500; ++trial) {
    const Vec3 origin = random_point(random, 2), along = random_point(random, 0.6) - origin;
    const auto a = ray_cast(solid, origin, along), b = ray_cast(mesh, origin, along);
    ASSERT_EQ(a.has_value(), b.has_value()) << trial;
    if (!a) continue;
    ++met;
    EXPECT_NEAR(a->distance, b->distance, 1e-12);
    EXPECT_NEAR(norm(a->normal - b->normal), 0, 1e-9);
  }
  EXPECT_GT(met, 50);

  World sheet;
  add_shape(sheet, make_triangle_mesh({{-1, -1, 0}, {1, -1, 0}, {0, 1, 0}}, {{0, 1, 2}}));
  for (const double side : {-1.0, 1.0}) {
    const auto hit = ray_cast(sheet, {0, 0, side}, {0, 0, -side});
    ASSERT_TRUE(hit);
    EXPECT_EQ(hit->distance, 1);
    EXPECT_EQ(hit->normal.z, side);
  }
}

TEST(Ray, finds_no_gap_between_triangles) {
  // A bumpy height field from above: every ray meets it, at the height of its triangles.
  const Index n = 24;
  std::vector<double> heights;
  std::mt19937 random(3);
  std::uniform_real_distribution<double> bump(0, 0.3);
  for (Index i = 0; i < n * n; ++i) heights.push_back(bump(random));
  World world;
  add_shape(world, make_height_field(n, n, 0.1, 0.1, heights));
  const RayCaster rays(world);
  for (Index i = 0; i < 4 * (n - 1); ++i)
    for (Index j = 0; j < 4 * (n - 1); ++j) { // on corners, edges and inside of cells
      const double x = 0.025 * i, y = 0.025 * j;
      const auto hit = rays.cast({x, y, 5}, {0, 0, -1});
      ASSERT_TRUE(hit) << x << ' ' << y;
      EXPECT_GE(hit->point.z, -1e-12);
      EXPECT_LE(hit->point.z, 0.3 + 1e-12);
      if (i % 4 == 0 && j % 4 == 0) {
        const Index column = i / 4, row = j / 4;
        EXPECT_NEAR(hit->point.z, heights[static_cast<std::size_t>(row * n + column)], 1e-12);
      }
    }
}

TEST(Ray, the_tree_finds_what_a_search_of_all_finds) {
  std::mt19937 random(4);
  World world;
  std::vector<World> alone(200);
  for (std::size_t i = 0; i < alone.size(); ++i) {
    const ShapePtr shape = convex_shapes()[i % 6];
    const Transform pose{random_point(random, 4), random_turn(random)};
    add_shape(world, shape, pose);
    add_shape(alone[i], shape, pose);
  }
  const RayCaster rays(world);
  int met = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const Vec3 origin = random_point(random, 6), along = random_point(random, 3) - origin;
    std::optional<RayHit> expected;
    for (std::size_t i = 0; i < alone.size(); ++i) {
      auto hit = ray_cast(alone[i], origin, along);
      if (!hit || (expected && hit->distance >= expected->distance)) continue;
      expected = hit;
      expected->body = static_cast<Index>(i);
    }
    const auto hit = rays.cast(origin, along);
    ASSERT_EQ(hit.has_value(), expected.has_value());
    if (!hit) continue;
    ++met;
    EXPECT_EQ(hit->body, expected->body);
    EXPECT_EQ(hit->distance, expected->distance);
  }
  EXPECT_GT(met, 100);
}

TEST(Ray, compounds_name_their_shape) {
  World world;
  add_shape(world, make_compound({{make_sphere(0.2), {{-1, 0, 0}, {}}},
                                  {make_box({0.2, 0.2, 0.2}), {{1, 0, 0}, {}}}}));
  world.add(
      fixed_body().with(make_sphere(0.1)).with(make_sphere(0.1), {{0.5, 0, 0}, {}}).at({0, 3, 0}));
  EXPECT_EQ(ray_cast(world, {1, 0, 5}, {0, 0, -1})->shape, 0);
  EXPECT_EQ(ray_cast(world, {0.5, 3, 5}, {0, 0, -1})->shape, 1);
}

TEST(Ray, refuses_what_is_no_ray) {
  const World world;
  const RayCaster rays(world);
  EXPECT_FALSE(rays.cast({0, 0, 0}, {1, 0, 0}));
  EXPECT_THROW(rays.cast({0, 0, 0}, {0, 0, 0}), InvalidArgument);
  EXPECT_THROW(rays.cast({0, NAN, 0}, {1, 0, 0}), InvalidArgument);
  EXPECT_THROW(rays.cast({0, 0, 0}, {1, 0, INFINITY}), InvalidArgument);
  EXPECT_THROW(rays.cast({0, 0, 0}, {1, 0, 0}, {.max_distance = NAN}), InvalidArgument);
}

} // namespace
} // namespace talus
