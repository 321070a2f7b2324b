#pragma once
// How plain values of Talus look in Python: vectors and quaternions are anything with three or four
// numbers and come back as NumPy arrays, poses are pairs (position, quaternion), names of kinds are
// strings.

#include "talus/core/error.h"
#include "talus/core/transform.h"
#include "talus/world/body.h"
#include "talus/world/joint.h"
#include "talus/world/material.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

namespace talus::python {

namespace py = pybind11;

using Array = py::array_t<double, py::array::c_style | py::array::forcecast>;

/// Fills `count` numbers from anything NumPy takes; false if it is not that many finite-or-not
/// numbers.
inline bool load_numbers(py::handle source, double* to, py::ssize_t count) {
  if (source.is_none() || py::isinstance<py::str>(source)) return false;
  const Array array = Array::ensure(source);
  if (!array) {
    PyErr_Clear();
    return false;
  }
  if (array.ndim() != 1 || array.size() != count) return false;
  std::copy_n(array.data(), count, to);
  return true;
}

inline py::array numbers(std::initializer_list<double> values) {
  Array result(static_cast<py::ssize_t>(values.size()));
  std::copy(values.begin(), values.end(), result.mutable_data());
  return result;
}

/// The path of a file or folder: a string or anything with __fspath__, such as pathlib.Path.
struct PathText {
  std::string text;
  operator const std::string&() const { return text; }
};

/// "true", "0.5": how solve/options.h reads values.
inline std::string option_text(py::handle value) {
  if (py::isinstance<py::bool_>(value)) return value.cast<bool>() ? "true" : "false";
  return py::str(value);
}

/// For iteration over what has numbered items.
inline py::iterator iterate(const py::object& sequence) {
  return py::reinterpret_steal<py::iterator>(PySeqIter_New(sequence.ptr()));
}

/// A named choice: `parse` throws InvalidArgument that lists the names.
template <class Value, auto parse>
struct NameCaster {
  PYBIND11_TYPE_CASTER(Value, py::detail::const_name("str"));
  bool load(py::handle source, bool) {
    if (!py::isinstance<py::str>(source)) return false;
    value = parse(source.cast<std::string>());
    return true;
  }
  static py::handle cast(const Value& from, py::return_value_policy, py::handle) {
    return py::str(std::string(to_string(from))).release();
  }
};

inline BodyKind parse_body_kind(std::string_view text) {
  for (const BodyKind kind : {BodyKind::dynamic, BodyKind::fixed, BodyKind::kinematic})
    if (text == to_string(kind)) return kind;
  throw InvalidArgument(fmt::format("unknown motion '{}'; known: dynamic, fixed, kinematic", text));
}

/// {"quaternion": ...}, {"axis": ..., "angle": ...} or {"euler": ...}; angles in degrees.
inline Quaternion orientation_from(const py::dict& given) {
  constexpr double degree = std::numbers::pi / 180;
  double v[4];
  const auto read = [&](const char* key, py::ssize_t count) {
    return given.contains(key) && load_numbers(given[key], v, count);
  };
  if (given.size() == 1 && read("quaternion", 4)) {
    const Quaternion q{v[0], v[1], v[2], v[3]};
    if (is_finite(q) && norm(q) > 0) return normalized(q);
  }
  if (given.size() == 2 && given.contains("angle") && read("axis", 3)) {
    const Vec3 axis{v[0], v[1], v[2]};
    const auto angle = given["angle"].cast<double>();
    if (is_finite(axis) && norm(axis) > 0 && std::isfinite(angle))
      return axis_angle(axis, angle * degree);
  }
  if (given.size() == 1 && read("euler", 3) && is_finite(Vec3{v[0], v[1], v[2]}))
    return axis_angle({0, 0, 1}, v[2] * degree) * axis_angle({0, 1, 0}, v[1] * degree) *
           axis_angle({1, 0, 0}, v[0] * degree);
  throw InvalidArgument("an orientation has quaternion, axis and angle (degrees), or euler "
                        "(three angles in degrees), all finite and no axis or quaternion zero");
}

} // namespace talus::python

namespace pybind11::detail {

template <>
struct type_caster<talus::python::PathText> {
  PYBIND11_TYPE_CASTER(talus::python::PathText, const_name("Union[str, os.PathLike]"));
  bool load(handle source, bool) {
    const auto path = reinterpret_steal<object>(PyOS_FSPath(source.ptr()));
    if (!path) PyErr_Clear();
    if (!path || !isinstance<str>(path)) return false;
    value.text = path.cast<std::string>();
    return true;
  }
  static handle cast(const talus::python::PathText& path, return_value_policy, handle) {
    return str(path.text).release();
  }
};

template <>
struct type_caster<talus::Vec3> {
  PYBIND11_TYPE_CASTER(talus::Vec3, const_name("ArrayLike"));
  bool load(handle source, bool) {
    double v[3];
    if (!talus::python::load_numbers(source, v, 3)) return false;
    value = {v[0], v[1], v[2]};
    return true;
  }
  static handle cast(const talus::Vec3& v, return_value_policy, handle) {
    return talus::python::numbers({v.x, v.y, v.z}).release();
  }
};

template <>
struct type_caster<talus::Quaternion> {
  PYBIND11_TYPE_CASTER(talus::Quaternion, const_name("ArrayLike"));
  /// Any quaternion but zero is taken, and brought to unit length. A dict is an orientation as
  /// scene files have them, with angles in degrees.
  bool load(handle source, bool) {
    if (isinstance<dict>(source)) {
      value = talus::python::orientation_from(reinterpret_borrow<dict>(source));
      return true;
    }
    double q[4];
    if (!talus::python::load_numbers(source, q, 4)) return false;
    const talus::Quaternion given{q[0], q[1], q[2], q[3]};
    if (!talus::is_finite(given) || talus::norm(given) == 0)
      throw talus::InvalidArgument("a quaternion (w, x, y, z) must be finite and not zero");
    value = talus::norm(given) == 1 ? given : talus::normalized(given);
    return true;
  }
  static handle cast(const talus::Quaternion& q, return_value_policy, handle) {
    return talus::python::numbers({q.w, q.x, q.y, q.z}).release();
  }
};

template <>
struct type_caster<talus::Transform> {
  PYBIND11_TYPE_CASTER(talus::Transform, const_name("tuple[ArrayLike, ArrayLike]"));
  bool load(handle source, bool convert) {
    if (!isinstance<sequence>(source) || len(source) != 2) return false;
    make_caster<talus::Vec3> position;
    make_caster<talus::Quaternion> rotation;
    const auto pair = reinterpret_borrow<sequence>(source);
    if (!position.load(pair[0], convert) || !rotation.load(pair[1], convert)) return false;
    value = {cast_op<talus::Vec3>(position), cast_op<talus::Quaternion>(rotation)};
    return true;
  }
  static handle cast(const talus::Transform& pose, return_value_policy, handle) {
    return make_tuple(pose.position, pose.rotation).release();
  }
};

template <>
struct type_caster<talus::JointKind>
    : talus::python::NameCaster<talus::JointKind, talus::joint_kind_from> {};
template <>
struct type_caster<talus::BodyKind>
    : talus::python::NameCaster<talus::BodyKind, talus::python::parse_body_kind> {};
template <>
struct type_caster<talus::CombineRule>
    : talus::python::NameCaster<talus::CombineRule, talus::combine_rule_from> {};

} // namespace pybind11::detail
