#include "talus/inspect/spectrum.h"

#include "talus/linalg/dense_factor.h"

#include <algorithm>
#include <cmath>

namespace talus {
namespace {

Eigen::MatrixXd dense_scaled_operator(const DelassusOperator& n) {
  const Index size = n.size();
  Vector scale(n.rho().begin(), n.rho().end());
  for (double& s : scale) s = std::sqrt(s);
  Eigen::MatrixXd matrix(size, size);
  Vector unit(size, 0.0), column(size);
  for (Index j = 0; j < size; ++j) {
    unit[j] = 1;
    n.apply(unit, column, scale);
    unit[j] = 0;
    matrix.col(j) = Eigen::Map<const Eigen::VectorXd>(column.data(), size);
  }
  return matrix;
}

/// Of a symmetric matrix the magnitudes of its eigenvalues. The eigenvalues of [0 A; A' 0] are the
/// singular values of any A, with both signs and as exact as an SVD has them: up to rounding of the
/// largest. (Eigen's SVD takes half a minute to compile.)
Eigen::VectorXd singular_values(const Eigen::MatrixXd& matrix) {
  const double difference = (matrix - matrix.transpose()).cwiseAbs().maxCoeff();
  if (difference <= 1e-12 * matrix.cwiseAbs().maxCoeff())
    return symmetric_eigenvalues(matrix).cwiseAbs();
  const Index size = matrix.rows();
  Eigen::MatrixXd both = Eigen::MatrixXd::Zero(2 * size, 2 * size);
  both.topRightCorner(size, size) = matrix;
  both.bottomLeftCorner(size, size) = matrix.transpose();
  return symmetric_eigenvalues(both).tail(size).cwiseMax(0.0);
}

} // namespace

Spectrum dense_spectrum(const DelassusOperator& n) {
  Spectrum spectrum;
  spectrum.size = n.size();
  if (spectrum.size == 0) return spectrum;
  const Eigen::VectorXd values = singular_values(dense_scaled_operator(n));
  spectrum.largest = values.maxCoeff();
  const double threshold = 1e-14 * spectrum.size * spectrum.largest;
  spectrum.smallest = spectrum.largest;
  for (const double value : values) {
    if (value <= threshold) continue;
    ++spectrum.rank;
    spectrum.smallest = std::min(spectrum.smallest, value);
  }
  if (spectrum.rank > 0) spectrum.condition = spectrum.largest / spectrum.smallest;
  return spectrum;
}

double given_asymmetry(const ContactProblem& problem) {
  if (const auto* local = std::get_if<LocalModel>(&problem.model)) return asymmetry(local->W);
  if (const auto* global = std::get_if<GlobalModel>(&problem.model)) return asymmetry(global->M);
  return 0;
}

} // namespace talus
