// Impacts under Newton's and Poisson's law of impact.
//
// A sphere of radius R strikes a plane with v_n and v_t. Along the normal v_n' = e v_n, so the
// impulse is m (1 + e) v_n, and that of friction at most µ times it. With the moment of inertia
// (2/5) m R², a tangential impulse m p changes v_t by −p and R ω by (5/2) p; the contact point
// comes to rest for p = (2/7) v_t. So
//
//     sliding   v_t' = v_t − µ (1 + e) v_n,   R ω' = (5/2) µ (1 + e) v_n   for v_t > (7/2) µ (1 +
//     e) v_n rolling   v_t' = (5/7) v_t              otherwise.
//
// A ball dropped from the height H strikes with v = √(2 g H) after v/g, then flies for 2 e v/g,
// 2 e² v/g, ...: it comes to rest after v/g (1 + 2 e/(1 − e)) = √(2 H/g) (1 + e)/(1 − e).
//
// A step in which the ball strikes from a gap Φ < h v gives it the velocity e v at once, so that it
// ends at Φ + h e v and not at e (h v − Φ): higher by Φ (1 + e), for which it falls up to
// h (1 + e)/e longer. Rebounds below 2 h g are none; their flights would have lasted 4 h/(1 − e)
// together. So with n = ln(v/(2 h g))/ln(1/e) rebounds the time is wrong by at most
//
//     h (n (1 + e)/e + 4/(1 − e)).

#include "closed_forms.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace talus::experiments::closed_impacts {
namespace {

constexpr double radius = 0.2;

StepOptions options_of(ImpactLaw law, double h) {
  StepOptions options;
  options.step = h;
  options.tolerance = 1e-11;
  options.relative_compliance = 0;
  options.impact_law = law;
  return options;
}

/// Largest relative error of the velocities after an oblique impact, over many of them.
double worst_oblique_impact(ImpactLaw law) {
  double worst = 0;
  const double mu = 0.3, v_n = 1.5;
  for (const double e : {0.0, 0.3, 0.6, 1.0})
    for (const double share : {0.2, 0.5, 0.9, 0.99, 1.01, 1.1, 2.0, 5.0}) {
      const double v_t = share * 3.5 * mu * (1 + e) * v_n;
      World world = world_on_floor({.name = "default", .friction = mu, .restitution = e});
      world.gravity = {};
      world.add(body().with(make_sphere(radius)).at({0, 0, radius}).moving({v_t, 0, -v_n}));
      Simulation simulation(std::move(world), options_of(law, 1e-3));
      for (int k = 0; k < 3; ++k) simulation.step();
      const BodyState& ball = simulation.world().states()[1];
      const double lost = share > 1 ? mu * (1 + e) * v_n : 2.0 / 7 * v_t;
      worst = std::max({worst, std::abs(ball.velocity.x - (v_t - lost)) / v_t,
                        std::abs(radius * ball.angular_velocity.y - 2.5 * lost) / v_t,
                        std::abs(ball.velocity.z - e * v_n) / v_n});
    }
  return worst;
}

double time_to_rest(const Context& context, ImpactLaw law, double e, double height, double h) {
  World world = world_on_floor({.name = "default", .restitution = e});
  world.add(body().with(make_sphere(radius)).at({0, 0, radius + height}));
  Simulation simulation(std::move(world), options_of(law, h));
  const double total = std::sqrt(2 * height / closed_form_gravity) * (1 + e) / (1 - e);
  double last = 0;
  while (simulation.time() < 1.1 * total) {
    if (simulation.steps() % 1000 == 0) context.say("a bouncing ball");
    simulation.step();
    if (norm(simulation.world().states()[1].velocity) > 1e-6) last = simulation.time();
  }
  return last;
}

} // namespace

Report run(Context& context) {
  Report report;
  report.summary =
      "A sphere strikes a plane obliquely, at 32 combinations of restitution and speed "
      "(µ = 0.3), and a ball dropped from 0.5 m bounces until it rests (h = 0.1 ms), "
      "under both laws of impact.";
  for (const ImpactLaw law : {ImpactLaw::newton, ImpactLaw::poisson}) {
    context.say("oblique impacts");
    report.findings.push_back(vanishing(
        fmt::format("{}: oblique impact, largest error of v_t', R ω', v_n'", to_string(law)),
        worst_oblique_impact(law), 1e-8, ""));
    for (const double e : {0.3, 0.5, 0.8}) {
      const double height = 0.5, h = context.sized(1e-3, 1e-4);
      const double total = std::sqrt(2 * height / closed_form_gravity) * (1 + e) / (1 - e);
      const double speed = std::sqrt(2 * height * closed_form_gravity);
      const double rebounds = std::log(speed / (2 * h * closed_form_gravity)) / -std::log(e);
      const double steps = rebounds * (1 + e) / e + 4 / (1 - e);
      report.findings.push_back(
          closed_form(fmt::format("{}: ball with e = {} rests after", to_string(law), e), total,
                      time_to_rest(context, law, e, height, h), steps * h / total, "s"));
    }
  }
  return report;
}

} // namespace talus::experiments::closed_impacts
