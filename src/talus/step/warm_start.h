#pragma once
// Impulses of the last step as the start of the next solve.

#include "talus/problem/contact_problem.h"
#include "talus/step/assembly/joint_rows.h"
#include "talus/step/assembly/spatial_order.h"
#include "talus/step/simulation_state.h"

namespace talus {

/// The start x of a solve is made in three parts, between which a large step gives memory back:
/// the cached impulses of the present contacts, in world axes, where the same features touched in
/// the last step, and zero elsewhere; these in the frames of the contacts; behind them the cached
/// multipliers of the rows. All are scaled with the step length. Rows, and contacts before they
/// were given their `order`, are sorted like the cache. Where the cache holds normals, impulses
/// have turned with their contacts since; `states` are those at the end of the last step. Linear
/// time. `dimension` is the number of entries per contact, 3 or 6. `shear` gets the compliance
/// along the surface that the cache has for each contact, else 0; empty where it has none.
void initial_impulses(const WarmStart& cache, std::span<const ContactPoint> contacts,
                      const SpatialOrder& order, std::span<const BodyState> states, double h,
                      int dimension, Vector& x, Vector& shear);
void turn_into_frames(std::span<const RigidContact> frames, Span x);
void append_multipliers(const WarmStart& cache, std::span<const JointRow> rows, double h,
                        Vector& x);

/// The impulse of each contact in world axes: x, minus what cohesion pulls (laws/cohesion.h;
/// empty: nothing).
void impulses_in_world(ConstSpan x, int dimension, std::span<const RigidContact> frames,
                       ConstSpan pull, std::vector<Vec3>& impulses);

/// Replaces the cache with the impulses x of this step, and their normals where asked for. The
/// compliance of the problem, if it is given, goes into WarmStart::shear.
void remember(std::span<const ContactPoint> contacts, const SpatialOrder& order,
              std::span<const RigidContact> frames, std::span<const JointRow> rows, ConstSpan x,
              double h, bool with_normals, ConstSpan compliance, WarmStart& cache);

} // namespace talus
