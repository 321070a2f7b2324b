#pragma once
// Random contact problems with a fixed seed: rigid bodies joined by random contacts and rows, the
// common input of property tests.

#include "talus/problem/contact_problem.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace talus::test {

using Random = std::mt19937_64;

inline double uniform(Random& random, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(random);
}

inline Vec3 random_vector(Random& random, double size = 1) {
  return {uniform(random, -size, size), uniform(random, -size, size), uniform(random, -size, size)};
}

inline Vec3 random_direction(Random& random) {
  while (true) {
    const Vec3 v = random_vector(random);
    if (dot(v, v) > 0.01 && dot(v, v) < 1) return normalized(v);
  }
}

struct RandomOptions {
  int bodies = 6;
  int contacts = 10;
  int rows = 0;
  double mass_ratio = 10; ///< Masses lie between 1 and this, logarithmically.
  double mu_low = 0, mu_high = 1;
  bool duplicate_contacts = false; ///< Every second contact repeats the one before it.
  double approach = 1;             ///< Size of the free velocities.
};

/// Contacts between random bodies (one in four against the world), random frames and arms,
/// symmetric positive definite inertias. Free velocities are random, so about half of the contacts
/// approach.
inline ContactProblem random_rigid_problem(Random& random, const RandomOptions& options = {}) {
  RigidModel model;
  for (int body = 0; body < options.bodies; ++body) {
    RigidInverseMass inverse;
    inverse.mass = std::pow(options.mass_ratio, -uniform(random, 0, 1));
    const Mat3 spread =
        Mat3::columns(random_vector(random), random_vector(random), random_vector(random));
    const Mat3 inertia = Mat3::identity() + spread * transpose(spread);
    const double scale = 2 * inverse.mass;
    const double entries[6] = {inertia(0, 0), inertia(0, 1), inertia(0, 2),
                               inertia(1, 1), inertia(1, 2), inertia(2, 2)};
    for (int i = 0; i < 6; ++i) inverse.inertia[i] = scale * entries[i];
    model.inverse_mass.push_back(inverse);
    for (int i = 0; i < 6; ++i)
      model.free_velocity.push_back(uniform(random, -options.approach, options.approach));
  }
  const auto random_pair = [&] {
    BodyPair pair;
    pair.b = std::uniform_int_distribution<Index>(0, options.bodies - 1)(random);
    if (options.bodies > 1 && uniform(random, 0, 1) > 0.25) do
        pair.a = std::uniform_int_distribution<Index>(0, options.bodies - 1)(random);
      while (pair.a == pair.b);
    return pair;
  };
  ContactProblem problem;
  for (int c = 0; c < options.contacts; ++c) {
    if (options.duplicate_contacts && c % 2 == 1) {
      model.contact_bodies.push_back(model.contact_bodies.back());
      model.contacts.push_back(model.contacts.back());
      problem.mu.push_back(problem.mu.back());
      for (int i = 0; i < 3; ++i) model.w.push_back(model.w[model.w.size() - 3]);
      continue;
    }
    const Vec3 normal = random_direction(random);
    model.contact_bodies.push_back(random_pair());
    model.contacts.push_back(
        {normal, orthogonal_unit(normal), random_vector(random), random_vector(random)});
    problem.mu.push_back(uniform(random, options.mu_low, options.mu_high));
    model.w.insert(model.w.end(), {uniform(random, 0, 0.2), 0.0, 0.0});
  }
  for (int j = 0; j < options.rows; ++j) {
    model.row_bodies.push_back(random_pair());
    model.rows.push_back({random_vector(random), random_vector(random), random_vector(random),
                          random_vector(random)});
    model.b.push_back(uniform(random, -0.1, 0.1));
  }
  problem.model = std::move(model);
  return problem;
}

/// The same problem in the plane: bodies of three degrees of freedom, two components per contact,
/// as a global model.
inline ContactProblem random_planar_problem(Random& random, int bodies = 5, int contacts = 8,
                                            double mu_high = 1) {
  std::vector<Triplet> mass, jacobian;
  GlobalModel model;
  for (Index i = 0; i < 3 * bodies; ++i) {
    const double m = uniform(random, 0.5, 3);
    mass.push_back({i, i, m});
    model.f.push_back(m * uniform(random, -1, 1));
  }
  ContactProblem problem;
  problem.dimension = 2;
  for (Index c = 0; c < contacts; ++c) {
    const double angle = uniform(random, -3.14159, 3.14159);
    const double frame[2][2] = {{std::cos(angle), std::sin(angle)},
                                {-std::sin(angle), std::cos(angle)}};
    const Index first = std::uniform_int_distribution<Index>(0, bodies - 1)(random);
    const Index second = std::uniform_int_distribution<Index>(-1, bodies - 1)(random);
    for (int side = 0; side < 2; ++side) {
      const Index body = side == 0 ? first : second;
      if (body < 0 || (side == 1 && second == first)) continue;
      const double sign = side == 0 ? 1 : -1, x = uniform(random, -1, 1),
                   y = uniform(random, -1, 1);
      for (int k = 0; k < 2; ++k) {
        jacobian.push_back({3 * body, 2 * c + k, sign * frame[k][0]});
        jacobian.push_back({3 * body + 1, 2 * c + k, sign * frame[k][1]});
        jacobian.push_back({3 * body + 2, 2 * c + k, sign * (x * frame[k][1] - y * frame[k][0])});
      }
    }
    problem.mu.push_back(uniform(random, 0, mu_high));
    model.w.insert(model.w.end(), {uniform(random, 0, 0.2), 0.0});
  }
  model.M = from_triplets(3 * bodies, 3 * bodies, std::move(mass));
  model.H = from_triplets(3 * bodies, 2 * contacts, std::move(jacobian));
  problem.model = std::move(model);
  return problem;
}

} // namespace talus::test
