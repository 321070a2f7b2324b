// What a trajectory holds of a frame (trajectory.h).

#include "talus/io/output/trajectory.h"

#include <algorithm>
#include <limits>

namespace talus {

double TrajectoryReader::time(Index frame) const {
  return file_.read_rows<double>("/frames/time", static_cast<std::size_t>(frame), 1)[0];
}

std::int64_t TrajectoryReader::step(Index frame) const {
  return file_.read_rows<std::int64_t>("/frames/step", static_cast<std::size_t>(frame), 1)[0];
}

std::vector<BodyState> TrajectoryReader::states(Index frame) const {
  const auto row = static_cast<std::size_t>(frame);
  const auto x = file_.read_rows<double>("/frames/position", row, 1);
  const auto q = file_.read_rows<double>("/frames/orientation", row, 1);
  const auto v = file_.read_rows<double>("/frames/velocity", row, 1);
  const auto w = file_.read_rows<double>("/frames/angular_velocity", row, 1);
  std::vector<BodyState> states(static_cast<std::size_t>(bodies_));
  for (std::size_t i = 0; i < states.size(); ++i) {
    states[i].pose.position = {x[3 * i], x[3 * i + 1], x[3 * i + 2]};
    states[i].pose.rotation = {q[4 * i], q[4 * i + 1], q[4 * i + 2], q[4 * i + 3]};
    states[i].velocity = {v[3 * i], v[3 * i + 1], v[3 * i + 2]};
    states[i].angular_velocity = {w[3 * i], w[3 * i + 1], w[3 * i + 2]};
  }
  return states;
}

std::map<Index, std::int64_t> TrajectoryReader::removals() const {
  std::map<Index, std::int64_t> steps;
  if (!file_.has("/removed/body") || !file_.has("/removed/step")) return steps; // an older file
  const std::size_t rows =
      std::min(file_.shape("/removed/body")[0], file_.shape("/removed/step")[0]);
  if (rows == 0) return steps;
  const auto bodies = file_.read_rows<std::int32_t>("/removed/body", 0, rows);
  const auto when = file_.read_rows<std::int64_t>("/removed/step", 0, rows);
  for (std::size_t i = 0; i < rows; ++i)
    if (bodies[i] >= 0 && bodies[i] < bodies_) steps[bodies[i]] = when[i];
  return steps;
}

std::vector<std::int64_t> TrajectoryReader::removal_steps() const {
  std::vector<std::int64_t> steps(static_cast<std::size_t>(bodies_),
                                  std::numeric_limits<std::int64_t>::max());
  for (const auto& [body, step] : removals()) steps[static_cast<std::size_t>(body)] = step;
  return steps;
}

std::vector<double> TrajectoryReader::forces(const std::string& name, Index frame) const {
  const std::string table = "/frames/" + name;
  if (!file_.has(table)) return {};
  const auto row = file_.read_rows<float>(table, static_cast<std::size_t>(frame), 1);
  return {row.begin(), row.end()};
}

std::vector<ContactPoint> TrajectoryReader::contacts(Index frame,
                                                     std::vector<Vec3>& impulses) const {
  const auto row = static_cast<std::size_t>(frame);
  const auto first =
      static_cast<std::size_t>(file_.read_rows<std::int64_t>("/frames/contact_start", row, 1)[0]);
  const auto count =
      static_cast<std::size_t>(file_.read_rows<std::int64_t>("/frames/contact_count", row, 1)[0]);
  const auto bodies = file_.read_rows<std::int32_t>("/contacts/bodies", first, count);
  const auto point = file_.read_rows<double>("/contacts/point", first, count);
  const auto normal = file_.read_rows<double>("/contacts/normal", first, count);
  const auto gap = file_.read_rows<double>("/contacts/gap", first, count);
  const auto impulse = file_.read_rows<double>("/contacts/impulse", first, count);
  std::vector<ContactPoint> contacts(count);
  impulses.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    ContactPoint& contact = contacts[i];
    contact.body_a = bodies[2 * i];
    contact.body_b = bodies[2 * i + 1];
    contact.point = {point[3 * i], point[3 * i + 1], point[3 * i + 2]};
    contact.normal = {normal[3 * i], normal[3 * i + 1], normal[3 * i + 2]};
    contact.gap = gap[i];
    impulses[i] = {impulse[3 * i], impulse[3 * i + 1], impulse[3 * i + 2]};
  }
  return contacts;
}

} // namespace talus
