// compare: the comparison of the `talus compare` command, for problems and solvers made in Python
// too.

#include "arrays.h"
#include "bindings.h"
#include "compare/comparison.h"
#include "compare/comparison_files.h"
#include "compare/comparison_folder.h"
#include "problem_casters.h"
#include "python_solver.h"
#include "report/report.h"
#include "talus/core/parallel.h"
#include "talus/solve/registry.h"

#include <map>

namespace talus::python {
namespace {

using SolverHolder = std::shared_ptr<Solver>;
using Problems = std::vector<std::variant<PathText, std::shared_ptr<ContactProblem>>>;
using Solvers = std::variant<std::string, std::vector<std::variant<std::string, SolverHolder>>>;

/// Solvers by name: those given as objects, and the catalogue.
class Contestants {
public:
  explicit Contestants(const Solvers& solvers) {
    if (const auto* all = std::get_if<std::string>(&solvers)) {
      if (*all != "all") throw InvalidArgument("solvers is \"all\" or a list");
      names = solver_names();
      return;
    }
    for (const auto& each : std::get<1>(solvers)) {
      if (const auto* name = std::get_if<std::string>(&each))
        add(*name, make_solver(*name));
      else
        add(std::get<SolverHolder>(each)->info().name, std::get<SolverHolder>(each));
    }
  }

  std::unique_ptr<Solver> make(const std::string& name) const {
    const auto own = own_.find(name);
    if (own == own_.end()) return make_solver(name);
    return std::make_unique<LentSolver>(*own->second);
  }

  std::vector<std::string> names;

private:
  void add(const std::string& name, SolverHolder solver) {
    if (std::find(names.begin(), names.end(), name) != names.end())
      throw InvalidArgument(fmt::format("two solvers are named '{}'", name));
    names.push_back(name);
    own_[name] = std::move(solver);
  }

  std::map<std::string, SolverHolder> own_;
};

void add_problems(cli::ComparisonSettings& settings, const Problems& problems) {
  for (const auto& each : problems) {
    if (const auto* path = std::get_if<PathText>(&each)) {
      settings.problems.files.push_back(path->text);
      continue;
    }
    const auto& problem = std::get<1>(each);
    const std::string title =
        problem->title.empty() ? fmt::format("problem {}", settings.given.size()) : problem->title;
    settings.given.push_back({title, *problem});
  }
}

cli::Comparison run(const Problems& problems, const Solvers& solvers,
                    std::vector<double> tolerances, double time_limit, long max_iterations,
                    Measure measure, int threads, const std::optional<PathText>& out) {
  const Contestants contestants(solvers);
  cli::ComparisonSettings settings;
  add_problems(settings, problems);
  settings.solvers = contestants.names;
  settings.make_solver = [&](const std::string& name) { return contestants.make(name); };
  const auto is_positive = [](double tolerance) { return tolerance > 0; };
  if (tolerances.empty() || !std::ranges::all_of(tolerances, is_positive))
    throw InvalidArgument("tolerances must be positive numbers");
  std::ranges::sort(tolerances, std::greater<>());
  require_thread_count(threads);
  settings.tolerances = std::move(tolerances);
  settings.time_limit = time_limit;
  settings.max_iterations = max_iterations;
  settings.measure = measure;
  settings.keep_convergence = out.has_value();
  settings.show_progress = false;
  if (out) cli::prepare_folder(out->text);
  const py::gil_scoped_release no_gil;
  cli::Comparison comparison = with_threads(threads, [&] { return cli::compare(settings); });
  comparison.settings.make_solver = nullptr;
  if (!comparison.file_errors.empty()) throw Error(comparison.file_errors.front());
  if (out) cli::write_comparison(comparison, out->text);
  return comparison;
}

/// One dictionary per run, with the fields of results.json.
py::list runs_of(const cli::Comparison& comparison) {
  const py::object parse = py::module_::import("json").attr("loads");
  py::list runs;
  for (const cli::Run& run : comparison.runs) {
    py::object fields = parse(cli::one_line(run.fields));
    fields["label"] = comparison.problems[run.problem].label;
    runs.append(fields);
  }
  return runs;
}

} // namespace

void bind_compare(py::module_& m) {
  using py::arg;
  py::class_<cli::Comparison>(m, "Comparison", "Every solver on every problem, judged alike.")
      .def_property_readonly("runs", &runs_of,
                             "One dictionary per run: problem, label, solver, tolerance, status, "
                             "iterations, products, error, seconds, ...")
      .def_property_readonly(
          "table", [](const cli::Comparison& c) { return cli::comparison_table(c); },
          "What `talus compare` prints.")
      .def(
          "solved",
          [](const cli::Comparison& c, const std::string& solver, double tolerance) {
            return c.solved(solver, tolerance);
          },
          arg("solver"), arg("tolerance"), "Number of problems solved.")
      .def("__str__", [](const cli::Comparison& c) { return cli::comparison_table(c); });
  m.def("compare", &run, arg("problems"), arg("solvers") = "all", py::kw_only(),
        arg("tolerances") = std::vector<double>{1e-4, 1e-6, 1e-8}, arg("time_limit") = 10.0,
        arg("max_iterations") = 1000000, arg("measure") = "talus", arg("threads") = 0,
        arg("out") = py::none(),
        "Runs solvers (names, or solvers of your own) on problems (files or ContactProblems) at "
        "every tolerance. `out` names a folder for the page index.html with its plots, "
        "results.csv, results.json and convergence.csv, as `talus compare --out` writes them.");
}

} // namespace talus::python
