#include "talus/solve/multigrid/velocity_multigrid.h"

#include "talus/linalg/eigen_sparse.h"
#include "talus/solve/multigrid/smoothed_aggregation.h"

#include <algorithm>
#include <cassert>

namespace talus {
namespace {

/// M^½ v for every mode: L y = v per body, M⁻¹ = L Lᵀ; entries that impulses cannot move are zero.
Eigen::MatrixXd mass_scaled(const BodyFactor& factor, const std::vector<Vector>& modes) {
  const int B = factor.body_dofs;
  Eigen::MatrixXd result(static_cast<Index>(B) * factor.bodies, modes.size());
  for (std::size_t mode = 0; mode < modes.size(); ++mode)
    for (Index body = 0; body < factor.bodies; ++body) {
      const double* root = &factor.root[static_cast<std::size_t>(body) * B * B];
      for (int i = 0; i < B; ++i) {
        double value = modes[mode][static_cast<std::size_t>(body) * B + i];
        for (int k = 0; k < i; ++k) value -= root[B * i + k] * result(B * body + k, mode);
        result(B * body + i, mode) = root[(B + 1) * i] > 0 ? value / root[(B + 1) * i] : 0.0;
      }
    }
  return result;
}

} // namespace

VelocityMultigrid::VelocityMultigrid(const ScaledProblem& problem, Index most_columns)
    : most_columns_(most_columns) {
  const auto found = body_factor(problem.delassus());
  assert(found);
  const BodyFactor& factor = *found;
  const Dense scale = per_entry(problem.scale(), problem.dimension(), problem.contacts());
  B_ = to_row_major(factor.B) * scale.asDiagonal();
  modes_ = mass_scaled(factor, rigid_modes(factor));
  for (Index body = 0; body <= factor.bodies; ++body)
    node_start_.push_back(factor.body_dofs * body);
}

void VelocityMultigrid::build(const BoundedSystem& system, const Dense& x) {
  Dense between(system.size());
  for (Index i = 0; i < system.size(); ++i) between[i] = system.is_between(x, i) ? 1.0 : 0.0;
  SparseRows free = B_ * between.asDiagonal();
  free.prune(0.0);
  const SparseRows free_transposed = free.transpose();
  const SparseRows K = free * free_transposed;
  const SparseRows Q = aggregate_prolongator(K, modes_, node_start_, most_columns_);
  P_ = free_transposed * Q;
  restriction_ = SparseRows(P_.transpose());
  const SparseRows KQ = K * Q;
  Eigen::SparseMatrix<double> coarse = SparseRows(KQ.transpose()) * KQ;
  // Fields that move no contact make the matrix singular; the right-hand side has no part in them.
  constexpr double negligible = 1e-10;
  double trace = 0;
  for (Index i = 0; i < coarse.rows(); ++i) trace += coarse.coeff(i, i);
  Eigen::SparseMatrix<double> shift(coarse.rows(), coarse.cols());
  shift.setIdentity();
  coarse += negligible * trace / std::max<Index>(1, coarse_size()) * shift;
  coarse_.compute(coarse);
}

void VelocityMultigrid::correction(const Dense& u, Dense& e) const {
  if (coarse_size() == 0 || coarse_.info() != Eigen::Success)
    e = Dense::Zero(u.size());
  else
    e = -(P_ * coarse_.solve(restriction_ * u));
}

} // namespace talus
