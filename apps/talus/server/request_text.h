#pragma once
// What a server has to know of the text of an HTTP request before it is parsed: where it ends, and
// which host it names.

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace talus::cli {

/// Bytes of the header at the start of `text`, with the empty line that ends it; 0 while that line
/// has not come. The first `known` bytes have been searched before.
std::size_t header_length(std::string_view text, std::size_t known = 0);

/// Values of the header lines of this name (in lower case), as they stand, without spaces around
/// them.
std::vector<std::string_view> header_values(std::string_view header, std::string_view name);

/// Bytes that follow the header; nothing when the header does not say so in one plain number.
std::optional<std::size_t> body_length(std::string_view header);

/// Whether the header names one host, once: `names[i]`, or `names[i]:port` with a number for the
/// port.
bool names_host(std::string_view header, std::span<const std::string> names);

} // namespace talus::cli
