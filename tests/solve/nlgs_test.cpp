#include "solver_checks.h"
#include "support/random_models.h"
#include "talus/contact/disc_friction.h"
#include "talus/problem/delassus/delassus.h"

#include <cmath>
#include <numbers>

namespace talus {
namespace {

using namespace test;

struct DiscProblem {
  double A[4], b[2], radius;

  double objective(double x, double y) const {
    return 0.5 * (A[0] * x * x + (A[1] + A[2]) * x * y + A[3] * y * y) + b[0] * x + b[1] * y;
  }
};

DiscProblem random_disc_problem(RandomProblems& random, double anisotropy) {
  const double angle = random.number(0, 3), c = std::cos(angle), s = std::sin(angle);
  const double first = random.number(0.5, 2), second = first * anisotropy;
  return {{first * c * c + second * s * s, (first - second) * c * s, (first - second) * c * s,
           first * s * s + second * c * c},
          {random.number(-3, 3), random.number(-3, 3)},
          random.number(0, 2)};
}

TEST(DiscFriction, MinimisesOverTheDisc) {
  RandomProblems random(21);
  for (const double anisotropy : {1.0, 0.5, 1e-2, 1e-6})
    for (int trial = 0; trial < 300; ++trial) {
      const DiscProblem problem = random_disc_problem(random, anisotropy);
      const DiscSolution found = minimise_on_disc(problem.A, problem.b, problem.radius);
      ASSERT_LE(std::hypot(found.x[0], found.x[1]), problem.radius * (1 + 1e-14));
      double best = 0;
      for (int k = 0; k < 720; ++k) {
        const double angle = k * std::numbers::pi / 360;
        for (const double r : {0.5 * problem.radius, problem.radius})
          best = std::min(best, problem.objective(r * std::cos(angle), r * std::sin(angle)));
      }
      EXPECT_LE(problem.objective(found.x[0], found.x[1]), best + 1e-12);
      EXPECT_LE(found.newton_iterations, 30);
    }
}

TEST(DiscFriction, NeedsNoIterationForAMultipleOfTheIdentity) {
  RandomProblems random(22);
  for (int trial = 0; trial < 1000; ++trial) {
    const DiscProblem problem = random_disc_problem(random, 1.0);
    EXPECT_EQ(0, minimise_on_disc(problem.A, problem.b, problem.radius).newton_iterations);
  }
}

TEST(DiscFriction, HandlesTheLimits) {
  const double A[4] = {2, 1, 1, 2}, b[2] = {1, -1}, none[2] = {0, 0}, flat[4] = {1, 0, 0, 0};
  EXPECT_EQ(0, minimise_on_disc(A, b, 0).x[0]);
  EXPECT_EQ(0, minimise_on_disc(A, none, 1).x[1]);
  const DiscSolution on_flat = minimise_on_disc(flat, b, 0.5);
  EXPECT_NEAR(0.5, std::hypot(on_flat.x[0], on_flat.x[1]), 1e-12);
  EXPECT_GT(on_flat.x[1], 0);
}

/// Spheres of random size at random places: contact arms along the normal, inertia 2/5 m r².
ContactProblem random_spheres(RandomProblems& random, Index bodies, Index contacts) {
  ContactProblem problem;
  RigidModel model;
  Vector radius = random.vector(bodies, 0.5, 2);
  for (Index body = 0; body < bodies; ++body) {
    RigidInverseMass inverse;
    inverse.mass = 1 / std::pow(radius[body], 3);
    const double inertia = inverse.mass / (0.4 * radius[body] * radius[body]);
    for (const int diagonal : {0, 3, 5}) inverse.inertia[diagonal] = inertia;
    model.inverse_mass.push_back(inverse);
  }
  model.free_velocity = random.vector(6 * static_cast<std::size_t>(bodies));
  for (Index c = 0; c < contacts; ++c) {
    const Vec3 normal = random.unit();
    const Index b = random.integer(0, bodies - 1);
    const Index a = random.integer(-1, bodies - 1) == b ? -1 : (b + 1) % bodies;
    model.contact_bodies.push_back({a, b});
    model.contacts.push_back({normal, orthogonal_unit(normal), a >= 0 ? radius[a] * normal : Vec3{},
                              -radius[b] * normal});
    model.w.insert(model.w.end(), {0.01, 0, 0});
  }
  problem.mu = random.vector(contacts, 0, 0.6);
  problem.model = std::move(model);
  return problem;
}

TEST(Nlgs, NeedsNoNewtonIterationForSpheres) {
  RandomProblems random(23);
  const ContactProblem problem = random_spheres(random, 10, 40);
  const auto n = make_operator(problem);
  for (Index c = 0; c < problem.contacts(); ++c) {
    const double* block = &n->diagonal()[9 * c];
    const double A[4] = {block[4], block[5], block[7], block[8]};
    for (int trial = 0; trial < 50; ++trial) {
      const Vector b = random.vector(2);
      EXPECT_EQ(0, minimise_on_disc(A, b.data(), random.number(0, 0.5)).newton_iterations);
    }
  }
}

TEST(Nlgs, SolvesCoulombFrictionBetweenSpheres) {
  RandomProblems random(24);
  for (int trial = 0; trial < 5; ++trial) {
    const ContactProblem problem = with_set(random_spheres(random, 12, 14), "cone");
    SolveOptions options;
    options.max_iterations = 100000;
    EXPECT_EQ(Status::converged, run_solver("nlgs", problem, options).status);
  }
}

TEST(Nlgs, AgreesWithNsgsOnConeAndCylinder) {
  RandomProblems random(25);
  for (const char* set : {"none", "cylinder", "cone"})
    for (int trial = 0; trial < 12; ++trial) {
      const ContactProblem problem = with_set(
          random.local(trial % 2 ? 3 : 2, random.integer(1, 8), random.integer(0, 2)), set);
      const SolveResult expected = run_solver("nsgs", problem);
      expect_same_velocities(problem, run_solver("nlgs", problem), expected);
      expect_same_velocities(problem, run_solver("nlgs", problem, {}, {{"bounds", "outer"}}),
                             expected);
      expect_same_velocities(problem, run_solver("nlgs", problem, {}, {{"omega", "0.8"}}),
                             expected);
      expect_same_velocities(problem, run_solver("nlgs", problem, {}, {{"sweep", "symmetric"}}),
                             expected);
    }
}

TEST(Nlgs, StaysFiniteOnStrongFrictionAndUnequalMasses) {
  RandomProblems random(26);
  for (const double mu : {0.0, 10.0})
    for (int trial = 0; trial < 5; ++trial) {
      ContactProblem problem = with_set(random_spheres(random, 4, 10), "cone");
      problem.mu.assign(problem.contacts(), mu);
      for (double& m : std::get<RigidModel>(problem.model).inverse_mass[0].inertia) m *= 1e-6;
      std::get<RigidModel>(problem.model).inverse_mass[0].mass *= 1e-6;
      SolveOptions options;
      options.max_iterations = 2000;
      const SolveResult result = run_solver("nlgs", problem, options);
      EXPECT_TRUE(all_finite(result.x));
      if (result.status == Status::converged) {
        EXPECT_LE(result.quality.error, options.tolerance);
      }
    }
}

TEST(Nlgs, RefusesWhatItDoesNotSolve) {
  RandomProblems random(27);
  expect_coulomb_only("nlgs", random.local(3, 2, 0), {"box", "pyramid", "prism", "polyhedron"},
                      "cone");
}

} // namespace
} // namespace talus
