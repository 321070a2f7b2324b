// mazhar2014 figs. 19 and 20: a box that slides down a gentle incline until it rests.

#include "mazhar2014_motion.h"

#include <fmt/format.h>

namespace talus::experiments::mazhar2014_incline_to_rest {
namespace {

constexpr Slide slide{.degrees = 25, .friction = 0.6, .speed = 2, .seconds = 2.25};

} // namespace

Report run(Context& context) {
  const std::vector<Motion> motions = run_motions(context, slide);
  Report report;
  report.summary = fmt::format(
      "A box of edge 1 m is pushed down an incline of 25° with 2 m/s (μ = 0.6, h = 0.0025 s). "
      "Friction brakes it with g (μ cos α - sin α) = {:.3f} m/s² and holds it after {:.2f} s and "
      "{:.2f} m.",
      -slipping_acceleration(slide), slipping_time(slide),
      exact_motion(slide, slide.seconds).distance);
  report_braked_box(report, slide, motions, "Fig. 19");
  report.plots.push_back(motion_plot(
      "speed", "Fig. 19: speed",
      "Left: braked evenly to rest. Right: the relaxed box loses a quarter of its speed in the "
      "first step, gains speed while it flies, and loses it when it lands.",
      "speed", "speed [m/s]"));
  report.plots.push_back(
      motion_plot("height", "Fig. 20: height above the incline",
                  "Zero under Coulomb's law (left). Relaxed, the box flies up to 4.5 cm high, "
                  "lands, and slides on a gap h μ |u_t| that closes as it slows down.",
                  "height", "height [mm]"));
  return report;
}

} // namespace talus::experiments::mazhar2014_incline_to_rest
