#include "shell_words.h"

#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <utility>

namespace talus::cli {
namespace {

std::vector<std::string>& chosen_own_command() {
  static std::vector<std::string> command;
  return command;
}

} // namespace

std::vector<std::string> own_command() {
  if (!chosen_own_command().empty()) return chosen_own_command();
  return {std::filesystem::read_symlink("/proc/self/exe").string()};
}

void set_own_command(std::vector<std::string> command) {
  chosen_own_command() = std::move(command);
}

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
