#include "talus/problem/delassus/operator_storage_name.h"

#include "talus/core/error.h"

#include <fmt/format.h>

namespace talus {

OperatorStorage parse_operator_storage(std::string_view text) {
  if (text == "automatic") return OperatorStorage::automatic;
  if (text == "explicit") return OperatorStorage::explicit_matrix;
  if (text == "sparse") return OperatorStorage::sparse;
  if (text == "bodies") return OperatorStorage::bodies;
  throw InvalidArgument(
      fmt::format("unknown operator face '{}'; known: automatic, explicit, sparse, bodies", text));
}

} // namespace talus
