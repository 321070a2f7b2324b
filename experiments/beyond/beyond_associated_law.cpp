// How far the associated (relaxed) law is from Coulomb's as a function of friction, step and slip:
// for one sliding body, for a step of a pile that is sheared, and for a collapse.

#include "beyond.h"
#include "experiments/frame/fingerprint.h"
#include "experiments/frame/paper_step.h"
#include "experiments/frame/power_law.h"
#include "talus/core/vector_ops.h"
#include "talus/shape/shape.h"
#include "talus/step/simulation.h"
#include "talus/world/builders.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace talus::experiments::beyond_associated_law {
namespace {

/// What is varied, around a middle.
struct Setting {
  double friction = 0.3, step = 2e-3, speed = 0.3; ///< -, s, m/s.
};

struct Variation {
  std::string of; ///< What is varied, with its unit.
  double Setting::*what;
  std::vector<double> values;
};

std::vector<Variation> variations() {
  return {{"μ", &Setting::friction, {0.02, 0.05, 0.1, 0.2, 0.4, 0.8}},
          {"h [s]", &Setting::step, {2.5e-4, 5e-4, 1e-3, 2e-3, 4e-3, 8e-3}},
          {"slip [m/s]", &Setting::speed, {0.03, 0.1, 0.3, 1, 3}}};
}

/// Differences of one step under the two laws.
struct Difference {
  double apart = 0;  ///< Root mean square of the bodies' velocity differences, m/s.
  double lift = 0;   ///< Mean u_n of the contacts that carry under the associated law, m/s.
  double closed = 0; ///< Mean of μ |u_t| there, which u_n is at every sliding contact, m/s.
  double slip = 0;   ///< Mean |u_t| of the contacts that carry under Coulomb's law, m/s.
  double error = 0;  ///< The larger one of both solves.
};

Json to_json(const Difference& d) {
  return {{"apart", d.apart},
          {"lift", d.lift},
          {"closed", d.closed},
          {"slip", d.slip},
          {"error", d.error}};
}

Difference difference_from(const Json& j) {
  return {j["apart"], j["lift"], j["closed"], j["slip"], j["error"]};
}

SolveResult solved(ContactProblem problem, Law law) {
  problem.law = law;
  SolveOptions options = to_error(1e-9, 500);
  const SolveResult result =
      run_solver(problem, {law == Law::associated ? "conic-ip" : "ip-newton"}, options);
  if (result.status == Status::converged) return result;
  options.max_iterations = 200000;
  options.time_limit = 20;
  return run_solver(problem, {"auto"}, options);
}

/// Mean over contacts with impulse of f(contact's first row).
template <class Quantity>
double mean_over_loaded(const ContactProblem& problem, const SolveResult& result,
                        const Quantity& quantity) {
  double most = 0, sum = 0, count = 0;
  for (Index c = 0; c < problem.contacts(); ++c) most = std::max(most, result.x[3 * c]);
  for (Index c = 0; c < problem.contacts(); ++c) {
    if (result.x[3 * c] <= 1e-6 * most) continue;
    sum += quantity(c);
    count += 1;
  }
  return count > 0 ? sum / count : 0;
}

Difference difference(const ContactProblem& problem) {
  const SolveResult relaxed = solved(problem, Law::associated),
                    exact = solved(problem, Law::coulomb);
  const auto sliding = [](const SolveResult& result, Index c) {
    return std::hypot(result.u[3 * c + 1], result.u[3 * c + 2]);
  };
  double squares = 0, bodies = 0;
  for (std::size_t i = 0; i + 5 < exact.v.size(); i += 6) {
    for (std::size_t k = i; k < i + 3; ++k) squares += std::pow(relaxed.v[k] - exact.v[k], 2);
    bodies += 1;
  }
  return {std::sqrt(squares / bodies),
          mean_over_loaded(problem, relaxed, [&](Index c) { return relaxed.u[3 * c]; }),
          mean_over_loaded(problem, relaxed,
                           [&](Index c) { return problem.mu[c] * sliding(relaxed, c); }),
          mean_over_loaded(problem, exact, [&](Index c) { return sliding(exact, c); }),
          std::max(relaxed.quality.error, exact.quality.error)};
}

/// A brick that slides on a plane without turning, at first so far above it.
World sliding_brick(const Setting& setting, double gap) {
  World world;
  world.materials.replace(0, {.name = "default", .friction = setting.friction});
  world.add(fixed_body("plane").with(make_half_space({0, 0, 1})));
  world.add(body("brick")
                .with(make_box({0.2, 0.1, 0.1}))
                .mass(1)
                .at({0, 0, 0.1 + gap})
                .moving({setting.speed, 0, 0})
                .without_rotation());
  return world;
}

/// After ten steps, SI units.
struct Cushion {
  double gap, speed;
  double coulomb; ///< The gap under Coulomb's law.
};

/// Under the associated law a body rides on a cushion of h μ |u_t|. It starts on one, so that no
/// hop hides the steady state; under Coulomb's law it starts on the plane.
Cushion cushion(const Setting& setting) {
  StepOptions options = paper_step(setting.step);
  options.tolerance = 1e-10;
  options.law = Law::associated;
  const double start = setting.step * setting.friction * setting.speed;
  Simulation relaxed(sliding_brick(setting, start), options);
  options.law = Law::coulomb;
  Simulation exact(sliding_brick(setting, 0), options);
  for (int k = 0; k < 10; ++k) relaxed.step(), exact.step();
  const BodyState& state = relaxed.world().states().back();
  return {state.pose.position.z - 0.1, std::abs(state.velocity.x),
          exact.world().states().back().pose.position.z - 0.1};
}

void one_body(Report& report) {
  DataTable table{"brick",
                  "Gap under a sliding brick after ten steps, and the closed form h μ |u_t|.",
                  {"varied", "value", "μ", "h [s]", "speed [m/s]", "gap [mm]", "h μ |u_t| [mm]",
                   "gap under Coulomb's law [mm]"},
                  {}};
  std::string powers;
  double worst = 0;
  for (const Variation& variation : variations()) {
    std::vector<std::pair<double, double>> points;
    for (const double value : variation.values) {
      // Fast enough to slide on for ten steps whatever is varied.
      Setting setting{.speed = 3};
      setting.*variation.what = variation.what == &Setting::speed ? 3 * value : value;
      const Cushion found = cushion(setting);
      const double predicted = setting.step * setting.friction * found.speed;
      table.rows.push_back({variation.of, setting.*variation.what, setting.friction, setting.step,
                            found.speed, 1e3 * found.gap, 1e3 * predicted, 1e3 * found.coulomb});
      const bool slip = variation.what == &Setting::speed;
      points.emplace_back(slip ? found.speed : value, found.gap);
      worst = std::max(worst, std::abs(found.gap / predicted - 1));
    }
    powers += fmt::format("{}{} {}", powers.empty() ? "" : ", ",
                          variation.of.substr(0, variation.of.find(' ')),
                          words(fitted_power(points), "{:.2f}"));
  }
  report.findings.push_back(
      answer("one sliding body: gap under the associated law against h μ |u_t|",
             fmt::format("at most {:.1e} off, relative", worst),
             "the body is held up by h u_n with u_n = μ |u_t|"));
  report.findings.push_back(
      answer("one sliding body: powers of the gap", powers,
             "against the speed after the ten steps, which friction has lowered"));
  report.tables.push_back(std::move(table));
}

SpherePile pile_of(const Context& context) {
  SpherePile pile = shaped_pile(context.sized<Index>(60, 300), 0.5);
  pile.seconds = 1;
  pile.iterations = 200;
  return pile;
}

/// The pile with every layer moving faster than the one below; neighbours slip at about `speed`.
ContactProblem sheared(World world, double radius, const Setting& setting) {
  for (Index i = 0; i < static_cast<Index>(world.size()); ++i)
    if (world.body(i).kind == BodyKind::dynamic)
      world.state(i).velocity.x += setting.speed * world.state(i).pose.position.z / (2 * radius);
  ContactProblem problem = next_step(std::move(world), setting.step);
  problem.mu.assign(problem.mu.size(), setting.friction);
  return problem;
}

/// The fitted power; for friction also that of small coefficients, as strong friction makes
/// contacts stick.
std::string powers_of(std::vector<std::pair<double, double>> points, const Variation& variation) {
  const double whole = fitted_power(points);
  if (variation.what != &Setting::friction) return fmt::format("{:.2f}", whole);
  std::erase_if(points, [](const auto& point) { return point.first > 0.1; });
  return fmt::format("{:.2f} ({:.2f} for μ ≤ 0.1)", whole, fitted_power(points));
}

void one_step(const Context& context, Report& report) {
  const SpherePile pile = pile_of(context);
  const World world = settled_world(pile, context, fmt::format("{}-settled", pile.spheres));
  DataTable table{"pile",
                  "One step of a pile that is sheared, under both laws. Velocities: root mean "
                  "square difference of the spheres'; lift: mean normal velocity of the contacts "
                  "that carry, which is zero under Coulomb's law; slip: mean |u_t|.",
                  {"varied", "value", "difference [m/s]", "lift [m/s]", "mean μ |u_t| [m/s]",
                   "gap opened in the step [mm]", "slip [m/s]", "difference over slip",
                   "larger error"},
                  {}};
  DataTable drawn{"drawn", "The same.", {"panel", "curve", "value", "velocity"}, {}, false};
  std::string differences, lifts;
  for (const Variation& variation : variations()) {
    std::vector<std::pair<double, double>> apart, lift;
    for (const double value : variation.values) {
      Setting setting;
      setting.*variation.what = value;
      const std::string name = fmt::format("{}-{:g}-{:g}-{:g}", pile.spheres, setting.friction,
                                           setting.step, setting.speed);
      const ContactProblem problem = sheared(world, pile.radius, setting);
      const Difference found = difference_from(
          context.once(name, fingerprint(problem), [&] { return to_json(difference(problem)); }));
      table.rows.push_back({variation.of, value, found.apart, found.lift, found.closed,
                            1e3 * setting.step * found.lift, found.slip, found.apart / found.slip,
                            found.error});
      drawn.rows.push_back({variation.of, "difference of velocities", value, found.apart});
      drawn.rows.push_back({variation.of, "lift of loaded contacts", value, found.lift});
      apart.emplace_back(value, found.apart);
      lift.emplace_back(value, found.lift);
    }
    const std::string name = variation.of.substr(0, variation.of.find(' '));
    differences += (differences.empty() ? "" : ", ") + name + " " + powers_of(apart, variation);
    lifts += (lifts.empty() ? "" : ", ") + name + " " + powers_of(lift, variation);
  }
  const ContactProblem middle = sheared(world, pile.radius, Setting{});
  context.problem(fmt::format("beyond-sheared-{}", pile.spheres), fingerprint(middle),
                  [&] { return middle; });
  report.findings.push_back(
      answer("a sheared pile, one step: powers of the velocity difference", differences,
             "difference ~ μ^a h^b slip^c around μ = 0.3, h = 2 ms, 0.3 m/s"));
  report.findings.push_back(
      answer("a sheared pile, one step: powers of the lift of loaded contacts", lifts,
             "the gap that opens in the step is h times the lift: one power of h more"));
  report.tables.push_back(std::move(table));
  report.tables.push_back(std::move(drawn));
  Plot plot = log_plot("pile", "One step of a sheared pile under both laws",
                       "In proportion to the slip; with friction too, but less than in "
                       "proportion, until it is so strong that contacts stick. The step hardly "
                       "changes these velocities, so that the gaps they open shrink with it.",
                       "drawn", "value", "velocity", "what is varied", "velocity [m/s]");
  report.plots.push_back(std::move(plot));
}

/// A column of spheres that falls apart on the floor: mean height and mean distance from its axis
/// at the end, in radii.
struct Heap {
  double height = 0, reach = 0;
};
Heap collapsed(const Context& context, Index spheres, double h, Law law, std::uint32_t seed) {
  SpherePile pile = shaped_pile(spheres, 0.5);
  pile.container_radius *= 0.8;
  pile.seed = seed;
  pile.step = h;
  pile.seconds = 0.8;
  pile.law = law;
  pile.tolerance = 1e-5;
  pile.iterations = 2000;
  const Json run = context.once(
      fmt::format("collapse-{}-{:g}-{}-{}", spheres, h, law == Law::coulomb ? "coulomb" : "relaxed",
                  seed),
      inputs_of(pile), [&]() -> Json {
        const World full = pile_world(pile);
        World world;
        const Index material = world.add(Material{.name = "grain", .friction = pile.friction});
        world.add(fixed_body("floor").with(make_half_space({0, 0, 1})).of(material));
        for (Index i = 0; i < static_cast<Index>(full.size()); ++i)
          if (full.body(i).kind == BodyKind::dynamic)
            world.add(body()
                          .with(make_sphere(pile.radius))
                          .of(material)
                          .mass(pile.mass)
                          .at(full.state(i).pose.position));
        StepOptions options = paper_step(h);
        options.law = law;
        options.tolerance = pile.tolerance;
        options.max_iterations = pile.iterations;
        Simulation simulation(std::move(world), options);
        const long steps = std::lround(pile.seconds / h);
        for (long k = 0; k < steps; ++k) {
          context.say(fmt::format("collapse, h = {:g} s: step {} of {}", h, k, steps));
          simulation.step();
        }
        double height = 0, reach = 0, count = 0;
        for (Index i = 0; i < static_cast<Index>(simulation.world().size()); ++i) {
          if (simulation.world().body(i).kind != BodyKind::dynamic) continue;
          const Vec3& at = simulation.world().state(i).pose.position;
          height += at.z, reach += std::hypot(at.x, at.y), count += 1;
        }
        return {{"height", height / count / pile.radius}, {"reach", reach / count / pile.radius}};
      });
  return {run["height"], run["reach"]};
}

/// Mean and its standard error.
struct Estimate {
  double mean = 0, error = 0;
};
Estimate estimate(const std::vector<double>& values) {
  const double n = static_cast<double>(values.size());
  double sum = 0, squares = 0;
  for (const double value : values) sum += value;
  for (const double value : values) squares += std::pow(value - sum / n, 2);
  return {sum / n, std::sqrt(squares / (n - 1) / n)};
}

void collapse(const Context& context, Report& report) {
  const Index spheres = context.sized<Index>(40, 200);
  const std::uint32_t starts = context.sized<std::uint32_t>(2, 4);
  const std::vector<double> lengths =
      context.quick() ? std::vector{1e-2, 5e-3} : std::vector{1e-2, 5e-3, 2.5e-3};
  DataTable table{"collapse",
                  fmt::format("A column of {} spheres (μ = 0.5) 0.8 s after it was released: mean "
                              "height and mean distance from the axis, in radii, of {} starts that "
                              "differ by the jitter of the grid, with standard errors.",
                              spheres, starts),
                  {"h [ms]", "law", "height", "± height", "distance", "± distance"},
                  {}};
  std::string reaches;
  for (const double h : lengths) {
    std::map<Law, Estimate> reach;
    for (const Law law : {Law::associated, Law::coulomb}) {
      std::vector<double> heights, distances;
      for (std::uint32_t seed = 1; seed <= starts; ++seed) {
        const Heap heap = collapsed(context, spheres, h, law, seed);
        heights.push_back(heap.height);
        distances.push_back(heap.reach);
      }
      const Estimate height = estimate(heights);
      reach[law] = estimate(distances);
      table.rows.push_back({1e3 * h, law == Law::coulomb ? "Coulomb" : "associated", height.mean,
                            height.error, reach[law].mean, reach[law].error});
    }
    const Estimate &relaxed = reach[Law::associated], &exact = reach[Law::coulomb];
    reaches +=
        fmt::format("{}{:.2f} ± {:.2f} at {:g} ms", reaches.empty() ? "" : ", ",
                    relaxed.mean - exact.mean, std::hypot(relaxed.error, exact.error), 1e3 * h);
  }
  report.findings.push_back(answer(
      "a collapse: how many radii farther from the axis the spheres lie under the associated law",
      reaches, "mean and standard error over the starts"));
  report.tables.push_back(std::move(table));
}

} // namespace

Report run(Context& context) {
  Report report;
  report.summary =
      "The associated law asks for u_n ≥ μ |u_t| where Coulomb's asks for u_n ≥ 0: every contact "
      "that slides opens. How much that is, for one body in closed form, for one step of a pile "
      "of spheres whose layers slide over each other, and for a column that collapses.";
  one_body(report);
  one_step(context, report);
  collapse(context, report);
  return report;
}

} // namespace talus::experiments::beyond_associated_law
