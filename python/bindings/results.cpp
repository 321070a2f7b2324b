// What a solve gives back: quality, history, answer.

#include "arrays.h"
#include "bindings.h"
#include "problem_casters.h"

namespace talus::python {
namespace {

void bind_quality(py::module_& m) {
  using Q = Quality;
  py::class_<Q>(m, "Quality", "How good an answer is, computed from the answer alone.")
      .def_readonly("error", &Q::error, "Scale-free; 1 for zero impulses.")
      .def_readonly("error_fclib", &Q::error_fclib, "FCLIB's measure, for comparison.")
      .def_readonly("violation", &Q::violation, "Of the worst contact, m/s.")
      .def_readonly("resolution", &Q::resolution, "What rounding of the impulses hides.")
      .def_readonly("primal", &Q::primal, "Distance of the impulses from K.")
      .def_readonly("dual", &Q::dual, "Distance of the velocities from K*.")
      .def_readonly("complementarity", &Q::complementarity, "How far from orthogonal both are.")
      .def_readonly("momentum", &Q::momentum, "Error of the momentum balance.")
      .def_readonly("objective", &Q::objective, "½ x'N x + q̄'x.")
      .def("__repr__", [](const Q& q) {
        return fmt::format("<talus.Quality error {:.3g}, violation {:.3g} m/s>", q.error,
                           q.violation);
      });
}

void bind_records(py::module_& m) {
  using I = IterationRecord;
  py::class_<I>(m, "IterationRecord", "One iteration of a solve.")
      .def_readonly("iteration", &I::iteration, "0 is the start.")
      .def_readonly("outer_iteration", &I::outer_iteration, "Of the Coulomb fixed point.")
      .def_readonly("products", &I::products, "With N, so far.")
      .def_readonly("seconds", &I::seconds, "Since the start, recording excluded.")
      .def_readonly("error", &I::error, "The measure driven to the tolerance.")
      .def_readonly("objective", &I::objective, "½ x'N x + q̄'x.")
      .def_readonly("separated", &I::separated, "Contacts with zero impulse.")
      .def_readonly("boundary", &I::boundary, "Contacts on the boundary of K (sliding).")
      .def_readonly("interior", &I::interior, "Contacts inside K (sticking).")
      .def_readonly("active_set_changes", &I::active_set_changes, "Since the last record.")
      .def_readonly("velocity_error", &I::velocity_error, "Against the reference; -1 without one.")
      .def_property_readonly(
          "complementarity", [](const I& i) { return i.feasibility.largest; },
          "Largest |r·û + support| of a contact, J.")
      .def_readonly("note", &I::note, "Why a method switched or restarted.");
}

void bind_answer(py::module_& m) {
  using R = SolveResult;
  const auto vector = [](auto member) {
    return
        [member](const py::object& self) { return view_of(self.cast<const R&>().*member, self); };
  };
  py::class_<R, std::shared_ptr<R>>(m, "SolveResult", "The answer of a solve, judged.")
      .def_readonly(
          "status", &R::status,
          "\"converged\", \"iteration_limit\", \"product_limit\", \"time_limit\", "
          "\"stopped\", \"stalled\", \"infeasible\", \"unsupported\" or \"invalid_problem\".")
      .def_readonly("message", &R::message, "Why it did not converge.")
      .def_property_readonly(
          "converged", [](const R& r) { return r.status == Status::converged; },
          "Whether the judged error is within the tolerance.")
      .def_property_readonly(
          "contradiction", [](const R& r) { return r.contradiction; },
          "Contacts that no velocities can satisfy together, when the status is \"infeasible\".")
      .def_property_readonly("x", vector(&R::x), "Impulses and multipliers (r, l): a view.")
      .def_property_readonly("u", vector(&R::u), "Velocities N x + q̄: a view.")
      .def_property_readonly("v", vector(&R::v),
                             "Generalised velocities, empty for a local model: a view.")
      .def_readonly("iterations", &R::iterations, "Of the solver.")
      .def_readonly("outer_iterations", &R::outer_iterations, "Of the Coulomb fixed point.")
      .def_readonly("products", &R::products, "With N.")
      .def_readonly("work", &R::work, "Products with N, factorisations at what they are worth.")
      .def_readonly("quality", &R::quality, "Measures of the answer.")
      .def_property_readonly(
          "error", [](const R& r) { return r.quality.error; }, "quality.error.")
      .def_readonly("seconds", &R::seconds, "Of the solver alone.")
      .def_property_readonly(
          "history", [](const R& r) { return r.history.records; },
          "All iterations, with keep_history=True.")
      .def("__repr__", [](const R& r) {
        return fmt::format("<talus.SolveResult {}, error {:.3g}, {} iterations, {:.3g} s>",
                           to_string(r.status), r.quality.error, r.iterations, r.seconds);
      });
}

} // namespace

void bind_results(py::module_& m) {
  bind_quality(m);
  bind_records(m);
  bind_answer(m);
}

} // namespace talus::python
