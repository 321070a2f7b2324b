// Contacts along a space-filling curve.

#include "step/step_test_support.h"
#include "talus/step/assembly/spatial_order.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace talus {
namespace {

std::vector<ContactPoint> scattered(Random& random, Index count) {
  std::vector<ContactPoint> contacts(count);
  for (Index c = 0; c < count; ++c) {
    contacts[c].collider_a = c;
    contacts[c].body_a = c;
    contacts[c].body_b = static_cast<Index>(random(0, count));
    contacts[c].point = random.vector(1);
  }
  return contacts;
}

double length_of_way(const std::vector<ContactPoint>& contacts) {
  double sum = 0;
  for (std::size_t c = 1; c < contacts.size(); ++c)
    sum += norm(contacts[c].point - contacts[c - 1].point);
  return sum;
}

TEST(SpatialOrder, is_a_permutation_that_it_knows) {
  Random random(1);
  SpatialOrder order;
  for (const Index count : {0, 1, 2, 5000, 300}) {
    const std::vector<ContactPoint> before = scattered(random, count);
    std::vector<ContactPoint> after = before;
    order.sort(after, count, 0);
    ASSERT_EQ(after.size(), before.size());
    std::set<Index> places, ranks;
    for (Index k = 0; k < count; ++k) {
      places.insert(order.place(k));
      ranks.insert(order.rank(k));
      EXPECT_EQ(after[order.place(k)].collider_a, before[k].collider_a);
    }
    EXPECT_EQ(places.size(), before.size());
    EXPECT_EQ(ranks.size(), before.size());
  }
}

TEST(SpatialOrder, brings_neighbours_together) {
  Random random(2);
  std::vector<ContactPoint> contacts = scattered(random, 8000);
  const double before = length_of_way(contacts);
  SpatialOrder order;
  order.sort(contacts, 8000);
  EXPECT_TRUE(order.changed_anything());
  EXPECT_LT(length_of_way(contacts), before / 8) << "spacing is a twentieth of the extent";
  EXPECT_EQ(order.rank(contacts[0].body_a), 0);
}

TEST(SpatialOrder, leaves_alone_what_is_in_order_or_small) {
  Random random(3);
  SpatialOrder order;
  std::vector<ContactPoint> few = scattered(random, 1000), chain = scattered(random, 8000);
  for (Index c = 0; c < 8000; ++c) chain[c].body_b = c + 1;
  for (auto* contacts : {&few, &chain}) {
    order.sort(*contacts, 8001);
    EXPECT_FALSE(order.changed_anything());
    for (Index c = 0; c < static_cast<Index>(contacts->size()); ++c) {
      EXPECT_EQ((*contacts)[c].collider_a, c);
      EXPECT_EQ(order.place(c), c);
      EXPECT_EQ(order.rank(c), c);
    }
  }
}

/// Columns of three spheres that rub against each other, numbered in order or at random; numbers[k]
/// is the body of the k-th place.
World rubbing_columns(bool shuffled, std::vector<Index>& numbers) {
  constexpr int side = 56, layers = 3;
  World world = world_with_floor(0.5);
  Random random(4);
  std::vector<BodyState> places;
  for (int x = 0; x < side; ++x)
    for (int y = 0; y < side; ++y)
      for (int z = 0; z < layers; ++z) {
        BodyState state;
        state.pose.position = {0.4 * x, 0.4 * y, 0.1 + 0.2 * z};
        state.velocity = random.vector(0.1);
        places.push_back(state);
      }
  std::vector<std::size_t> order(places.size());
  std::iota(order.begin(), order.end(), 0);
  if (shuffled) std::ranges::shuffle(order, std::mt19937(4));
  const ShapePtr sphere = make_sphere(0.1);
  numbers.resize(places.size());
  for (const std::size_t k : order) {
    numbers[k] = world.add(body().with(sphere).mass(1));
    world.state(numbers[k]) = places[k];
  }
  return world;
}

TEST(SpatialOrder, changes_nothing_but_the_order) {
  StepOptions options{.law = Law::associated, .solver = "apgd", .tolerance = 1e-9};
  std::vector<Index> plain, shuffled;
  Simulation ordered(rubbing_columns(false, plain), options);
  Simulation scattered(rubbing_columns(true, shuffled), options);
  for (Simulation* each : {&ordered, &scattered}) EXPECT_TRUE(each->step().converged());
  EXPECT_TRUE(std::ranges::is_sorted(ordered.contacts(), {}, &ContactPoint::collider_a));
  EXPECT_FALSE(std::ranges::is_sorted(scattered.contacts(), {}, &ContactPoint::collider_a));
  double apart = 0, fastest = 0;
  for (std::size_t k = 0; k < plain.size(); ++k) {
    const Vec3 v = ordered.world().states()[plain[k]].velocity;
    apart = std::max(apart, norm(v - scattered.world().states()[shuffled[k]].velocity));
    fastest = std::max(fastest, norm(v));
  }
  EXPECT_GT(fastest, 0.05);
  EXPECT_LT(apart, 1e-6 * fastest) << "velocities of the associated law are unique";
}

TEST(SpatialOrder, is_no_matter_to_checkpoints) {
  std::vector<Index> numbers;
  const StepOptions options{.tolerance = 1e-3};
  Simulation simulation(rubbing_columns(true, numbers), options);
  simulation.step();
  EXPECT_FALSE(std::ranges::is_sorted(simulation.contacts(), {}, &ContactPoint::collider_a));
  const SimulationState saved = simulation.state();
  EXPECT_TRUE(std::ranges::is_sorted(saved.warm_start.contacts, {}, [](const auto& contact) {
    return std::pair(contact.collider_a, contact.collider_b);
  }));
  simulation.step();
  const SimulationState expected = simulation.state();
  Simulation fresh(rubbing_columns(true, numbers), options);
  fresh.restore(saved);
  fresh.step();
  EXPECT_EQ(fresh.state(), expected);
  EXPECT_EQ(fresh.report().iterations, simulation.report().iterations);
}

} // namespace
} // namespace talus
