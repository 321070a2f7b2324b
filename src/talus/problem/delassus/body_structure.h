#pragma once
// Recognising bodies in a general global model: M made of equal diagonal blocks (6 x 6 in space, 3
// x 3 in the plane) and at most two of them touched by each contact and each equality row.

#include "talus/problem/delassus/body_layout.h"

#include <optional>

namespace talus {

/// The layout of a model with body structure; nothing if it has none. Throws InvalidProblem when a
/// block of M is singular.
template <int B, int D>
std::optional<BlockLayout<B, D>> recognise_bodies(const GlobalModel& model);

} // namespace talus
