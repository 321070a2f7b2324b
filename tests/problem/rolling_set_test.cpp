// The geometry of rolling friction: projections against their optimality conditions, derivatives
// against differences, support functions against sampled points of the set.

#include "talus/contact/contact_set.h"
#include "talus/core/error.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace talus::test {
namespace {

using Six = std::array<double, 6>;

/// Components that are bounded together, by `radius` times the normal one.
struct Group {
  int first, size;
  double radius;
};
std::vector<Group> groups(const ContactSet& k) {
  if (k.dimension == 3) return {{1, 1, k.mu}, {2, 1, k.rolling}};
  std::vector<Group> found = {{1, 2, k.mu}, {3, 2, k.rolling}};
  if (k.dimension == 6) found.push_back({5, 1, k.spinning});
  return found;
}
double length(const Group& group, const Six& x) {
  return group.size == 2 ? std::hypot(x[group.first], x[group.first + 1])
                         : std::abs(x[group.first]);
}

class Sampler {
public:
  explicit Sampler(unsigned seed) : engine_(seed) {}
  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(engine_);
  }
  double gaussian() { return std::normal_distribution<double>()(engine_); }
  bool chance(double share) { return uniform(0, 1) < share; }

  /// Coefficients over several decades, now and then zero.
  ContactSet set(int dimension) {
    const auto coefficient = [&] { return chance(0.1) ? 0.0 : std::pow(10, uniform(-3, 1)); };
    ContactSet k{{FrictionKind::rolling}, dimension, coefficient()};
    k.rolling = coefficient();
    k.spinning = dimension == 6 ? coefficient() : 0.0;
    return k;
  }

  Six point(int dimension) {
    Six x = {};
    const double size = std::pow(10, uniform(-2, 2));
    for (int i = 0; i < dimension; ++i)
      x[i] = chance(0.05) ? 0.0 : size * std::pow(10, uniform(-1, 1)) * gaussian();
    return x;
  }

  /// A point of K: every disc inside, on its edge or at its centre.
  Six member(const ContactSet& k) {
    Six x = {std::pow(10, uniform(-2, 2))};
    const auto fill = [&](int first, int size, double radius) {
      double direction[2] = {gaussian(), size == 2 ? gaussian() : 0.0};
      const double length = std::hypot(direction[0], direction[1]);
      const double share = chance(0.3) ? 1.0 : chance(0.2) ? 0.0 : uniform(0, 1);
      for (int i = 0; i < size; ++i) x[first + i] = share * radius * x[0] * direction[i] / length;
    };
    for (const Group& group : groups(k)) fill(group.first, group.size, group.radius);
    return x;
  }

private:
  std::mt19937 engine_;
};

double dot(const Six& a, const Six& b) {
  double sum = 0;
  for (int i = 0; i < 6; ++i) sum += a[i] * b[i];
  return sum;
}
double norm(const Six& a) {
  return std::sqrt(dot(a, a));
}
Six difference(const Six& a, const Six& b) {
  Six d;
  for (int i = 0; i < 6; ++i) d[i] = a[i] - b[i];
  return d;
}
Six projected(const ContactSet& k, const Six& x) {
  Six y = {};
  project(k, x.data(), y.data());
  return y;
}

/// How far y is outside of K.
double violation(const ContactSet& k, const Six& y) {
  double worst = std::max(0.0, -y[0]);
  for (const Group& group : groups(k))
    worst = std::max(worst, length(group, y) - group.radius * y[0]);
  return worst;
}
/// How far u is outside of K* = { u_n >= Σ a_i |u_i| }.
double dual_violation(const ContactSet& k, const Six& u) {
  double tilt = 0;
  for (const Group& group : groups(k)) tilt += group.radius * length(group, u);
  return std::max(0.0, tilt - u[0]);
}

template <class Check>
void for_random_cases(unsigned seed, int count, Check check) {
  for (const int dimension : {3, 5, 6}) {
    Sampler sampler(seed);
    for (int i = 0; i < count && !::testing::Test::HasFailure(); ++i) {
      SCOPED_TRACE("dimension " + std::to_string(dimension) + ", case " + std::to_string(i));
      const ContactSet k = sampler.set(dimension);
      check(k, sampler);
    }
  }
}

// y = P_K(x) if and only if y ∈ K, y - x ∈ K* and y ⊥ y - x.
TEST(RollingProjection, MeetsTheOptimalityConditions) {
  for_random_cases(1, 20000, [](const ContactSet& k, Sampler& sampler) {
    const Six x = sampler.point(k.dimension), y = projected(k, x);
    const double size = (1 + k.mu + k.rolling + k.spinning) * norm(x);
    EXPECT_LE(violation(k, y), 1e-14 * size);
    EXPECT_LE(dual_violation(k, difference(y, x)), 1e-14 * size);
    EXPECT_LE(std::abs(dot(y, difference(y, x))), 1e-14 * size * size);
  });
}

TEST(RollingProjection, LeavesMembersAndSendsThePolarConeToTheApex) {
  for_random_cases(2, 5000, [](const ContactSet& k, Sampler& sampler) {
    const Six x = sampler.member(k), y = projected(k, x);
    for (int i = 0; i < 6; ++i) EXPECT_NEAR(y[i], x[i], 1e-15 * (1 + k.mu + k.rolling) * norm(x));
    Six inside = x;
    for (int i = 1; i < 6; ++i) inside[i] *= 0.99;
    if (k.mu > 0 && k.rolling > 0 && (k.dimension != 6 || k.spinning > 0)) {
      EXPECT_EQ(projected(k, inside), inside) << "to the last bit";
    }
    Six u = sampler.point(k.dimension), dual;
    const double size = norm(u); // the dual point carries the rounding of what it is made from
    project_dual(k, u.data(), dual.data());
    for (int i = 0; i < k.dimension; ++i) u[i] = -dual[i];
    for (int i = k.dimension; i < 6; ++i) u[i] = 0;
    EXPECT_LE(norm(projected(k, u)), 1e-14 * (1 + k.mu + k.rolling + k.spinning) * size);
  });
}

// With one coefficient alone the set is the cone of space beside components that vanish.
TEST(RollingProjection, IsThatOfTheConeWithoutMoments) {
  Sampler sampler(3);
  for (int i = 0; i < 2000; ++i) {
    ContactSet k{{FrictionKind::rolling}, 6, sampler.uniform(0, 2)};
    const ContactSet cone{{FrictionKind::cone}, 3, k.mu};
    Six x = sampler.point(6), expected = {};
    project(cone, x.data(), expected.data());
    const Six y = projected(k, x);
    for (int j = 0; j < 6; ++j) EXPECT_NEAR(y[j], expected[j], 1e-14 * norm(x));
  }
}

TEST(RollingProjection, MayBeDoneInPlaceAndPassesNanOn) {
  const ContactSet k{{FrictionKind::rolling}, 6, 0.5, 0, 0.1, 0.2};
  const Six x = {-0.1, 3, 4, 5, -6, 7}, expected = projected(k, x);
  Six y = x;
  project(k, y.data(), y.data());
  EXPECT_EQ(y, expected);
  for (int i = 0; i < 6; ++i) {
    Six broken = x;
    broken[i] = std::numeric_limits<double>::quiet_NaN();
    const Six result = projected(k, broken);
    EXPECT_TRUE(std::ranges::all_of(result, [](double v) { return std::isnan(v); })) << i;
  }
}

TEST(RollingProjection, RefusesOtherDimensions) {
  const double x[6] = {1, 1, 1, 1, 1, 1};
  double y[6];
  for (const int dimension : {1, 2, 4, 7}) {
    const ContactSet k{{FrictionKind::rolling}, dimension, 0.5};
    EXPECT_THROW(project_dual(k, x, y), InvalidArgument) << dimension;
  }
  for (const int dimension : {4, 5, 6}) {
    const ContactSet k{{FrictionKind::cone}, dimension, 0.5};
    EXPECT_THROW(project(k, x, y), InvalidArgument) << dimension;
  }
}

TEST(RollingJacobian, EqualsCentralDifferences) {
  int compared = 0, skipped = 0;
  for_random_cases(4, 3000, [&](const ContactSet& k, Sampler& sampler) {
    const int d = k.dimension;
    Six x = {};
    for (int i = 0; i < d; ++i) x[i] = sampler.gaussian();
    double jacobian[36];
    projection_jacobian(k, x.data(), jacobian);
    const double step = 1e-6;
    double worst = 0, kink = 0;
    const Six middle = projected(k, x);
    for (int j = 0; j < d; ++j) {
      Six up = x, down = x;
      up[j] += step;
      down[j] -= step;
      const Six y_up = projected(k, up), y_down = projected(k, down);
      for (int i = 0; i < d; ++i) {
        worst = std::max(worst, std::abs((y_up[i] - y_down[i]) / (2 * step) - jacobian[d * i + j]));
        kink = std::max(kink, std::abs(y_up[i] - 2 * middle[i] + y_down[i]) / step);
      }
    }
    if (kink > 1e-3) {
      ++skipped;
      return;
    }
    ++compared;
    EXPECT_LE(worst, 1e-6);
  });
  EXPECT_LT(20 * skipped, compared);
}

// Symmetric, and 0 <= J <= I: both J and I - J are Gram-like, so that xᵀ J x lies between 0 and
// |x|², and J x never longer than x.
TEST(RollingJacobian, IsSymmetricBetweenZeroAndOne) {
  for_random_cases(5, 5000, [](const ContactSet& k, Sampler& sampler) {
    const int d = k.dimension;
    const Six x = sampler.chance(0.3) ? sampler.member(k) : sampler.point(d);
    double jacobian[36];
    projection_jacobian(k, x.data(), jacobian);
    for (int i = 0; i < d; ++i)
      for (int j = 0; j < i; ++j) EXPECT_EQ(jacobian[d * i + j], jacobian[d * j + i]);
    for (int trial = 0; trial < 5; ++trial) {
      const Six v = sampler.point(d);
      double along = 0, squared = 0;
      for (int i = 0; i < d; ++i) {
        double sum = 0;
        for (int j = 0; j < d; ++j) sum += jacobian[d * i + j] * v[j];
        along += sum * v[i];
        squared += sum * sum;
      }
      EXPECT_GE(along, -1e-14 * dot(v, v));
      EXPECT_LE(std::sqrt(squared), (1 + 1e-14) * norm(v));
    }
  });
}

// σ(u_t) = max { -s·u_t : (1, s) ∈ K }.
TEST(RollingTilt, IsTheSupportOfTheCrossSection) {
  for_random_cases(6, 500, [](const ContactSet& k, Sampler& sampler) {
    const Six u = sampler.point(k.dimension);
    const double sigma = tilt(k, u.data());
    double best = 0;
    for (int trial = 0; trial < 200; ++trial) {
      const Six s = sampler.member(k);
      double sum = 0;
      for (int i = 1; i < k.dimension; ++i) sum -= s[i] / s[0] * u[i];
      best = std::max(best, sum);
    }
    EXPECT_LE(best, sigma * (1 + 1e-13) + 1e-15);
    // It is attained opposite to the velocity.
    Six s = {1};
    const auto oppose = [&](int first, int size, double radius) {
      double length = 0;
      for (int i = first; i < first + size; ++i) length = std::hypot(length, u[i]);
      for (int i = first; i < first + size && length > 0; ++i) s[i] = -radius * u[i] / length;
    };
    for (const Group& group : groups(k)) oppose(group.first, group.size, group.radius);
    double attained = 0;
    for (int i = 1; i < k.dimension; ++i) attained -= s[i] * u[i];
    EXPECT_NEAR(attained, sigma, 1e-13 * (1 + sigma));
    EXPECT_LE(violation(k, s), 1e-14 * (1 + k.mu + k.rolling));
  });
}

TEST(RollingTilt, HasTheGradientOfItsDifferences) {
  for_random_cases(7, 1000, [](const ContactSet& k, Sampler& sampler) {
    Six u = {};
    for (int i = 0; i < k.dimension; ++i) u[i] = sampler.gaussian();
    for (const Group& group : groups(k))
      if (length(group, u) < 1e-2) return;
    double gradient[5];
    tilt_gradient(k, u.data(), gradient);
    double euler = 0;
    for (int i = 1; i < k.dimension; ++i) {
      Six up = u, down = u;
      up[i] += 1e-6;
      down[i] -= 1e-6;
      const double slope = (tilt(k, up.data()) - tilt(k, down.data())) / 2e-6;
      EXPECT_NEAR(gradient[i - 1], slope, 1e-6 * (1 + k.mu + k.rolling + k.spinning));
      euler += gradient[i - 1] * u[i];
    }
    EXPECT_NEAR(euler, tilt(k, u.data()), 1e-12 * (1 + tilt(k, u.data())));
  });
}

TEST(RollingGauge, TellsMembersByTheRoomTheyHave) {
  for_random_cases(8, 3000, [](const ContactSet& k, Sampler& sampler) {
    const Six x = sampler.member(k), y = sampler.point(k.dimension);
    EXPECT_LE(gauge(k, x.data()), room(k, x[0]) * (1 + 1e-14));
    if (y[0] > 0) {
      EXPECT_EQ(gauge(k, y.data()) <= room(k, y[0]) * (1 + 1e-14),
                violation(k, y) <= 1e-13 * norm(y) * (k.mu + k.rolling + k.spinning));
    }
  });
}

} // namespace
} // namespace talus::test
