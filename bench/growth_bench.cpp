// How the work to an error grows with the size of a pile, under Coulomb's law: products with N (or
// what costs as much) and processor seconds, from nothing and warm-started. A solver that misses
// the error in the time given is not asked for larger piles.
//
//     growth_bench [--tolerance 1e-6] [--smallest 1] [--largest 30000] [--seconds 60] [--csv file]
//                  [--solvers auto,coulomb-apgd,ip-newton,apgd,nsgs]
//
// `--smallest` and `--largest` are in contacts, `--seconds` is the time for one solve;
// apps/plots/growth_plot.py draws the csv file. The piles are lattices of spheres on a floor with
// jittered normals (sphere_packing.h). The warm start is the answer for the same pile before every
// gap moved by up to 1 % of what gravity closes in a step.

#include "processor_time.h"
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

/// The pile a step later.
ContactProblem moved(ContactProblem problem) {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> gap(-1, 1);
  RigidModel& model = std::get<RigidModel>(problem.model);
  for (std::size_t c = 0; c < model.contacts.size(); ++c)
    model.w[3 * c] += 0.01 * 9.81 * 1e-3 * gap(random);
  return problem;
}

struct Settings {
  double smallest = 1, largest = 30000, seconds = 60, tolerance = 1e-6;
  std::string csv;
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

void measure_growth(const Settings& settings) {
  SolveOptions options;
  options.tolerance = settings.tolerance;
  options.time_limit = settings.seconds;
  std::ofstream csv;
  if (!settings.csv.empty()) csv.open(settings.csv);
  csv << "contacts,solver,start,tolerance,iterations,products,error,seconds,status\n";
  fmt::print("{:>9} {:>12} {:>5} {:>10} {:>9} {:>9} {:>9}\n", "contacts", "solver", "start",
             "iterations", "products", "error", "cpu s");
  std::vector<std::string> solvers = settings.solvers;
  for (Index spheres = 280; 3.6 * spheres <= settings.largest; spheres *= 3) {
    if (3.6 * spheres < settings.smallest) continue;
    ContactProblem before = bench::lattice_packing(spheres, true);
    before.law = Law::coulomb;
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
  CLI11_PARSE(app, count, arguments);
  measure_growth(settings);
}
