// talus scenes: runs many scenes, one after the other, and lists how each went and what it shows.

#include "arguments.h"
#include "commands.h"
#include "report/report.h"
#include "report/run_progress.h"
#include "report/table.h"
#include "support/loaded_scene.h"
#include "support/stop_signals.h"
#include "talus/core/error.h"
#include "talus/io/output/finding_meter.h"
#include "talus/step/step_times.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>

namespace talus::cli {
namespace {

struct ScenesArguments {
  std::vector<std::string> paths;
  std::optional<long> steps;
  int threads = 0;
  bool json = false;
};

/// How one scene went.
struct SceneResult {
  std::string name, says;
  RunSummary summary;
  StepTimes times;
  double time = 0, seconds = 0;
  std::optional<double> finding; ///< Absent where the scene has none, or was not run to its end.
  bool as_expected = true;
};

/// Files as they are, folders as the scene files in them, by name.
std::vector<std::string> scene_files(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    std::error_code trouble;
    if (!std::filesystem::is_directory(path, trouble)) {
      files.push_back(path);
      continue;
    }
    const std::size_t first = files.size();
    for (const auto& entry : std::filesystem::directory_iterator(path))
      if (entry.path().extension() == ".yaml") files.push_back(entry.path().string());
    std::sort(files.begin() + static_cast<std::ptrdiff_t>(first), files.end());
    if (files.size() == first) throw FileError(path, "has no scene files (*.yaml)");
  }
  return files;
}

SceneResult run_one(const std::string& path, const ScenesArguments& arguments,
                    const StopSignals& signals) {
  SceneArguments scene;
  scene.scene = path;
  scene.threads = arguments.threads;
  LoadedScene loaded = open_scene(scene);
  Simulation& simulation = loaded.simulation;
  const StoppableSteps stoppable(simulation, signals);
  const std::int64_t all = steps_until(loaded.scene.duration, simulation.options().step);
  const std::int64_t last = arguments.steps ? std::min<std::int64_t>(*arguments.steps, all) : all;
  std::optional<FindingMeter> meter;
  if (loaded.scene.finding) meter.emplace(loaded.scene, simulation.world());
  SceneResult result;
  result.name = std::filesystem::path(path).stem().string();
  const auto begin = std::chrono::steady_clock::now();
  while (simulation.steps() < last) {
    const StepReport& report = simulation.step();
    result.summary.include(report);
    result.times.include(report);
    if (meter) meter->add(simulation);
  }
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  result.time = simulation.time();
  if (meter && last == all) {
    result.says = loaded.scene.finding->says;
    result.finding = meter->value();
    result.as_expected = meter->as_expected();
  }
  return result;
}

nlohmann::ordered_json to_json(const SceneResult& result) {
  const RunSummary& s = result.summary;
  nlohmann::ordered_json json = {{"scene", result.name},
                                 {"steps", s.steps},
                                 {"time", result.time},
                                 {"seconds", result.seconds},
                                 {"contacts_mean", s.contacts_mean},
                                 {"contacts_max", s.contacts_max},
                                 {"tolerance", s.tolerance_max},
                                 {"error_max", s.error_max},
                                 {"unconverged_steps", s.unconverged_steps},
                                 {"penetration_max", s.penetration_max},
                                 {"joint_error_max", s.joint_error_max},
                                 {"seconds_step_median", result.times.median()},
                                 {"seconds_step_max", result.times.longest()},
                                 {"slowest_step", result.times.slowest_step()}};
  if (result.finding) {
    json["finding"] = *result.finding;
    json["says"] = result.says;
    json["as_expected"] = result.as_expected;
  }
  return json;
}

Table table_of(const std::vector<std::string>& files) {
  std::size_t widest = 0;
  for (const std::string& file : files)
    widest = std::max(widest, std::filesystem::path(file).stem().string().size());
  return Table({{"scene", false, widest},
                {"steps", true, 5},
                {"time", true, 8},
                {"contacts", true, 8},
                {"error", true, 8},
                {"missed", true, 6},
                {"median", true, 8},
                {"slowest", true, 8},
                {"ratio", true, 6},
                {"finding", true, 9},
                {"", false, 0}});
}

std::vector<std::string> cells_of(const SceneResult& result) {
  const RunSummary& s = result.summary;
  const std::string verdict = result.as_expected ? result.says : "NOT AS EXPECTED: " + result.says;
  return {result.name,
          fmt::format("{}", s.steps),
          short_seconds(result.seconds),
          fmt::format("{}", s.contacts_max),
          short_number(s.error_max),
          fmt::format("{}", s.unconverged_steps),
          short_seconds(result.times.median()),
          short_seconds(result.times.longest()),
          fmt::format("{:.1f}", result.times.ratio()),
          result.finding ? fmt::format("{:.4g}", *result.finding) : "",
          verdict};
}

int run_scenes(const ScenesArguments& arguments) {
  const std::vector<std::string> files = scene_files(arguments.paths);
  const Table table = table_of(files);
  const StopSignals signals;
  long missed = 0, unexpected = 0;
  if (!arguments.json) fmt::print("{}", table.header());
  for (const std::string& file : files) {
    SceneResult result;
    try {
      result = run_one(file, arguments, signals);
    } catch (const StepStopped&) {
      fmt::print(stderr, "talus: stopped by signal {} in {}\n", signals.received(), file);
      return 128 + signals.received();
    }
    missed += result.summary.unconverged_steps;
    unexpected += result.as_expected ? 0 : 1;
    fmt::print("{}",
               arguments.json ? one_line(to_json(result)) + "\n" : table.line(cells_of(result)));
    std::fflush(stdout);
  }
  if (missed > 0 || unexpected > 0)
    fmt::print(stderr, "talus: {} steps missed their tolerance, {} findings are not as expected\n",
               missed, unexpected);
  return missed > 0 || unexpected > 0 ? not_converged : success;
}

} // namespace

void register_scenes(CLI::App& app, Command& chosen) {
  auto arguments = std::make_shared<ScenesArguments>();
  ScenesArguments* a = arguments.get();
  a->paths = {"scenes"};
  CLI::App* command =
      app.add_subcommand("scenes", "Run scenes to their end and list how each went");
  command->add_option("PATH", a->paths, "Scene files, or folders of them (default: scenes)")
      ->type_name("");
  command
      ->add_option_function<std::string>(
          "--steps", [a](const std::string& text) { a->steps = parse_count(text, "--steps"); },
          "At most so many steps of each; findings are then left out")
      ->type_name("N");
  add_threads(*command, a->threads);
  command->add_flag("--json", a->json, "A JSON object per scene, one on each line");
  command->footer(
      "Columns: time of the steps, most contacts in a step, largest error, steps that "
      "missed their\ntolerance, the median and the slowest step of those that had "
      "something to solve and their\nratio, and the number of the scene's finding.\nExit code: 0 "
      "done, 3 a step missed its tolerance or a finding is not as expected, 1 file\n"
      "or scene trouble, 2 wrong arguments, 130 and 143 stopped by a signal.");
  command->callback(
      [arguments, &chosen] { chosen = [arguments] { return run_scenes(*arguments); }; });
}

} // namespace talus::cli
