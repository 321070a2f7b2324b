#include "talus/io/output/paraview.h"

#include "talus/core/error.h"
#include "talus/core/files/atomic_file.h"
#include "talus/core/files/path.h"
#include "talus/io/output/vtk_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

namespace talus {

namespace {

namespace fs = std::filesystem;

constexpr const char* series_names[] = {"bodies", "contacts", "particles", "joints"};

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

constexpr const char* unfinished = ".part";

/// The file appears whole, but unlike AtomicFile this does not wait for the disk: frames are many.
template <class Write>
void write_whole(const std::string& path, Write&& write) {
  const std::string temporary = path + unfinished;
  std::ofstream file(temporary, std::ios::binary);
  write(file);
  file.close();
  std::error_code trouble;
  if (file) fs::rename(temporary, path, trouble);
  if (!file || trouble) {
    fs::remove(temporary, trouble);
    throw FileError(path, "cannot be written (is the disk full?)");
  }
}

void put(std::vector<float>& to, const Vec3& v) {
  for (int k = 0; k < 3; ++k) to.push_back(static_cast<float>(v[k]));
}

using Numbers = std::span<const std::int32_t>;

/// Of removed bodies all points fall into one: nothing is seen of them.
void add_surfaces(const WorldSurface& surface, const FramePiece& piece, PolyDataFile& file,
                  std::int32_t& count) {
  const SurfaceMesh& mesh = surface.mesh;
  std::vector<float> points, velocities, forces;
  std::vector<std::int32_t> bodies, corners;
  for (std::size_t i = 0; i < mesh.points.size(); ++i) {
    const Index body = surface.body[i];
    const BodyState& state = piece.states[body];
    const Vec3 arm =
        piece.lacks(piece.first + body) ? Vec3{} : rotate(state.pose.rotation, mesh.points[i]);
    put(points, state.pose.position + arm);
    put(velocities, state.velocity + cross(state.angular_velocity, arm));
    put(forces, piece.forces[static_cast<std::size_t>(body)].force);
    bodies.push_back(piece.first + body);
  }
  for (const Triangle& t : mesh.triangles)
    for (const Index corner : t) corners.push_back(count + corner);
  count += static_cast<std::int32_t>(mesh.points.size());
  file.add_point_data("velocity", velocities, 3);
  file.add_point_data("contact_force", forces, 3);
  file.add_point_data("body", Numbers(bodies), 1);
  file.add_points(points);
  file.add_triangles(corners);
}

/// Removed ones have no size.
void add_spheres(std::span<const Particle> particles, const FramePiece& piece, PolyDataFile& file,
                 std::int32_t& count) {
  std::vector<float> points, velocities, forces, radii;
  std::vector<std::int32_t> bodies, corners;
  for (const Particle& particle : particles) {
    const BodyState& state = piece.states[particle.body];
    const Vec3 arm = rotate(state.pose.rotation, particle.centre);
    put(points, state.pose.position + arm);
    put(velocities, state.velocity + cross(state.angular_velocity, arm));
    put(forces, piece.forces[static_cast<std::size_t>(particle.body)].force);
    const Index body = piece.first + particle.body;
    radii.push_back(piece.lacks(body) ? 0.0F : static_cast<float>(particle.radius));
    corners.push_back(count++);
    bodies.push_back(body);
  }
  file.add_point_data("radius", radii, 1);
  file.add_point_data("velocity", velocities, 3);
  file.add_point_data("contact_force", forces, 3);
  file.add_point_data("body", Numbers(bodies), 1);
  file.add_points(points);
  file.add_vertices(corners);
}

void add_contact_points(std::span<const ContactPoint> contacts, std::span<const Vec3> impulses,
                        double h, PolyDataFile& file, std::int32_t& count) {
  std::vector<float> points, forces, normals, gaps;
  std::vector<std::int32_t> bodies, corners;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const ContactPoint& contact = contacts[i];
    put(points, contact.point);
    put(forces, impulses[i] / h);
    put(normals, contact.normal);
    gaps.push_back(static_cast<float>(contact.gap));
    bodies.insert(bodies.end(), {contact.body_a, contact.body_b});
    corners.push_back(count++);
  }
  file.add_point_data("force", forces, 3);
  file.add_point_data("normal", normals, 3);
  file.add_point_data("gap", gaps, 1);
  file.add_point_data("bodies", Numbers(bodies), 2);
  file.add_points(points);
  file.add_vertices(corners);
}

/// A point at the origin of every joint on its second body, with force and torque on that body in
/// world axes.
void add_joints(const FrameHead& frame, PolyDataFile& file) {
  std::vector<float> points, forces, torques, positions, efforts;
  std::vector<std::int32_t> numbers;
  for (const JointReading& joint : frame.joints) {
    put(points, joint.point);
    put(forces, joint.world_force.force);
    put(torques, joint.world_force.torque);
    positions.push_back(static_cast<float>(joint.position));
    efforts.push_back(static_cast<float>(joint.motor_effort));
    numbers.push_back(static_cast<std::int32_t>(numbers.size()));
  }
  file.add_point_data("force", forces, 3);
  file.add_point_data("torque", torques, 3);
  file.add_point_data("position", positions, 1);
  file.add_point_data("motor_effort", efforts, 1);
  file.add_point_data("joint", Numbers(numbers), 1);
  file.add_points(points);
  file.add_vertices(numbers);
}

/// The step in "bodies_000120.vtp"; -1 for other names.
std::int64_t step_in_name(const std::string& name) {
  for (const std::string series : series_names) {
    if (!name.starts_with(series + "_") || !name.ends_with(".vtp")) continue;
    std::int64_t step = -1;
    const char* begin = name.data() + series.size() + 1;
    const char* end = name.data() + name.size() - 4;
    const auto [stop, error] = std::from_chars(begin, end, step);
    if (error == std::errc() && stop == end) return step;
  }
  return -1;
}

/// Reads back one line of an index that write_index() made.
bool parse_index_line(const std::string& line, std::int64_t& step, double& time) {
  constexpr std::string_view before_time = "<DataSet timestep=\"", before_file = " file=\"";
  const std::size_t t = line.find(before_time), f = line.find(before_file);
  if (t == std::string::npos || f == std::string::npos) return false;
  const char* end = line.data() + line.size();
  if (std::from_chars(line.data() + t + before_time.size(), end, time).ec != std::errc())
    return false;
  const std::size_t name = f + before_file.size();
  step = step_in_name(line.substr(name, line.find('"', name) - name));
  return step >= 0;
}

/// Whether a killed writer of a frame or an index left this.
bool is_left_unfinished(std::string name) {
  if (!name.ends_with(unfinished)) return false;
  name.resize(name.size() - std::string_view(unfinished).size());
  return step_in_name(name) >= 0 || std::ranges::any_of(series_names, [&](std::string_view series) {
           return name == std::string(series) + ".pvd";
         });
}

std::map<std::int64_t, double> times_in_index(const std::string& path) {
  std::map<std::int64_t, double> times;
  std::ifstream index(path);
  std::int64_t step = 0;
  double time = 0;
  for (std::string line; std::getline(index, line);)
    if (parse_index_line(line, step, time)) times[step] = time;
  return times;
}

std::optional<double> time_in_file(const std::string& path) {
  std::string beginning(1000, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(beginning.data(), static_cast<std::streamsize>(beginning.size()));
  beginning.resize(static_cast<std::size_t>(file.gcount()));
  return time_in_poly_data(beginning);
}

} // namespace

struct ParaviewSeries::OpenFrame {
  FrameHead head;
  PolyDataFile bodies, particles, contacts, joints;
  std::int32_t points = 0, spheres = 0, contact_count = 0;

  OpenFrame(FrameHead of_frame, const std::string& folder)
      : head(std::move(of_frame)), bodies(folder), particles(folder), contacts(folder),
        joints(folder) {
    for (PolyDataFile* file : {&bodies, &particles, &contacts, &joints}) file->set_time(head.time);
    // Arrays without entries are in the files too.
    add_surfaces({}, {}, bodies, points);
    add_spheres({}, {}, particles, spheres);
    add_contact_points({}, {}, head.h, contacts, contact_count);
    add_joints(head, joints);
  }
};

ParaviewSeries::ParaviewSeries(const std::string& folder, bool has_particles, bool has_joints,
                               const std::optional<KeptFrames>& kept)
    : folder_(folder), has_particles_(has_particles), has_joints_(has_joints) {
  make_folder(folder);
  std::error_code ignored;
  if (!has_joints_) fs::remove(folder + "/joints.pvd", ignored);
  remove_all_but(kept);
  if (kept) list_earlier(*kept);
  write_index();
}

ParaviewSeries::ParaviewSeries(const std::string& folder, const Scene& scene, const World& world,
                               const std::optional<KeptFrames>& kept)
    : ParaviewSeries(folder, !spheres_of(world.bodies()).empty(), !world.joints().empty(), kept) {
  looks_ = {surface_of(world.bodies(), 4 * scene.reach, false), spheres_of(world.bodies())};
}

ParaviewSeries::~ParaviewSeries() = default;

void ParaviewSeries::remove_all_but(const std::optional<KeptFrames>& kept) const {
  std::vector<fs::path> superseded;
  for (const auto& entry : fs::directory_iterator(folder_)) {
    const std::string name = entry.path().filename().string();
    const std::int64_t step = step_in_name(name);
    if (is_left_unfinished(name) || (step >= 0 && !(kept && kept->keeps(step))))
      superseded.push_back(entry.path());
  }
  std::error_code ignored;
  for (const fs::path& path : superseded) fs::remove(path, ignored);
}

/// A killed run wrote frames after its last index. They are listed by the time in their files; the
/// index is asked for those of older versions, which hold none.
void ParaviewSeries::list_earlier(const KeptFrames& kept) {
  std::set<std::int64_t> steps;
  for (const auto& entry : fs::directory_iterator(folder_)) {
    const std::int64_t step = step_in_name(entry.path().filename().string());
    if (step >= 0 && kept.keeps(step)) steps.insert(step);
  }
  const std::map<std::int64_t, double> listed = times_in_index(folder_ + "/bodies.pvd");
  for (const std::int64_t step : steps) {
    if (!fs::exists(path_of("bodies", step)) || !fs::exists(path_of("contacts", step))) continue;
    if (has_joints_ && !fs::exists(path_of("joints", step))) continue;
    std::optional<double> time = time_in_file(path_of("bodies", step));
    if (const auto found = listed.find(step); !time && found != listed.end()) time = found->second;
    if (time) frames_.push_back({step, *time, fs::exists(path_of("particles", step))});
  }
}

std::string ParaviewSeries::path_of(const std::string& series, std::int64_t step) const {
  return folder_ + "/" + file_name(series, step);
}

std::string ParaviewSeries::file_name(const std::string& series, std::int64_t step) const {
  return fmt::format("{}_{:06}.vtp", series, step);
}

std::vector<const char*> ParaviewSeries::series() const {
  std::vector<const char*> names = {"bodies", "contacts"};
  if (has_particles_) names.push_back("particles");
  if (has_joints_) names.push_back("joints");
  return names;
}

void ParaviewSeries::add(const FrameView& frame) {
  begin_frame(frame.head());
  add_contacts(frame.contacts, frame.impulses);
  add_bodies(frame.bodies(), looks_);
  end_frame();
}

void ParaviewSeries::begin_frame(const FrameHead& head) {
  open_ = std::make_unique<OpenFrame>(head, folder_);
}

void ParaviewSeries::add_contacts(std::span<const ContactPoint> contacts,
                                  std::span<const Vec3> impulses) {
  add_contact_points(contacts, impulses, open_->head.h, open_->contacts, open_->contact_count);
}

void ParaviewSeries::add_bodies(const FramePiece& piece, const BodyLooks& looks) {
  add_surfaces(looks.surface, piece, open_->bodies, open_->points);
  add_spheres(looks.particles, piece, open_->particles, open_->spheres);
}

void ParaviewSeries::end_frame() {
  const std::unique_ptr<OpenFrame> frame = std::move(open_);
  const std::int64_t step = frame->head.step;
  const auto write = [&](const char* series, PolyDataFile& data) {
    write_whole(path_of(series, step), [&](std::ostream& file) { data.write(file); });
  };
  write("bodies", frame->bodies);
  if (has_particles_) write("particles", frame->particles);
  if (has_joints_) write("joints", frame->joints);
  write("contacts", frame->contacts);
  frames_.push_back({step, frame->head.time, true});
  if (seconds_now() - index_written_at_ > 1) write_index();
}

void ParaviewSeries::write_index() {
  for (const std::string series : series()) {
    std::string text = "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" "
                       "byte_order=\"LittleEndian\">\n<Collection>\n";
    for (const Frame& frame : frames_)
      if (frame.has_particles || series != "particles")
        text += fmt::format("<DataSet timestep=\"{}\" part=\"0\" file=\"{}\"/>\n", frame.time,
                            file_name(series, frame.step));
    write_whole(fmt::format("{}/{}.pvd", folder_, series),
                [&](std::ostream& file) { file << text << "</Collection>\n</VTKFile>\n"; });
  }
  index_written_at_ = seconds_now();
}

} // namespace talus
