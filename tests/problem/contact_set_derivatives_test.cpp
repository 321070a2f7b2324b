// Derivatives of the projections, and the support functions that tilt velocities and close gaps.

#include "problem/contact_set_samples.h"

#include <gtest/gtest.h>

#include <limits>

namespace talus::test {
namespace {

using Matrix = std::array<double, 9>; ///< Row-major, 3x3 with zeros beyond the dimension.

Matrix jacobian_at(const ContactSet& k, const Point& x) {
  double compact[9];
  projection_jacobian(k, x.data(), compact);
  Matrix matrix = {};
  for (int i = 0; i < k.dimension; ++i)
    for (int j = 0; j < k.dimension; ++j) matrix[3 * i + j] = compact[i * k.dimension + j];
  return matrix;
}

Point times(const Matrix& a, const Point& x) {
  Point y;
  for (int i = 0; i < 3; ++i) y[i] = a[3 * i] * x[0] + a[3 * i + 1] * x[1] + a[3 * i + 2] * x[2];
  return y;
}

double largest_difference(const Matrix& a, const Matrix& b) {
  double worst = 0;
  for (int i = 0; i < 9; ++i) worst = std::max(worst, std::abs(a[i] - b[i]));
  return worst;
}

/// The smallest principal minor: a symmetric matrix is positive semidefinite iff it is >= 0.
double smallest_principal_minor(const Matrix& a) {
  const auto minor2 = [&](int i, int j) {
    return a[3 * i + i] * a[3 * j + j] - a[3 * i + j] * a[3 * j + i];
  };
  const double determinant =
      a[0] * minor2(1, 2) - a[1] * (a[3] * a[8] - a[5] * a[6]) + a[2] * (a[3] * a[7] - a[4] * a[6]);
  return std::min({a[0], a[4], a[8], minor2(0, 1), minor2(0, 2), minor2(1, 2), determinant});
}

struct Differences {
  Matrix first = {};
  double second = 0; ///< Largest second difference over the step: large at a kink.
};

Differences central_differences(const ContactSet& k, const Point& x, double step) {
  Differences result;
  const Point middle = projected(k, x);
  for (int j = 0; j < k.dimension; ++j) {
    Point up = x, down = x;
    up[j] += step;
    down[j] -= step;
    const Point y_up = projected(k, up), y_down = projected(k, down);
    for (int i = 0; i < 3; ++i) {
      result.first[3 * i + j] = (y_up[i] - y_down[i]) / (up[j] - down[j]);
      const double second = std::abs(y_up[i] - 2 * middle[i] + y_down[i]) / step;
      result.second = std::max(result.second, second);
    }
  }
  return result;
}

// Away from kinks, which show in the second differences: fewer than one point in ten.
TEST(ProjectionJacobian, EqualsCentralDifferences) {
  int compared = 0, skipped = 0;
  for_random_points(51, 400, true,
                    [&](const ContactSet& k, Sampler&, const Point& x, const Case& what) {
                      const Differences differences = central_differences(k, x, 1e-6 * norm(x));
                      if (differences.second > 1e-3) return ++skipped, true;
                      ++compared;
                      const Matrix jacobian = jacobian_at(k, x);
                      const double error = largest_difference(jacobian, differences.first);
                      EXPECT_LE(error, 1e-6) << what;
                      return error <= 1e-6;
                    });
  EXPECT_LT(10 * skipped, compared);
}

TEST(ProjectionJacobian, IsSymmetricWithEigenvaluesBetweenZeroAndOne) {
  for_random_points(52, 1000, false,
                    [](const ContactSet& k, Sampler&, const Point& x, const Case& what) {
                      const Matrix a = jacobian_at(k, x);
                      Matrix complement = {};
                      for (int i = 0; i < 9; ++i) complement[i] = (i % 4 == 0) - a[i];
                      const bool ok = a[1] == a[3] && a[2] == a[6] && a[5] == a[7] &&
                                      smallest_principal_minor(a) >= -1e-14 &&
                                      smallest_principal_minor(complement) >= -1e-14;
                      EXPECT_TRUE(ok) << what;
                      return ok;
                    });
}

TEST(ProjectionJacobian, ReproducesTheProjectionOnCones) {
  for_random_points(53, 1000, true,
                    [](const ContactSet& k, Sampler&, const Point& x, const Case& what) {
                      if (!is_cone(k)) return true;
                      const Point difference = times(jacobian_at(k, x), x) - projected(k, x);
                      const bool ok = norm(difference) <= 1e-13 * norm(x);
                      EXPECT_TRUE(ok) << what << ": J x - P(x) has length " << norm(difference);
                      return ok;
                    });
}

TEST(ProjectionJacobian, IsAnOrthogonalProjectorOnPolyhedralSets) {
  for_random_points(54, 1000, false,
                    [](const ContactSet& k, Sampler&, const Point& x, const Case& what) {
                      if (is_round(k)) return true;
                      const Matrix a = jacobian_at(k, x);
                      Matrix square = {};
                      for (int i = 0; i < 3; ++i)
                        for (int j = 0; j < 3; ++j)
                          for (int l = 0; l < 3; ++l)
                            square[3 * i + j] += a[3 * i + l] * a[3 * l + j];
                      const bool ok = largest_difference(a, square) <= 1e-14;
                      EXPECT_TRUE(ok) << what;
                      return ok;
                    });
}

// At a kink (points on the boundary, apex, axis) the answer must be a limit of derivatives nearby:
// some point of a small cloud has nearly the same derivative.
TEST(ProjectionJacobian, AtKinksIsALimitOfDerivativesNearby) {
  Sampler sampler(55);
  for (const ContactSet& k : all_sets()) {
    for (int i = 0; i < 40; ++i) {
      Point x = i == 0 ? Point{} : sampler.member(k, 1);
      if (i % 3 == 1) x = combine(-1, x, 0, x);
      if (i % 3 == 2) x = {x[0], 0, 0};
      const Matrix expected = jacobian_at(k, x);
      double nearest = 1e300;
      for (int trial = 0; trial < 400 && nearest > 2e-2; ++trial) {
        // Stretched clouds reach into thin normal cones of flat and steep sets.
        const double step_n = 1e-7 * std::pow(10, sampler.uniform(-4, 0));
        const double step_t = 1e-7 * std::pow(10, sampler.uniform(-4, 0));
        Point z = x;
        for (int j = 0; j < k.dimension; ++j)
          z[j] += (j == 0 ? step_n : step_t) * sampler.gaussian();
        const Differences differences = central_differences(k, z, 1e-13);
        nearest = std::min(nearest, largest_difference(expected, differences.first));
      }
      EXPECT_LE(nearest, 2e-2) << (Case{k, x, 55});
    }
  }
}

TEST(ProjectionJacobian, HandWorkedValues) {
  // Cone mu = 1 at (0, 2, 0): height 1, J = ½ (1,1,0)(1,1,0)ᵀ + ½ on the second tangent.
  const Matrix cone = jacobian_at({{FrictionKind::cone}, 3, 1, 0}, {0, 2, 0});
  EXPECT_LE(largest_difference(cone, {0.5, 0.5, 0, 0.5, 0.5, 0, 0, 0, 0.5}), 1e-15);
  const Matrix pyramid = jacobian_at({{FrictionKind::pyramid}, 3, 1, 0}, {0, 2, 0.5});
  EXPECT_LE(largest_difference(pyramid, {0.5, 0.5, 0, 0.5, 0.5, 0, 0, 0, 1}), 1e-15);
  const Matrix cylinder = jacobian_at({{FrictionKind::cylinder}, 3, 0, 1}, {-1, 0, 4});
  EXPECT_LE(largest_difference(cylinder, {0, 0, 0, 0, 0.25, 0, 0, 0, 0}), 1e-15);
  // Without friction the cone is a ray and its derivative on the axis is that of max(n, 0).
  for (FrictionKind kind : {FrictionKind::cone, FrictionKind::pyramid, FrictionKind::polyhedron}) {
    const Matrix ray = jacobian_at({{kind}, 3, 0, 0}, {2, 0, 0});
    EXPECT_LE(largest_difference(ray, {1, 0, 0, 0, 0, 0, 0, 0, 0}), 1e-15);
  }
}

TEST(ProjectionJacobian, PassesNanOn) {
  for (const ContactSet& k : all_sets()) {
    Point x = {1, 0, 0};
    x[k.dimension - 1] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_TRUE(std::isnan(jacobian_at(k, x)[0])) << (Case{k, x, 0});
  }
}

/// Error that 720 points of a circle may make in a support function.
double circle_tolerance(const ContactSet& k) {
  return is_round(k) ? 1e-5 : 1e-13;
}

TEST(Tilt, IsTheSupportFunctionOfTheCrossSection) {
  for_random_points(61, 200, false,
                    [](const ContactSet& k, Sampler&, const Point& u, const Case& what) {
                      const bool is_tilted = is_cone_shaped(k.set.kind) && k.dimension > 1;
                      const double expected = is_tilted ? k.mu * brute_support(k, u) : 0;
                      const double error = std::abs(tilt(k, u.data()) - expected);
                      const bool ok = error <= circle_tolerance(k) * k.mu * norm(u);
                      EXPECT_TRUE(ok) << what << ": " << tilt(k, u.data()) << " for " << expected;
                      return ok;
                    });
}

// u lies in K* exactly when u_n >= σ(u_t): raising a velocity to its tilt puts it on the boundary.
TEST(Tilt, DescribesTheDualCone) {
  for_random_points(62, 200, true,
                    [](const ContactSet& k, Sampler&, const Point& x, const Case& what) {
                      Point inside = x, below = x;
                      inside[0] = tilt(k, x.data()) + 1e-9 * norm(x);
                      below[0] = tilt(k, x.data()) - 1e-9 * norm(x);
                      Point p_inside = {}, p_below = {};
                      project_dual(k, inside.data(), p_inside.data());
                      project_dual(k, below.data(), p_below.data());
                      const bool ok = p_inside == inside && p_below != below;
                      EXPECT_TRUE(ok) << what;
                      return ok;
                    });
}

TEST(TiltGradient, EqualsDifferencesOfTheTilt) {
  int compared = 0, skipped = 0;
  for_random_points(63, 300, true,
                    [&](const ContactSet& k, Sampler&, const Point& u, const Case& what) {
                      Point gradient = {};
                      tilt_gradient(k, u.data(), gradient.data() + 1);
                      const double step = 1e-6 * norm(u);
                      for (int j = 1; j < k.dimension; ++j) {
                        Point up = u, down = u;
                        up[j] += step;
                        down[j] -= step;
                        const double high = tilt(k, up.data()), low = tilt(k, down.data());
                        const double second = std::abs(high - 2 * tilt(k, u.data()) + low) / step;
                        if (second > 1e-3 * k.mu) {
                          ++skipped;
                          continue;
                        }
                        ++compared;
                        const double slope = (high - low) / (up[j] - down[j]);
                        const bool ok = std::abs(slope - gradient[j]) <= 1e-6 * k.mu;
                        EXPECT_TRUE(ok) << what << ": entry " << j << " is " << gradient[j]
                                        << ", differences say " << slope;
                        if (!ok) return false;
                      }
                      return true;
                    });
  EXPECT_LT(10 * skipped, compared);
}

// g ∈ ∂σ(u_t) for a support function of mu S: g ∈ mu S and g·u_t = σ(u_t), kinks included.
TEST(TiltGradient, IsASubgradientEverywhere) {
  for_random_points(
      64, 500, false, [](const ContactSet& k, Sampler&, const Point& u, const Case& what) {
        Point gradient = {1, 0, 0};
        tilt_gradient(k, u.data(), gradient.data() + 1);
        const bool is_tilted = is_cone_shaped(k.set.kind);
        const double outside = is_tilted ? violation(k, gradient) : norm(gradient) - 1;
        gradient[0] = 0;
        const double gap = std::abs(dot(gradient, u) - tilt(k, u.data()));
        const bool ok = outside <= 1e-14 * (1 + k.mu) && gap <= 1e-14 * (1 + k.mu) * norm(u);
        EXPECT_TRUE(ok) << what;
        return ok;
      });
}

TEST(TiltGradient, IsZeroWithoutSlip) {
  for (const ContactSet& k : all_sets()) {
    const Point u = {3, 0, 0};
    Point gradient = {7, 7, 7};
    tilt_gradient(k, u.data(), gradient.data());
    for (int i = 0; i < 3; ++i) EXPECT_EQ(gradient[i], i < k.dimension - 1 ? 0 : 7);
  }
}

TEST(TiltGradient, IsRightForHugeAndTinySlip) {
  const ContactSet cone = {{FrictionKind::cone}, 3, 0.5, 0};
  for (const double size : {1e-290, 1e-170, 1e170, 1e290}) {
    const Point u = {0, 3 * size, -4 * size};
    double gradient[2];
    tilt_gradient(cone, u.data(), gradient);
    EXPECT_NEAR(gradient[0], 0.3, 1e-15);
    EXPECT_NEAR(gradient[1], -0.4, 1e-15);
    EXPECT_NEAR(tilt(cone, u.data()) / size, 2.5, 1e-14);
  }
}

TEST(Tilt, HandWorkedValues) {
  const Point u = {9, 3, -4};
  EXPECT_DOUBLE_EQ(tilt({{FrictionKind::cone}, 3, 0.5, 0}, u.data()), 2.5);
  EXPECT_DOUBLE_EQ(tilt({{FrictionKind::pyramid}, 3, 0.5, 0}, u.data()), 3.5);
  EXPECT_DOUBLE_EQ(tilt({{FrictionKind::polyhedron, 4}, 3, 0.5, 0}, u.data()), 2);
  EXPECT_DOUBLE_EQ(tilt({{FrictionKind::polyhedron}, 2, 0.5, 0}, u.data()), 1.5);
  EXPECT_EQ(tilt({{FrictionKind::cylinder}, 3, 0.5, 1}, u.data()), 0);
  EXPECT_EQ(tilt({{FrictionKind::cone}, 1, 0.5, 0}, u.data()), 0);
  EXPECT_DOUBLE_EQ(support({{FrictionKind::cylinder}, 3, 0.5, 2}, u.data()), 10);
  EXPECT_DOUBLE_EQ(support({{FrictionKind::box}, 3, 0.5, 2}, u.data()), 14);
  EXPECT_DOUBLE_EQ(support({{FrictionKind::prism, 4}, 3, 0.5, 2}, u.data()), 8);
  EXPECT_EQ(support({{FrictionKind::cone}, 3, 0.5, 2}, u.data()), 0);
}

TEST(Support, BoundsEveryMemberAndIsAttained) {
  for_random_points(
      65, 200, false, [](const ContactSet& k, Sampler& sampler, const Point& x, const Case& what) {
        Point u = {};
        project_dual(k, x.data(), u.data());
        const double value = support(k, x.data());
        const double size = (1 + k.mu + k.bound) * (1 + norm(x)) * (1 + norm(x));
        double worst = 0;
        for (int i = 0; i < 30; ++i) {
          const Point y = sampler.member(k, 1);
          worst = std::max(worst, -dot(y, u) - value);
        }
        const double attained = is_cone(k) ? 0 : k.bound * std::max(0.0, brute_support(k, u));
        const bool ok =
            worst <= 1e-13 * size && std::abs(attained - value) <= circle_tolerance(k) * size;
        EXPECT_TRUE(ok) << what << ": " << value << ", samples exceed it by " << worst;
        return ok;
      });
}

} // namespace
} // namespace talus::test
