// What the compliance ε of automatic contacts changes (docs/theory/elastic.md): observables of
// shipped scenes and of a row of spheres against ε, with the work of the solves beside them.
//
//     compliance_bench [--quick] [--csv FILE]
//
// Every line is one observable, every column one ε; the last column is rigid. `work` is products
// with N of all solves. --quick leaves the hourglass out and ends every scene after 0.5 s.

#include "talus/core/error.h"
#include "talus/io/scene.h"
#include "talus/step/simulation.h"
#include "talus/world/builders.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>

namespace talus {
namespace {

constexpr double compliances[] = {0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0};

/// name → value, in the order of the lines.
using Observed = std::vector<std::pair<std::string, double>>;

struct Settings {
  bool quick = false;
  FILE* csv = nullptr;
};

double deepest(std::span<const ContactPoint> contacts) {
  double depth = 0;
  for (const ContactPoint& contact : contacts) depth = std::max(depth, -contact.gap);
  return depth;
}

/// The largest distance of a dynamic body from where it began.
double largest_shift(const World& world, const std::vector<Vec3>& start) {
  double shift = 0;
  for (Index i = 0; i < world.size(); ++i)
    if (world.bodies()[i].kind == BodyKind::dynamic)
      shift = std::max(shift, norm(world.pose(i).position - start[i]));
  return shift;
}

struct SceneRun {
  Simulation simulation;
  std::vector<Vec3> start;
  RunSummary summary;
};

SceneRun run_scene(const std::string& name, double compliance, double seconds,
                   const std::function<void(Simulation&)>& after_step = {}) {
  Scene scene = load_scene(std::string(TALUS_SCENES_DIR) + "/" + name + ".yaml");
  scene.options.relative_compliance = compliance;
  scene.options.threads = 1;
  const double duration = seconds > 0 ? std::min(seconds, scene.duration) : scene.duration;
  SceneRun run{Simulation(std::move(scene.world), scene.options), {}, {}};
  for (Index i = 0; i < run.simulation.world().size(); ++i)
    run.start.push_back(run.simulation.world().pose(i).position);
  const long steps = std::lround(duration / scene.options.step);
  for (long k = 0; k < steps; ++k) {
    run.summary.include(run.simulation.step());
    if (after_step) after_step(run.simulation);
  }
  return run;
}

void add_work(const RunSummary& summary, Observed& observed) {
  observed.emplace_back("work", static_cast<double>(summary.work));
  observed.emplace_back("steps that miss their tolerance",
                        static_cast<double>(summary.unconverged_steps));
}

/// Structures that shall stand.
Observed standing(const std::string& name, double compliance, const Settings& settings) {
  const SceneRun run = run_scene(name, compliance, settings.quick ? 0.5 : 0);
  Observed observed = {
      {"largest penetration (µm)", 1e6 * run.summary.penetration_max},
      {"penetration at the end (µm)", 1e6 * deepest(run.simulation.contacts())},
      {"largest shift of a body (µm)", 1e6 * largest_shift(run.simulation.world(), run.start)},
      {"kinetic energy at the end (J)", run.simulation.report().kinetic_energy}};
  add_work(run.summary, observed);
  return observed;
}

Observed balls(double compliance, const Settings& settings) {
  const SceneRun run = run_scene("balls_in_box", compliance, settings.quick ? 0.5 : 0);
  Observed observed = {
      {"largest penetration (µm)", 1e6 * run.summary.penetration_max},
      {"penetration at the end (µm)", 1e6 * deepest(run.simulation.contacts())},
      {"potential energy at the end (J)", run.simulation.report().potential_energy}};
  add_work(run.summary, observed);
  return observed;
}

/// The follower that a cam lifts, against the height it has where bodies are rigid.
Observed follower(double compliance, const Settings& settings) {
  double error = 0;
  const SceneRun run = run_scene(
      "cam_follower", compliance, settings.quick ? 0.5 : 0, [&](const Simulation& simulation) {
        const World& world = simulation.world();
        // The disc's centre is 0.05 m beside the axis, its radius 0.15 m, the follower 0.1 m high.
        const double turn = 6.283185307179586 * simulation.time();
        const double height = 0.05 * std::sin(turn) + 0.15 + 0.05;
        if (simulation.time() > 0.1)
          error = std::max(error,
                           std::abs(world.pose(world.find_body("follower")).position.y - height));
      });
  Observed observed = {{"largest penetration (µm)", 1e6 * run.summary.penetration_max},
                       {"largest error of the lift (µm)", 1e6 * error}};
  add_work(run.summary, observed);
  return observed;
}

/// Grains below the outlet.
Observed hourglass(double compliance, const Settings&) {
  const SceneRun run = run_scene("hourglass", compliance, 0);
  const World& world = run.simulation.world();
  int below = 0;
  for (Index i = 0; i < world.size(); ++i)
    if (world.bodies()[i].kind == BodyKind::dynamic && world.pose(i).position.z < 0.35) ++below;
  Observed observed = {{"grains through the outlet", below},
                       {"largest penetration (µm)", 1e6 * run.summary.penetration_max}};
  add_work(run.summary, observed);
  return observed;
}

/// A row of spheres that touch is struck at one end. The front is where a sphere first has a
/// thousandth of the speed.
Observed sound(double compliance, const Settings&) {
  constexpr int spheres = 200;
  constexpr double radius = 0.1, speed = 1;
  World world;
  world.gravity = {};
  for (int k = 0; k < spheres; ++k)
    world.add(body()
                  .with(make_sphere(radius))
                  .mass(1)
                  .at({2 * radius * k, 0, 0})
                  .moving({k == 0 ? speed : 0.0, 0, 0}));
  Simulation simulation(std::move(world),
                        {.tolerance = 1e-10, .relative_compliance = compliance, .threads = 1});
  int steps = 0;
  while (simulation.world().state(spheres / 2).velocity.x < 1e-3 * speed && steps < 10'000) {
    simulation.step();
    ++steps;
  }
  const double reach = 0.5 * spheres / steps;
  return {{"bodies per step", reach},
          {"the same times √ε", reach * std::sqrt(compliance)},
          {"speed of sound (m/s)", 2 * radius * reach / simulation.options().step}};
}

void print_table(const std::string& title, const Settings& settings,
                 const std::function<Observed(double)>& observe) {
  std::vector<Observed> columns;
  for (const double compliance : compliances) {
    try {
      columns.push_back(observe(compliance));
    } catch (const Error& error) {
      std::fprintf(stderr, "%s, ε = %g: %s\n", title.c_str(), compliance, error.what());
      columns.emplace_back();
    }
  }
  fmt::print("\n{:<34}", title);
  for (const double compliance : compliances)
    fmt::print("{:>11}", compliance > 0 ? fmt::format("{}", compliance) : "rigid");
  fmt::print("\n");
  for (std::size_t line = 0; line < columns.front().size(); ++line) {
    fmt::print("  {:<32}", columns.front()[line].first);
    for (std::size_t k = 0; k < columns.size(); ++k) {
      if (columns[k].size() <= line) {
        fmt::print("{:>11}", "-");
        continue;
      }
      fmt::print("{:>11.4g}", columns[k][line].second);
      if (settings.csv)
        fmt::print(settings.csv, "\"{}\",\"{}\",{},{}\n", title, columns[k][line].first,
                   compliances[k], columns[k][line].second);
    }
    fmt::print("\n");
  }
  std::fflush(stdout);
}

void run(const Settings& settings) {
  fmt::print("Observables against the relative compliance ε of automatic contacts\n");
  if (settings.csv) fmt::print(settings.csv, "scene,observable,compliance,value\n");
  print_table("row of spheres", settings, [&](double e) { return sound(e, settings); });
  for (const char* name :
       {"box_stack_40", "masonry_arch", "card_house", "heavy_on_light", "heavy_column"})
    print_table(name, settings, [&](double e) { return standing(name, e, settings); });
  print_table("cam_follower", settings, [&](double e) { return follower(e, settings); });
  print_table("balls_in_box", settings, [&](double e) { return balls(e, settings); });
  if (!settings.quick)
    print_table("hourglass", settings, [&](double e) { return hourglass(e, settings); });
}

} // namespace
} // namespace talus

int main(int argc, char** argv) {
  talus::Settings settings;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--quick") == 0) {
      settings.quick = true;
    } else if (std::strcmp(argv[i], "--csv") == 0 && i + 1 < argc) {
      settings.csv = std::fopen(argv[++i], "w");
      if (!settings.csv) {
        std::fprintf(stderr, "compliance_bench: cannot write %s\n", argv[i]);
        return 1;
      }
    } else {
      std::fprintf(stderr, "usage: compliance_bench [--quick] [--csv FILE]\n");
      return 2;
    }
  }
  talus::run(settings);
  if (settings.csv && std::fclose(settings.csv) != 0) {
    std::fprintf(stderr, "compliance_bench: cannot write the table\n");
    return 1;
  }
  return 0;
}
