#include "talus/io/output/trajectory.h"

#include "talus/core/error.h"
#include "talus/core/files/atomic_file.h"
#include "talus/io/checkpoint.h"
#include "talus/io/output/world_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <ranges>

namespace talus {

namespace {

constexpr const char* format_name = "talus trajectory";
constexpr std::int32_t format_version = 1;
constexpr int compression = 1;
constexpr std::size_t rows_per_chunk = 1024; ///< Of tables with a few numbers per row.

struct BodyTable {
  const char* name;
  std::size_t width;
  void (*put)(const BodyState&, double*);
};

void put(const Vec3& v, double* to) {
  to[0] = v.x, to[1] = v.y, to[2] = v.z;
}

/// What a frame holds of each body.
constexpr BodyTable body_tables[] = {
    {"/frames/position", 3, [](const BodyState& s, double* to) { put(s.pose.position, to); }},
    {"/frames/orientation", 4,
     [](const BodyState& s, double* to) {
       const Quaternion& q = s.pose.rotation;
       to[0] = q.w, to[1] = q.x, to[2] = q.y, to[3] = q.z;
     }},
    {"/frames/velocity", 3, [](const BodyState& s, double* to) { put(s.velocity, to); }},
    {"/frames/angular_velocity", 3,
     [](const BodyState& s, double* to) { put(s.angular_velocity, to); }},
};

struct ContactTable {
  const char* name;
  std::size_t width;
  void (*put)(const ContactPoint&, const Vec3& impulse, double*);
};

/// What a frame holds of each contact, beside the two bodies.
constexpr ContactTable contact_tables[] = {
    {"/contacts/point", 3,
     [](const ContactPoint& c, const Vec3&, double* to) { put(c.point, to); }},
    {"/contacts/normal", 3,
     [](const ContactPoint& c, const Vec3&, double* to) { put(c.normal, to); }},
    {"/contacts/gap", 1, [](const ContactPoint& c, const Vec3&, double* to) { *to = c.gap; }},
    {"/contacts/impulse", 3,
     [](const ContactPoint&, const Vec3& impulse, double* to) { put(impulse, to); }},
};

/// What a frame holds of the forces on each body and of each joint: means over the step before it.
struct ForceTable {
  const char* name;
  std::size_t width;
  bool of_joints;
};
constexpr ForceTable force_tables[] = {
    {"/frames/contact_force", 3, false}, {"/frames/contact_torque", 3, false},
    {"/frames/joint_force", 3, true},    {"/frames/joint_torque", 3, true},
    {"/frames/joint_position", 1, true}, {"/frames/joint_velocity", 1, true},
    {"/frames/motor_effort", 1, true},
};

Hdf5Shape row_shape(const ForceTable& table, std::size_t count) {
  return table.width == 1 ? Hdf5Shape{count} : Hdf5Shape{count, table.width};
}

Hdf5Shape row_shape(const ContactTable& table) {
  return table.width == 1 ? Hdf5Shape{} : Hdf5Shape{table.width};
}

bool is_trajectory(const Hdf5File& file) {
  return file.has_attribute("/", "format") &&
         file.read_string_attribute("/", "format") == format_name;
}

} // namespace

TrajectoryWriter::TrajectoryWriter(const std::string& path, const Scene& scene, const World& world,
                                   const std::optional<KeptFrames>& kept)
    : target_(path), file_(Hdf5File::create_stream(target_)) {
  file_.write_string_attribute("/", "format", format_name);
  file_.write_attribute<std::int32_t>("/", "version", format_version);
  file_.write_string_attribute("/", "title", scene.title);
  file_.write_attribute<double>("/", "step", scene.options.step);
  file_.write_string_attribute("/", "formulation", scene.options.formulation);
  file_.write_string_attribute("/", "law", std::string(to_string(scene.options.law)));
  file_.write_string_attribute("/", "friction", to_string(scene.options.friction));
  file_.write_string_attribute("/", "solver", scene.options.solver);
  write_scene_source(file_, scene.source);
  write_world_tables(file_, world, 4 * scene.reach);
  make_tables(static_cast<std::size_t>(world.size()), world.joints().size());
  write_sensor_columns(file_, scene.description.sensors, world);
  if (kept) take_over(path, scene.source.text, *kept);
  file_.begin_stream();
  file_.flush();
  target_.commit();
}

void TrajectoryWriter::make_tables(std::size_t bodies, std::size_t joints) {
  for (const BodyTable& table : body_tables)
    file_.make_table<double>(table.name, {bodies, table.width}, 1, compression);
  for (const ForceTable& table : force_tables) {
    const std::size_t count = table.of_joints ? joints : bodies;
    if (count > 0) file_.make_table<float>(table.name, row_shape(table, count), 1, compression);
  }
  for (const ContactTable& table : contact_tables)
    file_.make_table<double>(table.name, row_shape(table), rows_per_chunk, compression);
  file_.make_table<std::int32_t>("/contacts/bodies", {2}, rows_per_chunk, compression);
  file_.make_table<std::int64_t>("/frames/step", {}, rows_per_chunk);
  file_.make_table<std::int64_t>("/frames/contact_start", {}, rows_per_chunk);
  file_.make_table<std::int64_t>("/frames/contact_count", {}, rows_per_chunk);
  file_.make_table<double>("/frames/time", {}, rows_per_chunk);
  file_.make_table<std::int32_t>("/removed/body", {}, rows_per_chunk);
  file_.make_table<std::int64_t>("/removed/step", {}, rows_per_chunk);
  removed_.assign(bodies, false);
}

void TrajectoryWriter::list_removed(std::int32_t body, std::int64_t step) {
  file_.append<std::int32_t>("/removed/body", std::span(&body, 1));
  file_.append<std::int64_t>("/removed/step", std::span(&step, 1));
  removed_[static_cast<std::size_t>(body)] = true;
}

void TrajectoryWriter::take_over(const std::string& path, const std::string& scene_text,
                                 const KeptFrames& kept) {
  if (!std::filesystem::exists(path)) return;
  const TrajectoryReader old(path);
  if (static_cast<std::size_t>(old.bodies()) != file_.shape("/frames/position")[1])
    throw FileError(path, fmt::format("belongs to another scene: it has {} bodies", old.bodies()));
  if (old.file_.read_string("/scene/text") != scene_text)
    throw FileError(path, "belongs to another scene; choose another folder to go on in");
  const auto copy = [&]<class Number>(const char* name, std::int64_t first, std::int64_t count) {
    file_.append<Number>(name, old.file_.read_rows<Number>(name, static_cast<std::size_t>(first),
                                                           static_cast<std::size_t>(count)));
  };
  for (Index f = 0; f < old.frames(); ++f) {
    if (!kept.keeps(old.step(f))) continue;
    const auto row = static_cast<std::size_t>(f);
    const auto first = old.file_.read_rows<std::int64_t>("/frames/contact_start", row, 1)[0];
    const auto count = old.file_.read_rows<std::int64_t>("/frames/contact_count", row, 1)[0];
    for (const BodyTable& table : body_tables) copy.operator()<double>(table.name, f, 1);
    for (const ForceTable& table : force_tables) {
      if (!file_.has(table.name)) continue;
      const Hdf5Shape shape = file_.shape(table.name);
      // Trajectories of earlier versions hold none; what is not known is not a number.
      forces_.assign(shape[1] * table.width, std::numeric_limits<float>::quiet_NaN());
      const bool has = old.file_.has(table.name) && old.file_.shape(table.name)[1] == shape[1];
      if (has) forces_ = old.file_.read_rows<float>(table.name, row, 1);
      file_.append<float>(table.name, forces_);
    }
    for (const ContactTable& table : contact_tables)
      copy.operator()<double>(table.name, first, count);
    copy.operator()<std::int32_t>("/contacts/bodies", first, count);
    copy.operator()<std::int64_t>("/frames/step", f, 1);
    file_.append<std::int64_t>("/frames/contact_start", std::span(&contact_rows_, 1));
    copy.operator()<std::int64_t>("/frames/contact_count", f, 1);
    copy.operator()<double>("/frames/time", f, 1);
    contact_rows_ += count;
  }
  const std::vector<std::int64_t> removals = old.removal_steps();
  for (std::size_t i = 0; i < removals.size(); ++i)
    if (removals[i] <= kept.last_step) list_removed(static_cast<std::int32_t>(i), removals[i]);
}

template <class Wrenches>
void TrajectoryWriter::append_wrenches(const char* forces, const char* torques,
                                       Wrenches&& wrenches) {
  for (const auto& [name, part] : {std::pair(forces, &Wrench::force), {torques, &Wrench::torque}}) {
    forces_.clear();
    for (const Wrench& wrench : wrenches)
      for (int k = 0; k < 3; ++k) forces_.push_back(static_cast<float>((wrench.*part)[k]));
    file_.append<float>(name, forces_);
  }
}

void TrajectoryWriter::append_numbers(const char* name, const std::vector<JointReading>& joints,
                                      double JointReading::*number) {
  forces_.clear();
  for (const JointReading& joint : joints) forces_.push_back(static_cast<float>(joint.*number));
  file_.append<float>(name, forces_);
}

void TrajectoryWriter::add_forces(const FrameView& frame) {
  if (!frame.forces.empty())
    append_wrenches("/frames/contact_force", "/frames/contact_torque", frame.forces);
  if (frame.joints.empty()) return;
  append_wrenches("/frames/joint_force", "/frames/joint_torque",
                  frame.joints | std::views::transform(&JointReading::force));
  append_numbers("/frames/joint_position", frame.joints, &JointReading::position);
  append_numbers("/frames/joint_velocity", frame.joints, &JointReading::velocity);
  append_numbers("/frames/motor_effort", frame.joints, &JointReading::motor_effort);
}

void TrajectoryWriter::add(const FrameView& frame) {
  const auto states = frame.states;
  for (const Index i : frame.removed)
    if (!removed_[static_cast<std::size_t>(i)]) list_removed(i, frame.step);
  for (const BodyTable& table : body_tables) {
    numbers_.resize(states.size() * table.width);
    for (std::size_t i = 0; i < states.size(); ++i)
      table.put(states[i], &numbers_[i * table.width]);
    file_.append<double>(table.name, numbers_);
  }
  add_forces(frame);
  const auto contacts = frame.contacts;
  const auto impulses = frame.impulses;
  for (const ContactTable& table : contact_tables) {
    numbers_.resize(contacts.size() * table.width);
    for (std::size_t i = 0; i < contacts.size(); ++i)
      table.put(contacts[i], impulses[i], &numbers_[i * table.width]);
    file_.append<double>(table.name, numbers_);
  }
  indices_.clear();
  for (const ContactPoint& contact : contacts)
    indices_.insert(indices_.end(), {contact.body_a, contact.body_b});
  file_.append<std::int32_t>("/contacts/bodies", indices_);

  const std::int64_t step = frame.step;
  const auto count = static_cast<std::int64_t>(contacts.size());
  file_.append<std::int64_t>("/frames/step", std::span(&step, 1));
  file_.append<std::int64_t>("/frames/contact_start", std::span(&contact_rows_, 1));
  file_.append<std::int64_t>("/frames/contact_count", std::span(&count, 1));
  contact_rows_ += count;
  // Everything of the frame reaches the file before the row that makes it count.
  file_.flush();
  const double time = frame.time;
  file_.append<double>("/frames/time", std::span(&time, 1));
  file_.flush();
}

TrajectoryReader::TrajectoryReader(const std::string& path) : file_(Hdf5File::open(path)) {
  if (!is_trajectory(file_))
    throw FileError(path, "is an HDF5 file, but not a trajectory of talus");
  const auto version = file_.read_attribute<std::int32_t>("/", "version");
  if (version != format_version)
    throw FileError(path,
                    fmt::format("is a trajectory of version {}; this program reads version {}",
                                version, format_version));
  const auto rows_of = [&](const char* name, const Hdf5Shape& row) {
    const Hdf5Shape shape = file_.shape(name);
    if (shape.size() != row.size() + 1 || !std::equal(row.begin(), row.end(), shape.begin() + 1))
      throw FileError(
          path, fmt::format("{} does not have rows of shape [{}]", name, fmt::join(row, ", ")));
    return static_cast<Index>(std::min<std::size_t>(shape[0], std::numeric_limits<Index>::max()));
  };
  const Hdf5Shape positions = file_.shape("/frames/position");
  const std::size_t bodies = positions.size() == 3 ? positions[1] : 0;
  bodies_ = static_cast<Index>(std::min<std::size_t>(bodies, std::numeric_limits<Index>::max()));
  frames_ = rows_of("/frames/time", {});
  for (const char* name : {"/frames/step", "/frames/contact_start", "/frames/contact_count"})
    frames_ = std::min(frames_, rows_of(name, {}));
  for (const BodyTable& table : body_tables)
    frames_ = std::min(frames_, rows_of(table.name, {bodies, table.width}));
  for (const ContactTable& table : contact_tables) rows_of(table.name, row_shape(table));
  rows_of("/contacts/bodies", {2});
}

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

std::vector<std::int64_t> TrajectoryReader::removal_steps() const {
  std::vector<std::int64_t> steps(static_cast<std::size_t>(bodies_),
                                  std::numeric_limits<std::int64_t>::max());
  if (!file_.has("/removed/body") || !file_.has("/removed/step")) return steps; // an older file
  const std::size_t rows =
      std::min(file_.shape("/removed/body")[0], file_.shape("/removed/step")[0]);
  if (rows == 0) return steps;
  const auto bodies = file_.read_rows<std::int32_t>("/removed/body", 0, rows);
  const auto when = file_.read_rows<std::int64_t>("/removed/step", 0, rows);
  for (std::size_t i = 0; i < rows; ++i)
    if (bodies[i] >= 0 && bodies[i] < bodies_) steps[static_cast<std::size_t>(bodies[i])] = when[i];
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
