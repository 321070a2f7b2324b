// What holds for many grains: contacts of a pile without friction, and the flow out of a silo.
//
// Isostatic pile. The forces at N_c contacts of N spheres without friction obey 3 N equations of
// equilibrium; torques vanish by themselves. Sizes at random leave no further dependence between
// the gaps, so that N_c ≤ 3 N contacts close, and a pile at rest needs N_c ≥ 3 N. Under gravity
// every sphere is held, so N_c = 3 N exactly, walls counted.
//
// Silo (Beverloo, Leniger and van de Velde 1961). Grains of diameter d leave a flat-bottomed silo
// through a round outlet of diameter D at the rate
//
//     W = C ρ_b √g (D − k d)^(5/2),   C ≈ 0.58,   k ≈ 1.4,
//
// whatever the height of the filling; ρ_b is their density as a bulk. So W^(2/5) is a straight line
// in D, which is fitted here.

#include "experiments/closed/closed_forms.h"
#include "talus/io/scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <vector>

namespace talus::experiments::nature_grains {
namespace {

constexpr double pi = std::numbers::pi;

/// Contacts that bear a force in a pile at rest, per sphere.
double bearing_contacts_per_sphere(const Context& context, int layers) {
  const double half = 0.6, spacing = 0.29, mean = 0.1;
  World world = world_on_floor({.name = "default", .friction = 0});
  for (const Vec3 normal : {Vec3{1, 0, 0}, Vec3{-1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, -1, 0}})
    world.add(fixed_body().with(make_half_space(normal, -half)));
  // The engine's numbers are the same everywhere; those of distributions are not.
  std::mt19937 engine(5);
  const auto uniform = [&] { return (engine() + 0.5) / 4294967296.0; };
  Index spheres = 0;
  for (int k = 0; k < layers; ++k)
    for (int i = 0; i < 16; ++i, ++spheres) {
      const double radius = mean * (0.8 + 0.4 * uniform());
      const Vec3 place{spacing * (i % 4 - 1.5), spacing * (i / 4 - 1.5), spacing * (k + 0.5)};
      world.add(body()
                    .with(make_sphere(radius))
                    .at(place + 0.02 * Vec3{uniform(), uniform(), uniform()}));
    }
  StepOptions options;
  options.relative_compliance = 0;
  options.tolerance = 1e-8;
  Simulation simulation(std::move(world), options);
  // Without friction hardly anything takes energy out of a sphere that swings in a trough.
  for (int k = 0; k < 150; ++k) {
    run_steps(context, simulation, 20, "a pile without friction");
    for (BodyState& state : simulation.world().states())
      state.velocity = state.angular_velocity = Vec3{};
  }
  run_steps(context, simulation, 20, "a pile without friction");
  const std::span<const Vec3> impulses = simulation.contact_impulses();
  const double least = 1e-6 * simulation.options().step * closed_form_gravity * 4.0 / 3 * pi *
                       1000 * mean * mean * mean;
  const auto bearing =
      std::ranges::count_if(impulses, [&](const Vec3& r) { return norm(r) > least; });
  return static_cast<double>(bearing) / spheres;
}

/// Metres and kilograms; the outlet's radius is set for each run.
constexpr const char* silo = R"(
step: 1/240
contact: {relative_compliance: 0.1}
envelope: 0.003
solver: {tolerance: 1e-3}
materials:
  grain: {friction: 0.4}
  steel: {friction: 0.3}
bodies:
  - name: silo
    motion: fixed
    material: steel
    position: [0, 0, 0.2]
    shape: {type: hopper, outlet: 0.05, inlet: 0.12, height: 0.005, rim: 0.9, wall: 0.02, segments: 48}
  - {name: floor, motion: fixed, material: grain, shape: {type: half_space}}
generators:
  - {type: packing, name: grain, count: 1500, radius: [0.009, 0.011], density: 2500, material: grain, seed: 4,
     cylinder: {base: [0, 0, 0.21], radius: 0.118, height: 0.85}}
)";
constexpr double grain_diameter = 0.02, outlet_height = 0.19, filling_radius = 0.12;

struct Discharge {
  double first = 0, second = 0; ///< kg/s in two intervals, one after the other.
  double bulk_density = 0;      ///< Of the filling after the first interval, kg/m³.

  double rate() const { return 0.5 * (first + second); }
};

/// Mass that has left, and mean density between the outlet and the highest twentieth.
std::pair<double, double> fallen_and_density(const World& world) {
  double fallen = 0, inside = 0;
  std::vector<double> heights;
  for (Index b = 0; b < world.size(); ++b) {
    const Body& body = world.bodies()[b];
    if (body.kind != BodyKind::dynamic) continue;
    const double height = world.states()[b].pose.position.z;
    if (height < outlet_height) {
      fallen += body.mass;
    } else {
      inside += body.mass;
      heights.push_back(height);
    }
  }
  const auto top = heights.begin() + static_cast<std::ptrdiff_t>(0.95 * heights.size());
  std::ranges::nth_element(heights, top);
  const double volume = pi * filling_radius * filling_radius * (*top - outlet_height);
  return {fallen, 0.95 * inside / volume};
}

Discharge discharge(const Context& context, double outlet_radius) {
  Scene scene =
      build_scene({"silo", silo, {fmt::format("bodies.silo.shape.outlet={}", outlet_radius)}, {}});
  Simulation simulation(std::move(scene.world), scene.options);
  const std::string what = fmt::format("a silo with an outlet of {:.0f} mm", 2e3 * outlet_radius);
  const auto run_until = [&](double time) {
    while (simulation.time() < time - 1e-9) {
      if (simulation.steps() % 20 == 0) context.say(what);
      simulation.step();
    }
    return fallen_and_density(simulation.world());
  };
  const double interval = 0.6;
  const double begin = run_until(0.5).first;
  const auto [middle, density] = run_until(0.5 + interval);
  const double end = run_until(0.5 + 2 * interval).first;
  return {(middle - begin) / interval, (end - middle) / interval, density};
}

void report_silo(Report& report, const Context& context) {
  DataTable table{"silo",
                  "Rate at which grains of 20 mm leave a silo",
                  {"outlet D, m", "W, kg/s", "W^(2/5)", "bulk density, kg/m³"},
                  {}};
  const std::vector<double> radii =
      context.quick() ? std::vector{0.04, 0.05} : std::vector{0.035, 0.04, 0.045, 0.05, 0.055};
  double n = 0, x = 0, y = 0, xx = 0, xy = 0, density = 0, worst = 0;
  std::vector<std::pair<double, double>> points;
  for (const double radius : radii) {
    const Discharge seen = discharge(context, radius);
    const double root = std::pow(seen.rate(), 0.4);
    points.emplace_back(2 * radius, root);
    n += 1, x += 2 * radius, y += root, xx += 4 * radius * radius, xy += 2 * radius * root;
    density += seen.bulk_density / radii.size();
    worst = std::max(worst, std::abs(seen.second - seen.first) / seen.rate());
    table.rows.push_back({2 * radius, seen.rate(), root, seen.bulk_density});
  }
  const double slope = (n * xy - x * y) / (n * xx - x * x), start = (x - y / slope) / n;
  double off_line = 0;
  for (const auto& [diameter, root] : points)
    off_line = std::max(off_line, std::abs(slope * (diameter - start) / root - 1));
  const double c = std::pow(slope, 2.5) / (density * std::sqrt(closed_form_gravity));
  const Reason few = "few grains, and the width of the silo is twelve of them";
  report.findings.push_back(
      compare_numbers("silo: C in W = C ρ_b √g (D − k d)^(5/2)", 0.58, c, 1.25, few));
  report.findings.push_back(compare_numbers("silo: k", 1.4, start / grain_diameter, 1.25, few));
  if (points.size() > 2)
    report.findings.push_back(check_statement("silo: W^(2/5) is a straight line in D", "yes",
                                              fmt::format("within {:.1f} %", 100 * off_line),
                                              off_line < 0.05, few));
  report.findings.push_back(check_statement("silo: the rate does not fall with the level", "yes",
                                            fmt::format("changes by {:.0f} % at most", 100 * worst),
                                            worst < 0.25, few));
  report.tables.push_back(std::move(table));
}

} // namespace

Report run(Context& context) {
  Report report;
  report.summary =
      "Spheres without friction that have settled in a box, and 1500 grains that flow out of "
      "silos with outlets of several sizes.";
  for (const int layers : {4, 12}) {
    if (context.quick() && layers > 4) break;
    report.findings.push_back(
        closed_form(fmt::format("pile of {} spheres without friction: bearing contacts per sphere",
                                16 * layers),
                    3, bearing_contacts_per_sphere(context, layers), 1e-12, ""));
  }
  report_silo(report, context);
  return report;
}

} // namespace talus::experiments::nature_grains
