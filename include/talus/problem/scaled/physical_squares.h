#pragma once
// What FCLIB's measure consists of: squares of the residual r - P(r - û) with rho = 1, of impulses
// and of velocities, all in physical variables (docs/theory/error.md).

#include "talus/contact/contact_set.h"
#include "talus/core/types.h"

namespace talus {

struct PhysicalSquares {
  double residual = 0, impulse = 0, velocity = 0;

  PhysicalSquares& operator+=(const PhysicalSquares& other);

  /// Adds a contact of any set.
  void add(const ContactSet& set, bool is_tilted, const double* r, const double* u);
  /// Adds `count` contacts with round cones in space.
  static constexpr Index most_at_once = 64;
  void add_round_cones(const double* mu, bool is_tilted, Index count, const double* r,
                       const double* u);

  /// The error, relative to the larger of impulses and velocities, for a local model also to
  /// |q̄|; in dimension 1 to |q̄| alone. 0 / 0 counts as no error.
  double error(int dimension, bool is_local, double free_velocity) const;
};

} // namespace talus
