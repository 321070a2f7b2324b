// talus reproduce: calls talus-reproduce, which lies beside this program.

#include "commands.h"
#include "talus/core/error.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <unistd.h>

namespace talus::cli {
namespace {

/// Becomes talus-reproduce; returns only by an exception.
int call_reproduce(std::vector<std::string> arguments) {
  const auto program =
      std::filesystem::read_symlink("/proc/self/exe").parent_path() / "talus-reproduce";
  arguments.insert(arguments.begin(), {"talus", "reproduce"});
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  execv(program.c_str(), pointers.data());
  const int reason = errno;
  if (reason == ENOENT)
    throw Error(fmt::format("the experiments are not built: {} is missing (./talus reproduce and "
                            "`cmake --build BUILD --target talus_reproduce` build it)",
                            program.string()));
  throw Error(fmt::format("cannot start {}: {}", program.string(), std::strerror(reason)));
}

} // namespace

void register_reproduce_call(CLI::App& app, Command& chosen) {
  CLI::App* command = app.add_subcommand(
      "reproduce", "Repeat the tables and figures of the papers, beside the published numbers");
  // All that follows, --help included, is for the other program.
  command->set_help_flag();
  command->prefix_command();
  command->callback(
      [command, &chosen] { chosen = [command] { return call_reproduce(command->remaining()); }; });
}

} // namespace talus::cli
