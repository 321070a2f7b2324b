// What rolling and spinning friction cost: processor time per contact and iteration of contacts
// with moments (six components) against the same contacts without them (three), in one run.
//
//     rolling_bench [--bodies 1000] [--iterations 100] [--repeats 5] [--quick]
//
// The contacts are those of a heap that falls into a box, when half of it is at rest: spheres,
// whose blocks of N are diagonal but for one number, and boxes, whose blocks are full. Solvers
// start from nothing and make as many iterations, on one thread. Lengths of rolling friction are
// 0.05 and 0.3 of a radius, so that moments slip in most contacts, or in few. Repeats of both kinds
// alternate, and the least time counts.

#include "processor_time.h"
#include "talus/core/parallel.h"
#include "talus/problem/delassus/delassus.h"
#include "talus/solve/registry.h"
#include "talus/step/simulation.h"
#include "talus/world/builders.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <random>
#include <string>

namespace talus {
namespace {

struct Settings {
  Index bodies = 1000;
  long iterations = 100;
  int repeats = 5;
};

/// The problem of a step in which some bodies lie and others fall.
ContactProblem heap_problem(bool boxes, double rolling, const Settings& settings) {
  constexpr double radius = 0.1;
  World world;
  const Index rough = world.add(Material{.name = "rough",
                                         .friction = 0.5,
                                         .rolling = rolling * radius,
                                         .spinning = 0.5 * rolling * radius});
  const int side = std::max(2, static_cast<int>(std::cbrt(static_cast<double>(settings.bodies))));
  const double half = 0.13 * side;
  world.add(fixed_body("floor").with(make_half_space({0, 0, 1})).of(rough));
  for (const double sign : {-1.0, 1.0}) {
    world.add(fixed_body("").with(make_half_space({sign, 0, 0}, -half)).of(rough));
    world.add(fixed_body("").with(make_half_space({0, sign, 0}, -half)).of(rough));
  }
  const ShapePtr shape =
      boxes ? make_box({0.9 * radius, 0.75 * radius, 0.6 * radius}) : make_sphere(radius);
  std::mt19937 random(1);
  const auto shift = [&] { return 0.02 * (static_cast<double>(random()) / 4294967296.0 - 0.5); };
  for (Index k = 0; k < settings.bodies; ++k) {
    const Index layer = k / (side * side), cell = k % (side * side);
    const auto place = [&](Index i) { return -half + 0.13 + 0.26 * static_cast<double>(i); };
    const Vec3 at{place(cell % side) + shift(), place(cell / side) + shift(),
                  0.13 + 0.26 * static_cast<double>(layer)};
    world.add(body().with(shape).of(rough).at(at).turned(
        exponential_map({10 * shift(), 10 * shift(), 10 * shift()})));
  }
  Simulation simulation(std::move(world), {.step = 1.0 / 240, .tolerance = 1e-3, .threads = 1});
  for (int k = 0; k < 120; ++k) simulation.step();
  return simulation.next_problem();
}

ContactProblem without_moments(const ContactProblem& problem) {
  ContactProblem plain = problem;
  plain.dimension = 3;
  plain.friction = {FrictionKind::cone};
  plain.rolling.clear();
  plain.spinning.clear();
  auto& model = std::get<RigidModel>(plain.model);
  const auto keep = [&](Vector& x) {
    Vector kept;
    for (Index c = 0; c < problem.contacts(); ++c)
      kept.insert(kept.end(), x.begin() + 6 * c, x.begin() + 6 * c + 3);
    kept.insert(kept.end(), x.begin() + problem.impulses(), x.end());
    x = std::move(kept);
  };
  keep(model.w);
  if (!plain.compliance.empty()) keep(plain.compliance);
  return plain;
}

/// Nanoseconds per contact and iteration.
double cost(const std::string& solver_name, const ContactProblem& problem,
            const DelassusOperator& n, const Settings& settings) {
  const auto solver = make_solver(solver_name);
  SolveOptions options;
  options.tolerance = std::numeric_limits<double>::min();
  options.max_iterations = settings.iterations;
  solve(*solver, problem, n, options); // warms memory
  const double begin = thread_seconds();
  const SolveResult result = solve(*solver, problem, n, options);
  return 1e9 * (thread_seconds() - begin) / static_cast<double>(result.iterations) /
         problem.contacts();
}

void measure(bool boxes, double rolling, const Settings& settings) {
  const ContactProblem moments = heap_problem(boxes, rolling, settings);
  const ContactProblem plain = without_moments(moments);
  const auto n_moments = make_operator(moments), n_plain = make_operator(plain);
  for (const char* solver : {"nsgs", "ansgs", "nncg", "apgd"}) {
    double with = std::numeric_limits<double>::infinity(), without = with;
    for (int k = 0; k < settings.repeats; ++k) {
      without = std::min(without, cost(solver, plain, *n_plain, settings));
      with = std::min(with, cost(solver, moments, *n_moments, settings));
    }
    fmt::print("{:8} {:>8} {:>9} {:>8} {:>10.1f} {:>10.1f} {:>8.2f}\n", boxes ? "boxes" : "spheres",
               rolling, moments.contacts(), solver, without, with, with / without);
  }
}

Settings settings_from(int count, char** arguments) {
  Settings settings;
  for (int i = 1; i < count; ++i) {
    const auto is = [&](const char* name) { return std::strcmp(arguments[i], name) == 0; };
    if (is("--quick")) {
      settings = {.bodies = 200, .iterations = 30, .repeats = 2};
    } else if (is("--bodies") && i + 1 < count) {
      settings.bodies = std::stoi(arguments[++i]);
    } else if (is("--iterations") && i + 1 < count) {
      settings.iterations = std::stol(arguments[++i]);
    } else if (is("--repeats") && i + 1 < count) {
      settings.repeats = std::stoi(arguments[++i]);
    } else {
      throw std::runtime_error(fmt::format("unknown argument '{}'", arguments[i]));
    }
  }
  return settings;
}

} // namespace
} // namespace talus

int main(int count, char** arguments) {
  try {
    const talus::Settings settings = talus::settings_from(count, arguments);
    fmt::print("{:8} {:>8} {:>9} {:>8} {:>10} {:>10} {:>8}\n", "bodies", "rolling", "contacts",
               "solver", "plain, ns", "with, ns", "ratio");
    talus::with_threads(1, [&] {
      for (const bool boxes : {false, true})
        for (const double rolling : {0.05, 0.3}) talus::measure(boxes, rolling, settings);
    });
  } catch (const std::exception& error) {
    fmt::print(stderr, "rolling_bench: {}\n", error.what());
    return 2;
  }
}
