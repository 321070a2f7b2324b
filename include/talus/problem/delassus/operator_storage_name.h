#pragma once
// Names of operator faces, for command lines and scripts.

#include "talus/problem/delassus/delassus.h"

#include <string_view>

namespace talus {

/// "automatic", "explicit", "sparse" or "bodies"; throws InvalidArgument that lists them.
OperatorStorage parse_operator_storage(std::string_view text);

} // namespace talus
