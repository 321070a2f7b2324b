// Closed forms, pair by pair.

#include "support/contact_checks.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace talus {
namespace {

using test::detect_pair;
using test::expect_sound;
using test::smallest_gap;

constexpr double pi = std::numbers::pi;

void expect_near(const Vec3& a, const Vec3& b, double tolerance = 1e-13) {
  EXPECT_LE(norm(a - b), tolerance)
      << a.x << ' ' << a.y << ' ' << a.z << " against " << b.x << ' ' << b.y << ' ' << b.z;
}

Transform at(double x, double y, double z) {
  return {{x, y, z}, {}};
}

const ShapePtr ground = make_half_space({0, 0, 1});

TEST(Pairs, SphereOnSphere) {
  const auto c = detect_pair(make_sphere(1), at(0, 0, 0), make_sphere(2), at(3.1, 0, 0), 0.2);
  ASSERT_EQ(c.size(), 1u);
  EXPECT_NEAR(c[0].gap, 0.1, 1e-15);
  expect_near(c[0].normal, {1, 0, 0});
  expect_near(c[0].point_a(), {1, 0, 0});
  expect_near(c[0].point_b(), {1.1, 0, 0});
  EXPECT_TRUE(
      detect_pair(make_sphere(1), at(0, 0, 0), make_sphere(2), at(3.1, 0, 0), 0.09).empty());
}

TEST(Pairs, CoincidentSpheresHaveAUnitNormal) {
  const auto c = detect_pair(make_sphere(1), at(1, 2, 3), make_sphere(2), at(1, 2, 3), 0);
  ASSERT_EQ(c.size(), 1u);
  EXPECT_EQ(c[0].gap, -3);
  EXPECT_EQ(norm(c[0].normal), 1);
}

TEST(Pairs, ExactTouchCounts) {
  EXPECT_EQ(detect_pair(make_sphere(1), at(0, 0, 0), make_sphere(1), at(2, 0, 0), 0).size(), 1u);
  EXPECT_EQ(detect_pair(ground, {}, make_sphere(1), at(0, 0, 1), 0).size(), 1u);
  EXPECT_EQ(detect_pair(ground, {}, make_box({1, 1, 1}), at(0, 0, 1), 0).size(), 4u);
  EXPECT_EQ(detect_pair(make_box({1, 1, 1}), {}, make_box({1, 1, 1}), at(0, 0, 2), 0).size(), 4u);
}

TEST(Pairs, BoxOnPlaneHasFourPoints) {
  const auto c = detect_pair(ground, {}, make_box({1, 2, 3}), at(5, 5, 2.99), 0.1);
  ASSERT_EQ(c.size(), 4u);
  for (const auto& p : c) {
    EXPECT_NEAR(p.gap, -0.01, 1e-14);
    expect_near(p.normal, {0, 0, 1});
    EXPECT_NEAR(std::abs(p.point_b().x - 5), 1, 1e-14);
    EXPECT_NEAR(std::abs(p.point_b().y - 5), 2, 1e-14);
  }
}

TEST(Pairs, ColliderOrderDecidesTheNormal) {
  const auto c = detect_pair(make_box({1, 1, 1}), at(0, 0, 1), ground, {}, 0.1);
  ASSERT_EQ(c.size(), 4u);
  for (const auto& p : c) expect_near(p.normal, {0, 0, -1});
}

TEST(Pairs, TurnedHalfSpace) {
  const Transform slope{{1, 0, 0}, axis_angle({0, 1, 0}, pi / 6)};
  const Vec3 up = rotate(slope.rotation, {0, 0, 1});
  const auto c = detect_pair(make_half_space({0, 0, 1}, 0.5), slope, make_sphere(0.3),
                             {slope.position + 0.9 * up, {}}, 0.2);
  ASSERT_EQ(c.size(), 1u);
  EXPECT_NEAR(c[0].gap, 0.1, 1e-15);
  expect_near(c[0].normal, up);
}

TEST(Pairs, CapsuleOnPlane) {
  const Transform lying{{0, 0, 0.5}, axis_angle({0, 1, 0}, pi / 2)};
  const auto c = detect_pair(ground, {}, make_capsule(0.5, 1), lying, 0.01);
  ASSERT_EQ(c.size(), 2u);
  for (const auto& p : c) {
    EXPECT_NEAR(p.gap, 0, 1e-15);
    EXPECT_NEAR(std::abs(p.point_b().x), 1, 1e-15);
  }
  EXPECT_EQ(detect_pair(ground, {}, make_capsule(0.5, 1), at(0, 0, 1.5), 0.01).size(), 1u);
}

TEST(Pairs, StandingLyingAndTiltedCylinderOnPlane) {
  const ShapePtr cylinder = make_cylinder(0.5, 1);
  const auto standing = detect_pair(ground, {}, cylinder, at(0, 0, 1.001), 0.01);
  ASSERT_EQ(standing.size(), 8u);
  for (const auto& p : standing) {
    EXPECT_NEAR(p.gap, 0.001, 1e-14);
    EXPECT_NEAR(std::hypot(p.point_b().x, p.point_b().y), 0.5, 1e-14);
  }
  const Transform lying{{0, 0, 0.5}, axis_angle({0, 1, 0}, pi / 2)};
  EXPECT_EQ(detect_pair(ground, {}, cylinder, lying, 0.01).size(), 2u);
  for (double tilt : {0.1, 0.5, 1.0, 1.4}) {
    const double lowest = std::cos(tilt) + 0.5 * std::sin(tilt);
    const Transform pose{{0, 0, lowest + 0.002}, axis_angle({0.6, 0.8, 0}, tilt)};
    const auto c = detect_pair(ground, {}, cylinder, pose, 0.0021);
    ASSERT_GE(c.size(), 1u);
    EXPECT_NEAR(smallest_gap(c), 0.002, 1e-14) << tilt;
  }
}

TEST(Pairs, EllipsoidOnPlane) {
  const auto c = detect_pair(ground, {}, make_ellipsoid({1, 2, 3}),
                             {{0, 0, 1.9}, axis_angle({1, 0, 0}, pi / 2)}, 0.1);
  ASSERT_EQ(c.size(), 1u);
  EXPECT_NEAR(c[0].gap, -0.1, 1e-14);
}

TEST(Pairs, SphereAgainstFaceEdgeCornerAndInsideOfABox) {
  const ShapePtr box = make_box({1, 2, 3}), ball = make_sphere(0.5);
  const auto gap = [&](const Vec3& c) {
    const auto contacts = detect_pair(box, {}, ball, {c, {}}, 1);
    EXPECT_EQ(contacts.size(), 1u);
    expect_sound(contacts, 1);
    return contacts.at(0).gap;
  };
  EXPECT_NEAR(gap({1.7, 0.3, 0.2}), 0.2, 1e-15);
  EXPECT_NEAR(gap({1.3, 2.4, 0.2}), 0, 1e-15);
  EXPECT_NEAR(gap({1.2, 2.3, 3.6}), std::sqrt(0.04 + 0.09 + 0.36) - 0.5, 1e-15);
  EXPECT_NEAR(gap({0.9, 0, 0}), -0.6, 1e-15);
  EXPECT_NEAR(gap({0, 0, 0}), -1.5, 1e-15);
}

TEST(Pairs, SphereAgainstCylinder) {
  const ShapePtr cylinder = make_cylinder(1, 2), ball = make_sphere(0.5);
  const auto gap = [&](const Vec3& c) {
    const auto contacts = detect_pair(cylinder, {}, ball, {c, {}}, 1);
    expect_sound(contacts, 1);
    return smallest_gap(contacts);
  };
  EXPECT_NEAR(gap({1.2, 1.1, 0.3}), std::hypot(1.2, 1.1) - 1.5, 1e-12);
  EXPECT_NEAR(gap({0.2, 0.3, 2.7}), 0.2, 1e-12);
  EXPECT_NEAR(gap({1.3, 0, 2.4}), 0, 1e-12);
  EXPECT_NEAR(gap({0.2, 0.3, 1.9}), -0.6, 1e-11);
  EXPECT_NEAR(gap({0.9, 0, 0}), -0.6, 1e-11);
}

TEST(Pairs, CrossedAndParallelCapsules) {
  const ShapePtr capsule = make_capsule(0.25, 1);
  const Quaternion along_x = axis_angle({0, 1, 0}, pi / 2);
  const auto crossed = detect_pair(capsule, {}, capsule, {{0, 0.6, 0}, along_x}, 0.2);
  ASSERT_EQ(crossed.size(), 1u);
  EXPECT_NEAR(crossed[0].gap, 0.1, 1e-15);
  expect_near(crossed[0].normal, {0, 1, 0});
  const auto parallel = detect_pair(capsule, {}, capsule, at(0, 0.6, 0.5), 0.2);
  ASSERT_EQ(parallel.size(), 2u);
  EXPECT_NEAR(std::abs(parallel[0].point_a().z - parallel[1].point_a().z), 1.5, 1e-14);
  const auto inline_ones = detect_pair(capsule, {}, capsule, at(0, 0, 2.6), 0.2);
  ASSERT_EQ(inline_ones.size(), 1u);
  EXPECT_NEAR(inline_ones[0].gap, 0.1, 1e-14);
  const auto same = detect_pair(capsule, {}, capsule, {}, 0);
  ASSERT_GE(same.size(), 1u);
  EXPECT_NEAR(same[0].gap, -0.5, 1e-15);
}

TEST(Pairs, CapsulesAtAnAngleTouchOnBothSidesOfTheClosestPoints) {
  const ShapePtr capsule = make_capsule(0.25, 1);
  for (const double angle : {0.1, 0.3, 0.6, 1.2}) {
    const Quaternion turn = axis_angle({0, 1, 0}, angle);
    const auto c = detect_pair(capsule, {}, capsule, {{0, 0.6, 0}, turn}, 0.6);
    ASSERT_EQ(c.size(), 3u) << angle;
    // As far as the axes run side by side, and no farther than half of 0.6 m / sin θ. There the
    // axes are 0.6 m apart in y, and across as the closest point of the other one is.
    const double reach = 0.3 / std::sin(angle);
    const double across = reach < std::cos(angle) ? reach * std::sin(angle) : std::sin(angle);
    const double along = std::min(reach, std::cos(angle));
    int beside = 0;
    for (const ContactPoint& point : c) {
      if (std::abs(point.point.z) < 1e-9) {
        EXPECT_NEAR(point.gap, 0.1, 1e-14);
        continue;
      }
      ++beside;
      EXPECT_NEAR(point.gap, std::hypot(0.6, across) - 0.5, 1e-12) << angle;
      EXPECT_LE(std::abs(point.point.z), along + 1e-12);
    }
    EXPECT_EQ(beside, 2);
    expect_sound(c, 0.6);
  }
}

TEST(Pairs, CapsulesEndOnTouchInOnePoint) {
  const ShapePtr capsule = make_capsule(0.25, 1);
  for (const double angle : {0.0, 0.2}) {
    const Quaternion turn = axis_angle({0, 1, 0}, angle);
    const Transform above{Vec3{0, 0, 1.5} + rotate(turn, {0, 0, 1}), turn};
    const auto c = detect_pair(capsule, {}, capsule, above, 0.2);
    ASSERT_EQ(c.size(), 1u) << angle;
    EXPECT_NEAR(c[0].gap, 0, 1e-14);
    expect_near(c[0].normal, {0, 0, 1});
  }
}

TEST(Pairs, CapsuleAlongAnEdgeOfABoxTouchesOnBothSides) {
  const ShapePtr box = make_box({1, 1, 1}), hull = make_convex_hull({{-1, -1, -1},
                                                                     {1, -1, -1},
                                                                     {-1, 1, -1},
                                                                     {1, 1, -1},
                                                                     {-1, -1, 1},
                                                                     {1, -1, 1},
                                                                     {-1, 1, 1},
                                                                     {1, 1, 1}});
  const ShapePtr capsule = make_capsule(0.25, 0.5);
  // Diagonally above the edge along z, tilted by 0.1 across the diagonal.
  const Vec3 out = normalized(Vec3{1, 1, 0});
  const Transform pose{Vec3{1, 1, 0} + 0.3 * out, axis_angle(out, 0.1)};
  for (const ShapePtr& body : {box, hull}) {
    const auto c = detect_pair(body, {}, capsule, pose, 0.1);
    ASSERT_EQ(c.size(), 3u);
    EXPECT_NEAR(smallest_gap(c), 0.05, 1e-12);
    const auto [low, high] = std::minmax_element(
        c.begin(), c.end(), [](const auto& a, const auto& b) { return a.point.z < b.point.z; });
    EXPECT_NEAR(high->point.z - low->point.z, 2 * 0.5 * std::cos(0.1), 1e-12);
    // Ends of the axis are off the edge by 0.5 sin(0.1).
    EXPECT_NEAR(low->gap, std::hypot(0.3, 0.5 * std::sin(0.1)) - 0.25, 1e-12);
    EXPECT_NEAR(high->gap, low->gap, 1e-12);
    expect_sound(c, 0.1);
  }
}

TEST(Pairs, StackedBoxesShareTheirOverlap) {
  const ShapePtr box = make_box({1, 1, 1});
  const auto c = detect_pair(box, {}, box, at(0.5, 0.25, 2.01), 0.1);
  ASSERT_EQ(c.size(), 4u);
  expect_sound(c, 0.1);
  for (const auto& p : c) {
    EXPECT_NEAR(p.gap, 0.01, 1e-14);
    expect_near(p.normal, {0, 0, 1});
    EXPECT_TRUE(std::abs(p.point_a().x + 0.5) < 1e-12 || std::abs(p.point_a().x - 1) < 1e-12);
    EXPECT_TRUE(std::abs(p.point_a().y + 0.75) < 1e-12 || std::abs(p.point_a().y - 1) < 1e-12);
  }
}

TEST(Pairs, BoxTurnedByAnEighthOverlapsInAnOctagon) {
  const ShapePtr box = make_box({1, 1, 1});
  const auto c = detect_pair(box, {}, box, {{0, 0, 1.99}, axis_angle({0, 0, 1}, pi / 4)}, 0.1);
  ASSERT_EQ(c.size(), 8u);
  for (const auto& p : c) {
    EXPECT_NEAR(p.gap, -0.01, 1e-14);
    EXPECT_NEAR(std::hypot(p.point_a().x, p.point_a().y), 1 / std::cos(pi / 8), 1e-12);
  }
}

TEST(Pairs, CrossedBoxEdgesMeetInOnePoint) {
  const ShapePtr box = make_box({1, 1, 1});
  // The top edge of A runs along y, the bottom edge of B along x.
  const Transform a{{0, 0, 0}, axis_angle({0, 1, 0}, pi / 4)};
  for (double gap : {-0.02, 0.02}) {
    const Transform b{{0.1, 0.2, 2 * std::sqrt(2.0) + gap}, axis_angle({1, 0, 0}, pi / 4)};
    const auto c = detect_pair(box, a, box, b, 0.1);
    ASSERT_EQ(c.size(), 1u);
    EXPECT_NEAR(c[0].gap, gap, 1e-12);
    expect_near(c[0].normal, {0, 0, 1}, 1e-12);
    expect_near(c[0].point_a(), {0, 0.2 - 0.2 + c[0].point_a().y, std::sqrt(2.0)}, 1e-12);
  }
}

TEST(Pairs, ParallelEdgesApartMeetInTwoPoints) {
  const ShapePtr box = make_box({1, 1, 1});
  const auto c = detect_pair(box, {}, box, at(2.3, 0.5, 2.4), 0.6);
  ASSERT_EQ(c.size(), 2u);
  for (const auto& p : c) {
    EXPECT_NEAR(p.gap, 0.5, 1e-14);
    expect_near(p.normal, {0.6, 0, 0.8}, 1e-12);
  }
}

TEST(Pairs, CornersApartMeetInOnePoint) {
  const ShapePtr box = make_box({1, 1, 1});
  const auto c = detect_pair(box, {}, box, at(2.2, 2.1, 2.2), 0.5);
  ASSERT_EQ(c.size(), 1u);
  EXPECT_NEAR(c[0].gap, 0.3, 1e-14);
}

TEST(Pairs, CapsuleAndCylinderLyingOnABox) {
  const ShapePtr box = make_box({2, 2, 1});
  const Transform lying{{0, 0, 1.5}, axis_angle({0, 1, 0}, pi / 2)};
  for (const ShapePtr& shape : {make_capsule(0.5, 1), make_cylinder(0.5, 1)}) {
    const auto c = detect_pair(box, {}, shape, lying, 0.01);
    ASSERT_EQ(c.size(), 2u) << name_of(kind_of(*shape));
    for (const auto& p : c) {
      EXPECT_NEAR(p.gap, 0, 1e-13);
      expect_near(p.normal, {0, 0, 1});
      EXPECT_NEAR(std::abs(p.point_a().x), 1, 1e-13);
    }
  }
}

TEST(Pairs, CylinderStandingOnABoxAndOnACylinder) {
  for (double gap : {-1e-3, -1e-9, 0.0, 1e-13, 1e-9, 1e-3}) {
    const ShapePtr cylinder = make_cylinder(0.5, 1);
    for (const ShapePtr& below : {make_box({2, 2, 1}), make_cylinder(2, 1)}) {
      const auto c = detect_pair(below, {}, cylinder, at(0.1, 0.2, 2 + gap), 0.01);
      EXPECT_EQ(c.size(), 8u) << name_of(kind_of(*below)) << ' ' << gap;
      for (const auto& p : c) {
        EXPECT_NEAR(p.gap, gap, 1e-13);
        expect_near(p.normal, {0, 0, 1});
      }
    }
  }
}

TEST(Pairs, EllipsoidsAlongTheirAxes) {
  const ShapePtr a = make_ellipsoid({1, 2, 3}), b = make_ellipsoid({0.5, 1, 1.5});
  for (double gap : {-0.1, -1e-6, 1e-12, 1e-6, 0.1}) {
    const auto c = detect_pair(a, {}, b, at(0, 3 + gap, 0), 0.2);
    ASSERT_EQ(c.size(), 1u) << gap;
    EXPECT_NEAR(c[0].gap, gap, 1e-11);
    expect_near(c[0].normal, {0, 1, 0}, 1e-4);
  }
}

/// The contacts of two boxes, which have a search of their own for separating axes, and of the
/// hulls of their corners.
TEST(Pairs, BoxesTouchAsTheHullsOfTheirCornersDo) {
  test::RandomGeometry random{7};
  const auto corners = [](const Vec3& h) {
    std::vector<Vec3> list;
    for (int k = 0; k < 8; ++k)
      list.push_back({k & 1 ? h.x : -h.x, k & 2 ? h.y : -h.y, k & 4 ? h.z : -h.z});
    return list;
  };
  const auto by_place = [](const ContactPoint& p, const ContactPoint& q) {
    const Vec3 weights{1, 3.1, 7.7};
    return dot(weights, p.point) < dot(weights, q.point);
  };
  int several = 0, apart = 0, edges = 0;
  for (int i = 0; i < 400; ++i) {
    const auto size = [&] { return random.uniform(0.3, 1.2); };
    const Vec3 h{size(), size(), size()}, g{size(), size(), size()};
    const Transform a = random.pose();
    Transform b = random.pose();
    b.position = a.position + random.uniform(0.5, 2.2) * random.direction();
    auto boxes = detect_pair(make_box(h), a, make_box(g), b, 0.2);
    auto hulls = detect_pair(make_convex_hull(corners(h)), a, make_convex_hull(corners(g)), b, 0.2);
    ASSERT_EQ(boxes.size(), hulls.size()) << i;
    std::ranges::sort(boxes, by_place);
    std::ranges::sort(hulls, by_place);
    for (std::size_t k = 0; k < boxes.size(); ++k) {
      EXPECT_NEAR(boxes[k].gap, hulls[k].gap, 1e-12) << i;
      expect_near(boxes[k].normal, hulls[k].normal, 1e-9);
      expect_near(boxes[k].point, hulls[k].point, 1e-9);
    }
    several += boxes.size() > 1;
    apart += !boxes.empty() && smallest_gap(boxes) > 0;
    edges += boxes.size() == 1;
  }
  EXPECT_GT(several, 20);
  EXPECT_GT(apart, 20);
  EXPECT_GT(edges, 20);
}

TEST(Pairs, HullOfABoxActsAsTheBox) {
  const ShapePtr box = make_box({1, 1, 1});
  const ShapePtr hull = make_convex_hull(box_polyhedron({1, 1, 1}).vertices);
  test::RandomGeometry random(3);
  for (int i = 0; i < 300; ++i) {
    const Transform pose{random.vector(1.9), random.rotation()};
    const auto p = detect_pair(box, {}, box, pose, 0.1), q = detect_pair(hull, {}, hull, pose, 0.1);
    ASSERT_EQ(p.size(), q.size());
    if (!p.empty()) {
      EXPECT_NEAR(smallest_gap(p), smallest_gap(q), 1e-12);
    }
  }
}

} // namespace
} // namespace talus
