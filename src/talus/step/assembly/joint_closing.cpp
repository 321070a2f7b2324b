#include "talus/step/assembly/joint_closing.h"

#include "talus/solve/joint_eliminating_solver.h"
#include "talus/solve/joint_elimination.h"
#include "talus/step/assembly/bearings.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace talus {

namespace {

/// How far joints are off at the end of the step, in units of what is allowed.
double excess_of(const JointedStep& jointed, ConstSpan joint_errors) {
  double excess = 0;
  for (std::size_t r = 0; r < jointed.rows.size(); ++r)
    if (joint_errors[r] != 0)
      excess =
          std::max(excess, std::abs(joint_errors[r]) /
                               allowed_joint_error(jointed.world, jointed.radii, jointed.rows[r]));
  return excess;
}

/// The rows without the contacts, of which there may be millions.
ContactProblem rows_alone(const ContactProblem& problem) {
  const RigidModel& all = std::get<RigidModel>(problem.model);
  RigidModel model;
  model.inverse_mass = all.inverse_mass;
  model.row_bodies = all.row_bodies;
  model.rows = all.rows;
  ContactProblem result;
  result.row_lower = problem.row_lower;
  result.row_upper = problem.row_upper;
  if (!problem.compliance.empty())
    result.compliance.assign(problem.compliance.begin() + problem.impulses(),
                             problem.compliance.end());
  result.model = std::move(model);
  return result;
}

} // namespace

/// Every pass gains a factor of about ω h. It ends once they do not gain any more: bodies that turn
/// by a radian in a step, and joints that contradict each other. Where a pass misses the tolerance,
/// or makes errors larger, the answer before it stays; answers that miss it are not worked on.
void close_joints(const JointedStep& jointed) {
  constexpr int most_passes = 8;
  constexpr double least_gain = 0.5;
  SolveResult& result = jointed.result;
  double before = std::numeric_limits<double>::infinity();
  Vector& b = std::get<RigidModel>(jointed.problem.model).b;
  Vector b_before;
  SolveResult answer;
  const auto go_back = [&] {
    b = b_before;
    std::swap(result.iterations, answer.iterations);
    std::swap(result.work, answer.work);
    result = std::move(answer);
  };
  for (int pass = 0; pass < most_passes && !jointed.rows.empty(); ++pass) {
    const bool is_solved = result.status == Status::converged &&
                           result.v.size() == 6 * static_cast<std::size_t>(jointed.world.size());
    if (!is_solved) {
      if (pass > 0) go_back();
      return;
    }
    const auto [change, excess] = jointed.drift.misfit(jointed.world, jointed.velocities(), b,
                                                       jointed.radii, jointed.step, jointed.rows);
    if (excess > before) return go_back();
    const bool may_go_on = jointed.max_products == 0 || result.work < jointed.max_products;
    if (excess <= 1 || excess > least_gain * before || !may_go_on) return;
    before = excess;
    b_before = b;
    answer = result;
    for (std::size_t r = 0; r < jointed.rows.size(); ++r) b[r] += change[r];
    jointed.solve_again();
  }
}

void settle_bearings(const JointedStep& jointed) {
  if (!has_bearings(jointed.world, jointed.rows)) return;
  constexpr int most_passes = 40, undamped_passes = 10;
  constexpr double settled = 1e-8;
  const auto size = static_cast<std::size_t>(jointed.problem.size());
  for (int pass = 0; pass < most_passes && jointed.result.x.size() == size; ++pass) {
    const double share = pass < undamped_passes ? 1.0 : 0.5;
    if (bound_bearings(jointed.world, jointed.result.x, jointed.step, share, jointed.rows,
                       jointed.problem) <= settled)
      return;
    jointed.solve_again();
  }
}

/// A tolerance of 1e-3 leaves tens of micrometres in the pins of a track. Velocities stay as they
/// were solved: the energy of a body that turns is that of close_joints(), and what is moved here
/// is as small as the error of the solve.
Vector velocities_of_poses(const JointedStep& jointed, double tolerance, ConstSpan velocities,
                           const SpatialOrder& order, const StopTest& stop) {
  constexpr double exact = 1e-7; // close_joints() leaves nothing there
  const World& world = jointed.world;
  const std::size_t rows = jointed.rows.size();
  if (rows == 0 || tolerance <= exact || velocities.empty() || !has_free_rows(jointed.problem))
    return {};
  ConstSpan errors = jointed.drift.after(world, velocities, jointed.step, jointed.rows);
  double excess = excess_of(jointed, errors);
  if (!(excess > 1) || !std::isfinite(excess)) return {};
  const JointCorrection correction(rows_alone(jointed.problem), stop);
  if (is_met(stop)) return {};
  constexpr int most_passes = 6;
  Vector best(velocities.begin(), velocities.end()), y(rows), change(velocities.size());
  bool is_better = false;
  for (int pass = 0; pass < most_passes && excess > 1; ++pass) {
    for (std::size_t r = 0; r < rows; ++r) y[r] = errors[r] / jointed.step;
    std::ranges::fill(change, 0.0);
    correction.add_velocities(y, change);
    Vector moved = best;
    for (Index i = 0; i < world.size(); ++i)
      for (std::size_t k = 0; k < 6; ++k)
        moved[6 * static_cast<std::size_t>(i) + k] +=
            change[6 * static_cast<std::size_t>(order.rank(i)) + k];
    errors = jointed.drift.after(world, moved, jointed.step, jointed.rows);
    const double before = excess;
    excess = excess_of(jointed, errors);
    if (!(excess < before)) break; // joints that contradict each other
    best = std::move(moved);
    is_better = true;
  }
  return is_better ? best : Vector();
}

} // namespace talus
