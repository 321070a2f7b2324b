// Single bodies whose friction and impacts have a closed form.
//
// Rocking block (Housner 1963). A block of half-width b and half-height c turns about a corner at
// the distance R from its centre, tan α = b/c, with the moment of inertia (4/3) m R². At the tilt θ
//
//     θ'' = −p² sin(α − θ),   p² = 3 g/(4 R),   ½ θ'² + p² cos(α − θ) = constant,
//
// so that, let go at θ₀ < α, it is upright after the time
//
//     T = ∫₀^θ₀ dθ / (p √(2 (cos(α − θ₀) − cos(α − θ)))) ≈ acosh(1/(1 − θ₀/α))/p.
//
// It then strikes with the other corner. If that corner takes the whole blow, angular momentum
// about it is kept: ω⁺/ω⁻ = 1 − (3/2) sin² α.
//
// Painlevé's rod. A body slides on one point, which lies at (−a, −b) from its centre of mass, in
// the direction −x. A normal force N and friction µ N accelerate the point along the normal with
//
//     N (1/m + a²/I − µ a b/I),
//
// so that from µ = (I/m + a²)/(a b) on no normal force keeps it out of the floor while it slides.
// For a rod at the angle θ this is (tan² θ + 4)/(3 tan θ), at least 4/3. Beyond it the point stops
// at once, by an impulse without collision; up to it, a short step hardly slows it down.
//
// Tippe top. A ball of radius R has its centre of mass at −ε k from its centre, k its axis of
// symmetry; it touches the floor at a = ε k − R e_z from the centre of mass. Whatever force acts
// there, L' = a × F is orthogonal to a, and L·a' = ε L·(ω × k) = 0: Jellett's integral L·a is kept.
// Steps of length h keep it up to a part that is proportional to h.

#include "experiments/closed/closed_forms.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace talus::experiments::nature_bodies {
namespace {

constexpr double pi = std::numbers::pi;

StepOptions rigid_steps(double h) {
  StepOptions options;
  options.step = h;
  options.tolerance = 1e-11;
  options.relative_compliance = 0;
  return options;
}

struct RockingBlock {
  double half_width, half_height, tilt;

  double corner() const { return std::hypot(half_width, half_height); }
  double slenderness() const { return std::atan(half_width / half_height); }
  double frequency() const { return std::sqrt(0.75 * closed_form_gravity / corner()); }

  /// By the substitution θ = θ₀ − s², which takes the root out, and the midpoint rule.
  double time_to_upright() const {
    const double alpha = slenderness();
    constexpr int intervals = 100'000;
    const double width = std::sqrt(tilt) / intervals;
    double sum = 0;
    for (int k = 0; k < intervals; ++k) {
      const double s = (k + 0.5) * width;
      // cos(α − θ₀) − cos(α − θ) without cancellation.
      const double difference = 2 * std::sin(alpha - tilt + s * s / 2) * std::sin(s * s / 2);
      sum += 2 * s * width / std::sqrt(2 * difference);
    }
    return sum / frequency();
  }
};

struct Rocking {
  double time = 0, before = 0, after = 0; ///< Of the first blow, angular velocities around it.
};

Rocking rock(const Context& context, const RockingBlock& block, double h) {
  World world = world_on_floor({.name = "default", .friction = 2});
  const Quaternion turn = exponential_map({0, block.tilt, 0});
  const Vec3 from_corner = rotate(turn, {-block.half_width, 0, block.half_height});
  world.add(body()
                .with(make_box({block.half_width, 0.2, block.half_height}))
                .at(from_corner)
                .turned(turn));
  Simulation simulation(std::move(world), rigid_steps(h));
  Rocking seen;
  const long most = std::lround(3 * block.time_to_upright() / h);
  for (long k = 0; k < most; ++k) {
    if (k % 1000 == 0) context.say("a rocking block");
    simulation.step();
    const double speed = -simulation.world().states()[1].angular_velocity.y;
    if (speed >= seen.before) {
      seen = {simulation.time(), speed, speed};
    } else {
      // A blow may take two steps: one to touch, one to stop.
      if (simulation.time() > seen.time + 2.5 * h) break;
      seen.after = speed;
    }
  }
  return seen;
}

void report_rocking(Report& report, const Context& context) {
  const double h = context.sized(1e-4, 1e-5);
  for (const double ratio : {0.15, 0.3, 0.5}) {
    RockingBlock block{ratio, 1, 0};
    block.tilt = 0.3 * block.slenderness();
    const Rocking seen = rock(context, block, h);
    const double sine = std::sin(block.slenderness());
    report.findings.push_back(
        closed_form(fmt::format("rocking block {} : 1, ω⁺/ω⁻ = 1 − (3/2) sin² α", ratio),
                    1 - 1.5 * sine * sine, seen.after / seen.before, 20 * h, ""));
    report.findings.push_back(closed_form(fmt::format("rocking block {} : 1, upright after", ratio),
                                          block.time_to_upright(), seen.time, 20 * h, "s"));
  }
}

/// Whether the point of contact still slides after a short step.
bool slides_on(double slope, double mu) {
  const double h = 1e-6, speed = 10, length = 1, radius = 1e-4, mass = 1;
  const double angle = std::atan(slope), inertia = mass * length * length / 12;
  const Vec3 arm{0.5 * length * std::cos(angle), 0, 0.5 * length * std::sin(angle)};
  World world = world_on_floor({.name = "default", .friction = mu});
  world.add(body()
                .with(make_sphere(radius))
                .mass_properties({mass, arm, Mat3::diagonal({inertia, inertia, inertia})})
                .at({0, 0, radius})
                .moving({-speed, 0, 0}));
  Simulation simulation(std::move(world), rigid_steps(h));
  simulation.step();
  const BodyState& rod = simulation.world().states()[1];
  const Vec3 to_contact{-arm.x, 0, -arm.z - radius};
  return -(rod.velocity + cross(rod.angular_velocity, to_contact)).x > 0.5 * speed;
}

void report_painleve(Report& report, const Context& context) {
  for (const double slope : {1.0, 2.0, 3.0}) {
    context.say("Painlevé's rod");
    const double angle = std::atan(slope);
    const double a = 0.5 * std::cos(angle), b = 0.5 * std::sin(angle) + 1e-4;
    report.findings.push_back(closed_form(
        fmt::format("Painlevé's rod, tan θ = {}: jams from µ = {:.4f} on", slope,
                    (slope * slope + 4) / (3 * slope)),
        (1.0 / 12 + a * a) / (a * b),
        find_limit(0.5, 4, 30, [&](double mu) { return slides_on(slope, mu); }), 1e-4, "(µ)"));
  }
}

struct Spinning {
  double drift = 0;  ///< Of Jellett's integral, relative.
  double height = 0; ///< Of the centre of mass above the ball's centre at the end, in ε.
};

Spinning spin_top(const Context& context, double h) {
  const double radius = 0.015, offset = 0.003, across = 1.6e-6, along = 1.5e-6;
  World world = world_on_floor({.name = "default", .friction = 0.3});
  world.add(body()
                .with(make_sphere(radius))
                .mass_properties({0.02, {0, 0, -offset}, Mat3::diagonal({across, across, along})})
                .at({0, 0, radius})
                .turned(exponential_map({0, pi / 30, 0}))
                .spinning({0, 0, 180}));
  Simulation simulation(std::move(world), rigid_steps(h));
  const auto axis = [&] { return rotate(simulation.world().states()[1].pose.rotation, {0, 0, 1}); };
  const auto jellett = [&] {
    const Vec3 k = axis(), omega = simulation.world().states()[1].angular_velocity;
    const double spin = dot(omega, k);
    const Vec3 momentum = across * (omega - spin * k) + along * spin * k;
    return dot(momentum, offset * k - radius * Vec3{0, 0, 1});
  };
  const double first = jellett();
  Spinning seen;
  const long steps = std::lround(1 / h);
  for (long k = 0; k < steps; ++k) {
    if (k % 1000 == 0) context.say("a tippe top");
    simulation.step();
    seen.drift = std::max(seen.drift, std::abs(jellett() / first - 1));
  }
  seen.height = -axis().z;
  return seen;
}

void report_top(Report& report, const Context& context) {
  DataTable table{"jellett",
                  "Tippe top, 1 s: largest relative change of Jellett's integral",
                  {"steps per second", "change"},
                  {}};
  std::vector<Spinning> seen;
  for (const double rate : {10'000.0, 20'000.0, 40'000.0}) {
    if (context.quick() && rate > 20'000) break;
    seen.push_back(spin_top(context, 1 / rate));
    table.rows.push_back({rate, seen.back().drift});
  }
  const Spinning &last = seen.back(), &before = seen[seen.size() - 2];
  report.findings.push_back(closed_form("tippe top: change of Jellett's integral when steps halve",
                                        0.5, last.drift / before.drift, 0.1, "(of the former)"));
  report.findings.push_back(
      check_statement("tippe top turns over: its centre of mass rises above its centre", "yes",
                      fmt::format("by {:.2f} of their distance", last.height), last.height > 0,
                      shown("after one second it is still below")));
  report.tables.push_back(std::move(table));
}

} // namespace

Report run(Context& context) {
  Report report;
  report.summary = "A rocking block, a rod that jams by friction alone, and a top that turns over, "
                   "with rigid contacts.";
  report_rocking(report, context);
  report_painleve(report, context);
  report_top(report, context);
  return report;
}

} // namespace talus::experiments::nature_bodies
