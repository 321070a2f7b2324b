#pragma once
// Commands that the program prints for people to copy into a shell.

#include <string>

namespace talus::cli {

/// How people started the program: `./talus` in a checkout (the launcher says so in TALUS_COMMAND),
/// else `talus`.
std::string command_name();

/// As the shell wants it: quoted if it must be.
std::string shell_word(const std::string& text);

} // namespace talus::cli
