#include "program.h"

#include "talus/core/error.h"
#include "talus/core/nearest_name.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <iostream>
#include <string>
#include <vector>

namespace talus::cli {
namespace {

/// CLI11 would call a misspelt command an unexpected argument; this names the right ones.
void reject_unknown_command(const CLI::App& app, int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return;
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  if (std::find(names.begin(), names.end(), argv[1]) == names.end())
    throw InvalidArgument("unknown command " + unknown_name(argv[1], names));
}

/// An empty argument names no file, folder or solver; it is what an unset variable of a shell
/// leaves, and must not pass for an option that was not given.
void reject_empty_arguments(const CLI::App& app) {
  for (const CLI::App* command : app.get_subcommands())
    for (const CLI::Option* option : command->get_options())
      for (const std::string& value : option->results())
        if (value.empty())
          throw InvalidArgument(fmt::format("{} is empty; a value is needed", option->get_name()));
}

int report(const CLI::App& app, const CLI::ParseError& error) {
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) return app.exit(error);
  const auto chosen = app.get_subcommands();
  const std::string name = chosen.empty() ? "talus" : "talus " + chosen.front()->get_name();
  fmt::print(stderr, "{}: {}\nTry '{} --help'.\n", name, error.what(), name);
  return usage;
}

int run(int argc, char** argv, std::span<const RegisterCommand> commands) {
  CLI::App app("Rigid bodies with hard contact and dry friction, and the solvers behind them.",
               "talus");
  app.set_version_flag("--version", "talus " TALUS_VERSION);
  app.require_subcommand(0, 1);

  Command chosen;
  for (const RegisterCommand command : commands) command(app, chosen);

  try {
    reject_unknown_command(app, argc, argv);
    app.parse(argc, argv);
    reject_empty_arguments(app);
  } catch (const CLI::ParseError& error) {
    return report(app, error);
  }
  if (!chosen) {
    fmt::print(stderr, "{}", app.help());
    return usage;
  }
  return chosen();
}

/// A program started with one of its standard files closed would be given that number for the next
/// file it opens, and print into it. In its place goes a file on which printing fails.
void occupy_closed_standard_files() {
  for (int file = 0; file <= 2; ++file)
    if (fcntl(file, F_GETFD) < 0) (void)!open("/dev/null", file == 0 ? O_WRONLY : O_RDONLY);
}

/// What was printed is a part of the work: a full disk behind it is a failure.
int finish_output(int code) {
  std::cout.flush();
  if (std::fflush(stdout) == 0 && !std::ferror(stdout)) return code;
  fmt::print(stderr, "talus: cannot write to standard output: {}\n", std::strerror(errno));
  return code == success ? static_cast<int>(failure) : code;
}

} // namespace

int run_program(int argc, char** argv, std::span<const RegisterCommand> commands) {
  occupy_closed_standard_files();
  try {
    return finish_output(run(argc, argv, commands));
  } catch (const InvalidArgument& error) {
    fmt::print(stderr, "talus: {}\n", error.what());
    return usage;
  } catch (const std::exception& error) {
    fmt::print(stderr, "talus: {}\n", error.what());
    return failure;
  }
}

} // namespace talus::cli
