// How the work to an error of 1e-6 grows with the size of a pile, under Coulomb's law: products
// with N (or what costs as much) and processor seconds, from nothing and warm-started, for auto,
// coulomb-apgd, ip-newton, apgd and nsgs. A solver that misses the error in the time given is not
// asked for larger piles.
//
//     growth_bench [largest number of contacts, default 30000] [seconds per solve, default 60]
//     [csv, for apps/plots/growth_plot.py] [solver ...]
//
// The piles are lattices of spheres on a floor with jittered normals (sphere_packing.h). The warm
// start is the answer for the same pile before every gap moved by up to 1 % of what gravity closes
// in a step.

#include "processor_time.h"
#include "sphere_packing.h"
#include "talus/core/parallel.h"
#include "talus/solve/registry.h"

#include <fmt/format.h>

#include <cstdlib>
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
                   const Measured& measured) {
  const SolveResult& result = measured.result;
  fmt::print("{:>9} {:>12} {:>5} {:>10} {:>9} {:>9.1e} {:>9.3f}  {}\n", problem.contacts(), solver,
             start, result.iterations, result.products, result.quality.error, measured.seconds,
             to_string(result.status));
  std::fflush(stdout);
  return fmt::format("{},{},{},{},{},{},{},{}\n", problem.contacts(), solver, start,
                     result.iterations, result.products, result.quality.error, measured.seconds,
                     to_string(result.status));
}

} // namespace

int main(int count, char** arguments) {
  const double largest = count > 1 ? std::atof(arguments[1]) : 30000;
  SolveOptions options;
  options.tolerance = 1e-6;
  options.time_limit = count > 2 ? std::atof(arguments[2]) : 60;
  std::ofstream csv;
  if (count > 3) csv.open(arguments[3]);
  csv << "contacts,solver,start,iterations,products,error,seconds,status\n";
  fmt::print("{:>9} {:>12} {:>5} {:>10} {:>9} {:>9} {:>9}\n", "contacts", "solver", "start",
             "iterations", "products", "error", "cpu s");
  std::vector<std::string> solvers = {"auto", "coulomb-apgd", "ip-newton", "apgd", "nsgs"};
  if (count > 4) solvers.assign(arguments + 4, arguments + count);
  for (Index spheres = 280; 3.6 * spheres <= largest; spheres *= 3) {
    ContactProblem before = bench::lattice_packing(spheres, true);
    before.law = Law::coulomb;
    const ContactProblem after = moved(before);
    std::erase_if(solvers, [&](const std::string& solver) {
      SolveOptions own = options;
      const Measured cold = measure(solver, before, own);
      csv << report(solver, "cold", before, cold) << std::flush;
      own.initial = cold.result.x;
      if (cold.result.status != Status::converged) return true;
      csv << report(solver, "warm", after, measure(solver, after, own)) << std::flush;
      return false;
    });
  }
}
