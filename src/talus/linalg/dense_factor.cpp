#include "talus/linalg/dense_factor.h"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>

namespace talus {

struct DenseLu::Implementation {
  Eigen::PartialPivLU<RowMajorMatrix> lu;
};

DenseLu::DenseLu() : implementation_(std::make_unique<Implementation>()) {}
DenseLu::~DenseLu() = default;
DenseLu::DenseLu(DenseLu&&) noexcept = default;
DenseLu& DenseLu::operator=(DenseLu&&) noexcept = default;

void DenseLu::factorise(const RowMajorMatrix& a) {
  implementation_->lu.compute(a);
}

void DenseLu::solve(Eigen::VectorXd& x) const {
  x = implementation_->lu.solve(x);
}

int DenseLu::determinant_sign() const {
  const auto& lu = implementation_->lu;
  int sign = static_cast<int>(lu.permutationP().determinant());
  for (const double pivot : lu.matrixLU().diagonal()) sign *= (pivot > 0) - (pivot < 0);
  return sign;
}

EigenPairs symmetric_eigenpairs(const Eigen::MatrixXd& a) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(a);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

Eigen::VectorXd symmetric_eigenvalues(const Eigen::MatrixXd& a) {
  return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(a, Eigen::EigenvaluesOnly).eigenvalues();
}

Eigen::VectorXd least_squares(const Eigen::MatrixXd& a, const Eigen::VectorXd& b) {
  return a.colPivHouseholderQr().solve(b);
}

Eigen::MatrixXd column_basis(const Eigen::MatrixXd& a, double threshold) {
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(a);
  qr.setThreshold(threshold);
  return qr.householderQ() * Eigen::MatrixXd::Identity(a.rows(), qr.rank());
}

} // namespace talus
