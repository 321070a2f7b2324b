#pragma once
// Arguments that several commands share, read with messages that name the option and what it takes.

#include "talus/problem/delassus/operator_storage_name.h"
#include "talus/problem/scaled/quality.h"

#include <CLI/CLI.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace talus::cli {

/// The solver used when none is named.
inline constexpr const char* default_solver = "auto";

/// Which problems, and what to change in them before solving.
struct ProblemArguments {
  std::vector<std::string> files;
  std::optional<Law> law;              ///< Else as read: coulomb.
  std::optional<FrictionSet> friction; ///< Else as read: the cone (none for LCP files).
  std::optional<double> mu;            ///< Replaces every friction coefficient.
  OperatorStorage face = OperatorStorage::automatic;
  int threads = 0; ///< 0: all cores.
};

/// FILE..., --law, --friction, --mu, --face, --threads.
void add_problem_arguments(CLI::App& command, ProblemArguments& arguments);

/// --measure talus|fclib.
void add_measure(CLI::App& command, Measure& measure);

/// An option that takes a whole number >= 0.
void add_count(CLI::App& command, const std::string& name, long& value, const std::string& help);

/// An option that takes a finite number >= 0.
void add_nonnegative(CLI::App& command, const std::string& name, double& value,
                     const std::string& help);

/// --port, from 0 (any that is free) to 65535.
void add_port(CLI::App& command, long& port, const std::string& help);

/// --threads, 0 for all cores.
void add_threads(CLI::App& command, int& threads);

/// These throw InvalidArgument, with `option` in the message.
long parse_count(std::string_view text, std::string_view option, long largest = 1'000'000'000'000);
double parse_nonnegative(std::string_view text, std::string_view option);
double parse_positive(std::string_view text, std::string_view option);
double parse_finite(std::string_view text, std::string_view option);

/// The parts of "a,b,c"; throws InvalidArgument on an empty part.
std::vector<std::string> split_list(std::string_view text, std::string_view option);

/// Throws InvalidArgument unless every name is that of a solver.
void require_solvers(const std::vector<std::string>& names);

} // namespace talus::cli
