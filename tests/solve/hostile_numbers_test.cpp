// Every solver of the catalogue on numbers that overflow, underflow or leave no scale to hold on
// to. Most of these problems cannot be solved in double precision; what is asked for is an end. A
// solve that does not come to one is caught by the time limit of these tests in ctest.

#include "talus/core/error.h"
#include "talus/solve/registry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace talus {
namespace {

using Problems = std::map<std::string, ContactProblem>;

/// d equal entries on the diagonal for every contact, and others beside them.
ContactProblem local_problem(int d, const Vector& diagonal, std::vector<Triplet> couplings,
                             double q = -1) {
  ContactProblem problem;
  problem.dimension = d;
  problem.mu.assign(diagonal.size(), d == 1 ? 0.0 : 0.3);
  if (d == 1) problem.friction = {FrictionKind::none};
  const auto size = static_cast<Index>(d * diagonal.size());
  for (Index i = 0; i < size; ++i) couplings.push_back({i, i, diagonal[i / d]});
  LocalModel model;
  model.W = from_triplets(size, size, std::move(couplings));
  model.q.assign(size, q);
  problem.model = std::move(model);
  return problem;
}

/// One contact's normal impulse on another's normal velocity.
Triplet coupling(int d, Index row, Index column, double value) {
  return {d * row, d * column, value};
}

/// W = v vᵀ: redundant contacts of all sizes.
ContactProblem rank_one(int d) {
  const Vector v = {1e-150, 1e-75, 1, 1e75, 1e150};
  const auto size = static_cast<Index>(d * v.size());
  std::vector<Triplet> entries;
  for (Index i = 0; i < size; ++i)
    for (Index j = 0; j < size; ++j)
      if (i % d == j % d) entries.push_back({i, j, v[i / d] * v[j / d]});
  ContactProblem problem = local_problem(d, Vector(v.size(), 1.0), {});
  std::get<LocalModel>(problem.model).W = from_triplets(size, size, std::move(entries));
  return problem;
}

/// A body on the floor and another on top of it.
ContactProblem tower(int d, double below, double above) {
  ContactProblem problem = local_problem(d, {1, 1}, {});
  GlobalModel model;
  std::vector<Triplet> mass, directions;
  for (Index i = 0; i < d; ++i) {
    mass.push_back({i, i, below});
    mass.push_back({d + i, d + i, above});
    directions.push_back({i, i, 1});
    directions.push_back({i, d + i, -1});
    directions.push_back({d + i, d + i, 1});
  }
  model.M = from_triplets(2 * d, 2 * d, std::move(mass));
  model.H = from_triplets(2 * d, 2 * d, std::move(directions));
  for (Index i = 0; i < 2 * d; ++i) model.f.push_back(i < d ? -below : -above);
  model.w.assign(2 * d, 0.0);
  problem.model = std::move(model);
  return problem;
}

/// A joint that couples with a contact.
ContactProblem with_joint(ContactProblem problem, double coupling, double diagonal) {
  auto& model = std::get<LocalModel>(problem.model);
  model.V = from_triplets(problem.impulses(), 1, {{0, 0, coupling}});
  model.R = from_triplets(1, 1, {{0, 0, diagonal}});
  model.s = {1};
  return problem;
}

Problems hostile_problems(int d) {
  constexpr double least = 5e-324, tiny = 1e-300, huge = 1e300;
  Problems problems;
  // A contact that hardly moves itself moves another enormously: products with N overflow.
  problems["overflowing"] = local_problem(d, {1, 2e-308}, {coupling(d, 0, 1, 1e69)});
  problems["overflowing both ways"] =
      local_problem(d, {1, 2e-308}, {coupling(d, 0, 1, 1e69), coupling(d, 1, 0, 1e69)});
  problems["overflowing with opposite signs"] =
      local_problem(d, {1, 2e-308}, {coupling(d, 0, 1, 1e69), coupling(d, 1, 0, -1e69)});
  problems["subnormal"] = local_problem(d, {least, 1e-310, 1}, {});
  problems["huge and tiny"] = local_problem(d, {huge, tiny, 1}, {});
  problems["all huge"] = local_problem(
      d, {huge, huge}, {coupling(d, 0, 1, 0.9 * huge), coupling(d, 1, 0, 0.9 * huge)}, -huge);
  problems["all tiny"] = local_problem(
      d, {tiny, tiny}, {coupling(d, 0, 1, 0.9 * tiny), coupling(d, 1, 0, 0.9 * tiny)}, -tiny);
  problems["tiny velocities"] = local_problem(d, {1, 2}, {}, -least);
  problems["huge velocities"] = local_problem(d, {1, 2}, {coupling(d, 0, 1, 1)}, -huge);
  problems["huge velocities of tiny contacts"] = local_problem(d, {tiny, 1}, {}, -huge);
  problems["indefinite"] =
      local_problem(d, {1, 1}, {coupling(d, 0, 1, 1e150), coupling(d, 1, 0, 1e150)});
  problems["mildly indefinite"] =
      local_problem(d, {1, 1, 1}, {coupling(d, 0, 1, -3), coupling(d, 1, 2, 3)});
  problems["cyclic"] = local_problem(
      d, {1, 1, 1}, {coupling(d, 0, 1, 1e3), coupling(d, 1, 2, 1e3), coupling(d, 2, 0, 1e3)});
  problems["rank one"] = rank_one(d);
  problems["heavy on light"] = tower(d, 1e-150, 1e150);
  problems["light on heavy"] = tower(d, 1e150, 1e-150);
  problems["nearly nothing on nothing"] = tower(d, 1e-300, 1e-308);
  problems["huge joint"] = with_joint(local_problem(d, {1, 1}, {}), 1e200, 1);
  problems["tiny joint"] = with_joint(local_problem(d, {1, 1}, {}), 1, tiny);
  return problems;
}

/// Whatever happened, what is said about it is true.
void expect_end(const std::string& solver, const ContactProblem& problem,
                const SolveOptions& options) {
  const SolveResult result = solve(*make_solver(solver), problem, options);
  if (result.status == Status::converged) {
    EXPECT_LE(result.quality.error, options.tolerance);
  }
  EXPECT_LE(result.iterations, options.max_iterations) << to_string(result.status);
}

void expect_ends(const std::string& solver, ContactProblem problem, const SolveOptions& options) {
  for (const Law law : {Law::coulomb, Law::associated})
    for (const char* set : {"cone", "pyramid", "polyhedron:6", "box", "cylinder", "none"}) {
      if (problem.dimension == 1 && set != std::string_view("none")) continue;
      SCOPED_TRACE(std::string(set) + ", " + std::string(to_string(law)));
      problem.law = law;
      problem.friction = parse_friction_set(set);
      problem.normal_estimate.clear();
      if (has_fixed_bound(problem.friction.kind))
        problem.normal_estimate.assign(problem.contacts(), 0.5);
      if (refusal(make_solver(solver)->info(), problem).empty())
        expect_end(solver, problem, options);
    }
}

class HostileNumbers : public ::testing::TestWithParam<std::string> {};

TEST_P(HostileNumbers, ComeToAnEnd) {
  for (const long iterations : {7L, SolveOptions{}.max_iterations})
    for (const int d : {1, 2, 3})
      for (const auto& [name, problem] : hostile_problems(d)) {
        SCOPED_TRACE(GetParam() + ": " + name + ", dimension " + std::to_string(d));
        SolveOptions options;
        options.max_iterations = iterations;
        expect_ends(GetParam(), problem, options);
      }
}

INSTANTIATE_TEST_SUITE_P(Catalogue, HostileNumbers, ::testing::ValuesIn(solver_names()),
                         [](const auto& solver) {
                           std::string name = solver.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

} // namespace
} // namespace talus
