#pragma once
// What surrounds the bodies: wind, drag, fluids with a level, and loads that follow a body.
//
//     world.add(Fluid{.name = "water", .density = 1000, .normal = {0, 0, 1}, .level = 0});
//     world.add(body("kite").with(...).resisted_by({.quadratic = 0.3}));
//     world.set_wind([](const Vec3& place, double time) { return Vec3{0.2 * place.z, 0, 0}; });
//
// Drag is implicit: the force of a step is that of the velocity at its end, which counts as mass
// h c in the step's equations (step/assembly/drag.h). It is stable for any step, and contacts of a
// body at rest bear its whole weight. Buoyancy is that of the poses at the start of the step; it
// oscillates without end, and stays stable while (density of the fluid) g h² A < 4 m, where A is
// the area of the body at the level.

#include "talus/core/types.h"
#include "talus/core/vec3.h"

#include <functional>
#include <limits>
#include <optional>
#include <string>

namespace talus {

/// The velocity of a medium at a place, m/s. A pure function.
using VelocityField = std::function<Vec3(const Vec3& place, double time)>;

/// How a body resists being moved through what surrounds it. With u the velocity of its centre of
/// mass relative to the wind and ω its angular velocity,
///
///     force = -(linear + quadratic |u|) u,    torque = -angular ω
struct Drag {
  double linear = 0;    ///< N s/m.
  double quadratic = 0; ///< N s²/m².
  double angular = 0;   ///< N m s.
  /// Drag coefficient and cross section (m²) in fluids. Without a value: the fluid's coefficient,
  /// and π R², where R is the radius of the ball with the volume of the body's shapes.
  std::optional<double> coefficient = {}, area = {};

  bool operator==(const Drag&) const = default;
};

/// A fluid fills the half-space normal · x ≤ level. On a body it acts by
///
///     buoyancy  -ρ V g, at the centre of the immersed volume V (shape/immersion.h)
///     drag      -s (6 π η R + ½ ρ C A |u|) u and -s (8 π η R³ + ½ ρ C R⁵ |ω|) ω
///
/// where s is the immersed share of the volume, u the velocity relative to the flow at the centre
/// of mass, η the viscosity, C the drag coefficient, and A and R are as in `Drag`. For a sphere the
/// viscous part is Stokes' law. The rest are estimates: added mass and waves are not modelled.
struct Fluid {
  std::string name = {};
  double density = 1000;     ///< ρ, kg/m³.
  double viscosity = 0;      ///< η, Pa s.
  double coefficient = 0.47; ///< C; that of a sphere at Reynolds numbers from 1e3 to 1e5.
  Vec3 normal{0, 0, 1};      ///< Up; need not be of unit length.
  double level = std::numeric_limits<double>::infinity(); ///< m; infinite: the fluid is everywhere.
  /// If set, replaces `level` by its value at the start of each step.
  std::function<double(double time)> level_at = {};
  VelocityField flow = {}; ///< None: at rest.
  bool buoyancy = true;
};

/// A force at a point of a body, which it follows.
struct PointLoad {
  Index body = 0;
  Vec3 point = {}; ///< In the body's reference frame.
  std::function<Vec3(double time)> force =
      {}; ///< N; in world axes, or those of the reference frame:
  bool turns_with_body = false;
};

} // namespace talus
