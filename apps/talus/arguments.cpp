#include "arguments.h"

#include "talus/core/error.h"
#include "talus/core/parallel.h"
#include "talus/solve/registry.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace talus::cli {
namespace {

template <class Number>
std::optional<Number> number_from(std::string_view text) {
  Number value{};
  const char* end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data(), end, value);
  if (failure != std::errc() || stop != end) return std::nullopt;
  return value;
}

} // namespace

long parse_count(std::string_view text, std::string_view option, long largest) {
  const auto value = number_from<long>(text);
  if (!value || *value < 0 || *value > largest)
    throw InvalidArgument(
        fmt::format("{} takes a whole number from 0 to {}, not '{}'", option, largest, text));
  return *value;
}

double parse_nonnegative(std::string_view text, std::string_view option) {
  const auto value = number_from<double>(text);
  if (!value || !std::isfinite(*value) || *value < 0)
    throw InvalidArgument(fmt::format("{} takes a finite number >= 0, not '{}'", option, text));
  return *value;
}

double parse_positive(std::string_view text, std::string_view option) {
  const auto value = number_from<double>(text);
  if (!value || !std::isfinite(*value) || *value <= 0)
    throw InvalidArgument(fmt::format("{} takes a finite number > 0, not '{}'", option, text));
  return *value;
}

double parse_finite(std::string_view text, std::string_view option) {
  const auto value = number_from<double>(text);
  if (!value || !std::isfinite(*value))
    throw InvalidArgument(fmt::format("{} takes a finite number, not '{}'", option, text));
  return *value;
}

std::vector<std::string> split_list(std::string_view text, std::string_view option) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    if (end == begin)
      throw InvalidArgument(fmt::format("{} takes a list like a,b,c, not '{}'", option, text));
    parts.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

void require_solvers(const std::vector<std::string>& names) {
  for (const std::string& name : names) make_solver(name);
}

void add_count(CLI::App& command, const std::string& name, long& value, const std::string& help) {
  command
      .add_option_function<std::string>(
          name, [&value, name](const std::string& text) { value = parse_count(text, name); }, help)
      ->type_name("N");
}

void add_port(CLI::App& command, long& port, const std::string& help) {
  command
      .add_option_function<std::string>(
          "--port", [&port](const std::string& text) { port = parse_count(text, "--port", 65535); },
          help)
      ->type_name("N");
}

void add_threads(CLI::App& command, int& threads) {
  command
      .add_option_function<std::string>(
          "--threads",
          [&threads](const std::string& text) {
            threads = static_cast<int>(parse_count(text, "--threads", most_threads));
          },
          fmt::format("Threads, at most {}; 0 (default) for all cores. Results do not depend on it",
                      most_threads))
      ->type_name("N");
}

void add_nonnegative(CLI::App& command, const std::string& name, double& value,
                     const std::string& help) {
  command
      .add_option_function<std::string>(
          name, [&value, name](const std::string& text) { value = parse_nonnegative(text, name); },
          help)
      ->type_name("X");
}

void add_measure(CLI::App& command, Measure& measure) {
  command
      .add_option_function<std::string>(
          "--measure", [&measure](const std::string& text) { measure = parse_measure(text); },
          "Error the tolerance is about: talus (default) or fclib")
      ->type_name("NAME");
}

void add_problem_arguments(CLI::App& command, ProblemArguments& arguments) {
  ProblemArguments* a = &arguments;
  command
      .add_option("FILE", a->files,
                  "FCLIB problems (HDF5), or Siconos LCP, MLCP and rolling-friction text files")
      ->required()
      ->type_name("");
  command
      .add_option_function<std::string>(
          "--law", [a](const std::string& text) { a->law = parse_law(text); },
          "Friction law: coulomb (default) or associated (convex)")
      ->type_name("NAME");
  command
      .add_option_function<std::string>(
          "--friction", [a](const std::string& text) { a->friction = parse_friction_set(text); },
          "Set of impulses: cone (default), none, box, pyramid, prism[:m], polyhedron[:m], "
          "cylinder")
      ->type_name("SET");
  command
      .add_option_function<std::string>(
          "--mu", [a](const std::string& text) { a->mu = parse_nonnegative(text, "--mu"); },
          "Replace every friction coefficient")
      ->type_name("X");
  command
      .add_option_function<std::string>(
          "--face", [a](const std::string& text) { a->face = parse_operator_storage(text); },
          "Operator: automatic (default), explicit, sparse or bodies")
      ->type_name("NAME");
  add_threads(command, a->threads);
}

} // namespace talus::cli
