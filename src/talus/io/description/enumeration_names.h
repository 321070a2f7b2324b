#pragma once
// Enumerations of descriptions by name.

#include "talus/core/error.h"
#include "talus/io/world_description.h"

namespace talus::description {

inline std::string_view name_of(BodyKind kind) {
  return to_string(kind);
}
inline std::string_view name_of(JointKind kind) {
  return to_string(kind);
}
inline std::string_view name_of(Law law) {
  return to_string(law);
}
inline std::string_view name_of(CombineRule rule) {
  return to_string(rule);
}
inline std::string_view name_of(ImpactLaw law) {
  return to_string(law);
}
inline std::string_view name_of(SensorKind kind) {
  return to_string(kind);
}
inline std::string_view name_of(MotorMode mode) {
  return mode == MotorMode::velocity ? "velocity" : "position";
}

/// Each throws InvalidArgument for a name that is unknown.
inline void set_from(std::string_view name, BodyKind& kind) {
  for (const BodyKind each : {BodyKind::dynamic, BodyKind::fixed, BodyKind::kinematic})
    if (to_string(each) == name) {
      kind = each;
      return;
    }
  throw InvalidArgument("a body is dynamic, fixed or kinematic");
}
inline void set_from(std::string_view name, JointKind& kind) {
  kind = joint_kind_from(name);
}
inline void set_from(std::string_view name, Law& law) {
  law = parse_law(name);
}
inline void set_from(std::string_view name, CombineRule& rule) {
  rule = combine_rule_from(name);
}
inline void set_from(std::string_view name, ImpactLaw& law) {
  law = impact_law_from(name);
}
inline void set_from(std::string_view name, SensorKind& kind) {
  kind = sensor_kind_from(name);
}
inline void set_from(std::string_view name, MotorMode& mode) {
  if (name != "velocity" && name != "position")
    throw InvalidArgument("the mode of a motor is velocity or position");
  mode = name == "velocity" ? MotorMode::velocity : MotorMode::position;
}

} // namespace talus::description
