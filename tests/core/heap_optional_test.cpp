// Values that are seldom there: their default, and copies of their own.

#include "talus/core/heap_optional.h"

#include <gtest/gtest.h>

namespace talus {
namespace {

struct Answer {
  int value = 42;
};

TEST(HeapOptional, is_its_default_until_it_is_changed) {
  HeapOptional<Answer> rare;
  EXPECT_EQ(42, rare.get().value);
  rare.own().value = 7;
  EXPECT_EQ(7, rare.get().value);
  EXPECT_EQ(42, HeapOptional<Answer>().get().value);
  EXPECT_EQ(sizeof(void*), sizeof rare);
}

TEST(HeapOptional, copies_are_independent) {
  HeapOptional<Answer> first, second;
  first.own().value = 1;
  second = first;
  second.own().value = 2;
  EXPECT_EQ(1, first.get().value);
  EXPECT_EQ(2, second.get().value);
  second = HeapOptional<Answer>();
  EXPECT_EQ(42, second.get().value);
  const HeapOptional<Answer> moved = std::move(first);
  EXPECT_EQ(1, moved.get().value);
}

} // namespace
} // namespace talus
