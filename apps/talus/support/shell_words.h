#pragma once
// Commands that the program prints for people to copy into a shell.

#include <string>
#include <vector>

namespace talus::cli {

/// How people started the program: `./talus` in a checkout (the launcher says so in TALUS_COMMAND),
/// else `talus`.
std::string command_name();

/// What starts this program anew: its file, unless set_own_command() has said otherwise, as the
/// Python package does.
std::vector<std::string> own_command();
void set_own_command(std::vector<std::string> command);

/// As the shell wants it: quoted if it must be.
std::string shell_word(const std::string& text);

} // namespace talus::cli
