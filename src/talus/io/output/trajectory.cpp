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
constexpr std::size_t rows_per_chunk = 1024;      ///< Of tables with a few numbers per row.
constexpr std::int64_t rows_taken_over = 1 << 15; ///< At a time.

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

TrajectoryWriter::TrajectoryWriter(const std::string& path, const Scene& scene,
                                   const TableSizes& sizes, const World& common,
                                   std::span<const Joint> joints)
    : target_(path), file_(Hdf5File::create_stream(target_)), bodies_(file_, sizes),
      scene_text_(scene.source.text) {
  file_.write_string_attribute("/", "format", format_name);
  file_.write_attribute<std::int32_t>("/", "version", format_version);
  file_.write_string_attribute("/", "title", scene.title);
  file_.write_attribute<double>("/", "step", scene.options.step);
  file_.write_string_attribute("/", "formulation", scene.options.formulation);
  file_.write_string_attribute("/", "law", std::string(to_string(scene.options.law)));
  file_.write_string_attribute("/", "friction", to_string(scene.options.friction));
  file_.write_string_attribute("/", "solver", scene.options.solver);
  write_scene_source(file_, scene.source);
  write_common_tables(file_, common.materials, joints, common.gravity);
  make_tables(sizes.bodies, joints.size());
  write_sensor_columns(file_, scene.description.sensors, common);
}

static TableSizes sizes_of(const World& world, const WorldSurface& surface) {
  TableSizes sizes;
  sizes.include(world.bodies(), surface);
  return sizes;
}

TrajectoryWriter::TrajectoryWriter(const std::string& path, const Scene& scene, const World& world,
                                   const std::optional<KeptFrames>& kept)
    : TrajectoryWriter(path, scene, world, surface_of(world.bodies(), 4 * scene.reach), kept) {}

TrajectoryWriter::TrajectoryWriter(const std::string& path, const Scene& scene, const World& world,
                                   const WorldSurface& surface,
                                   const std::optional<KeptFrames>& kept)
    : TrajectoryWriter(path, scene, sizes_of(world, surface), world, world.joints()) {
  add_bodies(world.bodies(), surface);
  begin(kept);
}

void TrajectoryWriter::begin(const std::optional<KeptFrames>& kept) {
  bodies_.finish();
  if (kept) take_over(target_.path(), *kept);
  file_.begin_stream();
  file_.flush();
  target_.commit();
}

void TrajectoryWriter::make_tables(std::size_t bodies, std::size_t joints) {
  for (const BodyTable& table : body_tables)
    file_.make_table<double>(table.name, {bodies, table.width}, 1, compression, bodies_per_piece);
  for (const ForceTable& table : force_tables) {
    const std::size_t count = table.of_joints ? joints : bodies;
    if (count > 0)
      file_.make_table<float>(table.name, row_shape(table, count), 1, compression,
                              bodies_per_piece);
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

/// A row of numbers of all bodies or joints, piece by piece. Trajectories of earlier versions have
/// no forces; what is not known is not a number.
void TrajectoryWriter::take_over_row(const char* name, const TrajectoryReader& old, Index frame) {
  const Hdf5Shape shape = file_.shape(name);
  const std::size_t width = shape.size() > 2 ? shape[2] : 1;
  const bool has = old.file_.has(name) && old.file_.shape(name)[1] == shape[1];
  const auto row = static_cast<std::size_t>(frame);
  const auto copy = [&]<class Number>(Number unknown) {
    file_.append_row(name);
    for (std::size_t first = 0; first < shape[1]; first += bodies_per_piece) {
      const std::size_t count = std::min(bodies_per_piece, shape[1] - first);
      const auto numbers = has ? old.file_.read_in_row<Number>(name, row, first, count)
                               : std::vector<Number>(count * width, unknown);
      file_.write_in_row<Number>(name, frame_row_, first, numbers);
    }
  };
  if (std::ranges::any_of(body_tables,
                          [&](const BodyTable& t) { return t.name == std::string_view(name); }))
    copy(0.0);
  else
    copy(std::numeric_limits<float>::quiet_NaN());
}

void TrajectoryWriter::take_over(const std::string& path, const KeptFrames& kept) {
  if (!std::filesystem::exists(path)) return;
  const TrajectoryReader old(path);
  if (static_cast<std::size_t>(old.bodies()) != file_.shape("/frames/position")[1])
    throw FileError(path, fmt::format("belongs to another scene: it has {} bodies", old.bodies()));
  if (old.file_.read_string("/scene/text") != scene_text_)
    throw FileError(path, "belongs to another scene; choose another folder to go on in");
  const auto copy = [&]<class Number>(const char* name, std::int64_t first, std::int64_t count) {
    for (const std::int64_t last = first + count; first < last; first += rows_taken_over) {
      const auto rows = std::min<std::int64_t>(rows_taken_over, last - first);
      file_.append<Number>(name, old.file_.read_rows<Number>(name, static_cast<std::size_t>(first),
                                                             static_cast<std::size_t>(rows)));
    }
  };
  for (Index f = 0; f < old.frames(); ++f) {
    if (!kept.keeps(old.step(f))) continue;
    const auto row = static_cast<std::size_t>(f);
    const auto first = old.file_.read_rows<std::int64_t>("/frames/contact_start", row, 1)[0];
    const auto count = old.file_.read_rows<std::int64_t>("/frames/contact_count", row, 1)[0];
    for (const BodyTable& table : body_tables) take_over_row(table.name, old, f);
    for (const ForceTable& table : force_tables)
      if (file_.has(table.name)) take_over_row(table.name, old, f);
    for (const ContactTable& table : contact_tables)
      copy.operator()<double>(table.name, first, count);
    copy.operator()<std::int32_t>("/contacts/bodies", first, count);
    copy.operator()<std::int64_t>("/frames/step", f, 1);
    file_.append<std::int64_t>("/frames/contact_start", std::span(&contact_rows_, 1));
    copy.operator()<std::int64_t>("/frames/contact_count", f, 1);
    copy.operator()<double>("/frames/time", f, 1);
    contact_rows_ += count;
    ++frame_row_;
  }
  for (const auto& [body, step] : old.removals())
    if (kept.keeps(step)) list_removed(body, step); // the others are listed with a frame to come
}

template <class Wrenches, class Put>
void TrajectoryWriter::put_wrenches(const char* forces, const char* torques, Wrenches&& wrenches,
                                    Put&& put) {
  for (const auto& [name, part] : {std::pair(forces, &Wrench::force), {torques, &Wrench::torque}}) {
    forces_.clear();
    for (const Wrench& wrench : wrenches)
      for (int k = 0; k < 3; ++k) forces_.push_back(static_cast<float>((wrench.*part)[k]));
    put(name);
  }
}

void TrajectoryWriter::append_numbers(const char* name, const std::vector<JointReading>& joints,
                                      double JointReading::*number) {
  forces_.clear();
  for (const JointReading& joint : joints) forces_.push_back(static_cast<float>(joint.*number));
  file_.append<float>(name, forces_);
}

void TrajectoryWriter::add_joints(const std::vector<JointReading>& joints) {
  if (joints.empty()) return;
  put_wrenches("/frames/joint_force", "/frames/joint_torque",
               joints | std::views::transform(&JointReading::force),
               [&](const char* name) { file_.append<float>(name, forces_); });
  append_numbers("/frames/joint_position", joints, &JointReading::position);
  append_numbers("/frames/joint_velocity", joints, &JointReading::velocity);
  append_numbers("/frames/motor_effort", joints, &JointReading::motor_effort);
}

void TrajectoryWriter::add(const FrameView& frame) {
  begin_frame(frame.head());
  add_contacts(frame.contacts, frame.impulses);
  add_bodies(frame.bodies());
  end_frame();
}

void TrajectoryWriter::begin_frame(const FrameHead& head) {
  head_ = head;
  contacts_of_frame_ = 0;
  for (const BodyTable& table : body_tables) file_.append_row(table.name);
  for (const ForceTable& table : force_tables)
    if (!table.of_joints && file_.has(table.name)) file_.append_row(table.name);
  add_joints(head.joints);
}

void TrajectoryWriter::add_bodies(const FramePiece& piece) {
  for (const Index i : piece.removed)
    if (!removed_[static_cast<std::size_t>(i)]) list_removed(i, head_.step);
  const auto first = static_cast<std::size_t>(piece.first);
  const auto states = piece.states;
  for (const BodyTable& table : body_tables) {
    numbers_.resize(states.size() * table.width);
    for (std::size_t i = 0; i < states.size(); ++i)
      table.put(states[i], &numbers_[i * table.width]);
    file_.write_in_row<double>(table.name, frame_row_, first, numbers_);
  }
  put_wrenches(
      "/frames/contact_force", "/frames/contact_torque", piece.forces,
      [&](const char* name) { file_.write_in_row<float>(name, frame_row_, first, forces_); });
}

void TrajectoryWriter::add_contacts(std::span<const ContactPoint> contacts,
                                    std::span<const Vec3> impulses) {
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
  contacts_of_frame_ += static_cast<std::int64_t>(contacts.size());
}

void TrajectoryWriter::end_frame() {
  file_.append<std::int64_t>("/frames/step", std::span(&head_.step, 1));
  file_.append<std::int64_t>("/frames/contact_start", std::span(&contact_rows_, 1));
  file_.append<std::int64_t>("/frames/contact_count", std::span(&contacts_of_frame_, 1));
  contact_rows_ += contacts_of_frame_;
  ++frame_row_;
  // Everything of the frame reaches the file before the row that makes it count.
  file_.flush();
  file_.append<double>("/frames/time", std::span(&head_.time, 1));
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

} // namespace talus
