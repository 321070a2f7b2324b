// talus-mpi run: steps a scene over ranks. The first rank writes its files, which are those of
// `talus run`, and shows how it goes.

#include "arguments.h"
#include "commands.h"
#include "rank_commands.h"
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
};

/// The files of the run, on the first rank. The simulation of the loaded scene shows the recorder
/// what the ranks have computed.
class Files {
public:
  Files(const Arguments& arguments, LoadedScene& loaded, RankSimulation& simulation, Ranks& ranks)
      : every_(loaded.scene.output.every), checkpoint_every_(arguments.checkpoint_every),
        measures_(!loaded.scene.description.sensors.empty()), mirror_(loaded.simulation),
        simulation_(simulation), ranks_(ranks) {
    ranks_.together([&] {
      if (ranks_.rank() == 0 && !arguments.out.empty())
        recorder_.emplace(arguments.out, loaded.scene, mirror_);
    });
    writes_ = !arguments.out.empty();
    if (ranks_.rank() == 0) last_ = mirror_.state();
  }

  void record() {
    if (!writes_) return;
    const bool frame = simulation_.steps() % every_ == 0;
    const bool checkpoint = checkpoint_every_ > 0 && simulation_.steps() % checkpoint_every_ == 0;
    show(frame || checkpoint || measures_);
    write([&] {
      recorder_->record(mirror_);
      if (checkpoint) recorder_->checkpoint(mirror_);
    });
  }

  void finish() {
    if (!writes_) return;
    show(true);
    write([&] { recorder_->finish(mirror_); });
  }

private:
  template <class Work>
  void write(Work&& work) {
    ranks_.together([&] {
      if (recorder_) work();
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
    mirror_.adopt(last_, simulation_.report(),
                  {std::move(forces.contacts), std::move(forces.impulses),
                   std::move(forces.moments), forces.rows, forces.multipliers});
  }

  long every_, checkpoint_every_;
  bool measures_ = false; ///< The scene has sensors, which look at bodies after every step.
  bool writes_ = false;
  Simulation& mirror_;
  RankSimulation& simulation_;
  Ranks& ranks_;
  SimulationState last_;
  std::optional<RunRecorder> recorder_;
};

std::int64_t last_step(const Arguments& arguments, const LoadedScene& loaded) {
  const Simulation& simulation = loaded.simulation;
  if (arguments.steps) return simulation.steps() + *arguments.steps;
  const double left = arguments.time.value_or(loaded.scene.duration) - simulation.time();
  return simulation.steps() + (left > 0 ? steps_until(left, simulation.options().step) : 0);
}

/// What all ranks have sent together.
struct Sent {
  std::int64_t messages = 0, bytes = 0, reductions = 0;
};

Sent sent_by_all(Ranks& ranks) {
  const Traffic now = ranks.traffic();
  std::int64_t sums[2] = {now.messages, now.bytes};
  ranks.sum(std::span<std::int64_t>(sums));
  return {sums[0], sums[1], now.reductions};
}

/// How the stepping ended.
struct Outcome {
  RunSummary summary;
  std::vector<Overlap> overlaps; ///< Of the scene's initial state; of the first rank.
  double seconds = 0;
  std::uint64_t hash = 0;
  Sent sent;
  int signal = 0;
  std::string unconverged; ///< With --strict: the step that missed its tolerance.
};

/// What `talus run` has, and what is of ranks.
nlohmann::ordered_json to_json(const LoadedScene& loaded, const RankSimulation& simulation,
                               const Outcome& outcome, const Ranks& ranks) {
  const StepReport& report = simulation.report();
  const StepOptions& options = simulation.options();
  const RunSummary& summary = outcome.summary;
  const World& world = loaded.simulation.world();
  return {{"scene", loaded.scene.source.path},
          {"ranks", ranks.count()},
          {"bodies", world.size()},
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
          {"kinetic_energy", report.kinetic_energy},
          {"potential_energy", report.potential_energy},
          {"elastic_energy", report.elastic_energy},
          {"seconds", outcome.seconds},
          {"seconds_collide", summary.seconds_collide},
          {"seconds_solve", summary.seconds_solve},
          {"initial_overlaps", overlaps_json(outcome.overlaps, world)},
          {"limited_steps", summary.limited_steps},
          {"iterations", summary.iterations},
          {"work", summary.work},
          {"work_max", summary.work_max},
          {"tolerance", summary.tolerance_max},
          {"fast_bodies", summary.outran_envelope},
          {"seconds_build", summary.seconds_build},
          {"seconds_advance", summary.seconds_advance},
          {"messages", outcome.sent.messages},
          {"bytes", outcome.sent.bytes},
          {"reductions", outcome.sent.reductions},
          {"hash", fmt::format("{:016x}", outcome.hash)},
          {"same_bits_for_all_ranks", simulation.has_same_bits()}};
}

void print_summary(const LoadedScene& loaded, const RankSimulation& simulation,
                   const Outcome& outcome, const Ranks& ranks) {
  const StepReport& report = simulation.report();
  const RunSummary& summary = outcome.summary;
  const auto row = [](const char* name, const std::string& value) {
    fmt::print("  {:<14} {}\n", name, value);
  };
  fmt::print("{}: {} bodies, {} ranks, {} steps, t = {:.6g} s\n", loaded.scene.title,
             loaded.simulation.world().size(), ranks.count(), summary.steps, simulation.time());
  row("contacts",
      fmt::format("{:.1f} on average, {} at most", summary.contacts_mean, summary.contacts_max));
  row("solver", fmt::format("{}, error {} at worst (tolerance {})", simulation.options().solver,
                            short_number(summary.error_max), short_number(summary.tolerance_max)));
  if (summary.unconverged_steps > 0)
    row("not converged", fmt::format("{} of {} steps", summary.unconverged_steps, summary.steps));
  if (summary.limited_steps > 0)
    row("limited", fmt::format("{} of them used up {} products (`solver.max_products`)",
                               summary.limited_steps, simulation.options().max_products));
  row("penetration", fmt::format("{} m at most", short_number(summary.penetration_max)));
  if (summary.outran_envelope > 0)
    row("fast bodies",
        fmt::format("{} times in reach of missing a collision; raise `envelope` or lower `step`",
                    summary.outran_envelope));
  if (!loaded.simulation.world().joints().empty())
    row("joint error", fmt::format("{} at most", short_number(summary.joint_error_max)));
  const double elastic = report.elastic_energy;
  row("energy",
      fmt::format("{} J kinetic, {} J potential{}", short_number(report.kinetic_energy),
                  short_number(report.potential_energy),
                  elastic > 0 ? fmt::format(", {} J in contacts", short_number(elastic)) : ""));
  const auto per_iteration = [&](double count) {
    return count / static_cast<double>(std::max(1L, summary.iterations));
  };
  row("iterations", fmt::format("{}, {} each", summary.iterations,
                                short_seconds(per_iteration(summary.seconds_solve))));
  row("sent", fmt::format("{:.1f} messages and {:.0f} bytes per iteration, {:.1f} sums over ranks",
                          per_iteration(static_cast<double>(outcome.sent.messages)),
                          per_iteration(static_cast<double>(outcome.sent.bytes)),
                          per_iteration(static_cast<double>(outcome.sent.reductions))));
  row("time", fmt::format("{} (solve {})", short_seconds(outcome.seconds),
                          short_seconds(summary.seconds_solve)));
  row("hash",
      fmt::format("{:016x}{}", outcome.hash,
                  simulation.has_same_bits()
                      ? ""
                      : ": linear systems are rounded otherwise on other numbers of ranks"));
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
void tell(const Arguments& arguments, const LoadedScene& loaded, const RankSimulation& simulation,
          const Outcome& outcome, const Ranks& ranks) {
  const auto json = to_json(loaded, simulation, outcome, ranks);
  if (!arguments.out.empty()) write_file(arguments.out + "/summary.json", indented(json) + "\n");
  if (arguments.json) {
    fmt::print("{}\n", one_line(json));
  } else {
    print_summary(loaded, simulation, outcome, ranks);
    if (!arguments.out.empty()) fmt::print("  {:<14} {}\n", "files", arguments.out);
  }
  std::fflush(stdout);
  if (!outcome.unconverged.empty()) fmt::print(stderr, "talus-mpi: {}\n", outcome.unconverged);
  if (outcome.signal == 0) return;
  fmt::print(stderr, "talus-mpi: stopped by signal {} after step {}\n", outcome.signal,
             simulation.steps());
  if (!arguments.out.empty())
    fmt::print(stderr, "talus-mpi: go on with: talus-mpi run --restart {} --out {}\n",
               shell_word(arguments.out + "/checkpoint.h5"), shell_word(arguments.out));
}

int run_scene(const Arguments& arguments, Ranks& ranks) {
  std::optional<LoadedScene> loaded;
  ranks.together([&] {
    check(arguments);
    loaded.emplace(open_scene(arguments.scene));
  });
  const bool first = ranks.rank() == 0;
  const std::int64_t last = last_step(arguments, *loaded);
  RankSimulation simulation(loaded->simulation.world(), loaded->simulation.options(), ranks);
  if (loaded->simulation.steps() > 0) simulation.restore(loaded->simulation.state());
  Outcome outcome;
  ranks.together([&] {
    if (!first) return;
    print_model_warnings(loaded->scene.warnings);
    outcome.overlaps = warn_of_initial_overlaps(loaded->simulation);
  });
  Files files(arguments, *loaded, simulation, ranks);
  loaded->scene.description = {};

  RunProgress progress(arguments.json || !first ? stderr : stdout, simulation.steps(), last,
                       simulation.time(), simulation.options().step);
  step_on(arguments, simulation, last, files, progress, ranks, outcome);
  progress.clear();
  outcome.hash = simulation.hash();
  outcome.sent = sent_by_all(ranks);
  ranks.together([&] {
    if (first) tell(arguments, *loaded, simulation, outcome, ranks);
  });
  if (!outcome.unconverged.empty()) return not_converged;
  return outcome.signal != 0 ? 128 + outcome.signal : success;
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
