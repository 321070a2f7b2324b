#pragma once
// A mixed complementarity problem brought to standard form,
//
//     w = M z + q,     0 ≤ w ⊥ z ≥ 0,
//
// for pivoting methods. Bounds are shifted to zero; an unknown with two finite bounds gets a
// partner, the multiplier of its upper one. Free unknowns (joints) are then eliminated with their
// equations, largest pivots first. Where an equation has no pivot among free unknowns, one bounded
// unknown i is pivoted along, which exchanges w_i and z_i; an equation that nothing is left of
// (redundant joints) is dropped; and one that no free unknown enters is kept as two inequalities.
//
// Dense: O(unknowns²) memory, 2 unknowns² flops per free unknown.

#include "talus/core/stop_test.h"
#include "talus/solve/sweeps/polyhedral_step.h"

#include <Eigen/Core>

namespace talus {

class StandardLcp {
public:
  /// Where `stop` is met while free unknowns are eliminated, the form is left unfinished.
  explicit StandardLcp(const MixedComplementarity& problem, const StopTest& stop = {});

  const Eigen::MatrixXd& M() const { return M_; }
  const Eigen::VectorXd& q() const { return q_; }
  Index size() const { return static_cast<Index>(q_.size()); }

  /// True when an equation between free unknowns alone cannot be met: joints that contradict each
  /// other.
  bool is_contradictory() const { return contradictory_; }

  /// The unknowns of the mixed problem.
  Eigen::VectorXd recover(const Eigen::VectorXd& z) const;

private:
  void shift_bounds(const MixedComplementarity& problem);
  void eliminate_free(const StopTest& stop);
  void eliminate_with_bounded(std::vector<Index>& equations, std::vector<Index>& unknowns);
  void pivot(Index row, Index column);
  void keep_inequalities(const std::vector<Index>& equations, const std::vector<Index>& unknowns);

  /// Unknown of the mixed problem = offset + sign · shifted unknown.
  Eigen::VectorXd offset_, sign_;
  std::vector<bool> is_free_; ///< Of the shifted unknowns, partners at the end.

  // basic = tableau · (nonbasic, 1). Shifted unknown i is number i, what it is complementary to is
  // number size + i.
  Eigen::MatrixXd tableau_;
  std::vector<Index> basic_, nonbasic_;
  bool contradictory_ = false;

  /// Row and column of each pair of the standard form; the sign of a column is that of its half of
  /// a split unknown.
  struct Pair {
    Index row, column;
    double sign;
  };
  std::vector<Pair> pairs_;
  Eigen::MatrixXd M_;
  Eigen::VectorXd q_;
};

} // namespace talus
