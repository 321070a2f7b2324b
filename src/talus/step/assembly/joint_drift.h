#pragma once
// Joints that hold at the end of a step.
//
// The rows of joint_rows.h are linear: g(q) + h Gᵀ v⁺ = 0 at the poses q of the step's start. A
// body that turns by the angle ω h takes a pin at the distance r off its circle by r (ω h)²/2,
// which the next step would find and undo, while it makes the same error again: 60 µm for the pins
// of a track on its sprocket. So the constants b of the rows are chosen such that the joints hold
// at the end:
//
//     g(q⁺(v⁺)) = 0,    q⁺(v) the poses to which the velocities v lead.
//
// With g(q⁺(v)) = g(q) + h Gᵀ v + κ(v), where κ is of second order, this is a row with
// b = (g(q) + κ(v⁺)) / h. The step begins with κ of the last velocities, and the step is solved
// again where that was too far off (joint_closing.h). A pendulum that turns freely then keeps its
// energy, as with the method SHAKE (Ryckaert, Ciccotti & Berendsen 1977); putting the poses right
// after the step instead would take energy out of it, cos² (ω h) in every step.
//
// Springs along a line have κ as well: their b = k g/(h k + c) becomes that plus κ/h, so that force
// and elongation at the end of the step belong together. A spring that is swept around would
// otherwise be longer by κ than its force says, and seem to hold ½ k κ².

#include "talus/step/assembly/joint_rows.h"

namespace talus {

/// Poses after a step with given velocities, of the bodies that joints hold.
class JointDrift {
public:
  /// Adds κ(v)/h to the rows, v being the velocities at the start of the step, of kinematic bodies
  /// those of `velocities`. The bodies of the rows are the world's. A κ of rounding errors is left
  /// out: bodies that fly together would otherwise solve for it.
  void foresee(const World& world, ConstSpan velocities, std::span<const double> radii, double h,
               std::span<JointRow> rows);

  /// g(q⁺) of every row at the end of a step with `velocities` (6 per body, in the world's order);
  /// 0 for rows that do not hold a joint.
  ConstSpan after(const World& world, ConstSpan velocities, double h,
                  std::span<const JointRow> rows);

  /// What is to be added to the constants b of the problem's rows, after a solve that led to
  /// `velocities`, so that it all holds at the end of the step.
  struct Misfit {
    ConstSpan change;
    double excess = 0; ///< The largest error in units of the allowed one.
  };
  Misfit misfit(const World& world, ConstSpan velocities, ConstSpan b,
                std::span<const double> radii, double h, std::span<const JointRow> rows);

private:
  template <class VelocityOf>
  void move(const World& world, double h, std::span<const JointRow> rows, VelocityOf&& of);
  void measure(const World& world, double h, std::span<const JointRow> rows);
  double swept(const World& world, const JointRow& row, double h);

  std::vector<BodyState> states_;
  std::vector<JointRow> moved_;
  Vector errors_, change_;
};

/// The largest g(q) (of a spring κ) of a row that is allowed to be left over: a part of the smaller
/// of the two bodies' sizes, each the largest of its bounding radius and its distance from the
/// joint; in rotations the same part of a radian.
double allowed_joint_error(const World& world, std::span<const double> radii, const JointRow& row);

/// The largest error of a joint at the end of a step (m or rad), from the world there and what
/// JointDrift::after has of its rows: of what holds it together, of its rigid limits, of gears.
double largest_joint_error(const World& world, std::span<const JointRow> rows, ConstSpan errors);

} // namespace talus
