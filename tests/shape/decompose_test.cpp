// Convex decomposition of meshes.

#include "talus/core/error.h"
#include "talus/shape/containers.h"
#include "talus/shape/cut_solid.h"
#include "talus/shape/decompose.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

namespace talus {
namespace {

const TriangleMesh& mesh_in(const ShapePtr& shape) {
  return std::get<TriangleMesh>(shape->geometry);
}

/// A prism over a polygon that is star-shaped about the origin, from z = 0 to 1.
TriangleMesh star_prism(const std::vector<Vec3>& outline) {
  std::vector<Vec3> points;
  const auto n = static_cast<Index>(outline.size());
  for (const double z : {0.0, 1.0})
    for (const Vec3& p : outline) points.push_back({p.x, p.y, z});
  points.push_back({0, 0, 0});
  points.push_back({0, 0, 1});
  std::vector<Triangle> triangles;
  for (Index i = 0; i < n; ++i) {
    const Index j = (i + 1) % n;
    triangles.push_back({i, j, n + j});
    triangles.push_back({i, n + j, n + i});
    triangles.push_back({j, i, 2 * n});
    triangles.push_back({n + i, n + j, 2 * n + 1});
  }
  return build_triangle_mesh(points, triangles);
}

/// A star with `tips` points, alternating between two radii.
TriangleMesh star(int tips) {
  std::vector<Vec3> outline;
  for (int i = 0; i < 2 * tips; ++i) {
    const double angle = std::numbers::pi * i / tips, r = i % 2 == 0 ? 1.0 : 0.5;
    outline.push_back({r * std::cos(angle), r * std::sin(angle), 0});
  }
  return star_prism(outline);
}

TEST(CutSolids, KeepTheVolume) {
  std::mt19937 engine(1);
  std::uniform_real_distribution<double> number(-1, 1);
  const TriangleMesh mesh = star(7);
  const double whole = mass_properties(*make_triangle_mesh(mesh), 1).mass;
  for (int trial = 0; trial < 20; ++trial) {
    std::vector<CutSolid> parts = {solid_of(mesh)};
    EXPECT_NEAR(parts[0].volume, whole, 1e-13);
    for (int k = 0; k < 4; ++k) {
      const Vec3 normal = normalized(Vec3{number(engine), number(engine), number(engine)});
      const CutPlane plane{normal, dot(normal, {0.3 * number(engine), 0.3 * number(engine), 0.5})};
      std::vector<CutSolid> next;
      for (const CutSolid& part : parts) {
        Halves halves = cut(part, plane);
        EXPECT_NEAR(halves.lower.volume + halves.upper.volume, part.volume, 1e-12);
        EXPECT_GE(halves.lower.volume, -1e-12);
        next.push_back(std::move(halves.lower));
        next.push_back(std::move(halves.upper));
      }
      parts = std::move(next);
    }
    double sum = 0;
    for (const CutSolid& part : parts) sum += part.volume;
    EXPECT_NEAR(sum, whole, 1e-11);
  }
}

/// A cube of edge 1, cut along its faces and through its corners.
TEST(CutSolids, AdmitPlanesThroughVerticesAndFaces) {
  const TriangleMesh cube =
      star_prism({{0.5, 0.5, 0}, {-0.5, 0.5, 0}, {-0.5, -0.5, 0}, {0.5, -0.5, 0}});
  const double r = 1 / std::numbers::sqrt2;
  const Halves diagonal = cut(solid_of(cube), {{r, r, 0}, 0});
  EXPECT_NEAR(diagonal.lower.volume, 0.5, 1e-15);
  EXPECT_NEAR(diagonal.upper.volume, 0.5, 1e-15);
  const Halves face = cut(solid_of(cube), {{0, 0, 1}, 1});
  EXPECT_NEAR(face.lower.volume, 1, 1e-15);
  EXPECT_NEAR(face.upper.volume, 0, 1e-15);
}

TEST(CutSolids, KnowWhatLiesInside) {
  const TriangleMesh mesh = star(5);
  EXPECT_TRUE(contains(mesh, {0, 0, 0.5}));
  EXPECT_TRUE(contains(mesh, {0.9, 0, 0.5}));
  EXPECT_FALSE(contains(mesh, {-0.9, 0, 0.5}));
  EXPECT_FALSE(contains(mesh, {0, 0, 1.5}));
}

TEST(Decomposition, OfAConvexMeshIsItself) {
  const TriangleMesh cube =
      star_prism({{0.5, 0.5, 0}, {-0.5, 0.5, 0}, {-0.5, -0.5, 0}, {0.5, -0.5, 0}});
  const Decomposition parts = decompose(cube);
  EXPECT_EQ(parts.hulls.size(), 1U);
  EXPECT_NEAR(parts.volume_error(), 0, 1e-12);
}

TEST(Decomposition, OfStarsNeedsFewParts) {
  for (const int tips : {3, 5, 8}) {
    const Decomposition parts = decompose(star(tips), {.parts = 4 * tips, .tolerance = 0.01});
    EXPECT_LE(std::abs(parts.volume_error()), 0.011) << tips;
    EXPECT_LE(parts.hulls.size(), static_cast<std::size_t>(4 * tips));
  }
}

TEST(Decomposition, OfATubeAndAFunnelComesClose) {
  for (const ShapePtr& shape :
       {make_cylinder_shell(0.5, 0.4, 0.2, 24), make_hopper(0.2, 0.6, 0.5, 0.1, 0.1, 24)}) {
    double last = 1e300;
    for (const int parts : {4, 16, 40}) {
      const Decomposition found = decompose(mesh_in(shape), {.parts = parts, .tolerance = 0});
      EXPECT_LE(found.hulls.size(), static_cast<std::size_t>(parts));
      EXPECT_LT(found.volume_error(), last);
      EXPECT_GE(found.volume_error(), -0.01) << "hulls hold their parts, but for dropped vertices";
      last = found.volume_error();
    }
    EXPECT_LT(last, 0.15);
  }
}

TEST(Decomposition, KeepsTheMassPropertiesAndTheBits) {
  const TriangleMesh mesh = star(6);
  const ShapePtr shape = make_decomposed(mesh, {.parts = 12});
  const MassProperties mine = mass_properties(*shape, 500);
  const MassProperties wanted = mass_properties(*make_triangle_mesh(mesh), 500);
  EXPECT_EQ(mine.mass, wanted.mass);
  EXPECT_EQ(mine.centre, wanted.centre);
  EXPECT_EQ(decompose(mesh).hulls, decompose(mesh).hulls);
}

TEST(Decomposition, RefusesOpenMeshesAndBadOptions) {
  const TriangleMesh open = build_triangle_mesh({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}});
  EXPECT_THROW(decompose(open), InvalidArgument);
  EXPECT_THROW(decompose(star(3), {.parts = 0}), InvalidArgument);
  EXPECT_THROW(decompose(star(3), {.tolerance = -1}), InvalidArgument);
  EXPECT_THROW(decompose(star(3), {.vertices = 3}), InvalidArgument);
}

} // namespace
} // namespace talus
