// Triangle meshes and height fields.

#include "support/contact_checks.h"
#include "talus/core/error.h"
#include "talus/shape/containers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <set>

namespace talus {
namespace {

using test::convex_kinds;
using test::detect;
using test::detect_pair;
using test::expect_sound;
using test::RandomGeometry;
using test::smallest_gap;

ShapePtr box_mesh(const Vec3& half_extents) {
  const Polyhedron p = box_polyhedron(half_extents);
  std::vector<Triangle> triangles;
  for (const auto& face : p.faces) {
    for (Index k = 1; k + 1 < face.count; ++k) {
      triangles.push_back({p.loop[face.first], p.loop[face.first + k], p.loop[face.first + k + 1]});
    }
  }
  return make_triangle_mesh(p.vertices, triangles);
}

/// An open floor of n x n unit squares from (0, 0) at z = 0.
ShapePtr floor_mesh(Index n) {
  std::vector<Vec3> vertices;
  std::vector<Triangle> triangles;
  for (Index j = 0; j <= n; ++j) {
    for (Index i = 0; i <= n; ++i) vertices.push_back({1.0 * i, 1.0 * j, 0});
  }
  for (Index j = 0; j < n; ++j) {
    for (Index i = 0; i < n; ++i) {
      const Index a = j * (n + 1) + i, b = a + 1, c = a + n + 1, d = c + 1;
      triangles.push_back({a, b, d});
      triangles.push_back({a, d, c});
    }
  }
  return make_triangle_mesh(vertices, triangles);
}

ShapePtr flat_field(Index n) {
  return make_height_field(n + 1, n + 1, 1, 1,
                           std::vector<double>(static_cast<std::size_t>((n + 1) * (n + 1)), 0.0));
}

std::vector<ContactPoint> on(const ShapePtr& surface, const ShapePtr& body, const Transform& pose,
                             double envelope, const Transform& surface_pose = {}) {
  return detect({{surface, surface_pose, 0, false}, {body, pose, 1}}, envelope);
}

TEST(Surface, SphereAgainstASolidMeshEqualsTheBox) {
  RandomGeometry random(31);
  const Vec3 h{1, 0.7, 0.5};
  const ShapePtr box = make_box(h), mesh = box_mesh(h), ball = make_sphere(0.3);
  ASSERT_TRUE(std::get<TriangleMesh>(mesh->geometry).closed);
  const Transform pose = random.pose(2);
  for (int i = 0; i < 3000; ++i) {
    const Transform at{pose(random.vector(1.6)), {}};
    const auto p = on(box, ball, at, 0.2, pose), q = on(mesh, ball, at, 0.2, pose);
    ASSERT_EQ(p.empty(), q.empty());
    if (p.empty()) continue;
    EXPECT_EQ(q.size(), 1u);
    expect_sound(q, 0.2);
    test::expect_points_to_be_the_gap_apart({{mesh, pose, 0}, {ball, at, 1}}, 0.2);
    EXPECT_NEAR(smallest_gap(p), smallest_gap(q), 1e-12);
    if (p[0].gap > -0.29) {
      EXPECT_LE(norm(p[0].normal - q[0].normal), 1e-9);
    }
  }
}

TEST(Surface, ConvexBodiesOutsideASolidMeshHaveTheGapsOfTheBox) {
  RandomGeometry random(32);
  const Vec3 h{1, 0.7, 0.5};
  const ShapePtr box = make_box(h), mesh = box_mesh(h);
  for (ShapeKind kind : convex_kinds) {
    int touching = 0;
    for (int i = 0; i < 400; ++i) {
      const ShapePtr body = random.convex(kind);
      const Transform pose = random.pose(2.2);
      const auto p = on(box, body, pose, 0.2);
      if (!p.empty() && smallest_gap(p) < 0) continue;
      const auto q = on(mesh, body, pose, 0.2);
      ASSERT_EQ(p.empty(), q.empty()) << name_of(kind) << ' ' << smallest_gap(p);
      if (p.empty()) continue;
      ++touching;
      EXPECT_NEAR(smallest_gap(p), smallest_gap(q), 1e-9) << name_of(kind);
    }
    EXPECT_GT(touching, 10);
  }
}

TEST(Surface, SphereRollsOverSeamsWithOneUprightContact) {
  RandomGeometry random(33);
  const ShapePtr ball = make_sphere(0.4);
  for (const ShapePtr& floor : {floor_mesh(6), flat_field(6)}) {
    for (int i = 0; i < 2000; ++i) {
      double x = random.uniform(0.1, 5.9), y = random.uniform(0.1, 5.9);
      if (i % 4 == 0) x = std::round(x);
      if (i % 8 == 0) y = x;
      const auto c = on(floor, ball, {{x, y, 0.399}, {}}, 0.1);
      ASSERT_GE(c.size(), 1u);
      for (const auto& p : c) {
        EXPECT_LE(norm(p.normal - Vec3{0, 0, 1}), 1e-7);
        EXPECT_NEAR(p.gap, -0.001, 1e-12);
      }
      if (i % 4 != 0) {
        EXPECT_EQ(c.size(), 1u);
      }
    }
  }
}

TEST(Surface, BodiesOnAFlatSurfaceFeelOnlyTheFloor) {
  RandomGeometry random(34);
  const ShapePtr plane = make_half_space({0, 0, 1});
  for (const ShapePtr& floor : {floor_mesh(8), flat_field(8)}) {
    for (ShapeKind kind : convex_kinds) {
      for (int i = 0; i < 60; ++i) {
        const ShapePtr body = random.convex(kind);
        Transform pose{{random.uniform(2, 6), random.uniform(2, 6), 0}, random.rotation()};
        pose.position.z = random.uniform(-0.02, 0.02) - bounds_of(*body, pose).lower.z;
        const auto c = on(floor, body, pose, 0.05), d = on(plane, body, pose, 0.05);
        ASSERT_FALSE(c.empty()) << name_of(kind);
        EXPECT_NEAR(smallest_gap(c), smallest_gap(d), 1e-9) << name_of(kind);
        for (const auto& p : c) {
          EXPECT_LE(norm(p.normal - Vec3{0, 0, 1}), 1e-6) << name_of(kind) << ' ' << i;
        }
      }
    }
  }
}

TEST(Surface, OpenMeshesAreTwoSided) {
  const ShapePtr floor = floor_mesh(4), ball = make_sphere(0.5);
  for (double side : {1.0, -1.0}) {
    const auto c = on(floor, ball, {{1.3, 1.6, 0.45 * side}, {}}, 0.1);
    ASSERT_EQ(c.size(), 1u);
    EXPECT_NEAR(c[0].gap, -0.05, 1e-14);
    EXPECT_NEAR(c[0].normal.z, side, 1e-14);
    const auto d = on(floor, make_box({0.4, 0.4, 0.4}), {{1.5, 1.5, 0.39 * side}, {}}, 0.1);
    ASSERT_GE(d.size(), 4u);
    for (const auto& p : d) EXPECT_NEAR(p.normal.z, side, 1e-14);
  }
}

TEST(Surface, BoundaryEdgesOfASheetTouch) {
  const auto c = on(floor_mesh(4), make_sphere(0.5), {{-0.3, 2.3, 0.3}, {}}, 0.1);
  ASSERT_EQ(c.size(), 1u);
  EXPECT_NEAR(c[0].gap, 0.3 * std::sqrt(2.0) - 0.5, 1e-14);
}

TEST(Surface, BuriedBodiesArePushedOut) {
  const ShapePtr mesh = box_mesh({2, 2, 1});
  for (const ShapePtr& body : {make_sphere(0.2), make_box({0.2, 0.2, 0.2})}) {
    const auto c = on(mesh, body, {{0.1, 0.2, 0.3}, {}}, 0);
    ASSERT_EQ(c.size(), 1u);
    EXPECT_NEAR(c[0].normal.z, 1, 1e-12);
    EXPECT_NEAR(c[0].gap, -0.9, 1e-12);
    const auto d = on(flat_field(8), body, {{2.2, 3.1, -0.7}, {}}, 0);
    ASSERT_EQ(d.size(), 1u);
    EXPECT_NEAR(d[0].gap, -0.9, 1e-12);
  }
}

TEST(Surface, SphereInAShellTouchesTheInscribedCircle) {
  const int segments = 24;
  const ShapePtr shell = make_cylinder_shell(1, 2, 0.1, segments);
  for (int k = 0; k < segments; ++k) {
    const double angle = (2 * k + 1) * std::numbers::pi / segments;
    const Transform at{{0.79 * std::cos(angle), 0.79 * std::sin(angle), 1.1}, {}};
    const auto c = on(shell, make_sphere(0.2), at, 0.011);
    ASSERT_EQ(c.size(), 1u);
    EXPECT_NEAR(c[0].gap, 0.01, 1e-12);
    EXPECT_LE(norm(c[0].normal + Vec3{std::cos(angle), std::sin(angle), 0}), 1e-12);
  }
  EXPECT_TRUE(on(shell, make_sphere(0.5), {{0, 0, 1}, {}}, 0.1).empty());
}

TEST(Surface, HeightFieldSlopeHasItsNormal) {
  std::vector<double> heights;
  for (int j = 0; j < 5; ++j) {
    for (int i = 0; i < 5; ++i) heights.push_back(0.75 * i);
  }
  const auto c = on(make_height_field(5, 5, 1, 1, heights), make_sphere(0.5),
                    {Vec3{2.2, 1.7, 1.65} + 0.45 * Vec3{-0.6, 0, 0.8}, {}}, 0.1);
  ASSERT_EQ(c.size(), 1u);
  EXPECT_NEAR(c[0].gap, -0.05, 1e-14);
  EXPECT_LE(norm(c[0].normal - Vec3{-0.6, 0, 0.8}), 1e-14);
}

TEST(Surface, MovableMeshRestsOnAPlaneButNotOnAMesh) {
  const ShapePtr mesh = box_mesh({1, 1, 1});
  EXPECT_EQ(detect_pair(make_half_space({0, 0, 1}), {}, mesh, {{0, 0, 1}, {}}, 0.01).size(), 4u);
  EXPECT_THROW(detect_pair(mesh, {}, mesh, {{0, 0, 1}, {}}, 0.01), UnsupportedPair);
  EXPECT_TRUE(detect({{mesh, {}, 0, false}, {mesh, {{0, 0, 1}, {}}, 1, false}}, 0.01).empty());
}

} // namespace
} // namespace talus
