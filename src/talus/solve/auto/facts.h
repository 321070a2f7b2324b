#pragma once
// What the stages of `auto` ask about a problem.

#include "talus/solve/auto/stage.h"

#include <span>
#include <string>

namespace talus {

/// The two limits of size that are options of `auto`.
struct SizeLimits {
  int pile = 2000;           ///< Contacts beyond which gradients follow sweeps.
  int factorisation = 40000; ///< Blocks up to which an island is factorised.
};

/// All facts but `close`, which changes during a solve. O(contacts).
unsigned facts_of(const ScaledProblem& problem, double tolerance, bool warm,
                  const SizeLimits& limits);
/// Fact::close, or nothing.
unsigned closeness(const Monitor& monitor);

struct FactName {
  Fact fact;
  std::string_view name;
};
std::span<const FactName> fact_names();
/// In words, with the numbers that decide.
std::string meaning_of(Fact fact, const SizeLimits& limits);

/// How the sweeps are chosen.
enum class SweepKind { plain, conjugate, extrapolated };
SweepKind sweeps_for(unsigned facts);
std::string describe_sweeps();

} // namespace talus
