// Talus against Siconos on the problems with rolling friction of the corpus: Siconos' own test
// data, by Siconos' error measure, one thread, one process. Siconos runs its Gauss-Seidel and ADMM
// methods for rolling friction; global problems are given to both in their local form. Times are
// processor times of one solve from zero impulses, the least of several; an answer counts if Talus'
// judgement confirms the tolerance. Where it does not, the error that was reached is shown instead.
//
//     siconos_rolling_bench [tolerance = 1e-8]

#include "processor_time.h"
#include "serial_blas.h"
#include "talus/core/parallel.h"
#include "talus/problem/delassus/explicit_operator.h"
#include "talus/problem/files/problem_file.h"
#include "talus/solve/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>

#ifdef TALUS_HAS_SICONOS
#include <Friction_cst.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <RollingFrictionContactProblem.h>
#include <SolverOptions.h>
#endif

namespace {

using namespace talus;

#ifdef TALUS_HAS_SICONOS

struct Method {
  const char* name;
  int id;
  bool dense;
  int iterations;
};
// NSGS asks for the diagonal blocks of a dense matrix; Siconos 4.4 ends at others.
constexpr Method methods[] = {{"NSGS", SICONOS_ROLLING_FRICTION_3D_NSGS, true, 100'000},
                              {"ADMM", SICONOS_ROLLING_FRICTION_3D_ADMM, false, 20'000}};

/// The problem in Siconos' storage: dense or compressed columns.
class SiconosProblem {
public:
  SiconosProblem(const ContactProblem& problem, bool dense)
      : q_(std::get<LocalModel>(problem.model).q), mu_(problem.mu), rolling_(problem.rolling) {
    const SparseMatrix& w = std::get<LocalModel>(problem.model).W;
    matrix_ = NM_create(dense ? NM_DENSE : NM_SPARSE, w.rows, w.columns);
    if (!dense) NM_triplet_alloc(matrix_, w.nonzeros());
    for (Index row = 0; row < w.rows; ++row)
      for (auto k = w.row_start[row]; k < w.row_start[row + 1]; ++k)
        NM_entry(matrix_, row, w.column[k], w.value[k]);
    problem_ = {5, problem.contacts(), matrix_, q_.data(), mu_.data(), rolling_.data()};
  }
  ~SiconosProblem() {
    NM_clear(matrix_);
    free(matrix_);
  }
  SiconosProblem(const SiconosProblem&) = delete;
  SiconosProblem& operator=(const SiconosProblem&) = delete;

  double solve(const Method& method, double tolerance, Vector& r) {
    SolverOptions* options = solver_options_create(method.id);
    options->dparam[SICONOS_DPARAM_TOL] = tolerance;
    options->iparam[SICONOS_IPARAM_MAX_ITER] = method.iterations;
    Vector u(r.size(), 0.0);
    std::fill(r.begin(), r.end(), 0.0);
    const double begin = thread_seconds();
    rolling_fc3d_driver(&problem_, r.data(), u.data(), options);
    const double seconds = thread_seconds() - begin;
    solver_options_delete(options);
    free(options);
    return seconds;
  }

private:
  Vector q_, mu_, rolling_;
  NumericsMatrix* matrix_ = nullptr;
  RollingFrictionContactProblem problem_{};
};

/// The least time of several solves that reach the tolerance, or the error of one that does not.
struct Outcome {
  double seconds = std::numeric_limits<double>::infinity(), error = 0;
  std::string text(double tolerance) const {
    if (error <= tolerance) return fmt::format("{:.3f}", 1e3 * seconds);
    return fmt::format("({:.0e})", error);
  }
};

/// `solve(r)` gives seconds and impulses. Repeated for half a second.
template <class Solve>
Outcome best_of(const ContactProblem& problem, const DelassusOperator& n, Solve&& solve) {
  Outcome outcome;
  double total = 0;
  for (int k = 0; k < 50 && total < 0.5; ++k) {
    Vector r(problem.size(), 0.0);
    const double seconds = solve(r);
    total += seconds;
    outcome.seconds = std::min(outcome.seconds, seconds);
    outcome.error = std::max(outcome.error, judge(problem, n, r).error_fclib);
  }
  return outcome;
}

void compare(const std::filesystem::path& path, double tolerance) {
  ContactProblem problem = read_problem(path.string());
  if (const auto* global = std::get_if<GlobalModel>(&problem.model))
    problem.model = eliminate_velocities(GlobalModel(*global));
  const auto n = make_operator(problem);
  const auto talus_runs = [&](const char* name) {
    return best_of(problem, *n, [&](Vector& r) {
      SolveOptions options;
      options.tolerance = tolerance;
      options.measure = Measure::fclib;
      options.time_limit = 20;
      const auto solver = make_solver(name);
      const double begin = thread_seconds();
      const SolveResult result = solve(*solver, problem, *n, options);
      r = result.x;
      return thread_seconds() - begin;
    });
  };
  fmt::print("{:<34} {:>8}", path.filename().string(), problem.contacts());
  for (const char* name : {"auto", "nsgs", "prox-newton"})
    fmt::print(" {:>12}", talus_runs(name).text(tolerance));
  for (const Method& method : methods) {
    SiconosProblem siconos(problem, method.dense);
    const Outcome outcome =
        best_of(problem, *n, [&](Vector& r) { return siconos.solve(method, tolerance, r); });
    fmt::print(" {:>12}", outcome.text(tolerance));
    std::fflush(stdout);
  }
  fmt::print("\n");
}

int run(double tolerance) {
  const std::filesystem::path folder(TALUS_CORPUS_DIR "/rolling");
  if (!std::filesystem::is_directory(folder)) {
    fmt::print("the corpus is not there: {}\n", folder.string());
    return 0;
  }
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  fmt::print("milliseconds to error_fclib <= {:g}, or the error reached in brackets\n{:<34} {:>8} "
             "{:>12} {:>12} {:>12} {:>12} {:>12}\n",
             tolerance, "problem", "contacts", "auto", "nsgs", "prox-newton", "Siconos NSGS",
             "Siconos ADMM");
  for (const auto& path : paths) compare(path, tolerance);
  return 0;
}

#else

int run(double) {
  fmt::print("built without Siconos (libsiconos-numerics-dev)\n");
  return 0;
}

#endif

} // namespace

int main(int count, char** arguments) {
  try {
    bench::use_serial_blas();
    return with_threads(1, [&] { return run(count > 1 ? std::stod(arguments[1]) : 1e-8); });
  } catch (const std::exception& error) {
    fmt::print(stderr, "siconos_rolling_bench: {}\n", error.what());
    return 2;
  }
}
