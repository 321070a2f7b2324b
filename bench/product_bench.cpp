// The product with the body-structured Delassus operator against the memory bandwidth of the same
// process.
//
// Bytes counted per contact are compulsory traffic only, as if every array were read once per pass:
// geometry twice (96 bytes), body indices, the adjacency entries, x read, y written (with its
// write-allocate), and the bodies' velocities and masses shared among their contacts. The triad a =
// b + s c is counted with 24 bytes per element, as STREAM does.

#include "sphere_packing.h"
#include "talus/core/parallel.h"
#include "talus/core/vector_ops.h"
#include "talus/problem/delassus/delassus.h"

#include <fmt/format.h>

#include <chrono>

namespace {

using namespace talus;

template <class Work>
double best_seconds(int repeats, Work&& work) {
  double best = 1e300;
  for (int k = 0; k < repeats; ++k) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    best = std::min(
        best, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  return best;
}

double triad_bandwidth() {
  constexpr Index n = 20'000'000;
  Vector a(n), b(n, 1.0), c(n, 2.0);
  const double seconds = best_seconds(10, [&] { combine(1.0, b, 3.0, c, a); });
  return 24.0 * n / seconds;
}

double bytes_per_contact(const ContactProblem& problem) {
  const double bodies =
      static_cast<double>(std::get<RigidModel>(problem.model).inverse_mass.size()) /
      problem.contacts();
  const double gather = sizeof(RigidContact) + 2 * sizeof(Index) + 24 +
                        bodies * (sizeof(Index) + sizeof(RigidInverseMass) + 48 * 2);
  const double observe = sizeof(RigidContact) + sizeof(BodyPair) + 24 * 2 + bodies * 48;
  return gather + observe;
}

void measure(Index spheres, int threads) {
  const ContactProblem problem = bench::lattice_packing(spheres);
  const auto n = make_operator(problem);
  Vector x(n->size(), 1.0), y(n->size());
  with_threads(threads, [&] {
    const double bandwidth = triad_bandwidth();
    const double seconds = best_seconds(spheres > 200000 ? 20 : 200, [&] { n->apply(x, y); });
    const double bytes = bytes_per_contact(problem), rate = bytes * problem.contacts() / seconds;
    fmt::print("{:>9} {:>9} {:>7} {:>10.2f} {:>13.0f} {:>10.1f} {:>10.1f} {:>8.0f} %\n", spheres,
               problem.contacts(), threads, 1e9 * seconds / problem.contacts(), bytes, rate / 1e9,
               bandwidth / 1e9, 100 * rate / bandwidth);
  });
}

} // namespace

int main() {
  fmt::print("{:>9} {:>9} {:>7} {:>10} {:>13} {:>10} {:>10} {:>10}\n", "spheres", "contacts",
             "threads", "ns/contact", "bytes/contact", "GB/s", "triad GB/s", "share");
  for (Index spheres : {4000, 100000, 1000000})
    for (int threads : {1, 2}) measure(spheres, threads);
}
