#pragma once
// Names of laws, friction sets, measures and states of a solve are strings in Python.

#include "casters.h"
#include "talus/problem/scaled/quality.h"
#include "talus/solve/solver.h"

namespace pybind11::detail {

template <>
struct type_caster<talus::Law> : talus::python::NameCaster<talus::Law, talus::parse_law> {};
template <>
struct type_caster<talus::FrictionSet>
    : talus::python::NameCaster<talus::FrictionSet, talus::parse_friction_set> {};
template <>
struct type_caster<talus::Measure>
    : talus::python::NameCaster<talus::Measure, talus::parse_measure> {};
/// Of answers only.
template <>
struct type_caster<talus::Status> {
  PYBIND11_TYPE_CASTER(talus::Status, const_name("str"));
  bool load(handle, bool) { return false; }
  static handle cast(talus::Status status, return_value_policy, handle) {
    return str(std::string(to_string(status))).release();
  }
};

} // namespace pybind11::detail
