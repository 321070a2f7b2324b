#pragma once
// What the dynamic experiments of mazhar2014 (sec. 5.3 to 5.5) share: one body that slides on a
// plane, stepped in each of the six formulations, beside the closed form of dry friction and the
// lift-off that the relaxed law predicts.

#include "experiments/frame/experiment.h"

namespace talus::experiments {

/// A ball of radius 1 m or a cube of edge 1 m set on a plane that slopes down along the motion.
struct Slide {
  bool ball = false;
  double degrees = 0;    ///< Of the slope.
  double friction = 0.3; ///< μ.
  double speed = 2;      ///< v₀ down the slope, m/s, without spin.
  double seconds = 1;    ///< Of simulation.
  double step = 0.0025;  ///< h, s.
};

/// At one time: distance and velocity along the slope, height above the plane and its rate, spin
/// about the horizontal axis. SI units.
struct MotionRecord {
  double time = 0, distance = 0, speed = 0, height = 0, rise = 0, spin = 0;
};

/// The acceleration along the slope while it slips: g (sin α - μ cos α).
double slipping_acceleration(const Slide& slide);
/// When slipping ends: 2 v₀/(7 μ g) for the ball (on the level), v₀/|a| for a box that is braked;
/// infinite for one that is not.
double slipping_time(const Slide& slide);
/// Coulomb's motion, in closed form.
MotionRecord exact_motion(const Slide& slide, double time);

/// What the relaxed law does to the body in the first step: it demands u_n ≥ μ |u_t| and gets it by
/// an impulse on the edge of the friction cone, whence u_n = (μ u_t - κ μ² w)/(1 + κ μ²) with the
/// velocities u_t, -w that the step would reach without contact and κ = m N_tt (1 for the box, 7/2
/// for the ball, which the impulse also turns). The height of the hop that follows, m.
double predicted_hop(const Slide& slide);
/// The gap on which a body slides under the relaxed law once it is steady: h μ |u_t|, m.
double predicted_cushion(const Slide& slide, double speed);

/// A simulated motion.
struct Motion {
  std::string curve; ///< "primal", "dual", "eom", and "apgd, dual" for the dual solved by APGD.
  bool relaxed = false;
  std::vector<MotionRecord> records;
  long unconverged = 0; ///< Steps whose solve missed the tolerance 1e-8.

  const MotionRecord& last() const { return records.back(); }
  double lift() const; ///< Greatest height, m.
  /// From when on the contact point no longer slips, s; infinite if it still does at the end.
  double slips_until(const Slide& slide) const;
  /// Greatest distance between this motion and Coulomb's in closed form, along the slope, m.
  double off_closed_form(const Slide& slide) const;
};

/// The six formulations, and the two dual ones once more by APGD.
std::vector<Motion> run_motions(const Context& context, const Slide& slide);

const Motion& find_motion(const std::vector<Motion>& motions, std::string_view curve, bool relaxed);
/// Greatest distance along the slope between two motions, m.
double apart(const Motion& a, const Motion& b);

/// The findings that all four experiments share: no lift-off without relaxation, lift-off with it,
/// one motion for the three formulations without relaxation. And the tables "motion" (drawn) and
/// "outcome".
void report_motions(Report& report, const Slide& slide, const std::vector<Motion>& motions);

/// The height of the first hop of the relaxed law, beside the predicted one.
void report_hop(Report& report, const Slide& slide, const std::vector<Motion>& motions);

/// All findings, tables and the plot of distances for a box that is braked: besides the above, when
/// and where it stops beside the closed form, and whether the relaxed EOM leaves the other relaxed
/// motions, as the paper's does in `figure` ("Fig. 13").
void report_braked_box(Report& report, const Slide& slide, const std::vector<Motion>& motions,
                       const std::string& figure);

/// A plot of the table "motion" over time, fixed point beside relaxed.
Plot motion_plot(std::string name, std::string title, std::string caption, std::string y,
                 std::string label);

} // namespace talus::experiments
