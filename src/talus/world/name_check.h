#pragma once
// Names that every list of names can hold.

#include <string_view>

namespace talus {

/// Throws InvalidArgument for a name with a control character: files list names one per line.
/// `what` says whose name it is.
void check_name(std::string_view what, std::string_view name);

} // namespace talus
