#include "support/random_problems.h"
#include "talus/problem/delassus/sweep_partition.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

namespace talus {
namespace {

using test::Random;

/// Contacts between bodies whose numbers differ by at most `reach`; one in eight with the world.
std::vector<BodyPair> random_pairs(Random& random, Index bodies, Index contacts, Index reach) {
  std::uniform_int_distribution<Index> body(0, bodies - 1), distance(1, reach), die(0, 7);
  std::vector<BodyPair> pairs;
  while (static_cast<Index>(pairs.size()) < contacts) {
    const Index a = body(random), b = die(random) == 0 ? -1 : (a + distance(random)) % bodies;
    if (die(random) % 2 == 0)
      pairs.push_back({a, b});
    else
      pairs.push_back({b, a});
  }
  return pairs;
}

/// Every contact once, increasing within its part, and no body in two parts of a round.
void expect_valid(const SweepPartition& parts, const std::vector<BodyPair>& pairs) {
  ASSERT_EQ(static_cast<Index>(pairs.size()), parts.contacts());
  std::vector<int> seen(pairs.size(), 0);
  for (Index round = 0; round < parts.rounds(); ++round) {
    std::set<Index> bodies_before;
    for (Index k = parts.first_part(round); k < parts.first_part(round + 1); ++k) {
      std::set<Index> bodies;
      const std::span<const Index> part = parts.part(k);
      EXPECT_FALSE(part.empty());
      EXPECT_TRUE(std::is_sorted(part.begin(), part.end()));
      for (const Index c : part) {
        ++seen[c];
        for (const Index body : {pairs[c].a, pairs[c].b})
          if (body >= 0) bodies.insert(body);
      }
      for (const Index body : bodies)
        EXPECT_TRUE(bodies_before.insert(body).second)
            << "body " << body << " twice in round " << round;
    }
  }
  for (const int times : seen) EXPECT_EQ(1, times);
}

std::vector<Index> visited(const SweepPartition& parts, bool backward) {
  std::vector<Index> order;
  with_threads(1, [&] { parts.for_each(backward, [&](Index c) { order.push_back(c); }); });
  return order;
}

TEST(SweepPartition, ShareNoBodyInARound) {
  Random random(5);
  SweepPartition parts;
  for (const Index contacts : {SweepPartition::least, 20000, 5000, 70000})
    for (const Index bodies : {2, 100, contacts / 4})
      for (const Index reach : {1, 40, contacts}) {
        const std::vector<BodyPair> pairs = random_pairs(random, bodies, contacts, reach);
        parts.divide(bodies, pairs);
        expect_valid(parts, pairs);
      }
}

TEST(SweepPartition, LeaveMostContactsToTheFirstRoundWhereNumbersAreClose) {
  Random random(6);
  const std::vector<BodyPair> pairs = random_pairs(random, 10000, 40000, 100);
  SweepPartition parts;
  parts.divide(10000, pairs);
  EXPECT_EQ(SweepPartition::most_ranges, parts.first_part(1));
  std::size_t within = 0, largest = 0;
  for (Index k = 0; k < parts.first_part(1); ++k) {
    within += parts.part(k).size();
    largest = std::max(largest, parts.part(k).size());
  }
  EXPECT_GT(within, 38000u);
  EXPECT_LT(largest, 1.1 * 40000 / SweepPartition::most_ranges) << "equal shares";
  EXPECT_LE(parts.rounds(), 4)
      << "neighbouring ranges match up in two rounds, the ring in one more";
}

TEST(SweepPartition, AreOneInOrderForFewContacts) {
  Random random(7);
  SweepPartition parts;
  parts.divide(2000, random_pairs(random, 2000, 9000, 3));
  parts.divide(30, random_pairs(random, 30, SweepPartition::least - 1, 3));
  EXPECT_EQ(0, parts.rounds());
  std::vector<Index> order = visited(parts, false);
  ASSERT_EQ(SweepPartition::least - 1, static_cast<Index>(order.size()));
  for (Index c = 0; c < SweepPartition::least - 1; ++c) EXPECT_EQ(c, order[c]);
  std::ranges::reverse(order);
  EXPECT_EQ(order, visited(parts, true));
}

TEST(SweepPartition, TurnTheirOrderRound) {
  Random random(8);
  SweepPartition parts;
  parts.divide(3000, random_pairs(random, 3000, 9000, 50));
  std::vector<Index> order = visited(parts, false);
  EXPECT_EQ(9000u, order.size());
  std::ranges::reverse(order);
  EXPECT_EQ(order, visited(parts, true));
}

TEST(SweepPartition, SumTheSameBitsWithEveryNumberOfThreads) {
  Random random(9);
  const std::vector<BodyPair> pairs = random_pairs(random, 3000, 9000, 50);
  SweepPartition parts;
  parts.divide(3000, pairs);
  std::uniform_real_distribution<double> uniform(0, 1);
  Vector terms(9000);
  for (double& term : terms) term = uniform(random);
  for (const bool backward : {false, true}) {
    const auto sum_with = [&](int threads) {
      return with_threads(threads, [&] {
        return parts.sum(
            backward, [&](Index c) { return terms[c]; }, [](Index) {});
      });
    };
    const double one = sum_with(1);
    EXPECT_NEAR(std::accumulate(terms.begin(), terms.end(), 0.0), one, 1e-9);
    EXPECT_EQ(one, sum_with(2));
    EXPECT_EQ(one, sum_with(3));
  }
}

} // namespace
} // namespace talus
