// mazhar2014 figs. 8 to 11: a ball that slides on a plane until it rolls.

#include "mazhar2014_motion.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace talus::experiments::mazhar2014_ball {
namespace {

constexpr Slide slide{.ball = true, .friction = 0.2, .speed = 2, .seconds = 0.75};

void judge_rolling(Report& report, const std::vector<Motion>& motions) {
  for (const char* curve : {"primal", "dual", "eom"})
    report.findings.push_back(
        compare_numbers(fmt::format("{}: the ball rolls after [s]", curve), 0.291,
                        find_motion(motions, curve, false).slips_until(slide), 1.02,
                        "slipping ends within a step: h is 1 % of the time"));
  double slowest = 1e9, fastest = 0;
  for (const Motion& motion : motions) {
    slowest = std::min(slowest, motion.last().speed);
    fastest = std::max(fastest, motion.last().speed);
  }
  const double rolling = 5 * slide.speed / 7;
  report.findings.push_back(
      check_statement("the relaxation does not change the steady rolling", "5/7 v₀ = 1.429 m/s",
                      fmt::format("{:.4f} to {:.4f} m/s", slowest, fastest),
                      std::max(fastest - rolling, rolling - slowest) < 0.01 * rolling,
                      "the ball still hops at the end"));
}

} // namespace

Report run(Context& context) {
  const std::vector<Motion> motions = run_motions(context, slide);
  Report report;
  report.summary =
      "A ball of radius 1 m is set on a plane with 2 m/s and no spin (μ = 0.2, h = 0.0025 s). It "
      "slides until friction has turned it, and rolls from 2 v₀/(7 μ g) = 0.291 s on.";
  judge_rolling(report, motions);
  report_motions(report, slide, motions);
  report_hop(report, slide, motions);
  report.findings.push_back(
      answer("relaxed: the ball rolls after",
             fmt::format("{:.3f} s", find_motion(motions, "dual", true).slips_until(slide)),
             "no friction while it flies, but as much more when it hops and lands"));
  report.plots.push_back(motion_plot(
      "distance", "Fig. 8: distance from the closed form",
      "Left: the lag of a step, the same for all. Right: the relaxed ball loses speed at once in "
      "the hop of the first step, and catches up while it flies without friction.",
      "off", "ahead of the closed form [mm]"));
  report.plots.push_back(motion_plot("speed", "Fig. 9: speed along the plane",
                                     "All curves lie on the closed form at the left. The relaxed "
                                     "ball starts with a jump, flies, and arrives at the same "
                                     "rolling speed.",
                                     "speed", "speed [m/s]"));
  report.plots.push_back(
      motion_plot("spin", "Fig. 10: spin",
                  "Friction turns the ball at a constant rate (left); relaxed, it turns by the "
                  "impulses of the hop and of the landing, and not at all in between.",
                  "spin", "spin [rad/s]"));
  report.plots.push_back(
      motion_plot("total", "Fig. 11: magnitude of the velocity",
                  "The relaxation gives the ball a vertical velocity μ |u_t| when sliding begins: "
                  "the curve leaves the closed form at once.",
                  "total", "|v| [m/s]"));
  report.plots.push_back(motion_plot(
      "height", "Lift-off: height above the plane",
      "Zero under Coulomb's law (left). Relaxed, the ball hops, comes back, and sinks to the plane "
      "as its slip dies away.",
      "height", "height [mm]"));
  return report;
}

} // namespace talus::experiments::mazhar2014_ball
