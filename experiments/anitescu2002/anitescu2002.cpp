#include "anitescu2002.h"

#include "experiments/frame/fingerprint.h"
#include "experiments/frame/paper_step.h"
#include "talus/core/vector_ops.h"
#include "talus/shape/shape.h"
#include "talus/solve/sweeps/relaxation.h"
#include "talus/world/builders.h"

#include <fmt/format.h>

#include <cmath>

namespace talus::experiments {
namespace {

constexpr double stack_step = 0.01;

StepOptions planar_steps() {
  StepOptions options = paper_step(stack_step);
  // In the plane the pyramid is the cone.
  options.friction = {FrictionKind::pyramid};
  return options;
}

} // namespace

int discs_of(int rows) {
  return rows * (rows + 1) / 2;
}

World disc_stack(int rows, double friction, bool with_posts) {
  World world;
  const Index material = world.add(Material{.name = "disc", .friction = friction});
  world.confine_to_plane({0, 1, 0});
  world.add(fixed_body("floor").with(make_half_space({0, 0, 1})).of(material));
  if (with_posts)
    for (double side : {-1.0, 1.0})
      world.add(fixed_body()
                    .with(make_box({0.5, 0.5, 0.5}))
                    .of(material)
                    .at({side * 0.5 * (rows + 1), 0, 0.5}));
  MassProperties disc;
  disc.mass = 1;
  disc.inertia = Mat3::diagonal({0.0625, 0.125, 0.0625});
  const ShapePtr shape = make_sphere(0.5);
  for (int row = 0; row < rows; ++row)
    for (int place = 0; place < rows - row; ++place)
      world.add(body().with(shape).of(material).mass_properties(disc).at(
          {place - 0.5 * (rows - row - 1), 0, 0.5 + std::sqrt(0.75) * row}));
  return world;
}

StepOptions algorithm3_steps() {
  StepOptions options = planar_steps();
  options.solver = "p1-p2";
  options.solver_options = algorithm(3, 1).options;
  options.warm_start = false;
  return options;
}

StepOptions exact_steps() {
  StepOptions options = planar_steps();
  options.solver = "prox-newton";
  return options;
}

ContactProblem collapsing_stack(const Context& context, int rows, long steps) {
  constexpr double friction = 0.2;
  const Json inputs = {
      {"rows", rows}, {"friction", friction}, {"steps", steps}, {"by", inputs_of(exact_steps())}};
  return context.problem(fmt::format("anitescu2002-collapse-{}-{}", rows, steps), inputs, [&] {
    Simulation simulation(disc_stack(rows, friction, false), exact_steps());
    for (long step = 1; step <= steps; ++step) {
      context.say(fmt::format("{} discs collapse: step {} of {}", discs_of(rows), step, steps));
      simulation.step();
    }
    return in_plane(simulation.next_problem());
  });
}

ContactProblem with_friction(ContactProblem problem, double mu) {
  problem.mu.assign(problem.mu.size(), mu);
  problem.friction = {FrictionKind::pyramid};
  problem.law = Law::coulomb;
  return problem;
}

SolverRun algorithm(int number, int rounds) {
  SolverRun run{number == 1 ? "p1" : "p1-p2", {{"rounds", std::to_string(rounds)}}};
  if (number == 1) run.options.emplace_back("relaxation", "1");
  return run;
}

SolveResult exact_solution(const ContactProblem& problem) {
  SolveOptions options;
  options.tolerance = 1e-10;
  options.max_iterations = 2000;
  const SolveResult newton = run_solver(problem, {"prox-newton"}, options);
  if (newton.status == Status::converged) return newton;
  const SolveResult path = run_solver(problem, {"path"}, options);
  return path.quality.error < newton.quality.error ? path : newton;
}

double size_of_mu_lambda(const ContactProblem& problem, const SolveResult& solution) {
  Vector pushed(problem.contacts());
  sliding_speeds(problem, solution.u, pushed);
  for (Index c = 0; c < problem.contacts(); ++c) pushed[c] *= problem.mu[c];
  return norm(pushed);
}

} // namespace talus::experiments
