#include "talus/step/assembly/drag.h"

#include "talus/core/elementary.h"
#include "talus/core/parallel.h"
#include "talus/shape/immersion.h"
#include "talus/step/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace talus {

namespace {

constexpr double pi = std::numbers::pi;

/// What resists a body: a medium with its velocity.
struct Medium {
  double linear = 0, quadratic = 0;
  Vec3 flow;
  double coefficient = 0; ///< linear + quadratic |u|, once known.
};

/// The speed s ≥ 0 with mass s + h (linear + quadratic s) s = momentum.
double speed_of(double momentum, double mass, const Medium& medium, double h) {
  const double b = mass + h * medium.linear, a = h * medium.quadratic;
  // 2 p / (b + √(b² + 4 a p)): no cancellation for small a.
  return 2 * momentum / (b + std::sqrt(b * b + 4 * a * momentum));
}

/// Coefficients of all media on a body of mass m and velocity v̂. Several media share the motion:
/// each is solved with the others held, in a few sweeps.
void find_coefficients(std::span<Medium> media, double mass, const Vec3& velocity, double h) {
  const int sweeps = media.size() == 1 ? 1 : 8;
  for (int sweep = 0; sweep < sweeps; ++sweep)
    for (Medium& each : media) {
      double others = mass;
      Vec3 momentum = mass * velocity;
      for (const Medium& other : media) {
        if (&other == &each) continue;
        others += h * other.coefficient;
        momentum += h * other.coefficient * other.flow;
      }
      const double relative = norm(momentum - others * each.flow);
      each.coefficient = each.linear + each.quadratic * speed_of(relative, others, each, h);
    }
}

constexpr std::size_t most_media = 16;

struct Media {
  std::array<Medium, most_media> items;
  std::size_t count = 0;
  double angular = 0; ///< N m s.

  std::span<Medium> all() { return {items.data(), count}; }
};

/// Together with what the body itself says.
void add_fluid(const Fluid& fluid, const Drag& drag, const FluidBody& body, double share,
               double spin, Medium& medium, double& angular) {
  const double r = body.radius;
  const double c = drag.coefficient.value_or(fluid.coefficient);
  medium.linear = share * 6 * pi * fluid.viscosity * r;
  medium.quadratic = share * 0.5 * fluid.density * c * drag.area.value_or(pi * r * r);
  angular += share * (8 * pi * fluid.viscosity * r * r * r +
                      0.5 * fluid.density * c * r * r * r * r * r * spin);
}

} // namespace

void Surroundings::follow(const World& world) {
  bodies_.clear();
  shares_.clear();
  added_.clear();
  if (world.fluids().empty()) return;
  bodies_.resize(static_cast<std::size_t>(world.size()));
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    const Body& body = world.bodies()[i];
    if (body.kind != BodyKind::dynamic) continue;
    for (const BodyShape& shape : body.shapes)
      if (has_volume(*shape.shape))
        bodies_[i].volume +=
            part_below(*shape.shape, {}, {0, 0, 1}, std::numeric_limits<double>::infinity()).volume;
    if (bodies_[i].volume > 0) // the cube root
      bodies_[i].radius = exponential(logarithm(bodies_[i].volume * 3 / (4 * pi)) / 3);
  }
  shares_.resize(world.fluids().size() * bodies_.size());
}

void Surroundings::add_buoyancy(const World& world, double time, std::span<Wrench> wrenches) {
  for (std::size_t f = 0; f < world.fluids().size(); ++f) {
    const Fluid& fluid = world.fluids()[f];
    const double level = fluid.level_at ? fluid.level_at(time) : fluid.level;
    double* shares = &shares_[f * bodies_.size()];
    if (std::isnan(level))
      throw NonFiniteState(
          fmt::format("the level of fluid '{}' is not a number at time {} s", fluid.name, time));
    parallel_for(
        world.size(),
        [&](Index begin, Index end) {
          for (Index i = begin; i < end; ++i) {
            shares[i] = 0;
            if (!(bodies_[i].volume > 0)) continue;
            const Transform& pose = world.states()[i].pose;
            double volume = 0;
            for (const BodyShape& shape : world.bodies()[i].shapes) {
              const SolidPart part =
                  part_below(*shape.shape, pose * shape.pose, fluid.normal, level);
              volume += part.volume;
              if (!fluid.buoyancy || !(part.volume > 0)) continue;
              const Vec3 force = -fluid.density * part.volume * world.gravity;
              wrenches[i].force += force;
              wrenches[i].torque += cross(part.centre - pose.position, force);
            }
            shares[i] = std::min(1.0, volume / bodies_[i].volume);
          }
        },
        64);
  }
}

void Surroundings::add_drag(const World& world, double time, double h, Span velocities) {
  const auto has_drag = [](const Body& body) {
    const Drag& drag = body.drag();
    return drag.linear > 0 || drag.quadratic > 0 || drag.angular > 0;
  };
  added_.clear();
  if (world.fluids().empty() && std::ranges::none_of(world.bodies(), has_drag)) return;
  if (world.fluids().size() + 1 > most_media)
    throw ImpossibleStep(fmt::format("there are {} fluids; at most {} are possible",
                                     world.fluids().size(), most_media - 1));
  added_.resize(static_cast<std::size_t>(world.size()));
  const auto& plane = world.plane_normal();
  for (Index i = 0; i < world.size(); ++i) {
    const Body& body = world.bodies()[i];
    if (body.kind != BodyKind::dynamic) continue;
    const BodyState& state = world.states()[i];
    double* v = velocities.data() + 6 * static_cast<std::size_t>(i);
    const Vec3 free{v[0], v[1], v[2]}, spin{v[3], v[4], v[5]};
    const Drag& drag = body.drag();
    Media media;
    const auto flow_at = [&](const VelocityField& field) {
      Vec3 flow = field ? field(state.pose.position, time + h) : Vec3{};
      if (!is_finite(flow))
        throw NonFiniteState(
            fmt::format("the flow at body '{}' is not finite at time {} s", body.name, time + h));
      if (plane) flow -= dot(flow, *plane) * *plane;
      return flow;
    };
    if (drag.linear > 0 || drag.quadratic > 0)
      media.items[media.count++] = {drag.linear, drag.quadratic, flow_at(world.wind())};
    media.angular = drag.angular;
    for (std::size_t f = 0; f < world.fluids().size(); ++f) {
      const double share = shares_[f * bodies_.size() + static_cast<std::size_t>(i)];
      if (!(share > 0)) continue;
      const Fluid& fluid = world.fluids()[f];
      Medium& medium = media.items[media.count++];
      add_fluid(fluid, drag, bodies_[i], share, norm(spin), medium, media.angular);
      medium.flow = flow_at(fluid.flow);
    }
    if (media.count == 0 && media.angular == 0) continue;
    find_coefficients(media.all(), body.mass, free, h);
    AddedMass& added = added_[i];
    Vec3 momentum = body.mass * free;
    for (const Medium& medium : media.all()) {
      added.linear += h * medium.coefficient;
      momentum += h * medium.coefficient * medium.flow;
    }
    const Vec3 damped = momentum / (body.mass + added.linear);
    for (int k = 0; k < 3; ++k) v[k] = damped[k];
    if (!body.turns || media.angular == 0) continue;
    added.angular = h * media.angular;
    // I ω̂ = (I + h c) ω along the principal axes; in a plane about its normal alone.
    const Vec3 axes = rotate_back(state.pose.rotation, plane ? *plane : spin);
    Vec3 slowed;
    if (plane) {
      double moment = 0;
      for (int k = 0; k < 3; ++k) moment += axes[k] * axes[k] * body.moments[k];
      slowed = (moment / (moment + added.angular)) * spin;
    } else {
      Vec3 local;
      for (int k = 0; k < 3; ++k)
        local[k] = axes[k] * (body.moments[k] / (body.moments[k] + added.angular));
      slowed = rotate(state.pose.rotation, local);
    }
    for (int k = 0; k < 3; ++k) v[3 + k] = slowed[k];
  }
}

} // namespace talus
