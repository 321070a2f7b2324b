// mazhar2014 figs. 13 and 14: a box that slides on a plane until it rests.

#include "mazhar2014_motion.h"

namespace talus::experiments::mazhar2014_box {
namespace {

constexpr Slide slide{.friction = 0.3, .speed = 2, .seconds = 1};

} // namespace

Report run(Context& context) {
  const std::vector<Motion> motions = run_motions(context, slide);
  Report report;
  report.summary =
      "A box of edge 1 m is set on a plane with 2 m/s (μ = 0.3, h = 0.0025 s, four contacts). "
      "Coulomb's friction stops it after v₀/(μ g) = 0.680 s and v₀²/(2 μ g) = 0.680 m.";
  report_braked_box(report, slide, motions, "Fig. 13");
  report.plots.push_back(motion_plot(
      "speed", "Fig. 13: speed",
      "A straight line to rest (left). Relaxed, the box loses speed in the hop of the first step "
      "and when it lands, none in between.",
      "speed", "speed [m/s]"));
  report.plots.push_back(motion_plot(
      "height", "Fig. 14: height above the plane",
      "Zero under Coulomb's law (left). Relaxed, the box jumps off, lands, and slides the rest of "
      "its way on a gap h μ |u_t| that closes as it slows down.",
      "height", "height [mm]"));
  return report;
}

} // namespace talus::experiments::mazhar2014_box
