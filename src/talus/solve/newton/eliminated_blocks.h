#pragma once
// The part of a Newton system (newton_system.h) that the body space solves block by block:
//
//     Θ = (C + K E)⁻¹ K,      start = (C + K E)⁻¹ rhs.

#include "talus/solve/newton/newton_blocks.h"

namespace talus {

class EliminatedBlocks {
public:
  /// For contacts of up to three entries.
  explicit EliminatedBlocks(const ScaledProblem& problem);

  /// False where a block is singular.
  bool eliminate(const NewtonMatrices& matrices, ConstSpan rhs);

  /// Block diagonal, in the layout of C and K.
  ConstSpan theta() const { return theta_; }
  ConstSpan start() const { return start_; }
  /// Of the product of det(C + K E) over the blocks.
  int sign() const { return sign_; }
  /// dz_c -= Θ_c y_c.
  void subtract_response(Index block, const double* y, Span dz) const;

private:
  void pose_block(const NewtonMatrices& matrices, ConstSpan rhs, Index block, double* a,
                  double* right) const;
  void pose_inverted_block(const NewtonMatrices& matrices, ConstSpan rhs, Index block, double* a,
                           double* right) const;

  BlockLayoutOfRows layout_;
  Vector compliance_; ///< Scaled E; empty without.
  Vector theta_, start_;
  int sign_ = 1;
};

} // namespace talus
