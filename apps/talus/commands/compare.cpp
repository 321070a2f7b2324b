// talus compare: solvers against each other on many problems, as a table, files and a page.

#include "commands.h"
#include "compare/comparison.h"
#include "compare/comparison_files.h"
#include "compare/comparison_folder.h"
#include "report/report.h"
#include "support/stop_signals.h"
#include "talus/core/error.h"
#include "talus/core/files/folder_lock.h"
#include "talus/core/parallel.h"
#include "talus/solve/registry.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <optional>

namespace talus::cli {
namespace {

struct CompareArguments {
  ComparisonSettings settings;
  std::string solvers; ///< Empty: the usual ones.
  std::string out;
};

/// One or two of every kind, with those that are best at something.
constexpr const char* usual_solvers = "auto,nsgs,ansgs,nncg,apgd,spg,admm,newton,prox-newton,"
                                      "hybrid-newton,conic-ip,fold-ip";

/// In catalogue order and without repetition, so that pages look alike.
std::vector<std::string> chosen_solvers(const std::string& text) {
  std::vector<std::string> all = solver_names();
  if (text == "all") return all;
  const std::vector<std::string> wanted =
      split_list(text.empty() ? usual_solvers : text, "--solvers");
  require_solvers(wanted);
  std::erase_if(all, [&](const std::string& name) {
    return std::find(wanted.begin(), wanted.end(), name) == wanted.end();
  });
  return all;
}

std::vector<double> parse_tolerances(const std::string& text) {
  std::vector<double> tolerances;
  for (const std::string& part : split_list(text, "--tol"))
    tolerances.push_back(parse_positive(part, "--tol"));
  std::sort(tolerances.begin(), tolerances.end(), std::greater<>());
  tolerances.erase(std::unique(tolerances.begin(), tolerances.end()), tolerances.end());
  return tolerances;
}

int run_compare(const CompareArguments& arguments) {
  ComparisonSettings settings = arguments.settings;
  settings.solvers = chosen_solvers(arguments.solvers);
  settings.keep_convergence = !arguments.out.empty();
  const bool new_folder = !arguments.out.empty() && prepare_folder(arguments.out);
  std::optional<FolderLock> lock;
  if (!arguments.out.empty()) lock.emplace(arguments.out);

  const StopSignals signals;
  settings.stop = signals.flag();
  const Comparison comparison = compare(settings);
  for (const std::string& error : comparison.file_errors) fmt::print(stderr, "talus: {}\n", error);
  if (comparison.is_stopped)
    fmt::print(stderr, "talus: stopped after {} of {} problems\n", comparison.problems.size(),
               settings.problems.files.size());
  if (comparison.problems.empty()) {
    lock.reset();
    std::error_code stays; // an empty folder that cannot be removed is no second error
    if (new_folder) std::filesystem::remove(arguments.out, stays);
    return comparison.is_stopped ? 128 + signals.received() : failure;
  }
  fmt::print("{}", comparison_table(comparison));
  std::fflush(stdout);
  if (!arguments.out.empty()) {
    const std::string no_plots = write_comparison(comparison, arguments.out);
    if (!no_plots.empty()) fmt::print(stderr, "talus: no plots: {}\n", no_plots);
    fmt::print("\nPage: {}\n", page_path(arguments.out));
  }
  if (comparison.is_stopped) return 128 + signals.received();
  return comparison.file_errors.empty() ? success : failure;
}

} // namespace

void register_compare(CLI::App& app, Command& chosen) {
  auto arguments = std::make_shared<CompareArguments>();
  CompareArguments* a = arguments.get();
  CLI::App* command =
      app.add_subcommand("compare", "Run every solver on every problem at every tolerance");
  command->add_option("--solvers", a->solvers, "Solvers as a,b,c, or all (default: a dozen)")
      ->type_name("LIST");
  command
      ->add_option_function<std::string>(
          "--tol",
          [a](const std::string& text) { a->settings.tolerances = parse_tolerances(text); },
          "Tolerances (default 1e-4,1e-6,1e-8)")
      ->type_name("LIST");
  add_measure(*command, a->settings.measure);
  add_count(*command, "--max-iterations", a->settings.max_iterations,
            "Limit of iterations (default 1000000)");
  add_nonnegative(*command, "--time-limit", a->settings.time_limit,
                  "Limit in seconds per solve (default 10); 0 for none");
  add_problem_arguments(*command, a->settings.problems);
  command
      ->add_option("--out", a->out,
                   "Folder for results.csv, results.json, convergence.csv and index.html")
      ->type_name("DIR");
  command->footer("A solver that does not converge is a result, not an error. Ctrl-C keeps the\n"
                  "problems that are done.\n"
                  "Exit code: 0 all was run, 1 file trouble, 2 wrong arguments, 130 stopped.");
  command->callback([arguments, &chosen] {
    chosen = [arguments] {
      return with_threads(arguments->settings.problems.threads,
                          [&] { return run_compare(*arguments); });
    };
  });
}

} // namespace talus::cli
