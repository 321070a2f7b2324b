// talus-mpi run: steps a scene over ranks. The first rank writes its files, which are those of
// `talus run`, and shows how it goes.

#include "arguments.h"
#include "commands.h"
#include "rank_commands.h"
#include "report/output.h"
#include "report/report.h"
#include "report/run_progress.h"
#include "report/table.h"
#include "support/loaded_scene.h"
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
        mirror_(loaded.simulation), simulation_(simulation), ranks_(ranks) {
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
    show(frame || checkpoint);
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

  /// Brings the first rank's simulation up to date: all of it, or the report alone.
  void show(bool everything) {
    RankSimulation::Contacts contacts;
    if (everything) {
      SimulationState state = simulation_.gather_state();
      contacts = simulation_.gather_contacts();
      if (ranks_.rank() == 0) last_ = std::move(state);
    }
    if (ranks_.rank() != 0) return;
    last_.steps = simulation_.steps();
    last_.time = simulation_.time();
    mirror_.adopt(last_, simulation_.report(), std::move(contacts.points),
                  std::move(contacts.impulses));
  }

  long every_, checkpoint_every_;
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

void print(const Arguments& arguments, const LoadedScene& loaded, const RankSimulation& simulation,
           const RunSummary& summary, double seconds, std::uint64_t hash, Ranks& ranks) {
  const StepReport& report = simulation.report();
  const Index bodies = loaded.simulation.world().size();
  if (arguments.json) {
    const nlohmann::ordered_json json = {{"scene", loaded.scene.source.path},
                                         {"ranks", ranks.count()},
                                         {"bodies", bodies},
                                         {"steps", summary.steps},
                                         {"time", simulation.time()},
                                         {"solver", simulation.options().solver},
                                         {"contacts_mean", summary.contacts_mean},
                                         {"contacts_max", summary.contacts_max},
                                         {"error_max", summary.error_max},
                                         {"unconverged_steps", summary.unconverged_steps},
                                         {"penetration_max", summary.penetration_max},
                                         {"kinetic_energy", report.kinetic_energy},
                                         {"potential_energy", report.potential_energy},
                                         {"elastic_energy", report.elastic_energy},
                                         {"iterations", summary.iterations},
                                         {"work", summary.work},
                                         {"seconds", seconds},
                                         {"seconds_solve", summary.seconds_solve},
                                         {"hash", fmt::format("{:016x}", hash)}};
    fmt::print("{}\n", one_line(json));
    return;
  }
  const auto row = [](const char* name, const std::string& value) {
    fmt::print("  {:<14} {}\n", name, value);
  };
  fmt::print("{}: {} bodies, {} ranks, {} steps, t = {:.6g} s\n", loaded.scene.title, bodies,
             ranks.count(), summary.steps, simulation.time());
  row("contacts",
      fmt::format("{:.1f} on average, {} at most", summary.contacts_mean, summary.contacts_max));
  row("solver", fmt::format("{}, error {} at worst (tolerance {})", simulation.options().solver,
                            short_number(summary.error_max), short_number(summary.tolerance_max)));
  if (summary.unconverged_steps > 0)
    row("not converged", fmt::format("{} of {} steps", summary.unconverged_steps, summary.steps));
  row("penetration", fmt::format("{} m at most", short_number(summary.penetration_max)));
  row("energy", fmt::format("{} J kinetic, {} J potential", short_number(report.kinetic_energy),
                            short_number(report.potential_energy)));
  row("iterations",
      fmt::format("{}, {} per iteration", summary.iterations,
                  short_seconds(summary.seconds_solve /
                                static_cast<double>(std::max(1L, summary.iterations)))));
  row("time",
      fmt::format("{} (solve {})", short_seconds(seconds), short_seconds(summary.seconds_solve)));
  row("hash", fmt::format("{:016x}", hash));
  if (!arguments.out.empty()) row("files", arguments.out);
}

void check(const Arguments& arguments, const LoadedScene& loaded) {
  if (arguments.steps && arguments.time)
    throw InvalidArgument("--steps and --time exclude each other");
  if (arguments.checkpoint_every > 0 && arguments.out.empty())
    throw InvalidArgument("--checkpoint-every needs --out, the folder to write to");
  if (!arguments.out.empty() && !loaded.scene.description.sensors.empty())
    throw InvalidArgument("over ranks there is no support for sensors; run without --out");
}

int run_scene(const Arguments& arguments, Ranks& ranks) {
  std::optional<LoadedScene> loaded;
  ranks.together([&] {
    loaded.emplace(open_scene(arguments.scene));
    check(arguments, *loaded);
  });
  const bool first = ranks.rank() == 0;
  const std::int64_t last = last_step(arguments, *loaded);
  RankSimulation simulation(loaded->simulation.world(), loaded->simulation.options(), ranks);
  if (loaded->simulation.steps() > 0) simulation.restore(loaded->simulation.state());
  if (first && !arguments.out.empty() && !loaded->simulation.world().joints().empty())
    fmt::print(stderr, "talus-mpi: forces of joints are not recorded over ranks: they are 0 in the "
                       "files\n");
  Files files(arguments, *loaded, simulation, ranks);
  loaded->scene.description = {};

  const StopSignals signals;
  RunSummary summary;
  std::string unconverged;
  RunProgress progress(arguments.json || !first ? stderr : stdout, simulation.steps(), last,
                       simulation.time(), simulation.options().step);
  while (simulation.steps() < last && !ranks.any(signals.received() != 0)) {
    try {
      simulation.step();
    } catch (const Error&) {
      // What an error leaves is the last good state. It is the same error on all ranks.
      progress.clear();
      files.finish();
      throw;
    }
    const StepReport& report = simulation.report();
    summary.include(report);
    if (first) progress.show(report);
    files.record();
    if (arguments.strict && !report.converged()) {
      unconverged = fmt::format("step {} did not converge: error {:.3g} ({})", report.step,
                                report.error, words(report.status));
      break;
    }
  }
  files.finish();
  const std::uint64_t hash = simulation.hash();
  const double seconds = progress.seconds();
  progress.clear();
  const double signal = ranks.max(signals.received());
  if (first) print(arguments, *loaded, simulation, summary, seconds, hash, ranks);
  std::fflush(stdout);
  if (first && !unconverged.empty()) fmt::print(stderr, "talus-mpi: {}\n", unconverged);
  if (signal > 0) {
    if (first)
      fmt::print(stderr, "talus-mpi: stopped by signal {} after step {}\n", signal,
                 simulation.steps());
    return 128 + static_cast<int>(signal);
  }
  return unconverged.empty() ? success : not_converged;
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
