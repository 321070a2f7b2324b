#pragma once
// The problem as solvers see it: symmetric scaling, kernels, and a count of products.
//
// With s_c = sqrt(rho_c) and z = x / s the problem keeps its form: N becomes S N S, whose diagonal
// blocks have mean 1, q̄ becomes S q̄, cone-shaped sets stay, fixed bounds become bound / s_c. The
// Talus error is then |z - P(z - û)| / |P(-q̂)| in the plain Euclidean norm, so step sizes,
// penalties and tolerances mean the same for grams and tonnes. `u` below is always the scaled
// velocity S (N x + q̄) = gradient of the objective in z. Moments of rolling friction are measured
// in the length of their contact first (delassus.h), which divides its coefficients by that length.

#include "talus/contact/contact_set.h"
#include "talus/problem/delassus/delassus.h"
#include "talus/problem/scaled/physical_squares.h"
#include "talus/problem/scaled/quality.h"

#include <algorithm>
#include <cmath>

namespace talus {

class ScaledProblem {
public:
  /// Holds nothing until assign().
  ScaledProblem() = default;
  /// Keeps references to both arguments.
  ScaledProblem(const ContactProblem& problem, const DelassusOperator& n) { assign(problem, n); }
  /// Becomes another problem in the memory it has; nothing is frozen and no product counted.
  void assign(const ContactProblem& problem, const DelassusOperator& n);

  Index size() const { return n_->size(); }
  Index contacts() const { return n_->contacts(); }
  Index equalities() const { return n_->equalities(); }
  int dimension() const { return n_->dimension(); }
  const ContactProblem& problem() const { return *problem_; }
  const DelassusOperator& delassus() const { return *n_; }
  /// Null where this process holds all contacts; else size() and contacts() count its own.
  const Division* division() const { return n_->division(); }
  /// Position of an entry among those of all ranks; `entry` itself where there is one process.
  std::int64_t number_of(Index entry) const;

  /// x'y, |x| and |x - y| over the entries of all ranks. Solvers that run over ranks
  /// (SolverInfo::over_ranks) use these in place of core/vector_ops.h, which they equal bit for bit
  /// where there is one process.
  double dot(ConstSpan x, ConstSpan y) const;
  double norm(ConstSpan x) const;
  double distance(ConstSpan x, ConstSpan y) const;
  /// Whether all entries are 0, on all ranks.
  bool is_zero(ConstSpan x) const;
  /// True when the law tilts velocities: Coulomb on a cone-shaped set.
  bool is_tilted() const {
    return problem_->law == Law::coulomb && is_cone_shaped(problem_->friction.kind) &&
           dimension() > 1;
  }

  /// Fixes the tilt of each contact (scaled, one per contact), which leaves a convex, associated
  /// problem with raised normal free velocities: the subproblem of the fixed point tilt = σ(u_t).
  /// Until release_tilt(), velocities, objective and frozen_error() are those of the subproblem;
  /// error() stays that of the problem itself.
  void freeze_tilt(ConstSpan tilt);
  void release_tilt();
  /// Fixes the tangential bound of each contact of a cone-shaped set (scaled, one per contact),
  /// which leaves a convex problem on the fixed-bound set of the same cross section (cone ->
  /// cylinder, pyramid -> box, polyhedron -> prism): the subproblem of the fixed point bound = mu
  /// z_n. Until release_bounds(), contact_set(), projections, active_set() and frozen_error() are
  /// those of the subproblem; error() stays that of the problem itself.
  void freeze_bounds(ConstSpan bound);
  void release_bounds() {
    frozen_bound_.clear();
    bounds_are_frozen_ = false;
  }
  bool is_frozen() const { return tilt_is_frozen_ || bounds_are_frozen_; }

  /// y = S N S z. Counts one product.
  void product(ConstSpan z, Span y) const;
  /// u = S N S z + q. Counts one product.
  void velocity(ConstSpan z, Span u) const;
  /// Of large problems it is made when first asked for: ask outside of parallel loops.
  ConstSpan free_velocity() const {
    if (q_.empty()) make_free_velocity();
    return q_;
  }
  long products() const { return products_; }
  /// Work done elsewhere that equals so many products (a Gauss-Seidel sweep reads N once).
  void count_products(long count) const { products_ += count; }
  /// Factorisations of matrices like N so far, of whatever space.
  long factorisations() const { return factorisations_; }
  void count_factorisation() const { ++factorisations_; }

  /// The contact's set in scaled variables; the one with frozen bound while there is one.
  ContactSet contact_set(Index contact) const {
    ContactSet set = own_set(contact);
    if (frozen_bound_.empty()) return set;
    set.set.kind = with_fixed_bound(set.set.kind);
    set.bound = frozen_bound_[contact];
    return set;
  }
  /// The contact's set in scaled variables, whatever is frozen.
  ContactSet own_set(Index contact) const {
    return {problem_->friction,
            dimension(),
            problem_->mu[contact],
            bound_.empty() ? 0.0 : bound_[contact],
            rolling_.empty() ? 0.0 : rolling_[contact],
            spinning_.empty() ? 0.0 : spinning_[contact]};
  }
  /// The kind of every contact_set().
  FrictionKind set_kind() const {
    const FrictionKind kind = problem_->friction.kind;
    return bounds_are_frozen_ ? with_fixed_bound(kind) : kind;
  }
  /// True when every contact_set() is a cone with a round cross section in space.
  bool has_round_cones() const {
    return is_round_cone(problem_->friction.kind, dimension()) && frozen_bound_.empty();
  }
  /// What the frozen subproblem adds to the normal velocity; 0 while no tilt is frozen.
  double frozen_tilt(Index contact) const { return frozen_.empty() ? 0.0 : frozen_[contact]; }
  /// y = P_K(x), contact by contact; equality rows are clamped to their bounds. y may be x.
  void project(ConstSpan x, Span y) const;
  /// The same in place for contacts [first, first + count), whose entries begin at x[0]: for loops
  /// that project in their own passes.
  void project_contacts(Index first, Index count, double* x) const;
  /// The multiplier of equality row `row` clamped to its bounds (scaled).
  double project_row(Index row, double value) const {
    return row_lower_.empty() ? value : std::clamp(value, row_lower_[row], row_upper_[row]);
  }
  /// True when the row has no bounds.
  bool is_free_row(Index row) const {
    return row_lower_.empty() || (std::isinf(row_lower_[row]) && std::isinf(row_upper_[row]));
  }
  /// y = P_K(x - step * g).
  void project_step(ConstSpan x, double step, ConstSpan g, Span y) const;
  /// σ(u_t) of each contact.
  void tilts(ConstSpan u, Span result) const;

  /// |P(-q̂)|, the denominator of the Talus error; 0 where it is not above rounding().
  double reference() const { return reference_; }
  /// What rounding of q̂ makes of a residual: 64 ε |q̂|.
  double rounding() const { return rounding_; }
  /// |z| / reference(), 0 where the reference is 0.
  double relative_size(ConstSpan z) const;
  /// What rounding of z hides of the error: 2⁻⁵² relative_size(z).
  double resolution(ConstSpan z) const;
  /// The chosen measure at z, given u = velocity(z). No product.
  double error(ConstSpan z, ConstSpan u, Measure measure) const;
  /// The parts of FCLIB's measure, of contacts [begin, end) and of the equality rows, for loops
  /// that measure in their own passes; and the error that belongs to their sum.
  PhysicalSquares physical_squares(Index begin, Index end, ConstSpan z, ConstSpan u) const;
  PhysicalSquares physical_row_squares(ConstSpan z, ConstSpan u) const;
  double fclib_error_of(const PhysicalSquares& sums) const;
  /// |z - P(z - u)| / reference() of the frozen subproblem.
  double frozen_error(ConstSpan z, ConstSpan u) const;
  /// Σ |z_c - P(z_c - û_c)|² over contacts [begin, end), and over the equality rows: the parts of
  /// error() and, `of_subproblem`, of frozen_error(), for loops that measure in their own passes.
  /// An empty z stands for zero.
  double squared_residual(Index begin, Index end, ConstSpan z, ConstSpan u,
                          bool of_subproblem) const;
  double squared_row_residual(ConstSpan z, ConstSpan u) const;
  /// The same of at most `block_contacts` contacts from `first` on, whose entries begin at z[0] and
  /// u[0].
  static constexpr Index block_contacts = 64;
  double squared_block_residual(Index first, Index count, const double* z, const double* u,
                                bool of_subproblem) const;
  /// The Talus error that belongs to a sum of these.
  double error_of(double squared_residual) const;
  /// ½ z'(SNS)z + q'z from u = velocity(z): no product.
  double objective(ConstSpan z, ConstSpan u) const;

  /// Number of contacts whose impulse is not strictly inside K (separated or on the boundary), and
  /// for each contact its state 0 separated, 1 boundary, 2 interior (counted against `states` of
  /// the previous call in `changes`).
  struct ActiveSet {
    Index separated = 0, boundary = 0, interior = 0, changes = 0;
  };
  ActiveSet active_set(ConstSpan z, std::span<signed char> states) const;

  /// |u - S reference| / |S reference| for a velocity `reference` in physical units, contacts only.
  double velocity_error(ConstSpan u, ConstSpan reference) const;

  void to_scaled(ConstSpan x, Span z) const;
  void to_physical(ConstSpan z, Span x) const;
  /// The same for x in the variables of the operator, whose rows sweeps visit: moments are measured
  /// in the lengths of their contacts. Without moments there is no difference.
  void from_operator(ConstSpan x, Span z) const;
  void to_operator(ConstSpan z, Span x) const;
  /// u in physical units becomes scaled.
  void to_scaled_velocity(Span u) const;
  ConstSpan scale() const { return scale_; }

  /// Largest eigenvalue of S N S by power iteration from a fixed start (counts its products).
  double largest_eigenvalue(int iterations = 20) const;
  /// The same from the start x, which is changed; y is work space of its size.
  double largest_eigenvalue(int iterations, Span x, Span y) const;

private:
  /// Calls body(i, scale of its block) for every entry.
  template <class Body>
  void for_each_entry(Body&& body) const;
  void make_free_velocity() const;
  /// q̂ from q̄, with |q̄|, 64 ε |q̂| and |P(-q̂)|.
  void scale_free_velocity();
  void project_contacts(Index first, Index count, bool frozen_bounds, double* x) const;
  /// x_n -= σ(u_t) - frozen tilt, contacts [first, first + count), entries from u[0] and x[0].
  void subtract_tilts(Index first, Index count, const double* u, double* x) const;
  double natural_residual(ConstSpan z, ConstSpan u, bool of_subproblem) const;

  const ContactProblem* problem_ = nullptr;
  const DelassusOperator* n_ = nullptr;
  Vector scale_;        ///< sqrt(rho), one per block.
  mutable Vector q_;    ///< Scaled free velocity, raised by the frozen tilt, or empty.
  Vector frozen_;       ///< The frozen tilt; empty while there is none.
  Vector plain_normal_; ///< The normal entries of q_ without it, while there is one.
  Vector frozen_bound_; ///< Frozen tangential bounds; empty while there are none.
  /// Of ranks without contacts the vectors are empty all the same.
  bool tilt_is_frozen_ = false, bounds_are_frozen_ = false;
  Vector bound_;                 ///< Scaled tangential bounds of the fixed-bound sets.
  Vector rolling_, spinning_;    ///< Coefficients in units of the contacts' lengths, or empty.
  Vector row_lower_, row_upper_; ///< Scaled bounds of the equality rows; empty when all are free.
  double reference_ = 0, rounding_ = 0;
  double free_velocity_norm_ = 0; ///< |q̄|, not scaled.
  mutable long products_ = 0, factorisations_ = 0;
};

} // namespace talus
