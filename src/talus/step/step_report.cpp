#include "talus/step/step_report.h"

#include <fmt/format.h>

#include <algorithm>

namespace talus {

void RunSummary::include(const StepReport& report) {
  contacts_mean += (report.contacts - contacts_mean) / static_cast<double>(steps + 1);
  ++steps;
  if (!report.converged()) ++unconverged_steps;
  if (report.status == Status::infeasible && infeasible_steps++ == 0)
    first_contradiction = fmt::format("step {}: {}", report.step, report.message);
  if (report.status == Status::product_limit) ++limited_steps;
  outran_envelope += report.outran_envelope;
  if (report.restitution_scale < 1) ++scaled_restitution_steps;
  contacts_max = std::max(contacts_max, report.contacts);
  iterations += report.iterations;
  tolerance_max = std::max(tolerance_max, report.tolerance);
  work += report.work;
  work_max = std::max(work_max, report.work);
  error_max = std::max(error_max, report.error);
  penetration_max = std::max(penetration_max, report.max_penetration);
  joint_error_max = std::max(joint_error_max, report.max_joint_error);
  seconds += report.seconds();
  seconds_collide += report.seconds_collide;
  seconds_build += report.seconds_build;
  seconds_solve += report.seconds_solve;
  seconds_advance += report.seconds_advance;
}

} // namespace talus
