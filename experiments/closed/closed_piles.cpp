// Random piles with everything at once: cohesion, rolling friction, restitution under both laws,
// springs between bodies. Nothing is known about them in closed form, but
//
// - no step may leave numbers that are not finite,
// - an answer that a step calls converged must be one: it is judged once more, from the problem and
//   the impulses alone,
// - energy must not grow. What steps keep in free flight is not T + V: half-implicit Euler keeps
//
//       E = T + V + (h/2) f·v,    f the weight.
//
//   T + V alone grows by h |f·v| where an elastic impact turns v around, and by a part of it where
//   joints do. So E is compared, with what contacts and springs hold added. Contacts are rigid:
//   elastic ones return what they hold over several steps, and recovery of penetrations is off,
//   which does work by intent. Springs are implicit and lose energy, but for what they take up when
//   they are swept around: a mass m that passes with v across a spring of length L gains at most
//   ½ m (h v²/(2 L))² in a step and keeps it (docs/theory/joints.md). The sum over the springs, at
//   its largest so far, may be exceeded by nothing.
//
// A quarter as many piles have hinges and ball joints as well.

#include "closed_forms.h"
#include "talus/core/error.h"
#include "talus/problem/delassus/delassus.h"
#include "talus/problem/scaled/quality.h"
#include "talus/step/measures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace talus::experiments::closed_piles {
namespace {

class Dice {
public:
  explicit Dice(unsigned seed) : engine_(seed) {}
  /// Uniform in [low, high), the same on every machine.
  double operator()(double low, double high) {
    return low + (high - low) * (static_cast<double>(engine_()) / 4294967296.0);
  }
  bool happens(double chance) { return (*this)(0, 1) < chance; }
  Vec3 vector(double size) {
    const double x = (*this)(-size, size), y = (*this)(-size, size), z = (*this)(-size, size);
    return {x, y, z};
  }

private:
  std::mt19937 engine_;
};

Material random_material(Dice& dice) {
  Material material{.name = "default", .friction = dice(0, 1), .restitution = 0};
  if (dice.happens(0.7)) material.restitution = dice.happens(0.3) ? 1.0 : dice(0, 1);
  if (dice.happens(0.5)) material.rolling = dice(0, 0.02);
  if (dice.happens(0.3)) material.spinning = dice(0, 0.01);
  if (dice.happens(0.6))
    material.cohesion = {.force = dice(0, 30),
                         .stress = dice.happens(0.5) ? dice(0, 2000) : 0.0,
                         .range = 0,
                         .heals = dice.happens(0.7)};
  return material;
}

/// A spring joint between two bodies, halfway between their centres.
void add_joint(World& world, Index body, Dice& dice) {
  const Vec3 at =
      0.5 * (world.states()[body].pose.position + world.states()[body + 1].pose.position);
  const double stiffness = dice.happens(0.5) ? std::pow(10.0, dice(-1, 3)) : 0.0;
  const double damping = dice(0, 0.1);
  if (dice.happens(0.5))
    world.add(spherical().between(body, body + 1).at(at).sprung(stiffness, damping));
  else
    world.add(revolute()
                  .between(body, body + 1)
                  .at(at)
                  .along(normalized(dice.vector(1) + Vec3{0, 0, 1.5}))
                  .sprung(stiffness, damping));
}

World random_pile(unsigned seed, bool jointed) {
  Dice dice(seed), joints(seed + 2'000'000);
  World world = world_on_floor(random_material(dice));
  const int count = 4 + static_cast<int>(dice(0, 12));
  for (int k = 0; k < count; ++k) {
    const double size = dice(0.06, 0.11);
    const ShapePtr shape =
        dice.happens(0.5) ? make_sphere(size) : make_box({0.7 * size, 0.6 * size, 0.5 * size});
    const Vec3 at{0.26 * (k % 2), 0.26 * (k / 2 % 2), 0.15 + 0.26 * (k / 4)};
    world.add(body()
                  .with(shape)
                  .at(at + dice.vector(0.015))
                  .turned(exponential_map(dice.vector(3)))
                  .moving(dice.vector(1.5))
                  .spinning(dice.vector(4)));
    if (k > 0 && dice.happens(0.3))
      world.add(spring("", std::pow(10.0, dice(0, 5)), dice.happens(0.5) ? dice(0, 5) : 0.0)
                    .between(k, k + 1)
                    .at(world.states()[k].pose.position)
                    .second_at(world.states()[k + 1].pose.position));
    if (jointed && k % 2 == 1 && joints.happens(0.6)) add_joint(world, k, joints);
  }
  return world;
}

struct Outcome {
  double largest_growth = 0; ///< Of E in a step, relative to the energy that the pile can lose.
  double growth_beyond_start = 0; ///< The same of E above its first value.
  double unexplained_growth = 0;  ///< The same less what swept springs may take up.
  double plain_growth = 0;        ///< Of T + V above its first value.
  long steps = 0, unconverged = 0, false_converged = 0, contacts = 0;
};

double energy_of(const Simulation& simulation, bool kept) {
  const World& world = simulation.world();
  const double h = simulation.options().step;
  return kinetic_energy(world) + potential_energy(world) +
         (kept ? 0.5 * h * dot(momentum(world), world.gravity) : 0.0);
}

/// Σ ½ m (h v²/(2 L))² over the springs between points, m the reduced mass, v across the spring.
double swept_energy(const Simulation& simulation) {
  const World& world = simulation.world();
  const double h = simulation.options().step;
  double sum = 0;
  for (const Joint& joint : world.joints()) {
    if (joint.kind != JointKind::spring) continue;
    const auto [a, b] = joint_frames(world, joint);
    const auto velocity_at = [&](Index body, const Vec3& point) {
      const BodyState& state = world.states()[body];
      return state.velocity + cross(state.angular_velocity, point - state.pose.position);
    };
    const Vec3 apart = b.position - a.position;
    const double length = norm(apart);
    const Vec3 velocity =
        velocity_at(joint.body_b, b.position) - velocity_at(joint.body_a, a.position);
    const double across = norm(cross(apart / length, velocity));
    const double mass =
        1 / (1 / world.bodies()[joint.body_a].mass + 1 / world.bodies()[joint.body_b].mass);
    const double speed = h * across * across / (2 * length);
    sum += 0.5 * mass * speed * speed;
  }
  return sum;
}

bool is_false(const Simulation& simulation, const StepReport& report) {
  const ContactProblem& problem = simulation.problem();
  if (!report.converged() || problem.size() == 0) return false;
  const auto n = make_operator(problem);
  return !(judge(problem, *n, simulation.solution()).error <= report.tolerance);
}

Outcome simulate(unsigned seed, int steps, bool jointed) {
  Dice dice(seed + 1'000'000);
  StepOptions options;
  options.relative_compliance = 0;
  options.max_recovery_speed = 0;
  options.impact_law = dice.happens(0.5) ? ImpactLaw::poisson : ImpactLaw::newton;
  options.step = std::pow(10.0, dice(-3, -2));
  options.threads = 1;
  Simulation simulation(random_pile(seed, jointed), options);
  Outcome outcome;
  // The lowest that all can sink to is the floor: what there is to lose at the start.
  const double start = energy_of(simulation, true), plain = energy_of(simulation, false);
  const double scale = plain;
  double last = start, swept = swept_energy(simulation);
  for (int k = 0; k < steps; ++k) {
    const StepReport& report = simulation.step();
    swept = std::max(swept, swept_energy(simulation));
    const double now = energy_of(simulation, true) + report.elastic_energy;
    outcome.largest_growth = std::max(outcome.largest_growth, (now - last) / scale);
    outcome.growth_beyond_start = std::max(outcome.growth_beyond_start, (now - start) / scale);
    outcome.unexplained_growth =
        std::max(outcome.unexplained_growth, (now - start - swept) / scale);
    outcome.plain_growth =
        std::max(outcome.plain_growth,
                 (energy_of(simulation, false) + report.elastic_energy - plain) / scale);
    last = now;
    ++outcome.steps;
    outcome.contacts += report.contacts;
    outcome.unconverged += report.converged() ? 0 : 1;
    outcome.false_converged += is_false(simulation, report) ? 1 : 0;
  }
  return outcome;
}

struct Campaign {
  Outcome total;
  int broken = 0, exceeding = 0;
  std::string first_complaint;

  void include(const Outcome& one) {
    total.largest_growth = std::max(total.largest_growth, one.largest_growth);
    total.growth_beyond_start = std::max(total.growth_beyond_start, one.growth_beyond_start);
    total.unexplained_growth = std::max(total.unexplained_growth, one.unexplained_growth);
    total.plain_growth = std::max(total.plain_growth, one.plain_growth);
    if (one.plain_growth > 1e-6) ++exceeding;
    total.steps += one.steps;
    total.contacts += one.contacts;
    total.unconverged += one.unconverged;
    total.false_converged += one.false_converged;
  }
};

Campaign simulate_all(Context& context, int count, int steps, bool jointed) {
  Campaign campaign;
  for (int k = 0; k < count; ++k) {
    context.say(fmt::format("pile {} of {}{}", k + 1, count, jointed ? " with joints" : ""));
    try {
      campaign.include(simulate(static_cast<unsigned>(k), steps, jointed));
    } catch (const Error& error) {
      ++campaign.broken;
      if (campaign.first_complaint.empty())
        campaign.first_complaint = fmt::format("pile {}: {}", k, error.what());
    }
  }
  return campaign;
}

} // namespace

Report run(Context& context) {
  const int count = context.sized(40, 1000), steps = context.sized(60, 120);
  const auto [total, broken, exceeding, first_complaint] =
      simulate_all(context, count, steps, false);
  const Campaign jointed = simulate_all(context, count / 4, steps, true);
  Report report;
  report.summary = fmt::format(
      "{} random piles of 4 to 15 bodies with random friction, restitution (Newton or Poisson), "
      "rolling and spinning friction, cohesion and springs, {} steps each: {} steps, {:.1f} "
      "contacts in the mean.",
      count, steps, total.steps,
      static_cast<double>(total.contacts) / static_cast<double>(std::max(1L, total.steps)));
  report.findings.push_back(check_statement("states that are not finite", "0",
                                            fmt::format("{}", broken), broken == 0,
                                            shown(first_complaint)));
  report.findings.push_back(
      check_statement("steps called converged whose error is above the tolerance", "0",
                      fmt::format("{}", total.false_converged), total.false_converged == 0,
                      shown("see the seeds")));
  report.findings.push_back(
      answer("steps that did not converge, and say so", fmt::format("{}", total.unconverged)));
  report.findings.push_back(
      vanishing("growth of T + V + (h/2) f·v beyond its first value and what swept springs take up",
                total.unexplained_growth, 1e-9, "of the first energy"));
  report.findings.push_back(answer("growth of T + V + (h/2) f·v above its first value",
                                   fmt::format("{:.1e}", total.growth_beyond_start),
                                   "springs that are swept around by bodies"));
  report.findings.push_back(
      answer("growth of T + V above its first value",
             fmt::format("{:.1e} in {} piles", total.plain_growth, exceeding),
             "steps do not keep T + V: it changes by h f·v where v turns around within a step"));
  report.findings.push_back(answer("largest growth of T + V + (h/2) f·v within a step",
                                   fmt::format("{:.1e}", total.largest_growth)));
  report.findings.push_back(check_statement(
      fmt::format("{} piles with joints: states that are not finite, false claims", count / 4),
      "0, 0", fmt::format("{}, {}", jointed.broken, jointed.total.false_converged),
      jointed.broken == 0 && jointed.total.false_converged == 0, shown(jointed.first_complaint)));
  report.findings.push_back(
      answer("the same: steps that did not converge, and say so",
             fmt::format("{} of {}", jointed.total.unconverged, jointed.total.steps)));
  report.findings.push_back(
      vanishing("the same: growth of T + V + (h/2) f·v beyond its first value and swept springs",
                jointed.total.unexplained_growth, 1e-9, "of the first energy"));
  return report;
}

} // namespace talus::experiments::closed_piles
