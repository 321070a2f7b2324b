#pragma once
// The parts of the module, one file each; module.cpp calls them in this order.

#include <pybind11/pybind11.h>

namespace talus::python {

void bind_errors(pybind11::module_& m);
void bind_shapes(pybind11::module_& m);
void bind_world(pybind11::module_& m);
void bind_results(pybind11::module_& m);
void bind_problem(pybind11::module_& m);
void bind_solver(pybind11::module_& m);
void bind_scaled_problem(pybind11::module_& m);
void bind_simulation(pybind11::module_& m);
void bind_files(pybind11::module_& m);
void bind_compare(pybind11::module_& m);
/// Reports as columns, pages and servers of runs, for talus/runs.py.
void bind_runs(pybind11::module_& m);
/// Bytes of results and problems and back, for copies.
void bind_archives(pybind11::module_& m);
void bind_program(pybind11::module_& m);
/// Makes objects that were never initialised raise TypeError. After all classes are bound.
void guard_construction(pybind11::module_& m);

} // namespace talus::python
