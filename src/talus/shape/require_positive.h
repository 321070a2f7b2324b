#pragma once
// The check that every dimension of a shape passes.

#include "talus/core/error.h"

#include <fmt/format.h>

#include <cmath>
#include <string_view>

namespace talus {

/// Throws InvalidArgument that names the shape and its dimension.
inline void require_positive(double value, std::string_view shape, std::string_view what) {
  if (!(value > 0) || !std::isfinite(value))
    throw InvalidArgument(
        fmt::format("{}: {} must be positive and finite, not {}", shape, what, value));
}

} // namespace talus
