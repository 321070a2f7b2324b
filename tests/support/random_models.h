#pragma once
// Random contact problems for property tests: small, valid, with everything the types can hold.

#include "talus/problem/contact_problem.h"

#include <random>

namespace talus::test {

class RandomProblems {
public:
  explicit RandomProblems(unsigned seed) : generator_(seed) {}

  double number(double low = -1, double high = 1) {
    return std::uniform_real_distribution<double>(low, high)(generator_);
  }
  Index integer(Index low, Index high) {
    return std::uniform_int_distribution<Index>(low, high)(generator_);
  }
  Vec3 vec3() { return {number(), number(), number()}; }
  Vec3 unit() {
    for (;;)
      if (const Vec3 v = vec3(); norm(v) > 0.1) return normalized(v);
  }
  Vector vector(std::size_t n, double low = -1, double high = 1) {
    Vector x(n);
    for (double& value : x) value = number(low, high);
    return x;
  }
  /// About `density` of the entries, a few of them explicit zeros.
  SparseMatrix matrix(Index rows, Index columns, double density = 0.4) {
    std::vector<Triplet> entries;
    for (Index i = 0; i < rows; ++i)
      for (Index j = 0; j < columns; ++j)
        if (number(0, 1) < density) entries.push_back({i, j, number(0, 1) < 0.1 ? 0.0 : number()});
    return from_triplets(rows, columns, entries);
  }
  /// Symmetric positive definite.
  SparseMatrix definite(Index n) {
    std::vector<Triplet> entries;
    for (Index i = 0; i < n; ++i) entries.push_back({i, i, n + number(0, 1)});
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < i; ++j)
        if (number(0, 1) < 0.3) {
          const double value = number();
          entries.push_back({i, j, value});
          entries.push_back({j, i, value});
        }
    return from_triplets(n, n, entries);
  }

  ContactProblem local(int dimension, Index contacts, Index equalities) {
    ContactProblem problem = frame(dimension, contacts);
    LocalModel model;
    model.W = definite(problem.impulses());
    model.q = vector(problem.impulses());
    if (equalities > 0) {
      model.V = matrix(problem.impulses(), equalities);
      model.R = definite(equalities);
      model.s = vector(equalities);
    }
    problem.model = std::move(model);
    return problem;
  }

  ContactProblem global(int dimension, Index contacts, Index dofs, Index equalities) {
    ContactProblem problem = frame(dimension, contacts);
    GlobalModel model;
    model.M = definite(dofs);
    model.f = vector(dofs);
    model.H = matrix(dofs, problem.impulses());
    model.w = vector(problem.impulses());
    if (equalities > 0) {
      model.G = matrix(dofs, equalities);
      model.b = vector(equalities);
    }
    problem.model = std::move(model);
    return problem;
  }

  /// Inverse inertia R diag(i) Rᵀ of a random orientation.
  RigidInverseMass inverse_mass() {
    const Vec3 a = unit(), b = orthogonal_unit(a), c = cross(a, b);
    const double i[3] = {number(0.2, 4), number(0.2, 4), number(0.2, 4)};
    RigidInverseMass m;
    m.mass = number(0.1, 3);
    int k = 0;
    for (int row = 0; row < 3; ++row)
      for (int column = row; column < 3; ++column)
        m.inertia[k++] =
            i[0] * a[row] * a[column] + i[1] * b[row] * b[column] + i[2] * c[row] * c[column];
    return m;
  }

  /// Some bodies are immovable (of prescribed velocity), some contacts are with the world.
  ContactProblem rigid(Index bodies, Index contacts, Index equalities) {
    ContactProblem problem = frame(3, contacts);
    RigidModel model;
    for (Index body = 0; body < bodies; ++body)
      model.inverse_mass.push_back(body % 4 == 3 ? RigidInverseMass{} : inverse_mass());
    model.free_velocity = vector(6 * static_cast<std::size_t>(bodies));
    for (Index c = 0; c < contacts; ++c) {
      const Vec3 normal = unit();
      model.contacts.push_back({normal, orthogonal_unit(normal), vec3(), vec3()});
      model.contact_bodies.push_back(pair(bodies));
    }
    model.w = vector(problem.impulses());
    for (Index j = 0; j < equalities; ++j) {
      model.rows.push_back({vec3(), vec3(), vec3(), vec3()});
      model.row_bodies.push_back(pair(bodies));
    }
    model.b = vector(equalities);
    problem.model = std::move(model);
    return problem;
  }

private:
  ContactProblem frame(int dimension, Index contacts) {
    ContactProblem problem;
    problem.dimension = dimension;
    problem.mu = vector(contacts, 0, 1);
    return problem;
  }
  /// Two different bodies (one may be the world), at least one of them mobile.
  BodyPair pair(Index bodies) {
    for (;;) {
      const BodyPair p{integer(-1, bodies - 1), integer(-1, bodies - 1)};
      const auto mobile = [](Index body) { return body >= 0 && body % 4 != 3; };
      if (p.a != p.b && (mobile(p.a) || mobile(p.b))) return p;
    }
  }

  std::mt19937 generator_;
};

/// All entries of a matrix, row by row.
inline Vector dense(const SparseMatrix& a) {
  Vector values;
  for (Index i = 0; i < a.rows; ++i)
    for (Index j = 0; j < a.columns; ++j) values.push_back(entry(a, i, j));
  return values;
}

} // namespace talus::test
