// Sparse Cholesky factors of lattices of bodies with 3 or 6 unknowns each: SupernodalCholesky, and
// CHOLMOD (libsuitesparse-dev, with the BLAS of the machine) where it was found. Milliseconds of
// processor time for the analysis of a pattern and for one factorisation.
//
//     factor_bench

#include "processor_time.h"
#include "serial_blas.h"
#include "support/random_models.h"
#include "talus/linalg/supernodal_cholesky.h"

#include <fmt/format.h>

#include <cstdlib>
#include <functional>

#ifdef TALUS_HAS_CHOLMOD
#include <Eigen/CholmodSupport>
#endif

namespace talus::bench {
namespace {

/// The lower triangle of a symmetric matrix in compressed columns.
struct LowerTriangle {
  std::vector<Index> start = {0}, row;
  Vector value;
  Index size() const { return static_cast<Index>(start.size()) - 1; }
};

/// A cube of bodies, each coupled to its six neighbours.
LowerTriangle lattice(Index side, int unknowns) {
  test::RandomProblems random(1);
  LowerTriangle matrix;
  const auto add_entries = [&](Index body, int first) {
    for (int t = first; t < unknowns; ++t) {
      matrix.row.push_back(body * unknowns + t);
      matrix.value.push_back(random.number(-1, 1));
    }
  };
  for (Index body = 0; body < side * side * side; ++body)
    for (int s = 0; s < unknowns; ++s) {
      const std::size_t diagonal = matrix.row.size();
      add_entries(body, s);
      if ((body + 1) % side != 0) add_entries(body + 1, 0);
      if (body / side % side + 1 < side) add_entries(body + side, 0);
      if (body / (side * side) + 1 < side) add_entries(body + side * side, 0);
      matrix.value[diagonal] = 14.0 * unknowns;
      matrix.start.push_back(static_cast<Index>(matrix.row.size()));
    }
  return matrix;
}

struct Times {
  double analysis, factorisation;
};

/// Each as often as fits into a tenth of a second.
Times measure(const std::function<void()>& analyse, const std::function<void()>& factorise) {
  const auto time_of = [](const std::function<void()>& work) {
    work();
    const double begin = thread_seconds();
    int count = 0;
    for (; count == 0 || thread_seconds() < begin + 0.1; ++count) work();
    return (thread_seconds() - begin) / count;
  };
  return {time_of(analyse), time_of(factorise)};
}

void print_row(const LowerTriangle& matrix, const Times& own, std::size_t fill) {
  fmt::print("{:>9} {:>12} {:>12.3f} {:>12.3f}", matrix.size(), fill, 1e3 * own.analysis,
             1e3 * own.factorisation);
#ifdef TALUS_HAS_CHOLMOD
  using Sparse = Eigen::SparseMatrix<double>;
  const Sparse upper =
      Eigen::Map<const Sparse>(matrix.size(), matrix.size(), static_cast<Index>(matrix.row.size()),
                               matrix.start.data(), matrix.row.data(), matrix.value.data())
          .transpose();
  Eigen::CholmodDecomposition<Sparse, Eigen::Upper> cholmod;
  cholmod.setMode(Eigen::CholmodSupernodalLLt);
  const Times other =
      measure([&] { cholmod.analyzePattern(upper); }, [&] { cholmod.factorize(upper); });
  fmt::print(" {:>12.3f} {:>12.3f} {:>8.1f}", 1e3 * other.analysis, 1e3 * other.factorisation,
             other.factorisation / own.factorisation);
#endif
  fmt::print("\n");
}

} // namespace
} // namespace talus::bench

int main() {
  using namespace talus;
  bench::use_serial_blas();
  fmt::print("{:>9} {:>12} {:>12} {:>12} {:>12} {:>12} {:>8}\n", "unknowns", "entries of L",
             "analysis", "factors, ms", "CHOLMOD's", "factors, ms", "ratio");
#ifndef TALUS_HAS_CHOLMOD
  fmt::print("(CHOLMOD was not found: install libsuitesparse-dev)\n");
#endif
  for (const Index side : {4, 8, 12, 16, 22})
    for (const int unknowns : {3, 6}) {
      const bench::LowerTriangle matrix = bench::lattice(side, unknowns);
      SupernodalCholesky factor;
      const bench::Times times = bench::measure([&] { factor.analyse(matrix.start, matrix.row); },
                                                [&] {
                                                  if (!factor.factorise(matrix.value)) std::abort();
                                                });
      bench::print_row(matrix, times, factor.fill());
    }
  return 0;
}
