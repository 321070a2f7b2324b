// First stage of a step: the contacts within the envelope (engine.h).

#include "talus/core/parallel.h"
#include "talus/step/assembly/free_motion.h"
#include "talus/step/colliders.h"
#include "talus/step/engine.h"
#include "talus/step/envelope.h"

#include <algorithm>

namespace talus {

void Simulation::Engine::follow_world() {
  if (revision == world.revision()) return;
  colliders.clear();
  collider_infos.clear();
  shape_poses.clear();
  for (Index i = 0; i < world.size(); ++i) {
    Index number = 0;
    for (const BodyShape& shape : world.bodies()[i].shapes) {
      collider_infos.push_back({i, shape.material, number++});
      shape_poses.push_back(shape.pose);
    }
  }
  if (std::ranges::all_of(shape_poses, [](const Transform& p) { return p == Transform{}; }))
    shape_poses = std::vector<Transform>();
  detector.exclude_body_pairs(world.contact_exclusions());
  radii = bounding_radii(world);
  surroundings.follow(world);
  revision = world.revision();
}

void Simulation::Engine::remove_bodies_due() {
  world.remove_bodies_due(time + 1e-6 * options.step); // times are sums of steps, with rounding
}

void Simulation::Engine::predict() {
  collect_wrenches(world, time, wrenches);
  surroundings.add_buoyancy(world, time, wrenches);
  velocity.resize(6 * static_cast<std::size_t>(world.size()));
  free_velocities(world, time, options.step, wrenches, velocity);
  surroundings.add_drag(world, time, options.step, velocity);
}

void Simulation::Engine::place_colliders() {
  if (colliders.empty()) {
    colliders.reserve(collider_infos.size());
    list_colliders(world, colliders);
  }
  parallel_for(
      static_cast<Index>(colliders.size()),
      [&](Index begin, Index end) {
        for (Index i = begin; i < end; ++i) {
          const Transform& pose = world.states()[colliders[i].body].pose;
          colliders[i].pose = shape_poses.empty() ? pose : pose * shape_poses[i];
        }
      },
      512);
}

void Simulation::Engine::collide(StepReport& now) {
  place_colliders();
  now.envelope = options.envelope >= 0 ? options.envelope
                                       : automatic_envelope(world, velocity, radii, options.step);
  if (world.materials.is_cohesive())
    now.envelope = std::max(now.envelope, world.materials.largest_cohesion_range());
  detect_contacts(world, detector, colliders, now.envelope, contacts);
  release_after_collide();
  drop_out_of_plane_contacts(world, contacts);
  order.sort(contacts, world.size());
  release_after_sorting();
}

} // namespace talus
