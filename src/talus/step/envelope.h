#pragma once
// How far ahead a step looks for contacts, how deep they may be and how fast that is undone.

#include "talus/world/world.h"

namespace talus {

/// For each body the radius about its centre of mass within which all its shapes lie; 0 for bodies
/// without shapes and for unbounded shapes (half-spaces), whose rotation is then not foreseen.
std::vector<double> bounding_radii(const World& world);

/// The two largest surface speeds |v| + |ω| R among the bodies.
struct TopSpeeds {
  double first = 0, second = 0;

  void include(double speed);
};
/// `velocities` has six entries per body.
TopSpeeds top_speeds(ConstSpan velocities, std::span<const double> radii);

/// Of one body.
double surface_speed(ConstSpan velocities, Index body, double radius);
/// The same at the start of the step or at its end without contacts, whichever is larger.
double foreseen_speed(const World& world, ConstSpan free_velocities, Index body, double radius);

/// Of the dynamic bodies that have shapes; 0 without any.
double smallest_radius(const World& world, std::span<const double> radii);

/// The automatic envelope at these foreseen speeds, for bodies of which this is the smallest
/// radius.
double envelope_of(const TopSpeeds& top, double radius, double h);

/// The automatic envelope of StepOptions::envelope from velocities at the step's start and those at
/// its end without contacts, whichever are larger. Throws NonFiniteState where speeds overflow.
double automatic_envelope(const World& world, ConstSpan free_velocities,
                          std::span<const double> radii, double h);

/// The automatic StepOptions::allowed_penetration.
double automatic_penetration(const World& world, std::span<const double> radii);

/// The smaller of two bounding radii, without one that is 0 (not known).
double smaller_radius(double a, double b);

/// The automatic StepOptions::max_recovery_speed of bodies with this bounding radius.
double automatic_recovery_speed(double gravity, double radius);

/// Bodies that, at these velocities, move far enough to cross the envelope unseen: none if the two
/// fastest together stay within it, else all that go farther than half of it.
Index count_outrunning(ConstSpan velocities, std::span<const double> radii, double h,
                       double envelope);

} // namespace talus
