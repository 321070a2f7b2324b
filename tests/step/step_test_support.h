#pragma once
// Little helpers shared by the tests of stepping.

#include "talus/step/simulation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace talus {

inline constexpr double gravity = 9.81;
inline constexpr double fine_step = 1.0 / 240; ///< A time step [s].

inline void expect_near(const Vec3& a, const Vec3& b, double tolerance, const char* what = "") {
  EXPECT_LE(norm(a - b), tolerance) << what << ": (" << a.x << ' ' << a.y << ' ' << a.z << ") and ("
                                    << b.x << ' ' << b.y << ' ' << b.z << ')';
}

inline long steps_for(double seconds, double h) {
  return std::lround(seconds / h);
}

/// Runs and sums up; every step must converge unless told otherwise.
inline RunSummary run(Simulation& simulation, long steps, bool all_converge = true) {
  RunSummary summary;
  for (long k = 0; k < steps; ++k) summary.include(simulation.step());
  if (all_converge) {
    EXPECT_EQ(summary.unconverged_steps, 0)
        << "last: " << simulation.report().message << ", largest error " << summary.error_max;
  }
  return summary;
}

/// A floor z ≤ 0 and the friction of everything on it; contacts are rigid.
inline World world_with_floor(double friction) {
  World world;
  world.materials.replace(0,
                          {.name = "default", .friction = friction, .stiffness = rigid_stiffness});
  world.add(fixed_body("floor").with(make_half_space({0, 0, 1})));
  return world;
}

/// Options with rigid contacts.
inline StepOptions rigid(StepOptions options = {}) {
  options.relative_compliance = 0;
  return options;
}

class Random {
public:
  explicit Random(unsigned seed) : engine_(seed) {}
  double operator()(double lower, double upper) {
    return std::uniform_real_distribution<double>(lower, upper)(engine_);
  }
  Vec3 vector(double size) {
    return {(*this)(-size, size), (*this)(-size, size), (*this)(-size, size)};
  }
  Quaternion rotation() { return exponential_map(vector(3)); }

private:
  std::mt19937 engine_;
};

} // namespace talus
