#include "talus/linalg/mass_factor.h"

#include "talus/core/error.h"
#include "talus/core/vector_ops.h"
#include "talus/linalg/sparse_lu.h"

#include <Eigen/SparseCholesky>
#include <fmt/format.h>

#include <limits>

namespace talus {
namespace {

/// Rounding in files makes symmetric matrices differ from their transposes by a few units in the
/// last place.
constexpr double symmetry_tolerance = 1e-12;

using Cholesky = Eigen::SimplicialLDLT<EigenSparse>;

[[noreturn]] void reject(const SparseMatrix& m, const std::string& why) {
  throw InvalidProblem(fmt::format("the mass matrix M ({} rows) is singular: {}", m.rows, why));
}

/// A row of a positive definite matrix of which the others leave no more than rounding as pivot;
/// -1 without one.
Index lost_row(const Cholesky& factor, const EigenSparse& a) {
  constexpr double rounding = 4 * std::numeric_limits<double>::epsilon();
  const auto diagonal = a.diagonal();
  for (Index i = 0; i < a.rows(); ++i)
    if (!(factor.vectorD()[factor.permutationP().indices()[i]] > rounding * diagonal.coeff(i)))
      return i;
  return -1;
}

} // namespace

struct MassFactor::Implementation {
  Cholesky symmetric;
  SparseLu general{SparseLu::Pattern::any};
  bool use_symmetric = false;

  void solve(ConstSpan x, Span y) const {
    if (use_symmetric) {
      as_eigen(y) = Eigen::VectorXd(symmetric.solve(as_eigen(x)));
    } else {
      copy(x, y);
      general.solve(y);
    }
  }
};

MassFactor::MassFactor(const SparseMatrix& m)
    : implementation_(std::make_unique<Implementation>()) {
  const EigenSparse a = to_eigen(m);
  if (asymmetry(m) <= symmetry_tolerance) {
    Cholesky& factor = implementation_->symmetric;
    factor.compute(a);
    implementation_->use_symmetric =
        factor.info() == Eigen::Success && (a.rows() == 0 || factor.vectorD().minCoeff() > 0);
    if (implementation_->use_symmetric) {
      if (const Index row = lost_row(factor, a); row >= 0)
        reject(m, fmt::format("row {} depends on the others", row));
      return;
    }
  }
  implementation_->general.analyse(a);
  implementation_->general.factorise(a);
  if (const auto trouble = implementation_->general.trouble(a)) reject(m, *trouble);
}

MassFactor::~MassFactor() = default;

void MassFactor::solve(ConstSpan x, Span y) const {
  implementation_->solve(x, y);
}

} // namespace talus
