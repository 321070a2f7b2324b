// nsgs against Siconos' NSGS on the local problems of the corpus, to 1e-4 and 1e-8 of Siconos' own
// error measure, one thread, one process, one after the other. Each side stores W in 3 x 3 blocks.
// Siconos is run with each of its error evaluations (full, adaptive); the faster run whose answer
// holds up to the tolerance, judged by Talus, counts. Times are of the solvers alone, best of
// several runs.

#include "talus/core/parallel.h"
#include "talus/problem/explicit_operator.h"
#include "talus/problem/fclib_file.h"
#include "talus/solve/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <limits>

#ifdef TALUS_HAS_SICONOS
#include <CSparseMatrix_internal.h>
#include <FrictionContactProblem.h>
#include <Friction_cst.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <SolverOptions.h>
#include <SparseBlockMatrix.h>
#endif

namespace {

using namespace talus;

#ifdef TALUS_HAS_SICONOS

/// The problem in Siconos' block storage.
class SiconosProblem {
public:
  explicit SiconosProblem(const ContactProblem& problem)
      : q_(std::get<LocalModel>(problem.model).q), mu_(problem.mu) {
    const SparseMatrix columns = transpose(std::get<LocalModel>(problem.model).W);
    pointers_.assign(columns.row_start.begin(), columns.row_start.end());
    indices_.assign(columns.column.begin(), columns.column.end());
    values_ = columns.value;
    CSparseMatrix sparse{};
    sparse.nzmax = columns.nonzeros();
    sparse.m = sparse.n = columns.rows;
    sparse.p = pointers_.data();
    sparse.i = indices_.data();
    sparse.x = values_.data();
    sparse.nz = -1;
    matrix_ = NM_create(NM_SPARSE_BLOCK, columns.rows, columns.rows);
    SBM_from_csparse(3, &sparse, matrix_->matrix1);
    problem_.dimension = 3;
    problem_.numberOfContacts = problem.contacts();
    problem_.M = matrix_;
    problem_.q = q_.data();
    problem_.mu = mu_.data();
  }
  ~SiconosProblem() {
    NM_clear(matrix_);
    free(matrix_);
  }
  SiconosProblem(const SiconosProblem&) = delete;
  SiconosProblem& operator=(const SiconosProblem&) = delete;

  double solve(double tolerance, int evaluation, int iterations, Vector& r) {
    SolverOptions* options = solver_options_create(SICONOS_FRICTION_3D_NSGS);
    options->dparam[SICONOS_DPARAM_TOL] = tolerance;
    options->iparam[SICONOS_IPARAM_MAX_ITER] = iterations;
    options->iparam[SICONOS_FRICTION_3D_IPARAM_ERROR_EVALUATION] = evaluation;
    Vector u(r.size(), 0.0);
    std::fill(r.begin(), r.end(), 0.0);
    const auto begin = std::chrono::steady_clock::now();
    fc3d_driver(&problem_, r.data(), u.data(), options);
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    solver_options_delete(options);
    free(options);
    return seconds;
  }

private:
  Vector q_, mu_, values_;
  std::vector<CS_INT> pointers_, indices_;
  NumericsMatrix* matrix_ = nullptr;
  FrictionContactProblem problem_{};
};

constexpr double gave_up = std::numeric_limits<double>::infinity();

double siconos_seconds(const ContactProblem& problem, const DelassusOperator& n, double tolerance) {
  SiconosProblem siconos(problem);
  Vector r(problem.size());
  const int iterations = std::max(2000, 4'000'000 / std::max(1, problem.contacts()));
  double best = gave_up;
  for (int evaluation : {SICONOS_FRICTION_3D_NSGS_ERROR_EVALUATION_FULL,
                         SICONOS_FRICTION_3D_NSGS_ERROR_EVALUATION_ADAPTIVE})
    for (int run = 0; run < 3; ++run) {
      const double seconds = siconos.solve(tolerance, evaluation, iterations, r);
      if (!(judge(problem, n, r).error_fclib <= tolerance)) break;
      best = std::min(best, seconds);
      if (seconds > 1) break;
    }
  return best;
}

double talus_seconds(const ContactProblem& problem, const DelassusOperator& n, double tolerance) {
  SolveOptions options;
  options.tolerance = tolerance;
  options.measure = Measure::fclib;
  options.time_limit = 30;
  double best = gave_up;
  for (int run = 0; run < 3; ++run) {
    const auto solver = make_solver("nsgs");
    const SolveResult result = solve(*solver, problem, n, options);
    if (result.status != Status::converged) break;
    best = std::min(best, result.seconds);
    if (result.seconds > 1) break;
  }
  return best;
}

std::string milliseconds(double seconds) {
  return std::isinf(seconds) ? "-" : fmt::format("{:.3f}", 1e3 * seconds);
}

std::vector<std::filesystem::path> local_problems() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(TALUS_CORPUS_DIR "/local"))
    paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  return paths;
}

void compare(double tolerance) {
  fmt::print("\nerror_fclib <= {:g}\n{:<40} {:>8} {:>12} {:>12} {:>8}\n", tolerance, "problem",
             "contacts", "talus ms", "siconos ms", "ratio");
  double log_sum = 0;
  int both = 0, talus_only = 0, siconos_only = 0, neither = 0;
  for (const std::filesystem::path& path : local_problems()) {
    const ContactProblem problem = read_fclib(path.string()).problem;
    const auto n = make_operator(problem);
    const double ours = talus_seconds(problem, *n, tolerance);
    const double theirs = siconos_seconds(problem, *n, tolerance);
    const bool solved = !std::isinf(ours), they_solved = !std::isinf(theirs);
    fmt::print("{:<40} {:>8} {:>12} {:>12} {:>8}\n", path.stem().string(), problem.contacts(),
               milliseconds(ours), milliseconds(theirs),
               solved && they_solved ? fmt::format("{:.2f}", theirs / ours) : "");
    if (solved && they_solved)
      log_sum += std::log(theirs / ours), ++both;
    else
      ++(solved ? talus_only : they_solved ? siconos_only : neither);
  }
  fmt::print("Siconos' time over Talus', geometric mean of {} problems: {:.2f}; solved by Talus "
             "alone {}, by Siconos "
             "alone {}, by neither {}\n",
             both, std::exp(log_sum / std::max(1, both)), talus_only, siconos_only, neither);
}

#endif

} // namespace

int main() {
#ifdef TALUS_HAS_SICONOS
  if (!std::filesystem::is_directory(TALUS_CORPUS_DIR "/local")) {
    fmt::print("skipped: no problem corpus at {}\n", TALUS_CORPUS_DIR);
    return 0;
  }
  with_threads(1, [] {
    for (double tolerance : {1e-4, 1e-8}) compare(tolerance);
  });
#else
  fmt::print("skipped: built without Siconos (Debian package libsiconos-numerics-dev)\n");
#endif
}
