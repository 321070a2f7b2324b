#pragma once
// NumPy arrays from vectors of Talus, and back.

#include "casters.h"

#include <span>

namespace talus::python {

/// An array that the caller hands over to be filled, as it came: whoever fills it checks it.
struct OutArray {
  std::optional<py::object> given;
};

/// A copy that cannot be written to: assigning to its entries would change nothing.
inline py::array frozen_copy(ConstSpan values, std::vector<py::ssize_t> shape = {}) {
  if (shape.empty()) shape = {static_cast<py::ssize_t>(values.size())};
  Array result(shape);
  std::copy(values.begin(), values.end(), result.mutable_data());
  result.attr("flags").attr("writeable") = false;
  return result;
}

/// A view of memory that `owner` keeps alive and never moves.
inline py::array view_of(const Vector& values, py::handle owner) {
  py::array result(py::dtype::of<double>(), {static_cast<py::ssize_t>(values.size())},
                   {static_cast<py::ssize_t>(sizeof(double))}, values.data(), owner);
  result.attr("flags").attr("writeable") = false;
  return result;
}

inline Vector vector_from(const Array& array) {
  return Vector(array.data(), array.data() + array.size());
}

inline Vector vector_from(const std::optional<Array>& array) {
  return array ? vector_from(*array) : Vector{};
}

/// Throws InvalidArgument unless the array has `size` entries. Arrays that Python has filled have
/// to be asked again: it can resize them.
inline void require_size(const py::array& array, std::size_t size, const char* name) {
  if (array.size() != static_cast<py::ssize_t>(size))
    throw InvalidArgument(fmt::format("{} must hold {} numbers, not {}", name, size, array.size()));
}

inline ConstSpan span_of(const Array& array, Index size, const char* name) {
  require_size(array, static_cast<std::size_t>(size), name);
  return {array.data(), static_cast<std::size_t>(size)};
}

/// Rows of `columns` numbers each, from an array of shape (rows, columns).
inline void require_columns(const py::array& array, py::ssize_t columns, const char* name) {
  if (array.ndim() != 2 || array.shape(1) != columns)
    throw InvalidArgument(fmt::format("{} must have shape (n, {})", name, columns));
}

inline std::vector<Vec3> vectors_from(const Array& array, const char* name) {
  require_columns(array, 3, name);
  std::vector<Vec3> result(static_cast<std::size_t>(array.shape(0)));
  for (std::size_t i = 0; i < result.size(); ++i) {
    const double* row = array.data() + 3 * i;
    result[i] = {row[0], row[1], row[2]};
  }
  return result;
}

} // namespace talus::python

namespace pybind11::detail {

template <>
struct type_caster<talus::python::OutArray> {
  PYBIND11_TYPE_CASTER(talus::python::OutArray, const_name("Optional[numpy.ndarray]"));
  bool load(handle source, bool) {
    if (!source.is_none()) value.given = reinterpret_borrow<object>(source);
    return true;
  }
  static handle cast(const talus::python::OutArray& out, return_value_policy, handle) {
    return out.given.value_or(none()).inc_ref();
  }
};

} // namespace pybind11::detail
