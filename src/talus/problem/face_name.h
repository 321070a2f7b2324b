#pragma once
// Names of operator faces, for command lines and scripts.

#include "talus/problem/delassus.h"

#include <string_view>

namespace talus {

/// "automatic", "explicit", "sparse" or "bodies"; throws InvalidArgument that lists them.
Face parse_face(std::string_view text);

} // namespace talus
