#include "talus/linalg/sparse_lu.h"

#include <Eigen/OrderingMethods>
#include <Eigen/SparseLU>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <vector>

namespace talus {
namespace {

/// What is wrong with a matrix before any arithmetic: "row 3 has no entries but 0". Nothing if it
/// can be factorised as far as that shows. SparseLU would loop for ever over a matrix with far
/// fewer entries than rows, and divide by zero rows.
std::optional<std::string> flaw_of(const EigenSparse& a) {
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

} // namespace

struct SparseLu::Implementation {
  virtual ~Implementation() = default;
  virtual void analyse(const EigenSparse& a) = 0;
  virtual void factorise(const EigenSparse& a) = 0;
  virtual bool has_factors() const = 0;
  virtual void solve(Span x) const = 0;
  virtual void solve_transposed(Span x) = 0;
  virtual int determinant_sign() = 0;
  virtual std::optional<std::string> trouble(const EigenSparse& a) const = 0;
};

namespace {

template <class Ordering>
class Factors final : public SparseLu::Implementation,
                      private Eigen::SparseLU<EigenSparse, Ordering> {
  using Base = Eigen::SparseLU<EigenSparse, Ordering>;

public:
  explicit Factors(SparseLu::Pattern pattern) {
    if (pattern != SparseLu::Pattern::symmetric) return;
    /// A diagonal entry is taken as pivot unless it is this much smaller than the largest.
    constexpr double pivot_threshold = 0.01;
    this->isSymmetric(true);
    this->setPivotThreshold(pivot_threshold);
  }

  void analyse(const EigenSparse& a) override { this->analyzePattern(a); }
  void factorise(const EigenSparse& a) override {
    flaw_ = flaw_of(a);
    if (!flaw_) this->factorize(a);
  }
  bool has_factors() const override { return !flaw_ && this->info() == Eigen::Success; }
  void solve(Span x) const override {
    as_eigen(x) = Eigen::VectorXd(Base::solve(Eigen::VectorXd(as_eigen(x))));
  }
  void solve_transposed(Span x) override {
    as_eigen(x) = Eigen::VectorXd(this->transpose().solve(Eigen::VectorXd(as_eigen(x))));
  }
  int determinant_sign() override {
    return has_factors() ? static_cast<int>(this->signDeterminant()) : 0;
  }
  std::optional<std::string> trouble(const EigenSparse& a) const override {
    if (flaw_) return flaw_;
    const bool done = this->info() == Eigen::Success;
    if (const std::optional<Index> column = done ? lost_column(a) : stuck_column())
      return "column " + std::to_string(*column) + " depends on the others";
    if (!done) return "a pivot is 0";
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

/// AMDOrdering answers with the inverse of the permutation that SparseLU expects.
struct MinimumDegreeOrdering {
  using PermutationType = Eigen::AMDOrdering<Index>::PermutationType;
  void operator()(const EigenSparse& a, PermutationType& permutation) const {
    PermutationType inverse;
    Eigen::AMDOrdering<Index>()(a, inverse);
    permutation = inverse.inverse();
  }
};

std::unique_ptr<SparseLu::Implementation> make_factors(SparseLu::Pattern pattern) {
  if (pattern == SparseLu::Pattern::symmetric)
    return std::make_unique<Factors<MinimumDegreeOrdering>>(pattern);
  return std::make_unique<Factors<Eigen::COLAMDOrdering<Index>>>(pattern);
}

} // namespace

SparseLu::SparseLu(Pattern pattern) : implementation_(make_factors(pattern)) {}
SparseLu::~SparseLu() = default;
SparseLu::SparseLu(SparseLu&&) noexcept = default;
SparseLu& SparseLu::operator=(SparseLu&&) noexcept = default;

void SparseLu::analyse(const EigenSparse& a) {
  implementation_->analyse(a);
}

bool SparseLu::factorise(const EigenSparse& a) {
  implementation_->factorise(a);
  return has_factors();
}

bool SparseLu::has_factors() const {
  return implementation_->has_factors();
}

void SparseLu::solve(Span x) const {
  implementation_->solve(x);
}

void SparseLu::solve_transposed(Span x) const {
  implementation_->solve_transposed(x);
}

int SparseLu::determinant_sign() const {
  return implementation_->determinant_sign();
}

std::optional<std::string> SparseLu::trouble(const EigenSparse& a) const {
  return implementation_->trouble(a);
}

} // namespace talus
