#include "shell_words.h"

#include <cctype>
#include <cstdlib>
#include <string_view>

namespace talus::cli {

std::string command_name() {
  const char* launcher = std::getenv("TALUS_COMMAND");
  return launcher && *launcher ? shell_word(launcher) : "talus";
}

std::string shell_word(const std::string& text) {
  constexpr std::string_view plain = "/._-+=:,@%";
  bool quote = text.empty();
  std::string inside;
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && plain.find(c) == plain.npos)
      quote = true;
    inside += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return quote ? "'" + inside + "'" : text;
}

} // namespace talus::cli
