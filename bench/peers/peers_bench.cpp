// The race: identical scenes in Talus, Bullet, ODE and MuJoCo, one engine after the other in one
// process, with what their states are worth next to what they cost. Times are the median of the
// steps after a warm-up, processor time with one thread and wall-clock time with more, and as a
// ratio to the first contender. An engine that needs minutes for its steps is judged by those that
// it took.
//
//     peers_bench [--spheres 1000] [--trials] [--h 240] [--steps 20] [--warm-up 60]
//                 [--settle 400] [--threads 1] [--only "bullet,talus auto"] [--budget 60]
//                 [--csv file]
//
// Without arguments: 1000 settled spheres. `--trials` adds towers, the heavy column, the
// slab and the truth tests (sliding, rolling, incline); `--spheres 0` leaves the spheres out.
// `--h` is the number of steps per second; it and `--threads` may be lists. The spheres
// settle once, and further for every step length. apps/plots/peer_plots.py draws the csv file.

#include "accuracy.h"
#include "processor_time.h"
#include "scenes.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/os.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <iterator>
#include <limits>
#include <optional>

namespace {

using namespace talus;
using namespace talus::peers;

struct Settings {
  std::vector<Index> spheres{1000};
  bool trials = false;
  std::vector<double> steps_per_second{240};
  std::vector<int> threads{1};
  double budget = 60; ///< Seconds after which an engine takes no further step.
  int steps = 20, warm_up = 60, settling_steps = 400;
  std::vector<std::string> only;
  std::string csv;
};

struct Line {
  std::string scene, engine, setting;
  double milliseconds = 0;
  Accuracy accuracy;
  double error = -1;
  std::optional<double> truth_error;
};

struct Pace {
  double step;
  int warm_up, steps;
  double budget;
  double (*clock)();
};

double wall_clock_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double seconds_of_step(Peer& peer, bool warm_up, double (*clock)()) {
  const double begin = clock();
  warm_up ? peer.warm_up() : peer.step();
  return clock() - begin;
}

/// Of the steps after the warm-up, or of the last one when there is no time for more.
double median_seconds(Peer& peer, const Pace& pace) {
  double spent = 0, last = 0;
  std::vector<double> seconds;
  for (int k = 0; k < pace.warm_up + pace.steps && spent < pace.budget; ++k) {
    last = seconds_of_step(peer, k < pace.warm_up, pace.clock);
    spent += last;
    if (k >= pace.warm_up) seconds.push_back(last);
  }
  if (seconds.empty()) return last;
  const auto middle = seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2);
  std::nth_element(seconds.begin(), middle, seconds.end());
  return *middle;
}

Line race(const std::string& name, const PeerScene& scene, const Contender& contender,
          const Pace& pace, const std::function<double(const Peer&)>& truth_error) {
  const auto peer = contender.load(scene, pace.step);
  const double seconds = median_seconds(*peer, pace);
  Line line{
      name, contender.engine, contender.setting, 1e3 * seconds, judge(scene, *peer), peer->error(),
      {}};
  if (truth_error) line.truth_error = truth_error(*peer);
  return line;
}

void print_head(const std::string& name, std::size_t bodies, double step, int threads) {
  fmt::print("\n{}: {} bodies, h = {:.3g} s, {} time\n{:<8} {:<24} {:>10} {:>8} {:>12} {:>10} "
             "{:>10} {:>9} "
             "{:>9}\n",
             name, bodies, step,
             threads == 1 ? "processor" : fmt::format("Talus with {} threads, wall-clock", threads),
             "engine", "setting", "ms/step", "ratio", "penetration", "drift", "speed", "error",
             "truth");
}

void print(const Line& line, double first) {
  const Accuracy& a = line.accuracy;
  fmt::print("{:<8} {:<24} {:>10.3f} {:>8.2f} {:>10.2e} m {:>8.1e} m {:>10.1e} {:>9} {:>9}\n",
             line.engine, line.setting, line.milliseconds, line.milliseconds / first, a.penetration,
             a.drift, a.speed, line.error < 0 ? "" : fmt::format("{:.1e}", line.error),
             !a.finite          ? "exploded"
             : line.truth_error ? fmt::format("{:.2f} %", 100 * *line.truth_error)
                                : "");
}

std::vector<Contender> contenders(const Settings& settings, int threads) {
  std::vector<Contender> all;
  const auto add = [&](const char* engine, const char* package, std::vector<Contender> more) {
    if (more.empty()) fmt::print("skipped: {} (Debian package {} is missing)\n", engine, package);
    const auto wanted = [&](const Contender& contender) {
      const std::string name = fmt::format("{} {}", contender.engine, contender.setting);
      return settings.only.empty() ||
             std::ranges::any_of(settings.only, [&](const auto& o) { return name.starts_with(o); });
    };
    std::ranges::copy_if(more, std::back_inserter(all), wanted);
  };
  add("bullet", "libbullet-dev", bullet_contenders());
  add("talus", "", talus_contenders(threads));
  add("ode", "libode-dev", ode_contenders());
  add("mujoco", "libmujoco-dev", mujoco_contenders());
  return all;
}

void write_csv(const std::string& path, const std::vector<Line>& lines) {
  auto file = fmt::output_file(path);
  file.print("scene,engine,setting,milliseconds,penetration,drift,speed,error,truth_error\n");
  for (const Line& l : lines)
    file.print("\"{}\",{},\"{}\",{:.6g},{:.6g},{:.6g},{:.6g},{},{}\n", l.scene, l.engine, l.setting,
               l.milliseconds, l.accuracy.penetration, l.accuracy.drift, l.accuracy.speed,
               l.error < 0 ? "" : fmt::format("{:.6g}", l.error),
               l.truth_error ? fmt::format("{:.6g}", *l.truth_error) : "");
}

/// Races all contenders on one scene.
class Race {
public:
  Race(const Settings& settings, int threads, double step)
      : settings_(settings), threads_(threads), step_(step),
        clock_(threads == 1 ? processor_seconds : wall_clock_seconds),
        contenders_(contenders(settings, threads)) {}

  double step() const { return step_; }

  void settled(std::string name, const PeerScene& scene, std::vector<Line>& lines) const {
    if (settings_.steps_per_second.size() > 1) name += fmt::format(", h = {:.3g} s", step_);
    if (settings_.threads.size() > 1) name += fmt::format(", threads: {}", threads_);
    run(name, scene, {step_, settings_.warm_up, settings_.steps, settings_.budget, clock_}, {},
        lines);
  }
  void trial(const Trial& trial, std::vector<Line>& lines) const {
    constexpr double endless = std::numeric_limits<double>::infinity(); // a truth has a time
    run(trial.name, trial.scene, {step_, 0, trial.steps, endless, clock_}, trial.truth_error,
        lines);
  }

private:
  void run(const std::string& name, const PeerScene& scene, const Pace& pace,
           const std::function<double(const Peer&)>& truth_error, std::vector<Line>& lines) const {
    print_head(name, scene.bodies.size(), step_, threads_);
    double first = 0;
    for (const Contender& contender : contenders_) {
      if (static_cast<Index>(scene.bodies.size()) > contender.most_bodies) continue;
      try {
        lines.push_back(race(name, scene, contender, pace, truth_error));
      } catch (const std::exception& failure) {
        fmt::print("{:<8} {:<24} failed: {}\n", contender.engine, contender.setting,
                   failure.what());
        continue;
      }
      if (first == 0) first = lines.back().milliseconds;
      print(lines.back(), first);
      std::fflush(stdout);
    }
  }

  const Settings& settings_;
  int threads_;
  double step_;
  double (*clock_)();
  std::vector<Contender> contenders_;
};

void run(const Settings& settings) {
  std::vector<Line> lines;
  std::vector<Race> races;
  for (double steps_per_second : settings.steps_per_second)
    for (int threads : settings.threads)
      races.emplace_back(settings, threads, 1 / steps_per_second);
  for (Index count : settings.spheres) {
    if (count <= 0) continue;
    PeerScene scene = settled_spheres(count, settings.settling_steps);
    double settled_for = 0; // a step; threads race on the same scene
    for (const Race& race : races) {
      if (race.step() != settled_for)
        scene = settled_further(std::move(scene), race.step(), settings.settling_steps);
      settled_for = race.step();
      race.settled(fmt::format("{} settled spheres", count), scene, lines);
    }
  }
  if (settings.trials)
    for (const Race& race : races)
      for (const Trial& trial : trials(race.step())) race.trial(trial, lines);
  if (!settings.csv.empty()) write_csv(settings.csv, lines);
}

} // namespace

int main(int count, char** arguments) {
  Settings settings;
  CLI::App app("Identical scenes in Talus and other engines: cost and accuracy");
  app.add_option("--spheres", settings.spheres, "numbers of settled spheres")->delimiter(',');
  app.add_flag("--trials", settings.trials, "towers, column, slab and truth tests");
  app.add_option("--h", settings.steps_per_second, "steps per second")->delimiter(',');
  app.add_option("--steps", settings.steps, "timed steps of the settled spheres");
  app.add_option("--warm-up", settings.warm_up, "steps before the timed ones");
  app.add_option("--settle", settings.settling_steps, "most steps in which the spheres settle");
  app.add_option("--threads", settings.threads, "threads of Talus")->delimiter(',');
  app.add_option("--budget", settings.budget, "seconds for the steps of an engine");
  app.add_option("--only", settings.only, "how the names of engines and settings to run begin")
      ->delimiter(',');
  app.add_option("--csv", settings.csv, "write the table to this file");
  CLI11_PARSE(app, count, arguments);
  run(settings);
}
