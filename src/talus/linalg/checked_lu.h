#pragma once
// Eigen's sparse LU for matrices that nobody has looked at: entries that are not finite, rows and
// columns without entries, and matrices without rows are refused before it begins. It would loop
// for ever over a matrix with far fewer entries than rows, and divide by zero rows.

#include "talus/linalg/eigen_sparse.h"

#include <Eigen/OrderingMethods>
#include <Eigen/SparseLU>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace talus {

/// What is wrong with a matrix before any arithmetic: "row 3 has no entries but 0". Nothing if it
/// can be factorised as far as that shows.
inline std::optional<std::string> flaw_of(const EigenSparse& a) {
  if (a.rows() != a.cols() || a.rows() == 0) return "it is not square or has no rows";
  std::vector<bool> row_filled(static_cast<std::size_t>(a.rows()), false);
  auto column_filled = row_filled;
  for (Index j = 0; j < a.cols(); ++j)
    for (EigenSparse::InnerIterator entry(a, j); entry; ++entry) {
      if (!std::isfinite(entry.value()))
        return "row " + std::to_string(entry.row()) + " has an entry that is not finite";
      if (entry.value() != 0) row_filled[entry.row()] = column_filled[j] = true;
    }
  const auto empty = [](const std::vector<bool>& filled) {
    return std::find(filled.begin(), filled.end(), false) - filled.begin();
  };
  if (const auto row = empty(row_filled); row < a.rows())
    return "row " + std::to_string(row) + " has no entries but 0";
  if (const auto column = empty(column_filled); column < a.cols())
    return "column " + std::to_string(column) + " has no entries but 0";
  return std::nullopt;
}

/// Use it like Eigen::SparseLU.
template <class Ordering>
class CheckedLu : public Eigen::SparseLU<EigenSparse, Ordering> {
  using Base = Eigen::SparseLU<EigenSparse, Ordering>;

public:
  void factorize(const EigenSparse& a) {
    flaw_ = flaw_of(a);
    if (!flaw_) Base::factorize(a);
  }
  void compute(const EigenSparse& a) {
    this->analyzePattern(a);
    factorize(a);
  }
  Eigen::ComputationInfo info() const { return flaw_ ? Eigen::NumericalIssue : Base::info(); }

  /// 0 for a matrix that could not be factorised.
  double signDeterminant() {
    return info() == Eigen::Success ? static_cast<double>(Base::signDeterminant()) : 0.0;
  }

  /// Why there are no factors, or why they are nothing but rounding; nothing if they are good.
  std::optional<std::string> trouble(const EigenSparse& a) const {
    if (flaw_) return flaw_;
    const std::optional<Index> column = info() == Eigen::Success ? lost_column(a) : stuck_column();
    if (column) return "column " + std::to_string(*column) + " depends on the others";
    if (info() != Eigen::Success) return "a pivot is 0";
    return std::nullopt;
  }

private:
  /// A column of which the others leave no more than rounding as pivot.
  std::optional<Index> lost_column(const EigenSparse& a) const {
    constexpr double rounding = 4 * std::numeric_limits<double>::epsilon();
    for (Index j = 0; j < a.cols(); ++j) {
      double largest = 0;
      for (EigenSparse::InnerIterator entry(a, j); entry; ++entry)
        largest = std::max(largest, std::abs(entry.value()));
      if (!(std::abs(pivot(this->m_perm_c.indices()(j))) > rounding * largest)) return j;
    }
    return std::nullopt;
  }

  double pivot(Index place) const {
    for (typename Base::SCMatrix::InnerIterator entry(this->m_Lstore, place); entry; ++entry)
      if (entry.index() == place) return entry.value();
    return 0;
  }

  /// The column at which Eigen gave up; it says so at the end of its message, counting from 1 in
  /// its own order.
  std::optional<Index> stuck_column() const {
    const std::string message = this->m_lastError;
    const std::size_t digits = message.find_last_not_of("0123456789") + 1;
    Index place = 0;
    const char* end = message.data() + message.size();
    if (std::from_chars(message.data() + digits, end, place).ec != std::errc()) return std::nullopt;
    const auto& order = this->m_perm_c.indices();
    for (Index j = 0; j < order.size(); ++j)
      if (order(j) == place - 1) return j;
    return std::nullopt;
  }

  std::optional<std::string> flaw_;
};

} // namespace talus
