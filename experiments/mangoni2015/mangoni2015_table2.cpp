// mangoni2015 Table 2: what a warm start saves the interior point method.

#include "experiments/frame/fingerprint.h"
#include "mangoni2015.h"
#include "talus/shape/shape.h"
#include "talus/world/builders.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace talus::experiments::mangoni2015_table2 {
namespace {

constexpr Index balls = 130; ///< A matrix of 1200 rows, the least of Table 1.

struct Scene {
  std::string name;
  long calls;
  std::array<double, 3> published; ///< Iterations of none, partial, full.
  std::function<Simulation()> make;
  Json inputs; ///< What `make` gives depends on.
};

Simulation on_the_floor(ShapePtr shape, double height) {
  World world;
  world.add(fixed_body("floor").with(make_half_space({0, 0, 1})));
  world.add(body().with(std::move(shape)).density(1000).at({0, 0, height}));
  return Simulation(std::move(world), paper_steps("none"));
}

Scene alone(std::string name, std::array<double, 3> published, ShapePtr shape, double height) {
  const auto make = [shape = std::move(shape), height] { return on_the_floor(shape, height); };
  return {std::move(name), 100, published, make, fingerprint(make().next_problem())};
}

std::vector<Scene> table2(const Context& context) {
  return {{fmt::format("{} balls in a box", balls),
           50,
           {935, 927, 747},
           [&context] { return settling_balls(context, balls); },
           inputs_of_settling_balls(balls)},
          alone("single brick", {499, 370, 81}, make_box({0.5, 0.25, 0.15}), 0.15),
          alone("single ball", {720, 515, 90}, make_sphere(0.5), 0.5)};
}

constexpr std::array<const char*, 3> warm_starts = {"none", "partial", "full"};

} // namespace

Report run(Context& context) {
  Report report;
  DataTable table{"iterations",
                  "Iterations of all calls together. A call whose start already passes takes none.",
                  {"scene", "calls", "warm start", "published", "pdip", "calls without iteration",
                   "share of none, published", "share of none"},
                  {}};
  for (const Scene& scene : table2(context)) {
    std::array<double, 3> measured{};
    std::array<long, 3> without_iteration{};
    const double calls = static_cast<double>(scene.calls);
    for (std::size_t i = 0; i < warm_starts.size(); ++i) {
      const Json run = stepped(
          context, fmt::format("{}-{}", scene.name, warm_starts[i]), scene.inputs, scene.make,
          {.what = fmt::format("{}, warm start {}", scene.name, warm_starts[i]),
           .steps = scene.calls,
           .warm = warm_starts[i]});
      const Json& each = run["iterations"];
      measured[i] = total(each);
      without_iteration[i] = std::count(each.begin(), each.end(), Json(0));
      table.rows.push_back({scene.name, scene.calls, warm_starts[i], scene.published[i],
                            measured[i], without_iteration[i],
                            scene.published[i] / scene.published[0], measured[i] / measured[0]});
    }
    report.findings.push_back(compare_numbers(
        scene.name + ": iterations without warm start", scene.published[0], measured[0], 1.5,
        fmt::format("{:.1f} iterations a call against {:.1f}: start and stop test are absolute, so "
                    "that the count grows with the masses (mangoni2015-fig1), which the paper does "
                    "not give",
                    measured[0] / calls, scene.published[0] / calls)));
    for (std::size_t i : {1, 2})
      report.findings.push_back(compare_numbers(
          fmt::format("{}: {} warm start, share of the iterations without", scene.name,
                      warm_starts[i]),
          std::round(1000 * scene.published[i] / scene.published[0]) / 1000,
          measured[i] / measured[0], 1.35,
          fmt::format(
              "{:.1f} iterations a call against {:.1f}: with so few, one more or less "
              "changes the share much. A call that takes none ({} of {}) hands its error on "
              "to the next",
              measured[i] / calls, scene.published[i] / calls, without_iteration[i], scene.calls)));
    report.findings.push_back(check_statement(
        scene.name + ": a full warm start helps, clearly where nothing moves", "yes",
        fmt::format("{:.0f} % of the iterations saved", 100 * (1 - measured[2] / measured[0])),
        measured[2] < 0.9 * measured[0],
        "a start on the boundary of the cone must step back inside, and the way back costs what "
        "the nearness saves"));
  }
  report.summary =
      "Three scenes without friction, stepped by 10 ms with pdip and the paper's stop test: from a "
      "cold start, from the velocities of the last step (partial), and from everything (full).";
  report.tables.push_back(std::move(table));
  return report;
}

} // namespace talus::experiments::mangoni2015_table2
