// Contacts that are abbreviated while their problem is solved come back as they were.

#include "step/step_test_support.h"
#include "talus/problem/large_problem.h"
#include "talus/step/abbreviated_contacts.h"

namespace talus {
namespace {

TEST(AbbreviatedContacts, come_back_bit_by_bit) {
  Random random(3);
  const Index bodies = 50;
  std::vector<ColliderInfo> colliders;
  for (Index k = 0; k < 2 * bodies; ++k) colliders.push_back({k / 2, 0});
  std::vector<ContactPoint> contacts(5000);
  std::vector<RigidContact> frames;
  for (ContactPoint& c : contacts) {
    c.collider_a = static_cast<Index>(random(0, bodies));
    c.collider_b = bodies + static_cast<Index>(random(0, bodies));
    c.body_a = c.collider_a / 2;
    c.body_b = c.collider_b / 2;
    c.key = {static_cast<std::uint64_t>(random(0, 1e9)),
             static_cast<std::uint64_t>(random(0, 1e9))};
    c.normal = random.vector(1);
    c.point = random.vector(10);
    c.gap = random(-1, 1);
    frames.push_back({c.normal, {}, {}, {}});
  }
  const std::vector<ContactPoint> before = contacts;
  AbbreviatedContacts abbreviated(contacts);
  EXPECT_TRUE(contacts.empty());
  abbreviated.restore(colliders, frames, contacts);
  ASSERT_EQ(before.size(), contacts.size());
  for (std::size_t k = 0; k < before.size(); ++k) {
    const ContactPoint &a = before[k], &b = contacts[k];
    ASSERT_EQ(std::tie(a.collider_a, a.collider_b, a.body_a, a.body_b, a.key, a.gap),
              std::tie(b.collider_a, b.collider_b, b.body_a, b.body_b, b.key, b.gap));
    ASSERT_TRUE(a.normal == b.normal && a.point == b.point);
  }
}

/// Spheres side by side on a floor, each with one contact.
TEST(AbbreviatedContacts, of_a_large_step_can_be_read_after_it) {
  World world;
  world.add(fixed_body("floor").with(make_half_space({0, 0, 1})));
  const ShapePtr sphere = make_sphere(0.1);
  constexpr Index count = most_contacts_kept + 1;
  for (Index k = 0; k < count; ++k)
    world.add(body().with(sphere).mass(1).at({0.3 * (k % 250), 0.3 * (k / 250), 0.1}));
  Simulation simulation(std::move(world), {.step = 0.01, .threads = 1});
  for (int step = 0; step < 2; ++step) {
    ASSERT_TRUE(simulation.step().converged());
    ASSERT_EQ(count, static_cast<Index>(simulation.contacts().size()));
    for (Index k = 0; k < count; k += 1001) {
      const ContactPoint& contact = simulation.contacts()[k];
      ASSERT_EQ(0, contact.body_a);
      ASSERT_EQ(1.0, contact.normal.z);
      ASSERT_NEAR(9.81 * 0.01, simulation.contact_impulses()[k].z, 1e-6);
    }
  }
}

} // namespace
} // namespace talus
