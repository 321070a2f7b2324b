#include "talus/solve/lcp/standard_lcp.h"

#include "talus/solve/lcp/pivot_tableau.h"

#include <cmath>

namespace talus {
namespace {

/// Entries of the (scaled) tableau below this are zero.
constexpr double negligible = 1e-9;
/// What a redundant equation may be off by, relative to the constants.
constexpr double inconsistent = 1e-8;

/// Constants this small beside those of the problem are rounding.
constexpr double rounding = 1e-14;

struct Place {
  Index row = -1, column = -1;
  double size = negligible;
};

/// The largest entry among the given rows and columns; row -1 when all are negligible.
Place largest_entry(const Eigen::MatrixXd& a, const std::vector<Index>& rows,
                    const std::vector<Index>& columns) {
  Place place;
  for (Index j : columns)
    for (Index i : rows)
      if (std::abs(a(i, j)) > place.size) place = {i, j, std::abs(a(i, j))};
  return place;
}

} // namespace

StandardLcp::StandardLcp(const MixedComplementarity& problem, const StopTest& stop) {
  shift_bounds(problem);
  eliminate_free(stop);
  if (is_met(stop)) return;
  const Index n = static_cast<Index>(pairs_.size());
  M_.resize(n, n);
  q_.resize(n);
  // Where joints carry everything, elimination leaves rounding that no contact could answer.
  const double noise = problem.size() == 0 ? 0 : rounding * problem.b.cwiseAbs().maxCoeff();
  for (Index i = 0; i < n; ++i) {
    q_[i] = pairs_[i].sign * tableau_(pairs_[i].row, tableau_.cols() - 1);
    if (std::abs(q_[i]) <= noise) q_[i] = 0;
    for (Index j = 0; j < n; ++j)
      M_(i, j) = pairs_[i].sign * pairs_[j].sign * tableau_(pairs_[i].row, pairs_[j].column);
  }
}

void StandardLcp::shift_bounds(const MixedComplementarity& problem) {
  const Index n = problem.size();
  offset_ = Eigen::VectorXd::Zero(n);
  sign_ = Eigen::VectorXd::Ones(n);
  std::vector<Index> two_sided;
  for (Index i = 0; i < n; ++i) {
    is_free_.push_back(problem.is_free(i));
    if (std::isfinite(problem.lower[i])) {
      offset_[i] = problem.lower[i];
      if (std::isfinite(problem.upper[i])) two_sided.push_back(i);
    } else if (std::isfinite(problem.upper[i])) {
      offset_[i] = problem.upper[i];
      sign_[i] = -1;
    }
  }
  const Index total = n + static_cast<Index>(two_sided.size());
  is_free_.resize(total, false);
  tableau_ = Eigen::MatrixXd::Zero(total, total + 1);
  tableau_.topLeftCorner(n, n) =
      sign_.asDiagonal() * Eigen::MatrixXd(problem.A) * sign_.asDiagonal();
  tableau_.col(total).head(n) = sign_.cwiseProduct(problem.A * offset_ + problem.b);
  for (Index k = n; k < total; ++k) {
    const Index i = two_sided[k - n];
    tableau_(i, k) = 1;
    tableau_(k, i) = -1;
    tableau_(k, total) = problem.upper[i] - problem.lower[i];
  }
  for (Index i = 0; i < total; ++i) {
    basic_.push_back(total + i);
    nonbasic_.push_back(i);
  }
}

void StandardLcp::pivot(Index row, Index column) {
  exchange(tableau_, row, column);
  std::swap(basic_[row], nonbasic_[column]);
}

void StandardLcp::eliminate_free(const StopTest& stop) {
  std::vector<Index> equations, unknowns;
  for (Index i = 0; i < static_cast<Index>(is_free_.size()); ++i)
    if (is_free_[i]) {
      equations.push_back(i);
      unknowns.push_back(i);
    }
  // Each pass takes an equation and an unknown away.
  while (!is_met(stop)) {
    const Place place = largest_entry(tableau_, equations, unknowns);
    if (place.row < 0) break;
    pivot(place.row, place.column);
    std::erase(equations, place.row);
    std::erase(unknowns, place.column);
  }
  if (is_met(stop)) return;
  eliminate_with_bounded(equations, unknowns);
  keep_inequalities(equations, unknowns);
}

/// Equation k that no free unknown enters, but a bounded one i whose own row a free unknown j
/// enters: z_i from the equation, y_j from row i. Nothing else of pair i changes than who is basic.
void StandardLcp::eliminate_with_bounded(std::vector<Index>& equations,
                                         std::vector<Index>& unknowns) {
  const Index n = static_cast<Index>(is_free_.size());
  for (std::size_t e = 0; e < equations.size();) {
    const Index k = equations[e];
    double most = negligible;
    Index bounded = -1, free = -1;
    for (Index i = 0; i < n; ++i) {
      // A pair in its own row and column: bounded, and not exchanged before.
      if (is_free_[i] || basic_[i] != n + i || nonbasic_[i] != i) continue;
      for (Index j : unknowns) {
        const double size = std::min(std::abs(tableau_(k, i)), std::abs(tableau_(i, j)));
        if (size <= most) continue;
        most = size;
        bounded = i;
        free = j;
      }
    }
    if (bounded < 0) {
      ++e;
      continue;
    }
    pivot(k, bounded);
    pivot(bounded, free);
    std::erase(equations, k);
    std::erase(unknowns, free);
  }
}

/// Collects the pairs of the standard form, with what is left of the free ones.
void StandardLcp::keep_inequalities(const std::vector<Index>& equations,
                                    const std::vector<Index>& unknowns) {
  const Index n = static_cast<Index>(is_free_.size());
  std::vector<Index> row_of(n, -1), column_of(n, -1);
  for (Index i = 0; i < n; ++i) {
    row_of[basic_[i] % n] = is_free_[basic_[i] % n] ? -1 : i;
    column_of[nonbasic_[i] % n] = is_free_[nonbasic_[i] % n] ? -1 : i;
  }
  for (Index i = 0; i < n; ++i)
    if (!is_free_[i]) pairs_.push_back({row_of[i], column_of[i], 1});
  const double size = tableau_.col(n).cwiseAbs().maxCoeff();
  for (std::size_t e = 0; e < equations.size(); ++e) {
    const Index row = equations[e];
    double most = 0;
    for (const Pair& pair : pairs_) most = std::max(most, std::abs(tableau_(row, pair.column)));
    if (most > negligible) {
      pairs_.push_back({row, unknowns[e], 1});
      pairs_.push_back({row, unknowns[e], -1});
    } else if (std::abs(tableau_(row, n)) > inconsistent * size) {
      contradictory_ = true;
    }
  }
}

Eigen::VectorXd StandardLcp::recover(const Eigen::VectorXd& z) const {
  const Index n = static_cast<Index>(is_free_.size());
  Eigen::VectorXd values = Eigen::VectorXd::Zero(n + 1);
  values[n] = 1;
  for (std::size_t k = 0; k < pairs_.size(); ++k)
    values[pairs_[k].column] += pairs_[k].sign * z[static_cast<Eigen::Index>(k)];
  const Eigen::VectorXd solved = tableau_ * values;
  Eigen::VectorXd shifted = Eigen::VectorXd::Zero(n);
  for (Index i = 0; i < n; ++i) {
    if (basic_[i] < n) shifted[basic_[i]] = solved[i];
    if (nonbasic_[i] < n) shifted[nonbasic_[i]] = values[i];
  }
  return offset_ + sign_.cwiseProduct(shifted.head(offset_.size()));
}

} // namespace talus
