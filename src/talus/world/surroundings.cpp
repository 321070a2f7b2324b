// Wind, fluids, drag, and loads that follow a body.

#include "talus/world/surroundings.h"

#include "talus/core/error.h"
#include "talus/world/name_check.h"
#include "talus/world/world.h"

#include <fmt/format.h>

#include <cmath>

namespace talus {

namespace {

void require_not_negative(double value, std::string_view what) {
  if (value >= 0 && std::isfinite(value)) return;
  throw InvalidArgument(fmt::format("{} is {}, it must be finite and not negative", what, value));
}

} // namespace

void check_drag(const Drag& drag) {
  require_not_negative(drag.linear, "the linear drag");
  require_not_negative(drag.quadratic, "the quadratic drag");
  require_not_negative(drag.angular, "the angular drag");
  require_not_negative(drag.coefficient.value_or(0), "the drag coefficient");
  require_not_negative(drag.area.value_or(0), "the area for drag");
}

void World::add(Fluid fluid) {
  check_name("fluid", fluid.name);
  if (fluid.name.empty()) fluid.name = fmt::format("fluid {}", fluids_.size());
  try {
    require_not_negative(fluid.density, "its density");
    require_not_negative(fluid.viscosity, "its viscosity");
    require_not_negative(fluid.coefficient, "its drag coefficient");
    if (std::isnan(fluid.level)) throw InvalidArgument("its level is NaN");
    if (!is_finite(fluid.normal) || !(norm(fluid.normal) > 0))
      throw InvalidArgument("its normal is zero or not finite");
    for (const Fluid& other : fluids_)
      if (other.name == fluid.name) throw InvalidArgument("the name is taken");
  } catch (const InvalidArgument& error) {
    throw InvalidArgument(fmt::format("fluid '{}': {}", fluid.name, error.what()));
  }
  fluid.normal = normalized(fluid.normal);
  fluids_.push_back(std::move(fluid));
  ++revision_;
}

void World::set_drag(Index body, const Drag& drag) {
  check_drag(drag);
  bodies_[checked_body(body)].extras.own().drag = drag;
}

namespace {

/// The force function of a point load.
struct PointLoadForce {
  PointLoad load;

  void operator()(const World& world, double time, std::span<Wrench> wrenches) const {
    const Transform pose = world.pose(load.body);
    const Vec3 given = load.force(time);
    const Vec3 force = load.turns_with_body ? rotate(pose.rotation, given) : given;
    const Vec3 arm =
        pose(load.point) - world.states()[static_cast<std::size_t>(load.body)].pose.position;
    Wrench& sum = wrenches[static_cast<std::size_t>(load.body)];
    sum.force += force;
    sum.torque += cross(arm, force);
  }
};

} // namespace

void World::add(PointLoad load) {
  checked_body(load.body);
  if (!load.force) throw InvalidArgument("a point load needs a force");
  if (!is_finite(load.point)) throw InvalidArgument("the point of a load is not finite");
  add(ForceFunction(PointLoadForce{std::move(load)}));
}

Index loaded_body(const ForceFunction& force) {
  const auto* of_load = force.target<PointLoadForce>();
  return of_load ? of_load->load.body : -1;
}

ForceFunction load_on(const ForceFunction& load, Index body) {
  PointLoadForce moved = *load.target<PointLoadForce>();
  moved.load.body = body;
  return moved;
}

} // namespace talus
