#pragma once
// The contact problem: what a file holds, what a time step builds, what every solver solves.
//
// Unknowns are the impulses r (`dimension` per contact, normal first) and the multipliers l of the
// equality rows (joints). They form one flat vector x = (r, l). With v the generalised velocities,
//
//     M v = H r + G l + f,     u = Hᵀ v + w,          0 = Gᵀ v + b              (global)
//
//     u = W r + V l + q,       0 = U r + R l + s,     U = Vᵀ unless given       (local)
//
// and eliminating v from the first gives the second. In both cases the problem is
//
//     y = N x + q̄,     K_c ∋ r_c ⊥ û_c ∈ K_c*   for every contact c,
//                      y_l = 0                  on (unbounded) equality rows
//
// where û = u for the associated law and û_n = u_n + σ(u_t) for Coulomb's (friction_set.h). In the
// notation of the papers D = H, b_contact = w, k = f, c = u. An optional diagonal compliance E
// turns N into N + E.
//
// Rolling friction (set `rolling`, dimension 5 or 6) adds moments to the impulses of a contact, r =
// (n, t, o, two rolling moments about t and o[, the spinning moment about n]), and the relative
// angular velocities about these axes to u. In the plane it has dimension 3, r = (n, t, the rolling
// moment about the plane's normal).
//
// Units: impulses in N s, moments in N m s, velocities in m/s, angular velocities in 1/s, masses in
// kg; nothing depends on them.

#include "talus/contact/friction_set.h"
#include "talus/core/sparse_matrix.h"
#include "talus/core/types.h"
#include "talus/core/vec3.h"

#include <string>
#include <variant>

namespace talus {

/// Explicit Delassus matrix. V, R, s are empty without equality rows. U is empty (meaning Vᵀ)
/// except for mixed linear complementarity problems, whose two couplings are independent.
struct LocalModel {
  SparseMatrix W;
  Vector q;
  SparseMatrix V, R;
  Vector s;
  SparseMatrix U;
};

/// General sparse mass matrix M (square, invertible) and Jacobians H, G (a column per impulse). G,
/// b are empty without equality rows.
struct GlobalModel {
  SparseMatrix M, H;
  Vector f, w;
  SparseMatrix G;
  Vector b;
};

/// One contact between rigid bodies: frame (normal, tangent, normal x tangent), arms from the
/// bodies' centres of mass to the contact point, all in world axes. The normal points from body a
/// to body b.
struct RigidContact {
  Vec3 normal, tangent, arm_a, arm_b;
};

/// One equality row between two rigid bodies:
/// Gᵀ v = linear_a·v_a + angular_a·ω_a + linear_b·v_b + angular_b·ω_b.
struct RigidRow {
  Vec3 linear_a, angular_a, linear_b, angular_b;
};

/// The two bodies of a contact or row; -1 stands for the immovable world.
struct BodyPair {
  Index a = -1, b = -1;
};

/// Inverse mass [1/kg] and inverse inertia about the centre of mass in world axes [1/(kg m²)],
/// symmetric: xx, xy, xz, yy, yz, zz. All zero: a body that contact impulses cannot move (fixed, or
/// of prescribed motion).
struct RigidInverseMass {
  double mass = 0;
  double inertia[6] = {};
};

/// Rigid bodies in space with the compact contact data of a running simulation. v stacks (v, ω) in
/// world axes, six per body; `free_velocity` = M⁻¹ f, the velocity at the step's end without
/// contact impulses. dimension is 3, or 6 with rolling friction: the moments act on the angular
/// velocities about tangent, normal x tangent and normal.
struct RigidModel {
  std::vector<RigidInverseMass> inverse_mass;
  Vector free_velocity;
  std::vector<BodyPair> contact_bodies;
  std::vector<RigidContact> contacts;
  Vector w; ///< `dimension` per contact: (gap / h, 0, 0) and the like.
  std::vector<BodyPair> row_bodies;
  std::vector<RigidRow> rows;
  Vector b; ///< 1 per equality row.
};

struct ContactProblem {
  /// 3 in space, 2 in the plane, 1 for a linear complementarity problem; with rolling friction 5 in
  /// space, 6 with spinning friction, too, and 3 in the plane.
  int dimension = 3;
  Vector mu; ///< Friction coefficient of each contact; its length is the number of contacts.
  /// Lengths [m] that bound the rolling and the spinning moment of each contact, in multiples of
  /// its normal impulse. Empty in other sets than `rolling`, and spinning in dimension 5.
  Vector rolling, spinning;
  FrictionSet friction;
  Law law = Law::coulomb;
  /// Estimate of each contact's normal impulse, for the fixed-bound sets only (else empty).
  Vector normal_estimate;
  /// Bounds of the multipliers of the equality rows, one per row (±infinity where there is none),
  /// or both empty: all free. lower <= upper. A bounded row is one-sided: y = 0 while lower < l <
  /// upper, y >= 0 at the lower bound, y <= 0 at the upper one. Joint limits are rows with [0,
  /// inf), motors of limited strength rows with [-strength, strength].
  Vector row_lower, row_upper;
  /// Diagonal compliance E >= 0, one entry per entry of x, or empty.
  Vector compliance;
  std::variant<LocalModel, GlobalModel, RigidModel> model;
  /// Where it came from; shown to people, never interpreted.
  std::string title, description, math_info;

  Index contacts() const { return static_cast<Index>(mu.size()); }
  Index impulses() const { return dimension * contacts(); }
  bool has_moments() const;
  /// How many components of a contact come before its moments; all, where it has none.
  int first_moment() const;
  Index equalities() const;
  /// Length of x = (r, l).
  Index size() const { return impulses() + equalities(); }
  /// Length of v; 0 for a local model, which does not know it.
  Index dofs() const;
};

/// Throws InvalidProblem with the first contradiction found: sizes that do not match, entries that
/// are not finite, negative friction, a missing normal estimate, bounds of a multiplier that
/// exclude each other, a body index out of range.
void validate(const ContactProblem& problem);

/// Entries of the rigid v that impulses can move, in increasing order: those of nonzero inverse
/// mass (or inertia diagonal). They are the v of to_global().
std::vector<Index> mobile_dofs(const RigidModel& model);

/// The same problem as a GlobalModel (a LocalModel cannot be converted: InvalidProblem). Of a
/// RigidModel, the entries of v that impulses cannot move disappear into w and b with their
/// prescribed velocity; M holds the inverses of the inverse masses, and f = M v_free. An inverse
/// inertia that is singular but for locked world axes is an InvalidProblem. O(bodies + contacts),
/// up to sorting.
GlobalModel to_global(const ContactProblem& problem);

} // namespace talus
