#include "talus/core/regroup.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>

namespace talus {
namespace {

/// Lists of numbers, where those that come are known by their places.
TEST(Regroup, TakesOutAndPutsInAtPlaces) {
  std::mt19937 random(7);
  for (int trial = 0; trial < 200; ++trial) {
    const std::size_t width = 1 + random() % 3;
    std::vector<int> items(width * (random() % 9)), numbers, places;
    for (std::size_t i = 0; i < items.size(); ++i) items[i] = static_cast<int>(i);
    std::vector<char> leaves(items.size() / width);
    std::vector<int> expected;
    for (std::size_t k = 0; k < leaves.size(); ++k) {
      leaves[k] = random() % 2;
      for (std::size_t i = 0; i < width && !leaves[k]; ++i)
        expected.push_back(items[width * k + i]);
    }
    const std::size_t arrivals = random() % 6;
    for (std::size_t k = 0; k < arrivals; ++k) {
      // Behind the last one that came.
      const std::size_t first = places.empty() ? 0 : places.back() + 1;
      const std::size_t place = first + random() % (expected.size() / width - first + 1);
      places.push_back(static_cast<int>(place));
      for (std::size_t i = 0; i < width; ++i) {
        const int number = -1 - static_cast<int>(width * k + i);
        numbers.push_back(number);
        expected.insert(expected.begin() + static_cast<long>(width * place + i), number);
      }
    }
    regroup(items, leaves, places, numbers, width);
    EXPECT_EQ(items, expected) << trial;
  }
}

TEST(Regroup, MovesWhatCannotBeCopied) {
  std::vector<std::unique_ptr<int>> items, more;
  for (int k = 0; k < 3; ++k) items.push_back(std::make_unique<int>(k));
  more.push_back(std::make_unique<int>(7));
  const std::vector<char> leaves{1, 0, 0};
  const std::vector<int> places{1};
  regroup(items, leaves, places, std::move(more));
  ASSERT_EQ(items.size(), 3u);
  EXPECT_EQ(*items[0], 1);
  EXPECT_EQ(*items[1], 7);
  EXPECT_EQ(*items[2], 2);
}

} // namespace
} // namespace talus
