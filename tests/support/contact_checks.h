#pragma once
// What every list of contacts must satisfy, and a slow but sure distance to compare with.

#include "support/random_geometry.h"
#include "talus/collide/broad_phase.h"
#include "talus/collide/collision.h"
#include "talus/collide/narrow_phase.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <vector>

namespace talus::test {

inline std::vector<ContactPoint> detect(const std::vector<Collider>& colliders, double envelope) {
  CollisionDetector detector;
  std::vector<ContactPoint> contacts;
  detector.detect(colliders, envelope, contacts);
  return contacts;
}

inline std::vector<ContactPoint> detect_pair(const ShapePtr& a, const Transform& pose_a,
                                             const ShapePtr& b, const Transform& pose_b,
                                             double envelope) {
  return detect({{a, pose_a, 0}, {b, pose_b, 1}}, envelope);
}

inline double smallest_gap(const std::vector<ContactPoint>& contacts) {
  double gap = std::numeric_limits<double>::infinity();
  for (const auto& c : contacts) gap = std::min(gap, c.gap);
  return gap;
}

inline auto order_of(const ContactPoint& c) {
  return std::tuple(c.collider_a, c.collider_b, c.key);
}

inline void expect_sound(const std::vector<ContactPoint>& contacts, double envelope) {
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const ContactPoint& c = contacts[i];
    EXPECT_LT(c.collider_a, c.collider_b);
    EXPECT_NEAR(norm(c.normal), 1, 1e-12);
    EXPECT_LE(c.gap, envelope + 1e-13);
    if (i > 0) {
      EXPECT_LT(order_of(contacts[i - 1]), order_of(c));
    }
  }
}

/// The closest points of the narrow phase, of which a contact keeps the middle, are the gap apart.
inline void expect_points_to_be_the_gap_apart(const std::vector<Collider>& colliders,
                                              double envelope, double tolerance = 1e-12) {
  Leaves leaves;
  leaves.assign(colliders);
  BroadPhase broad_phase;
  std::vector<LeafPair> pairs;
  broad_phase.find_pairs(leaves, envelope, pairs);
  NarrowScratch scratch;
  for (const LeafPair& pair : pairs) {
    const Leaf &a = leaves.leaf[pair.first], &b = leaves.leaf[pair.second];
    if (a.kind == ShapeKind::sphere && b.kind == ShapeKind::sphere)
      scratch.contacts = {sphere_contact(a.centre, a.radius, b.centre, b.radius)};
    else
      find_contacts(leaves, pair, envelope, scratch);
    for (const PairContact& c : scratch.contacts)
      EXPECT_LE(norm(c.point_b - c.point_a - c.gap * c.normal), tolerance);
  }
}

/// min over B minus max over A along n: a lower bound of the signed gap for every n.
inline double separation(const Shape& a, const Transform& pa, const Shape& b, const Transform& pb,
                         const Vec3& n) {
  const Vec3 p = pa(support_point(a, rotate_back(pa.rotation, n)));
  const Vec3 q = pb(support_point(b, rotate_back(pb.rotation, -n)));
  return dot(n, q - p);
}

/// The signed gap as the largest separation over all directions, by sampling the sphere and then
/// searching around the best samples with shrinking steps.
inline double brute_force_gap(const Shape& a, const Transform& pa, const Shape& b,
                              const Transform& pb) {
  const auto value = [&](const Vec3& n) { return separation(a, pa, b, pb, n); };
  std::vector<std::pair<double, Vec3>> samples;
  const int count = 4000;
  for (int i = 0; i < count; ++i) {
    const double z = 1 - (2 * i + 1.0) / count, r = std::sqrt(1 - z * z);
    const double phi = i * 2.399963229728653; // golden angle
    const Vec3 n{r * std::cos(phi), r * std::sin(phi), z};
    samples.emplace_back(value(n), n);
  }
  std::partial_sort(samples.begin(), samples.begin() + 20, samples.end(),
                    [](const auto& p, const auto& q) { return p.first > q.first; });
  RandomGeometry random(99);
  double best = -std::numeric_limits<double>::infinity();
  for (int k = 0; k < 20; ++k) {
    auto [s, n] = samples[k];
    for (double step = 0.05; step > 1e-10; step *= 0.6) {
      for (int i = 0; i < 12; ++i) {
        const Vec3 m = normalized(n + step * random.vector());
        if (const double t = value(m); t > s) {
          s = t;
          n = m;
        }
      }
    }
    best = std::max(best, s);
  }
  return best;
}

} // namespace talus::test
