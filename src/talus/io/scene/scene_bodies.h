#pragma once
// Materials, bodies, joints and sensors of scene files.

#include "talus/io/scene/scene_shapes.h"

namespace talus {

/// The sections `materials`, `material_pairs` and `material_rules`; any of them may be null.
void read_materials(const SceneValue* materials, const SceneValue* pairs, const SceneValue* rules,
                    MaterialTable& table);

/// Keys of a body that generators accept for the bodies they make: all but name, shape and place.
extern const std::vector<std::string_view> body_trait_keys;

/// Sets material, density or mass, velocity and the like from such keys.
void apply_body_traits(const SceneFields& fields, const MaterialTable& materials,
                       BodyDescription& body);

/// dynamic (when absent), fixed or kinematic.
BodyKind read_body_kind(const SceneFields& fields);

/// Adds what is described; complaints name the place.
Index add_body(WorldDraft& draft, BodyDescription body, const SceneFields& fields);

/// `drive`: the motion of a kinematic body about the place it was given.
DriveDescription read_drive(const SceneValue& value, const std::string& what);
/// `servo`: a prismatic joint from the ground to a dynamic body, with a motor of limited force.
void add_servo(const SceneValue& value, const std::string& what, Index body, WorldDraft& draft);
/// `drag`, `point_loads` and `remove_at` of a body.
void read_body_loads(const SceneFields& fields, BodyDescription& body);
/// The sections `wind` and `fluids`; either may be null.
void read_wind_and_fluids(const SceneFields& scene, WorldDraft& draft);

/// Keys of a motor, and the motor that they describe; `unit` is that of its positions.
extern const std::vector<std::string_view> motor_keys;
/// A number that is not negative, a table or a formula of t.
void read_largest_effort(const SceneFields& fields, std::string_view key, MotorDescription& motor);
MotorDescription read_motor(const SceneFields& fields, double unit);

/// The sections `bodies`, `joints` and `sensors`.
void read_bodies(const SceneValue& section, SceneShapes& shapes, WorldDraft& draft);
void read_joints(const SceneValue& section, WorldDraft& draft);
void read_sensors(const SceneValue& section, WorldDraft& draft);

/// The section `finding`, after the sensors; scene_findings.cpp.
Finding read_finding(const SceneValue& section, const WorldDraft& draft);

} // namespace talus
