#pragma once
// A coarse space that transfers velocity errors instead of impulse errors, as preclik2009 sec. 3.4
// suggests.
//
// With N = BᵀB (body_factor.h) and the variables F between their bounds, an impulse error matters
// only through the velocities it makes, B_F e. Corrections are therefore sought in the range of
// B_Fᵀ: e = B_Fᵀ Q y, with Q y a field of body velocities that is smooth on aggregates of bodies
// (their rigid modes, smoothed with K = B_F B_Fᵀ). The null space of N, which defeats the transfer
// of impulses, is orthogonal to that range. y minimises the objective: (K Q)ᵀ(K Q) y = -(B_F Q)ᵀ u.

#include "talus/problem/delassus/body_factor.h"
#include "talus/solve/lcp/bounded_system.h"

#include <Eigen/SparseCholesky>

namespace talus {

class VelocityMultigrid {
public:
  /// For a problem with body structure; `most_columns` limits the coarse space.
  VelocityMultigrid(const ScaledProblem& problem, Index most_columns);

  /// Makes the coarse space for the variables between their bounds at x.
  void build(const BoundedSystem& system, const Dense& x);

  /// e = the correction of x in the coarse space for the velocity u at x; zero outside F.
  void correction(const Dense& u, Dense& e) const;

  Index coarse_size() const { return static_cast<Index>(P_.cols()); }

private:
  SparseRows B_;          ///< M^-½ [D G] S.
  Eigen::MatrixXd modes_; ///< Rigid motions, M^½ v.
  std::vector<Index> node_start_;
  Index most_columns_;
  SparseRows P_, restriction_; ///< B_Fᵀ Q and its transpose.
  Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> coarse_;
};

} // namespace talus
