#include "talus/world/joint.h"

#include "talus/core/error.h"
#include "talus/core/nearest_name.h"

#include <array>

namespace talus {

namespace {
constexpr std::array<std::string_view, 11> kind_names = {
    "spherical", "revolute",       "prismatic", "cylindrical", "universal", "fixed",
    "distance",  "point_on_plane", "gear",      "spring",      "bushing"};
} // namespace

std::string_view to_string(JointKind kind) {
  return kind_names[static_cast<std::size_t>(kind)];
}

JointKind joint_kind_from(std::string_view name) {
  for (std::size_t i = 0; i < kind_names.size(); ++i) {
    if (kind_names[i] == name) return static_cast<JointKind>(i);
  }
  throw InvalidArgument("unknown joint " + unknown_name(name, kind_names));
}

bool has_coordinate(JointKind kind) {
  return kind == JointKind::revolute || kind == JointKind::cylindrical ||
         kind == JointKind::prismatic;
}

} // namespace talus
