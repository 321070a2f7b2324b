// Friction, rolling friction and cohesion at rest and in motion.
//
// Chain over a drum. n particles lie on a drum, joined by links that turn by Δ from one to the
// next. At a particle the links leave the tangent by Δ/2, so that with tensions T, T' the drum
// bears N = (T + T') sin(Δ/2), and friction balances (T' − T) cos(Δ/2). On the point of slipping
// this is µ N, and
//
//     T'/T = ((1 + µ tan(Δ/2)) / (1 − µ tan(Δ/2)))^n → e^(µ φ),   φ = n Δ,   Δ → 0
//
// (Euler and Eytelwein).
//
// Rolling. About the contact point a ball has the moment of inertia (7/5) m R². The moment ρ m g
// brakes it with a = (5/7) g ρ/R, and it stops after v²/(2 a), in steps of length h after
// h n v − a h² n (n + 1)/2, n = ⌊v/(a h)⌋. A disc of moment (1/2) m R² has 2/3 in place of 5/7. On
// a slope the weight turns the ball with m g R sin α against ρ m g cos α: it rests while tan α <
// ρ/R.
//
// Cohesion. A ball hangs from a ceiling while m g < c.

#include "closed_forms.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace talus::experiments::closed_contacts {
namespace {

constexpr double pi = std::numbers::pi;

bool chain_holds(int count, double angle, double mu, double ratio) {
  const double drum = 1, particle = 0.01, reach = drum + particle, delta = angle / count;
  World world;
  world.gravity = {};
  world.materials.replace(0, {.name = "default", .friction = mu, .stiffness = rigid_stiffness});
  world.add(fixed_body("drum")
                .with(make_cylinder(drum, 1))
                .turned(exponential_map({pi / 2, 0, 0}))); // along y
  const auto place = [&](double at) {
    return Vec3{-reach * std::cos(at), 0, reach * std::sin(at)};
  };
  for (int k = 0; k < count; ++k) {
    const Vec3 at = place((k + 0.5) * delta);
    const Index next =
        world.add(body().with(make_sphere(particle)).mass(0.01).at(at).without_rotation());
    if (k > 0)
      world.add(
          distance_joint().between(next - 1, next).at(place((k - 0.5) * delta)).second_at(at));
  }
  // Links to the outside leave their particles as the others do.
  const auto pull = [&](Index particle_index, double from, double to, double tension) {
    world.set_load(particle_index, {tension * normalized(place(to) - place(from)), {}});
  };
  pull(1, 0.5 * delta, -0.5 * delta, 1);
  pull(count, angle - 0.5 * delta, angle + 0.5 * delta, ratio);
  StepOptions options;
  options.step = 1e-3;
  options.tolerance = 1e-9;
  Simulation simulation(std::move(world), options);
  for (int k = 0; k < 5; ++k) simulation.step();
  return norm(simulation.world().states()[1].velocity) < 1e-7;
}

void report_chain(Report& report, const Context& context) {
  const double mu = 0.3, angle = pi;
  DataTable table{"chain",
                  "Ratio of tensions at which a chain begins to slip (µ = 0.3, half a turn)",
                  {"links", "measured", "closed form", "limit of short links"},
                  {}};
  for (const int count : {5, 20, 60}) {
    if (context.quick() && count == 60) break;
    context.say("a chain over a drum");
    const double t = mu * std::tan(0.5 * angle / count);
    const double expected = std::pow((1 + t) / (1 - t), count);
    const double measured = find_limit(
        1, 2 * expected, 26, [&](double ratio) { return chain_holds(count, angle, mu, ratio); });
    report.findings.push_back(closed_form(fmt::format("chain of {} links on half a drum", count),
                                          expected, measured, 1e-4, "(T'/T)"));
    table.rows.push_back({count, measured, expected, std::exp(mu * angle)});
  }
  report.tables.push_back(std::move(table));
}

/// Drift of a capsule that two plates hold, m/s.
double drift_of_pinched_capsule(const Context& context, double compliance) {
  World world;
  world.materials.replace(0, {.name = "default", .friction = 0.6});
  world.add(fixed_body("left").with(make_box({0.1, 0.5, 0.5})).at({-0.15, 0, 0}));
  const Index capsule = world.add(body("capsule")
                                      .with(make_capsule(0.05, 0.1))
                                      .mass(1)
                                      .turned(exponential_map({pi / 2, 0, 0})));
  const Index plate =
      world.add(body("plate").with(make_box({0.1, 0.5, 0.5})).mass(2).at({0.15, 0, 0}));
  world.add(prismatic("slide").between(ground, plate).along({1, 0, 0}).pushed_by(-20));
  StepOptions options;
  options.relative_compliance = compliance;
  Simulation simulation(std::move(world), options);
  run_steps(context, simulation, 240, "a pinched capsule");
  const Vec3 start = simulation.world().states()[capsule].pose.position;
  const double from = simulation.time();
  run_steps(context, simulation, context.sized(2400, 24000), "a pinched capsule");
  return norm(simulation.world().states()[capsule].pose.position - start) /
         (simulation.time() - from);
}

StepOptions exact(double h) {
  StepOptions options;
  options.step = h;
  options.tolerance = 1e-10;
  options.relative_compliance = 0;
  return options;
}

void report_rolling(Report& report, const Context& context) {
  const double radius = 0.5, rolling = 0.01, speed = 1, h = 0.002;
  for (const bool in_plane : {false, true}) {
    World world = world_on_floor({.name = "default", .friction = 0.5, .rolling = rolling});
    if (in_plane) world.confine_to_plane({0, 1, 0});
    // A disc of the plane is a cylinder across it.
    BodyBuilder ball =
        in_plane ? body().with(make_cylinder(radius, 0.1)).turned(exponential_map({pi / 2, 0, 0}))
                 : body().with(make_sphere(radius));
    ball.at({0, 0, radius}).moving({speed, 0, 0}).spinning({0, speed / radius, 0});
    world.add(ball);
    Simulation simulation(std::move(world), exact(h));
    const double a = (in_plane ? 2.0 / 3 : 5.0 / 7) * closed_form_gravity * rolling / radius;
    const double n = std::floor(speed / (a * h));
    run_steps(context, simulation, static_cast<long>(n) + 20, "a rolling ball");
    const double distance = simulation.world().states()[1].pose.position.x;
    const char* what = in_plane ? "disc in the plane" : "ball";
    report.findings.push_back(closed_form(fmt::format("{} stops after v²/(2 a)", what),
                                          speed * speed / (2 * a), distance,
                                          0.6 * h * 2 * a / speed, "m"));
    report.findings.push_back(closed_form(fmt::format("{}, the same in steps of h", what),
                                          h * n * speed - 0.5 * a * h * h * n * (n + 1), distance,
                                          1e-6, "m"));
  }
}

World ball_on_slope(double angle, double rolling) {
  World world = world_on_floor({.name = "default", .friction = 0.5, .rolling = rolling});
  world.gravity = {closed_form_gravity * std::sin(angle), 0,
                   -closed_form_gravity * std::cos(angle)};
  world.add(body().with(make_sphere(0.5)).at({0, 0, 0.5}));
  return world;
}

void report_slope(Report& report, const Context& context) {
  const double rolling = 0.05;
  const double limit = find_limit(0.05, 0.2, 24, [&](double angle) {
    context.say("a ball on slopes");
    Simulation simulation(ball_on_slope(angle, rolling), exact(0.01));
    for (int k = 0; k < 3; ++k) simulation.step();
    return norm(simulation.world().states()[1].velocity) < 1e-9;
  });
  report.findings.push_back(closed_form("ball rests on slopes up to atan(ρ/R)",
                                        180 / pi * std::atan(rolling / 0.5), 180 / pi * limit, 1e-5,
                                        "°"));
  const long steps = context.sized(10'000, 100'000);
  Simulation simulation(ball_on_slope(0.99 * std::atan(rolling / 0.5), rolling), exact(0.01));
  simulation.step();
  const Vec3 start = simulation.world().states()[1].pose.position;
  run_steps(context, simulation, steps, "a ball at rest on a slope");
  report.findings.push_back(vanishing(fmt::format("creep at 99 % of it in {} steps", steps),
                                      norm(simulation.world().states()[1].pose.position - start),
                                      1e-12, "m"));
}

void report_cohesion(Report& report, const Context& context) {
  const double mass = 2, weight = mass * closed_form_gravity;
  for (const double compliance : {0.0, 0.01}) {
    const double limit = find_limit(0.5, 2, 24, [&](double share) {
      context.say("a ball under a ceiling");
      World world;
      world.materials.replace(0, {.name = "default", .cohesion = {.force = weight / share}});
      world.add(fixed_body("ceiling").with(make_half_space({0, 0, -1})));
      world.add(body().with(make_sphere(0.1)).mass(mass).at({0, 0, -0.1}));
      StepOptions options;
      options.relative_compliance = compliance;
      Simulation simulation(std::move(world), options);
      for (int k = 0; k < 100; ++k) simulation.step();
      return norm(simulation.world().states()[1].velocity) < 0.1;
    });
    // Just beyond the limit a ball needs long to leave what counts as touching.
    report.findings.push_back(closed_form(
        fmt::format("{} contact: ball hangs up to m g", compliance == 0 ? "rigid" : "compliant"),
        weight, weight * limit, 2e-3, "N"));
  }
  const int count = 6;
  const double side = 0.2;
  const double limit = find_limit(0.5, 2, 20, [&](double share) {
    context.say("a column under a ceiling");
    World world;
    const double stress = count * weight / (side * side) / share;
    world.materials.replace(0, {.name = "default", .cohesion = {.stress = stress}});
    world.add(fixed_body("ceiling").with(make_half_space({0, 0, -1})));
    for (int k = 0; k < count; ++k)
      world.add(body()
                    .with(make_box({side / 2, side / 2, side / 2}))
                    .mass(mass)
                    .at({0, 0, -side * (k + 0.5)}));
    StepOptions options;
    options.relative_compliance = 0; // springs would swing at first, and more than the weight pull
    Simulation simulation(std::move(world), options);
    for (int k = 0; k < 100; ++k) simulation.step();
    return norm(simulation.world().states()[1].velocity) < 0.1;
  });
  report.findings.push_back(closed_form("column of six cubes hangs by a stress on its faces up to",
                                        count * weight, count * weight * limit, 2e-3, "N"));
}

} // namespace

Report run(Context& context) {
  Report report;
  report.summary = "Friction of a chain on a drum, a capsule held by two plates, rolling friction "
                   "and cohesion, each as a simulation of a few bodies. Limits are found by "
                   "bisection over simulations.";
  report_chain(report, context);
  for (const double compliance : {0.0, 0.01})
    report.findings.push_back(
        vanishing(fmt::format("{} contacts: drift of a capsule between plates",
                              compliance == 0 ? "rigid" : "compliant"),
                  drift_of_pinched_capsule(context, compliance), 1e-10, "m/s"));
  report_rolling(report, context);
  report_slope(report, context);
  report_cohesion(report, context);
  return report;
}

} // namespace talus::experiments::closed_contacts
