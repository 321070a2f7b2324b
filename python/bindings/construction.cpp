// Objects that Python made with __new__ alone have no C++ object behind them. pybind11 would then
// allocate one without running a constructor, and the first use of it would crash. This refuses
// such objects, whichever way they come about.

#include "bindings.h"

#include <string_view>

namespace talus::python {

namespace py = pybind11;

namespace {

constexpr const char* uninitialised =
    "an object was never initialised: __init__ of its class was not called";

/// In the place of pybind11's allocation of what no constructor has made.
void* refuse_allocation(std::size_t) {
  throw py::type_error(uninitialised);
}

/// Where a shared pointer is wanted pybind11 notices itself, but its words are about C++.
void translate_missing_holder(std::exception_ptr thrown) {
  try {
    if (thrown) std::rethrow_exception(thrown);
  } catch (const py::cast_error& error) {
    if (std::string_view(error.what()).find("non-held to held instance") == std::string_view::npos)
      throw;
    PyErr_SetString(PyExc_TypeError, uninitialised);
  }
}

/// Whether Python can make objects of the class. pybind11 gives every class an __init__, which only
/// raises, as a slot; constructors are functions in its place.
bool has_constructor(const py::handle& type) {
  const py::object init = type.attr("__dict__")["__init__"];
  return !PyObject_TypeCheck(init.ptr(), &PyWrapperDescr_Type);
}

/// Raises TypeError from `type.__new__(type)` and `type()`.
void refuse_new(const py::handle& type) {
  const py::cpp_function refuse(
      [](const py::type& asked, const py::args&, const py::kwargs&) -> py::object {
        throw py::type_error(asked.attr("__name__").cast<std::string>() +
                             " has no constructor: functions of talus return such objects");
      },
      py::name("__new__"), py::scope(type));
  py::setattr(type, "__new__", py::staticmethod(refuse));
}

/// Raises TypeError when an object is pickled or copied. Python would otherwise make another by
/// __new__, or, for the oldest kinds of pickles, an object of pybind11's own base class, which ends
/// the process.
void refuse_pickling(const py::handle& type) {
  for (const char* name : {"__reduce__", "__reduce_ex__"}) {
    const py::cpp_function refuse(
        [](const py::object& self, const py::args&) -> py::object {
          throw py::type_error("cannot pickle or copy talus." +
                               py::type::of(self).attr("__name__").cast<std::string>() +
                               " objects");
        },
        py::name(name), py::is_method(type));
    py::setattr(type, name, refuse);
  }
}

} // namespace

void guard_construction(py::module_& m) {
  py::register_local_exception_translator(translate_missing_holder);
  for (const auto& [name, value] : py::dict(m.attr("__dict__"))) {
    if (!PyType_Check(value.ptr())) continue;
    auto* bound = py::detail::get_type_info(reinterpret_cast<PyTypeObject*>(value.ptr()));
    if (bound == nullptr) continue; // an exception
    bound->operator_new = refuse_allocation;
    if (!has_constructor(value)) refuse_new(value);
    refuse_pickling(value);
  }
}

} // namespace talus::python
