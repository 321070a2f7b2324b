// Structures of loose blocks on the point of collapse.
//
// Overhanging bricks. n equal bricks of length L lie on a table, the k-th from the top beyond the
// next one below by L/(2 k). The centre of mass of the upper k then lies above the edge of the
// (k+1)-th, for every k: all joints are about to open at once. Shares s < 1 of these overhangs
// stand, s > 1 fall. Together they reach out by L Σ 1/(2 k).
//
// Round arch. n equal blocks between radial joints, R the radius of the middle line and t the
// thickness, with so much friction that nothing slides. The arch stands if there is a line of
// thrust inside it (Heyman's safe theorem): at the joint at angle φ the blocks between it and the
// springing are held by a force F = (H, V) with V from their weights w_i, and the moment
//
//     M = Σ w_i x_i − x₀ W/2 = −ρ N,   N = −F·e_φ ≥ 0,   R − t/2 ≤ ρ ≤ R + t/2.
//
// The horizontal thrust H and the place x₀ of the reaction at the springing are free, so that this
// is a system of linear inequalities in two unknowns. The least t/R for which it has a solution is
// the closed form for n blocks. For n → ∞ it is 0.1075 (Milankovitch).

#include "experiments/closed/closed_forms.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace talus::experiments::nature_structures {
namespace {

constexpr double pi = std::numbers::pi;

StepOptions rigid_steps() {
  StepOptions options;
  options.step = 1e-3;
  options.tolerance = 1e-10;
  options.relative_compliance = 0;
  return options;
}

/// Whether nothing has begun to move after some steps. What is beyond its limit by a share d of it
/// accelerates by about g d.
bool stands(World world) {
  Simulation simulation(std::move(world), rigid_steps());
  for (int k = 0; k < 5; ++k) simulation.step();
  double fastest = 0;
  for (const BodyState& state : simulation.world().states())
    fastest = std::max({fastest, norm(state.velocity), norm(state.angular_velocity)});
  return fastest < 1e-6;
}

World overhanging_bricks(int count, double share) {
  const Vec3 half{0.12, 0.05, 0.03};
  World world;
  world.materials.replace(0, {.name = "default", .friction = 0.6});
  world.add(fixed_body("table").with(make_box({1, 0.5, 0.5})).at({-1, 0, -0.5}));
  double end = 0;
  for (int k = count; k >= 1; --k) {
    end += share * half.x / k;
    world.add(body().with(make_box(half)).at({end - half.x, 0, half.z * (2 * (count - k) + 1)}));
  }
  return world;
}

void report_bricks(Report& report, const Context& context) {
  for (const int count : {1, 3, 6, 12}) {
    if (context.quick() && count > 6) break;
    context.say("overhanging bricks");
    double lengths = 0;
    for (int k = 1; k <= count; ++k) lengths += 0.5 / k;
    const double share = find_limit(0.5, 1.5, 20, [&](double s) {
      context.say("overhanging bricks");
      return stands(overhanging_bricks(count, s));
    });
    report.findings.push_back(closed_form(fmt::format("{} bricks reach out by Σ 1/(2 k)", count),
                                          lengths, share * lengths, 1e-4, "lengths"));
  }
}

/// One block of the arch between the angles `from` and `to`, as a polygon (x, z).
struct Voussoir {
  Vec3 corners[4]; ///< Inner and outer at `from`, outer and inner at `to`.
  double area = 0, x = 0;
};

Voussoir voussoir(double from, double to, double thickness) {
  const double inner = 1 - thickness / 2, outer = 1 + thickness / 2;
  const auto point = [](double radius, double angle) {
    return Vec3{radius * std::cos(angle), 0, radius * std::sin(angle)};
  };
  Voussoir block{{point(inner, from), point(outer, from), point(outer, to), point(inner, to)}};
  for (int k = 0; k < 4; ++k) {
    const Vec3 &a = block.corners[k], &b = block.corners[(k + 1) % 4];
    const double twice = a.x * b.z - b.x * a.z;
    block.area += twice / 2;
    block.x += twice * (a.x + b.x) / 6;
  }
  block.x /= block.area;
  return block;
}

/// a H + b x₀ ≤ c
struct Inequality {
  double a, b, c;
};

/// Whether some point of the plane meets all of them: then a corner of two of them does.
bool has_solution(const std::vector<Inequality>& all) {
  const auto holds = [&](double h, double x) {
    return std::ranges::all_of(
        all, [&](const Inequality& i) { return i.a * h + i.b * x <= i.c + 1e-12; });
  };
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = i + 1; j < all.size(); ++j) {
      const double det = all[i].a * all[j].b - all[j].a * all[i].b;
      if (std::abs(det) < 1e-14) continue;
      if (holds((all[i].c * all[j].b - all[j].c * all[i].b) / det,
                (all[i].a * all[j].c - all[j].a * all[i].c) / det))
        return true;
    }
  return false;
}

/// Whether a line of thrust lies in an arch of so many blocks; weights in units of their areas.
bool holds_thrust_line(int blocks, double thickness) {
  double weight = 0, moment = 0; // of the blocks up to the joint
  double total = 0;
  for (int k = 0; k < blocks; ++k)
    total += voussoir(k * pi / blocks, (k + 1) * pi / blocks, thickness).area;
  std::vector<Inequality> all;
  for (int joint = 0; joint <= blocks; ++joint) {
    const double angle = joint * pi / blocks, c = std::cos(angle), s = std::sin(angle);
    // F = (H, weight − W/2), N = H sin φ + (W/2 − weight) cos φ, M = moment − x₀ W/2.
    const double vertical = (total / 2 - weight) * c;
    all.push_back({-s, 0, vertical}); // N ≥ 0
    const double inner = 1 - thickness / 2, outer = 1 + thickness / 2;
    all.push_back({inner * s, -total / 2, -moment - inner * vertical}); // inner N ≤ −M
    all.push_back({-outer * s, total / 2, moment + outer * vertical});  // −M ≤ outer N
    if (joint == blocks) break;
    const Voussoir block = voussoir(angle, (joint + 1) * pi / blocks, thickness);
    weight += block.area;
    moment += block.area * block.x;
  }
  return has_solution(all);
}

World arch(int blocks, double thickness) {
  World world = world_on_floor({.name = "default", .friction = 2});
  for (int k = 0; k < blocks; ++k) {
    std::vector<Vec3> points;
    for (const Vec3& corner : voussoir(k * pi / blocks, (k + 1) * pi / blocks, thickness).corners)
      for (const double y : {-0.1, 0.1}) points.push_back({corner.x, y, corner.z});
    world.add(body().with(make_convex_hull(points)));
  }
  return world;
}

void report_arch(Report& report, const Context& context) {
  DataTable table{"arch",
                  "Least thickness of a round arch of blocks that stands, over its radius",
                  {"blocks", "measured", "line of thrust"},
                  {}};
  double last = 0;
  for (const int blocks : {7, 15, 31, 61}) {
    if (context.quick() && blocks > 15) break;
    // Thicknesses between which the arch begins to stand.
    const double thinnest = 0.05, thickest = 0.15;
    const auto least = [&](const auto& fits) { return find_limit(thickest, thinnest, 24, fits); };
    last = least([&](double t) { return holds_thrust_line(blocks, t); });
    const double measured = least([&](double t) {
      context.say(fmt::format("arches of {} blocks", blocks));
      return stands(arch(blocks, t));
    });
    report.findings.push_back(
        closed_form(fmt::format("arch of {} blocks: least t/R", blocks), last, measured, 1e-4, ""));
    table.rows.push_back({blocks, measured, last});
  }
  if (!context.quick())
    report.findings.push_back(closed_form(
        "61 blocks, line of thrust: t/R (Milankovitch, any joints)", 0.1075, last, 0.01, ""));
  report.tables.push_back(std::move(table));
}

} // namespace

Report run(Context& context) {
  Report report;
  report.summary = "Overhangs of stacked bricks and thicknesses of round arches at which they "
                   "begin to fall, found by bisection over simulations with rigid contacts.";
  report_bricks(report, context);
  report_arch(report, context);
  return report;
}

} // namespace talus::experiments::nature_structures
