#pragma once
// Runs over the friction problems of the corpus, for tests of single solvers.

#include "solve/solver_checks.h"
#include "support/corpus.h"
#include "talus/problem/files/problem_file.h"

#include <functional>

namespace talus::test {

/// Calls `check` with the name and the problem of every friction problem, in space and in the
/// plane, that has at most so many contacts and degrees of freedom. Skips without the corpus; a
/// corpus without such problems is an error.
inline void
for_each_friction_problem(Index most_contacts, Index most_dofs,
                          const std::function<void(const std::string&, ContactProblem)>& check) {
  if (!test::has_corpus()) GTEST_SKIP() << test::no_corpus();
  int checked = 0;
  for (const auto& path : test::corpus_files({"local", "global", "local2d", "global2d"}, ".hdf5")) {
    ContactProblem problem = read_problem(path.string());
    if (problem.contacts() > most_contacts || problem.dofs() > most_dofs) continue;
    ++checked;
    check(path.stem().string(), std::move(problem));
  }
  EXPECT_GT(checked, 20);
}

inline void expect_converged(const SolveResult& result, const std::string& problem) {
  EXPECT_EQ(Status::converged, result.status)
      << problem << ": " << result.message << " (error " << result.quality.error << ")";
}

} // namespace talus::test
