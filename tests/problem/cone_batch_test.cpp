// The batches agree with the one-contact kernels for every length of batch and every oddity.

#include "support/random_problems.h"
#include "talus/contact/cone_batch.h"
#include "talus/contact/projection_kernels.h"
#include "talus/contact/rolling_set.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace talus {
namespace {

using test::Random;
using test::uniform;

struct Batch {
  Vector mu, x;
};

/// Points inside, outside and on the axis, of all magnitudes, with some that are not finite.
Batch random_batch(Random& random, Index count, bool odd) {
  Batch batch;
  const double oddities[] = {0.0,
                             -0.0,
                             1e-180,
                             1e-308,
                             1e200,
                             -1e200,
                             std::numeric_limits<double>::infinity(),
                             std::numeric_limits<double>::quiet_NaN()};
  for (Index c = 0; c < count; ++c) {
    batch.mu.push_back(uniform(random, 0, 1) < 0.2 ? 0.0 : uniform(random, 0, 2));
    const double size = std::pow(10.0, uniform(random, -6, 6));
    for (int i = 0; i < 3; ++i) {
      const bool replaced = odd && uniform(random, 0, 1) < 0.1;
      batch.x.push_back(replaced ? oddities[std::uniform_int_distribution<int>(0, 7)(random)]
                                 : size * uniform(random, -1, 1));
    }
  }
  return batch;
}

void expect_same(double expected, double actual, double size) {
  if (std::isnan(expected))
    EXPECT_TRUE(std::isnan(actual));
  else if (std::isinf(expected))
    EXPECT_EQ(expected, actual);
  else
    EXPECT_LE(std::abs(expected - actual), 1e-14 * size);
}

double magnitude(const double* x) {
  double size = 0;
  for (int i = 0; i < 3; ++i)
    if (std::isfinite(x[i])) size = std::max(size, std::abs(x[i]));
  return 4 * size;
}

TEST(ConeBatch, ProjectsLikeTheKernelOfOneContact) {
  Random random(7);
  for (int repeat = 0; repeat < 200; ++repeat)
    for (Index count = 0; count < 20; ++count) {
      const Batch batch = random_batch(random, count, repeat % 2 == 1);
      Vector projected = batch.x;
      project_on_cones(batch.mu.data(), count, projected.data());
      for (Index c = 0; c < count; ++c) {
        double expected[3];
        project_on_cone<3>(batch.mu[c], &batch.x[3 * c], expected);
        for (int i = 0; i < 3; ++i)
          expect_same(expected[i], projected[3 * c + i], magnitude(&batch.x[3 * c]));
      }
    }
}

TEST(ConeBatch, LeavesPointsOfTheConeUntouched) {
  Random random(8);
  Batch batch = random_batch(random, 64, false);
  for (Index c = 0; c < 64; ++c)
    batch.x[3 * c] =
        1.01 * std::hypot(batch.x[3 * c + 1], batch.x[3 * c + 2]) / std::max(batch.mu[c], 1e-3);
  for (Index c = 0; c < 64; ++c)
    if (batch.mu[c] < 1e-3) batch.x[3 * c + 1] = batch.x[3 * c + 2] = 0;
  Vector projected = batch.x;
  project_on_cones(batch.mu.data(), 64, projected.data());
  EXPECT_EQ(projected, batch.x);
}

TEST(ConeBatch, SubtractsTheTiltOfEveryContact) {
  Random random(9);
  for (int repeat = 0; repeat < 100; ++repeat)
    for (Index count = 0; count < 12; ++count) {
      const Batch batch = random_batch(random, count, repeat % 2 == 1);
      const Batch u = random_batch(random, count, false);
      Vector tilted = batch.x;
      subtract_cone_tilts(batch.mu.data(), u.x.data(), count, tilted.data());
      for (Index c = 0; c < count; ++c) {
        const double tilt = batch.mu[c] * tangential_length<3>(&u.x[3 * c]);
        expect_same(batch.x[3 * c] - tilt, tilted[3 * c],
                    magnitude(&batch.x[3 * c]) + std::abs(tilt));
        for (int i = 1; i < 3; ++i)
          expect_same(batch.x[3 * c + i], tilted[3 * c + i], magnitude(&batch.x[3 * c]));
      }
    }
}

struct RollingBatch {
  Vector mu, rolling, spinning, x;

  RollingBatch(Random& random, int d, Index count, bool odd) {
    const Batch other = random_batch(random, 2 * count, odd);
    for (Index c = 0; c < count; ++c) {
      for (Vector* radii : {&mu, &rolling, &spinning})
        radii->push_back(uniform(random, 0, 1) < 0.2 ? 0.0 : uniform(random, 0, 2));
      // Of one magnitude, or those of six contacts without moments.
      x.insert(x.end(), other.x.begin() + 6 * c, other.x.begin() + 6 * c + d);
    }
  }
  RollingRadii radii() const { return {mu.data(), rolling.data(), spinning.data()}; }
  ContactSet set(int d, Index c) const {
    return {{FrictionKind::rolling}, d, mu[c], 0, rolling[c], d == 6 ? spinning[c] : 0};
  }
};

/// Bit for bit: which contacts share a batch depends on how a problem is divided.
void expect_same_bits(double expected, double actual) {
  if (std::isnan(expected))
    EXPECT_TRUE(std::isnan(actual));
  else
    EXPECT_EQ(expected, actual);
}

TEST(RollingBatch, ProjectsAndTiltsLikeOneContact) {
  Random random(9);
  for (const int d : {5, 6})
    for (int repeat = 0; repeat < 200; ++repeat)
      for (Index count = 0; count < 12; ++count) {
        const RollingBatch batch(random, d, count, repeat % 2 == 1);
        Vector projected = batch.x, tilted = batch.x;
        project_on_rolling_cones(batch.radii(), d, count, projected.data());
        subtract_rolling_tilts(batch.radii(), d, batch.x.data(), count, tilted.data());
        for (Index c = 0; c < count; ++c) {
          const double* x = &batch.x[static_cast<std::size_t>(d) * c];
          double expected[max_dimension];
          project_on_rolling_cone(batch.set(d, c), x, expected);
          for (int i = 0; i < d; ++i) expect_same_bits(expected[i], projected[d * c + i]);
          expect_same_bits(x[0] - rolling_tilt(batch.set(d, c), x), tilted[d * c]);
        }
      }
}

} // namespace
} // namespace talus
