#include "support/memory_use.h"
#include "support/random_geometry.h"
#include "talus/core/error.h"
#include "talus/shape/containers.h"
#include "talus/shape/shape.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace talus {
namespace {

using test::convex_kinds;
using test::RandomGeometry;

TEST(Shape, BadArgumentsAreRefused) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_THROW(make_sphere(-1), InvalidArgument);
  EXPECT_THROW(make_sphere(0), InvalidArgument);
  EXPECT_THROW(make_sphere(nan), InvalidArgument);
  EXPECT_THROW(make_sphere(inf), InvalidArgument);
  EXPECT_THROW(make_box({1, 0, 1}), InvalidArgument);
  EXPECT_THROW(make_capsule(1, -1), InvalidArgument);
  EXPECT_THROW(make_cylinder(nan, 1), InvalidArgument);
  EXPECT_THROW(make_ellipsoid({1, 1, -1}), InvalidArgument);
  EXPECT_THROW(make_half_space({0, 0, 0}), InvalidArgument);
  EXPECT_THROW(make_half_space({0, 0, 1}, nan), InvalidArgument);
  EXPECT_THROW(make_height_field(1, 2, 1, 1, {0, 0}), InvalidArgument);
  EXPECT_THROW(make_height_field(2, 2, 1, 1, {0, 0, 0}), InvalidArgument);
  EXPECT_THROW(make_height_field(2, 2, 1, 1, {0, 0, 0, nan}), InvalidArgument);
  EXPECT_THROW(make_compound({}), InvalidArgument);
  EXPECT_THROW(make_compound({{nullptr, {}}}), InvalidArgument);
  EXPECT_THROW(make_compound({{make_sphere(1), {{nan, 0, 0}, {}}}}), InvalidArgument);
  EXPECT_THROW(make_triangle_mesh({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 3}}), InvalidArgument);
  EXPECT_THROW(make_triangle_mesh({{0, 0, 0}, {1, 0, 0}, {2, 0, 0}}, {{0, 1, 2}}), InvalidArgument);
  EXPECT_THROW(make_triangle_mesh(TriangleMesh{}), InvalidArgument);
  EXPECT_THROW(make_cylinder_shell(1, 1, 0.1, 2), InvalidArgument);
  EXPECT_THROW(make_hopper(1, 0.5, 1, 0, 0.1), InvalidArgument);
  EXPECT_THROW(make_open_box({1, 1, 1}, 0), InvalidArgument);
}

TEST(Shape, DegenerateHullsAreRefused) {
  EXPECT_THROW(make_convex_hull({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}), InvalidArgument);
  EXPECT_THROW(make_convex_hull({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {2, 3, 0}}),
               InvalidArgument);
  EXPECT_THROW(make_convex_hull({{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}}), InvalidArgument);
  EXPECT_THROW(make_convex_hull({{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}}), InvalidArgument);
  EXPECT_THROW(make_convex_hull({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, std::nan("")}}),
               InvalidArgument);
}

/// Euler's formula, planarity, convexity and outward normals.
void expect_sound(const Polyhedron& p) {
  EXPECT_EQ(p.vertices.size() + p.faces.size(), p.edges.size() + 2);
  for (const auto& face : p.faces) {
    EXPECT_NEAR(norm(face.normal), 1, 1e-14);
    for (const Vec3& v : p.vertices) EXPECT_LE(dot(face.normal, v), face.offset + 1e-12);
    for (Index k = 0; k < face.count; ++k) {
      EXPECT_NEAR(dot(face.normal, p.vertices[p.loop[face.first + k]]), face.offset, 1e-12);
    }
  }
  for (const auto& edge : p.edges) {
    const auto& face = p.faces[edge.face[0]];
    bool forward = false;
    for (Index k = 0; k < face.count; ++k) {
      forward |= p.loop[face.first + k] == edge.vertex[0] &&
                 p.loop[face.first + (k + 1) % face.count] == edge.vertex[1];
    }
    EXPECT_TRUE(forward);
  }
}

TEST(Shape, HullOfRandomPointsIsSound) {
  RandomGeometry random(1);
  for (int i = 0; i < 100; ++i) {
    const auto points = random.points(4 + i);
    const Polyhedron hull = convex_hull_of(points);
    expect_sound(hull);
    for (const auto& face : hull.faces) {
      for (const Vec3& p : points) EXPECT_LE(dot(face.normal, p), face.offset + 1e-12);
    }
  }
}

TEST(Shape, HullsGiveBackAllMemoryTheyWereMadeWith) {
  if (!test::memory_is_measurable) GTEST_SKIP() << "the sanitizer holds memory back";
  const std::vector<Vec3> points = RandomGeometry(4).points(20);
  const std::vector<Vec3> flat = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {2, 1, 0}};
  const auto make_hulls = [&](int count) {
    for (int i = 0; i < count; ++i) {
      make_convex_hull(points);
      EXPECT_THROW(make_convex_hull(flat), InvalidArgument);
    }
  };
  make_hulls(2);
  const std::size_t before = test::allocated_now();
  make_hulls(200);
  EXPECT_LT(test::allocated_now(), before + 100'000); // less than one of qhull's blocks
}

TEST(Shape, HullOfABoxGridMergesCoplanarFacesAndDropsInnerPoints) {
  const Transform pose{{0.3, -2, 5}, axis_angle({1, 2, 3}, 0.7)};
  for (const Transform& t : {Transform{}, pose}) {
    std::vector<Vec3> points;
    for (int i = 0; i <= 3; ++i) {
      for (int j = 0; j <= 3; ++j) {
        for (int k = 0; k <= 3; ++k) points.push_back(t({i / 3.0, j / 3.0, k / 3.0}));
      }
    }
    const Polyhedron hull = convex_hull_of(points);
    expect_sound(hull);
    EXPECT_EQ(hull.vertices.size(), 8u);
    EXPECT_EQ(hull.faces.size(), 6u);
    EXPECT_EQ(hull.edges.size(), 12u);
  }
}

TEST(Shape, BoxSurfaceIsSound) {
  const Polyhedron p = box_polyhedron({1, 2, 3});
  expect_sound(p);
  for (int f = 0; f < 6; ++f) {
    EXPECT_EQ(p.faces[f].normal[f / 2], f % 2 == 0 ? 1 : -1);
    EXPECT_EQ(p.faces[f].offset, f / 2 + 1);
  }
}

/// The support function of a turned shape along the axes gives its bounds exactly.
TEST(Shape, BoundsTouchTheSupportPoints) {
  RandomGeometry random(2);
  for (ShapeKind kind : convex_kinds) {
    for (int i = 0; i < 50; ++i) {
      const ShapePtr shape = random.convex(kind);
      const Transform pose = random.pose(3);
      const Bounds b = bounds_of(*shape, pose);
      for (int axis = 0; axis < 3; ++axis) {
        Vec3 e;
        e[axis] = 1;
        const Vec3 local = rotate_back(pose.rotation, e);
        EXPECT_NEAR(pose(support_point(*shape, local))[axis], b.upper[axis], 1e-13);
        EXPECT_NEAR(pose(support_point(*shape, -local))[axis], b.lower[axis], 1e-13);
      }
    }
  }
}

bool contains(const Shape& shape, const Vec3& p) {
  if (const auto* s = std::get_if<Sphere>(&shape.geometry)) return norm(p) <= s->radius;
  if (const auto* s = std::get_if<Ellipsoid>(&shape.geometry)) {
    return norm(Vec3{p.x / s->radii.x, p.y / s->radii.y, p.z / s->radii.z}) <= 1;
  }
  if (const auto* s = std::get_if<Cylinder>(&shape.geometry)) {
    return std::hypot(p.x, p.y) <= s->radius && std::abs(p.z) <= s->half_length;
  }
  if (const auto* s = std::get_if<Capsule>(&shape.geometry)) {
    const double z = std::max(0.0, std::abs(p.z) - s->half_length);
    return norm(Vec3{p.x, p.y, z}) <= s->radius;
  }
  const Polyhedron& surface = kind_of(shape) == ShapeKind::box
                                  ? std::get<Box>(shape.geometry).surface
                                  : std::get<ConvexHull>(shape.geometry).surface;
  for (const auto& face : surface.faces) {
    if (dot(face.normal, p) > face.offset) return false;
  }
  return true;
}

TEST(Shape, NoPointOfAShapeIsBeyondItsSupportPoint) {
  RandomGeometry random(3);
  for (ShapeKind kind : convex_kinds) {
    const ShapePtr shape = random.convex(kind);
    for (int i = 0; i < 3000; ++i) {
      const Vec3 p = random.vector(1.7);
      if (!contains(*shape, p)) continue;
      const Vec3 d = random.direction();
      EXPECT_LE(dot(p, d), dot(support_point(*shape, d), d) + 1e-14) << name_of(kind);
    }
  }
}

TEST(Shape, SupportPointLiesOnTheShape) {
  RandomGeometry random(4);
  for (ShapeKind kind : convex_kinds) {
    for (int i = 0; i < 100; ++i) {
      const ShapePtr shape = random.convex(kind);
      const Vec3 p = support_point(*shape, random.direction());
      EXPECT_TRUE(contains(*shape, (1 - 1e-12) * p) || kind == ShapeKind::convex_hull);
    }
  }
  EXPECT_THROW(support_point(*make_half_space({0, 0, 1}), {1, 0, 0}), InvalidArgument);
}

TEST(Shape, NestedCompoundsAreFlattened) {
  const Transform t{{1, 2, 3}, axis_angle({0, 0, 1}, 0.5)};
  const ShapePtr inner = make_compound({{make_sphere(1), t}, {make_box({1, 1, 1}), {}}});
  const ShapePtr outer = make_compound({{inner, t}, {make_sphere(2), {}}});
  const auto& children = std::get<Compound>(outer->geometry).children;
  ASSERT_EQ(children.size(), 3u);
  EXPECT_EQ(children[0].pose, t * t);
  for (const auto& child : children) EXPECT_NE(kind_of(*child.shape), ShapeKind::compound);
}

TEST(Shape, ContainersAreClosedAndHaveTheirBounds) {
  const ShapePtr shell = make_cylinder_shell(1, 2, 0.1, 32);
  EXPECT_TRUE(std::get<TriangleMesh>(shell->geometry).closed);
  const ShapePtr hopper = make_hopper(0.2, 1, 1, 0.5, 0.1, 32);
  EXPECT_TRUE(std::get<TriangleMesh>(hopper->geometry).closed);
  EXPECT_TRUE(std::get<TriangleMesh>(make_hopper(0.2, 1, 1, 0, 0.1, 32)->geometry).closed);
  const ShapePtr box = make_open_box({2, 4, 1}, 0.5);
  const Bounds b = bounds_of(*box, {});
  EXPECT_EQ(b.lower, (Vec3{-1.5, -2.5, -0.5}));
  EXPECT_EQ(b.upper, (Vec3{1.5, 2.5, 1}));
}

} // namespace
} // namespace talus
