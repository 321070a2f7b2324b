// Talus against Siconos on the local problems of the corpus, by Siconos' own error measure, one
// thread, in one process for each problem. Siconos runs its nonsmooth Gauss-Seidel (NSGS), its
// Alart-Curnier Newton method (NSN_AC), ADMM and the proximal point method (PROX); the quickest run
// whose answer holds up to the tolerance, judged by Talus, counts. NSGS is run with each of its
// error evaluations (full, adaptive). Times are processor times of the one thread, solvers alone,
// the best of several runs in which the programs take turns; reading that clock takes a fair part
// of a microsecond, so quick solves are timed in batches of both programs alike, every solve of a
// batch from zero impulses.
//
//     siconos_bench [--talus solver] [--tolerances 1e-4,1e-8] [--problems part of a name,...]
//                   [--siconos NSGS,NSN_AC,ADMM,PROX or none] [--most contacts]
//
// Without arguments: `auto` where it is registered, else nsgs; 1e-4, 1e-6 and 1e-8; problems of up
// to 1000 contacts.

#include "processor_time.h"
#include "serial_blas.h"
#include "talus/core/error.h"
#include "talus/core/parallel.h"
#include "talus/problem/delassus/explicit_operator.h"
#include "talus/problem/files/fclib_file.h"
#include "talus/solve/registry.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <sys/wait.h>
#include <unistd.h>

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

struct Settings {
  std::string solver;
  std::vector<double> tolerances{1e-4, 1e-6, 1e-8};
  std::vector<std::string> siconos{"NSGS", "NSN_AC", "ADMM", "PROX"}, problems;
  Index most_contacts = 1000;
};

constexpr double batch_seconds = 1e-3; ///< Quicker solves are repeated for so long.

int batch_length(double seconds) {
  return static_cast<int>(std::ceil(batch_seconds / std::max(seconds, 1e-7)));
}

template <class Call>
double seconds_per_call(int calls, Call&& call) {
  const double begin = thread_seconds();
  for (int k = 0; k < calls; ++k) call();
  return (thread_seconds() - begin) / calls;
}

/// A Siconos method and the storage of W it wants. Siconos knows no time limit: iterations are
/// bounded so that hopeless runs end within seconds.
struct Method {
  const char* name;
  int id;
  bool blocks;
  int most_iterations;   ///< For a problem of one contact; larger ones get less, ...
  int fewest_iterations; ///< ... but no less than this.
};
constexpr Method methods[] = {{"NSGS", SICONOS_FRICTION_3D_NSGS, true, 4'000'000, 2000},
                              {"NSN_AC", SICONOS_FRICTION_3D_NSN_AC, false, 2000, 100},
                              {"ADMM", SICONOS_FRICTION_3D_ADMM, false, 40'000, 1000},
                              {"PROX", SICONOS_FRICTION_3D_PROX, false, 2000, 100}};

/// The problem in Siconos' storage: 3 x 3 blocks or compressed columns.
class SiconosProblem {
public:
  SiconosProblem(const ContactProblem& problem, bool blocks)
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
    if (!blocks) {
      NumericsMatrix* copied = NM_create(NM_SPARSE, columns.rows, columns.rows);
      NM_copy_to_sparse(matrix_, copied, 0.0);
      NM_clear(matrix_);
      free(matrix_);
      matrix_ = copied;
    }
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

  /// Seconds of one solve, whose impulses are r then, and of a batch if it is quick. Siconos writes
  /// into its options; a batch counts only if it ends with the impulses of the first solve.
  double solve(const Method& method, double tolerance, int evaluation, int iterations, Vector& r) {
    SolverOptions* options = make_options(method, tolerance, evaluation, iterations);
    Vector u(r.size()), first;
    double seconds = seconds_per_call(1, [&] { run(options, r, u); });
    if (seconds < batch_seconds) {
      first = r;
      const double in_batch = seconds_per_call(batch_length(seconds), [&] { run(options, r, u); });
      if (r == first) seconds = in_batch;
    }
    solver_options_delete(options);
    free(options);
    return seconds;
  }

private:
  static SolverOptions* make_options(const Method& method, double tolerance, int evaluation,
                                     int iterations) {
    SolverOptions* options = solver_options_create(method.id);
    options->dparam[SICONOS_DPARAM_TOL] = tolerance;
    options->iparam[SICONOS_IPARAM_MAX_ITER] = iterations;
    if (method.id == SICONOS_FRICTION_3D_NSGS)
      options->iparam[SICONOS_FRICTION_3D_IPARAM_ERROR_EVALUATION] = evaluation;
    return options;
  }
  void run(SolverOptions* options, Vector& r, Vector& u) {
    std::fill(r.begin(), r.end(), 0.0);
    std::fill(u.begin(), u.end(), 0.0);
    fc3d_driver(&problem_, r.data(), u.data(), options);
  }

  Vector q_, mu_, values_;
  std::vector<CS_INT> pointers_, indices_;
  NumericsMatrix* matrix_ = nullptr;
  FrictionContactProblem problem_{};
};

constexpr double gave_up = std::numeric_limits<double>::infinity();

/// One method of one program on one problem, and its best time.
struct Runner {
  const char* method;
  std::function<double()> run; ///< Seconds; infinitely many if the answer does not hold up.
  double best = gave_up, total = 0;
  int runs = 0;

  /// 200 runs, or those that begin within two seconds of the method's own time.
  bool goes_on() const { return runs < 200 && total < 2; }
  void run_once() {
    const double seconds = run();
    best = std::min(best, seconds);
    total += seconds;
    ++runs;
  }
};

/// Both programs take turns: a machine that is slower for a while is so for both.
void race(std::vector<Runner>& runners) {
  for (bool going = true; going;) {
    going = false;
    for (Runner& runner : runners)
      if (runner.goes_on()) {
        runner.run_once();
        going = true;
      }
  }
}

Runner talus_runner(const ContactProblem& problem, const DelassusOperator& n, double tolerance,
                    const std::string& name) {
  struct State {
    std::unique_ptr<Solver> solver;
    SolveWorkspace workspace;
    SolveResult result;
  };
  SolveOptions options;
  options.tolerance = tolerance;
  options.measure = Measure::fclib;
  options.time_limit = 30;
  const auto state = std::make_shared<State>(make_solver(name));
  return {"talus", [&problem, &n, options, state] {
            const auto run_once = [&] {
              solve(*state->solver, problem, n, options, state->workspace, state->result);
            };
            double seconds = seconds_per_call(1, run_once);
            if (seconds < batch_seconds)
              seconds = seconds_per_call(batch_length(seconds), run_once);
            return state->result.status == Status::converged ? seconds : gave_up;
          }};
}

void add_siconos_runners(const ContactProblem& problem, const DelassusOperator& n, double tolerance,
                         const Method& method, std::vector<Runner>& runners) {
  const auto siconos = std::make_shared<SiconosProblem>(problem, method.blocks);
  const int iterations =
      std::max(method.fewest_iterations, method.most_iterations / std::max(1, problem.contacts()));
  for (int evaluation : {SICONOS_FRICTION_3D_NSGS_ERROR_EVALUATION_FULL,
                         SICONOS_FRICTION_3D_NSGS_ERROR_EVALUATION_ADAPTIVE}) {
    runners.push_back({method.name, [&, siconos, iterations, evaluation, tolerance] {
                         Vector r(problem.size());
                         const double seconds =
                             siconos->solve(method, tolerance, evaluation, iterations, r);
                         return judge(problem, n, r).error_fclib <= tolerance ? seconds : gave_up;
                       }});
    if (method.id != SICONOS_FRICTION_3D_NSGS) break;
  }
}

/// Talus first.
std::vector<Runner> runners_on(const ContactProblem& problem, const DelassusOperator& n,
                               double tolerance, const Settings& settings) {
  std::vector<Runner> runners{talus_runner(problem, n, tolerance, settings.solver)};
  for (const Method& method : methods)
    if (std::ranges::find(settings.siconos, method.name) != settings.siconos.end())
      add_siconos_runners(problem, n, tolerance, method, runners);
  return runners;
}

struct Times {
  double ours = gave_up, theirs = gave_up;
  const char* method = ""; ///< Of Siconos, the quickest; text that both processes have.
};

Times times_on(const ContactProblem& problem, double tolerance, const Settings& settings) {
  const auto n = make_operator(problem);
  std::vector<Runner> runners = runners_on(problem, *n, tolerance, settings);
  race(runners);
  Times times{.ours = runners.front().best};
  for (std::size_t k = 1; k < runners.size(); ++k)
    if (runners[k].best < times.theirs)
      times.theirs = runners[k].best, times.method = runners[k].method;
  return times;
}

/// The same in a process of its own: Siconos does not give all its memory back, gigabytes on some
/// problems.
Times times_in_child(const ContactProblem& problem, double tolerance, const Settings& settings) {
  std::fflush(stdout);
  int ends[2];
  if (pipe(ends) != 0) throw Error("no pipe to another process");
  const pid_t child = fork();
  if (child < 0) throw Error("no other process");
  Times times;
  if (child == 0) {
    times = with_threads(1, [&] { return times_on(problem, tolerance, settings); });
    _exit(write(ends[1], &times, sizeof times) == sizeof times ? 0 : 1);
  }
  close(ends[1]);
  const bool complete = read(ends[0], &times, sizeof times) == sizeof times;
  close(ends[0]);
  waitpid(child, nullptr, 0);
  if (!complete) throw Error("a process that raced the programs has died");
  return times;
}

std::string milliseconds(double seconds) {
  return std::isinf(seconds) ? "-" : fmt::format("{:.4f}", 1e3 * seconds);
}

std::vector<std::filesystem::path> local_problems(const Settings& settings) {
  const auto wanted = [&](const std::string& name) {
    return settings.problems.empty() ||
           std::ranges::any_of(settings.problems, [&](const std::string& part) {
             return name.find(part) != std::string::npos;
           });
  };
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(TALUS_CORPUS_DIR "/local"))
    if (wanted(entry.path().stem().string())) paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  return paths;
}

void compare(double tolerance, const Settings& settings) {
  fmt::print("\nerror_fclib <= {:g}\n{:<40} {:>8} {:>12} {:>12} {:<8} {:>8}\n", tolerance,
             "problem", "contacts", settings.solver + " ms", "siconos ms", "method", "ratio");
  double log_sum = 0, worst = gave_up;
  int both = 0, talus_only = 0, siconos_only = 0, neither = 0;
  for (const std::filesystem::path& path : local_problems(settings)) {
    const ContactProblem problem = read_fclib(path.string()).problem;
    if (problem.contacts() > settings.most_contacts || problem.dimension != 3) continue;
    const auto [ours, theirs, method] = times_in_child(problem, tolerance, settings);
    const bool solved = !std::isinf(ours), they_solved = !std::isinf(theirs);
    fmt::print("{:<40} {:>8} {:>12} {:>12} {:<8} {:>8}\n", path.stem().string(), problem.contacts(),
               milliseconds(ours), milliseconds(theirs), method,
               solved && they_solved ? fmt::format("{:.2f}", theirs / ours) : "");
    std::fflush(stdout);
    if (solved && they_solved) {
      log_sum += std::log(theirs / ours), ++both;
      worst = std::min(worst, theirs / ours);
    } else {
      ++(solved ? talus_only : they_solved ? siconos_only : neither);
    }
  }
  fmt::print(
      "Siconos' time over Talus', geometric mean of {} problems: {:.2f}, worst {:.2f}; solved "
      "by Talus alone {}, by Siconos alone {}, by neither {}\n",
      both, std::exp(log_sum / std::max(1, both)), both > 0 ? worst : 0.0, talus_only, siconos_only,
      neither);
}

#endif

} // namespace

int main(int count, char** arguments) {
#ifdef TALUS_HAS_SICONOS
  talus::bench::use_serial_blas(); // the time of one thread is all the time there is
  Settings settings;
  const auto names = solver_names();
  settings.solver = std::ranges::find(names, "auto") != names.end() ? "auto" : "nsgs";
  CLI::App app("Talus against Siconos on the local problems of the corpus");
  app.add_option("--talus", settings.solver, "solver of Talus")->check(CLI::IsMember(names));
  app.add_option("--tolerances", settings.tolerances)->delimiter(',');
  app.add_option("--siconos", settings.siconos, "methods of Siconos, or none")
      ->delimiter(',')
      ->check(CLI::IsMember({"NSGS", "NSN_AC", "ADMM", "PROX", "none"}));
  app.add_option("--problems", settings.problems, "parts of the problems' names")->delimiter(',');
  app.add_option("--most", settings.most_contacts, "leave larger problems out");
  CLI11_PARSE(app, count, arguments);
  if (!std::filesystem::is_directory(TALUS_CORPUS_DIR "/local")) {
    fmt::print("skipped: no problem corpus at {}\n", TALUS_CORPUS_DIR);
    return 0;
  }
  try {
    for (double tolerance : settings.tolerances) compare(tolerance, settings);
  } catch (const Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
#else
  static_cast<void>(count), static_cast<void>(arguments);
  fmt::print("skipped: built without Siconos (Debian package libsiconos-numerics-dev)\n");
#endif
}
