// What a visit of a contact costs in the batched sweeps of ansgs (solve/batches): sweeps alone,
// with the extrapolation of bodies, and whole solves of 100 iterations or more, with their errors,
// setting up and judging. Processor time for one thread, wall-clock time for more.
//
// Lattices of spheres (sphere_packing.h) under Coulomb's law that yield with ε = 0.01 and overlap a
// little, so that every contact bears a load: none sleeps. `--boxes` gives the bodies unequal
// moments of inertia, for which a visit takes two steps of sliding instead of one.
//
// The bytes are those that a sweep must move once the problem is larger than the caches: the
// batches, their impulses written back, and the bodies with their last velocities, read and
// written. The triad a = b + s c is measured in the same process, with 24 bytes per element.
//
//     sweep_bench [--spheres 300,900,3700,50000,260000] [--threads 1,2] [--boxes]

#include "processor_time.h"
#include "sphere_packing.h"
#include "talus/core/parallel.h"
#include "talus/core/vector_ops.h"
#include "talus/problem/delassus/delassus.h"
#include "talus/problem/scaled/quality.h"
#include "talus/solve/batches/rigid_batches.h"
#include "talus/solve/monitor.h"
#include "talus/solve/registry.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace {

using namespace talus;

double wall_clock_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Of the process where one thread works, so that other programs matter less; else of the wall.
double seconds_now(int threads) {
  return threads == 1 ? processor_seconds() : wall_clock_seconds();
}

/// Seconds of one call, the best of some batches of calls.
template <class Work>
double best_seconds(int threads, long calls, Work&& work) {
  constexpr int batches = 7;
  double best = 1e300;
  for (int k = 0; k < batches; ++k) {
    const double begin = seconds_now(threads);
    for (long call = 0; call < calls; ++call) work();
    best = std::min(best, (seconds_now(threads) - begin) / static_cast<double>(calls));
  }
  return best;
}

double triad_bandwidth(int threads) {
  constexpr Index n = 10'000'000;
  Vector a(n), b(n, 1.0), c(n, 2.0);
  return 24.0 * n / best_seconds(threads, 1, [&] { combine(1.0, b, 3.0, c, a); });
}

ContactProblem pressed_lattice(Index spheres, bool boxes) {
  constexpr double relative_compliance = 0.01, overlap = 1e-5; // m
  ContactProblem problem = bench::lattice_packing(spheres, true);
  problem.law = Law::coulomb;
  auto& model = std::get<RigidModel>(problem.model);
  for (RigidInverseMass& m : model.inverse_mass)
    if (boxes) m.inertia[3] *= 1.5;
  const double compliance = relative_compliance * model.inverse_mass.front().mass;
  problem.compliance.assign(problem.impulses(), compliance);
  for (Index c = 0; c < problem.contacts(); ++c)
    model.w[3 * static_cast<std::size_t>(c)] = -overlap / bench::lattice_step;
  return problem;
}

double bytes_per_contact(const ContactProblem& problem) {
  constexpr double numbers_written = 3 + 3 + 1; // impulses, the last ones, relaxation
  const double bodies =
      static_cast<double>(std::get<RigidModel>(problem.model).inverse_mass.size()) /
      problem.contacts();
  return static_cast<double>(sizeof(ContactBatch<3>)) / batch_width + 8 * numbers_written +
         bodies * 4 * sizeof(BodyRecord);
}

void measure(Index spheres, bool boxes, int threads) {
  const ContactProblem problem = pressed_lattice(spheres, boxes);
  const auto n = make_operator(problem);
  const ScaledProblem scaled(problem, *n);
  const double contacts = problem.contacts();
  const long calls = std::max(1L, std::lround(3e6 / contacts));
  with_threads(threads, [&] {
    SweepPartition parts;
    const auto& model = std::get<RigidModel>(problem.model);
    parts.divide(static_cast<Index>(model.inverse_mass.size()), model.contact_bodies);
    RigidBatches<3> batches;
    batches.prepare(scaled, parts, Vector(problem.size(), 0.0));
    batches.reset({});
    const SweepSettings settings{.beta = 0.5, .omega = 1, .damps = true};
    for (int k = 0; k < 5; ++k) batches.sweep(settings);
    const double sweep = best_seconds(threads, calls, [&] { batches.sweep(settings); });

    SolveOptions options;
    options.tolerance = 1e-15;
    options.max_iterations = std::max(100L, calls);
    const auto solver = make_solver("ansgs");
    double iteration = 1e300;
    for (int k = 0; k < 3; ++k) {
      const double begin = seconds_now(threads);
      ScaledProblem own(problem, *n);
      Vector z(problem.size(), 0.0), x(problem.size()), u(problem.size());
      Monitor monitor(own, options);
      solver->run(own, z, monitor);
      own.to_physical(z, x);
      judge(own, x, z, u);
      iteration = std::min(iteration, (seconds_now(threads) - begin) /
                                          static_cast<double>(std::max(1L, monitor.iterations())));
    }
    const double bytes = bytes_per_contact(problem), rate = bytes * contacts / sweep;
    const double bandwidth = triad_bandwidth(threads);
    fmt::print("{:>9.0f} {:>7} {:>9.1f} {:>11.1f} {:>8.0f} {:>9.1f} {:>9.1f} {:>7.0f} %\n",
               contacts, threads, 1e9 * sweep / contacts, 1e9 * iteration / contacts, bytes,
               rate / 1e9, bandwidth / 1e9, 100 * rate / bandwidth);
    std::fflush(stdout);
  });
}

} // namespace

int main(int count, char** arguments) {
  std::vector<Index> spheres{300, 900, 3700, 50'000, 260'000};
  std::vector<int> threads{1, 2};
  bool boxes = false;
  CLI::App app("Cost of a visit in batched sweeps, against the memory bandwidth");
  app.add_option("--spheres", spheres, "numbers of spheres")->delimiter(',');
  app.add_option("--threads", threads, "numbers of threads")->delimiter(',');
  app.add_flag("--boxes", boxes, "bodies of unequal moments of inertia");
  CLI11_PARSE(app, count, arguments);
  fmt::print("{:>9} {:>7} {:>9} {:>11} {:>8} {:>9} {:>9} {:>9}\n", "", "", "sweep", "iteration", "",
             "", "triad", "");
  fmt::print("{:>9} {:>7} {:>21} {:>8} {:>9} {:>9} {:>9}\n", "contacts", "threads",
             "ns per contact", "bytes", "GB/s", "GB/s", "share");
  for (const Index size : spheres)
    for (const int number : threads) measure(size, boxes, number);
}
