#pragma once
// The entries of a contact as a constant of the compiler, which then unrolls loops over them.

#include <cassert>
#include <type_traits>

namespace talus {

/// body(std::integral_constant<int, dimension>()) for a dimension of 1, 2 or 3.
template <class Body>
decltype(auto) with_dimension(int dimension, Body&& body) {
  assert(dimension >= 1 && dimension <= 3);
  if (dimension == 3) return body(std::integral_constant<int, 3>());
  if (dimension == 2) return body(std::integral_constant<int, 2>());
  return body(std::integral_constant<int, 1>());
}

} // namespace talus
