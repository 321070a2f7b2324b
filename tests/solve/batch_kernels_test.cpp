// The kernels of batches round alike for registers of every width.

#include "support/random_problems.h"
#include "talus/contact/local_contact.h"
#include "talus/solve/batches/batch_kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>

namespace talus {
namespace {

/// Batches of contacts between random bodies, and all that sweeps change.
template <int D>
struct BatchState {
  static constexpr Index body_count = 40, batch_count = 60;

  BatchState(test::Random& random, bool isotropic, bool round) : is_isotropic(isotropic) {
    for (BodyRecord& body : bodies) {
      for (int i = 0; i < 3; ++i) {
        body.velocity[i] = number(random);
        body.spin[i] = number(random);
      }
      body.inverse_mass = 1 + 0.5 * number(random);
      body.inverse_inertia = 2 + number(random);
    }
    last_bodies = bodies;
    for (BodyInertia& inertia : inertias)
      for (int i = 0; i < 6; ++i)
        inertia.entries[i] = (i == 0 || i == 3 || i == 5 ? 2 : 0) + 0.3 * number(random);
    for (ContactBatch<D>& batch : batches) fill(random, round, batch);
  }

  static double number(test::Random& random) {
    return std::uniform_real_distribution<double>(-1, 1)(random);
  }

  void fill(test::Random& random, bool round, ContactBatch<D>& batch) {
    batch = {};
    batch.is_round = round;
    std::vector<Index> order(body_count);
    std::iota(order.begin(), order.end(), Index{0});
    std::ranges::shuffle(order, random);
    for (int lane = 0; lane < batch_width; ++lane) {
      batch.contact[lane] = contact_count++;
      batch.body_a[lane] = order[2 * lane];
      batch.body_b[lane] = order[2 * lane + 1];
      const auto put = [lane](const Vec3& v, BatchLanes* to) {
        for (int i = 0; i < 3; ++i) to[i][lane] = v[i];
      };
      const auto vector = [&] { return Vec3{number(random), number(random), number(random)}; };
      const Vec3 normal = normalized(vector());
      put(normal, batch.normal);
      put(orthogonal_unit(normal), batch.tangent);
      put(vector(), batch.arm_a);
      put(vector(), batch.arm_b);
      double block[D * D] = {};
      for (int i = 0; i < D; ++i)
        for (int j = 0; j <= i; ++j) {
          const double entry = i == j ? 2 : round ? 0 : 0.3 * number(random);
          block[D * i + j] = block[D * j + i] = entry;
        }
      LocalContact local;
      prepare_local_contact(block, D, local);
      const auto packed = pack<D>(local);
      for (int k = 0; k < ContactBatch<D>::triangle; ++k) {
        batch.block[k][lane] = packed.A[k];
        batch.inverse[k][lane] = packed.inverse[k];
      }
      for (int i = 0; i < D; ++i) {
        batch.bias[i][lane] = number(random);
        batch.compliance[i][lane] = 0.01;
        batch.impulse[i][lane] = batch.last[i][lane] = number(random);
      }
      batch.mu[lane] = 0.5 + 0.4 * number(random);
      batch.weight[lane] = 1 + 0.5 * number(random);
      batch.relaxation[lane] = 1;
      if constexpr (D == 6) {
        batch.rolling[lane] = batch.spinning[lane] = 0.1;
        batch.length[lane] = 0.7;
      }
    }
  }

  void run(const batch::BatchKernels<D>& kernels) {
    const BodyInertia* inertia = is_isotropic ? nullptr : inertias.data();
    kernels.add_impulses(batches.data(), batch_count, bodies.data(), inertia);
    for (int sweep = 0; sweep < 6; ++sweep) {
      const double beta = 0.1 * sweep;
      kernels.extrapolate(bodies.data(), last_bodies.data(), body_count, beta);
      const SweepProgress now = kernels.sweep(batches.data(), batch_count, awake.data(),
                                              {beta, 0.9, sweep > 2}, bodies.data(), inertia);
      progress.insert(progress.end(), {now.squared, now.along});
    }
    velocities.resize(static_cast<std::size_t>(D * contact_count));
    kernels.observe(batches.data(), batch_count, bodies.data(), velocities.data());
  }

  std::vector<BodyRecord> bodies = std::vector<BodyRecord>(body_count), last_bodies;
  std::vector<BodyInertia> inertias = std::vector<BodyInertia>(body_count);
  std::vector<ContactBatch<D>> batches = std::vector<ContactBatch<D>>(batch_count);
  std::vector<std::uint8_t> awake = std::vector<std::uint8_t>(batch_count, 1);
  Vector progress, velocities;
  Index contact_count = 0;
  bool is_isotropic;
};

template <class T>
bool have_same_bits(const T& a, const T& b) {
  return std::memcmp(a, b, sizeof(T)) == 0;
}

template <int D>
void expect_same_bits() {
  if (!batch::wide_kernels<D>() || !batch::has_wide_registers())
    GTEST_SKIP() << "this processor has no wider registers";
  test::Random random(7);
  for (const bool isotropic : {false, true})
    for (const bool round : {false, true}) {
      SCOPED_TRACE(testing::Message() << "isotropic " << isotropic << ", round " << round);
      BatchState<D> narrow(random, isotropic, round), wide = narrow;
      const BatchState<D> start = narrow;
      narrow.run(batch::narrow_kernels<D>());
      wide.run(*batch::wide_kernels<D>());
      EXPECT_EQ(narrow.progress, wide.progress);
      EXPECT_EQ(narrow.velocities, wide.velocities);
      EXPECT_EQ(narrow.awake, wide.awake);
      Index moved = 0;
      for (Index i = 0; i < BatchState<D>::body_count; ++i) {
        EXPECT_TRUE(have_same_bits(narrow.bodies[i].velocity, wide.bodies[i].velocity));
        EXPECT_TRUE(have_same_bits(narrow.bodies[i].spin, wide.bodies[i].spin));
        moved += !have_same_bits(narrow.bodies[i].velocity, start.bodies[i].velocity);
      }
      EXPECT_EQ(moved, (BatchState<D>::body_count));
      for (Index k = 0; k < BatchState<D>::batch_count; ++k) {
        EXPECT_TRUE(have_same_bits(narrow.batches[k].impulse, wide.batches[k].impulse));
        EXPECT_TRUE(have_same_bits(narrow.batches[k].last, wide.batches[k].last));
        EXPECT_TRUE(have_same_bits(narrow.batches[k].relaxation, wide.batches[k].relaxation));
      }
    }
}

TEST(BatchKernels, RoundAlikeForEveryWidth) {
  expect_same_bits<3>();
}

TEST(BatchKernels, RoundMomentsAlikeForEveryWidth) {
  expect_same_bits<6>();
}

} // namespace
} // namespace talus
