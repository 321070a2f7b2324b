#include "talus/solve/active_set/free_preconditioner.h"

#include "talus/core/vector_ops.h"
#include "talus/linalg/eigen_sparse.h"

#include <Eigen/IterativeLinearSolvers>
#include <Eigen/OrderingMethods>
#include <Eigen/SparseCholesky>

namespace talus {
namespace {

/// The diagonal blocks of N, in physical variables.
SparseMatrix diagonal_blocks(const DelassusOperator& n) {
  const int d = n.dimension();
  const ConstSpan diagonal = n.diagonal();
  std::vector<Triplet> entries;
  for (Index c = 0; c < n.contacts(); ++c)
    for (int i = 0; i < d; ++i)
      for (int j = 0; j < d; ++j)
        entries.push_back(
            {d * c + i, d * c + j, diagonal[(static_cast<std::size_t>(c) * d + i) * d + j]});
  const std::size_t rows_at = static_cast<std::size_t>(d) * d * n.contacts();
  for (Index j = 0; j < n.equalities(); ++j)
    entries.push_back({d * n.contacts() + j, d * n.contacts() + j, diagonal[rows_at + j]});
  return from_triplets(n.size(), n.size(), std::move(entries));
}

/// S N S.
EigenSparse scaled_matrix(const ScaledProblem& problem, SparseMatrix n) {
  return to_eigen(
      scale_both_sides(std::move(n), problem.scale(), problem.dimension(), problem.contacts()));
}

} // namespace

struct FreePreconditioner::Implementation {
  using Factor = Eigen::SimplicialLDLT<EigenSparse, Eigen::Lower, Eigen::AMDOrdering<Index>>;
  using IncompleteFactor =
      Eigen::IncompleteCholesky<double, Eigen::Lower, Eigen::AMDOrdering<Index>>;

  Kind kind;
  double perturbation;
  EigenSparse n, z;
  Factor factor;
  IncompleteFactor incomplete;
  bool usable = false;
};

FreePreconditioner::FreePreconditioner(const ScaledProblem& problem, Kind kind, double perturbation)
    : implementation_(std::make_unique<Implementation>()) {
  implementation_->kind = kind;
  implementation_->perturbation = perturbation;
  const DelassusOperator& n = problem.delassus();
  implementation_->n =
      scaled_matrix(problem, kind == Kind::blocks ? diagonal_blocks(n) : n.matrix());
}

FreePreconditioner::~FreePreconditioner() = default;

void FreePreconditioner::prepare(const FreeSet& free) {
  Implementation& p = *implementation_;
  p.z = to_eigen(free.basis());
  p.usable = false;
  if (p.z.cols() == 0) return;
  EigenSparse a = EigenSparse(p.z.transpose()) * (p.n * p.z);
  const Vector curvature = free.curvatures();
  for (Index i = 0; i < a.rows(); ++i) a.coeffRef(i, i) += curvature[i] + p.perturbation;
  if (p.kind == Kind::incomplete) {
    p.incomplete.compute(a);
    p.usable = p.incomplete.info() == Eigen::Success;
  } else {
    p.factor.compute(a);
    p.usable = p.factor.info() == Eigen::Success && p.factor.vectorD().minCoeff() > 0;
  }
}

void FreePreconditioner::apply(ConstSpan x, Span y) const {
  const Implementation& p = *implementation_;
  if (!p.usable) return copy(x, y);
  const Eigen::VectorXd reduced = p.z.transpose() * as_eigen(x);
  if (p.kind == Kind::incomplete)
    as_eigen(y) = p.z * Eigen::VectorXd(p.incomplete.solve(reduced));
  else
    as_eigen(y) = p.z * Eigen::VectorXd(p.factor.solve(reduced));
}

} // namespace talus
