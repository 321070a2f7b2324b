// talus export: the contact problem of one step of a scene, as an FCLIB file.

#include "arguments.h"
#include "commands.h"
#include "loaded_scene.h"
#include "output.h"
#include "overlap_warning.h"
#include "run_progress.h"
#include "stop_signals.h"
#include "talus/core/error.h"
#include "talus/core/parallel.h"
#include "talus/problem/delassus/delassus.h"
#include "talus/problem/files/fclib_file.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace talus::cli {
namespace {

struct ExportArguments {
  SceneArguments scene;
  std::optional<long> step;
  std::string out;
};

/// The problem of the last step with the impulses that were applied and the velocities they give.
FclibFile last_problem(const LoadedScene& loaded) {
  const Simulation& simulation = loaded.simulation;
  const StepReport& report = simulation.report();
  FclibFile file;
  file.problem = simulation.problem();
  const StepOptions& options = simulation.options();
  file.problem.title = loaded.scene.title;
  file.problem.description = fmt::format(
      "step {} of {}, from t = {} s with h = {} s; law {}, friction {}; solution by {}, error "
      "{:.3g}",
      report.step, loaded.scene.source.path, report.time - options.step, options.step,
      to_string(options.law), to_string(options.friction), options.solver, report.error);
  const auto n = make_operator(file.problem);
  const Vector& x = simulation.solution();
  Vector u(x.size());
  n->apply(x, u);
  for (std::size_t i = 0; i < u.size(); ++i) u[i] += n->free_velocity()[i];
  file.solution.v.resize(static_cast<std::size_t>(n->dofs()));
  n->generalized_velocity(x, file.solution.v);
  const Index impulses = file.problem.impulses();
  file.solution.u.assign(u.begin(), u.begin() + impulses);
  file.solution.r.assign(x.begin(), x.begin() + impulses);
  file.solution.l.assign(x.begin() + impulses, x.end());
  return file;
}

/// Springs of contacts that yield, which become degrees of freedom in the file.
std::ptrdiff_t springs(const ContactProblem& problem) {
  return std::ranges::count_if(problem.compliance, [](double e) { return e > 0; });
}

/// Shows how far it has come, on standard error, once that takes longer than a few steps do.
/// Returns the signal that stopped it, or 0.
int step_up_to(std::int64_t step, Simulation& simulation) {
  const StopSignals signals;
  const StoppableSteps stoppable(simulation, signals);
  warn_of_initial_overlaps(simulation);
  RunProgress progress(stderr, simulation.steps(), step, simulation.time(),
                       simulation.options().step, RunProgress::Begin::after_a_period);
  try {
    while (simulation.steps() < step && signals.received() == 0) progress.show(simulation.step());
  } catch (const StepStopped&) { // the signal says the rest
  }
  progress.clear();
  if (signals.received() != 0)
    fmt::print(stderr, "talus: stopped by signal {} after step {}; nothing was written\n",
               signals.received(), simulation.steps());
  return signals.received();
}

int run_export(const ExportArguments& arguments) {
  LoadedScene loaded = open_scene(arguments.scene);
  Simulation& simulation = loaded.simulation;
  const std::int64_t step = arguments.step.value_or(simulation.steps() + 1);
  if (step <= simulation.steps())
    throw InvalidArgument(fmt::format("--step {}: steps are counted from 1, and {} have been made; "
                                      "the next one is {}",
                                      step, simulation.steps(), simulation.steps() + 1));
  require_writable(arguments.out);
  if (const int signal = step_up_to(step, simulation); signal != 0) return 128 + signal;
  if (simulation.problem().size() == 0)
    throw InvalidProblem(fmt::format("step {} has neither contacts nor joints: there is no problem "
                                     "to export",
                                     step));
  const FclibFile file =
      with_threads(arguments.scene.threads, [&] { return last_problem(loaded); });
  write_fclib(arguments.out, file);
  fmt::print("{}: {} contacts, {} equality rows, {} degrees of freedom\n", arguments.out,
             file.problem.contacts(), file.problem.equalities(),
             std::ssize(mobile_dofs(std::get<RigidModel>(file.problem.model))) +
                 springs(file.problem));
  return success;
}

} // namespace

void register_export(CLI::App& app, Command& chosen) {
  auto arguments = std::make_shared<ExportArguments>();
  ExportArguments* a = arguments.get();
  CLI::App* command = app.add_subcommand("export", "Write the contact problem of a step (FCLIB)");
  command->add_option("SCENE", a->scene.scene, "Scene file (YAML) or checkpoint")
      ->required()
      ->type_name("");
  command
      ->add_option_function<std::string>(
          "--step", [a](const std::string& text) { a->step = parse_count(text, "--step"); },
          "The step, counted from 1 (default: the next one)")
      ->type_name("N");
  command->add_option("--out", a->out, "FCLIB file to write (HDF5)")->required()->type_name("FILE");
  add_scene_options(*command, a->scene);
  command->footer(
      "The file holds the problem, and as its solution the impulses that were applied.\n"
      "Exit code: 0 written, 1 file or scene trouble, 2 wrong arguments, 130 and 143 stopped by "
      "SIGINT and SIGTERM.");
  command->callback(
      [arguments, &chosen] { chosen = [arguments] { return run_export(*arguments); }; });
}

} // namespace talus::cli
