// ScaledProblem and Monitor: what a solver written in Python works with.

#include "arrays.h"
#include "bindings.h"
#include "scaled_problem_ref.h"
#include "sparse.h"

#include <functional>
#include <initializer_list>

namespace talus::python {

ScaledProblemRef::ScaledProblemRef(ContactProblem problem)
    : owned_(std::make_unique<OwnedScaledProblem>()), problem_(nullptr) {
  owned_->problem = std::move(problem);
  validate(owned_->problem);
  owned_->n = make_operator(owned_->problem);
  owned_->scaled = std::make_unique<ScaledProblem>(owned_->problem, *owned_->n);
  problem_ = owned_->scaled.get();
}

ScaledProblem& ScaledProblemRef::checked() const {
  if (problem_ == nullptr) throw std::runtime_error("this problem belongs to a solve that is over");
  return *problem_;
}

Monitor& MonitorRef::checked() const {
  if (monitor_ == nullptr) throw std::runtime_error("this monitor belongs to a solve that is over");
  return *monitor_;
}

namespace {

using Problem = ScaledProblemRef;

/// Where an answer goes: a new array if `out` is not given. A given one is never converted, because
/// the answer would go into the copy.
py::array_t<double> target(const OutArray& out, Index size) {
  if (!out.given) return py::array_t<double>(size);
  const auto needed = [&](const std::string& what) {
    return fmt::format(
        "out must be a writable, C-contiguous NumPy array of {} float64 numbers, not {}", size,
        what);
  };
  if (!py::isinstance<py::array>(*out.given))
    throw py::type_error(
        needed("a " + py::type::of(*out.given).attr("__name__").cast<std::string>()));
  const auto array = py::reinterpret_borrow<py::array>(*out.given);
  if (!py::isinstance<py::array_t<double>>(array))
    throw py::type_error(needed("one of " + py::str(array.dtype()).cast<std::string>()));
  if (array.size() != size)
    throw InvalidArgument(needed(fmt::format("one of {} numbers", array.size())));
  if (!array.writeable()) throw InvalidArgument(needed("a read-only one"));
  using Flags = py::detail::npy_api;
  if ((array.flags() & Flags::NPY_ARRAY_C_CONTIGUOUS_) == 0)
    throw InvalidArgument(needed("a strided view"));
  if ((array.flags() & Flags::NPY_ARRAY_ALIGNED_) == 0)
    throw InvalidArgument(needed("an unaligned one"));
  return py::reinterpret_borrow<py::array_t<double>>(array);
}

bool overlap(ConstSpan a, ConstSpan b) {
  const std::less<> before;
  return before(a.data(), b.data() + b.size()) && before(b.data(), a.data() + a.size());
}

/// Whether an answer may be written over what it is computed from.
enum class InPlace { no, yes };

/// Writes what `compute` makes of the `inputs` into `out`, without the GIL.
template <class Compute>
py::array_t<double> written(const OutArray& out, Index size, InPlace in_place,
                            std::initializer_list<ConstSpan> inputs, Compute compute) {
  py::array_t<double> result = target(out, size);
  const Span to(result.mutable_data(), static_cast<std::size_t>(size));
  for (const ConstSpan from : inputs)
    if (overlap(from, to) && (in_place == InPlace::no || from.data() != to.data()))
      throw InvalidArgument("out must be another array than those it is computed from");
  const py::gil_scoped_release no_gil;
  compute(to);
  return result;
}

/// y = A x must not read what it writes.
py::array_t<double> transformed(const Problem& p, const Array& z, const OutArray& out,
                                void (ScaledProblem::*apply)(ConstSpan, Span) const) {
  const ConstSpan from = span_of(z, p->size(), "z");
  return written(out, p->size(), InPlace::no, {from}, [&](Span to) { ((*p).*apply)(from, to); });
}

py::object scaled_matrix(const Problem& p) {
  SparseMatrix n = p->delassus().matrix();
  const ConstSpan scale = p->scale();
  const Index impulses = p->dimension() * p->contacts();
  const auto of = [&](Index i) {
    return i < impulses ? scale[i / p->dimension()] : scale[p->contacts() + i - impulses];
  };
  for (Index i = 0; i < n.rows; ++i)
    for (Index k = n.row_start[i]; k < n.row_start[i + 1]; ++k)
      n.value[k] *= of(i) * of(n.column[k]);
  return to_scipy(n);
}

using ScaledProblemClass = py::class_<Problem, std::shared_ptr<Problem>>;

void bind_operations(ScaledProblemClass& problem) {
  using py::arg;
  problem.def(
      "product",
      [](const Problem& p, const Array& z, const OutArray& out) {
        return transformed(p, z, out, &ScaledProblem::product);
      },
      arg("z"), arg("out") = py::none(), "N z; counts one product.");
  problem.def(
      "velocity",
      [](const Problem& p, const Array& z, const OutArray& out) {
        return transformed(p, z, out, &ScaledProblem::velocity);
      },
      arg("z"), arg("out") = py::none(), "u = N z + q, the gradient at z; counts one product.");
  problem.def(
      "project",
      [](const Problem& p, const Array& x, const OutArray& out) {
        const ConstSpan from = span_of(x, p->size(), "x");
        return written(out, p->size(), InPlace::yes, {from},
                       [&](Span to) { p->project(from, to); });
      },
      arg("x"), arg("out") = py::none(), "P_K(x), contact by contact.");
  problem.def(
      "project_step",
      [](const Problem& p, const Array& x, double step, const Array& g, const OutArray& out) {
        const ConstSpan from = span_of(x, p->size(), "x"), along = span_of(g, p->size(), "g");
        return written(out, p->size(), InPlace::yes, {from, along},
                       [&](Span to) { p->project_step(from, step, along, to); });
      },
      arg("x"), arg("step"), arg("g"), arg("out") = py::none(), "P_K(x − step g).");
  problem.def(
      "tilts",
      [](const Problem& p, const Array& u) {
        const ConstSpan from = span_of(u, p->size(), "u");
        return written({}, p->contacts(), InPlace::no, {from},
                       [&](Span to) { p->tilts(from, to); });
      },
      arg("u"), "σ(u_t) of each contact: what Coulomb's law adds to its normal velocity.");
  problem.def(
      "to_scaled",
      [](const Problem& p, const Array& x) {
        const ConstSpan from = span_of(x, p->size(), "x");
        return written({}, p->size(), InPlace::no, {from},
                       [&](Span to) { p->to_scaled(from, to); });
      },
      arg("x"), "Impulses x as scaled variables z.");
  problem.def(
      "to_physical",
      [](const Problem& p, const Array& z) {
        const ConstSpan from = span_of(z, p->size(), "z");
        return written({}, p->size(), InPlace::no, {from},
                       [&](Span to) { p->to_physical(from, to); });
      },
      arg("z"), "Scaled variables z as impulses x.");
}

void bind_measures(ScaledProblemClass& problem) {
  using py::arg;
  problem.def(
      "error",
      [](const Problem& p, const Array& z, const Array& u, Measure measure) {
        return p->error(span_of(z, p->size(), "z"), span_of(u, p->size(), "u"), measure);
      },
      arg("z"), arg("u"), arg("measure") = "talus", "The error at z, given u = velocity(z).");
  problem.def(
      "objective",
      [](const Problem& p, const Array& z, const Array& u) {
        return p->objective(span_of(z, p->size(), "z"), span_of(u, p->size(), "u"));
      },
      arg("z"), arg("u"), "½ z'Nz + q'z from u = velocity(z).");
  problem.def(
      "largest_eigenvalue",
      [](const Problem& p, int iterations) { return p->largest_eigenvalue(iterations); },
      arg("iterations") = 20, "Of N, by power iteration; counts its products.");
  problem.def(
      "freeze_tilt",
      [](const Problem& p, const Array& tilt) {
        p->freeze_tilt(span_of(tilt, p->contacts(), "tilt"));
      },
      arg("tilt"), "Fixes the tilt of each contact, which leaves a convex problem.");
  problem.def(
      "release_tilt", [](const Problem& p) { p->release_tilt(); }, "Ends freeze_tilt.");
  problem.def("matrix", &scaled_matrix, "The scaled N as a sparse matrix.");
  const auto number = [&](const char* name, auto read, const char* doc) {
    problem.def_property_readonly(name, read, doc);
  };
  number(
      "size", [](const Problem& p) { return p->size(); }, "Length of z.");
  number(
      "contacts", [](const Problem& p) { return p->contacts(); }, "Number of contacts.");
  number(
      "equalities", [](const Problem& p) { return p->equalities(); }, "Equality rows.");
  number(
      "dimension", [](const Problem& p) { return p->dimension(); }, "Entries per contact.");
  number(
      "products", [](const Problem& p) { return p->products(); }, "Products counted so far.");
  number(
      "reference", [](const Problem& p) { return p->reference(); }, "Denominator of the error.");
  number(
      "is_tilted", [](const Problem& p) { return p->is_tilted(); },
      "Whether the law is Coulomb's on a cone-shaped set.");
  number(
      "law", [](const Problem& p) { return p->problem().law; }, "The law.");
  number(
      "friction", [](const Problem& p) { return p->problem().friction; }, "The friction set.");
  number(
      "mu", [](const Problem& p) { return frozen_copy(p->problem().mu); },
      "Friction coefficients.");
  number(
      "free_velocity", [](const Problem& p) { return frozen_copy(p->free_velocity()); },
      "q, the scaled velocity at z = 0.");
  number(
      "scale", [](const Problem& p) { return frozen_copy(p->scale()); },
      "√rho of each contact and equality row.");
}

void bind_monitor(py::module_& m) {
  using py::arg;
  py::class_<MonitorRef, std::shared_ptr<MonitorRef>>(
      m, "Monitor", "The referee of a running solver: measures iterates and says when to stop.")
      .def(
          "proceed",
          [](const MonitorRef& monitor, const Array& z, const Array& u) {
            return monitor->proceed(span_of(z, monitor.size(), "z"),
                                    span_of(u, monitor.size(), "u"));
          },
          arg("z"), arg("u"),
          "Measures the iterate z with u = velocity(z) and counts it; False when it is time to "
          "stop.")
      .def(
          "measure",
          [](const MonitorRef& monitor, const Array& z, const Array& u) {
            return monitor->measure(span_of(z, monitor.size(), "z"),
                                    span_of(u, monitor.size(), "u"));
          },
          arg("z"), arg("u"), "Measures without counting an iteration.")
      .def(
          "count_iteration", [](const MonitorRef& monitor) { return monitor->count_iteration(); },
          "Counts an iteration without measuring; False at a limit.")
      .def(
          "note", [](const MonitorRef& monitor, const std::string& text) { monitor->note(text); },
          arg("text"), "A remark for the next record of the history.")
      .def(
          "stall",
          [](const MonitorRef& monitor, std::string reason) { monitor->stall(std::move(reason)); },
          arg("reason"), "Says why the method cannot go on; return afterwards.")
      .def_property_readonly(
          "error", [](const MonitorRef& monitor) { return monitor->error(); },
          "At the last measure.")
      .def_property_readonly(
          "tolerance", [](const MonitorRef& monitor) { return monitor->tolerance(); },
          "What is driven to.")
      .def_property_readonly(
          "iterations", [](const MonitorRef& monitor) { return monitor->iterations(); },
          "Counted so far.");
}

} // namespace

void bind_scaled_problem(py::module_& m) {
  ScaledProblemClass problem(
      m, "ScaledProblem",
      "A contact problem in the variables z = x / √rho, in which every diagonal "
      "block of N has mean 1 and the error is |z − P(z − û)| / |P(−q̂)|.");
  problem.def(py::init([](const ContactProblem& p) { return std::make_shared<Problem>(p); }),
              py::arg("problem"), "Copies the problem and builds its operator.");
  bind_operations(problem);
  bind_measures(problem);
  bind_monitor(m);
}

} // namespace talus::python
