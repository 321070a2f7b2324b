// Every solver on many small problems: random ones, half of them degenerate, in turn with jammed
// ones, most of which have no solution. Who solves what share, who proves that there is no
// solution, and whether any answer is not what its status says, by a judge of its own in extended
// precision. A "converged" that does not hold up, a number that is not finite or an exception makes
// the program fail.
//
//     stress_bench [problems] [solver ...]        default 10000 problems, all solvers

#include "support/jammed_problems.h"
#include "support/plain_error.h"
#include "support/random_problems.h"
#include "talus/core/parallel.h"
#include "talus/core/vector_ops.h"
#include "talus/solve/registry.h"

#include <fmt/format.h>

#include <cmath>
#include <exception>
#include <map>

namespace {

using namespace talus;
using test::Random;
using test::RandomOptions;
using test::uniform;

/// Contacts that only move in the plane z = 0: translation along z and rotation about x and y have
/// no inverse mass.
void flatten(RigidModel& model) {
  for (RigidInverseMass& m : model.inverse_mass)
    m.inertia[0] = m.inertia[1] = m.inertia[2] = m.inertia[3] = m.inertia[4] = 0;
  for (RigidContact& c : model.contacts) {
    const double angle = std::atan2(c.normal.y, c.normal.x);
    c.normal = {std::cos(angle), std::sin(angle), 0};
    c.tangent = {-std::sin(angle), std::cos(angle), 0};
    c.arm_a.z = c.arm_b.z = 0;
  }
}

ContactProblem random_problem(Random& random) {
  RandomOptions options;
  options.bodies = std::uniform_int_distribution<int>(1, 6)(random);
  options.contacts = std::uniform_int_distribution<int>(1, 12)(random);
  const int flavour = std::uniform_int_distribution<int>(0, 9)(random);
  options.duplicate_contacts = flavour == 1;
  if (flavour == 2) options.mu_high = 0;
  if (flavour == 3) options.mu_low = options.mu_high = 10;
  if (flavour == 4) options.mass_ratio = 1e6;
  if (flavour == 5) options.rows = std::uniform_int_distribution<int>(1, 6)(random);
  if (flavour == 6) options.approach = 0;
  ContactProblem problem = flavour == 7 ? test::random_planar_problem(random)
                                        : test::random_rigid_problem(random, options);
  if (flavour == 8) flatten(std::get<RigidModel>(problem.model));
  if (auto* model = std::get_if<RigidModel>(&problem.model); model && flavour == 9)
    std::fill(model->w.begin(), model->w.end(), 0.0);
  return problem;
}

/// The same contacts with a random friction set and law.
void choose_law(Random& random, ContactProblem& problem) {
  const char* sets[] = {"none",         "box",      "pyramid", "prism:6",
                        "polyhedron:8", "cylinder", "cone",    "cone"};
  problem.friction = parse_friction_set(sets[std::uniform_int_distribution<int>(0, 7)(random)]);
  problem.law = uniform(random, 0, 1) < 0.7 ? Law::coulomb : Law::associated;
  if (has_fixed_bound(problem.friction.kind))
    problem.normal_estimate.assign(problem.contacts(), 0.5);
}

struct Tally {
  int tried = 0, converged = 0, infeasible = 0, unsupported = 0, lies = 0;
};

void try_solver(const std::string& name, const ContactProblem& problem, Tally& tally) {
  SolveOptions options;
  options.tolerance = 1e-6;
  options.time_limit = 0.1;
  try {
    const auto solver = make_solver(name);
    const SolveResult result = solve(*solver, problem, options);
    if (result.status == Status::unsupported || result.status == Status::invalid_problem) {
      ++tally.unsupported;
      return;
    }
    ++tally.tried;
    const auto error = test::plain_error(problem, result.x);
    const bool converged = result.status == Status::converged;
    if (!all_finite(result.x) || (error && !test::agrees(converged, *error, options.tolerance)))
      ++tally.lies;
    tally.converged += converged;
    tally.infeasible += result.status == Status::infeasible;
  } catch (const std::exception& failure) {
    fmt::print(stderr, "{}: {}\n", name, failure.what());
    ++tally.lies;
  }
}

} // namespace

int main(int count, char** arguments) {
  const int problems = count > 1 ? std::atoi(arguments[1]) : 10000;
  std::vector<std::string> names(arguments + std::min(count, 2), arguments + count);
  if (names.empty()) names = solver_names();
  std::map<std::string, Tally> tallies;
  Random random(2026);
  test::JammedProblems jams(2026);
  with_threads(1, [&] {
    for (int k = 0; k < problems; ++k) {
      ContactProblem problem = k % 2 == 0 ? random_problem(random) : jams.next().problem;
      choose_law(random, problem);
      for (const std::string& name : names) try_solver(name, problem, tallies[name]);
    }
  });
  fmt::print("{} problems to 1e-6, at most 0.1 s each\n{:<16} {:>8} {:>11} {:>11} {:>6}\n",
             problems, "solver", "admitted", "converged", "infeasible", "lies");
  long solves = 0;
  int lies = 0;
  for (const std::string& name : names) {
    const Tally& t = tallies[name];
    fmt::print("{:<16} {:>8} {:>11} {:>11} {:>6}\n", name, t.tried, t.converged, t.infeasible,
               t.lies);
    lies += t.lies;
    solves += t.tried;
  }
  fmt::print("{} solves, {} lies\n", solves, lies);
  return lies == 0 ? 0 : 1;
}
