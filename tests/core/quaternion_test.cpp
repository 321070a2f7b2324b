#include "talus/core/quaternion.h"
#include "talus/core/transform.h"

#include <gtest/gtest.h>

#include <numbers>
#include <random>

namespace talus {
namespace {

constexpr double pi = std::numbers::pi;

class Random {
public:
  double uniform(double a, double b) { return std::uniform_real_distribution<>(a, b)(engine_); }
  Vec3 vector(double size = 1) {
    return {uniform(-size, size), uniform(-size, size), uniform(-size, size)};
  }
  Quaternion rotation() {
    return normalized(Quaternion{uniform(-1, 1), uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)});
  }

private:
  std::mt19937_64 engine_{7};
};

void expect_near(const Vec3& a, const Vec3& b, double tolerance) {
  EXPECT_LE(norm(a - b), tolerance)
      << a.x << ' ' << a.y << ' ' << a.z << " against " << b.x << ' ' << b.y << ' ' << b.z;
}

TEST(Quaternion, QuarterTurnAboutZTakesXToY) {
  expect_near(rotate(axis_angle({0, 0, 3}, pi / 2), {1, 0, 0}), {0, 1, 0}, 1e-15);
}

TEST(Quaternion, MatrixAndProductAgreeWithRotate) {
  Random random;
  for (int i = 0; i < 1000; ++i) {
    const Quaternion p = random.rotation(), q = random.rotation();
    const Vec3 a = random.vector();
    expect_near(rotation_matrix(q) * a, rotate(q, a), 1e-14);
    expect_near(rotate(p * q, a), rotate(p, rotate(q, a)), 1e-14);
    expect_near(rotate_back(q, rotate(q, a)), a, 1e-14);
    EXPECT_NEAR(determinant(rotation_matrix(q)), 1, 1e-14);
  }
}

TEST(Quaternion, MatrixRoundTripIncludesHalfTurns) {
  Random random;
  for (int i = 0; i < 1000; ++i) {
    Quaternion q = random.rotation();
    if (i % 4 == 0) q = normalized(Quaternion{0, q.x, q.y, q.z});
    const Quaternion back = quaternion_from_matrix(rotation_matrix(q));
    EXPECT_GE(back.w, 0);
    const Vec3 a = random.vector();
    expect_near(rotate(back, a), rotate(q, a), 1e-14);
  }
}

TEST(Quaternion, ExponentialAndLogarithmAreInverse) {
  Random random;
  for (double size : {0.0, 1e-300, 1e-12, 0.99e-4, 1.01e-4, 1e-2, 1.0, 3.1}) {
    const Vec3 direction = normalized(random.vector());
    const Vec3 theta = size * direction;
    EXPECT_NEAR(norm(exponential_map(theta)), 1, 1e-15);
    expect_near(logarithmic_map(exponential_map(theta)), theta, 1e-15 + 1e-14 * size);
  }
}

TEST(Quaternion, ExponentialSolvesTheKinematicEquation) {
  Random random;
  const Vec3 omega = random.vector();
  const Quaternion q = random.rotation();
  const Vec3 a = random.vector();
  const double h = 1e-6;
  const Vec3 velocity =
      (rotate(advance(q, omega, h), a) - rotate(advance(q, omega, -h), a)) / (2 * h);
  expect_near(velocity, cross(omega, rotate(q, a)), 1e-9);
}

TEST(Quaternion, RotationBetweenTakesOneVectorToTheOther) {
  Random random;
  for (int i = 0; i < 200; ++i) {
    const Vec3 a = normalized(random.vector());
    const Vec3 b = i == 0 ? -a : i == 1 ? a : normalized(random.vector());
    expect_near(rotate(rotation_between(a, b), a), b, 1e-13);
  }
}

TEST(Transform, ComposesAndInverts) {
  Random random;
  for (int i = 0; i < 200; ++i) {
    const Transform a{random.vector(), random.rotation()}, b{random.vector(), random.rotation()};
    const Vec3 x = random.vector();
    expect_near((a * b)(x), a(b(x)), 1e-14);
    expect_near(inverse(a)(a(x)), x, 1e-14);
    expect_near(to_local(a, x), inverse(a)(x), 1e-14);
  }
}

} // namespace
} // namespace talus
