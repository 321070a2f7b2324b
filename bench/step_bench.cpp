// Whole time steps of resting spheres: body-steps per second at 1k, 10k and 100k, split into
// phases (resting_spheres.h). After two warm-up steps, five are timed.
// Solves are asked for an error of 1e-2 and stopped after 30 iterations, so that every size does
// comparable work; the column `error` says what was reached.

#include "resting_spheres.h"
#include "talus/step/simulation.h"

#include <fmt/format.h>

namespace {

using namespace talus;

void measure(Index spheres, int threads) {
  StepOptions options;
  options.tolerance = 1e-2;
  options.max_iterations = 30;
  options.threads = threads;
  Simulation simulation(bench::resting_spheres(spheres), options);
  for (int k = 0; k < 2; ++k) simulation.step();
  RunSummary summary;
  for (int k = 0; k < 5; ++k) summary.include(simulation.step());
  const double bodies = static_cast<double>(simulation.world().size()) * 5;
  const auto micro = [&](double seconds) { return 1e6 * seconds / bodies; };
  fmt::print("{:>8} {:>9.0f} {:>8} {:>14.0f} {:>9.2f} {:>9.2f} {:>9.2f} {:>9.2f} {:>11} {:>9.1e}\n",
             simulation.world().size(), summary.contacts_mean, threads, bodies / summary.seconds,
             micro(summary.seconds_collide), micro(summary.seconds_build),
             micro(summary.seconds_solve), micro(summary.seconds_advance), summary.iterations,
             summary.error_max);
}

} // namespace

int main() {
  fmt::print("{:>8} {:>9} {:>8} {:>14} {:>39}\n", "", "", "", "body-steps",
             "microseconds per body and step");
  fmt::print("{:>8} {:>9} {:>8} {:>14} {:>9} {:>9} {:>9} {:>9} {:>11} {:>9}\n", "bodies",
             "contacts", "threads", "per second", "collide", "build", "solve", "advance",
             "iterations", "error");
  for (Index spheres : {1000, 10000, 100000})
    for (int threads : {1, 2}) measure(spheres, threads);
}
