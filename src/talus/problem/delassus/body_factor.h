#pragma once
// The Delassus operator of a body-structured problem as a square: N = BᵀB + E with
// B = M^-½ [D G], a row per degree of freedom of the bodies. Methods that work in body space
// (multigrid on BBᵀ, Newton's systems) start here.

#include "talus/problem/delassus/delassus.h"

#include <optional>

namespace talus {

struct BodyFactor {
  int body_dofs = 6; ///< Rows of B per body: 6 in space, 3 in the plane.
  Index bodies = 0;
  SparseMatrix B;                  ///< bodies · body_dofs rows, a column per impulse.
  Vector root;                     ///< Per body the lower triangular L, row-major, M⁻¹ = L Lᵀ.
  std::vector<BodyPair> pairs;     ///< The bodies of each contact.
  std::vector<BodyPair> row_pairs; ///< The bodies of each equality row.
  Vector jacobian;                 ///< Two blocks (a, b) of body_dofs x dimension per contact.
};

/// Nothing when the operator has no body structure. O(contacts).
std::optional<BodyFactor> body_factor(const DelassusOperator& n);

/// The rigid motions of the whole assembly as velocities of its bodies, mode by mode (three
/// translations, three rotations; two and one in the plane), each of bodies · body_dofs entries.
/// They leave every relative contact velocity at zero, except against the world. Positions and the
/// axes of angular velocities are recovered from the contacts' Jacobians: angular parts are
/// R_bodyᵀ [arm]ₓ in any body frame, and an arm is taken to point towards the other body. Bodies
/// that are not connected by contacts turn about origins of their own.
std::vector<Vector> rigid_modes(const BodyFactor& factor);

} // namespace talus
