#pragma once
// What `main` of every program does: finds the chosen command, runs it, turns errors into exit
// codes.

#include "commands.h"

#include <span>

namespace talus::cli {

using RegisterCommand = void (*)(CLI::App& app, Command& chosen);

/// Returns the exit code.
int run_program(int argc, char** argv, std::span<const RegisterCommand> commands);

} // namespace talus::cli
