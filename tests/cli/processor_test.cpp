// The sentence on processors that the program was not compiled for.

#include "support/processor.h"

#include <gtest/gtest.h>

#include <string>

namespace talus::test {
namespace {

using cli::Processor;

std::string missing(const char* architecture, const Processor& processor, std::size_t size = 100) {
  char names[100];
  cli::name_missing_instructions(architecture, processor, names, size);
  return names;
}

constexpr Processor of_2006, of_2009{true, true, true, false, false, false, false},
    of_2013{true, true, true, true, true, true, true};

TEST(Processors, WhatTheyLackIsNamed) {
  EXPECT_EQ(missing("x86-64-v3", of_2013), "");
  EXPECT_EQ(missing("x86-64-v3", of_2009), "AVX2, FMA, BMI1, BMI2");
  EXPECT_EQ(missing("x86-64-v3", of_2006), "SSSE3, SSE4.2, POPCNT, AVX2, FMA, BMI1, BMI2");
  Processor without_fma = of_2013;
  without_fma.fma = false;
  EXPECT_EQ(missing("x86-64-v3", without_fma), "FMA");
  EXPECT_EQ(missing("x86-64-v2", of_2009), "");
  EXPECT_EQ(missing("x86-64-v2", of_2006), "SSSE3, SSE4.2, POPCNT");
  for (const char* other : {"x86-64", "native", "armv8-a"})
    EXPECT_EQ(missing(other, of_2006), "") << other;
}

TEST(Processors, NamesStayWithinTheirSize) {
  EXPECT_EQ(missing("x86-64-v3", of_2009, 8), "AVX2, F");
}

} // namespace
} // namespace talus::test
