#include "talus/solve/lcp/lemke_pivoting.h"

#include "talus/solve/lcp/pivot_tableau.h"

#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace talus {
namespace {

using Eigen::Index;

/// Rows compete in the ratio test when their entry is below minus this.
constexpr double smallest_pivot = 1e-9;
/// Ratios this close, relative to the size of the basic solution, are ties.
constexpr double tie = 1e-11;
/// Among tied rows those with less than this share of the largest pivot are left out.
constexpr double stable_share = 1e-4;
/// The basis is factorised afresh when the tableau violates w = M z + q + d z0 by more than this.
constexpr double tolerated_drift = 1e-10;
constexpr long pivots_between_checks = 25;

/// Variables are numbered: w_i is i, z_i is n + i, z0 is 2 n.
class Pivoting {
public:
  Pivoting(const Eigen::MatrixXd& M, const Eigen::VectorXd& q, const Eigen::VectorXd& cover)
      : M_(M), q_(q), cover_(cover), n_(q.size()), T_(n_, n_ + 2), row_of_(2 * n_ + 1, -1),
        column_of_(2 * n_ + 1, -1), basic_(n_), nonbasic_(n_ + 1) {
    T_ << M, cover, q;
    for (Index i = 0; i < n_; ++i) {
      set_basic(i, i);
      set_nonbasic(i, n_ + i);
    }
    set_nonbasic(n_, 2 * n_);
    size_ = q.cwiseAbs().maxCoeff();
  }

  LemkeAnswer run(const std::function<bool()>& go_on) {
    if ((q_.array() >= 0).all()) return finish(LemkeEnd::solution);
    if (!go_on()) return finish(LemkeEnd::stopped);
    // The first pivot makes all constants non-negative: the row that needs most of z0 leaves.
    Index leaving_row = 0;
    for (Index i = 1; i < n_; ++i)
      if (needs_more(i, leaving_row)) leaving_row = i;
    if (!can_pivot(leaving_row, n_)) return finish(LemkeEnd::lost);
    Index left = pivot(leaving_row, n_);
    while (true) { // as long as the caller goes on
      const Index entering = column_of_[complement(left)];
      if (!go_on()) return finish(LemkeEnd::stopped);
      leaving_row = blocking_row(entering);
      if (leaving_row < 0) {
        // A ray found on a drifted tableau may be a mistake.
        if (!is_fresh_) {
          if (!refactor()) return finish(LemkeEnd::lost);
          continue;
        }
        return finish(LemkeEnd::ray);
      }
      if (!can_pivot(leaving_row, entering)) return finish(LemkeEnd::lost);
      left = pivot(leaving_row, entering);
      if (left == 2 * n_) return finish(LemkeEnd::solution);
      if (pivots_ % pivots_between_checks == 0 && drift() > tolerated_drift * size_ && !refactor())
        return finish(LemkeEnd::lost);
    }
  }

private:
  Index complement(Index variable) const { return variable < n_ ? variable + n_ : variable - n_; }
  void set_basic(Index row, Index variable) {
    basic_[row] = variable;
    row_of_[variable] = row;
    column_of_[variable] = -1;
  }
  void set_nonbasic(Index column, Index variable) {
    nonbasic_[column] = variable;
    column_of_[variable] = column;
    row_of_[variable] = -1;
  }

  /// For the first pivot: q_i / d_i is smaller, lexicographically with ε^i behind q_i.
  bool needs_more(Index i, Index j) const {
    const double a = q_[i] / cover_[i], b = q_[j] / cover_[j];
    // Equal ratios: the perturbation of the later row is smaller by orders, so it is the lower one.
    return std::abs(a - b) > tie * size_ ? a < b : i > j;
  }

  /// Once a row has overflowed, all that follows is noise.
  bool can_pivot(Index row, Index column) const {
    return T_(row, column) != 0 && T_.row(row).allFinite();
  }

  Index pivot(Index row, Index column) {
    const Index leaving = basic_[row];
    exchange(T_, row, column);
    set_basic(row, nonbasic_[column]);
    set_nonbasic(column, leaving);
    ++pivots_;
    is_fresh_ = false;
    return leaving;
  }

  /// The row whose variable reaches zero first when the entering one grows; -1: none.
  Index blocking_row(Index entering) {
    const auto column = T_.col(entering);
    const auto constant = T_.col(n_ + 1);
    // A largest step that violates no row by more than the tie width, then all rows it passes.
    double longest = std::numeric_limits<double>::infinity();
    for (Index i = 0; i < n_; ++i)
      if (column[i] < -smallest_pivot)
        longest = std::min(longest, (std::max(0.0, constant[i]) + tie * size_) / -column[i]);
    candidates_.clear();
    if (std::isinf(longest)) return -1;
    double largest_pivot = 0;
    for (Index i = 0; i < n_; ++i)
      if (column[i] < -smallest_pivot && std::max(0.0, constant[i]) <= longest * -column[i]) {
        candidates_.push_back(i);
        largest_pivot = std::max(largest_pivot, -column[i]);
      }
    std::erase_if(candidates_, [&](Index i) { return -column[i] < stable_share * largest_pivot; });
    if (candidates_.empty()) return -1; // of numbers that are not finite
    // z0 leaves as soon as it can: that is the solution.
    for (Index i : candidates_)
      if (basic_[i] == 2 * n_) return i;
    return lexicographic_minimum(entering);
  }

  Index lexicographic_minimum(Index entering) {
    for (Index k = 0; k < n_ && candidates_.size() > 1; ++k) {
      double least = std::numeric_limits<double>::infinity();
      for (Index i : candidates_) least = std::min(least, perturbation(i, k, entering));
      std::erase_if(candidates_,
                    [&](Index i) { return perturbation(i, k, entering) > least + tie; });
    }
    return candidates_.front();
  }

  /// Coefficient of ε^k in the ratio of row i.
  double perturbation(Index i, Index k, Index entering) const {
    const double coefficient = column_of_[k] >= 0 ? -T_(i, column_of_[k]) : basic_[i] == k ? 1 : 0;
    return coefficient / -T_(i, entering);
  }

  Eigen::VectorXd basic_z() const {
    Eigen::VectorXd z = Eigen::VectorXd::Zero(n_);
    for (Index i = 0; i < n_; ++i)
      if (basic_[i] >= n_ && basic_[i] < 2 * n_) z[basic_[i] - n_] = T_(i, n_ + 1);
    return z;
  }

  double drift() const {
    const double z0 = row_of_[2 * n_] >= 0 ? T_(row_of_[2 * n_], n_ + 1) : 0.0;
    Eigen::VectorXd w = M_ * basic_z() + q_ + z0 * cover_;
    for (Index i = 0; i < n_; ++i)
      if (basic_[i] < n_) w[basic_[i]] -= T_(i, n_ + 1);
    return w.cwiseAbs().maxCoeff();
  }

  /// Column of a variable in  w - M z - d z0 = q.
  Eigen::VectorXd column_of_system(Index variable) const {
    if (variable < n_) return Eigen::VectorXd::Unit(n_, variable);
    return variable == 2 * n_ ? Eigen::VectorXd(-cover_) : Eigen::VectorXd(-M_.col(variable - n_));
  }

  bool refactor() {
    Eigen::MatrixXd basis(n_, n_), others(n_, n_ + 2);
    for (Index i = 0; i < n_; ++i) basis.col(i) = column_of_system(basic_[i]);
    for (Index j = 0; j <= n_; ++j) others.col(j) = -column_of_system(nonbasic_[j]);
    others.col(n_ + 1) = q_;
    const Eigen::PartialPivLU<Eigen::MatrixXd> lu(basis);
    T_ = lu.solve(others);
    is_fresh_ = true;
    return T_.allFinite();
  }

  LemkeAnswer finish(LemkeEnd end) {
    LemkeAnswer answer{end, basic_z(), pivots_};
    if (end == LemkeEnd::solution) polish(answer.z);
    return answer;
  }

  /// Solves the rows of the basic z once more, from M itself.
  void polish(Eigen::VectorXd& z) const {
    std::vector<Index> support;
    for (Index i = 0; i < n_; ++i)
      if (row_of_[n_ + i] >= 0) support.push_back(i);
    if (support.empty()) return;
    const Eigen::MatrixXd block = M_(support, support);
    const Eigen::PartialPivLU<Eigen::MatrixXd> lu(block);
    Eigen::VectorXd solved = Eigen::VectorXd::Zero(n_);
    solved(support) = -lu.solve(Eigen::VectorXd(q_(support)));
    if (solved.allFinite() && residual(solved) < residual(z)) z = solved;
  }

  double residual(const Eigen::VectorXd& z) const {
    return z.cwiseMin(M_ * z + q_).cwiseAbs().maxCoeff();
  }

  const Eigen::MatrixXd& M_;
  const Eigen::VectorXd &q_, &cover_;
  Index n_;
  Eigen::MatrixXd T_; ///< Columns: the nonbasic variables, then constants.
  std::vector<Index> row_of_, column_of_, basic_, nonbasic_;
  std::vector<Index> candidates_;
  double size_ = 1;
  long pivots_ = 0;
  bool is_fresh_ = true;
};

} // namespace

LemkeAnswer lemke(const Eigen::MatrixXd& M, const Eigen::VectorXd& q, const Eigen::VectorXd& cover,
                  const std::function<bool()>& go_on) {
  if (q.size() == 0) return {LemkeEnd::solution, q, 0};
  return Pivoting(M, q, cover).run(go_on);
}

} // namespace talus
