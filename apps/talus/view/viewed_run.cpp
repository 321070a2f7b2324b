#include "viewed_run.h"

#include "talus/core/error.h"
#include "viewed_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace talus::cli {
namespace {

namespace fs = std::filesystem;

/// Columns of steps.csv that can be plotted.
const std::vector<std::string> plotted = {
    "time",           "step",           "contacts",          "error",
    "violation",      "iterations",     "max_penetration",   "max_joint_error",
    "kinetic_energy", "elastic_energy", "potential_energy",  "momentum_x",
    "momentum_y",     "momentum_z",     "max_contact_force", "max_joint_force",
    "support_x",      "support_y",      "support_z",         "seconds_solve"};

void append_as_float(std::vector<float>& to, const std::vector<double>& from) {
  for (const double value : from) to.push_back(static_cast<float>(value));
}

/// Components of unit quaternions in steps of 1/32767.
void append_as_fractions(std::vector<std::int16_t>& to, const std::vector<double>& from) {
  for (const double value : from)
    to.push_back(static_cast<std::int16_t>(std::lround(std::clamp(value, -1.0, 1.0) * 32767)));
}

/// Removed bodies have quaternions of zeros: the page does not draw them.
std::vector<double> orientations_at(const Hdf5File& file, std::size_t row, std::int64_t step,
                                    const std::vector<std::int64_t>& removals) {
  std::vector<double> quaternions = file.read_rows<double>("/frames/orientation", row, 1);
  for (std::size_t i = 0; i < removals.size(); ++i)
    if (removals[i] <= step) std::fill_n(quaternions.begin() + static_cast<long>(4 * i), 4, 0.0);
  return quaternions;
}

/// Contacts of several frames, one after the other.
struct ContactArrays {
  std::vector<std::int32_t> counts, bodies;
  std::vector<float> point, normal, gap, impulse;

  void append_frame(const Hdf5File& file, std::size_t row) {
    const auto first = file.read_rows<std::int64_t>("/frames/contact_start", row, 1)[0];
    const auto count = file.read_rows<std::int64_t>("/frames/contact_count", row, 1)[0];
    const auto at = static_cast<std::size_t>(first), n = static_cast<std::size_t>(count);
    counts.push_back(static_cast<std::int32_t>(count));
    const auto pairs = file.read_rows<std::int32_t>("/contacts/bodies", at, n);
    bodies.insert(bodies.end(), pairs.begin(), pairs.end());
    append_as_float(point, file.read_rows<double>("/contacts/point", at, n));
    append_as_float(normal, file.read_rows<double>("/contacts/normal", at, n));
    append_as_float(gap, file.read_rows<double>("/contacts/gap", at, n));
    append_as_float(impulse, file.read_rows<double>("/contacts/impulse", at, n));
  }
  void add_to(DataPackage& package) const {
    package.add("contact_counts", std::span(counts));
    package.add("contact_bodies", std::span(bodies));
    package.add("contact_point", std::span(point));
    package.add("contact_normal", std::span(normal));
    package.add("contact_gap", std::span(gap));
    package.add("contact_impulse", std::span(impulse));
  }
};

/// Forces on bodies and of joints in several frames; those that the file does not hold are left
/// out.
struct ForceArrays {
  std::vector<std::string> names;
  std::vector<std::vector<float>> numbers;

  ForceArrays(const Hdf5File& file, bool with_contacts) {
    const auto look_for = [&](const char* name) {
      if (file.has(std::string("/frames/") + name)) names.emplace_back(name);
    };
    if (with_contacts)
      for (const char* name : {"contact_force", "contact_torque"}) look_for(name);
    for (const char* name :
         {"joint_force", "joint_torque", "joint_position", "joint_velocity", "motor_effort"})
      look_for(name);
    numbers.resize(names.size());
  }
  void append_frame(const Hdf5File& file, std::size_t row) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      const auto more = file.read_rows<float>("/frames/" + names[i], row, 1);
      numbers[i].insert(numbers[i].end(), more.begin(), more.end());
    }
  }
  void add_to(DataPackage& package) const {
    for (std::size_t i = 0; i < names.size(); ++i)
      package.add(names[i], std::span<const float>(numbers[i]));
  }
};

std::string trajectory_in(const std::string& path) {
  std::error_code trouble;
  if (!fs::exists(path, trouble))
    throw FileError(path, "there is no such folder or file; `talus run SCENE --out DIR` makes one");
  if (!fs::is_directory(path, trouble)) return path;
  std::string inside = (fs::path(path) / "trajectory.h5").string();
  if (!fs::exists(inside, trouble))
    throw FileError(path, "has no trajectory.h5; `talus run SCENE --out DIR` makes one");
  return inside;
}

} // namespace

ViewedRun::ViewedRun(const std::string& path, bool growing)
    : trajectory_path_(trajectory_in(path)),
      steps_((fs::path(trajectory_path_).parent_path() / "steps.csv").string(), plotted),
      sensors_((fs::path(trajectory_path_).parent_path() / "sensors.csv").string(), {}),
      growing_(growing) {
  refresh();
}

const TrajectoryReader& ViewedRun::refresh() {
  std::error_code trouble;
  const auto changed = fs::last_write_time(trajectory_path_, trouble);
  if (reader_ && (trouble || changed == seen_change_)) return *reader_;
  // HDF5 would answer from what it knows as long as the file is open.
  reader_.reset();
  reader_.emplace(trajectory_path_);
  seen_change_ = changed;
  if (bodies_ == 0) bodies_ = reader_->bodies();
  if (reader_->bodies() == bodies_) return *reader_;
  reader_.reset();
  throw FileError(trajectory_path_, "was replaced by the trajectory of another scene");
}

const TrajectoryReader& ViewedRun::reader() {
  return reader_ ? *reader_ : refresh();
}

void ViewedRun::read_new_steps() {
  steps_.refresh();
  sensors_.refresh();
}

/// Lines that both tables have.
std::size_t ViewedRun::step_count() const {
  return sensors_.exists() ? std::min(steps_.rows(), sensors_.rows()) : steps_.rows();
}

RunExtent ViewedRun::extent() {
  const std::lock_guard lock(mutex_);
  const TrajectoryReader& now = refresh();
  read_new_steps();
  return {now.frames(), step_count(), growing_};
}

std::pair<double, double> ViewedRun::time_range() {
  const std::lock_guard lock(mutex_);
  return {reader().time(0), reader().time(reader().frames() - 1)};
}

std::size_t ViewedRun::contacts() {
  const std::lock_guard lock(mutex_);
  return reader().file().shape("/contacts/gap")[0];
}

DataPackage ViewedRun::model() {
  const std::lock_guard lock(mutex_);
  return viewed_model(reader().file());
}

DataPackage ViewedRun::times(Index first, Index every) {
  const std::lock_guard lock(mutex_);
  const auto begin = static_cast<std::size_t>(std::min(first, reader().frames()));
  const auto rows = reader().file().read_rows<double>(
      "/frames/time", begin, static_cast<std::size_t>(reader().frames()) - begin);
  std::vector<double> times;
  for (std::size_t f = 0; f < rows.size(); f += static_cast<std::size_t>(every))
    times.push_back(rows[f]);
  DataPackage package;
  package.add("times", std::span<const double>(times));
  return package;
}

DataPackage ViewedRun::frames(Index first, Index count, Index every, bool with_contacts) {
  const std::lock_guard lock(mutex_);
  if (first < 0 || count < 1 || every < 1 || first >= reader().frames() ||
      count > (reader().frames() - 1 - first) / every + 1)
    throw OutOfRange(
        fmt::format("{} frames from {}, every {}, of {}", count, first, every, reader().frames()));
  const Hdf5File& file = reader().file();
  std::vector<float> position, velocity, angular;
  std::vector<std::int16_t> orientation;
  std::vector<double> times;
  ContactArrays contacts;
  const std::vector<std::int64_t> removals = reader().removal_steps();
  ForceArrays forces(file, with_contacts);
  for (Index k = 0; k < count; ++k) {
    const Index frame = first + k * every;
    const auto row = static_cast<std::size_t>(frame);
    times.push_back(reader().time(frame));
    append_as_float(position, file.read_rows<double>("/frames/position", row, 1));
    append_as_fractions(orientation, orientations_at(file, row, reader().step(frame), removals));
    append_as_float(velocity, file.read_rows<double>("/frames/velocity", row, 1));
    append_as_float(angular, file.read_rows<double>("/frames/angular_velocity", row, 1));
    forces.append_frame(file, row);
    if (with_contacts) contacts.append_frame(file, row);
  }
  DataPackage package;
  package.add("times", std::span<const double>(times));
  package.add("position", std::span<const float>(position));
  package.add("orientation", std::span<const std::int16_t>(orientation));
  package.add("velocity", std::span<const float>(velocity));
  package.add("angular_velocity", std::span<const float>(angular));
  forces.add_to(package);
  if (with_contacts) contacts.add_to(package);
  return package;
}

DataPackage ViewedRun::steps(std::size_t first) {
  const std::lock_guard lock(mutex_);
  read_new_steps();
  const std::size_t count = step_count(), begin = std::min(first, count);
  DataPackage package;
  const auto add = [&](const ViewedTable& table, const std::string& prefix) {
    for (std::size_t i = 0; i < table.names().size(); ++i)
      package.add(prefix + table.names()[i],
                  std::span<const double>(table.columns()[i]).subspan(begin, count - begin));
  };
  add(steps_, "");
  add(sensors_, "sensor:");
  return package;
}

} // namespace talus::cli
