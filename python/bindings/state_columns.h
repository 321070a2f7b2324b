#pragma once
// Columns of a list of body states as arrays that view it.

#include "casters.h"
#include "talus/world/body.h"

#include <span>

namespace talus::python {

/// Where a vector lies within a BodyState.
struct StateColumns {
  std::size_t offset;
  py::ssize_t count;
};
inline constexpr std::size_t vector_size = sizeof(Vec3), quaternion_size = sizeof(Quaternion);
inline constexpr StateColumns position_columns{0, 3};
inline constexpr StateColumns orientation_columns{vector_size, 4};
inline constexpr StateColumns velocity_columns{vector_size + quaternion_size, 3};
inline constexpr StateColumns angular_velocity_columns{2 * vector_size + quaternion_size, 3};
static_assert(sizeof(BodyState) == 13 * sizeof(double));

/// A writable view of shape (bodies, count); `owner` keeps the states where they are.
inline py::array view_of(std::span<const BodyState> states, StateColumns columns,
                         py::handle owner) {
  const auto* bytes = reinterpret_cast<const char*>(states.data()) + columns.offset;
  return py::array(
      py::dtype::of<double>(), {static_cast<py::ssize_t>(states.size()), columns.count},
      {static_cast<py::ssize_t>(sizeof(BodyState)), static_cast<py::ssize_t>(sizeof(double))},
      bytes, owner);
}

} // namespace talus::python
