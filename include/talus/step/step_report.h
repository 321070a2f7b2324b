#pragma once
// What happened in one step. Energies and momenta are those at the end of the step.

#include "talus/core/types.h"
#include "talus/core/vec3.h"
#include "talus/solve/solver.h"

#include <string>

namespace talus {

struct StepReport {
  std::int64_t step = 0; ///< 1 for the first.
  double time = 0;       ///< At the end of the step, s.

  Index contacts = 0;   ///< In the problem: gap ≤ envelope.
  Index joint_rows = 0; ///< Equality and limit rows.
  double envelope = 0;
  double max_penetration = 0; ///< Largest -gap at the start of the step, 0 without overlap (m).
  double max_joint_error = 0; ///< Largest violation of a joint or limit at the end (m or rad).
  Index outran_envelope = 0;  ///< Bodies that moved farther in the step than the envelope foresaw.

  Status status = Status::converged; ///< Of the solve; `converged` when there was nothing to solve.
  std::string message;               ///< Why, when it is not `converged`.
  long iterations = 0;
  double tolerance = 0; ///< Of the solve; 0 when there was nothing to solve.
  long work = 0;        ///< In products with N (SolveResult::work).
  double error = 0;     ///< Judged error of the solve.
  double violation = 0; ///< Worst contact or row, m/s.
  bool converged() const { return status == Status::converged; }

  /// The smallest factor that coefficients of restitution were scaled with lest impacts create
  /// energy (impact_energy.h).
  double restitution_scale = 1;

  double kinetic_energy = 0;
  double potential_energy = 0; ///< In gravity; zero at the origin.
  /// Stored in contacts that yield, in springs of joints and, where contacts pull, in their gaps.
  double elastic_energy = 0;
  Vec3 momentum;         ///< Of the dynamic bodies.
  Vec3 angular_momentum; ///< Of the dynamic bodies, about the origin.

  double seconds_collide = 0, seconds_build = 0, seconds_solve = 0, seconds_advance = 0;
  double seconds() const {
    return seconds_collide + seconds_build + seconds_solve + seconds_advance;
  }
};

/// Totals of many steps.
struct RunSummary {
  std::int64_t steps = 0, unconverged_steps = 0, outran_envelope = 0;
  std::int64_t infeasible_steps = 0;         ///< Among the unconverged ones.
  std::int64_t limited_steps = 0;            ///< Among them, those that used up max_products.
  std::string first_contradiction;           ///< The message of the first infeasible step.
  std::int64_t scaled_restitution_steps = 0; ///< Those with a restitution_scale below 1.
  double contacts_mean = 0;
  Index contacts_max = 0;
  long iterations = 0, work = 0, work_max = 0;
  double tolerance_max = 0; ///< The largest of all steps.
  double error_max = 0, penetration_max = 0, joint_error_max = 0;
  double seconds = 0, seconds_collide = 0, seconds_build = 0, seconds_solve = 0,
         seconds_advance = 0;

  void include(const StepReport& report);
};

} // namespace talus
