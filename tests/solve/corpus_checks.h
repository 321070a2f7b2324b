#pragma once
// Runs over the friction problems of tests/data and of the corpus, for tests of single solvers.

#include "solve/solver_checks.h"
#include "support/corpus.h"
#include "talus/problem/files/problem_file.h"

#include <functional>

namespace talus::test {

/// Calls `check` with the name and the problem of every friction problem, in space and in the
/// plane, that has at most so many contacts and degrees of freedom: those of tests/data, and those
/// of the corpus where it is there.
inline void
for_each_friction_problem(Index most_contacts, Index most_dofs,
                          const std::function<void(const std::string&, ContactProblem)>& check) {
  auto files = test::own_files(".hdf5");
  const auto others = test::corpus_files({"local", "global", "local2d", "global2d"}, ".hdf5");
  files.insert(files.end(), others.begin(), others.end());
  int checked = 0;
  for (const auto& path : files) {
    ContactProblem problem = read_problem(path.string());
    if (problem.contacts() > most_contacts || problem.dofs() > most_dofs) continue;
    ++checked;
    check(path.stem().string(), std::move(problem));
  }
  EXPECT_GE(checked, 12);
}

inline void expect_converged(const SolveResult& result, const std::string& problem) {
  EXPECT_EQ(Status::converged, result.status)
      << problem << ": " << result.message << " (error " << result.quality.error << ")";
}

} // namespace talus::test
