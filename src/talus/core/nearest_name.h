#pragma once
// What a misspelt name was probably meant to be, for error messages.

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace talus {

/// The known name with the fewest typing mistakes between it and `name`: letters left out, added,
/// replaced or swapped with their neighbour, at most one for every three letters. Capitals do not
/// count. Empty if no name is that near; the first of several.
std::string_view nearest_name(std::string_view name, std::span<const std::string_view> known);

/// "'nweton' (did you mean newton?); known: auto, jacobi, ...": the end of a message that refuses
/// `name`. Other lists than of what is known say so in `list`.
std::string unknown_name(std::string_view name, std::span<const std::string_view> known,
                         std::string_view list = "known");

/// The same for names that are strings.
std::string unknown_name(std::string_view name, const std::vector<std::string>& known,
                         std::string_view list = "known");

} // namespace talus
