#pragma once
// The stages of `auto` in their order, and their description for people.

#include "talus/solve/auto/facts.h"

#include <span>
#include <string>

namespace talus {

std::span<const Stage> stages();

constexpr int rounds = 5;            ///< How often the stages of Part::round are gone through.
constexpr long growth_of_limits = 4; ///< From one round to the next.

/// The table of the stages and of the facts that they ask for; lines of at most 100 columns.
std::string describe_stages(const SizeLimits& limits);

} // namespace talus
