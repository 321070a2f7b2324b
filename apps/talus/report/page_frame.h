#pragma once
// The frame every page of Talus stands in: style for light and dark, and sortable tables.

#include <string>
#include <string_view>

namespace talus::cli {

/// Text made safe inside HTML elements and quoted attributes.
std::string html(std::string_view text);

/// A whole page around `body`, which is HTML. Tables of class `sortable` sort by a click on a
/// column's head (by data-value where a cell has one); an input with data-filter="ID" hides the
/// rows of table ID that do not contain its text.
std::string page(std::string_view title, std::string_view body);

} // namespace talus::cli
