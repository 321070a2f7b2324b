// talus-mpi run: steps a scene over ranks. Its files are those of `talus run`; the first rank shows
// how it goes.

#include "arguments.h"
#include "commands.h"
#include "rank_commands.h"
#include "rank_files.h"
#include "rank_summary.h"
#include "report/model_warnings.h"
#include "report/report.h"
#include "report/run_progress.h"
#include "support/loaded_scene.h"
#include "support/shell_words.h"
#include "support/stop_signals.h"
#include "talus/cluster/rank_simulation.h"
#include "talus/core/error.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <tuple>

namespace talus::mpi {
namespace {

using namespace talus::cli;

struct Arguments {
  SceneArguments scene;
  std::optional<long> steps;
  std::optional<double> time;
  std::string out;
  long checkpoint_every = 0;
  bool strict = false, json = false;
  bool divided = false; ///< Each rank builds a part of the scene.
  bool live = false;
};

std::int64_t last_step(const Arguments& arguments, double duration,
                       const RankSimulation& simulation) {
  if (arguments.steps) return simulation.steps() + *arguments.steps;
  const double left = arguments.time.value_or(duration) - simulation.time();
  return simulation.steps() + (left > 0 ? steps_until(left, simulation.options().step) : 0);
}

void check(const Arguments& arguments) {
  if (arguments.steps && arguments.time)
    throw InvalidArgument("--steps and --time exclude each other");
  if (arguments.checkpoint_every > 0 && arguments.out.empty())
    throw InvalidArgument("--checkpoint-every needs --out, the folder to write to");
  if (arguments.live)
    throw InvalidArgument(
        "there is no --live over ranks: start `talus view DIR` beside the run, DIR "
        "being its --out; the page follows the files as they grow");
}

/// Steps until the last step, a signal, or (with --strict) a step that did not converge. What an
/// error leaves is the last good state, which is recorded; it is the same error on all ranks.
void step_on(const Arguments& arguments, RankSimulation& simulation, std::int64_t last,
             RankFiles& files, RunProgress& progress, Ranks& ranks, Outcome& outcome) {
  const StopSignals signals;
  const auto write = [&](auto&& what) {
    const double begin = progress.seconds();
    what();
    outcome.seconds_files += progress.seconds() - begin;
  };
  try {
    while (simulation.steps() < last && !ranks.any(signals.received() != 0)) {
      simulation.step();
      const StepReport& report = simulation.report();
      outcome.include(report);
      if (ranks.rank() == 0) progress.show(report);
      const bool checkpoint =
          arguments.checkpoint_every > 0 && simulation.steps() % arguments.checkpoint_every == 0;
      write([&] { files.record(checkpoint); });
      if (arguments.strict && outcome.misses_tolerance(report)) break;
    }
  } catch (const Error& failure) {
    progress.clear();
    // Only then do the others know of it; else they may be waiting in the midst of something.
    const bool all_know =
        ranks.count() == 1 || dynamic_cast<const RankFailed*>(&failure) != nullptr;
    if (!all_know) throw;
    try {
      files.finish();
    } catch (const Error& second) {
      if (ranks.rank() == 0)
        fmt::print(stderr, "talus-mpi: while saving what was computed: {}\n", second.what());
    }
    throw;
  }
  outcome.signal = static_cast<int>(ranks.max(signals.received()));
  write([&] { files.finish(); });
  outcome.seconds = progress.seconds();
}

/// What the first rank writes and says in the end.
void tell(const Arguments& arguments, const Scene& scene, const RankSimulation& simulation,
          const Outcome& outcome, const Ranks& ranks, const RunProgress& progress) {
  const RunFacts facts = facts_of(scene, simulation, outcome);
  const auto json = to_json(facts, simulation, outcome, ranks);
  const double before_plot = progress.seconds();
  if (!arguments.out.empty()) write_results(arguments.out, scene, json, "talus-mpi");
  if (arguments.json) {
    fmt::print("{}\n", one_line(json));
  } else {
    print_summary(facts, simulation, outcome, ranks);
    print_row("time", time_text(outcome, progress.seconds() - before_plot));
    if (!arguments.out.empty()) print_row("files", arguments.out);
    const bool can_be_seen = scene.output.writes(OutputFormat::trajectory);
    if (!arguments.out.empty() && can_be_seen && outcome.signal == 0)
      print_row("look", fmt::format("talus view {}", shell_word(arguments.out)));
  }
  std::fflush(stdout);
  if (!outcome.unconverged.empty()) fmt::print(stderr, "talus-mpi: {}\n", outcome.unconverged);
  if (outcome.signal == 0) return;
  fmt::print(stderr, "talus-mpi: stopped by signal {} after step {}\n", outcome.signal,
             simulation.steps());
  if (!arguments.out.empty())
    fmt::print(stderr, "talus-mpi: go on with: talus-mpi run --restart {} --out {}{}\n",
               shell_word(arguments.out + "/checkpoint.h5"), shell_word(arguments.out),
               arguments.divided ? " --divided" : "");
}

/// From the first step on.
int run_simulation(const Arguments& arguments, const Scene& scene, RankSimulation& simulation,
                   RankFiles& files, Outcome& outcome, Ranks& ranks) {
  const bool first = ranks.rank() == 0;
  ranks.together([&] {
    if (first && !arguments.out.empty()) remove_results_of_earlier_run(arguments.out);
  });
  const std::int64_t last = last_step(arguments, scene.duration, simulation);
  RunProgress progress(arguments.json || !first ? stderr : stdout, simulation.steps(), last,
                       simulation.time(), simulation.options().step);
  step_on(arguments, simulation, last, files, progress, ranks, outcome);
  progress.clear();
  outcome.hash = simulation.hash();
  std::tie(outcome.kinetic_energy, outcome.potential_energy) = simulation.energies();
  outcome.sent = sent_by_all(ranks);
  outcome.memory = memory_of_all(ranks);
  ranks.together([&] {
    if (first) tell(arguments, scene, simulation, outcome, ranks, progress);
  });
  return outcome.exit_code();
}

int run_whole_scene(const Arguments& arguments, Ranks& ranks) {
  std::unique_ptr<LoadedScene> loaded;
  ranks.together([&] { loaded = std::make_unique<LoadedScene>(open_scene(arguments.scene)); });
  RankSimulation simulation(loaded->simulation.world(), loaded->simulation.options(), ranks);
  if (loaded->simulation.steps() > 0) simulation.restore(loaded->simulation.state());
  Outcome outcome;
  ranks.together([&] {
    if (ranks.rank() != 0) return;
    print_model_warnings(loaded->scene.warnings);
    const InitialOverlaps overlaps = initial_overlaps(loaded->simulation);
    warn_of(overlaps);
    outcome.overlaps = overlaps;
  });
  const auto files = arguments.out.empty()
                         ? std::make_unique<RankFiles>()
                         : files_of_whole_scene(arguments.out, *loaded, simulation, ranks);
  loaded->scene.description = {};
  // Only the first rank shows the recorder what happens.
  if (ranks.rank() != 0 || arguments.out.empty()) loaded->simulation = Simulation(World());
  return run_simulation(arguments, loaded->scene, simulation, *files, outcome, ranks);
}

/// On the first rank; the search is over all.
InitialOverlaps overlaps_of_divided(RankSimulation& simulation) {
  InitialOverlaps overlaps;
  if (simulation.steps() > 0) return overlaps;
  const RankSimulation::Overlaps found = simulation.find_overlaps(InitialOverlaps::most_listed);
  overlaps.pairs = found.pairs;
  for (std::size_t k = 0; k < found.deepest.size(); ++k)
    overlaps.deepest.push_back(
        {found.names[k].first, found.names[k].second, found.deepest[k].depth});
  return overlaps;
}

int run_divided_scene(const Arguments& arguments, Ranks& ranks) {
  const int rank = ranks.rank(), count = ranks.count();
  PartOfScene opened;
  ranks.together([&] {
    ScenePart part;
    part.next_kept = [=](Index number) { return next_owned(number, rank, count); };
    opened = open_scene_part(arguments.scene, rank, count, std::move(part));
    if (rank == 0) print_model_warnings(opened.scene.warnings);
  });
  ScenePart& part = opened.part;
  WorldShare share = share_of(std::move(opened.scene.world), std::move(part.numbers),
                              part.everywhere, std::move(part.colliders), rank, count);
  RankSimulation simulation(std::move(share), opened.scene.options, ranks);
  if (opened.state) simulation.restore_block(std::move(*opened.state));
  opened.state.reset();
  Outcome outcome;
  const InitialOverlaps overlaps = overlaps_of_divided(simulation);
  if (rank == 0) warn_of(overlaps);
  outcome.overlaps = overlaps;
  const auto files = arguments.out.empty()
                         ? std::make_unique<RankFiles>()
                         : files_of_divided_scene(arguments.out, opened.scene, simulation, ranks);
  return run_simulation(arguments, opened.scene, simulation, *files, outcome, ranks);
}

int run_scene(const Arguments& arguments, Ranks& ranks) {
  ranks.together([&] { check(arguments); });
  return arguments.divided ? run_divided_scene(arguments, ranks)
                           : run_whole_scene(arguments, ranks);
}

} // namespace

void register_run(CLI::App& app, RankCommand& chosen, int own_cores) {
  auto arguments = std::make_shared<Arguments>();
  Arguments* a = arguments.get();
  CLI::App* command = app.add_subcommand("run", "Simulate a scene over ranks");
  command->add_option("SCENE", a->scene.scene, "Scene file (YAML), or a checkpoint to go on from")
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
  command->add_option("--out", a->out, "Folder for the files of the run, as of `talus run`")
      ->type_name("DIR");
  add_count(*command, "--checkpoint-every", a->checkpoint_every,
            "Steps from checkpoint to checkpoint (one is always written at the end)");
  command->add_option("--restart", a->scene.restart, "Go on from this checkpoint")
      ->type_name("FILE");
  command->add_flag("--divided", a->divided,
                    "Each rank builds its part of the scene only, for scenes too large for one");
  command->add_flag("--live", a->live)->group("");
  command->add_flag("--strict", a->strict, "A step that misses its tolerance ends the run");
  command->add_flag("--json", a->json, "A JSON object on standard output at the end");
  command->get_option("--threads")->description(help_of_threads);
  command->footer(
      "Results have the same bits for every number of ranks and threads, and files hold the same "
      "numbers but for times,\nwith and without --divided. To watch a run, start `talus view DIR` "
      "beside it.\n"
      "Exit code: 0 done, 3 a step did not converge (with --strict), 1 file or scene trouble or a "
      "step that cannot\nbe made, 2 wrong arguments or something that does not work over ranks, "
      "130 and 143 stopped by SIGINT and\nSIGTERM: the step at hand ends, and all files are "
      "written.");
  command->callback([arguments, &chosen, own_cores] {
    if (arguments->scene.threads == 0) arguments->scene.threads = own_cores;
    chosen = [arguments](Ranks& ranks) { return run_scene(*arguments, ranks); };
  });
}

} // namespace talus::mpi
