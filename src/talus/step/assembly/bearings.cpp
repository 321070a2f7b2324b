#include "talus/step/assembly/bearings.h"

#include "talus/core/elementary.h"

#include <algorithm>
#include <cmath>

namespace talus {

namespace {

bool is_bearing(const World& world, const JointRow& row) {
  return row.row == RowName::dry_friction && world.joints()[row.joint].bearing.friction > 0;
}

/// Effort over N.
double lever(const Joint& joint) {
  const Bearing& bearing = joint.bearing;
  return joint.kind == JointKind::prismatic ? bearing.friction : bearing.friction * bearing.radius;
}

} // namespace

bool has_bearings(const World& world, std::span<const JointRow> rows) {
  return std::ranges::any_of(rows, [&](const JointRow& row) { return is_bearing(world, row); });
}

double bound_bearings(const World& world, ConstSpan x, double h, double share,
                      std::span<JointRow> rows, ContactProblem& problem) {
  const std::size_t first = x.size() - rows.size();
  double change = 0, largest = 0, across[2] = {};
  Index joint = -1;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    JointRow& row = rows[r];
    if (row.joint != joint) across[0] = across[1] = 0;
    joint = row.joint;
    // Rows of a joint come in the order of their names, those that hold it first.
    if (row.row == RowName::displacement || row.row == RowName::displacement + 1)
      across[row.row - RowName::displacement] = x[first + r];
    if (!is_bearing(world, row)) continue;
    const Joint& held = world.joints()[joint];
    const double wanted = h * held.friction + lever(held) * hypotenuse(across[0], across[1]);
    const double bound = row.upper + share * (wanted - row.upper);
    change = std::max(change, std::abs(wanted - row.upper));
    largest = std::max(largest, wanted);
    problem.row_upper[r] = row.upper = bound;
    problem.row_lower[r] = row.lower = -bound;
  }
  return largest > 0 ? change / largest : 0;
}

} // namespace talus
