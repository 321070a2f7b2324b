// talus sweep: runs a scene for many values of its keys, several runs at a time.

#include "arguments.h"
#include "commands.h"
#include "report/output.h"
#include "report/plots.h"
#include "report/report.h"
#include "report/table.h"
#include "support/loaded_scene.h"
#include "support/stop_signals.h"
#include "support/variations.h"
#include "talus/core/error.h"
#include "talus/core/files/path.h"
#include "talus/io/output/finding_meter.h"
#include "talus/step/measures.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <filesystem>
#include <mutex>
#include <thread>
#include <unistd.h>

namespace talus::cli {
namespace {

constexpr const char *sweep_table_name = "sweep.csv", *sweep_plot_name = "plot.svg";

struct SweepArguments {
  SceneArguments scene;
  std::vector<Variation> variations;
  std::optional<double> time;
  std::string out;
  long jobs = 0;
  bool json = false;
};

/// How the scene went with one value of each key.
struct SweepResult {
  RunSummary summary;
  double time = 0, seconds = 0, kinetic_energy = 0;
  std::optional<double> finding;
  std::vector<std::string> names; ///< Of the numbers that the sensors read at the end.
  std::vector<double> sensors;
};

SceneArguments with_values(const SweepArguments& arguments,
                           const std::vector<std::string>& values) {
  SceneArguments scene = arguments.scene;
  scene.threads = 1;
  for (std::size_t i = 0; i < values.size(); ++i)
    scene.overrides.push_back(arguments.variations[i].key + "=" + values[i]);
  return scene;
}

SweepResult run_combination(const SweepArguments& arguments, const std::vector<std::string>& values,
                            const StopSignals& signals) {
  LoadedScene loaded = open_scene(with_values(arguments, values));
  Simulation& simulation = loaded.simulation;
  const StoppableSteps stoppable(simulation, signals);
  const double until = arguments.time.value_or(loaded.scene.duration);
  const std::int64_t last = steps_until(until, simulation.options().step);
  std::optional<FindingMeter> meter;
  if (loaded.scene.finding) meter.emplace(loaded.scene, simulation.world());
  SweepResult result;
  const auto begin = std::chrono::steady_clock::now();
  while (simulation.steps() < last) {
    result.summary.include(simulation.step());
    if (meter) meter->add(simulation);
  }
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  result.time = simulation.time();
  result.kinetic_energy = kinetic_energy(simulation.world());
  if (meter) result.finding = meter->value();
  for (const SensorDescription& description : loaded.scene.description.sensors) {
    const Sensor sensor(description, simulation.world());
    for (std::string& name : sensor.columns()) result.names.push_back(std::move(name));
    sensor.read(simulation, result.sensors);
  }
  return result;
}

/// A combination of values: what it gave, or why it failed; neither when it was not run to its end.
struct SweepRun {
  std::vector<std::string> values;
  std::optional<SweepResult> result;
  std::string failure;
};

/// Runs all combinations by some threads. One that fails leaves the others alone.
class Sweep {
public:
  Sweep(const SweepArguments& arguments, std::vector<std::vector<std::string>> all)
      : arguments_(arguments) {
    for (std::vector<std::string>& values : all) runs_.push_back({std::move(values), {}, {}});
  }

  /// Calls `keep(runs)` after each run that was finished, one call at a time.
  template <class Keep>
  void run(const Keep& keep) {
    const unsigned available = std::max(1u, std::thread::hardware_concurrency());
    const auto wanted = static_cast<std::size_t>(arguments_.jobs > 0 ? arguments_.jobs : available);
    std::vector<std::thread> workers;
    for (std::size_t i = 0; i < std::min(wanted, runs_.size()); ++i)
      workers.emplace_back([&] { work(keep); });
    for (std::thread& worker : workers) worker.join();
    if (terminal_) fmt::print(stderr, "\r{:40}\r", "");
    if (trouble_) std::rethrow_exception(trouble_);
  }
  int signal() const { return signals_.received(); }
  const std::vector<SweepRun>& runs() const { return runs_; }

private:
  template <class Keep>
  void work(const Keep& keep) {
    for (;;) {
      std::size_t number = 0;
      {
        const std::lock_guard lock(mutex_);
        if (trouble_ || signal() != 0 || next_ == runs_.size()) return;
        number = next_++;
      }
      try {
        compute(runs_[number], keep);
      } catch (...) { // not of the run: what it gave cannot be kept
        const std::lock_guard lock(mutex_);
        if (!trouble_) trouble_ = std::current_exception();
      }
    }
  }

  template <class Keep>
  void compute(SweepRun& run, const Keep& keep) {
    std::optional<SweepResult> result;
    std::string failure;
    try {
      result = run_combination(arguments_, run.values, signals_);
    } catch (const StepStopped&) { // the signal says the rest
      return;
    } catch (const std::exception& error) {
      failure = error.what();
    }
    const std::lock_guard lock(mutex_);
    run.failure = std::move(failure);
    run.result = std::move(result);
    if (run.result) keep(runs_);
    ++done_;
    if (terminal_) fmt::print(stderr, "\rsweep: {} of {} runs done", done_, runs_.size());
  }

  const SweepArguments& arguments_;
  std::vector<SweepRun> runs_;
  const StopSignals signals_;
  const bool terminal_ = isatty(STDERR_FILENO) != 0;
  std::mutex mutex_;
  std::size_t next_ = 0, done_ = 0;
  std::exception_ptr trouble_;
};

std::vector<const SweepRun*> finished_runs(const std::vector<SweepRun>& runs) {
  std::vector<const SweepRun*> some;
  for (const SweepRun& run : runs)
    if (run.result) some.push_back(&run);
  return some;
}

/// The names and numbers of a result beside its values, in the order of the files.
std::vector<std::pair<std::string, double>> numbers_of(const SweepResult& r) {
  const RunSummary& s = r.summary;
  std::vector<std::pair<std::string, double>> numbers;
  if (r.finding) numbers.emplace_back("finding", *r.finding);
  for (std::size_t i = 0; i < r.names.size(); ++i)
    numbers.emplace_back("sensor:" + r.names[i], r.sensors[i]);
  numbers.insert(numbers.end(), {{"steps", static_cast<double>(s.steps)},
                                 {"time", r.time},
                                 {"contacts_mean", s.contacts_mean},
                                 {"contacts_max", static_cast<double>(s.contacts_max)},
                                 {"error_max", s.error_max},
                                 {"unconverged_steps", static_cast<double>(s.unconverged_steps)},
                                 {"penetration_max", s.penetration_max},
                                 {"kinetic_energy", r.kinetic_energy},
                                 {"seconds", r.seconds}});
  return numbers;
}

/// Of finished runs, of which there is one at least.
std::string csv_of(const SweepArguments& arguments, const std::vector<const SweepRun*>& runs) {
  std::string text;
  for (const Variation& each : arguments.variations) text += csv_field(each.key) + ",";
  std::vector<std::string> names;
  for (const auto& [name, number] : numbers_of(*runs.front()->result))
    names.push_back(csv_field(name));
  text += fmt::format("{}\n", fmt::join(names, ","));
  for (const SweepRun* run : runs) {
    for (const std::string& value : run->values) text += csv_field(value) + ",";
    std::vector<std::string> cells;
    for (const auto& [name, number] : numbers_of(*run->result))
      cells.push_back(fmt::format("{}", number));
    text += fmt::format("{}\n", fmt::join(cells, ","));
  }
  return text;
}

std::string last_part(const std::string& key) {
  return key.substr(key.rfind('.') + 1);
}

void print_sweep(const SweepArguments& arguments, const std::vector<const SweepRun*>& runs) {
  constexpr std::size_t most_sensors = 3; // the file has all of them
  const SweepResult& first = *runs.front()->result;
  const std::size_t sensors = std::min(first.sensors.size(), most_sensors);
  std::vector<Column> columns;
  for (const Variation& each : arguments.variations) columns.push_back({last_part(each.key), true});
  if (first.finding) columns.push_back({"finding", true});
  for (std::size_t k = 0; k < sensors; ++k) columns.push_back({first.names[k], true});
  for (const char* name : {"contacts", "error", "missed", "penetration", "time"})
    columns.push_back({name, true});
  Table table(columns);
  for (const SweepRun* run : runs) {
    const SweepResult& r = *run->result;
    std::vector<std::string> cells = run->values;
    if (r.finding) cells.push_back(fmt::format("{:.4g}", *r.finding));
    for (std::size_t k = 0; k < sensors; ++k) cells.push_back(fmt::format("{:.4g}", r.sensors[k]));
    cells.insert(cells.end(),
                 {fmt::format("{}", r.summary.contacts_max), short_number(r.summary.error_max),
                  fmt::format("{}", r.summary.unconverged_steps),
                  short_number(r.summary.penetration_max), short_seconds(r.seconds)});
    table.add(cells);
  }
  fmt::print("{}", table.text());
}

nlohmann::ordered_json json_of(const SweepArguments& arguments, const SweepRun& run) {
  nlohmann::ordered_json json;
  for (std::size_t i = 0; i < run.values.size(); ++i)
    json[arguments.variations[i].key] = run.values[i];
  if (run.result)
    for (const auto& [name, number] : numbers_of(*run.result)) json[name] = number;
  else
    json["failure"] = run.failure;
  return json;
}

void write_sweep_plot(const SweepArguments& arguments) {
  const Plots plots =
      make_plots("sweep_plots.py", {arguments.out + "/" + sweep_table_name,
                                    fmt::format("{}", arguments.variations.size())});
  if (!plots.missing.empty())
    fmt::print(stderr, "talus: no plot: {}\n", plots.missing);
  else
    write_file(arguments.out + "/" + sweep_plot_name, plots.figures.front().svg);
}

/// What an earlier sweep left would pass for that of this one.
void prepare_sweep_folder(const std::string& folder) {
  make_folder(folder);
  for (const char* name : {sweep_table_name, sweep_plot_name}) {
    require_writable(folder + "/" + name);
    std::error_code ignored;
    std::filesystem::remove(std::filesystem::path(folder) / name, ignored);
  }
}

/// Each run that failed, and how many were finished if it were not all.
void print_failures(const SweepArguments& arguments, const Sweep& study, std::size_t done) {
  std::size_t failed = 0;
  for (const SweepRun& run : study.runs()) {
    if (run.failure.empty()) continue;
    ++failed;
    std::vector<std::string> values;
    for (std::size_t i = 0; i < run.values.size(); ++i)
      values.push_back(arguments.variations[i].key + "=" + run.values[i]);
    fmt::print(stderr, "talus: {} failed: {}\n", fmt::join(values, " "), run.failure);
  }
  const std::string kept = arguments.out.empty() ? "" : ", which are kept in " + arguments.out;
  if (study.signal() != 0)
    fmt::print(stderr, "talus: stopped by signal {} with {} of {} runs finished{}\n",
               study.signal(), done, study.runs().size(), done > 0 ? kept : "");
  else if (failed > 0)
    fmt::print(stderr, "talus: {} of {} runs failed\n", failed, study.runs().size());
}

int sweep(const SweepArguments& arguments) {
  if (arguments.variations.empty())
    throw InvalidArgument(
        "--vary is needed: what to vary, e.g. --vary materials.sand.friction=0.1:0.8:8");
  const auto all = combinations(arguments.variations);
  open_scene(with_values(arguments, all.front())); // says now what is wrong
  if (!arguments.out.empty()) prepare_sweep_folder(arguments.out);
  Sweep study(arguments, all);
  study.run([&](const std::vector<SweepRun>& runs) {
    if (!arguments.out.empty())
      write_file(arguments.out + "/" + sweep_table_name, csv_of(arguments, finished_runs(runs)));
  });
  const std::vector<const SweepRun*> done = finished_runs(study.runs());
  if (arguments.json) {
    for (const SweepRun& run : study.runs())
      if (run.result || !run.failure.empty()) fmt::print("{}\n", one_line(json_of(arguments, run)));
  } else if (!done.empty()) {
    print_sweep(arguments, done);
  }
  if (!arguments.out.empty() && !done.empty()) {
    write_sweep_plot(arguments);
    if (!arguments.json) fmt::print("\nfiles: {}\n", arguments.out);
  }
  std::fflush(stdout);
  print_failures(arguments, study, done.size());
  if (study.signal() != 0) return 128 + study.signal();
  return done.size() == all.size() ? success : failure;
}

} // namespace

void register_sweep(CLI::App& app, Command& chosen) {
  auto arguments = std::make_shared<SweepArguments>();
  SweepArguments* a = arguments.get();
  CLI::App* command = app.add_subcommand("sweep", "Run a scene for many values of its keys");
  command->add_option("SCENE", a->scene.scene, "Scene file (YAML) or model (URDF, MJCF)")
      ->required()
      ->type_name("");
  command
      ->add_option_function<std::vector<std::string>>(
          "--vary",
          [a](const std::vector<std::string>& texts) {
            for (const std::string& text : texts) a->variations.push_back(parse_variation(text));
          },
          "KEY.PATH=FROM:TO:COUNT (with :log by equal factors) or KEY.PATH=a,b,c; repeatable, then "
          "all combinations")
      ->type_name("KEY=VALUES")
      ->allow_extra_args(false);
  add_count(*command, "--jobs", a->jobs, "Runs at a time, each on one thread (default: all cores)");
  command
      ->add_option_function<std::string>(
          "--time", [a](const std::string& text) { a->time = parse_nonnegative(text, "--time"); },
          "Simulated time of each run, s (default: the scene's duration)")
      ->type_name("T");
  add_scene_options(*command, a->scene);
  command->add_option("--out", a->out, "Folder for sweep.csv and plot.svg")->type_name("DIR");
  command->add_flag("--json", a->json, "A JSON object per run, one on each line");
  command->footer(
      "Columns: the values; the scene's finding and what its first sensors read at the end; most\n"
      "contacts, largest error, steps that missed their tolerance, penetration, time of the "
      "steps.\n"
      "sweep.csv has all sensors; it is written after each run, so that a run that fails, or a\n"
      "signal, leaves those that were finished. Results do not depend on --jobs.\n"
      "Exit code: 0 done, 1 a run failed or file trouble, 2 wrong arguments, 130 and 143 stopped.");
  command->callback([arguments, &chosen] { chosen = [arguments] { return sweep(*arguments); }; });
}

} // namespace talus::cli
