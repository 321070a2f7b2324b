#include "talus/io/output/step_table.h"

#include <fmt/format.h>

namespace talus {

namespace {

std::string line_of(const StepReport& r, const ForceSums& f) {
  return fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}"
                     ",{},{},{},{},{},{},{}\n",
                     r.step, r.time, r.contacts, r.joint_rows, r.envelope, r.max_penetration,
                     r.max_joint_error, r.outran_envelope, to_string(r.status), r.iterations,
                     r.error, r.violation, r.kinetic_energy, r.potential_energy, r.elastic_energy,
                     r.momentum.x, r.momentum.y, r.momentum.z, r.angular_momentum.x,
                     r.angular_momentum.y, r.angular_momentum.z, r.seconds_collide, r.seconds_build,
                     r.seconds_solve, r.seconds_advance, r.restitution_scale, r.tolerance, r.work,
                     f.support.x, f.support.y, f.support.z, f.largest_contact, f.largest_joint);
}

} // namespace

std::string step_table_header() {
  return "step,time,contacts,joint_rows,envelope,max_penetration,max_joint_error,outran_envelope,"
         "status,iterations,error,violation,kinetic_energy,potential_energy,elastic_energy,"
         "momentum_x,momentum_y,"
         "momentum_z,angular_momentum_x,angular_momentum_y,angular_momentum_z,seconds_collide,"
         "seconds_build,seconds_solve,seconds_advance,restitution_scale,tolerance,work,"
         "support_x,support_y,support_z,max_contact_force,max_joint_force\n";
}

void StepTable::add(const StepReport& report, const ForceSums& forces) {
  table_.add(line_of(report, forces));
}

} // namespace talus
