// talus reproduce: published tables and figures, repeated from nothing, beside the papers' numbers.

#include "commands.h"
#include "experiments/frame/catalogue.h"
#include "report/output.h"
#include "report/progress.h"
#include "report/table.h"
#include "reproduction.h"
#include "reproduction_page.h"
#include "support/stop_signals.h"
#include "talus/core/error.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <filesystem>

namespace talus::cli {
namespace {

using experiments::Experiment;

struct ReproduceArguments {
  std::vector<std::string> names;
  std::string out;
  bool quick = false, list = false, again = false;
};

int list_experiments(const std::vector<Experiment>& all) {
  Table table({{"experiment", false}, {"quick"}, {"full"}, {"what", false}});
  for (const Experiment& experiment : all)
    table.add({experiment.name, experiment.quick_cost, experiment.full_cost, experiment.title});
  fmt::print("{}", table.text());
  return success;
}

void print_outcome(const Reproduced& done) {
  if (!done.trouble.empty()) {
    fmt::print("{}: failed: {}\n", done.experiment.name, done.trouble);
    return;
  }
  const VerdictCounts counts = count_verdicts(done.report);
  fmt::print("{}: {} reproduced, {} differ, {} beyond\n", done.experiment.name, counts.reproduced,
             counts.differs, counts.beyond);
  std::fflush(stdout);
}

int run_reproduce(const ReproduceArguments& arguments) {
  const std::vector<Experiment> wanted = experiments::chosen(arguments.names);
  if (arguments.list) return list_experiments(wanted);
  const std::string folder = !arguments.out.empty() ? arguments.out
                             : arguments.quick      ? "out/reproduce-quick"
                                                    : "out/reproduce";
  Reproduction reproduction(folder, arguments.quick, arguments.again);

  const StopSignals signals;
  ProgressBar bar(wanted.size());
  bool failed = false;
  for (std::size_t i = 0; i < wanted.size() && signals.received() == 0; ++i) {
    const auto progress = [&](const std::string& what) {
      bar.show(i, wanted[i].name + ": " + what);
      return signals.received() == 0;
    };
    const Reproduced& done = reproduction.run(wanted[i], progress, signals.flag());
    bar.clear();
    if (signals.received() == 0) print_outcome(done);
    failed = failed || !done.trouble.empty();
    reproduction.write_page();
  }
  fmt::print("\nPage: {}\n", reproduction.page_path());
  if (signals.received() != 0) {
    fmt::print(stderr, "talus: stopped; the same command goes on from here\n");
    return 128 + signals.received();
  }
  return failed ? failure : success;
}

} // namespace

void register_reproduce(CLI::App& app, Command& chosen) {
  auto arguments = std::make_shared<ReproduceArguments>();
  ReproduceArguments* a = arguments.get();
  CLI::App* command = app.add_subcommand(
      "reproduce", "Repeat the tables and figures of the papers, beside the published numbers");
  command->add_option("NAME", a->names, "Experiments or papers (default: all)")->type_name("");
  command->add_flag("--list", a->list, "Show the experiments and about how long they take");
  command->add_flag("--quick", a->quick, "Smaller sizes: all experiments in under ten minutes");
  command->add_flag("--again", a->again,
                    "Forget problems and outcomes of an earlier run in the folder");
  command
      ->add_option("--out", a->out,
                   "Folder for the page, the summary (Markdown), CSV, JSON and problems (default "
                   "out/reproduce, with --quick "
                   "out/reproduce-quick)")
      ->type_name("DIR");
  command->footer(
      "A run that was stopped goes on where it was when the command is given again.\n"
      "Exit code: 0 all was run, 1 an experiment failed or file trouble, 2 wrong arguments.");
  command->callback(
      [arguments, &chosen] { chosen = [arguments] { return run_reproduce(*arguments); }; });
}

} // namespace talus::cli
