#include "talus/solve/sweeps/polyhedral_step.h"

#include "talus/linalg/eigen_sparse.h"

#include <cmath>
#include <limits>

namespace talus {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
using Entry = Eigen::Triplet<double>;
using Sparse = Eigen::SparseMatrix<double>;

/// Collects the unknowns of all contacts and rows: how they make impulses, and how λ couples them.
class StepAssembly {
public:
  explicit StepAssembly(const ScaledProblem& problem) : problem_(problem) {
    for (Index c = 0; c < problem.contacts(); ++c) add_contact(c);
    for (Index j = 0; j < problem.equalities(); ++j) add_row(j);
  }

  Index size() const { return static_cast<Index>(constant_.size()); }

  /// Appends free unknowns whose equations have no constant.
  void append_free(Index count) {
    for (Index i = 0; i < count; ++i) append(-infinity, infinity);
  }

  Sparse impulses() const {
    Sparse t(problem_.size(), size());
    t.setFromTriplets(impulses_.begin(), impulses_.end());
    return t;
  }

  /// The whole problem, given the part of A that the mechanics contribute.
  PolyhedralStep finish(const Sparse& mechanics) const {
    PolyhedralStep step;
    step.impulses = impulses();
    Sparse coupling(size(), size());
    coupling.setFromTriplets(coupling_.begin(), coupling_.end());
    step.mixed.A = mechanics + coupling;
    step.mixed.b = step.impulses.transpose() * as_eigen(problem_.free_velocity());
    step.mixed.b += as_eigen(ConstSpan(constant_));
    step.mixed.lower = as_eigen(ConstSpan(lower_));
    step.mixed.upper = as_eigen(ConstSpan(upper_));
    return step;
  }

private:
  Index append(double lower, double upper, double constant = 0) {
    lower_.push_back(lower);
    upper_.push_back(upper);
    constant_.push_back(constant);
    return size() - 1;
  }

  void add_contact(Index c) {
    const ContactSet set = problem_.contact_set(c);
    const int d = problem_.dimension();
    const Index normal = append(0, infinity);
    impulses_.emplace_back(d * c, normal, 1.0);
    const bool is_cone = is_cone_shaped(set.set.kind);
    const double room = is_cone ? set.mu : set.bound;
    if (d == 1 || set.set.kind == FrictionKind::none || room == 0) return;

    const std::vector<Tangential> directions = generators(set.set, d);
    const Index first = size();
    for (const Tangential& direction : directions) {
      const Index beta = append(0, infinity);
      impulses_.emplace_back(d * c + 1, beta, direction.t);
      if (d == 3) impulses_.emplace_back(d * c + 2, beta, direction.o);
    }
    const Index lambda = append(0, infinity, is_cone ? 0 : set.bound);
    for (Index beta = first; beta < lambda; ++beta) {
      coupling_.emplace_back(beta, lambda, 1.0);
      coupling_.emplace_back(lambda, beta, -1.0);
    }
    if (!is_cone) return;
    coupling_.emplace_back(lambda, normal, set.mu);
    if (!problem_.is_tilted()) coupling_.emplace_back(normal, lambda, -set.mu);
  }

  void add_row(Index j) {
    const Index row = append(problem_.project_row(j, -infinity), problem_.project_row(j, infinity));
    impulses_.emplace_back(problem_.dimension() * problem_.contacts() + j, row, 1.0);
  }

  const ScaledProblem& problem_;
  std::vector<Entry> impulses_, coupling_;
  Vector lower_, upper_, constant_;
};

/// sqrt(rho) of each entry of x.
Eigen::VectorXd entry_scale(const ScaledProblem& problem) {
  return per_entry(problem.scale(), problem.dimension(), problem.contacts());
}

/// Copies the entries of `block` to (row, column).
void place(const Sparse& block, Index row, Index column, double sign, std::vector<Entry>& entries) {
  for (int j = 0; j < block.outerSize(); ++j)
    for (Sparse::InnerIterator it(block, j); it; ++it)
      entries.emplace_back(row + static_cast<Index>(it.row()),
                           column + static_cast<Index>(it.col()), sign * it.value());
}

} // namespace

bool MixedComplementarity::is_free(Index i) const {
  return std::isinf(lower[i]) && std::isinf(upper[i]);
}

double natural_residual(const MixedComplementarity& problem, const Eigen::VectorXd& y) {
  if (y.size() == 0) return 0;
  const Eigen::VectorXd f = problem.A * y + problem.b;
  return (y - (y - f).cwiseMax(problem.lower).cwiseMin(problem.upper)).cwiseAbs().maxCoeff();
}

std::vector<Tangential> generators(const FrictionSet& set, int dimension) {
  if (dimension == 2) return {{1, 0}, {-1, 0}};
  std::vector<Tangential> result;
  result.reserve(section_vertices(set));
  for (int k = 0; k < section_vertices(set); ++k) result.push_back(section_vertex(set, k));
  return result;
}

PolyhedralStep polyhedral_step(const ScaledProblem& problem) {
  const StepAssembly assembly(problem);
  const Eigen::VectorXd scale = entry_scale(problem);
  const Sparse n = to_eigen(problem.delassus().matrix());
  const Sparse t = scale.asDiagonal() * assembly.impulses();
  return assembly.finish(t.transpose() * n * t);
}

PolyhedralStep polyhedral_step_with_velocities(const ScaledProblem& problem,
                                               const PrimalPieces& pieces) {
  StepAssembly assembly(problem);
  const Index unknowns = assembly.size(), dofs = pieces.mass.rows;
  const Sparse t = entry_scale(problem).asDiagonal() * assembly.impulses();
  const Sparse mass = to_eigen(pieces.mass), rows = to_eigen(pieces.rows);
  const Sparse jacobian = t.transpose() * rows;
  std::vector<Entry> entries;
  place(jacobian, 0, unknowns, 1, entries);
  place(jacobian.transpose(), unknowns, 0, -1, entries);
  place(mass, unknowns, unknowns, 1, entries);
  if (const ConstSpan compliance = problem.delassus().compliance(); !compliance.empty())
    place(t.transpose() * as_eigen(compliance).asDiagonal() * t, 0, 0, 1, entries);
  assembly.append_free(dofs);
  Sparse mechanics(assembly.size(), assembly.size());
  mechanics.setFromTriplets(entries.begin(), entries.end());
  return assembly.finish(mechanics);
}

} // namespace talus
