#pragma once
// The subcommands of `talus`. A command lives in one file and enters the program through one
// function, called from main.cpp: it describes its arguments and, when chosen on the command line,
// stores its work in `chosen`. The work returns the exit code.
//
// To add a command: write its file, declare its function here, list it in main.cpp.

#include <functional>

namespace CLI {
class App; // of CLI/CLI.hpp, which takes seconds to compile
}

namespace talus::cli {

/// Exit codes of every command.
enum ExitCode : int {
  success = 0,
  failure = 1,       ///< A file could not be read or written.
  usage = 2,         ///< The command line is wrong; nothing was done.
  not_converged = 3, ///< Everything was read, but some problem was not solved.
};

using Command = std::function<int()>;

void register_solve(CLI::App& app, Command& chosen);
void register_compare(CLI::App& app, Command& chosen);
void register_solvers(CLI::App& app, Command& chosen);
void register_info(CLI::App& app, Command& chosen);
void register_run(CLI::App& app, Command& chosen);
void register_import(CLI::App& app, Command& chosen);
void register_scenes(CLI::App& app, Command& chosen);
void register_sweep(CLI::App& app, Command& chosen);
void register_keys(CLI::App& app, Command& chosen);
void register_export(CLI::App& app, Command& chosen);
void register_hash(CLI::App& app, Command& chosen);
void register_view(CLI::App& app, Command& chosen);
void register_play(CLI::App& app, Command& chosen);
void register_render(CLI::App& app, Command& chosen);
void register_reproduce(CLI::App& app, Command& chosen);      ///< In talus-reproduce.
void register_reproduce_call(CLI::App& app, Command& chosen); ///< Calls talus-reproduce.

} // namespace talus::cli
