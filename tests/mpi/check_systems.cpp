// Linear systems over MPI by every engine, run with any number of processes: prints what is wrong,
// and fails.

#include "petsc_ranks.h"

#include <fmt/format.h>

#include <cmath>

namespace {

using namespace talus;

int failures = 0;

void expect(bool good, const std::string& what, const Ranks& ranks) {
  if (good) return;
  fmt::print(stderr, "rank {} of {}: {}\n", ranks.rank(), ranks.count(), what);
  ++failures;
}

constexpr int width = 6, bodies_per_rank = 5;

/// A chain of bodies through all ranks, each linked to the next. The last body of a rank is linked
/// to the first of the next rank by the former; body 0 here takes no part.
struct Chain {
  Chain(const Ranks& ranks, LinearEngine engine, bool symmetric) {
    plan.engine = engine;
    plan.symmetric = symmetric;
    BodyNumbers& bodies = plan.bodies;
    bodies.width = width;
    bodies.own = bodies_per_rank;
    bodies.number = {-1};
    bodies.is_own = {0};
    const bool is_last = ranks.rank() == ranks.count() - 1;
    for (int k = 0; k < bodies_per_rank + !is_last; ++k) {
      bodies.number.push_back(bodies_per_rank * ranks.rank() + k);
      bodies.is_own.push_back(k < bodies_per_rank);
    }
    const auto here = static_cast<Index>(bodies.number.size());
    for (Index body = 1; body <= bodies_per_rank; ++body) add(body, body, 1.0);
    for (Index body = 1; body + 1 < here; ++body) {
      for (const Index end : {body, body + 1}) add(end, end, 30.0);
      add(body, body + 1, -30.0);
      add(body + 1, body, symmetric ? -30.0 : -24.0);
    }
    if (engine != LinearEngine::gamg) return;
    for (int i = 0; i < width; ++i) {
      Vector& mode = plan.slow_modes.emplace_back(width * bodies.number.size(), 0.0);
      for (std::size_t body = 1; body < bodies.number.size(); ++body) mode[width * body + i] = 1;
    }
  }

  /// strength times the identity, and some coupling within the diagonal blocks.
  void add(Index row, Index column, double strength) {
    plan.pattern.emplace_back(row, column);
    for (int i = 0; i < width; ++i)
      for (int j = 0; j < width; ++j)
        blocks.push_back(i == j ? strength : row == column ? 0.02 * strength : 0.0);
  }

  /// Numbers that depend on the body and not on the rank.
  Vector solution() const {
    Vector x(width * plan.bodies.number.size(), 0.0);
    for (std::size_t body = 1; body < plan.bodies.number.size(); ++body)
      for (int i = 0; i < width; ++i)
        x[width * body + i] = static_cast<double>(plan.bodies.number[body] % 7) - 3 + 0.1 * i;
    return x;
  }

  /// This rank's part of A x.
  Vector image(const Vector& x) const {
    Vector b(x.size(), 0.0);
    for (std::size_t k = 0; k < plan.pattern.size(); ++k)
      for (int i = 0; i < width; ++i)
        for (int j = 0; j < width; ++j)
          b[width * plan.pattern[k].first + i] +=
              blocks[(k * width + i) * width + j] * x[width * plan.pattern[k].second + j];
    return b;
  }

  BlockSystemPlan plan;
  Vector blocks;
};

void check_solution(Ranks& ranks, LinearEngine engine, bool symmetric) {
  const std::string name = to_string(engine) + (symmetric ? "" : ", not symmetric");
  const Chain chain(ranks, engine, symmetric);
  const auto system = ranks.make_block_system(chain.plan);
  const Vector wanted = chain.solution(), b = chain.image(wanted);
  Vector x(wanted.size(), 7.0), twice = chain.blocks;
  expect(system->factorise(chain.blocks), name + ": set-up", ranks);
  expect(system->solve(b, 1e-9, x), name + ": solve", ranks);
  double error = 0;
  for (std::size_t i = 0; i < x.size(); ++i) error = std::max(error, std::abs(x[i] - wanted[i]));
  expect(error < 1e-7, fmt::format("{}: error {}", name, error), ranks);
  const bool iterates = engine != LinearEngine::mumps;
  expect((system->iterations() > 0) == iterates, name + ": iterations", ranks);
  for (double& entry : twice) entry *= 2;
  expect(system->factorise(twice), name + ": second set-up", ranks);
  expect(system->solve(b, 1e-9, x), name + ": second solve", ranks);
  for (std::size_t i = 0; i < x.size(); ++i)
    expect(std::abs(2 * x[i] - wanted[i]) < 1e-6, name + ": second solution", ranks);
}

/// Answered alike on all ranks, and the system is good for another matrix.
void check_failure(Ranks& ranks) {
  const Chain chain(ranks, LinearEngine::mumps, false);
  const auto system = ranks.make_block_system(chain.plan);
  expect(!system->factorise(Vector(chain.blocks.size(), 0.0)), "a matrix of zeros", ranks);
  expect(system->factorise(chain.blocks), "a good matrix after a singular one", ranks);
}

} // namespace

int main() {
  const mpi::Session session;
  mpi::PetscRanks ranks;
  for (const auto engine : {LinearEngine::mumps, LinearEngine::gamg, LinearEngine::hypre})
    for (const bool symmetric : {true, false}) check_solution(ranks, engine, symmetric);
  check_failure(ranks);
  const std::int64_t all = ranks.sum(std::int64_t{failures});
  if (ranks.rank() == 0) fmt::print("{} ranks, {} failures\n", ranks.count(), all);
  return all == 0 ? 0 : 1;
}
