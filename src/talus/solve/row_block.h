#pragma once
// The equality rows without bounds of a problem that is divided over ranks, solved together.
//
// One process eliminates joints (joint_elimination.h). Over ranks they are rows that sweeps relax,
// and one by one the rows of a mechanism converge slowly. All ranks have all rows and their bodies,
// so each of them solves the same small system with
//
//     K = G M⁻¹ Gᵀ + E
//
// after every sweep over the contacts. Rows that others imply get no change. K is kept in the
// profile of its lower triangle, which is narrow for chains: O(rows × width²) once per solve.

#include "talus/problem/scaled/scaled_problem.h"

#include <span>

namespace talus {

class RowBlock {
public:
  /// Nothing for problems of one process, and for those from files of blocks.
  void prepare(const ScaledProblem& problem);

  bool has(Index row) const { return !rows_.empty() && is_in_[row]; }
  /// Its rows, ascending.
  std::span<const Index> rows() const { return rows_; }
  /// From the velocities of these rows the changes of their multipliers that stop them, in place.
  void solve(Span velocities) const;

private:
  double& entry(Index i, Index j) { return value_[start_[i] + (j - first_[i])]; }
  double entry(Index i, Index j) const { return value_[start_[i] + (j - first_[i])]; }
  void fill(const ContactProblem& problem);
  void factorise();

  std::vector<Index> rows_, first_; ///< Of each row of K its first column.
  std::vector<char> is_in_;
  std::vector<std::size_t> start_;
  Vector value_;
};

} // namespace talus
