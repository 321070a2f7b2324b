#include "talus/solve/lcp/bounded_system.h"

#include "talus/linalg/eigen_sparse.h"
#include "talus/problem/delassus/body_factor.h"
#include "talus/problem/delassus/explicit_operator.h"

#include <algorithm>
#include <limits>

namespace talus {
namespace {

using EigenTriplets = std::vector<Eigen::Triplet<double>>;

void append(const SparseMatrix& matrix, Index row, Index column, bool transposed,
            EigenTriplets& entries) {
  for (Index i = 0; i < matrix.rows; ++i)
    for (Index k = matrix.row_start[i]; k < matrix.row_start[i + 1]; ++k) {
      const Index j = matrix.column[k];
      entries.emplace_back(row + (transposed ? j : i), column + (transposed ? i : j),
                           matrix.value[k]);
    }
}

SparseRows local_matrix(const LocalModel& model, Index impulses, Index size) {
  EigenTriplets entries;
  append(model.W, 0, 0, false, entries);
  append(model.V, 0, impulses, false, entries);
  append(model.U.empty() ? model.V : model.U, impulses, 0, model.U.empty(), entries);
  append(model.R, impulses, impulses, false, entries);
  SparseRows matrix(size, size);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

/// N without compliance.
SparseRows delassus_matrix(const ScaledProblem& problem) {
  if (const auto factor = body_factor(problem.delassus())) {
    const SparseRows B = to_row_major(factor->B);
    return SparseRows(SparseRows(B.transpose()) * B);
  }
  const ContactProblem& data = problem.problem();
  if (const auto* local = std::get_if<LocalModel>(&data.model))
    return local_matrix(*local, data.impulses(), data.size());
  return local_matrix(eliminate_velocities(to_global(data)), data.impulses(), data.size());
}

} // namespace

SparseRows to_row_major(const SparseMatrix& matrix) {
  return Eigen::Map<const SparseRows>(matrix.rows, matrix.columns, matrix.nonzeros(),
                                      matrix.row_start.data(), matrix.column.data(),
                                      matrix.value.data());
}

BoundedSystem bounded_system(const ScaledProblem& problem) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const int d = problem.dimension();
  const Dense scale = per_entry(problem.scale(), d, problem.contacts());
  BoundedSystem system;
  system.A = scale.asDiagonal() * delassus_matrix(problem) * scale.asDiagonal();
  const Vector& compliance = problem.problem().compliance;
  if (!compliance.empty()) {
    SparseRows E(problem.size(), problem.size());
    E.setIdentity();
    for (Index i = 0; i < problem.size(); ++i)
      E.coeffRef(i, i) = scale[i] * scale[i] * compliance[i];
    system.A += E;
  }
  system.diagonal = system.A.diagonal();
  system.b = Eigen::Map<const Dense>(problem.free_velocity().data(), problem.size());
  system.lower = Dense::Zero(problem.size());
  system.upper = Dense::Zero(problem.size());
  for (Index c = 0; c < problem.contacts(); ++c) {
    const ContactSet set = problem.contact_set(c);
    system.upper[d * c] = infinity;
    for (int i = 1; i < d; ++i) {
      system.upper[d * c + i] = set.bound;
      system.lower[d * c + i] = -set.bound;
    }
  }
  for (Index j = 0; j < problem.equalities(); ++j) {
    system.lower[d * problem.contacts() + j] = problem.project_row(j, -infinity);
    system.upper[d * problem.contacts() + j] = problem.project_row(j, infinity);
  }
  return system;
}

void smooth(const BoundedSystem& system, Dense& x, bool backward) {
  const Index n = system.size();
  for (Index k = 0; k < n; ++k) {
    const Index i = backward ? n - 1 - k : k;
    if (!(system.diagonal[i] > 0) || system.lower[i] == system.upper[i]) continue;
    double u = system.b[i];
    for (SparseRows::InnerIterator entry(system.A, i); entry; ++entry)
      u += entry.value() * x[entry.col()];
    x[i] = std::clamp(x[i] - u / system.diagonal[i], system.lower[i], system.upper[i]);
  }
}

} // namespace talus
