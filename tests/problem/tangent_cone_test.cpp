#include "support/random_problems.h"
#include "talus/problem/scaled/tangent_cone.h"

#include <gtest/gtest.h>

#include <cmath>

namespace talus {
namespace {

using test::Random;
using test::uniform;

const char* const all_sets[] = {"none",         "box",      "pyramid", "prism:6",
                                "polyhedron:8", "cylinder", "cone"};

/// The tangent cone's projection is the directional derivative of the set's: P_T(d) = lim (P(x + ε
/// d) - x) / ε.
void expect_directional_derivative(const ContactSet& k, Random& random) {
  const int n = k.dimension;
  double x[3], d[3], y[3], moved[3];
  for (int i = 0; i < n; ++i) x[i] = uniform(random, -1.5, 1.5);
  project(k, x, x); // often on the boundary
  for (int i = 0; i < n; ++i) d[i] = uniform(random, -1, 1);
  project_on_tangent_cone(k, x, d, y);
  constexpr double epsilon = 1e-6;
  for (int i = 0; i < n; ++i) moved[i] = x[i] + epsilon * d[i];
  project(k, moved, moved);
  for (int i = 0; i < n; ++i)
    EXPECT_NEAR((moved[i] - x[i]) / epsilon, y[i], 2e-4)
        << to_string(k.set) << " dimension " << n << " component " << i << " mu " << k.mu << " x "
        << x[0] << " " << (n > 1 ? x[1] : 0) << " " << (n > 2 ? x[2] : 0);
}

TEST(TangentCone, IsTheDirectionalDerivativeOfTheProjection) {
  Random random(21);
  for (const char* name : all_sets)
    for (int dimension : {1, 2, 3})
      for (int trial = 0; trial < 500; ++trial)
        expect_directional_derivative(
            {parse_friction_set(name), dimension, uniform(random, 0.2, 2), uniform(random, 0.2, 1)},
            random);
}

TEST(TangentCone, KeepsFreeDirectionsInside) {
  const ContactSet cone{{FrictionKind::cone}, 3, 0.5, 0};
  const double x[3] = {1, 0.1, 0.1}, d[3] = {-3, 2, 1};
  double y[3];
  project_on_tangent_cone(cone, x, d, y);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(d[i], y[i]);
}

TEST(TangentCone, KeepsWhatIsLeftOfANearlyNormalDirection) {
  // A direction along the outward normal but for one part in a million.
  const double mu = 0.5, length = std::sqrt(1 + mu * mu);
  const ContactSet cone{{FrictionKind::cone}, 3, mu, 0};
  const double x[3] = {1, mu, 0}, d[3] = {-mu / length, 1 / length, 1e-6};
  double y[3];
  project_on_tangent_cone(cone, x, d, y);
  EXPECT_NEAR(0, y[0], 1e-15);
  EXPECT_NEAR(0, y[1], 1e-15);
  EXPECT_EQ(1e-6, y[2]);
}

TEST(TangentCone, LeavesNoRoomWithoutFriction) {
  for (const ContactSet& k :
       {ContactSet{{FrictionKind::cone}, 3, 0, 0}, ContactSet{{FrictionKind::cylinder}, 3, 1, 0}}) {
    const double x[3] = {0, 0, 0}, d[3] = {-1, 2, 1};
    double y[3];
    project_on_tangent_cone(k, x, d, y);
    for (double value : y) EXPECT_EQ(0, value);
  }
}

} // namespace
} // namespace talus
