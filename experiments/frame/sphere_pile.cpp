#include "sphere_pile.h"

#include "paper_step.h"
#include "talus/shape/containers.h"
#include "talus/shape/shape.h"
#include "talus/step/simulation.h"
#include "talus/world/builders.h"

#include <fmt/format.h>

#include <cmath>
#include <random>

namespace talus::experiments {
namespace {

bool outside(const SpherePile& pile, double x, double y, double reach) {
  return pile.in_box ? std::max(std::abs(x), std::abs(y)) > reach : std::hypot(x, y) > reach;
}

ShapePtr container_of(const SpherePile& pile, double height) {
  const double wall = 5 * pile.radius, side = 2 * pile.container_radius;
  return pile.in_box ? make_open_box({side, side, height}, wall)
                     : make_cylinder_shell(pile.container_radius, height, wall, 64);
}

/// Places on a hexagonal grid inside the cylinder, from below upwards, each moved a little at
/// random so that nothing rests on a point.
std::vector<Vec3> places(const SpherePile& pile) {
  const double spacing = pile.spacing * pile.radius, row = std::sqrt(0.75) * spacing;
  // Room for the jitter, so that none starts inside a wall or the floor.
  const double reach = pile.container_radius - (1.075 + pile.jitter) * pile.radius;
  const double lift = std::max(0.02, pile.jitter / pile.spacing);
  const long half = static_cast<long>(std::ceil(reach / row)) + 1;
  std::mt19937 random(pile.seed);
  // Not std::uniform_real_distribution, whose numbers depend on the library.
  const auto jitter = [&] {
    return pile.jitter * pile.radius * (static_cast<double>(random()) / 2147483647.5 - 1);
  };
  std::vector<Vec3> found;
  for (long layer = 0; static_cast<Index>(found.size()) < pile.spheres; ++layer)
    for (long j = -half; j <= half; ++j)
      for (long i = -2 * half; i <= 2 * half; ++i) {
        const double shift = 0.5 * static_cast<double>((j + layer) & 1);
        const double x = spacing * (static_cast<double>(i) + shift),
                     y = row * static_cast<double>(j);
        if (outside(pile, x, y, reach) || static_cast<Index>(found.size()) >= pile.spheres)
          continue;
        const double z = pile.radius + spacing * (static_cast<double>(layer) + lift);
        found.push_back({x + jitter(), y + jitter(), z + 0.5 * jitter()});
      }
  return found;
}

void settle(Simulation& simulation, double until, const std::string& what, const Context& context) {
  while (simulation.time() < until - 0.5 * simulation.options().step) {
    context.say(fmt::format("{}: {:.2f} of {:g} s", what, simulation.time(), until));
    simulation.step();
  }
}

double highest_top(const World& world, double radius) {
  double top = 0;
  for (Index i = 0; i < static_cast<Index>(world.size()); ++i)
    if (world.body(i).kind == BodyKind::dynamic)
      top = std::max(top, world.state(i).pose.position.z + radius);
  return top;
}

Simulation settled(const SpherePile& pile, const Context& context) {
  StepOptions options = paper_step(pile.step);
  options.solver = "apgd";
  options.envelope = pile.envelope;
  options.tolerance = pile.tolerance;
  options.max_iterations = pile.iterations;
  options.warm_start = pile.warm_start;
  options.law = pile.law;
  options.stop = context.stop();
  Simulation simulation(pile_world(pile), options);
  const std::string what = fmt::format("settling {} spheres", pile.spheres);
  settle(simulation, pile.seconds, what, context);
  if (pile.weight_mass > 0) {
    World& world = simulation.world();
    const double height = 2 * pile.radius;
    const Index material = world.bodies().back().shapes.front().material;
    const double z = highest_top(world, pile.radius) + 0.5 * height + 0.01 * pile.radius;
    world.add(body("weight")
                  .with(make_cylinder(pile.weight_radius, 0.5 * height))
                  .of(material)
                  .mass(pile.weight_mass)
                  .at({0, 0, z}));
    settle(simulation, 2 * pile.seconds, what + fmt::format(" under {:g} kg", pile.weight_mass),
           context);
  }
  return simulation;
}

Json to_json(const BodyState& state) {
  const auto& [position, rotation] = state.pose;
  const Vec3 &v = state.velocity, &w = state.angular_velocity;
  return Json::array({position.x, position.y, position.z, rotation.w, rotation.x, rotation.y,
                      rotation.z, v.x, v.y, v.z, w.x, w.y, w.z});
}

BodyState state_from(const Json& n) {
  return {
      {{n[0], n[1], n[2]}, {n[3], n[4], n[5], n[6]}}, {n[7], n[8], n[9]}, {n[10], n[11], n[12]}};
}

} // namespace

World pile_world(const SpherePile& pile) {
  World world;
  const Index material = world.add(Material{.name = "grain", .friction = pile.friction});
  // The box has a floor of its own; a second one would double its contacts.
  if (!pile.in_box) world.add(fixed_body("floor").with(make_half_space({0, 0, 1})).of(material));
  const std::vector<Vec3> centres = places(pile);
  const double top = centres.back().z + pile.radius;
  world.add(
      fixed_body("container").with(container_of(pile, 2 * top + 4 * pile.radius)).of(material));
  const ShapePtr sphere = make_sphere(pile.radius);
  for (const Vec3& centre : centres)
    world.add(body().with(sphere).of(material).mass(pile.mass).at(centre));
  return world;
}

Json inputs_of(const SpherePile& pile) {
  return {{"spheres", pile.spheres},
          {"radius", pile.radius},
          {"mass", pile.mass},
          {"container_radius", pile.container_radius},
          {"in_box", pile.in_box},
          {"spacing", pile.spacing},
          {"jitter", pile.jitter},
          {"friction", pile.friction},
          {"weight_mass", pile.weight_mass},
          {"weight_radius", pile.weight_radius},
          {"step", pile.step},
          {"seconds", pile.seconds},
          {"envelope", pile.envelope},
          {"tolerance", pile.tolerance},
          {"iterations", pile.iterations},
          {"warm_start", pile.warm_start},
          {"law", static_cast<int>(pile.law)},
          {"problem_step", pile.problem_step},
          {"problem_envelope", pile.problem_envelope},
          {"seed", pile.seed}};
}

ContactProblem settled_problem(const SpherePile& pile, const Context& context,
                               const std::string& name) {
  return context.problem(name, inputs_of(pile), [&] {
    Simulation simulation = settled(pile, context);
    StepOptions options = simulation.options();
    if (pile.problem_step > 0) options.step = pile.problem_step;
    if (pile.problem_envelope >= 0) options.envelope = pile.problem_envelope;
    simulation.set_options(options);
    return simulation.next_problem();
  });
}

World settled_world(const SpherePile& pile, const Context& context, const std::string& key) {
  const Json kept = context.once(key, inputs_of(pile), [&] {
    const Simulation simulation = settled(pile, context);
    Json states = Json::array();
    for (const BodyState& state : simulation.world().states()) states.push_back(to_json(state));
    return states;
  });
  World world = pile_world(pile);
  for (std::size_t i = 0; i < kept.size(); ++i) world.states()[i] = state_from(kept[i]);
  return world;
}

} // namespace talus::experiments
