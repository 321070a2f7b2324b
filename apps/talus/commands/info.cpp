// talus info: what a problem file holds, and how hard it looks.

#include "commands.h"
#include "report/report.h"
#include "report/table.h"
#include "support/loaded_problem.h"
#include "talus/core/error.h"
#include "talus/core/parallel.h"
#include "talus/inspect/constraint_qualification.h"
#include "talus/inspect/spectrum.h"
#include "talus/problem/scaled/scaled_problem.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace talus::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

struct InfoArguments {
  ProblemArguments problems;
  bool json = false;
};

/// Where a number is unknown (a local model does not know its dofs), it is NaN.
struct Facts {
  double mu_min = unknown, mu_max = unknown;
  double impulses_per_dof = unknown;
  double asymmetry = unknown;
  std::string face;
  double rank = unknown, condition = unknown, largest_eigenvalue = unknown;
  Quality zero_impulses;
  Disassembly disassembly;
};

const char* model_of(const ContactProblem& problem) {
  if (std::holds_alternative<LocalModel>(problem.model)) return "local";
  return std::holds_alternative<GlobalModel>(problem.model) ? "global" : "rigid bodies";
}

/// A complementarity problem on the line need not come from mechanics.
bool is_mechanical(const ContactProblem& problem) {
  return problem.dimension > 1;
}

Facts examine(const LoadedProblem& loaded) {
  Facts facts;
  const ContactProblem& problem = loaded.problem();
  if (!problem.mu.empty()) {
    const auto [least, most] = std::minmax_element(problem.mu.begin(), problem.mu.end());
    facts.mu_min = *least;
    facts.mu_max = *most;
  }
  if (problem.dofs() > 0)
    facts.impulses_per_dof = static_cast<double>(problem.impulses()) / problem.dofs();
  if (!loaded.trouble().empty()) return facts;

  const DelassusOperator& n = loaded.delassus();
  facts.asymmetry = given_asymmetry(problem);
  facts.face = n.face();
  if (n.size() > 0 && n.size() <= dense_spectrum_limit) {
    const Spectrum spectrum = dense_spectrum(n);
    facts.rank = spectrum.rank;
    facts.condition = spectrum.condition;
    facts.largest_eigenvalue = spectrum.largest;
  } else if (n.size() > 0) {
    constexpr int power_iterations = 100;
    facts.largest_eigenvalue = ScaledProblem(problem, n).largest_eigenvalue(power_iterations);
  }
  facts.zero_impulses = judge(problem, n, Vector(n.size(), 0.0));
  if (is_mechanical(problem)) facts.disassembly = examine_disassembly(problem, n);
  return facts;
}

Json to_json(const LoadedProblem& loaded, const Facts& facts) {
  const ContactProblem& problem = loaded.problem();
  Json json;
  json["problem"] = loaded.path();
  json["title"] = problem.title;
  json["model"] = model_of(problem);
  json["valid"] = loaded.trouble().empty();
  json["message"] = loaded.trouble();
  json["contacts"] = problem.contacts();
  json["dofs"] = problem.dofs();
  json["dimension"] = problem.dimension;
  json["equalities"] = problem.equalities();
  json["rows"] = problem.size();
  json["law"] = to_string(problem.law);
  json["friction"] = to_string(problem.friction);
  json["mu_min"] = facts.mu_min;
  json["mu_max"] = facts.mu_max;
  if (!problem.rolling.empty()) {
    json["rolling_min"] = std::ranges::min(problem.rolling);
    json["rolling_max"] = std::ranges::max(problem.rolling);
  }
  json["impulses_per_dof"] = facts.impulses_per_dof;
  json["face"] = facts.face;
  json["asymmetry"] = facts.asymmetry;
  json["rank"] = facts.rank;
  json["condition"] = facts.condition;
  json["largest_eigenvalue"] = facts.largest_eigenvalue;
  const bool valid = loaded.trouble().empty();
  json["zero_error"] = valid ? facts.zero_impulses.error : unknown;
  json["zero_error_fclib"] = valid ? facts.zero_impulses.error_fclib : unknown;
  json["zero_violation"] = valid ? facts.zero_impulses.violation : unknown;
  json["disassemblable"] = to_string(facts.disassembly.answer);
  return json;
}

void print_line(std::string_view name, const std::string& value) {
  fmt::print("  {:<22} {}\n", name, value);
}

std::string describe(const Disassembly& found, const ContactProblem& problem) {
  switch (found.answer) {
  case Disassemblable::yes:
    return "yes";
  case Disassemblable::no:
    return found.wedged.empty()
               ? std::string("no")
               : fmt::format("no: {} contacts press on each other without any load",
                             found.wedged.size());
  case Disassemblable::unknown:
    break;
  }
  if (problem.contacts() + problem.equalities() <= disassembly_limit)
    return "unknown: rounding hides it";
  return fmt::format("not computed above {} contacts and rows", disassembly_limit);
}

void print(const LoadedProblem& loaded, const Facts& facts) {
  const ContactProblem& problem = loaded.problem();
  fmt::print("{}\n", loaded.path());
  if (!problem.title.empty()) print_line("title", problem.title);
  print_line("model", fmt::format("{}, dimension {}", model_of(problem), problem.dimension));
  print_line("contacts", std::to_string(problem.contacts()));
  if (problem.equalities() > 0) print_line("equality rows", std::to_string(problem.equalities()));
  if (problem.dofs() > 0) {
    print_line("degrees of freedom", std::to_string(problem.dofs()));
    print_line(fmt::format("{} nc / ndof", problem.dimension),
               short_number(facts.impulses_per_dof));
  }
  if (problem.dimension > 1 && problem.contacts() > 0)
    print_line("friction", facts.mu_min == facts.mu_max
                               ? short_number(facts.mu_min)
                               : fmt::format("{} to {}", short_number(facts.mu_min),
                                             short_number(facts.mu_max)));
  if (!problem.rolling.empty())
    print_line("rolling friction",
               fmt::format("{} to {}", short_number(std::ranges::min(problem.rolling)),
                           short_number(std::ranges::max(problem.rolling))));
  if (!loaded.trouble().empty()) {
    print_line("invalid", loaded.trouble());
    return;
  }
  print_line("operator", facts.face);
  print_line("asymmetry as given", short_number(facts.asymmetry));
  if (facts.rank == facts.rank)
    print_line("rank", fmt::format("{} of {}", facts.rank, problem.size()));
  else
    print_line("rank", fmt::format("not computed above {} rows", dense_spectrum_limit));
  if (facts.condition == facts.condition)
    print_line("condition (scaled)", short_number(facts.condition));
  print_line("largest eigenvalue", short_number(facts.largest_eigenvalue) + " (scaled)");
  if (is_mechanical(problem)) print_line("disassemblable", describe(facts.disassembly, problem));
  const Quality& zero = facts.zero_impulses;
  print_line("zero impulses",
             fmt::format("error {}, error_fclib {}, violation {} m/s", short_number(zero.error),
                         short_number(zero.error_fclib), short_number(zero.violation)));
}

int run_info(const InfoArguments& arguments) {
  bool all_fine = true;
  for (const std::string& file : arguments.problems.files) {
    try {
      const LoadedProblem loaded(file, arguments.problems);
      const Facts facts = examine(loaded);
      if (arguments.json)
        fmt::print("{}\n", one_line(to_json(loaded, facts)));
      else
        print(loaded, facts);
      std::fflush(stdout);
      all_fine = all_fine && loaded.trouble().empty();
    } catch (const Error& error) {
      fmt::print(stderr, "talus: {}\n", error.what());
      all_fine = false;
    }
  }
  return all_fine ? success : failure;
}

} // namespace

void register_info(CLI::App& app, Command& chosen) {
  auto arguments = std::make_shared<InfoArguments>();
  CLI::App* command = app.add_subcommand("info", "Tell what problem files hold");
  add_problem_arguments(*command, arguments->problems);
  command->add_flag("--json", arguments->json, "One JSON object per problem and line");
  command->footer(
      "Exit code: 0 done, 1 a file that cannot be read or holds an invalid problem, 2 wrong "
      "arguments.");
  command->callback([arguments, &chosen] {
    chosen = [arguments] {
      return with_threads(arguments->problems.threads, [&] { return run_info(*arguments); });
    };
  });
}

} // namespace talus::cli
