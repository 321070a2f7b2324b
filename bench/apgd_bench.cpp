// apgd on the settled spheres that Project Chrono exported, to a violation of 1e-6 m/s (associated
// law): products, time, and nanoseconds per contact and iteration, of the wall clock and of
// processor time (of all threads together; the number to trust on a busy machine). The problems are
// read as body-structured.

#include "talus/core/parallel.h"
#include "talus/problem/files/fclib_file.h"
#include "talus/solve/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <filesystem>

namespace {

using namespace talus;

struct Measured {
  SolveResult result;
  double processor_seconds = 0;
};

/// The solver stops on `error`; the tolerance that brings the violation below the goal is found by
/// halving it.
Measured solve_to_violation(const ContactProblem& problem, const DelassusOperator& n, double goal) {
  SolveOptions options;
  for (options.tolerance = 1e-2;; options.tolerance *= 0.5) {
    const auto solver = make_solver("apgd");
    const std::clock_t begin = std::clock();
    SolveResult result = solve(*solver, problem, n, options);
    const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    if (result.quality.violation <= goal || options.tolerance < 1e-10)
      return {std::move(result), seconds};
  }
}

void measure(const std::filesystem::path& path, int threads) {
  ContactProblem problem = read_fclib(path.string()).problem;
  problem.law = Law::associated;
  const auto n = make_operator(problem);
  const Measured measured =
      with_threads(threads, [&] { return solve_to_violation(problem, *n, 1e-6); });
  const SolveResult& result = measured.result;
  const double work = static_cast<double>(problem.contacts()) * std::max(1L, result.iterations);
  fmt::print("{:<16} {:>8} {:>8} {:>7} {:>9} {:>10.2e} {:>10.2e} {:>9.1f} {:>14.1f} {:>9.1f}\n",
             path.stem().string(), problem.contacts(), n->face(), threads, result.products,
             result.quality.violation, result.quality.error, 1e3 * result.seconds,
             1e9 * result.seconds / work, 1e9 * measured.processor_seconds / work);
}

} // namespace

int main() {
  const std::filesystem::path folder = TALUS_CORPUS_DIR "/chrono";
  if (!std::filesystem::is_directory(folder)) {
    fmt::print("skipped: no problem corpus at {}\n", TALUS_CORPUS_DIR);
    return 0;
  }
  fmt::print("{:<16} {:>8} {:>8} {:>7} {:>9} {:>10} {:>10} {:>9} {:>14} {:>9}\n", "problem",
             "contacts", "face", "threads", "products", "violation", "error", "ms", "ns/contact/it",
             "processor");
  for (const char* name :
       {"A1000_mu0", "A1000_mu25", "A2000_mu0", "B1000_m1000", "B1000_m16000", "C320_good"})
    for (int threads : {1, 2}) measure(folder / (std::string(name) + ".hdf5"), threads);
}
