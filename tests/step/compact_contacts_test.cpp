// Contacts that are abbreviated while their problem is solved come back as they were.

#include "step/step_test_support.h"
#include "talus/step/assembly/compact_contacts.h"

namespace talus {
namespace {

/// Keys in runs, first short ones, then such that begin and end in other chunks of parallel loops.
TEST(CompactContacts, come_back) {
  Random random(3);
  const Index bodies = 50;
  std::vector<BodyState> states(bodies);
  for (BodyState& state : states) state.pose.position = random.vector(10);
  std::vector<ColliderInfo> colliders;
  for (Index k = 0; k < 2 * bodies; ++k) colliders.push_back({k / 2, 0});
  std::vector<ContactPoint> contacts(50000);
  FeatureKey key;
  std::vector<RigidContact> frames;
  for (ContactPoint& c : contacts) {
    c.collider_a = static_cast<Index>(random(0, bodies));
    c.collider_b = bodies + static_cast<Index>(random(0, bodies));
    c.body_a = c.collider_a / 2;
    c.body_b = c.collider_b / 2;
    if (random(0, 1) < (&c < &contacts[1000] ? 0.5 : 1e-4))
      key = {static_cast<std::uint64_t>(random(0, 1e9)),
             static_cast<std::uint64_t>(random(0, 1e9))};
    c.key = key;
    c.normal = random.vector(1);
    c.point = random.vector(10);
    c.gap = random(-1, 1);
    frames.push_back({c.normal, {}, c.point - states[c.body_a].pose.position, {}});
  }
  const std::vector<ContactPoint> before = contacts;
  CompactContacts abbreviated(contacts);
  EXPECT_TRUE(contacts.empty());
  abbreviated.restore([&](Index collider) { return colliders[collider].body; }, frames, states,
                      contacts);
  ASSERT_EQ(before.size(), contacts.size());
  for (std::size_t k = 0; k < before.size(); ++k) {
    const ContactPoint &a = before[k], &b = contacts[k];
    ASSERT_EQ(std::tie(a.collider_a, a.collider_b, a.body_a, a.body_b, a.key, a.gap),
              std::tie(b.collider_a, b.collider_b, b.body_a, b.body_b, b.key, b.gap));
    ASSERT_EQ(a.normal, b.normal);
    ASSERT_LE(norm(a.point - b.point), 1e-14);
  }
}

} // namespace
} // namespace talus
