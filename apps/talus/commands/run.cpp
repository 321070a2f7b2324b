// talus run: steps a scene, shows how it goes, writes its files.

#include "arguments.h"
#include "commands.h"
#include "report/model_warnings.h"
#include "report/output.h"
#include "report/overlap_warning.h"
#include "report/plots.h"
#include "report/report.h"
#include "report/run_progress.h"
#include "report/table.h"
#include "support/loaded_scene.h"
#include "support/shell_words.h"
#include "support/stop_signals.h"
#include "support/temporary_folder.h"
#include "talus/core/error.h"
#include "talus/io/recorder.h"
#include "talus/step/measures.h"
#include "talus/step/step_times.h"
#include "view/live_view.h"
#include "view/view_page.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

namespace talus::cli {
namespace {

constexpr const char *summary_name = "summary.json", *plot_name = "plot.svg";

struct RunArguments {
  SceneArguments scene;
  std::optional<long> steps;
  std::optional<double> time;
  std::string out;
  long checkpoint_every = 0;
  long port = 0;
  bool strict = false, json = false, live = false;
};

/// How the stepping ended.
struct Outcome {
  RunSummary summary;
  StepTimes times;
  std::vector<Overlap> overlaps; ///< Of the scene's initial state.
  double seconds = 0;
  double seconds_files = 0; ///< Of `seconds`: waiting for files.
  int signal = 0;
  std::string unconverged; ///< With --strict: the step that missed its tolerance.
};

void check(const RunArguments& arguments) {
  if (arguments.steps && arguments.time)
    throw InvalidArgument("--steps and --time exclude each other");
  if (arguments.checkpoint_every > 0 && arguments.out.empty())
    throw InvalidArgument("--checkpoint-every needs --out, the folder to write to");
  if (arguments.port != 0 && !arguments.live) throw InvalidArgument("--port belongs to --live");
  if (arguments.live) viewer_page(); // says now what it needs
}

/// --steps counts from where the run starts, --time and the scene's duration from time 0.
std::int64_t last_step(const RunArguments& arguments, const LoadedScene& loaded) {
  if (arguments.steps) return loaded.simulation.steps() + *arguments.steps;
  const double end = arguments.time.value_or(loaded.scene.duration);
  const double left = end - loaded.simulation.time();
  const double step = loaded.simulation.options().step;
  return loaded.simulation.steps() + (left > 0 ? steps_until(left, step) : 0);
}

/// Steps until the last step, a signal, or (with --strict) a step that did not converge. A signal
/// ends the step that is being solved, as if it had not begun. What an error leaves is the last
/// good state, which is recorded before the error goes on.
Outcome step_on(const RunArguments& arguments, Simulation& simulation, std::int64_t last,
                RunRecorder* recorder, RunProgress& progress) {
  const StopSignals signals;
  const StoppableSteps stoppable(simulation, signals);
  Outcome outcome;
  const auto write = [&](auto&& what) {
    if (!recorder) return;
    const double begin = progress.seconds();
    what(*recorder);
    outcome.seconds_files += progress.seconds() - begin;
  };
  try {
    outcome.overlaps = warn_of_initial_overlaps(simulation);
    while (simulation.steps() < last && signals.received() == 0) {
      const StepReport& report = simulation.step();
      outcome.summary.include(report);
      outcome.times.include(report);
      progress.show(report);
      write([&](RunRecorder& files) { files.record(simulation); });
      if (arguments.strict && !report.converged()) {
        outcome.unconverged = fmt::format("step {} did not converge: error {:.3g} ({}{}{})",
                                          report.step, report.error, words(report.status),
                                          report.message.empty() ? "" : ", ", report.message);
        break;
      }
      if (arguments.checkpoint_every > 0 && simulation.steps() % arguments.checkpoint_every == 0)
        write([&](RunRecorder& files) { files.checkpoint(simulation); });
    }
  } catch (const StepStopped&) { // the signal says the rest
  } catch (...) {
    progress.clear();
    try {
      if (recorder) recorder->finish(simulation);
    } catch (const std::exception& second) {
      fmt::print(stderr, "talus: while saving what was computed: {}\n", second.what());
    }
    throw;
  }
  outcome.signal = signals.received();
  write([&](RunRecorder& files) { files.finish(simulation); });
  outcome.seconds = progress.seconds();
  return outcome;
}

nlohmann::ordered_json to_json(const LoadedScene& loaded, const Outcome& outcome) {
  const Simulation& simulation = loaded.simulation;
  const StepOptions& options = simulation.options();
  const RunSummary& summary = outcome.summary;
  return {{"scene", loaded.scene.source.path},
          {"bodies", simulation.world().size()},
          {"steps", summary.steps},
          {"time", simulation.time()},
          {"formulation", options.formulation},
          {"law", to_string(options.law)},
          {"friction", to_string(options.friction)},
          {"solver", options.solver},
          {"contacts_mean", summary.contacts_mean},
          {"contacts_max", summary.contacts_max},
          {"error_max", summary.error_max},
          {"unconverged_steps", summary.unconverged_steps},
          {"penetration_max", summary.penetration_max},
          {"kinetic_energy", kinetic_energy(simulation.world())},
          {"potential_energy", potential_energy(simulation.world())},
          {"elastic_energy", simulation.report().elastic_energy},
          {"seconds", outcome.seconds},
          {"seconds_collide", summary.seconds_collide},
          {"seconds_solve", summary.seconds_solve},
          {"scaled_restitution_steps", summary.scaled_restitution_steps},
          {"initial_overlaps", overlaps_json(outcome.overlaps, simulation.world())},
          {"infeasible_steps", summary.infeasible_steps},
          {"first_contradiction", summary.first_contradiction},
          {"limited_steps", summary.limited_steps},
          {"work", summary.work},
          {"work_max", summary.work_max},
          {"tolerance", summary.tolerance_max},
          {"fast_bodies", summary.outran_envelope},
          {"seconds_build", summary.seconds_build},
          {"seconds_advance", summary.seconds_advance},
          {"seconds_files", outcome.seconds_files},
          {"seconds_step_median", outcome.times.median()},
          {"seconds_step_max", outcome.times.longest()},
          {"slowest_step", outcome.times.slowest_step()}};
}

/// Where the time went.
std::string time_text(const Outcome& outcome, double seconds_plot) {
  const RunSummary& s = outcome.summary;
  return shares_of_time(outcome.seconds + seconds_plot, {{s.seconds_collide, "collide"},
                                                         {s.seconds_build, "build"},
                                                         {s.seconds_solve, "solve"},
                                                         {s.seconds_advance, "advance"},
                                                         {outcome.seconds_files, "files"},
                                                         {seconds_plot, "plot"}});
}

void print_summary(const LoadedScene& loaded, const Outcome& outcome, double seconds_plot) {
  const RunSummary& s = outcome.summary;
  const Simulation& simulation = loaded.simulation;
  const auto row = [](const char* name, const std::string& value) {
    fmt::print("  {:<14} {}\n", name, value);
  };
  fmt::print("{}: {} bodies, {} steps, t = {:.6g} s\n", loaded.scene.title,
             simulation.world().size(), s.steps, simulation.time());
  row("contacts", fmt::format("{:.1f} on average, {} at most", s.contacts_mean, s.contacts_max));
  if (const StepOptions& options = simulation.options(); !options.formulation.empty())
    row("formulation", fmt::format("{} (law {}, friction {})", options.formulation,
                                   to_string(options.law), to_string(options.friction)));
  row("solver", fmt::format("{}, error {} at worst (tolerance {})", simulation.options().solver,
                            short_number(s.error_max), short_number(s.tolerance_max)));
  const bool contacts_yield =
      simulation.world().materials.has_yielding_contacts(simulation.options().relative_compliance);
  if (s.unconverged_steps > 0)
    row("not converged",
        fmt::format("{} of {} steps{}", s.unconverged_steps, s.steps,
                    contacts_yield || s.contacts_max == 0 ||
                            s.infeasible_steps == s.unconverged_steps
                        ? ""
                        : "; contacts that yield (`contact: auto`, or a `stiffness` of materials) "
                          "make piles easier to solve"));
  if (s.limited_steps > 0)
    row("limited", fmt::format("{} of them used up {} products (`solver.max_products`)",
                               s.limited_steps, simulation.options().max_products));
  if (s.infeasible_steps > 0)
    row("infeasible", fmt::format("{} of them; {}", s.infeasible_steps, s.first_contradiction));
  row("penetration", fmt::format("{} m at most", short_number(s.penetration_max)));
  if (s.scaled_restitution_steps > 0)
    row("restitution", fmt::format("scaled down in {} steps, where friction would have made the "
                                   "rebound gain energy",
                                   s.scaled_restitution_steps));
  if (s.outran_envelope > 0)
    row("fast bodies",
        fmt::format("{} times in reach of missing a collision; raise `envelope` or lower `step`",
                    s.outran_envelope));
  if (!simulation.world().joints().empty())
    row("joint error", fmt::format("{} at most", short_number(s.joint_error_max)));
  const double elastic = simulation.report().elastic_energy;
  row("energy",
      fmt::format("{} J kinetic, {} J potential{}",
                  short_number(kinetic_energy(simulation.world())),
                  short_number(potential_energy(simulation.world())),
                  elastic > 0 ? fmt::format(", {} J in contacts", short_number(elastic)) : ""));
  row("time", time_text(outcome, seconds_plot));
}

/// The figure of energy, contacts and error over time; without matplotlib there is a message.
void write_plot(const RunRecorder& recorder, const std::string& folder) {
  const Plots plots = make_plots("run_plots.py", {recorder.table_path()});
  if (!plots.missing.empty()) {
    fmt::print(stderr, "talus: no plot: {}\n", plots.missing);
    return;
  }
  write_file(folder + "/" + plot_name, plots.figures.front().svg);
}

/// What is written at the end only: a run that fails must not leave another's.
void remove_results_of_earlier_run(const std::string& folder) {
  for (const char* name : {summary_name, plot_name}) {
    const std::filesystem::path path = std::filesystem::path(folder) / name;
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
    remove_stale_temporaries(path.string());
  }
}

/// What to do next to see the run.
void print_way_to_look(const RunArguments& arguments, const Scene& scene) {
  const std::string talus = command_name(), file = shell_word(arguments.scene.scene);
  std::string text;
  if (arguments.out.empty())
    text = arguments.scene.scene.empty()
               ? "--out DIR records a run, --live shows it while it computes"
               : fmt::format("{} run {} --live, or --out DIR to record it", talus, file);
  else if (scene.output.writes(OutputFormat::trajectory))
    text = fmt::format("{} view {}", talus, shell_word(arguments.out));
  else
    return;
  fmt::print("  {:<14} {}\n", "look", text);
}

int exit_code(const Outcome& outcome) {
  if (!outcome.unconverged.empty()) return not_converged;
  return outcome.signal != 0 ? 128 + outcome.signal : success;
}

int run_scene(RunArguments arguments) {
  check(arguments);
  LoadedScene loaded = open_scene(arguments.scene);
  print_model_warnings(loaded.scene.warnings);
  Simulation& simulation = loaded.simulation;
  std::optional<TemporaryFolder> shown_only;
  if (arguments.live && arguments.out.empty()) {
    arguments.out = shown_only.emplace().path();
    loaded.scene.output.formats[static_cast<int>(OutputFormat::paraview)] = false;
    loaded.scene.output.formats[static_cast<int>(OutputFormat::plot)] = false;
  }
  if (arguments.live && !loaded.scene.output.writes(OutputFormat::trajectory))
    throw InvalidArgument("--live shows the trajectory; add it to the scene's output.formats");
  const std::int64_t last = last_step(arguments, loaded);
  std::optional<RunRecorder> recorder;
  if (!arguments.out.empty()) {
    recorder.emplace(arguments.out, loaded.scene, simulation);
    remove_results_of_earlier_run(arguments.out);
  }
  loaded.scene.description = {}; // no longer needed, and large where there are many bodies
  std::optional<LiveView> live;
  if (arguments.live) live.emplace(arguments.out, arguments.port);

  RunProgress progress(arguments.json ? stderr : stdout, simulation.steps(), last,
                       simulation.time(), simulation.options().step);
  const Outcome outcome =
      step_on(arguments, simulation, last, recorder ? &*recorder : nullptr, progress);
  progress.clear();
  const auto json = to_json(loaded, outcome);
  const double before_plot = progress.seconds();
  if (recorder) {
    write_file(arguments.out + "/" + summary_name, indented(json) + "\n");
    if (loaded.scene.output.writes(OutputFormat::plot)) write_plot(*recorder, arguments.out);
  }
  if (arguments.json) {
    fmt::print("{}\n", one_line(json));
  } else {
    print_summary(loaded, outcome, progress.seconds() - before_plot);
    if (recorder && !shown_only) fmt::print("  {:<14} {}\n", "files", arguments.out);
    if (!live && outcome.signal == 0) print_way_to_look(arguments, loaded.scene);
  }
  std::fflush(stdout);
  if (!outcome.unconverged.empty()) fmt::print(stderr, "talus: {}\n", outcome.unconverged);
  if (outcome.signal != 0)
    fmt::print(stderr, "talus: stopped by signal {} after step {}\n", outcome.signal,
               simulation.steps());
  if (outcome.signal != 0 && recorder && !shown_only)
    fmt::print(stderr, "talus: go on with: {} run --restart {} --out {}\n", command_name(),
               shell_word(arguments.out + "/checkpoint.h5"), shell_word(arguments.out));
  if (outcome.signal == 0 && live) live->stay_until_interrupted();
  return exit_code(outcome);
}

} // namespace

void register_run(CLI::App& app, Command& chosen) {
  auto arguments = std::make_shared<RunArguments>();
  RunArguments* a = arguments.get();
  CLI::App* command = app.add_subcommand("run", "Simulate a scene");
  command
      ->add_option("SCENE", a->scene.scene,
                   "Scene file (YAML), model (URDF, MJCF), or a checkpoint to go on from")
      ->type_name("");
  command
      ->add_option_function<std::string>(
          "--steps", [a](const std::string& text) { a->steps = parse_count(text, "--steps"); },
          "Number of steps (default: up to the scene's duration)")
      ->type_name("N");
  command
      ->add_option_function<std::string>(
          "--time", [a](const std::string& text) { a->time = parse_nonnegative(text, "--time"); },
          "Simulated time at which to end, in seconds")
      ->type_name("T");
  add_scene_options(*command, a->scene);
  command
      ->add_option("--out", a->out,
                   "Folder for trajectory.h5, steps.csv, paraview/, plot.svg, checkpoint.h5")
      ->type_name("DIR");
  add_count(*command, "--checkpoint-every", a->checkpoint_every,
            "Steps from checkpoint to checkpoint (one is always written at the end)");
  command->add_option("--restart", a->scene.restart, "Go on from this checkpoint")
      ->type_name("FILE");
  command->add_flag("--live", a->live, "Serve the viewer while computing, and until Ctrl-C");
  add_port(*command, a->port, "With --live: port of the viewer (default: a free one)");
  command->add_flag("--strict", a->strict, "A step that misses its tolerance ends the run");
  command->add_flag("--json", a->json, "A JSON object on standard output at the end");
  command->footer(
      "Exit code: 0 done, 3 a step did not converge (with --strict), 1 file or scene "
      "trouble or a step\nthat cannot be made, 2 wrong arguments, 130 and 143 stopped "
      "by SIGINT and SIGTERM.\nThe first signal ends the step at hand, as if it had not "
      "begun, and all files are\nwritten; the second ends the program at once.");
  command->callback(
      [arguments, &chosen] { chosen = [arguments] { return run_scene(*arguments); }; });
}

} // namespace talus::cli
