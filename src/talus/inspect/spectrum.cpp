#include "talus/inspect/spectrum.h"

#include <Eigen/Dense>

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

Eigen::VectorXd singular_values(const Eigen::MatrixXd& matrix) {
  const double difference = (matrix - matrix.transpose()).cwiseAbs().maxCoeff();
  if (difference > 1e-12 * matrix.cwiseAbs().maxCoeff())
    return Eigen::BDCSVD<Eigen::MatrixXd>(matrix).singularValues();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(matrix, Eigen::EigenvaluesOnly);
  return solver.eigenvalues().cwiseAbs();
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
