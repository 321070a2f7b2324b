#pragma once
// How the text of a description begins.

namespace talus::description {

inline constexpr const char* format_key = "talus_description";
inline constexpr int format_version = 1;

} // namespace talus::description
