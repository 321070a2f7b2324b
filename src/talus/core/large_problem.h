#pragma once
// When memory counts for more than time. Small problems, solved thousands of times a second, keep
// their work space from solve to solve. In large ones allocating it, or making a vector again,
// takes less time than an iteration, and what is not in use is room for what is.

#include "talus/core/types.h"

namespace talus {

inline constexpr Index most_contacts_kept = 50'000;

constexpr bool is_large(Index contacts) {
  return contacts > most_contacts_kept;
}

} // namespace talus
