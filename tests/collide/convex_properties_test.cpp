// Properties that hold for every pair of convex bodies, over random shapes and poses.

#include "support/contact_checks.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace talus {
namespace {

using test::brute_force_gap;
using test::convex_kinds;
using test::detect_pair;
using test::expect_sound;
using test::RandomGeometry;
using test::separation;
using test::smallest_gap;

bool is_curved(ShapeKind kind) {
  return kind == ShapeKind::cylinder || kind == ShapeKind::ellipsoid;
}

struct Scene {
  ShapePtr a, b;
  Transform pose_a, pose_b;
};

class ConvexPairs : public ::testing::TestWithParam<std::tuple<ShapeKind, ShapeKind>> {
protected:
  /// Bodies that touch, overlap a little or are a little apart: B is moved along a random direction
  /// until the separation along it is `gap`.
  Scene scene(double gap) {
    Scene s{random.convex(std::get<0>(GetParam())), random.convex(std::get<1>(GetParam())),
            random.pose(), random.pose()};
    const Vec3 n = random.direction();
    s.pose_b.position += (gap - separation(*s.a, s.pose_a, *s.b, s.pose_b, n)) * n;
    s.pose_b.position += 0.3 * cross(n, random.vector());
    return s;
  }
  RandomGeometry random{42};
};

TEST_P(ConvexPairs, NoDirectionSeparatesMoreThanTheSmallestGap) {
  const double envelope = 0.3;
  for (int i = 0; i < 25; ++i) {
    const Scene s = scene(random.uniform(-0.2, 0.2));
    const auto c = detect_pair(s.a, s.pose_a, s.b, s.pose_b, envelope);
    expect_sound(c, envelope);
    test::expect_points_to_be_the_gap_apart({{s.a, s.pose_a, 0}, {s.b, s.pose_b, 1}}, envelope,
                                            1e-6);
    // Every direction's separation bounds the signed gap from below.
    const double bound = brute_force_gap(*s.a, s.pose_a, *s.b, s.pose_b);
    if (bound > envelope + 1e-9) {
      EXPECT_TRUE(c.empty());
    } else if (bound < envelope - 1e-3) {
      ASSERT_FALSE(c.empty()) << bound;
      EXPECT_GE(smallest_gap(c), bound - 1e-10) << "scene " << i;
      EXPECT_LE(smallest_gap(c), bound + 1e-3) << "scene " << i;
    }
  }
}

TEST_P(ConvexPairs, SmallestGapEqualsTheSeparationAlongItsNormal) {
  for (int i = 0; i < 100; ++i) {
    const Scene s = scene(random.uniform(-0.2, 0.1));
    const auto c = detect_pair(s.a, s.pose_a, s.b, s.pose_b, 0.3);
    if (c.empty()) continue;
    const auto closest = std::min_element(
        c.begin(), c.end(), [](const auto& p, const auto& q) { return p.gap < q.gap; });
    // On a curved body the distance fixes the normal to the square root of rounding only, and
    // beside an edge the separation is of first order in the normal.
    const bool curved = is_curved(std::get<0>(GetParam())) || is_curved(std::get<1>(GetParam()));
    EXPECT_NEAR(closest->gap, separation(*s.a, s.pose_a, *s.b, s.pose_b, closest->normal),
                curved ? 2e-7 : 1e-10);
  }
}

TEST_P(ConvexPairs, SwappingTheBodiesFlipsTheNormal) {
  for (int i = 0; i < 60; ++i) {
    const Scene s = scene(random.uniform(-0.2, 0.2));
    const auto c = detect_pair(s.a, s.pose_a, s.b, s.pose_b, 0.2);
    const auto d = detect_pair(s.b, s.pose_b, s.a, s.pose_a, 0.2);
    ASSERT_EQ(c.empty(), d.empty());
    if (c.empty()) continue;
    EXPECT_NEAR(smallest_gap(c), smallest_gap(d), 1e-9);
  }
}

TEST_P(ConvexPairs, MovingTheWholeSceneChangesNoGap) {
  for (int i = 0; i < 60; ++i) {
    const Scene s = scene(random.uniform(-0.2, 0.2));
    const Transform t = random.pose(100);
    const auto c = detect_pair(s.a, s.pose_a, s.b, s.pose_b, 0.2);
    const auto d = detect_pair(s.a, t * s.pose_a, s.b, t * s.pose_b, 0.2);
    ASSERT_EQ(c.empty(), d.empty());
    if (c.empty()) continue;
    EXPECT_NEAR(smallest_gap(c), smallest_gap(d), 1e-9);
  }
}

TEST_P(ConvexPairs, MovingBAlongTheNormalChangesTheGapByAsMuch) {
  const double step = 1e-5;
  for (int i = 0; i < 60; ++i) {
    const Scene s = scene(random.uniform(-0.1, 0.1));
    const auto c = detect_pair(s.a, s.pose_a, s.b, s.pose_b, 0.2);
    if (c.empty()) continue;
    const auto closest = std::min_element(
        c.begin(), c.end(), [](const auto& p, const auto& q) { return p.gap < q.gap; });
    Transform moved = s.pose_b;
    moved.position += step * closest->normal;
    const auto d = detect_pair(s.a, s.pose_a, s.b, moved, 0.3);
    ASSERT_FALSE(d.empty());
    EXPECT_NEAR(smallest_gap(d), closest->gap + step, 2e-9);
  }
}

TEST_P(ConvexPairs, KeysSurviveSmallMotion) {
  int kept = 0, total = 0;
  for (int i = 0; i < 600; ++i) {
    const Scene s = scene(random.uniform(-0.1, 0.05));
    const auto c = detect_pair(s.a, s.pose_a, s.b, s.pose_b, 0.2);
    Transform moved = s.pose_b;
    moved.position += random.vector(1e-7);
    moved.rotation = normalized(exponential_map(random.vector(1e-7)) * moved.rotation);
    const auto d = detect_pair(s.a, s.pose_a, s.b, moved, 0.2);
    for (const auto& p : c) {
      ++total;
      for (const auto& q : d) kept += q.key == p.key && norm(q.point_a() - p.point_a()) < 1e-3;
    }
  }
  const bool curved = is_curved(std::get<0>(GetParam())) || is_curved(std::get<1>(GetParam()));
  EXPECT_GE(kept, (curved ? 0.9 : 0.99) * total) << kept << " of " << total;
}

INSTANTIATE_TEST_SUITE_P(All, ConvexPairs,
                         ::testing::Combine(::testing::ValuesIn(convex_kinds),
                                            ::testing::ValuesIn(convex_kinds)),
                         [](const auto& instance) {
                           return std::string(name_of(std::get<0>(instance.param))) + "_" +
                                  std::string(name_of(std::get<1>(instance.param)));
                         });

} // namespace
} // namespace talus
