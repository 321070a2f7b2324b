// Solvers: the catalogue, options, solve(), results, and subclasses written in Python.

#include "arrays.h"
#include "bindings.h"
#include "problem_casters.h"
#include "python_solver.h"
#include "talus/contact/friction_set.h"
#include "talus/core/parallel.h"
#include "talus/problem/delassus/operator_storage_name.h"
#include "talus/solve/registry.h"

namespace talus::python {

void call_algorithm(const py::object& solver, const char* method, ScaledProblem& problem, Span z,
                    Monitor& monitor) {
  if (!py::hasattr(solver, method))
    throw InvalidArgument(fmt::format("{} has no method {}(self, problem, z, monitor)",
                                      py::type::of(solver).attr("__name__").cast<std::string>(),
                                      method));
  const auto scaled = std::make_shared<ScaledProblemRef>(problem);
  const auto referee = std::make_shared<MonitorRef>(monitor, problem.size());
  struct Expire {
    ScaledProblemRef& problem;
    MonitorRef& monitor;
    ~Expire() { problem.expire(), monitor.expire(); }
  } expire{*scaled, *referee};
  py::array_t<double> iterate(static_cast<py::ssize_t>(z.size()));
  std::copy(z.begin(), z.end(), iterate.mutable_data());
  solver.attr(method)(scaled, iterate, referee);
  require_size(iterate, z.size(), "z");
  std::copy_n(iterate.data(), z.size(), z.data());
}

SolverInfo info_of(const py::object& solver) {
  // The base class has a property of that name, which would ask the solver again.
  const py::object inherited = py::type::of<Solver>().attr("info");
  const py::object own = py::type::of(solver).attr("info");
  if (own.is(inherited))
    throw InvalidArgument(fmt::format("{} needs a class attribute `info`, a talus.SolverInfo",
                                      py::type::of(solver).attr("__name__").cast<std::string>()));
  return solver.attr("info").cast<SolverInfo>();
}

namespace {

using SolverHolder = std::shared_ptr<Solver>;
using Name = std::variant<std::string, SolverHolder>;

std::vector<FrictionKind> kinds_from(const std::vector<std::string>& names) {
  std::vector<FrictionKind> kinds;
  for (const std::string& name : names) kinds.push_back(parse_friction_set(name).kind);
  return kinds;
}

std::vector<std::string> names_of(const std::vector<FrictionKind>& kinds) {
  std::vector<std::string> names;
  for (const FrictionKind kind : kinds) names.emplace_back(name_of(kind));
  return names;
}

void set_options(Solver& solver, const py::kwargs& options) {
  for (const auto& [name, value] : options)
    set_option(solver, name.cast<std::string>(), option_text(value));
}

SolveResult solve_with(const ContactProblem& problem, const Name& solver,
                       const SolveOptions& options, int threads, const std::string& face) {
  SolverHolder chosen;
  if (const auto* name = std::get_if<std::string>(&solver))
    chosen = make_solver(*name);
  else
    chosen = std::get<SolverHolder>(solver);
  const OperatorStorage wanted = parse_operator_storage(face);
  require_thread_count(threads);
  const py::gil_scoped_release no_gil;
  return with_threads(threads, [&] {
    if (wanted == OperatorStorage::automatic) return solve(*chosen, problem, options);
    validate(problem);
    return solve(*chosen, problem, *make_operator(problem, wanted), options);
  });
}

void bind_info(py::module_& m) {
  using I = SolverInfo;
  py::class_<I>(m, "SolverInfo", "What a solver does and which problems it admits.")
      .def(py::init([](std::string name, std::string summary, std::string paper,
                       std::vector<Law> laws, const std::vector<std::string>& friction,
                       const std::vector<std::string>& friction_plane, std::vector<int> dimensions,
                       bool joints, bool warm_start, std::string coulomb, std::string products) {
             return I{std::move(name),
                      std::move(summary),
                      std::move(paper),
                      std::move(laws),
                      AdmittedSets::named(kinds_from(friction), kinds_from(friction_plane)),
                      std::move(dimensions),
                      joints,
                      warm_start,
                      std::move(coulomb),
                      std::move(products)};
           }),
           py::arg("name"), py::kw_only(), py::arg("summary") = "", py::arg("paper") = "",
           py::arg("laws") = std::vector<std::string>{"associated", "coulomb"},
           py::arg("friction") = names_of(AdmittedSets().in(3)),
           py::arg("friction_plane") = names_of(AdmittedSets().in(2)),
           py::arg("dimensions") = std::vector<int>{1, 2, 3}, py::arg("joints") = true,
           py::arg("warm_start") = true, py::arg("coulomb") = "direct",
           py::arg("products_per_iteration") = "1",
           "Admits everything unless told; a combination left out is answered \"unsupported\".")
      .def_readonly("name", &I::name, "In tables and plots.")
      .def_readonly("summary", &I::summary, "One line.")
      .def_readonly("paper", &I::paper, "Where the algorithm is described.")
      .def_readonly("laws", &I::laws, "Laws it solves.")
      .def_property_readonly(
          "friction", [](const I& i) { return names_of(i.friction.in(3)); },
          "Sets it admits in space.")
      .def_property_readonly(
          "friction_plane", [](const I& i) { return names_of(i.friction.in(2)); },
          "Sets it admits in the plane.")
      .def_property_readonly("dimensions", &admitted_dimensions, "Entries per contact it admits.")
      .def_readonly("joints", &I::joints, "Whether it admits equality rows.")
      .def_readonly("warm_start", &I::warm_start, "Whether it uses a start other than zero.")
      .def_readonly("coulomb", &I::coulomb, "\"direct\" or \"fixed point\".")
      .def_readonly("products_per_iteration", &I::products_per_iteration, "With N.")
      .def("__repr__", [](const I& i) { return fmt::format("<talus.SolverInfo {}>", i.name); });
}

void bind_option(py::module_& m) {
  using D = OptionDescription;
  py::class_<D>(m, "OptionDescription", "An option of a solver, as it stands.")
      .def_readonly("name", &D::name, "As a keyword of make_solver and set_options.")
      .def_readonly("value", &D::value, "As text.")
      .def_readonly(
          "range", &D::range,
          "Where a number may lie: \"> 1\", \"≥ 0\" or \"in (0, 1]\"; empty for all else.")
      .def_readonly("choices", &D::choices, "Names to choose from; empty for all else.")
      .def_readonly("doc", &D::doc, "What it does.")
      .def("__repr__", [](const D& d) {
        const std::string values =
            d.choices.empty() ? d.range : fmt::format("one of {}", fmt::join(d.choices, ", "));
        return fmt::format("<talus.OptionDescription {}={}{}>", d.name, d.value,
                           values.empty() ? "" : ", " + values);
      });
}

void bind_classes(py::module_& m) {
  py::class_<Solver, PythonRunSolver, SolverHolder>(
      m, "Solver",
      "A solver of contact problems. To write one, derive from this class, set `info` to a "
      "SolverInfo and define run(self, problem, z, monitor): improve z, in place, until "
      "monitor.proceed(z, problem.velocity(z)) is False. Whether the answer converged is judged "
      "afterwards, from the best iterate the monitor saw.")
      .def(py::init<>())
      .def_property_readonly(
          "info", [](const Solver& s) { return s.info(); }, "What it does and admits.")
      .def_property_readonly(
          "options",
          [](Solver& s) {
            py::dict options;
            for (const OptionDescription& each : describe_options(s))
              options[py::str(each.name)] = each.value;
            return options;
          },
          "Options by name, with their values as text.")
      .def(
          "describe_options",
          [](Solver& s) {
            py::dict options;
            for (const OptionDescription& each : describe_options(s))
              options[py::str(each.name)] = each;
            return options;
          },
          "Options by name, with their values, ranges or choices, and what they do.")
      .def(
          "set_options", [](Solver& s, const py::kwargs& options) { set_options(s, options); },
          "Sets options by name.");
  py::class_<ConvexSolver, Solver, PythonConvexSolver, std::shared_ptr<ConvexSolver>>(
      m, "ConvexSolver",
      "Base of solvers of min ½ z'Nz + q'z over K: define minimise(self, problem, z, monitor) as "
      "for Solver.run, and Coulomb's law is reached through the fixed point on the tilt.")
      .def(py::init<>());
}

} // namespace

void bind_solver(py::module_& m) {
  using py::arg;
  bind_info(m);
  bind_option(m);
  bind_classes(m);
  m.def("solver_names", &solver_names, "All solvers, in catalogue order.");
  m.def(
      "make_solver",
      [](const std::string& name, const py::kwargs& options) {
        SolverHolder solver = make_solver(name);
        set_options(*solver, options);
        return solver;
      },
      arg("name"), "A new solver of the catalogue, with options by name.");
  m.def(
      "solve",
      [](const ContactProblem& problem, const Name& solver, double tolerance, Measure measure,
         long max_iterations, long max_products, double time_limit, bool keep_history,
         std::optional<Array> initial, std::optional<Array> reference_velocity, int threads,
         const std::string& face) {
        const SolveOptions options{.tolerance = tolerance,
                                   .measure = measure,
                                   .max_iterations = max_iterations,
                                   .max_products = max_products,
                                   .time_limit = time_limit,
                                   .keep_history = keep_history,
                                   .initial = vector_from(initial),
                                   .reference_velocity = vector_from(reference_velocity)};
        return std::make_shared<SolveResult>(solve_with(problem, solver, options, threads, face));
      },
      arg("problem"), arg("solver") = "auto", py::kw_only(), arg("tolerance") = 1e-8,
      arg("measure") = "talus", arg("max_iterations") = 1000000, arg("max_products") = 0,
      arg("time_limit") = 0.0, arg("keep_history") = false, arg("initial") = py::none(),
      arg("reference_velocity") = py::none(), arg("threads") = 0, arg("face") = "automatic",
      "Solves a problem, without the GIL, with a solver of the catalogue or one of your own, and "
      "judges the answer. A solver that does not converge is a result, not an exception.");
}

} // namespace talus::python
