#include "talus/problem/face_name.h"

#include "talus/core/error.h"

#include <fmt/format.h>

namespace talus {

Face parse_face(std::string_view text) {
  if (text == "automatic") return Face::automatic;
  if (text == "explicit") return Face::explicit_matrix;
  if (text == "sparse") return Face::sparse;
  if (text == "bodies") return Face::bodies;
  throw InvalidArgument(
      fmt::format("unknown operator face '{}'; known: automatic, explicit, sparse, bodies", text));
}

} // namespace talus
