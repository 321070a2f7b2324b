#pragma once
// A stage of `auto` as data: which method, when, from where, for how long, and why.

#include "talus/solve/monitor.h"

#include <limits>
#include <string_view>

namespace talus {

/// What stages ask about a problem and its solve. Sizes and constants are in facts.cpp.
enum class Fact : unsigned {
  warm = 1 << 0,         ///< The start is not zero.
  tiny = 1 << 1,         ///< So few contacts that sweeps are as quick as any method.
  small = 1 << 2,        ///< So few blocks that Newton's method gets anywhere.
  dense = 1 << 3,        ///< The whole matrix is factorised as a dense one.
  factorisable = 1 << 4, ///< Small enough for factorisations to be worth their price.
  cheap = 1 << 5,        ///< A factorisation costs next to nothing.
  pile = 1 << 6,         ///< Gradients follow sweeps.
  foldable = 1 << 7,     ///< Small enough for the path through its folds.
  rough = 1 << 8,        ///< The tolerance asks for a rough answer.
  stack = 1 << 9,        ///< Faces on faces.
  close = 1 << 10,       ///< The error is where Newton steps mostly finish.
  tilted = 1 << 11,      ///< Coulomb's law on a cone-shaped set.
  yielding = 1 << 12,    ///< Contacts yield.
  near = 1 << 13,        ///< The error is where Newton steps mostly finish if contacts yield.
  few = 1 << 14,         ///< So few contacts that sweeps are conjugate, as on a tower.
  moments = 1 << 15,     ///< Contacts have rolling friction.
  divided = 1 << 16,     ///< Over ranks.
};

/// A conjunction: `Fact::warm + !Fact::tiny`.
struct When {
  unsigned all = 0, none = 0;

  constexpr When() = default;
  constexpr When(Fact fact) : all(static_cast<unsigned>(fact)) {} // NOLINT: a fact is a condition
  constexpr bool holds(unsigned facts) const { return (facts & all) == all && !(facts & none); }
};
constexpr When operator!(Fact fact) {
  When when;
  when.none = static_cast<unsigned>(fact);
  return when;
}
constexpr When operator+(When a, When b) {
  When when;
  when.all = a.all | b.all;
  when.none = a.none | b.none;
  return when;
}
constexpr When operator+(Fact a, Fact b) {
  return When(a) + When(b);
}

/// A number of products, with F the price of a factorisation: max(least, plus + prices F), or as
/// many factorisations as `work` pays for.
struct Amount {
  static constexpr long unlimited = std::numeric_limits<long>::max() / 4;

  long plus = 0;
  double prices = 0;
  long least = 0;
  long work = 0;

  long of(long price) const;
};

/// PhaseLimits before the price of a factorisation is known.
struct StageLimits {
  Amount products{Amount::unlimited}, trial{Amount::unlimited}, horizon{Amount::unlimited};

  PhaseLimits of(long price) const;
};

enum class Start {
  best,  ///< The best iterate so far.
  given, ///< Where the solve began.
  zero
};

/// Stages of one part follow each other; what lies between parts is in auto.cpp.
enum class Part {
  quick,  ///< First-order methods, and trials that show soon whether they suit.
  finish, ///< After islands were divided: factorisations, and what to do where they fail.
  round,  ///< The rest of the catalogue, in rounds with growing limits.
  last
};

struct Stage {
  Part part;
  /// A solver of the catalogue, or one of the names of methods.h.
  std::string_view method;
  std::string_view settings; ///< Options of the method: "name=value name=value".
  When when;
  Start start;
  StageLimits limits;
  std::string_view reason;
};

} // namespace talus
