#pragma once
// Preconditioners for the free block A = Zᵀ (N + C) Z of an active-set method (free_set.h).
//
//   blocks       the diagonal blocks of N alone: nearly free, undoes what scaling by one number per
//                contact leaves
//   incomplete   incomplete Cholesky without fill
//   full         LDLᵀ of the whole free block (heyn2013, GPMINRES-P), zero pivots perturbed: N is
//                semidefinite, so the diagonal is raised by `perturbation` (the mean diagonal is 1)
//
// The last two assemble N once and factorise at every change of the free set: that is their price.

#include "talus/solve/active_set/free_set.h"

#include <memory>

namespace talus {

class FreePreconditioner {
public:
  enum class Kind { blocks, incomplete, full };

  FreePreconditioner(const ScaledProblem& problem, Kind kind, double perturbation);
  ~FreePreconditioner();

  /// Factorises for the present free set. When that fails, apply() is the identity.
  void prepare(const FreeSet& free);
  /// y ≈ Z A⁻¹ Zᵀ x.
  void apply(ConstSpan x, Span y) const;

private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

} // namespace talus
