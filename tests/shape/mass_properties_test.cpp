#include "support/random_geometry.h"
#include "talus/core/error.h"
#include "talus/shape/containers.h"
#include "talus/shape/mass_properties.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numbers>

namespace talus {
namespace {

using test::RandomGeometry;
constexpr double pi = std::numbers::pi;

void expect_near(const Mat3& a, const Mat3& b, double tolerance) {
  for (int i = 0; i < 9; ++i) EXPECT_NEAR(a.m[i], b.m[i], tolerance) << "entry " << i;
}

void expect_near(const MassProperties& a, const MassProperties& b, double tolerance) {
  EXPECT_NEAR(a.mass, b.mass, tolerance * b.mass);
  EXPECT_LE(norm(a.centre - b.centre), tolerance);
  expect_near(a.inertia, b.inertia, tolerance * b.mass);
}

TEST(MassProperties, ClosedForms) {
  const MassProperties ball = mass_properties(*make_sphere(2), 3);
  EXPECT_NEAR(ball.mass, 32 * pi, 1e-12);
  EXPECT_NEAR(ball.inertia(1, 1), 0.4 * 32 * pi * 4, 1e-11);
  const MassProperties box = mass_properties(*make_box({1, 2, 3}), 2);
  EXPECT_EQ(box.mass, 96);
  expect_near(box.inertia,
              Mat3::diagonal({96.0 / 12 * (16 + 36), 96.0 / 12 * (4 + 36), 96.0 / 12 * 20}), 1e-12);
  const MassProperties rod = mass_properties(*make_cylinder(0.5, 2), 1);
  EXPECT_NEAR(rod.mass, pi, 1e-14);
  expect_near(rod.inertia,
              Mat3::diagonal({pi * (3 * 0.25 + 16) / 12, pi * (3 * 0.25 + 16) / 12, pi / 8}),
              1e-13);
  const MassProperties egg = mass_properties(*make_ellipsoid({1, 2, 3}), 1);
  EXPECT_NEAR(egg.mass, 8 * pi, 1e-13);
  expect_near(egg.inertia, Mat3::diagonal({8 * pi / 5 * 13, 8 * pi / 5 * 10, 8 * pi / 5 * 5}),
              1e-12);
}

/// Midpoint rule over slices across the axis, whose disks have closed forms.
TEST(MassProperties, CapsuleEqualsTheSumOfItsSlices) {
  const double r = 0.7, h = 1.3;
  const int n = 200000;
  MassProperties sum;
  for (int k = 0; k < n; ++k) {
    const double dz = 2 * (r + h) / n, z = -(r + h) + (k + 0.5) * dz;
    const double cap = std::max(0.0, std::abs(z) - h);
    const double rr = r * r - cap * cap, m = pi * rr * dz;
    sum.mass += m;
    sum.inertia =
        sum.inertia + Mat3::diagonal({m * (rr / 4 + z * z), m * (rr / 4 + z * z), m * rr / 2});
  }
  expect_near(mass_properties(*make_capsule(r, h), 1), sum, 1e-8);
}

TEST(MassProperties, HullOfABoxEqualsTheBox) {
  const Transform pose{{3, -1, 2}, axis_angle({1, 1, 0}, 0.6)};
  std::vector<Vec3> corners = box_polyhedron({0.5, 1, 2}).vertices;
  for (Vec3& c : corners) c = pose(c);
  expect_near(mass_properties(*make_convex_hull(corners), 7),
              transformed(mass_properties(*make_box({0.5, 1, 2}), 7), pose), 1e-12);
}

/// A sphere as a subdivided octahedron; the volume's error falls with the square of the edge.
TEST(MassProperties, RefinedMeshesConvergeToTheBall) {
  std::vector<Vec3> v = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
  std::vector<Triangle> t = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4},
                             {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};
  const MassProperties ball = mass_properties(*make_sphere(1), 1);
  double last_error = 1e9;
  for (int level = 0; level < 5; ++level) {
    const ShapePtr mesh = make_triangle_mesh(v, t);
    ASSERT_TRUE(std::get<TriangleMesh>(mesh->geometry).closed);
    const MassProperties p = mass_properties(*mesh, 1);
    const double error =
        std::abs(p.mass - ball.mass) + std::abs(p.inertia(0, 0) - ball.inertia(0, 0));
    EXPECT_LE(norm(p.centre), 1e-14);
    if (level > 2) {
      EXPECT_NEAR(last_error / error, 4, 0.6);
    }
    last_error = error;
    std::vector<Triangle> finer;
    std::map<std::pair<Index, Index>, Index> middle;
    const auto between = [&](Index a, Index b) {
      const auto [it, is_new] = middle.emplace(std::minmax(a, b), static_cast<Index>(v.size()));
      if (is_new) v.push_back(normalized(v[a] + v[b]));
      return it->second;
    };
    for (const auto& [a, b, c] : t) {
      const Index ab = between(a, b), bc = between(b, c), ca = between(c, a);
      finer.insert(finer.end(), {{a, ab, ca}, {ab, b, bc}, {ca, bc, c}, {ab, bc, ca}});
    }
    t = std::move(finer);
  }
}

TEST(MassProperties, HullAgreesWithMonteCarlo) {
  RandomGeometry random(11);
  const ShapePtr shape = make_convex_hull(random.points(12));
  const Polyhedron& hull = std::get<ConvexHull>(shape->geometry).surface;
  const MassProperties exact = mass_properties(*shape, 1);
  const int n = 400000;
  int inside_count = 0;
  Vec3 sum;
  Mat3 second;
  for (int i = 0; i < n; ++i) {
    const Vec3 p = random.vector();
    bool inside = true;
    for (const auto& face : hull.faces) inside = inside && dot(face.normal, p) <= face.offset;
    if (!inside) continue;
    ++inside_count;
    sum += p;
    const Vec3 r = p - exact.centre;
    second =
        second + (dot(r, r) * Mat3::identity() + -1.0 * Mat3::columns(r.x * r, r.y * r, r.z * r));
  }
  const double share = 8.0 / n;
  EXPECT_NEAR(exact.mass, share * inside_count, 0.02);
  EXPECT_LE(norm(exact.centre - sum / inside_count), 0.01);
  expect_near(exact.inertia, share * second, 0.02);
}

TEST(MassProperties, CompoundOfHalvesEqualsTheWhole) {
  const ShapePtr half = make_box({0.5, 1, 1});
  const Transform turn{{0, 5, 0}, axis_angle({0, 0, 1}, 1)};
  const ShapePtr both = make_compound(
      {{half, turn * Transform{{-0.5, 0, 0}, {}}}, {half, turn * Transform{{0.5, 0, 0}, {}}}});
  expect_near(mass_properties(*both, 2),
              transformed(mass_properties(*make_box({1, 1, 1}), 2), turn), 1e-13);
}

TEST(MassProperties, ShellIsTheDifferenceOfTwoPrisms) {
  const int n = 40;
  const auto prism = [&](double inscribed) { return n * inscribed * inscribed * std::tan(pi / n); };
  EXPECT_NEAR(mass_properties(*make_cylinder_shell(1, 2, 0.5, n), 1).mass,
              2 * (prism(1.5) - prism(1)), 1e-12);
}

TEST(MassProperties, ShapesWithoutVolumeAndBadDensitiesAreRefused) {
  EXPECT_THROW(mass_properties(*make_half_space({0, 0, 1}), 1), InvalidArgument);
  EXPECT_THROW(mass_properties(*make_height_field(2, 2, 1, 1, {0, 0, 0, 0}), 1), InvalidArgument);
  const std::vector<Vec3> v = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  EXPECT_THROW(mass_properties(*make_triangle_mesh(v, {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}}), 1),
               InvalidArgument);
  const std::vector<Triangle> outward = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
  EXPECT_NEAR(mass_properties(*make_triangle_mesh(v, outward), 6).mass, 1, 1e-14);
  std::vector<Triangle> inward = outward;
  for (Triangle& t : inward) std::swap(t[0], t[1]);
  EXPECT_THROW(mass_properties(*make_triangle_mesh(v, inward), 1), InvalidArgument);
  EXPECT_THROW(mass_properties(*make_sphere(1), 0), InvalidArgument);
  EXPECT_THROW(mass_properties(*make_sphere(1), std::nan("")), InvalidArgument);
  EXPECT_THROW(with_mass(mass_properties(*make_sphere(1), 1), -1), InvalidArgument);
}

TEST(MassProperties, EigenDecompositionRebuildsTheMatrix) {
  RandomGeometry random(5);
  for (int i = 0; i < 500; ++i) {
    const Mat3 r = rotation_matrix(random.rotation());
    const Vec3 d = i % 3 == 0 ? Vec3{2, 2, random.uniform(1, 3)} : random.positive(1e-3, 10);
    const Mat3 a = r * Mat3::diagonal(d) * transpose(r);
    const SymmetricEigen eigen = symmetric_eigen(a);
    const Mat3 q = rotation_matrix(eigen.axes);
    expect_near(q * Mat3::diagonal(eigen.values) * transpose(q), a, 1e-13);
  }
  EXPECT_EQ(symmetric_eigen(Mat3::diagonal({3, 1, 2})).axes, Quaternion::identity());
}

TEST(MassProperties, PrincipalFrameDiagonalisesTheInertia) {
  RandomGeometry random(6);
  const MassProperties p = mass_properties(*make_convex_hull(random.points(20)), 1);
  const PrincipalFrame frame = principal_frame(p);
  const MassProperties local = transformed(p, frame.shape_in_body);
  EXPECT_LE(norm(local.centre), 1e-15);
  expect_near(local.inertia, Mat3::diagonal(frame.moments), 1e-14);
}

} // namespace
} // namespace talus
