// talus run: steps a scene, shows how it goes, writes its files.

#include "arguments.h"
#include "commands.h"
#include "report/model_warnings.h"
#include "report/overlap_warning.h"
#include "report/report.h"
#include "report/run_end.h"
#include "report/run_progress.h"
#include "support/loaded_scene.h"
#include "support/shell_words.h"
#include "support/stop_signals.h"
#include "support/temporary_folder.h"
#include "talus/core/error.h"
#include "talus/io/recorder.h"
#include "talus/step/measures.h"
#include "view/live_view.h"
#include "view/view_page.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <optional>

namespace talus::cli {
namespace {

struct RunArguments {
  SceneArguments scene;
  std::optional<long> steps;
  std::optional<double> time;
  std::string out;
  long checkpoint_every = 0;
  long port = 0;
  bool strict = false, json = false, live = false;
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
RunOutcome step_on(const RunArguments& arguments, Simulation& simulation, std::int64_t last,
                   RunRecorder* recorder, RunProgress& progress) {
  const StopSignals signals;
  const StoppableSteps stoppable(simulation, signals);
  RunOutcome outcome;
  const auto write = [&](auto&& what) {
    if (!recorder) return;
    const double begin = progress.seconds();
    what(*recorder);
    outcome.seconds_files += progress.seconds() - begin;
  };
  try {
    const InitialOverlaps overlaps = initial_overlaps(simulation);
    warn_of(overlaps);
    outcome.overlaps = overlaps;
    while (simulation.steps() < last && signals.received() == 0) {
      const StepReport& report = simulation.step();
      outcome.include(report);
      progress.show(report);
      write([&](RunRecorder& files) { files.record(simulation); });
      if (arguments.strict && outcome.misses_tolerance(report)) break;
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

RunFacts facts_of(const LoadedScene& loaded) {
  const Simulation& simulation = loaded.simulation;
  const World& world = simulation.world();
  return {.scene = loaded.scene,
          .options = simulation.options(),
          .materials = world.materials,
          .bodies = world.size(),
          .has_joints = !world.joints().empty(),
          .time = simulation.time(),
          .kinetic_energy = kinetic_energy(world),
          .potential_energy = potential_energy(world),
          .elastic_energy = simulation.report().elastic_energy};
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
  print_row("look", text);
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
  const RunOutcome outcome =
      step_on(arguments, simulation, last, recorder ? &*recorder : nullptr, progress);
  progress.clear();
  const RunFacts facts = facts_of(loaded);
  const auto json = summary_json(facts, outcome);
  const double before_plot = progress.seconds();
  if (recorder) write_results(arguments.out, loaded.scene, json, "talus");
  if (arguments.json) {
    fmt::print("{}\n", one_line(json));
  } else {
    print_summary_rows(facts, outcome, "");
    print_row("time", time_text(outcome, progress.seconds() - before_plot));
    if (recorder && !shown_only) print_row("files", arguments.out);
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
  return outcome.exit_code();
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
