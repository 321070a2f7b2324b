// mazhar2014 figs. 16 and 17: a box that starts to slide down a steep incline.

#include "mazhar2014_motion.h"

#include <fmt/format.h>

namespace talus::experiments::mazhar2014_incline_from_rest {
namespace {

constexpr Slide slide{.degrees = 65, .friction = 0.2, .speed = 0, .seconds = 1};

void judge_acceleration(Report& report, const std::vector<Motion>& motions) {
  for (const char* curve : {"primal", "dual", "eom"})
    report.findings.push_back(
        compare_numbers(fmt::format("{}: acceleration [m/s²], beside the closed form", curve),
                        slipping_acceleration(slide),
                        find_motion(motions, curve, false).last().speed / slide.seconds, 1.01,
                        "friction below μ N: the box tips or leaves the plane"));
}

void judge_cushion(Report& report, const std::vector<Motion>& motions) {
  const Motion& relaxed = find_motion(motions, "dual", true);
  const MotionRecord& last = relaxed.last();
  report.findings.push_back(
      answer("gap under the relaxed box at the end",
             fmt::format("{:.3f} mm; predicted h μ |u_t| = {:.3f} mm", 1e3 * last.height,
                         1e3 * predicted_cushion(slide, last.speed)),
             "it grows with the speed and with the step: not an error of the solver, but of the "
             "law"));
  double spread = 0;
  for (const Motion& motion : motions)
    for (const Motion& other : motions) spread = std::max(spread, apart(motion, other));
  report.findings.push_back(check_statement(
      "all solvers come up with slightly different solutions", "slightly different",
      fmt::format("at most {:.2g} mm apart after {:.2f} m", 1e3 * spread, last.distance),
      spread < 0.01 * last.distance,
      "the relaxed motions ride on a gap that the others do not have"));
}

} // namespace

Report run(Context& context) {
  const std::vector<Motion> motions = run_motions(context, slide);
  Report report;
  report.summary = fmt::format(
      "A box of edge 1 m lies on an incline of 65° and starts to slide (μ = 0.2, h = 0.0025 s): "
      "g (sin α - μ cos α) = {:.3f} m/s².",
      slipping_acceleration(slide));
  judge_acceleration(report, motions);
  report_motions(report, slide, motions);
  judge_cushion(report, motions);
  report.plots.push_back(motion_plot(
      "distance", "Fig. 16: distance from the closed form",
      "The half-implicit scheme is ahead by a h t/2. Relaxed, a little less: the impulse that "
      "lifts the box brings its share of friction.",
      "off", "ahead of the closed form [mm]"));
  report.plots.push_back(motion_plot(
      "height", "Fig. 17: height above the incline",
      "Zero under Coulomb's law (left). Relaxed, the faster the box, the higher it floats: a gap "
      "of h μ |u_t|.",
      "height", "height [mm]"));
  return report;
}

} // namespace talus::experiments::mazhar2014_incline_from_rest
