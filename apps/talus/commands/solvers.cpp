// talus solvers: the catalogue, or one solver with its options.

#include "commands.h"
#include "report/table.h"
#include "talus/core/error.h"
#include "talus/solve/registry.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace talus::cli {
namespace {

using Json = nlohmann::ordered_json;

struct SolversArguments {
  std::string name;
  bool json = false;
};

std::vector<std::string> names(const std::vector<Law>& laws) {
  std::vector<std::string> result;
  result.reserve(laws.size());
  for (const Law law : laws) result.emplace_back(to_string(law));
  return result;
}

/// The sets without moments that are admitted in a dimension.
std::vector<std::string> plain_sets(const AdmittedSets& sets, int dimension) {
  std::vector<std::string> result;
  for (const FrictionKind kind : sets.in(dimension))
    if (!has_moments(kind)) result.emplace_back(name_of(kind));
  return result;
}

Json to_json(Solver& solver) {
  const SolverInfo& info = solver.info();
  Json json;
  json["name"] = info.name;
  json["laws"] = names(info.laws);
  json["friction"] = plain_sets(info.friction, 3);
  json["dimensions"] = admitted_dimensions(info);
  json["joints"] = info.joints;
  json["warm_start"] = info.warm_start;
  json["paper"] = info.paper;
  json["products_per_iteration"] = info.products_per_iteration;
  json["summary"] = info.summary;
  json["friction_plane"] = plain_sets(info.friction, 2);
  json["rolling"] = info.friction.admits(FrictionKind::rolling, 5);
  json["coulomb"] = info.coulomb;
  json["options"] = Json::array();
  for (const OptionDescription& option : describe_options(solver)) {
    Json entry = {{"name", option.name}, {"default", option.value}, {"doc", option.doc}};
    if (!option.range.empty()) entry["range"] = option.range;
    if (!option.choices.empty()) entry["choices"] = option.choices;
    json["options"].push_back(std::move(entry));
  }
  if (const std::string details = solver.details(); !details.empty()) json["details"] = details;
  return json;
}

/// "all" is shorter and clearer than the seven names.
std::string sets_in_words(const AdmittedSets& sets) {
  const std::vector<std::string> kinds = plain_sets(sets, 3);
  std::string text =
      kinds.size() == every_friction_kind.size() ? "all" : fmt::format("{}", fmt::join(kinds, " "));
  if (sets.admits(FrictionKind::rolling, 5)) text += ", rolling";
  return text;
}

std::string coulomb_in_words(const SolverInfo& info) {
  for (const Law law : info.laws)
    if (law == Law::coulomb) return info.coulomb.empty() ? "yes" : info.coulomb;
  return "no";
}

void print_catalogue() {
  Table table({{"solver", false},
               {"Coulomb", false},
               {"products/iteration", false},
               {"friction sets", false},
               {"paper", false}});
  for (const std::string& name : solver_names()) {
    const auto solver = make_solver(name);
    const SolverInfo& info = solver->info();
    table.add({info.name, coulomb_in_words(info), info.products_per_iteration,
               sets_in_words(info.friction), info.paper});
  }
  fmt::print("{}\n`talus solvers NAME` tells more of one.\n", table.text());
}

void print_options(Solver& solver) {
  const auto options = describe_options(solver);
  if (options.empty()) return;
  Table table({{"option", false}, {"default", false}, {"meaning", false}});
  for (const OptionDescription& option : options) {
    std::string meaning = option.doc;
    if (!option.range.empty()) meaning += fmt::format(", {}", option.range);
    if (!option.choices.empty()) meaning += fmt::format(" ({})", fmt::join(option.choices, ", "));
    table.add({option.name, option.value, meaning});
  }
  fmt::print("\n{}", table.text());
}

void print_one(const std::string& name) {
  const auto solver = make_solver(name);
  const SolverInfo& info = solver->info();
  const auto yes = [](bool value) { return value ? "yes" : "no"; };
  fmt::print("{}: {}\n\n", info.name, info.summary);
  fmt::print("  paper             {}\n", info.paper);
  fmt::print("  laws              {}\n", fmt::join(names(info.laws), ", "));
  if (!info.coulomb.empty()) fmt::print("  Coulomb by        {}\n", info.coulomb);
  fmt::print("  sets in space     {}\n", fmt::join(plain_sets(info.friction, 3), ", "));
  fmt::print("  sets in the plane {}\n", fmt::join(plain_sets(info.friction, 2), ", "));
  fmt::print("  with moments      {}\n", yes(info.friction.admits(FrictionKind::rolling, 5)));
  fmt::print("  dimensions        {}\n", fmt::join(admitted_dimensions(info), ", "));
  fmt::print("  joints            {}\n", yes(info.joints));
  fmt::print("  warm start        {}\n", yes(info.warm_start));
  fmt::print("  products per iteration: {}\n", info.products_per_iteration);

  print_options(*solver);
  if (const std::string details = solver->details(); !details.empty()) fmt::print("\n{}", details);
}

void print_json(const std::string& name) {
  Json json;
  if (name.empty()) {
    json = Json::array();
    for (const std::string& each : solver_names()) json.push_back(to_json(*make_solver(each)));
  } else {
    json = to_json(*make_solver(name));
  }
  fmt::print("{}\n", json.dump(2));
}

int run_solvers(const SolversArguments& arguments) {
  if (arguments.json)
    print_json(arguments.name);
  else if (arguments.name.empty())
    print_catalogue();
  else
    print_one(arguments.name);
  return success;
}

} // namespace

void register_solvers(CLI::App& app, Command& chosen) {
  auto arguments = std::make_shared<SolversArguments>();
  CLI::App* command = app.add_subcommand("solvers", "List the solvers, or one with its options");
  command->add_option("NAME", arguments->name, "Show this solver alone")->type_name("");
  command->add_flag("--json", arguments->json, "As JSON");
  command->footer("Exit code: 0 listed, 2 wrong arguments.");
  command->callback(
      [arguments, &chosen] { chosen = [arguments] { return run_solvers(*arguments); }; });
}

} // namespace talus::cli
