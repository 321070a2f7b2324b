#include "mangoni2015.h"

#include "experiments/frame/fingerprint.h"
#include "experiments/frame/paper_step.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace talus::experiments {
namespace {

constexpr double step_length = 0.01, density = 1000; ///< s, kg/m³.
constexpr long settling_steps = 60;

SolveOptions to_small_error() {
  SolveOptions options;
  options.tolerance = 1e-8;
  return options;
}

SpherePile balls_in_box(Index balls) {
  SpherePile pile;
  pile.spheres = balls;
  pile.radius = 0.5;
  pile.mass = density * 4 / 3 * std::numbers::pi * std::pow(pile.radius, 3);
  // As wide as high once the balls lie.
  pile.container_radius = pile.radius * std::max(3.0, std::cbrt(static_cast<double>(balls)));
  pile.in_box = true;
  pile.spacing = 2.1;
  return pile;
}

long moving_bodies(const World& world) {
  return std::ranges::count_if(world.bodies(),
                               [](const Body& body) { return body.kind == BodyKind::dynamic; });
}

/// Of the steps in which the balls fall into the box.
StepOptions falling_steps() {
  StepOptions options = paper_steps("none");
  options.solver = "apgd";
  options.solver_options.clear();
  options.tolerance = 1e-5;
  options.warm_start = true;
  return options;
}

} // namespace

SolverRun paper_method(const std::string& warm) {
  return {"pdip", {{"paper_stop", "true"}, {"ones", "true"}, {"warm", warm}}};
}

StepOptions paper_steps(const std::string& warm) {
  StepOptions options = paper_step(step_length);
  options.law = Law::associated;
  options.friction = {FrictionKind::none};
  options.solver = "pdip";
  options.solver_options = paper_method(warm).options;
  options.tolerance = to_small_error().tolerance;
  options.warm_start = warm != "none";
  return options;
}

Simulation settling_balls(const Context& context, Index balls) {
  StepOptions options = falling_steps();
  options.stop = context.stop();
  Simulation simulation(pile_world(balls_in_box(balls)), std::move(options));
  for (long step = 1; step <= settling_steps; ++step) {
    context.say(fmt::format("{} balls fall: step {} of {}", balls, step, settling_steps));
    simulation.step();
  }
  return simulation;
}

Json inputs_of_settling_balls(Index balls) {
  return {{"pile", inputs_of(balls_in_box(balls))},
          {"steps", settling_steps},
          {"by", inputs_of(falling_steps())}};
}

ContactProblem settling_problem(const Context& context, Index balls) {
  return without_friction(
      context.problem(fmt::format("mangoni2015-balls-{}", balls), inputs_of_settling_balls(balls),
                      [&] { return settling_balls(context, balls).next_problem(); }));
}

namespace {

Json step_on(const Context& context, Simulation simulation, const SteppedScene& scene) {
  Json contacts = Json::array(), iterations = contacts, error = contacts, conic_ip = contacts;
  StepOptions options = paper_steps(scene.warm);
  options.stop = context.stop();
  simulation.set_options(std::move(options));
  for (long step = 1; step <= scene.steps; ++step) {
    context.say(fmt::format("{}: step {} of {}", scene.what, step, scene.steps));
    const StepReport& report = simulation.step();
    contacts.push_back(report.contacts);
    iterations.push_back(report.iterations);
    error.push_back(report.error);
    if (scene.beside && report.contacts > 0)
      conic_ip.push_back(
          run_solver(simulation.problem(), {"conic-ip"}, to_small_error()).iterations);
  }
  return {{"dofs", 6 * moving_bodies(simulation.world())},
          {"contacts", contacts},
          {"iterations", iterations},
          {"error", error},
          {"conic_ip", conic_ip}};
}

} // namespace

Json stepped(const Context& context, const std::string& key, const Json& inputs,
             const std::function<Simulation()>& make, const SteppedScene& scene) {
  const Json all = {{"scene", inputs},
                    {"steps", scene.steps},
                    {"by", inputs_of(paper_steps(scene.warm))},
                    {"beside", scene.beside}};
  return context.once(key, all, [&] { return step_on(context, make(), scene); });
}

double total(const Json& numbers) {
  double sum = 0;
  for (const Json& number : numbers) sum += number.get<double>();
  return sum;
}

double mean(const Json& numbers) {
  return numbers.empty() ? 0 : total(numbers) / static_cast<double>(numbers.size());
}

} // namespace talus::experiments
