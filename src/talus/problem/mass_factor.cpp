#include "talus/problem/mass_factor.h"

#include "talus/core/error.h"
#include "talus/problem/eigen_sparse.h"

#include <Eigen/Sparse>

namespace talus {
namespace {

/// Rounding in files makes symmetric matrices differ from their transposes by a few units in the
/// last place.
constexpr double symmetry_tolerance = 1e-12;

} // namespace

struct MassFactor::Implementation {
  Eigen::SimplicialLDLT<EigenSparse> symmetric;
  Eigen::SparseLU<EigenSparse> general;
  bool use_symmetric = false;

  Eigen::VectorXd solve(const Eigen::Ref<const Eigen::VectorXd>& x) const {
    if (use_symmetric) return symmetric.solve(x);
    return general.solve(x);
  }
};

MassFactor::MassFactor(const SparseMatrix& m)
    : implementation_(std::make_unique<Implementation>()) {
  const EigenSparse a = to_eigen(m);
  if (asymmetry(m) <= symmetry_tolerance) {
    implementation_->symmetric.compute(a);
    const auto& d = implementation_->symmetric.vectorD();
    implementation_->use_symmetric =
        implementation_->symmetric.info() == Eigen::Success && (d.size() == 0 || d.minCoeff() > 0);
  }
  if (implementation_->use_symmetric) return;
  implementation_->general.compute(a);
  if (implementation_->general.info() != Eigen::Success)
    throw InvalidProblem("the mass matrix M (" + std::to_string(m.rows) + " rows) is singular");
}

MassFactor::~MassFactor() = default;

void MassFactor::solve(ConstSpan x, Span y) const {
  as_eigen(y) = implementation_->solve(as_eigen(x));
}

} // namespace talus
