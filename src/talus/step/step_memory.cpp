// What a simulation keeps from step to step, and when a large step gives memory back (engine.h).

#include "talus/step/engine.h"
#include "talus/step/envelope.h"
#include "talus/step/warm_start.h"

#include <utility>

namespace talus {

void Simulation::Engine::take_warm_start() {
  result.x.clear();
  last_shear.clear();
  if (options.warm_start || has_yielding_contacts())
    initial_impulses(cache, contacts, order, world.states(), options.step, contact_dimension(world),
                     result.x, last_shear);
  find_bonds_of_step();
}

void Simulation::Engine::find_bonds_of_step() {
  bonds_now.list.clear();
  bonds_now.pull.clear();
  if (!world.materials.is_cohesive()) return;
  find_bonds({world, collider_infos, contacts, order, cache, automatic_penetration(world, radii),
              options.step},
             bonds, bonds_now);
}

std::span<const Vec3> Simulation::Engine::impulses_in_world_axes() {
  if (!impulses_are_known)
    impulses_in_world(result.x, problem.dimension, std::get<RigidModel>(problem.model).contacts,
                      bonds_now.pull, impulses);
  impulses_are_known = true;
  return impulses;
}

void Simulation::Engine::release_after_collide() {
  if (!is_large()) return;
  wrenches = std::vector<Wrench>();
  colliders = std::vector<Collider>();
  detector.release_memory();
}

void Simulation::Engine::release_after_sorting() {
  if (is_large()) order.release_memory();
}

void Simulation::Engine::release_after_build() {
  if (is_large()) velocity = Vector(); // the problem has them, until there are new ones
}

void Simulation::Engine::release_after_solve() {
  if (!is_large()) return;
  result.u = Vector();
  result.v = Vector();
  hertz = std::vector<HertzContact>();
  workspace = SolveWorkspace();
}

void Simulation::Engine::forget_impulses_of_large_step() {
  if (!is_large()) return;
  WarmStart rest;
  rest.step = cache.step;
  rest.rows = std::move(cache.rows);
  cache = std::move(rest);
}

/// Forgets the contacts of a step that did not come to its end.
void Simulation::Engine::forget_contacts() {
  contacts.clear();
  impulses.clear();
  impulses_are_known = true;
}

/// Impulses are listed for the next step when it begins, not before: until then the contacts and
/// the answer of the last one are there.
void Simulation::Engine::remember_last_step() {
  if (step_to_remember == 0) return;
  const bool with_shear = world.materials.has_hertz_contacts() && !problem.compliance.empty();
  remember(contacts, order, std::get<RigidModel>(problem.model).contacts, rows, result.x,
           std::exchange(step_to_remember, 0.0), has_yielding_contacts(),
           with_shear ? ConstSpan(problem.compliance) : ConstSpan(), cache);
}

/// Vectors of a large step that grew into those of the next would for a moment be there twice.
void Simulation::Engine::release_last_step() {
  const bool large = is_large();
  if (large) {
    RigidModel frames;
    frames.contacts = std::move(std::get<RigidModel>(problem.model).contacts);
    Vector compliance = std::move(problem.compliance);
    problem = ContactProblem();
    problem.model = std::move(frames);
    if (world.materials.has_hertz_contacts()) problem.compliance = std::move(compliance);
    impulses = std::vector<Vec3>();
  }
  remember_last_step();
  if (!large) return;
  contacts = std::vector<ContactPoint>();
  problem = ContactProblem();
  result.x = Vector();
}

} // namespace talus
