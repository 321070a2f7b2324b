// Second stage of a step: the contact problem and the start of its solve (engine.h).

#include "talus/solve/normal_estimate.h"
#include "talus/step/assembly/bearings.h"
#include "talus/step/engine.h"
#include "talus/step/envelope.h"
#include "talus/step/laws/elastic_contacts.h"
#include "talus/step/warm_start.h"

#include <algorithm>

namespace talus {

void Simulation::Engine::build(StepReport& now) {
  coordinates.assign(world.joint_coordinates().begin(), world.joint_coordinates().end());
  for (std::size_t j = 0; j < coordinates.size(); ++j) {
    coordinates[j] = joint_coordinate(world, world.joints()[j], coordinates[j]);
  }
  collect_joint_rows(world, coordinates, time, options.step, rows);
  drift.foresee(world, velocity, radii, options.step, rows);
  const double penetration = options.allowed_penetration >= 0 ? options.allowed_penetration
                                                              : automatic_penetration(world, radii);
  build_step_problem({world, options, collider_infos, penetration, velocity, result.x, contacts,
                      order, radii, rows, last_shear, hertz, surroundings.added_mass()},
                     problem, rebounds);
  pull_together(bonds_now.pull, problem);
  release_after_build();
  if (!result.x.empty()) turn_into_frames(std::get<RigidModel>(problem.model).contacts, result.x);
  if (has_yielding_contacts()) resume_shear(result.x, hertz, options.step, problem);
  if (options.warm_start) {
    append_multipliers(cache, rows, options.step, result.x);
    if (has_bearings(world, rows)) bound_bearings(world, result.x, options.step, 1, rows, problem);
  } else {
    result.x.clear();
  }
  problem.normal_estimate.clear();
  if (has_fixed_bound(options.friction.kind))
    problem.normal_estimate = estimate_normal_impulses(problem, result.x, options.stop);
  require_going_on(); // an estimate that was cut short is not to be used
  now.contacts = static_cast<Index>(contacts.size());
  now.joint_rows = static_cast<Index>(rows.size());
  for (const ContactPoint& contact : contacts) {
    now.max_penetration = std::max(now.max_penetration, -contact.gap);
  }
}

} // namespace talus
