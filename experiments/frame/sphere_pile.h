#pragma once
// Settled piles of equal spheres in a container: the states behind most published figures, made
// from nothing with a fixed seed.

#include "context.h"
#include "talus/world/world.h"

namespace talus::experiments {

struct SpherePile {
  Index spheres = 1000;
  double radius = 0.1, mass = 6.28; ///< m, kg.
  double container_radius = 2;      ///< Of the cylinder (half the side of the box), m.
  bool in_box = false;              ///< A square box instead of the cylinder.
  double spacing = 2.06;            ///< Of the grid they start from, in radii.
  double jitter = 0.025;            ///< How far each starts from its place at most, in radii.
  double friction = 0;
  /// A cylinder dropped on top once the spheres lie: no mass, no cylinder.
  double weight_mass = 0, weight_radius = 0; ///< kg, m.
  double step = 2e-3, seconds = 2;           ///< Of settling.
  double envelope = -1; ///< Gaps up to it count as contacts (m); negative: as StepOptions.
  double tolerance = 1e-3;
  long iterations = 400;        ///< Per step of settling.
  bool warm_start = true;       ///< Of the steps of settling.
  Law law = Law::coulomb;       ///< Of settling.
  double problem_step = 0;      ///< Step of the problem made at the end (s); 0: that of settling.
  double problem_envelope = -1; ///< Envelope of that problem (m); negative: that of settling.
  std::uint32_t seed = 1;
};

/// The spheres at the start: a jittered hexagonal grid in the container, at rest.
World pile_world(const SpherePile& pile);

/// Everything above, for what depends on it.
Json inputs_of(const SpherePile& pile);

/// The problem of the step after settling, kept under `name`. Tells the context how far it is.
ContactProblem settled_problem(const SpherePile& pile, const Context& context,
                               const std::string& name);

/// The pile at the end of settling, to make problems of it with other steps, speeds and friction.
/// Kept as outcome `key` of the experiment. Of piles without a weight on top.
World settled_world(const SpherePile& pile, const Context& context, const std::string& key);

} // namespace talus::experiments
