#include "talus/core/error.h"
#include "talus/core/parallel.h"
#include "talus/core/vector_ops.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace talus {
namespace {

Vector random_vector(std::size_t size, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  Vector x(size);
  for (double& v : x) v = uniform(random);
  return x;
}

TEST(VectorOps, MatchTheirDefinitions) {
  for (std::size_t size : {0, 1, 7, 8, 9, 2047, 2048, 5000}) {
    const Vector x = random_vector(size, 1), y = random_vector(size, 2);
    double product = 0, gap = 0;
    for (std::size_t i = 0; i < size; ++i) {
      product += x[i] * y[i];
      gap += (x[i] - y[i]) * (x[i] - y[i]);
    }
    EXPECT_NEAR(product, dot(x, y), 1e-12 * (1 + size));
    EXPECT_NEAR(std::sqrt(gap), distance(x, y), 1e-12 * (1 + size));
    Vector z(size);
    combine(2.0, x, -3.0, y, z);
    Vector w = x;
    axpy(0.5, y, w);
    for (std::size_t i = 0; i < size; ++i) {
      EXPECT_DOUBLE_EQ(2 * x[i] - 3 * y[i], z[i]);
      EXPECT_DOUBLE_EQ(x[i] + 0.5 * y[i], w[i]);
    }
  }
}

TEST(VectorOps, SumsDoNotDependOnThreads) {
  const Vector x = random_vector(1'000'003, 3), y = random_vector(1'000'003, 4);
  const double one = with_threads(1, [&] { return dot(x, y); });
  for (int threads : {2, 3, 4}) EXPECT_EQ(one, with_threads(threads, [&] { return dot(x, y); }));
}

TEST(VectorOps, SeeNonFiniteEntries) {
  Vector x = random_vector(100, 5);
  EXPECT_TRUE(all_finite(x));
  x[57] = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(all_finite(x));
  x[57] = std::nan("");
  EXPECT_FALSE(all_finite(x));
  EXPECT_TRUE(std::isnan(max_abs(x)));
}

TEST(Parallel, ChunksCoverTheRangeOnce) {
  for (Index n : {0, 1, 2047, 2048, 2049, 600000, 3000000}) {
    std::vector<int> seen(n, 0);
    with_threads(2, [&] {
      parallel_for(n, [&](Index begin, Index end) {
        for (Index i = begin; i < end; ++i) ++seen[i];
      });
    });
    for (int count : seen) ASSERT_EQ(1, count) << n;
  }
}

TEST(Parallel, HonoursTheThreadCount) {
  EXPECT_EQ(1, with_threads(1, [] { return thread_count(); }));
  EXPECT_EQ(3, with_threads(3, [] { return thread_count(); }));
}

TEST(Parallel, TakesAsManyThreadsAsItSaysAndNoMore) {
  const Vector x = random_vector(100'000, 6);
  const auto sum_with = [&](int threads) {
    return with_threads(threads, [&] { return dot(x, x); });
  };
  EXPECT_EQ(sum_with(1), sum_with(most_threads));
  for (const int threads : {-1, most_threads + 1, 70000, std::numeric_limits<int>::max()})
    EXPECT_THROW(sum_with(threads), InvalidArgument) << threads;
  try {
    require_thread_count(70000);
    FAIL() << "not refused";
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(), "threads is 70000, it must be from 0 (all) to 4096");
  }
}

} // namespace
} // namespace talus
