#pragma once
// Rigid bodies. The body frame lies at the centre of mass along the principal axes of inertia;
// velocities and angular velocities are in world axes. What a user places and reads is the
// reference frame, the one in which the shapes were given; for a shape centred at its origin with
// its axes along the principal ones (sphere, box, ...) both frames are the same.

#include "talus/core/heap_optional.h"
#include "talus/core/transform.h"
#include "talus/core/types.h"
#include "talus/shape/shape.h"
#include "talus/world/fluid.h"

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace talus {

/// Everything about a body that changes from step to step.
struct BodyState {
  Transform pose;        ///< From the body frame to the world: centre of mass, orientation.
  Vec3 velocity;         ///< Of the centre of mass, m/s.
  Vec3 angular_velocity; ///< World axes, rad/s.

  bool operator==(const BodyState&) const = default;
};

/// Linear and angular velocity in world axes.
struct Twist {
  Vec3 linear, angular;
};

/// Force [N] at the centre of mass and torque [N m] about it, in world axes.
struct Wrench {
  Vec3 force, torque;

  bool operator==(const Wrench&) const = default;
};

enum class BodyKind {
  dynamic,  ///< Moved by forces, contacts and joints.
  fixed,    ///< Never moves.
  kinematic ///< Moves as prescribed, whatever pushes it.
};
std::string_view to_string(BodyKind kind);

/// Pose of the reference frame at a time [s].
using PoseFunction = std::function<Transform(double time)>;
/// Velocity of the centre of mass and angular velocity at a time [s].
using TwistFunction = std::function<Twist(double time)>;
/// Motion of a kinematic body: none keeps the velocities of its state. Functions must depend on
/// the time alone; then a restored simulation repeats itself.
using PrescribedMotion = std::variant<std::monostate, PoseFunction, TwistFunction>;

/// A shape on a body.
struct BodyShape {
  ShapePtr shape;
  Transform pose = {}; ///< From the shape frame to the body frame.
  Index material = 0;
  /// Two shapes may touch when each one's group shares a bit with the other's mask.
  std::uint32_t group = 1, mask = ~std::uint32_t{0};

  bool operator==(const BodyShape&) const = default;
};

/// The shapes of a body, which never change: copies share them.
class BodyShapes {
public:
  BodyShapes() = default;
  explicit BodyShapes(std::vector<BodyShape> shapes)
      : shapes_(shapes.empty() ? nullptr
                               : std::make_shared<std::vector<BodyShape>>(std::move(shapes))) {}

  std::span<const BodyShape> all() const {
    return shapes_ ? std::span<const BodyShape>(*shapes_) : std::span<const BodyShape>();
  }
  auto begin() const { return all().begin(); }
  auto end() const { return all().end(); }
  bool empty() const { return !shapes_; }
  std::size_t size() const { return all().size(); }
  const BodyShape& operator[](std::size_t i) const { return (*shapes_)[i]; }
  const BodyShape& front() const { return shapes_->front(); }

private:
  std::shared_ptr<const std::vector<BodyShape>> shapes_;
};

/// What a sphere that falls does without.
struct BodyExtras {
  Transform reference; ///< From the reference frame to the body frame.
  Wrench load;         ///< Constant force and torque in world axes, besides gravity.
  PrescribedMotion motion;
  Drag drag;
  BodyKind kind_before_removal = BodyKind::dynamic;
};

/// Everything about a body that steps do not change. Small: simulations have millions of them.
struct Body {
  std::string name;
  BodyKind kind = BodyKind::dynamic;
  bool turns = true;    ///< False: contacts, joints and torques do not change its rotation.
  bool floats = false;  ///< True: gravity does not act on it.
  bool removed = false; ///< World::remove_body: then a fixed body that nothing touches.
  double mass = 0;      ///< kg; 0 for fixed and kinematic bodies without one.
  Vec3 moments;         ///< Principal moments of inertia about the body's axes, kg m².
  BodyShapes shapes;
  HeapOptional<BodyExtras> extras;

  const Transform& reference() const { return extras.get().reference; }
  const Wrench& load() const { return extras.get().load; }
  const PrescribedMotion& motion() const { return extras.get().motion; }
  const Drag& drag() const { return extras.get().drag; }
};

} // namespace talus
