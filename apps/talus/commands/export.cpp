// talus export: the contact problem of one step of a scene, as an FCLIB file, the scene itself as a
// URDF or MJCF model, or its bodies where they came to rest.

#include "talus/io/export.h"

#include "arguments.h"
#include "commands.h"
#include "report/model_warnings.h"
#include "report/output.h"
#include "report/overlap_warning.h"
#include "report/run_progress.h"
#include "support/loaded_scene.h"
#include "support/stop_signals.h"
#include "talus/core/error.h"
#include "talus/core/files/path.h"
#include "talus/core/parallel.h"
#include "talus/problem/delassus/delassus.h"
#include "talus/problem/files/fclib_file.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

namespace talus::cli {
namespace {

struct ExportArguments {
  SceneArguments scene;
  std::optional<long> step;
  std::string out, format = "fclib";
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
  warn_of(initial_overlaps(simulation));
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

int export_model(const ExportArguments& arguments, const LoadedScene& loaded) {
  if (arguments.step)
    throw InvalidArgument("--step belongs to the format fclib; the others are written as they are");
  require_writable(arguments.out);
  const std::filesystem::path out(arguments.out);
  const WorldDescription& description = loaded.scene.description;
  if (arguments.format == "settled") {
    constexpr int decimals = 8; // 10 nm, and 1e-8 rad
    write_file(arguments.out, settled_text(description, loaded.simulation.world(), decimals));
    fmt::print("{}: the bodies after step {}\n", arguments.out, loaded.simulation.steps());
    return success;
  }
  const ExportedModel model = arguments.format == "urdf"
                                  ? urdf_text(description, out.stem().string())
                                  : mjcf_text(description);
  print_model_warnings(model.warnings);
  for (const auto& [name, bytes] : model.files) {
    const std::filesystem::path path = out.parent_path() / name;
    make_folder(path.parent_path().string());
    write_file(path.string(), bytes);
  }
  write_file(arguments.out, model.text);
  fmt::print("{}: {} bodies, {} joints, {} meshes, {} warnings\n", arguments.out,
             description.bodies.size(), description.joints.size(), model.files.size(),
             model.warnings.size());
  return success;
}

int run_export(const ExportArguments& arguments) {
  LoadedScene loaded = open_scene(arguments.scene);
  print_model_warnings(loaded.scene.warnings);
  if (arguments.format != "fclib") return export_model(arguments, loaded);
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
  CLI::App* command = app.add_subcommand(
      "export", "Write the contact problem of a step (FCLIB), or a model (URDF, MJCF)");
  command->add_option("SCENE", a->scene.scene, "Scene file (YAML), model or checkpoint")
      ->required()
      ->type_name("");
  command
      ->add_option_function<std::string>(
          "--step", [a](const std::string& text) { a->step = parse_count(text, "--step"); },
          "The step, counted from 1 (default: the next one)")
      ->type_name("N");
  command->add_option("--format", a->format, "What to write: fclib, urdf, mjcf or settled")
      ->check(CLI::IsMember({"fclib", "urdf", "mjcf", "settled"}))
      ->type_name("NAME");
  command
      ->add_option("--out", a->out,
                   "File to write: FCLIB (HDF5), URDF, MJCF, or bodies for the generator `settled`")
      ->required()
      ->type_name("FILE");
  add_scene_options(*command, a->scene);
  command->footer(
      "An FCLIB file holds the problem, and as its solution the impulses that were applied.\n"
      "Exit code: 0 written, 1 file or scene trouble, 2 wrong arguments, 130 and 143 stopped by "
      "SIGINT and SIGTERM.");
  command->callback(
      [arguments, &chosen] { chosen = [arguments] { return run_export(*arguments); }; });
}

} // namespace talus::cli
