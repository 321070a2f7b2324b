#pragma once
// Impulses of the last step as the start of the next solve.

#include "talus/problem/contact_problem.h"
#include "talus/step/joint_rows.h"
#include "talus/step/simulation_state.h"
#include "talus/step/spatial_order.h"

namespace talus {

/// x for the present contacts and rows: the cached impulse where the same features touched in the
/// last step, turned into the new contact frame and scaled with the step length, zero elsewhere.
/// Rows, and contacts before they were given their `order`, are sorted like the cache. Linear time.
void initial_impulses(const WarmStart& cache, std::span<const ContactPoint> contacts,
                      const SpatialOrder& order, std::span<const JointRow> rows,
                      std::span<const RigidContact> frames, double h, Vector& x);

/// The impulse of each contact in world axes.
void impulses_in_world(ConstSpan x, std::span<const RigidContact> frames,
                       std::vector<Vec3>& impulses);

/// Replaces the cache with the impulses x of this step.
void remember(std::span<const ContactPoint> contacts, const SpatialOrder& order,
              std::span<const RigidContact> frames, std::span<const JointRow> rows, ConstSpan x,
              double h, WarmStart& cache);

} // namespace talus
