// Sweeps over many contacts with all threads: the answer does not depend on how many there are.

#include "../bench/sphere_packing.h"
#include "solve/solver_checks.h"
#include "support/random_problems.h"
#include "talus/core/parallel.h"
#include "talus/problem/delassus/sweep_partition.h"

#include <gtest/gtest.h>

namespace talus {
namespace {

using test::OptionList;
using test::run_solver;

Vector sweep_with(int threads, const std::string& solver, const ContactProblem& problem,
                  const OptionList& settings) {
  SolveOptions options;
  options.max_iterations = 12;
  return with_threads(threads, [&] { return run_solver(solver, problem, options, settings).x; });
}

void expect_same_for_all_threads(const std::string& solver, const ContactProblem& problem,
                                 const OptionList& settings = {}) {
  ASSERT_GE(problem.contacts(), SweepPartition::least) << "too few contacts for several parts";
  SCOPED_TRACE(solver + ", " + to_string(problem.friction) + ", " +
               std::string(to_string(problem.law)));
  const Vector one = sweep_with(1, solver, problem, settings);
  EXPECT_GT(max_abs(one), 0);
  EXPECT_EQ(one, sweep_with(2, solver, problem, settings));
  EXPECT_EQ(one, sweep_with(3, solver, problem, settings));
}

TEST(SweepsInParts, GiveTheSameBitsForEveryThreadCount) {
  const ContactProblem packing = bench::lattice_packing(1728, true);
  for (const Law law : {Law::coulomb, Law::associated}) {
    const ContactProblem problem = test::with_set(packing, "cone", law);
    expect_same_for_all_threads("nncg", problem);
    expect_same_for_all_threads("ansgs", problem);
    for (const char* order : {"forward", "backward", "symmetric"})
      expect_same_for_all_threads("nsgs", problem, {{"sweep", order}});
  }
  expect_same_for_all_threads("nlgs", test::with_set(packing, "cone"));
  expect_same_for_all_threads("pgs", test::with_set(packing, "pyramid"));
  expect_same_for_all_threads("bgs", test::with_set(packing, "pyramid"));
}

TEST(SweepsInParts, TreatJointsBoundsAndCompliance) {
  test::Random random(6);
  ContactProblem problem =
      test::random_rigid_problem(random, {.bodies = 2000, .contacts = 5000, .rows = 40});
  for (const char* solver : {"nncg", "ansgs"}) expect_same_for_all_threads(solver, problem);
  problem.compliance.assign(problem.size(), 0.1);
  for (const char* solver : {"nncg", "ansgs"}) expect_same_for_all_threads(solver, problem);
  expect_same_for_all_threads("nsgs", test::with_set(problem, "cylinder"));
}

/// Names bodies in another order, which divides the contacts into other parts.
ContactProblem with_scattered_bodies(ContactProblem problem) {
  auto& model = std::get<RigidModel>(problem.model);
  const Index bodies = static_cast<Index>(model.inverse_mass.size());
  const auto new_number = [&](Index body) {
    return body < 0 ? body : static_cast<Index>((body * 1009LL) % bodies);
  };
  const RigidModel old = model;
  for (BodyPair& pair : model.contact_bodies) pair = {new_number(pair.a), new_number(pair.b)};
  for (Index body = 0; body < bodies; ++body) {
    model.inverse_mass[new_number(body)] = old.inverse_mass[body];
    for (int i = 0; i < 6; ++i)
      model.free_velocity[6 * new_number(body) + i] = old.free_velocity[6 * body + i];
  }
  return problem;
}

TEST(SweepsInParts, FindTheVelocitiesOfOtherOrders) {
  test::Random random(7);
  const ContactProblem problem =
      test::random_rigid_problem(random, {.bodies = 3001, .contacts = 4500});
  ASSERT_GE(problem.contacts(), SweepPartition::least);
  SolveOptions options;
  options.tolerance = 1e-9;
  const ContactProblem scattered = with_scattered_bodies(problem);
  for (const char* solver : {"ansgs", "nncg", "nsgs"})
    test::expect_same_velocities(problem, run_solver(solver, problem, options),
                                 run_solver(solver, scattered, options));
}

} // namespace
} // namespace talus
