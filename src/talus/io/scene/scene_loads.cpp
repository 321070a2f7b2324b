// Wind, fluids, drag, loads that follow bodies, and the removal of bodies.

#include "talus/io/scene/scene_bodies.h"

#include <fmt/format.h>

namespace talus {

namespace {

const std::vector<std::string> place_and_time = {"t", "x", "y", "z"};

void read_flow(const SceneFields& fields, std::string_view key, FlowDescription& flow) {
  read_over_time(fields, key, flow.velocity, flow.velocities, flow.formula, place_and_time);
}

FluidDescription read_fluid(const SceneValue& value, std::size_t position) {
  const SceneValue* name = value.find("name");
  const std::string label = name && name->kind == SceneValue::Kind::scalar
                                ? fmt::format("fluid '{}'", name->text)
                                : fmt::format("fluid {}", position);
  const SceneFields f(
      value, label,
      {"name", "density", "viscosity", "drag_coefficient", "normal", "level", "flow", "buoyancy"});
  FluidDescription fluid;
  fluid.name = f.text("name", "");
  fluid.density = f.number("density", fluid.density, not_negative);
  fluid.viscosity = f.number("viscosity", 0.0, not_negative);
  fluid.coefficient = f.number("drag_coefficient", fluid.coefficient, not_negative);
  fluid.normal = f.vector("normal", fluid.normal);
  if (f.find("level"))
    read_over_time(f, "level", 1, fluid.level, fluid.levels, fluid.level_formula);
  read_flow(f, "flow", fluid.flow);
  fluid.buoyancy = f.flag("buoyancy", true);
  return fluid;
}

Drag read_drag(const SceneValue& value, const std::string& what) {
  const SceneFields f(value, what, {"linear", "quadratic", "angular", "coefficient", "area"});
  Drag drag;
  drag.linear = f.number("linear", 0.0, not_negative);
  drag.quadratic = f.number("quadratic", 0.0, not_negative);
  drag.angular = f.number("angular", 0.0, not_negative);
  if (f.find("coefficient")) drag.coefficient = f.number("coefficient", not_negative);
  if (f.find("area")) drag.area = f.number("area", not_negative);
  return drag;
}

PointLoadDescription read_point_load(const SceneValue& value, const std::string& what) {
  const SceneFields f(value, what, {"point", "force", "axes"});
  PointLoadDescription load;
  load.point = f.vector("point", Vec3{});
  f.need("force");
  read_over_time(f, "force", load.force, load.forces, load.force_formula);
  const std::string axes = f.text("axes", "world");
  if (axes != "world" && axes != "body")
    fail_at(f.need("axes").place,
            fmt::format("{}: unknown axes '{}'; allowed: world, body", what, axes));
  load.turns_with_body = axes == "body";
  return load;
}

} // namespace

void read_body_loads(const SceneFields& fields, BodyDescription& body) {
  if (const SceneValue* drag = fields.find("drag"))
    body.drag = read_drag(*drag, fields.what() + ": drag");
  if (const SceneValue* loads = fields.find("point_loads"))
    for (const SceneValue& load : to_list(*loads, fields.what() + ": point_loads"))
      body.point_loads.push_back(read_point_load(load, fields.what() + ": point_loads"));
  if (fields.find("remove_at")) body.remove_at = fields.number("remove_at", not_negative);
}

void read_wind_and_fluids(const SceneFields& scene, WorldDraft& draft) {
  read_flow(scene, "wind", draft.description.wind);
  draft.builder.set_surroundings(draft.description);
  const SceneValue* fluids = scene.find("fluids");
  if (!fluids) return;
  std::size_t position = 0;
  for (const SceneValue& value : to_list(*fluids, "fluids")) {
    FluidDescription fluid = read_fluid(value, position++);
    with_location(value.place, "fluids", [&] { draft.add(std::move(fluid)); });
  }
}

} // namespace talus
