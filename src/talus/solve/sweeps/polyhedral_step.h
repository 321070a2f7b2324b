#pragma once
// The mixed linear complementarity problem of a time step with polyhedral friction (anitescu2002,
// "Matrix form of the integration step"; Stewart and Trinkle 1996).
//
// Friction at contact c is a combination of the vertices d_k of its cross section S, with weights
// β ≥ 0 of sum at most mu r_n (or at most the bound of a fixed-bound set); λ is the multiplier of
// that limit. With u = N r + q̄ the unknowns and what each of them is complementary to are
//
//     r_n ≥ 0   ⊥   u_n            (Coulomb; u_n - mu λ under the associated law)   ≥ 0
//     β_k ≥ 0   ⊥   d_k·u_t + λ                                                      ≥ 0
//     λ   ≥ 0   ⊥   mu r_n - Σ β   (bound - Σ β for box and prism)                   ≥ 0
//     l free    ⊥   y_l = 0        joints; within their bounds for limits and motors
//
// and with velocities kept as unknowns (the equations of motion, mazhar2014 sec. 4.4) one equation
// M v - D r = 0 each, v being what the impulses add to the free velocities.
//
// In λ, a contact under Coulomb's law that carries no impulse has a half-line of solutions: the
// solution set is not convex (anitescu2002, "Nonconvex solution set").
//
// Everything is in the scaled variables of ScaledProblem, where the diagonal of N is 1 on average.

#include "talus/contact/cross_section.h"
#include "talus/problem/scaled/scaled_problem.h"

#include <Eigen/SparseCore>

namespace talus {

/// F(y) = A y + b, lower ≤ y ≤ upper, F = 0 between the bounds, F ≥ 0 at lower, F ≤ 0 at upper.
struct MixedComplementarity {
  Eigen::SparseMatrix<double> A;
  Eigen::VectorXd b, lower, upper;

  Index size() const { return static_cast<Index>(b.size()); }
  bool is_free(Index i) const;
};

/// |y - clamp(y - F(y), lower, upper)| in the maximum norm.
double natural_residual(const MixedComplementarity& problem, const Eigen::VectorXd& y);

struct PolyhedralStep {
  MixedComplementarity mixed;
  Eigen::SparseMatrix<double> impulses; ///< z = impulses · y.
};

/// The directions d_k: the vertices of the cross section, ±1 in the plane.
std::vector<Tangential> generators(const FrictionSet& set, int dimension);

/// Unknowns (r_n, β, λ) contact by contact, then l. Contacts without friction have r_n alone. N is
/// formed explicitly: O(contacts²) memory where bodies have many neighbours.
PolyhedralStep polyhedral_step(const ScaledProblem& problem);

/// The same with velocities as further, free unknowns at the end, so that A is as sparse as the
/// contact graph. Only where the operator has primal pieces (PrimalPieces in delassus.h).
PolyhedralStep polyhedral_step_with_velocities(const ScaledProblem& problem,
                                               const PrimalPieces& pieces);

} // namespace talus
