// Growth of time and memory with the number of bodies: whole steps of resting spheres, hexagonal
// layers that are solved from nothing (resting_spheres.h) or, with `--settled`, beds that a
// simulation at rest goes on with (settled_bed.h), or, with `--falling`, such beds while they fall,
// so many steps after their start, from whose images the first step starts from nothing. For equal
// work every solve is stopped after
// the same number of iterations; `--tolerance` solves to an error instead. Memory is what the
// process holds after the last step, over the bodies, and the largest it ever held.
//
//     scale_bench [--spheres 10000,100000] [--iterations 30] [--tolerance e] [--steps 2]
//                 [--threads n] [--solver auto] [--stiffness K] [--random]
//     scale_bench --settled [--cell 8] ...
//     scale_bench --falling 40 [--cell 8] [--compliance 0.05] ...

#include "resting_spheres.h"
#include "settled_bed.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <fstream>

namespace {

using namespace talus;

struct Settings {
  std::vector<Index> spheres{10000, 100000};
  long iterations = 30;
  double tolerance = 0;
  int steps = 2, threads = 0;
  std::string solver = StepOptions{}.solver;
  bench::Numbering numbering = bench::Numbering::layers;
  bool settled = false;
  int falling = 0; ///< Steps after which a falling bed is mirrored; 0: none falls.
  double compliance = StepOptions{}.relative_compliance;
  int cell = 8; ///< Side of the bed that is mirrored.
  double stiffness = std::numeric_limits<double>::infinity();
};

/// A line of /proc/self/status, in bytes; 0 where there is no such file.
double process_bytes(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(name + ":")) return 1024.0 * std::stod(line.substr(name.size() + 1));
  return 0;
}

/// Images of a bed of 16 layers with `cell` spheres along its sides, or fewer where no more are
/// wanted, and what holds them.
Simulation settled_spheres(Index count, const Settings& settings, StepOptions options) {
  constexpr int layers = 16, most_steps = 2000;
  options.step = 1.0 / 240;
  options.relative_compliance = settings.compliance;
  const double wanted_side = std::sqrt(static_cast<double>(count) / layers);
  const int side = std::min(settings.cell, static_cast<int>(std::lround(wanted_side)));
  const Index cells = std::lround(wanted_side / side);
  const double tolerance = settings.tolerance > 0 ? settings.tolerance : 1e-3;
  if (settings.falling > 0) {
    const bench::Bed bed = bench::falling_bed(side, layers, settings.falling, options);
    const bench::MirroredBed images(bed, cells, cells);
    return Simulation(images.world(0.5), std::move(options));
  }
  const bench::Bed bed = bench::settled_bed(side, layers, options.step, tolerance, most_steps);
  return bench::mirrored_simulation(bed, cells, std::move(options));
}

void measure(Index spheres, const Settings& settings) {
  const auto begin = std::chrono::steady_clock::now();
  StepOptions options;
  options.solver = settings.solver;
  options.threads = settings.threads;
  options.tolerance = settings.tolerance > 0 ? settings.tolerance : 1e-12;
  if (settings.tolerance <= 0) options.max_iterations = settings.iterations;
  Simulation simulation =
      settings.settled || settings.falling > 0
          ? settled_spheres(spheres, settings, options)
          : Simulation(bench::resting_spheres(spheres, settings.numbering, settings.stiffness),
                       options);
  const double loading =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const StepReport first = simulation.step();
  RunSummary summary;
  for (int k = 0; k < settings.steps; ++k) summary.include(simulation.step());
  const double bodies = simulation.world().size();
  fmt::print("{:>9} {:>10} {:>8.1f} {:>9.2f} {:>9.2f} {:>9.0f} {:>8.0f} {:>8.0f} {:>8.0f} {:>8.0f} "
             "{:>6.0f} {:>9.1e} {:>8.0f} {:>8.2f}\n",
             simulation.world().size(), first.contacts, loading, first.seconds(),
             summary.seconds / settings.steps, 1e9 * summary.seconds / settings.steps / bodies,
             1e9 * summary.seconds_collide / settings.steps / bodies,
             1e9 * summary.seconds_build / settings.steps / bodies,
             1e9 * summary.seconds_solve / settings.steps / bodies,
             1e9 * summary.seconds_advance / settings.steps / bodies,
             static_cast<double>(summary.iterations) / settings.steps, summary.error_max,
             process_bytes("VmRSS") / bodies, process_bytes("VmHWM") / 1e9);
  std::fflush(stdout);
}

} // namespace

int main(int count, char** arguments) {
  Settings settings;
  CLI::App app("Time and memory of whole steps against the number of spheres");
  app.add_option("--spheres", settings.spheres, "numbers of spheres")->delimiter(',');
  app.add_option("--iterations", settings.iterations, "solver iterations per step");
  app.add_option("--tolerance", settings.tolerance, "solve to this error instead");
  app.add_option("--steps", settings.steps, "timed steps after the first");
  app.add_option("--threads", settings.threads, "0: all the machine has");
  app.add_option("--solver", settings.solver, "of the steps");
  app.add_flag_callback(
      "--random", [&] { settings.numbering = bench::Numbering::random; },
      "number the spheres at random instead of along layers");
  app.add_option("--stiffness", settings.stiffness, "of contacts, N/m; rigid unless told")
      ->check(CLI::PositiveNumber);
  auto* settled = app.add_flag("--settled", settings.settled,
                               "go on with settled beds, mirrored as often as needed, h = 1/240 s")
                      ->excludes("--random")
                      ->excludes("--stiffness");
  app.add_option("--cell", settings.cell, "spheres along the sides of the bed that is mirrored")
      ->check(CLI::Range(2, 100));
  app.add_option("--falling", settings.falling,
                 "mirror a bed so many steps after it began to fall, h = 1/240 s")
      ->check(CLI::Range(1, 10000))
      ->excludes(settled)
      ->excludes("--random")
      ->excludes("--stiffness");
  app.add_option("--compliance", settings.compliance, "ε of contacts, with --falling or --settled")
      ->check(CLI::NonNegativeNumber);
  CLI11_PARSE(app, count, arguments);
  fmt::print("{:>9} {:>10} {:>8} {:>9} {:>9} {:>9} {:>35} {:>6} {:>9} {:>8} {:>8}\n", "", "",
             "loading", "1st step", "step", "ns/body", "of which ns/body and step", "", "", "bytes",
             "most");
  fmt::print(
      "{:>9} {:>10} {:>8} {:>9} {:>9} {:>9} {:>8} {:>8} {:>8} {:>8} {:>6} {:>9} {:>8} {:>8}\n",
      "bodies", "contacts", "s", "s", "s", "and step", "collide", "build", "solve", "advance",
      "iter.", "error", "/body", "GB");
  for (Index spheres : settings.spheres) measure(spheres, settings);
}
