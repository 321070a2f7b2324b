#include "talus/world/name_check.h"

#include "talus/core/error.h"

#include <fmt/format.h>

#include <algorithm>

namespace talus {

void check_name(std::string_view what, std::string_view name) {
  const auto is_control = [](unsigned char c) { return c < 0x20 || c == 0x7f; };
  const auto found = std::find_if(name.begin(), name.end(), is_control);
  if (found == name.end()) return;
  throw InvalidArgument(
      fmt::format("the name of a {} that starts with '{}' has the control character {:#04x} next; "
                  "names are one line of text",
                  what, name.substr(0, static_cast<std::size_t>(found - name.begin())),
                  static_cast<unsigned char>(*found)));
}

} // namespace talus
