// The detector as a whole: broad phase, filters, order, determinism, errors.

#include "support/contact_checks.h"
#include "talus/core/error.h"
#include "talus/core/parallel.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

namespace talus {
namespace {

using test::detect;
using test::expect_sound;
using test::order_of;
using test::RandomGeometry;

/// Bodies of sizes over four decades, some of them planes, compounds and fixed ones.
std::vector<Collider> mixed_scene(RandomGeometry& random, int count) {
  std::vector<Collider> scene;
  for (int i = 0; i < count; ++i) {
    const double size = std::pow(10.0, random.uniform(-2.5, i % 50 == 0 ? 1.5 : 0));
    Collider c;
    switch (random.integer(0, 4)) {
    case 0:
      c.shape = make_box(size * random.positive(0.2, 1));
      break;
    case 1:
      c.shape = make_capsule(0.3 * size, 0.7 * size);
      break;
    case 2:
      c.shape = make_compound({{make_sphere(size), {{size, 0, 0}, {}}},
                               {make_box({size, size / 2, size / 3}), random.pose(size)}});
      break;
    default:
      c.shape = make_sphere(size);
    }
    c.pose = random.pose(4);
    c.body = i;
    c.movable = random.integer(0, 9) > 0;
    if (i % 97 == 0) {
      c.shape = make_half_space(random.direction(), -4);
      c.movable = false;
    }
    scene.push_back(c);
  }
  return scene;
}

/// Pair by pair, each in a scene of its own.
std::vector<ContactPoint> all_pairs(const std::vector<Collider>& scene, double envelope) {
  std::vector<ContactPoint> all;
  CollisionDetector detector;
  std::vector<ContactPoint> found;
  for (std::size_t i = 0; i < scene.size(); ++i) {
    for (std::size_t j = i + 1; j < scene.size(); ++j) {
      const std::vector<Collider> two = {scene[i], scene[j]};
      detector.detect(two, envelope, found);
      for (ContactPoint c : found) {
        c.collider_a = static_cast<Index>(i);
        c.collider_b = static_cast<Index>(j);
        all.push_back(c);
      }
    }
  }
  return all;
}

void expect_equal(const std::vector<ContactPoint>& a, const std::vector<ContactPoint>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(order_of(a[i]), order_of(b[i]));
    EXPECT_EQ(a[i].gap, b[i].gap);
    EXPECT_EQ(a[i].normal, b[i].normal);
    EXPECT_EQ(a[i].point, b[i].point);
    EXPECT_EQ(a[i].body_a, b[i].body_a);
    EXPECT_EQ(a[i].body_b, b[i].body_b);
  }
}

TEST(Detector, MixedSizesEqualTheComparisonOfAllPairs) {
  RandomGeometry random(21);
  for (double envelope : {0.0, 0.01, 0.5}) {
    const auto scene = mixed_scene(random, 300);
    const auto found = detect(scene, envelope);
    expect_sound(found, envelope);
    test::expect_points_to_be_the_gap_apart(scene, envelope, 1e-9);
    EXPECT_GT(found.size(), 100u);
    expect_equal(found, all_pairs(scene, envelope));
  }
}

TEST(Detector, FarApartBodiesAndLargeCoordinates) {
  RandomGeometry random(22);
  std::vector<Collider> scene;
  for (int i = 0; i < 400; ++i) {
    const double far = i % 3 == 0 ? 1e9 : i % 3 == 1 ? 1e3 : 1;
    scene.push_back(
        {make_sphere(0.5), {{far + random.uniform(0, 6), random.uniform(0, 6), -far}, {}}, i});
  }
  scene.push_back({make_sphere(0.5), {{1e300, 0, 0}, {}}, 400});
  scene.push_back({make_sphere(0.5), {{1e300, 0.2, 0}, {}}, 401});
  const auto found = detect(scene, 0.1);
  EXPECT_GT(found.size(), 100u);
  expect_equal(found, all_pairs(scene, 0.1));
}

TEST(Detector, ThreadsDoNotChangeABit) {
  RandomGeometry random(23);
  const auto scene = mixed_scene(random, 2000);
  const auto one = with_threads(1, [&] { return detect(scene, 0.05); });
  for (int threads : {2, 3, 4}) {
    expect_equal(one, with_threads(threads, [&] { return detect(scene, 0.05); }));
  }
}

TEST(Detector, ReuseGivesTheSameAsAFreshDetector) {
  RandomGeometry random(24);
  CollisionDetector detector;
  std::vector<ContactPoint> contacts;
  for (int i = 0; i < 5; ++i) {
    const auto scene = mixed_scene(random, 100 + 200 * (i % 2));
    const auto report = detector.detect(scene, 0.05, contacts);
    EXPECT_EQ(report.contacts, static_cast<std::int64_t>(contacts.size()));
    EXPECT_GE(report.candidate_pairs, 1);
    expect_equal(contacts, detect(scene, 0.05));
    if (i == 2) detector.release_memory();
  }
  detector.detect({}, 0.05, contacts);
  EXPECT_TRUE(contacts.empty());
}

TEST(Detector, FiltersAreRespected) {
  const ShapePtr ball = make_sphere(1);
  const auto count = [&](Collider a, Collider b) { return detect({a, b}, 0).size(); };
  const Collider a{ball, {}, 0}, b{ball, {{1, 0, 0}, {}}, 1};
  EXPECT_EQ(count(a, b), 1u);
  Collider same_body = b, fixed_a = a, fixed_b = b, other_group = b, one_way = b;
  same_body.body = 0;
  EXPECT_EQ(count(a, same_body), 0u);
  fixed_a.movable = fixed_b.movable = false;
  EXPECT_EQ(count(fixed_a, b), 1u);
  EXPECT_EQ(count(fixed_a, fixed_b), 0u);
  other_group.group = 2;
  EXPECT_EQ(count(a, other_group), 1u);
  other_group.mask = 2;
  EXPECT_EQ(count(a, other_group), 0u);
  one_way.mask = 0;
  EXPECT_EQ(count(a, one_way), 0u);
  CollisionDetector detector;
  std::vector<ContactPoint> contacts;
  detector.exclude_body_pairs({{1, 0}});
  detector.detect(std::vector{a, b}, 0, contacts);
  EXPECT_TRUE(contacts.empty());
  detector.exclude_body_pairs({});
  detector.detect(std::vector{a, b}, 0, contacts);
  EXPECT_EQ(contacts.size(), 1u);
}

TEST(Detector, CompoundContactsNameTheirChildren) {
  const ShapePtr pair =
      make_compound({{make_sphere(0.5), {{-1, 0, 0}, {}}}, {make_sphere(0.5), {{1, 0, 0}, {}}}});
  const auto c =
      detect({{make_half_space({0, 0, 1}), {}, 0, false}, {pair, {{0, 0, 0.5}, {}}, 1}}, 0.01);
  ASSERT_EQ(c.size(), 2u);
  EXPECT_EQ(c[0].key.children, 0u);
  EXPECT_EQ(c[1].key.children, 1u);
  EXPECT_NE(c[0].key, c[1].key);
}

TEST(Detector, BadInputIsRefused) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const ShapePtr ball = make_sphere(1);
  std::vector<ContactPoint> contacts;
  CollisionDetector detector;
  const std::vector<Collider> fine = {{ball, {}, 0}};
  EXPECT_THROW(detector.detect(fine, -1, contacts), InvalidArgument);
  EXPECT_THROW(detector.detect(fine, nan, contacts), InvalidArgument);
  EXPECT_THROW(detect({{nullptr, {}, 0}}, 0), InvalidArgument);
  EXPECT_THROW(detect({{ball, {{nan, 0, 0}, {}}, 0}}, 0), InvalidArgument);
  EXPECT_THROW(detect({{ball, {{0, 0, 0}, {2, 0, 0, 0}}, 0}}, 0), InvalidArgument);
  EXPECT_EQ(detector.detect(fine, 0, contacts).contacts, 0);
}

} // namespace
} // namespace talus
