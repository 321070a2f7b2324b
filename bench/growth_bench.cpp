// How the work to an error grows with the size of a pile, under Coulomb's law: products with N (or
// what costs as much) and processor seconds, from nothing and warm-started. A solver that misses
// the error in the time given is not asked for larger piles.
//
//     growth_bench [--tolerance 1e-6] [--smallest 1] [--largest 30000] [--seconds 60] [--csv file]
//                  [--solvers auto,coulomb-apgd,ip-newton,apgd,nsgs] [--stiffness K] [--beds]
//
// `--smallest` and `--largest` are in contacts, `--seconds` is the time for one solve;
// apps/plots/growth_plot.py draws the csv file. The piles are lattices of spheres on a floor with
// jittered normals (sphere_packing.h). The warm start is the answer for the same pile before every
// gap moved by up to 1 % of what gravity closes in a step. With `--stiffness` contacts yield
// (step/elastic_contacts.h, N/m), else they are rigid.
//
// With `--beds` they are beds of 16 layers that a simulation has brought to rest, mirrored until
// they are wide enough (settled_bed.h), and gravity leans over by a milliradian: the next step
// starts from the impulses of the last (`leans`).

#include "processor_time.h"
#include "settled_bed.h"
#include "sphere_packing.h"
#include "talus/core/parallel.h"
#include "talus/solve/registry.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <fstream>
#include <string>
#include <vector>

namespace {

using namespace talus;
using bench::lattice_step;

/// The pile a step later.
ContactProblem moved(ContactProblem problem) {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> gap(-1, 1);
  RigidModel& model = std::get<RigidModel>(problem.model);
  for (std::size_t c = 0; c < model.contacts.size(); ++c)
    model.w[3 * c] += 0.01 * 9.81 * lattice_step * gap(random);
  return problem;
}

struct Settings {
  double smallest = 1, largest = 30000, seconds = 60, tolerance = 1e-6;
  double stiffness = std::numeric_limits<double>::infinity();
  std::string csv;
  bool beds = false;
  std::vector<std::string> solvers{"auto", "coulomb-apgd", "ip-newton", "apgd", "nsgs"};
};

struct Measured {
  SolveResult result;
  double seconds = 0;
};

Measured measure(const std::string& solver, const ContactProblem& problem,
                 const SolveOptions& options) {
  const auto n = make_operator(problem);
  const auto method = make_solver(solver);
  const double begin = processor_seconds();
  Measured measured;
  measured.result = with_threads(1, [&] { return solve(*method, problem, *n, options); });
  measured.seconds = processor_seconds() - begin;
  return measured;
}

std::string report(const std::string& solver, const char* start, const ContactProblem& problem,
                   double tolerance, const Measured& measured) {
  const SolveResult& result = measured.result;
  fmt::print("{:>9} {:>12} {:>5} {:>10} {:>9} {:>9.1e} {:>9.3f}  {}\n", problem.contacts(), solver,
             start, result.iterations, result.products, result.quality.error, measured.seconds,
             to_string(result.status));
  std::fflush(stdout);
  return fmt::format("{},{},{},{},{},{},{},{},{}\n", problem.contacts(), solver, start, tolerance,
                     result.iterations, result.products, result.quality.error, measured.seconds,
                     to_string(result.status));
}

/// The step's problem with gravity turned towards x by an angle.
ContactProblem leaning(ContactProblem problem, double angle, double h) {
  RigidModel& model = std::get<RigidModel>(problem.model);
  for (std::size_t body = 0; body < model.inverse_mass.size(); ++body) {
    if (model.inverse_mass[body].mass == 0) continue;
    model.free_velocity[6 * body] += h * 9.81 * std::sin(angle);
    model.free_velocity[6 * body + 2] += h * 9.81 * (1 - std::cos(angle));
  }
  return problem;
}

void measure_beds(const Settings& settings, const SolveOptions& options, std::ofstream& csv) {
  constexpr int side = 8, layers = 16, most_steps = 2000;
  constexpr double h = 1.0 / 240, milliradian = 1e-3;
  const bench::Bed bed = bench::settled_bed(side, layers, h, settings.tolerance, most_steps);
  std::vector<std::string> solvers = settings.solvers;
  for (const Index cells : {1, 2, 4, 8, 15}) {
    const double contacts = 4.4 * side * side * layers * cells * cells;
    if (contacts < settings.smallest || contacts > settings.largest) continue;
    Simulation simulation = bench::mirrored_simulation(
        bed, cells, {.step = h, .tolerance = settings.tolerance, .threads = 1});
    if (!simulation.step().converged()) fmt::print("the bed is not at rest\n");
    const ContactProblem leans = leaning(simulation.problem(), milliradian, h);
    SolveOptions own = options;
    own.initial = simulation.solution();
    std::erase_if(solvers, [&](const std::string& solver) {
      const Measured measured = measure(solver, leans, own);
      csv << report(solver, "leans", leans, own.tolerance, measured) << std::flush;
      return measured.result.status != Status::converged;
    });
  }
}

void measure_lattices(const Settings& settings, const SolveOptions& options, std::ofstream& csv) {
  std::vector<std::string> solvers = settings.solvers;
  for (Index spheres = 280; 3.6 * spheres <= settings.largest; spheres *= 3) {
    if (3.6 * spheres < settings.smallest) continue;
    ContactProblem before = bench::lattice_packing(spheres, true);
    before.law = Law::coulomb;
    if (std::isfinite(settings.stiffness))
      before.compliance.assign(before.size(),
                               1 / (lattice_step * lattice_step * settings.stiffness));
    const ContactProblem after = moved(before);
    std::erase_if(solvers, [&](const std::string& solver) {
      SolveOptions own = options;
      const Measured cold = measure(solver, before, own);
      csv << report(solver, "cold", before, own.tolerance, cold) << std::flush;
      own.initial = cold.result.x;
      if (cold.result.status != Status::converged) return true;
      csv << report(solver, "warm", after, own.tolerance, measure(solver, after, own))
          << std::flush;
      return false;
    });
  }
}

void measure_growth(const Settings& settings) {
  SolveOptions options;
  options.tolerance = settings.tolerance;
  options.time_limit = settings.seconds;
  std::ofstream csv;
  if (!settings.csv.empty()) csv.open(settings.csv);
  csv << "contacts,solver,start,tolerance,iterations,products,error,seconds,status\n";
  fmt::print("{:>9} {:>12} {:>5} {:>10} {:>9} {:>9} {:>9}\n", "contacts", "solver", "start",
             "iterations", "products", "error", "cpu s");
  if (settings.beds)
    measure_beds(settings, options, csv);
  else
    measure_lattices(settings, options, csv);
}

} // namespace

int main(int count, char** arguments) {
  Settings settings;
  CLI::App app("Work to an error against the size of a pile");
  app.add_option("--tolerance", settings.tolerance, "the error");
  app.add_option("--smallest", settings.smallest, "contacts of the smallest pile");
  app.add_option("--largest", settings.largest, "contacts of the largest pile");
  app.add_option("--seconds", settings.seconds, "time for one solve");
  app.add_option("--csv", settings.csv, "write the table to this file");
  app.add_option("--solvers", settings.solvers, "which to run")->delimiter(',');
  auto* stiffness =
      app.add_option("--stiffness", settings.stiffness, "of lattices, N/m; rigid unless told")
          ->check(CLI::PositiveNumber);
  app.add_flag("--beds", settings.beds, "beds at rest under which gravity leans over, not lattices")
      ->excludes(stiffness);
  CLI11_PARSE(app, count, arguments);
  measure_growth(settings);
}
