#pragma once
// Beds of settled spheres of any width. A bed between smooth walls, mirrored at a wall, is a bed
// without that wall: a sphere that leant on it leans on its own image, with the same force. So a
// bed that a simulation has let settle yields one of a million spheres at rest whose impulses
// are known, which no simulation of a million would reach in reasonable time. What the mirrors
// leave out are differences between distant parts of the bed.

#include "settling.h"
#include "talus/world/builders.h"

#include <algorithm>
#include <random>
#include <tuple>

namespace talus::bench {

constexpr double bed_radius = 0.1, bed_mass = 6.28; ///< m, kg of a sphere.
constexpr Index bed_planes = 5; ///< Floor, left, right, front, back: the first bodies.

/// Spheres in a square box whose corner is the origin, and the impulses between them.
struct Bed {
  double width = 0;
  std::vector<BodyState> spheres;
  WarmStart warm_start;
};

/// A floor and walls at x, y = 0, width_x and width_y, then the spheres.
inline World bed_world(double width_x, double width_y, std::span<const BodyState> spheres,
                       double wall_friction) {
  World world;
  const Index rough = world.add(Material{.name = "rough", .friction = 0.5});
  const Index wall = world.add(Material{.name = "wall", .friction = wall_friction});
  world.add(fixed_body("floor").with(make_half_space({0, 0, 1})).of(rough));
  world.add(fixed_body("left").with(make_half_space({1, 0, 0})).of(wall));
  world.add(fixed_body("right").with(make_half_space({-1, 0, 0}, -width_x)).of(wall));
  world.add(fixed_body("front").with(make_half_space({0, 1, 0})).of(wall));
  world.add(fixed_body("back").with(make_half_space({0, -1, 0}, -width_y)).of(wall));
  const ShapePtr shape = make_sphere(bed_radius);
  for (const BodyState& sphere : spheres)
    world.add(body()
                  .with(shape)
                  .of(rough)
                  .mass(bed_mass)
                  .placed(sphere.pose)
                  .moving(sphere.velocity)
                  .spinning(sphere.angular_velocity));
  return world;
}

/// Staggered layers with a little noise, a hair apart: they fall into a packing at once.
inline Bed loose_bed(int side, int layers) {
  const double gap = 2.02 * bed_radius, width = gap * side + bed_radius;
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> noise(-0.02 * bed_radius, 0.02 * bed_radius);
  Bed bed{width, {}, {}};
  for (int z = 0; z < layers; ++z)
    for (int y = 0; y < side; ++y)
      for (int x = 0; x < side; ++x) {
        const double shift = z % 2 == 0 ? 0 : 0.5 * gap;
        BodyState sphere;
        Vec3& centre = sphere.pose.position;
        centre = Vec3{1.05 * bed_radius + gap * x + shift, 1.05 * bed_radius + gap * y + shift,
                      1.05 * bed_radius + 0.75 * gap * z} +
                 Vec3{noise(random), noise(random), noise(random)};
        // The shift of odd layers would put their last row into the wall.
        centre.x = std::min(centre.x, width - 1.01 * bed_radius);
        centre.y = std::min(centre.y, width - 1.01 * bed_radius);
        bed.spheres.push_back(sphere);
      }
  return bed;
}

/// Two images of a sphere that leans on a mirror overlap by twice its depth in the mirror.
constexpr double bed_penetration = 1e-5 * bed_radius,
                 mirrored_penetration = 2.01 * bed_penetration; ///< Allowed, m.

/// side² · layers spheres at rest between smooth walls, so that steps to the tolerance take few
/// iterations, or for so many steps.
inline Bed settled_bed(int side, int layers, double step, double tolerance, int most_steps) {
  Bed bed = loose_bed(side, layers);
  Simulation simulation(bed_world(bed.width, bed.width, bed.spheres, 0),
                        {.step = step, .allowed_penetration = bed_penetration});
  fall(simulation, layers);
  settle(simulation, most_steps);
  if (tolerance < 1e-5) calm_down(simulation, 0.1 * tolerance, most_steps);
  const auto states = simulation.world().states().subspan(bed_planes);
  bed.spheres.assign(states.begin(), states.end());
  bed.warm_start = simulation.state().warm_start;
  return bed;
}

/// The same loose layers in motion, so many steps after they began to fall.
inline Bed falling_bed(int side, int layers, int steps, const StepOptions& options) {
  Bed bed = loose_bed(side, layers);
  Simulation simulation(bed_world(bed.width, bed.width, bed.spheres, 0), options);
  for (int k = 0; k < steps; ++k) simulation.step();
  const auto states = simulation.world().states().subspan(bed_planes);
  bed.spheres.assign(states.begin(), states.end());
  return bed;
}

/// The images of a bed, cell by cell along x, then y; every other one is mirrored.
class MirroredBed {
public:
  MirroredBed(const Bed& bed, Index cells_x, Index cells_y)
      : bed_(bed), cells_x_(cells_x), cells_y_(cells_y) {
    for (const CachedImpulse& contact : bed.warm_start.contacts)
      if (contact.collider_a >= bed_planes) key_of_spheres_ = contact.key;
  }

  /// Its steps should allow mirrored_penetration.
  World world(double wall_friction) const {
    std::vector<BodyState> spheres;
    for (Index y = 0; y < cells_y_; ++y)
      for (Index x = 0; x < cells_x_; ++x)
        for (const BodyState& sphere : bed_.spheres) spheres.push_back(image(sphere, x, y));
    return bed_world(cells_x_ * bed_.width, cells_y_ * bed_.width, spheres, wall_friction);
  }

  WarmStart warm_start() const {
    WarmStart all;
    all.step = bed_.warm_start.step;
    for (Index y = 0; y < cells_y_; ++y)
      for (Index x = 0; x < cells_x_; ++x)
        for (const CachedImpulse& contact : bed_.warm_start.contacts)
          add_image(contact, x, y, all.contacts);
    std::ranges::sort(all.contacts, {}, [](const CachedImpulse& c) {
      return std::tuple(c.collider_a, c.collider_b, c.key);
    });
    return all;
  }

private:
  static bool is_mirrored(Index cell) { return cell % 2 != 0; }
  Vec3 image_of_vector(Vec3 v, Index x, Index y) const {
    if (is_mirrored(x)) v.x = -v.x;
    if (is_mirrored(y)) v.y = -v.y;
    return v;
  }
  Vec3 image_of_point(const Vec3& p, Index x, Index y) const {
    return image_of_vector(p, x, y) +
           bed_.width * Vec3{static_cast<double>(x + x % 2), static_cast<double>(y + y % 2), 0};
  }
  /// The orientation of a sphere is of no matter; spins are mirrored as axial vectors.
  BodyState image(const BodyState& sphere, Index x, Index y) const {
    const double handedness = is_mirrored(x) != is_mirrored(y) ? -1 : 1;
    BodyState state;
    state.pose.position = image_of_point(sphere.pose.position, x, y);
    state.velocity = image_of_vector(sphere.velocity, x, y);
    state.angular_velocity = handedness * image_of_vector(sphere.angular_velocity, x, y);
    return state;
  }
  Index number(Index collider, Index x, Index y) const {
    if (collider < bed_planes) return collider;
    return collider + (y * cells_x_ + x) * static_cast<Index>(bed_.spheres.size());
  }
  /// The cell beyond a wall of the bed in the image (x, y).
  static std::pair<Index, Index> cell_beyond(Index wall, Index x, Index y) {
    const auto towards = [](bool upper, Index cell) { return upper != is_mirrored(cell) ? 1 : -1; };
    if (wall <= 2) return {x + towards(wall == 2, x), y};
    return {x, y + towards(wall == 4, y)};
  }
  void add_image(const CachedImpulse& contact, Index x, Index y,
                 std::vector<CachedImpulse>& all) const {
    CachedImpulse copy = contact;
    copy.impulse = image_of_vector(contact.impulse, x, y);
    copy.collider_a = number(contact.collider_a, x, y);
    copy.collider_b = number(contact.collider_b, x, y);
    if (contact.collider_a >= 1 && contact.collider_a < bed_planes) {
      const auto [beyond_x, beyond_y] = cell_beyond(contact.collider_a, x, y);
      if (beyond_x < 0 || beyond_y < 0) {
        copy.collider_a = beyond_x < 0 ? 1 : 3;
      } else if (beyond_x >= cells_x_ || beyond_y >= cells_y_) {
        copy.collider_a = beyond_x >= cells_x_ ? 2 : 4;
      } else {
        copy.collider_a = number(contact.collider_b, beyond_x, beyond_y);
        if (copy.collider_a > copy.collider_b) return; // the image has it
        copy.key = key_of_spheres_;
      }
    }
    all.push_back(copy);
  }

  const Bed& bed_;
  Index cells_x_, cells_y_;
  FeatureKey key_of_spheres_;
};

/// The images of a bed at rest, with the impulses that hold them.
inline Simulation mirrored_simulation(const Bed& bed, Index cells, StepOptions options) {
  const MirroredBed images(bed, cells, cells);
  options.allowed_penetration = mirrored_penetration;
  Simulation simulation(images.world(0.5), std::move(options));
  SimulationState state = simulation.state();
  state.warm_start = images.warm_start();
  simulation.restore(state);
  return simulation;
}

} // namespace talus::bench
