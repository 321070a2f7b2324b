#pragma once
// The vocabulary every room shares: sizes are Index, vectors are flat arrays of double seen through
// spans. A function that writes takes Span, one that reads takes ConstSpan; neither owns memory.

#include <cstdint>
#include <span>
#include <vector>

namespace talus {

/// Index of a body, contact, row or nonzero. 32 bits keep adjacency lists small; a problem with
/// more than 2^31 rows is rejected when it is built.
using Index = std::int32_t;

using Vector = std::vector<double>;
using Span = std::span<double>;
using ConstSpan = std::span<const double>;

} // namespace talus
