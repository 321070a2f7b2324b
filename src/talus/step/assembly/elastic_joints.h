#pragma once
// Springs and dampers in joints, implicit in time.
//
// With the elongation g, ġ = Gᵀ v, stiffness k and damping c, the effort of a step is that of its
// end: f = -k g⁺ - c ġ⁺ with g⁺ = g + h ġ⁺. Its impulse l = h f satisfies
//
//     l = -h k g - h (h k + c) ġ⁺,    that is    Gᵀ v⁺ + b + E l = 0,
//     E = 1 / (h (h k + c)),          b = k g / (h k + c):
//
// an equality row with compliance (problem/contact_problem.h). At rest ġ⁺ = 0, so l = -h k g
// holds exactly, whatever the step. For k → ∞ the row becomes Gᵀ v⁺ + g/h = 0, that of a rigid
// joint: nothing ever becomes unstable. Of an oscillator of mass m, implicit Euler's factor from
// step to step has the size 1 / √(1 + h c/m + h² k/m): it damps vibrations that the step cannot
// resolve, and slightly those that it can.
//
// A spring along a line (distance joints) acts along the line of the step's start. How its force
// turns is not implicit: a preload T over the length L needs h² T / (m L) < 4.

#include "talus/world/world.h"

namespace talus {

/// b and E of a row.
struct ElasticRow {
  double b = 0, compliance = 0;
};

/// For a stiffness and damping that are not both 0; an infinite stiffness is rigid.
ElasticRow elastic_row(double stiffness, double damping, double elongation, double h);

/// How far the spring of a joint is from its rest: of 1, 2 (universal) or 3 (spherical) directions.
struct SpringElongation {
  int count = 0;
  Vec3 values;
};
SpringElongation spring_elongation(const World& world, const Joint& joint, double coordinate);

/// ½ k g², summed over the springs and bushings of all joints, at the present poses (J). Limits and
/// servos do not count.
double spring_energy(const World& world);

} // namespace talus
