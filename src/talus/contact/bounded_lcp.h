#pragma once
// Linear complementarity problems with bounds, solved by total enumeration (preclik2009 sec. 3.1):
//
//     u = A x + b,   lower ≤ x ≤ upper,   u = 0 between the bounds, u ≥ 0 at lower, u ≤ 0 at upper.
//
// A bound is a constant or follows another component, ∓ mu x_normal: that is friction on a box and
// on a pyramid (eq. 9). Every combination of bound states leaves a linear system for the components
// between their bounds; the first whose solution meets all inequalities is the answer. The number
// of combinations is exponential, so this is for one contact or a handful.

#include "talus/contact/contact_set.h"
#include "talus/core/stop_test.h"
#include "talus/core/types.h"

#include <limits>

namespace talus {

struct BoundedComponent {
  double lower = 0, upper = std::numeric_limits<double>::infinity();
  Index normal = -1; ///< When not negative: an earlier component; the bounds are ∓ mu x_normal.
  double mu = 0;

  bool is_fixed() const { return normal < 0 && lower == upper; }
};

/// Where a component is.
enum class BoundState : signed char { at_lower, between, at_upper };

/// The `dimension` components of a contact whose first has index `first`, for none, box and pyramid
/// and all sets in the plane. The pyramid's bounds follow its normal: Coulomb's law.
void append_components(const ContactSet& set, Index first,
                       std::vector<BoundedComponent>& components);

/// Number of combinations the components can be in; a double, as it may exceed every integer.
double count_bound_states(std::span<const BoundedComponent> components);

class BoundEnumeration {
public:
  /// For problems of at most `size` components.
  explicit BoundEnumeration(Index size);

  /// Solves for x; A is row-major and scaled to diagonal entries near 1. `states` is tried first
  /// and holds the answer's states on return. A singular system takes the solution whose dependent
  /// components are zero. Returns the violation max |x - clamp(x - u)| of the answer: at the level
  /// of rounding when a combination fits; else x is the combination that violates least, of those
  /// tried until the stop test, asked now and then, was met. Where no combination is finite, x is
  /// zero.
  double solve(const double* A, const double* b, std::span<const BoundedComponent> components,
               std::span<BoundState> states, double* x, const StopTest& stop = {});

  /// Linear systems solved since construction.
  long systems() const { return systems_; }

private:
  void enumerate(std::size_t i);
  void try_states();
  void reduce();
  void solve_basic(Index n);
  double violation() const;

  const double *A_ = nullptr, *b_ = nullptr;
  std::span<const BoundedComponent> components_;
  std::vector<BoundState> trial_, best_;
  Vector x_, best_x_, matrix_, rhs_, solution_;
  std::vector<Index> between_, pivot_column_;
  double best_violation_ = 0, goal_ = 0;
  long systems_ = 0;
  const StopTest* stop_ = nullptr; ///< Of the solve at hand.
  bool stopped_ = false;
};

} // namespace talus
