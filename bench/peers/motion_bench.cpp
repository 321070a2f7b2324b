// The race in motion: bodies that fall, flow and topple in Talus, Bullet, ODE, MuJoCo and
// LIGGGHTS, one engine after the other. The time is that of the whole run (processor time with one
// thread, wall-clock time with more), relative to the first engine's. Beside it stands what the run
// is worth: the deepest penetration at any tenth step and at the end, the largest error of a step,
// the steps that missed their tolerance, and an observable at the end.
//
// Settings of Talus are a relative compliance of contacts, or rigid ones, and a tolerance, each
// with every number of threads. The other engines have one thread. --markdown prints tables for
// docs/performance.md.
//
//     motion_bench [--bodies 1000] [--h 240] [--threads 1,2] [--scenes drum,column] [--budget 600]
//                  [--only "bullet,talus,ode"] [--csv file] [--markdown]

#include "accuracy.h"
#include "motion.h"
#include "processor_time.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/os.h>

#include <algorithm>
#include <chrono>
#include <exception>

namespace {

using namespace talus;
using namespace talus::peers;

struct Settings {
  std::vector<Index> bodies{1000};
  double steps_per_second = 240;
  std::vector<int> threads{1};
  double budget = 600; ///< Seconds after which an engine takes no further step.
  std::vector<std::string> scenes, only{"bullet", "talus"};
  std::string csv;
  bool markdown = false;
};

struct Entrant {
  Contender contender;
  int threads = 1;
};

struct Outcome {
  double seconds = 0;
  int steps = 0;
  double penetration = 0, last_penetration = 0, error = -1, observable = 0;
  int missed = 0;
  bool finite = true;
};

double wall_clock_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Outcome race(const Motion& motion, const Entrant& entrant, const Settings& settings) {
  const double h = 1 / settings.steps_per_second;
  const bool one_thread = entrant.threads == 1;
  const auto clock = one_thread ? processor_seconds : wall_clock_seconds;
  const auto peer = entrant.contender.load(motion.scene, h);
  const auto elsewhere = [&] { return one_thread ? peer->seconds_elsewhere() : 0; };
  const int steps = static_cast<int>(motion.seconds * settings.steps_per_second);
  Outcome outcome;
  while (outcome.steps < steps && outcome.seconds < settings.budget && outcome.finite) {
    const double begin = clock() + elsewhere();
    if (motion.gravity) peer->set_gravity(motion.gravity(h * outcome.steps));
    peer->step();
    outcome.seconds += clock() + elsewhere() - begin;
    outcome.error = std::max(outcome.error, peer->error());
    outcome.missed += peer->missed();
    if (++outcome.steps % 10 != 0 && outcome.steps < steps) continue;
    const Accuracy accuracy = judge(motion.scene, *peer);
    outcome.penetration = std::max(outcome.penetration, accuracy.penetration);
    outcome.last_penetration = accuracy.penetration;
    outcome.finite = accuracy.finite;
  }
  if (outcome.finite) outcome.observable = motion.measure(*peer);
  return outcome;
}

std::vector<Entrant> entrants(const Settings& settings) {
  std::vector<Entrant> all;
  const auto add = [&](const std::vector<Contender>& group, int threads) {
    for (Contender contender : group) {
      const std::string name = fmt::format("{} {}", contender.engine, contender.setting);
      if (threads != 1) contender.setting += fmt::format(", {} threads", threads);
      if (std::ranges::any_of(settings.only,
                              [&](const auto& begin) { return name.starts_with(begin); }))
        all.push_back({std::move(contender), threads});
    }
  };
  add(bullet_contenders(), 1);
  for (const int threads : settings.threads) add(talus_motion_contenders(threads), threads);
  for (const auto& group : {ode_contenders(), mujoco_contenders(), liggghts_contenders()})
    add(group, 1);
  return all;
}

bool can_run(const Contender& contender, const Motion& motion) {
  return !contender.spheres_only || (has_spheres_only(motion.scene) && !motion.gravity);
}

bool is_wanted(const Motion& motion, const Settings& settings) {
  return settings.scenes.empty() || std::ranges::any_of(settings.scenes, [&](const auto& word) {
           return motion.name.find(word) != std::string::npos;
         });
}

void print_head(const Motion& motion, const Settings& settings) {
  fmt::print("\n{}: {} bodies, {:g} s with h = {:.3g} s; {}\n", motion.name,
             motion.scene.bodies.size(), motion.seconds, 1 / settings.steps_per_second,
             motion.observable);
  if (settings.markdown)
    fmt::print("\n| engine | setting | seconds | ratio | penetration | at the end | error | missed "
               "| observable |\n|---|---|---|---|---|---|---|---|---|\n");
  else
    fmt::print("{:<8} {:<28} {:>9} {:>7} {:>13} {:>13} {:>9} {:>6} {:>11}\n", "engine", "setting",
               "seconds", "ratio", "penetration", "at the end", "error", "missed", "observable");
}

void print(const Contender& contender, const Outcome& outcome, double first, int steps,
           bool markdown) {
  std::string note;
  if (outcome.steps < steps) note = fmt::format("stopped after {} steps", outcome.steps);
  if (!outcome.finite) note = "exploded";
  const bool has_error = outcome.error >= 0;
  const std::string error = has_error ? fmt::format("{:.1e}", outcome.error) : "";
  const std::string missed = has_error ? fmt::format("{}", outcome.missed) : "";
  if (markdown)
    fmt::print("| {} | {} | {:.2f} | {:.2f} | {:.2g} mm | {:.2g} mm | {} | {} | {:.4g} |\n",
               contender.engine,
               note.empty() ? contender.setting : fmt::format("{} ({})", contender.setting, note),
               outcome.seconds, outcome.seconds / first, 1e3 * outcome.penetration,
               1e3 * outcome.last_penetration, error, missed, outcome.observable);
  else
    fmt::print("{:<8} {:<28} {:>9.3f} {:>7.2f} {:>11.2e} m {:>11.2e} m {:>9} {:>6} {:>11.4g}  {}\n",
               contender.engine, contender.setting, outcome.seconds, outcome.seconds / first,
               outcome.penetration, outcome.last_penetration, error, missed, outcome.observable,
               note);
  std::fflush(stdout);
}

void run(const Settings& settings) {
  if (bullet_contenders().empty())
    fmt::print("skipped: bullet (Debian package libbullet-dev is missing)\n");
  const std::vector<Entrant> all = entrants(settings);
  std::string table =
      "scene,bodies,engine,setting,seconds,steps,penetration,last_penetration,error,"
      "missed,observable\n";
  for (const Index bodies : settings.bodies)
    for (const Motion& motion : motions(bodies)) {
      if (!is_wanted(motion, settings)) continue;
      print_head(motion, settings);
      double first = 0;
      const auto count = static_cast<Index>(motion.scene.bodies.size());
      for (const Entrant& entrant : all) {
        const Contender& contender = entrant.contender;
        if (count > contender.most_bodies || !can_run(contender, motion)) continue;
        try {
          const Outcome o = race(motion, entrant, settings);
          if (first == 0) first = o.seconds;
          print(contender, o, first, static_cast<int>(motion.seconds * settings.steps_per_second),
                settings.markdown);
          table +=
              fmt::format("{},{},{},\"{}\",{:.6g},{},{:.6g},{:.6g},{:.6g},{},{:.6g}\n", motion.name,
                          count, contender.engine, contender.setting, o.seconds, o.steps,
                          o.penetration, o.last_penetration, o.error, o.missed, o.observable);
        } catch (const std::exception& failure) {
          fmt::print("{:<8} {:<24} failed: {}\n", contender.engine, contender.setting,
                     failure.what());
        }
      }
    }
  if (!settings.csv.empty()) fmt::output_file(settings.csv).print("{}", table);
}

} // namespace

int main(int count, char** arguments) {
  Settings settings;
  CLI::App app("Bodies in motion in Talus and other engines: time of whole runs and accuracy");
  app.add_option("--bodies", settings.bodies, "numbers of bodies")->delimiter(',');
  app.add_option("--h", settings.steps_per_second, "steps per second");
  app.add_option("--threads", settings.threads, "numbers of threads of Talus")->delimiter(',');
  app.add_option("--scenes", settings.scenes, "words of the names of scenes; all by default")
      ->delimiter(',');
  app.add_option("--budget", settings.budget, "seconds for the steps of an engine");
  app.add_option("--only", settings.only, "how the names of engines and settings to run begin")
      ->delimiter(',');
  app.add_option("--csv", settings.csv, "write the table to this file");
  app.add_flag("--markdown", settings.markdown, "print tables in Markdown");
  CLI11_PARSE(app, count, arguments);
  run(settings);
}
