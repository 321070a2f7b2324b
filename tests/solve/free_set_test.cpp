#include "solver_checks.h"
#include "support/random_problems.h"
#include "talus/solve/active_set/free_set.h"

#include <cmath>

namespace talus {
namespace {

using namespace test;

class FreeSetOf : public ::testing::TestWithParam<const char*> {
protected:
  FreeSetOf()
      : random_(81),
        problem_(with_set(test::random_rigid_problem(random_, {.contacts = 40, .mu_low = 0.1}),
                          GetParam())),
        operator_(make_operator(problem_)), scaled_(problem_, *operator_) {}

  /// A point of K with contacts of every kind: separated, inside, on the boundary.
  Vector random_point() {
    Vector z(scaled_.size());
    for (double& value : z) value = test::uniform(random_, -0.6, 0.6);
    scaled_.project(z, z);
    return z;
  }
  Vector random_direction() {
    Vector d(scaled_.size());
    for (double& value : d) value = test::uniform(random_, -1, 1);
    return d;
  }
  double distance_to_set(const Vector& z) {
    Vector projected(z.size());
    scaled_.project(z, projected);
    return distance(z, projected);
  }

  test::Random random_;
  ContactProblem problem_;
  std::unique_ptr<DelassusOperator> operator_;
  ScaledProblem scaled_;
};

TEST_P(FreeSetOf, RestrictionIsAnOrthogonalProjector) {
  for (const auto boundary : {FreeSet::Boundary::slide, FreeSet::Boundary::fixed}) {
    FreeSet free(scaled_, boundary);
    free.update(random_point());
    const Vector x = random_direction(), y = random_direction();
    Vector px(x.size()), ppx(x.size()), py(y.size());
    free.restrict_to(x, px);
    free.restrict_to(px, ppx);
    free.restrict_to(y, py);
    EXPECT_LT(distance(px, ppx), 1e-14);
    EXPECT_NEAR(dot(px, y), dot(x, py), 1e-12);
    EXPECT_LT(norm(px), norm(x));
  }
}

TEST_P(FreeSetOf, TheLongestStepEndsOnTheBoundary) {
  for (int trial = 0; trial < 20; ++trial) {
    FreeSet free(scaled_, FreeSet::Boundary::fixed);
    const Vector z = random_point();
    free.update(z);
    Vector p = random_direction(), there(z.size()), beyond(z.size());
    free.restrict_to(p, p);
    const double step = free.longest_step(z, p);
    ASSERT_TRUE(std::isfinite(step));
    combine(1.0, z, step, p, there);
    combine(1.0, z, 1.01 * step + 1e-6, p, beyond);
    EXPECT_LT(distance_to_set(there), 1e-12);
    EXPECT_GT(distance_to_set(beyond), 0.0);
  }
}

TEST_P(FreeSetOf, CountsContactsWhoseFaceChanged) {
  FreeSet free(scaled_, FreeSet::Boundary::slide);
  Vector z(scaled_.size(), 0.0);
  free.update(z);
  EXPECT_EQ(0, free.update(z));
  z[0] = z[3 * 7] = 1;
  EXPECT_EQ(2, free.update(z));
}

INSTANTIATE_TEST_SUITE_P(Sets, FreeSetOf,
                         ::testing::Values("none", "box", "prism:4", "prism:8", "cylinder"),
                         [](const auto& parameter) {
                           std::string name = parameter.param;
                           for (char& c : name)
                             if (c == ':') c = '_';
                           return name;
                         });

TEST(FreeSet, CurvatureIsThatOfTheObjectiveAlongTheCircle) {
  // q(z) = u·z on the disc of radius b, at z_t = (b, 0) with u_t = (-λ, 0): along the circle
  // q = -λ b cos(t / b), whose second derivative at t = 0 is λ / b.
  test::Random random(82);
  ContactProblem problem =
      with_set(test::random_rigid_problem(random, {.contacts = 1, .mu_low = 1}), "cylinder");
  const auto n = make_operator(problem);
  const ScaledProblem scaled(problem, *n);
  const double bound = scaled.contact_set(0).bound, lambda = 0.7;
  FreeSet free(scaled, FreeSet::Boundary::slide);
  const Vector z = {1, bound, 0}, u = {0, -lambda, 0.3}, along = {0, 0, 1};
  Vector curved(3, 0.0);
  free.update(z);
  free.bend(z, u);
  free.add_curvature(along, curved);
  EXPECT_NEAR(lambda / bound, curved[2], 1e-12);
  EXPECT_EQ(0.0, curved[1]);
}

} // namespace
} // namespace talus
