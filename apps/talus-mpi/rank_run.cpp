// talus-mpi run: steps a scene over ranks. The first rank writes its files, which are those of
// `talus run`, and shows how it goes.

#include "arguments.h"
#include "commands.h"
#include "rank_commands.h"
#include "rank_summary.h"
#include "report/model_warnings.h"
#include "report/output.h"
#include "report/overlap_warning.h"
#include "report/report.h"
#include "report/run_progress.h"
#include "report/table.h"
#include "support/loaded_scene.h"
#include "support/shell_words.h"
#include "support/stop_signals.h"
#include "talus/cluster/rank_simulation.h"
#include "talus/core/error.h"
#include "talus/core/files/atomic_file.h"
#include "talus/core/files/folder_lock.h"
#include "talus/core/files/path.h"
#include "talus/io/checkpoint_blocks.h"
#include "talus/io/recorder.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <optional>

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
};

/// The files of the run, on the first rank, if there are any. The simulation of the loaded scene
/// shows the recorder what the ranks have computed.
class Files {
public:
  /// Of a scene that no rank has as a whole: checkpoints alone, written by the ranks in turn.
  Files(const Arguments& arguments, const Scene& scene, RankSimulation& simulation, Ranks& ranks)
      : checkpoint_every_(arguments.checkpoint_every), writes_(!arguments.out.empty()),
        divided_(&scene), checkpoint_path_(arguments.out + "/checkpoint.h5"),
        simulation_(simulation), ranks_(ranks) {
    ranks_.together([&] {
      if (ranks_.rank() != 0 || !writes_) return;
      make_folder(arguments.out);
      lock_.emplace(arguments.out);
      remove_stale_temporaries(checkpoint_path_);
      const AtomicFile probe(checkpoint_path_);
    });
  }
  Files(const Arguments& arguments, LoadedScene& loaded, RankSimulation& simulation, Ranks& ranks)
      : every_(loaded.scene.output.every), checkpoint_every_(arguments.checkpoint_every),
        measures_(!loaded.scene.description.sensors.empty()), mirror_(&loaded.simulation),
        simulation_(simulation), ranks_(ranks) {
    ranks_.together([&] {
      if (ranks_.rank() == 0 && !arguments.out.empty())
        recorder_.emplace(arguments.out, loaded.scene, *mirror_);
    });
    writes_ = !arguments.out.empty();
    if (ranks_.rank() == 0 && writes_) last_ = mirror_->state();
  }

  void record() {
    if (!writes_) return;
    const bool checkpoint = checkpoint_every_ > 0 && simulation_.steps() % checkpoint_every_ == 0;
    if (divided_) {
      if (checkpoint) write_blocks();
      return;
    }
    const bool frame = simulation_.steps() % every_ == 0;
    show(frame || checkpoint || measures_);
    write([&] {
      recorder_->record(*mirror_);
      if (checkpoint) recorder_->checkpoint(*mirror_);
    });
  }

  void finish() {
    if (!writes_) return;
    if (divided_) return write_blocks();
    show(true);
    write([&] { recorder_->finish(*mirror_); });
  }

private:
  template <class Work>
  void write(Work&& work) {
    ranks_.together([&] {
      if (recorder_) work();
    });
  }

  void write_blocks() {
    const int rank = ranks_.rank();
    const SimulationState block = simulation_.block_of_state();
    std::optional<AtomicFile> target;
    ranks_.together([&] {
      if (rank != 0) return;
      target.emplace(checkpoint_path_);
      begin_checkpoint_of_blocks(*target, divided_->source, block);
    });
    Bytes name;
    if (target)
      for (const char letter : target->temporary_path()) append(name, letter);
    const std::vector<char> letters = values_in<char>(ranks_.gather(name)[0]);
    for (int next = 1; next < ranks_.count(); ++next)
      ranks_.together([&] {
        if (rank == next) append_checkpoint_block({letters.begin(), letters.end()}, block);
      });
    ranks_.together([&] {
      if (target) target->commit();
    });
  }

  /// Brings the first rank's simulation up to date: all of it, or all but the bodies. Forces are in
  /// a table that has every step.
  void show(bool everything) {
    RankSimulation::Forces forces = simulation_.gather_forces();
    if (everything) {
      SimulationState state = simulation_.gather_state();
      if (ranks_.rank() == 0) last_ = std::move(state);
    }
    if (ranks_.rank() != 0) return;
    last_.steps = simulation_.steps();
    last_.time = simulation_.time();
    mirror_->adopt(last_, simulation_.report(),
                   {std::move(forces.contacts), std::move(forces.impulses),
                    std::move(forces.moments), forces.rows, forces.multipliers});
  }

  long every_ = 1, checkpoint_every_ = 0;
  bool measures_ = false; ///< The scene has sensors, which look at bodies after every step.
  bool writes_ = false;
  const Scene* divided_ = nullptr; ///< The scene, if each rank has a part of it.
  std::string checkpoint_path_;
  std::optional<FolderLock> lock_;
  Simulation* mirror_ = nullptr;
  RankSimulation& simulation_;
  Ranks& ranks_;
  SimulationState last_;
  std::optional<RunRecorder> recorder_;
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
}

/// Steps until the last step, a signal, or (with --strict) a step that did not converge. What an
/// error leaves is the last good state; it is the same error on all ranks.
void step_on(const Arguments& arguments, RankSimulation& simulation, std::int64_t last,
             Files& files, RunProgress& progress, Ranks& ranks, Outcome& outcome) {
  const StopSignals signals;
  while (simulation.steps() < last && !ranks.any(signals.received() != 0)) {
    try {
      simulation.step();
    } catch (const Error&) {
      progress.clear();
      files.finish();
      throw;
    }
    const StepReport& report = simulation.report();
    outcome.summary.include(report);
    if (ranks.rank() == 0) progress.show(report);
    files.record();
    if (arguments.strict && !report.converged()) {
      outcome.unconverged =
          fmt::format("step {} did not converge: error {:.3g} ({}{}{})", report.step, report.error,
                      words(report.status), report.message.empty() ? "" : ", ", report.message);
      break;
    }
  }
  outcome.signal = static_cast<int>(ranks.max(signals.received()));
  files.finish();
  outcome.seconds = progress.seconds();
}

/// What the first rank says in the end.
void tell(const Arguments& arguments, const Scene& scene, const RankSimulation& simulation,
          const Outcome& outcome, const Ranks& ranks) {
  const auto json = to_json(scene, simulation, outcome, ranks);
  if (!arguments.out.empty()) write_file(arguments.out + "/summary.json", indented(json) + "\n");
  if (arguments.json) {
    fmt::print("{}\n", one_line(json));
  } else {
    print_summary(scene, simulation, outcome, ranks);
    if (!arguments.out.empty()) fmt::print("  {:<14} {}\n", "files", arguments.out);
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
                   Files& files, Outcome& outcome, Ranks& ranks) {
  const bool first = ranks.rank() == 0;
  const std::int64_t last = last_step(arguments, scene.duration, simulation);
  RunProgress progress(arguments.json || !first ? stderr : stdout, simulation.steps(), last,
                       simulation.time(), simulation.options().step);
  step_on(arguments, simulation, last, files, progress, ranks, outcome);
  progress.clear();
  outcome.hash = simulation.hash();
  outcome.sent = sent_by_all(ranks);
  outcome.memory = memory_of_all(ranks);
  ranks.together([&] {
    if (first) tell(arguments, scene, simulation, outcome, ranks);
  });
  if (!outcome.unconverged.empty()) return not_converged;
  return outcome.signal != 0 ? 128 + outcome.signal : success;
}

int run_whole_scene(const Arguments& arguments, Ranks& ranks) {
  std::optional<LoadedScene> loaded;
  ranks.together([&] { loaded.emplace(open_scene(arguments.scene)); });
  RankSimulation simulation(loaded->simulation.world(), loaded->simulation.options(), ranks);
  if (loaded->simulation.steps() > 0) simulation.restore(loaded->simulation.state());
  Outcome outcome;
  ranks.together([&] {
    if (ranks.rank() != 0) return;
    print_model_warnings(loaded->scene.warnings);
    const auto overlaps = warn_of_initial_overlaps(loaded->simulation);
    outcome.overlaps = overlaps_json(overlaps, loaded->simulation.world());
  });
  Files files(arguments, *loaded, simulation, ranks);
  loaded->scene.description = {};
  // Only the first rank shows the recorder what happens.
  if (ranks.rank() != 0 || arguments.out.empty()) loaded->simulation = Simulation(World());
  return run_simulation(arguments, loaded->scene, simulation, files, outcome, ranks);
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
  Files files(arguments, opened.scene, simulation, ranks);
  Outcome outcome;
  return run_simulation(arguments, opened.scene, simulation, files, outcome, ranks);
}

int run_scene(const Arguments& arguments, Ranks& ranks) {
  ranks.together([&] { check(arguments); });
  return arguments.divided ? run_divided_scene(arguments, ranks)
                           : run_whole_scene(arguments, ranks);
}

} // namespace

void register_run(CLI::App& app, RankCommand& chosen) {
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
                    "Each rank builds its part of the scene only, for scenes too large for one; "
                    "--out then gets checkpoints alone");
  command->add_flag("--strict", a->strict, "A step that misses its tolerance ends the run");
  command->add_flag("--json", a->json, "A JSON object on standard output at the end");
  command->footer("--threads is the number of threads of each rank. Results have the same bits for "
                  "every number of\nranks and threads. A signal ends the run after the step at "
                  "hand; all files are written.");
  command->callback([arguments, &chosen] {
    chosen = [arguments](Ranks& ranks) { return run_scene(*arguments, ranks); };
  });
}

} // namespace talus::mpi
