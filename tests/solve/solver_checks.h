#pragma once
// What the tests of single solvers share: making, configuring and running a solver by name, and
// comparing answers by their velocities, which are unique where impulses are not.

#include "talus/contact/friction_set.h"
#include "talus/core/vector_ops.h"
#include "talus/solve/registry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace talus::test {

using OptionList = std::vector<std::pair<std::string, std::string>>;

inline SolveResult run_solver(const std::string& name, const ContactProblem& problem,
                              const SolveOptions& options = {}, const OptionList& settings = {}) {
  const auto solver = make_solver(name);
  for (const auto& [option, value] : settings) set_option(*solver, option, value);
  return solve(*solver, problem, options);
}

inline SolveOptions with_tolerance(double tolerance) {
  SolveOptions options;
  options.tolerance = tolerance;
  return options;
}

inline ContactProblem with_set(ContactProblem problem, const std::string& set,
                               Law law = Law::coulomb) {
  problem.friction = parse_friction_set(set);
  problem.law = law;
  problem.normal_estimate.clear();
  if (has_fixed_bound(problem.friction.kind))
    problem.normal_estimate.assign(problem.contacts(), 0.3);
  return problem;
}

/// max |u - v| over the contacts of a problem whose free velocities are of size one.
inline double velocity_difference(const ContactProblem& problem, const Vector& u, const Vector& v) {
  double difference = 0;
  for (Index i = 0; i < problem.impulses(); ++i)
    difference = std::max(difference, std::abs(u[i] - v[i]));
  return difference;
}

inline void expect_same_velocities(const ContactProblem& problem, const SolveResult& a,
                                   const SolveResult& b, double tolerance = 1e-6) {
  SCOPED_TRACE(to_string(problem.friction) + ", dimension " + std::to_string(problem.dimension) +
               ", contacts " + std::to_string(problem.contacts()) + ", rows " +
               std::to_string(problem.equalities()));
  ASSERT_EQ(Status::converged, a.status) << a.message << " (error " << a.quality.error << ")";
  ASSERT_EQ(Status::converged, b.status) << b.message << " (error " << b.quality.error << ")";
  EXPECT_LT(velocity_difference(problem, a.u, b.u), tolerance);
}

inline void expect_refused(const std::string& name, const ContactProblem& problem,
                           const std::string& reason) {
  const SolveResult result = run_solver(name, problem);
  EXPECT_EQ(Status::unsupported, result.status) << name;
  EXPECT_EQ(0u, result.message.find(name + " does not solve")) << result.message;
  EXPECT_NE(std::string::npos, result.message.find(reason)) << result.message;
}

/// The sets are refused in space; the associated law is on `cone_shaped`.
inline void expect_coulomb_only(const std::string& name, const ContactProblem& in_space,
                                std::initializer_list<const char*> refused_sets,
                                const char* cone_shaped) {
  for (const char* set : refused_sets)
    expect_refused(name, with_set(in_space, set), "friction set");
  expect_refused(name, with_set(in_space, cone_shaped, Law::associated), "associated law");
}

} // namespace talus::test
