#include "talus/io/output/step_table.h"

#include "talus/core/error.h"
#include "talus/core/files/atomic_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <unistd.h>

namespace talus {

namespace {

std::string line_of(const StepReport& r) {
  return fmt::format(
      "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", r.step,
      r.time, r.contacts, r.joint_rows, r.envelope, r.max_penetration, r.max_joint_error,
      r.outran_envelope, to_string(r.status), r.iterations, r.error, r.violation, r.kinetic_energy,
      r.potential_energy, r.elastic_energy, r.momentum.x, r.momentum.y, r.momentum.z,
      r.angular_momentum.x, r.angular_momentum.y, r.angular_momentum.z, r.seconds_collide,
      r.seconds_build, r.seconds_solve, r.seconds_advance, r.restitution_scale, r.work);
}

/// The lines of an earlier part of the run. A last line without its end is left out.
std::string kept_lines(const std::string& path, std::int64_t last_step) {
  std::ifstream file(path, std::ios::binary);
  std::string kept, line;
  std::getline(file, line);
  if (line + '\n' != step_table_header()) return kept;
  while (std::getline(file, line) && !file.eof()) {
    std::int64_t step = 0;
    std::from_chars(line.data(), line.data() + line.size(), step);
    if (step >= 1 && step <= last_step) kept += line + '\n';
  }
  return kept;
}

} // namespace

std::string step_table_header() {
  return "step,time,contacts,joint_rows,envelope,max_penetration,max_joint_error,outran_envelope,"
         "status,iterations,error,violation,kinetic_energy,potential_energy,elastic_energy,"
         "momentum_x,momentum_y,"
         "momentum_z,angular_momentum_x,angular_momentum_y,angular_momentum_z,seconds_collide,"
         "seconds_build,seconds_solve,seconds_advance,restitution_scale,work\n";
}

StepTable::StepTable(const std::string& path, std::optional<std::int64_t> keep_until)
    : path_(path), waiting_(step_table_header()) {
  if (keep_until) waiting_ += kept_lines(path, *keep_until);
  AtomicFile target(path);
  file_ = open(target.temporary_path().c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (file_ < 0) throw FileError(path, fmt::format("cannot be written: {}", std::strerror(errno)));
  flush();
  target.commit();
}

StepTable::~StepTable() {
  if (file_ >= 0) close(file_);
}

void StepTable::add(const StepReport& report) {
  waiting_ += line_of(report);
}

void StepTable::flush() {
  std::size_t done = 0;
  while (done < waiting_.size()) {
    const ssize_t written = write(file_, waiting_.data() + done, waiting_.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      const int trouble = errno;
      waiting_.erase(0, done); // what is written is not written again
      throw FileError(path_, fmt::format("cannot be written: {}", std::strerror(trouble)));
    }
    done += static_cast<std::size_t>(written);
  }
  waiting_.clear();
}

} // namespace talus
