#include "support/random_problems.h"
#include "talus/contact/local_contact.h"

#include <gtest/gtest.h>

#include <cmath>

namespace talus {
namespace {

using test::Random;
using test::uniform;

/// A random positive definite block of trace `dimension`, with condition numbers up to 1e6.
LocalContact random_contact(Random& random, int dimension) {
  double factor[9], a[9] = {}, trace = 0;
  for (double& v : factor) v = uniform(random, -1, 1);
  const double floor = std::pow(10, -uniform(random, 0, 6));
  for (int i = 0; i < dimension; ++i)
    for (int j = 0; j < dimension; ++j) {
      for (int k = 0; k < dimension; ++k)
        a[dimension * i + j] += factor[3 * i + k] * factor[3 * j + k];
      if (i == j) a[dimension * i + j] += floor;
    }
  for (int i = 0; i < dimension; ++i) trace += a[(dimension + 1) * i];
  for (double& v : a) v *= dimension / trace;
  LocalContact contact;
  prepare_local_contact(a, dimension, contact);
  return contact;
}

struct ContactCase {
  const char* set;
  Law law;
  int dimension;
};

std::vector<ContactCase> all_cases() {
  std::vector<ContactCase> cases;
  for (const char* set : {"none", "box", "pyramid", "prism:6", "polyhedron:8", "cylinder", "cone"})
    for (Law law : {Law::associated, Law::coulomb})
      for (int dimension : {1, 2, 3}) cases.push_back({set, law, dimension});
  return cases;
}

TEST(LocalContact, NeverFailsOnRandomContacts) {
  Random random(31);
  for (const ContactCase& c : all_cases()) {
    const ContactSet cone_like{parse_friction_set(c.set), c.dimension, 0, 0};
    for (int trial = 0; trial < 3000; ++trial) {
      const LocalContact contact = random_contact(random, c.dimension);
      ContactSet set = cone_like;
      set.mu = std::pow(10, uniform(random, -2, 0.5));
      set.bound = uniform(random, 0, 1);
      double b[3], z[3] = {};
      for (double& v : b) v = uniform(random, -1, 1);
      if (trial % 2 == 0)
        for (double& v : z) v = uniform(random, -1, 1); // a useless guess
      solve_local_contact(contact, set, c.law, b, z);
      // A scale for the answer: the sticking impulse can be as large as |A⁻¹ b|.
      double size = 1;
      for (int i = 0; i < c.dimension; ++i) size += std::abs(z[i]);
      EXPECT_LE(local_residual(contact, set, c.law, b, z), 1e-10 * size)
          << c.set << " " << to_string(c.law) << " dimension " << c.dimension << " trial " << trial
          << " mu " << set.mu;
    }
  }
}

TEST(LocalContact, ASecondVisitMakesASweepsAnswerExact) {
  Random random(32);
  for (const Law law : {Law::associated, Law::coulomb})
    for (int trial = 0; trial < 3000; ++trial) {
      const LocalContact contact = random_contact(random, 3);
      const ContactSet cone{{FrictionKind::cone}, 3, std::pow(10, uniform(random, -2, 0.5)), 0};
      double b[3], z[3] = {}, size = 1;
      for (double& v : b) v = uniform(random, -1, 1);
      const auto residual_after_visit = [&] {
        solve_local_contact(contact, cone, law, b, z, LocalAccuracy::sweep);
        return local_residual(contact, cone, law, b, z);
      };
      const double first = residual_after_visit();
      for (double v : z) size += std::abs(v);
      EXPECT_LE(first, 1e-6 * size) << to_string(law) << " trial " << trial;
      EXPECT_LE(residual_after_visit(), 1e-10 * size) << to_string(law) << " trial " << trial;
    }
}

TEST(LocalContact, SolvesKnownCases) {
  const double a[9] = {2, 0, 0, 0, 4, 0, 0, 0, 4};
  LocalContact contact;
  prepare_local_contact(a, 3, contact);
  const ContactSet cone{{FrictionKind::cone}, 3, 0.5, 0};
  double z[3] = {};
  const double sliding[3] = {-4, 10, 0};
  solve_local_contact(contact, cone, Law::coulomb, sliding, z);
  EXPECT_NEAR(2, z[0], 1e-14);
  EXPECT_NEAR(-1, z[1], 1e-14);
  EXPECT_NEAR(0, z[2], 1e-14);
  solve_local_contact(contact, cone, Law::associated, sliding, z);
  EXPECT_NEAR(3, z[0], 1e-14);
  EXPECT_NEAR(-1.5, z[1], 1e-14);
  const double sticking[3] = {-4, 2, 0};
  solve_local_contact(contact, cone, Law::coulomb, sticking, z);
  EXPECT_NEAR(2, z[0], 1e-14);
  EXPECT_NEAR(-0.5, z[1], 1e-14);
  const double apart[3] = {0.1, 5, 0};
  solve_local_contact(contact, cone, Law::coulomb, apart, z);
  EXPECT_EQ(0, z[0]);
}

template <int d>
void expect_packing_keeps(const LocalContact& contact) {
  LocalContact again;
  unpack<d>(pack<d>(contact), again);
  for (int i = 0; i < d * d; ++i) {
    EXPECT_EQ(contact.A[i], again.A[i]);
    EXPECT_NEAR(contact.inverse[i], again.inverse[i], 1e-9 * (1 + std::abs(contact.inverse[i])));
  }
}

TEST(LocalContact, IsKeptByPacking) {
  Random random(32);
  for (int trial = 0; trial < 100; ++trial) {
    expect_packing_keeps<1>(random_contact(random, 1));
    expect_packing_keeps<2>(random_contact(random, 2));
    expect_packing_keeps<3>(random_contact(random, 3));
  }
}

TEST(LocalContact, ToleratesASingularBlock) {
  // The second tangent moves nothing, as in a planar world.
  const double a[9] = {1.5, 0, 0, 0, 1.5, 0, 0, 0, 0};
  LocalContact contact;
  prepare_local_contact(a, 3, contact);
  const ContactSet cone{{FrictionKind::cone}, 3, 0.5, 0};
  const double b[3] = {-1, 3, 0};
  double z[3] = {};
  solve_local_contact(contact, cone, Law::coulomb, b, z);
  EXPECT_LE(local_residual(contact, cone, Law::coulomb, b, z), 1e-10);
  EXPECT_NEAR(-0.5 * z[0], z[1], 1e-10);
}

} // namespace
} // namespace talus
