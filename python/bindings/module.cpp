// The extension module talus._talus: errors first, then one file per subject.

#include "bindings.h"
#include "talus/core/error.h"
#include "talus/step/error.h"

#include <pybind11/pybind11.h>

namespace talus::python {

namespace py = pybind11;

namespace {

/// A new exception class, kept by the module for as long as the interpreter lives.
PyObject* add_exception(py::module_& m, const char* name, const char* doc, py::tuple bases) {
  PyObject* type =
      PyErr_NewExceptionWithDoc((std::string("talus.") + name).c_str(), doc, bases.ptr(), nullptr);
  if (type == nullptr) throw py::error_already_set();
  m.add_object(name, type);
  return type;
}

PyObject *base_error, *invalid_argument, *invalid_problem, *file_error, *non_finite_state;

} // namespace

void bind_errors(py::module_& m) {
  base_error = add_exception(m, "Error", "Base of everything Talus raises on purpose.",
                             py::make_tuple(py::handle(PyExc_Exception)));
  const py::handle base(base_error);
  invalid_argument = add_exception(m, "InvalidArgument",
                                   "An argument or option outside its range, or an unknown name.",
                                   py::make_tuple(base, py::handle(PyExc_ValueError)));
  invalid_problem = add_exception(
      m, "InvalidProblem", "A contact problem whose data contradict each other or are not finite.",
      py::make_tuple(base, py::handle(PyExc_ValueError)));
  file_error = add_exception(
      m, "FileError", "A file that cannot be read or written, or is not what its format promises.",
      py::make_tuple(base, py::handle(PyExc_OSError)));
  non_finite_state =
      add_exception(m, "NonFiniteState", "A state, force or prescribed motion that is not finite.",
                    py::make_tuple(base, py::handle(PyExc_ArithmeticError)));
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const InvalidArgument& error) {
      PyErr_SetString(invalid_argument, error.what());
    } catch (const InvalidProblem& error) {
      PyErr_SetString(invalid_problem, error.what());
    } catch (const FileError& error) {
      PyErr_SetString(file_error, error.what());
    } catch (const NonFiniteState& error) {
      PyErr_SetString(non_finite_state, error.what());
    } catch (const Error& error) {
      PyErr_SetString(base_error, error.what());
    }
  });
}

} // namespace talus::python

PYBIND11_MODULE(_talus, m) {
  m.doc() = "Rigid bodies with hard contact and dry friction, and the solvers behind them.";
  m.attr("__version__") = TALUS_VERSION;
  using namespace talus::python;
  bind_errors(m);
  bind_shapes(m);
  bind_world(m);
  bind_results(m);
  bind_problem(m);
  bind_solver(m);
  bind_scaled_problem(m);
  bind_simulation(m);
  bind_files(m);
  bind_compare(m);
  bind_runs(m);
  bind_archives(m);
  bind_program(m);
  guard_construction(m);
}
