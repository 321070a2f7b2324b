#include "talus/core/error.h"
#include "talus/world/name_check.h"
#include "talus/world/surroundings.h"
#include "talus/world/world.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace talus {

std::string_view to_string(BodyKind kind) {
  constexpr std::string_view names[] = {"dynamic", "fixed", "kinematic"};
  return names[static_cast<int>(kind)];
}

namespace {

/// Mass properties in the reference frame: those given, or the sum of the shapes'.
MassProperties total_mass_properties(const std::vector<BodyShape>& shapes, double density) {
  MassProperties total;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const MassProperties part =
        transformed(mass_properties(*shapes[i].shape, density), shapes[i].pose);
    total = i == 0 ? part : combined(total, part);
  }
  return total;
}

void check_mass(const MassProperties& properties) {
  if (!(properties.mass > 0) || !std::isfinite(properties.mass)) {
    throw InvalidArgument(
        fmt::format("its mass is {} kg, it must be positive and finite", properties.mass));
  }
  for (const double entry : properties.inertia.m)
    if (!std::isfinite(entry)) throw InvalidArgument("its moments of inertia are not finite");
}

void check_moments(const Body& body) {
  if (!body.turns) return;
  for (int i = 0; i < 3; ++i) {
    if (!(body.moments[i] > 0) || !std::isfinite(body.moments[i])) {
      throw InvalidArgument(fmt::format("a principal moment of inertia is {} kg m², it must be "
                                        "positive (or say without_rotation)",
                                        body.moments[i]));
    }
  }
}

void check_state(const BodyState& state) {
  if (!is_finite(state.pose)) throw InvalidArgument("its pose is not finite");
  if (std::abs(norm(state.pose.rotation) - 1) > 1e-6) {
    throw InvalidArgument(fmt::format("its orientation quaternion has length {}, it must be 1",
                                      norm(state.pose.rotation)));
  }
  if (!is_finite(state.velocity) || !is_finite(state.angular_velocity)) {
    throw InvalidArgument("its velocity is not finite");
  }
}

} // namespace

Index World::add(const BodyBuilder& builder) {
  Body body;
  check_name("body", builder.name_);
  body.name = builder.name_.empty() ? fmt::format("body {}", size()) : builder.name_;
  try {
    if (find_body(body.name) >= 0) throw InvalidArgument("the name is taken");
    if (builder.material_ < 0 || builder.material_ >= materials.size()) {
      throw InvalidArgument(fmt::format("there is no material {}", builder.material_));
    }
    if (builder.kind_ != BodyKind::kinematic && builder.motion_.index() != 0) {
      throw InvalidArgument("only kinematic bodies have a prescribed motion");
    }
    body.kind = builder.kind_;
    body.turns = builder.turns_;
    body.floats = builder.floats_;
    if (builder.load_ != Wrench{}) body.extras.own().load = builder.load_;
    if (builder.motion_.index() != 0) body.extras.own().motion = builder.motion_;
    check_drag(builder.drag_);
    if (builder.drag_ != Drag{}) body.extras.own().drag = builder.drag_;
    if (std::isnan(builder.remove_at_)) throw InvalidArgument("the time of its removal is NaN");
    std::vector<BodyShape> shapes = builder.shapes_;
    for (BodyShape& shape : shapes) {
      if (!shape.shape) throw InvalidArgument("a shape is missing (null pointer)");
      if (!is_finite(shape.pose)) throw InvalidArgument("the pose of a shape is not finite");
      shape.material = builder.material_;
      shape.group = builder.group_;
      shape.mask = builder.mask_;
    }
    if (body.kind == BodyKind::dynamic) {
      MassProperties properties;
      if (builder.properties_) {
        properties = *builder.properties_;
      } else if (!shapes.empty()) {
        properties = total_mass_properties(shapes, builder.density_);
      } else if (!builder.mass_) {
        throw InvalidArgument("a dynamic body needs a shape, a mass or mass properties");
      }
      if (builder.mass_) {
        if (shapes.empty() && !builder.properties_) {
          properties.mass = *builder.mass_;
        } else {
          properties = with_mass(properties, *builder.mass_);
        }
      }
      check_mass(properties);
      const PrincipalFrame frame = principal_frame(properties);
      body.mass = properties.mass;
      body.moments = frame.moments;
      if (frame.shape_in_body != Transform{}) body.extras.own().reference = frame.shape_in_body;
      for (BodyShape& shape : shapes) shape.pose = body.reference() * shape.pose;
      check_moments(body);
    }
    // Bodies of a kind are mostly added one after another.
    if (!bodies_.empty() && std::ranges::equal(bodies_.back().shapes, shapes))
      body.shapes = bodies_.back().shapes;
    else
      body.shapes = BodyShapes(std::move(shapes));
    BodyState state;
    state.velocity = builder.velocity_;
    state.angular_velocity = builder.angular_velocity_;
    state.pose = builder.pose_;
    check_state(state);
    state.pose.rotation = normalized(state.pose.rotation);
    state.pose = state.pose * inverse(body.reference());
    if (body.kind == BodyKind::fixed &&
        (norm(state.velocity) > 0 || norm(state.angular_velocity) > 0)) {
      throw InvalidArgument("a fixed body cannot have a velocity; make it kinematic");
    }
    if (!builder.name_.empty()) body_of_name_.emplace(body.name, size());
    if (builder.remove_at_ < std::numeric_limits<double>::infinity()) {
      const std::pair removal(builder.remove_at_, size());
      removals_.insert(std::ranges::upper_bound(removals_, removal), removal);
    }
    bodies_.push_back(std::move(body));
    states_.push_back(state);
  } catch (const InvalidArgument& error) {
    throw InvalidArgument(fmt::format("body '{}': {}", body.name, error.what()));
  }
  ++revision_;
  return size() - 1;
}

} // namespace talus
