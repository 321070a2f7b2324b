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
void write_whole(const std::string& path, const std::string& content) {
  const std::string temporary = path + unfinished;
  std::ofstream file(temporary, std::ios::binary);
  file.write(content.data(), static_cast<std::streamsize>(content.size()));
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

/// Of removed bodies all points fall into one: nothing is seen of them.
std::string bodies_file(const WorldSurface& surface, const FrameView& frame) {
  const SurfaceMesh& mesh = surface.mesh;
  std::vector<float> points, velocities, forces;
  for (std::size_t i = 0; i < mesh.points.size(); ++i) {
    const BodyState& state = frame.states[surface.body[i]];
    const Vec3 arm =
        frame.lacks(surface.body[i]) ? Vec3{} : rotate(state.pose.rotation, mesh.points[i]);
    put(points, state.pose.position + arm);
    put(velocities, state.velocity + cross(state.angular_velocity, arm));
    put(forces, frame.forces[static_cast<std::size_t>(surface.body[i])].force);
  }
  std::vector<std::int32_t> corners;
  for (const Triangle& t : mesh.triangles) corners.insert(corners.end(), t.begin(), t.end());
  PolyDataFile file(mesh.points.size(), 0, mesh.triangles.size());
  file.set_time(frame.time);
  file.add_point_data("velocity", velocities, 3);
  file.add_point_data("contact_force", forces, 3);
  file.add_point_data("body", std::span<const std::int32_t>(surface.body), 1);
  file.set_points(points);
  file.set_triangles(corners);
  return file.text();
}

/// Removed ones have no size.
std::string particles_file(std::span<const Particle> particles, const FrameView& frame) {
  std::vector<float> points, velocities, forces, radii;
  std::vector<std::int32_t> bodies, corners;
  for (const Particle& particle : particles) {
    const BodyState& state = frame.states[particle.body];
    const Vec3 arm = rotate(state.pose.rotation, particle.centre);
    put(points, state.pose.position + arm);
    put(velocities, state.velocity + cross(state.angular_velocity, arm));
    put(forces, frame.forces[static_cast<std::size_t>(particle.body)].force);
    radii.push_back(frame.lacks(particle.body) ? 0.0F : static_cast<float>(particle.radius));
    corners.push_back(static_cast<std::int32_t>(bodies.size()));
    bodies.push_back(particle.body);
  }
  PolyDataFile file(particles.size(), particles.size(), 0);
  file.set_time(frame.time);
  file.add_point_data("radius", radii, 1);
  file.add_point_data("velocity", velocities, 3);
  file.add_point_data("contact_force", forces, 3);
  file.add_point_data("body", bodies, 1);
  file.set_points(points);
  file.set_vertices(corners);
  return file.text();
}

std::string contacts_file(const FrameView& frame) {
  const auto contacts = frame.contacts;
  std::vector<float> points, forces, normals, gaps;
  std::vector<std::int32_t> bodies, corners;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const ContactPoint& contact = contacts[i];
    put(points, contact.point);
    put(forces, frame.impulses[i] / frame.h);
    put(normals, contact.normal);
    gaps.push_back(static_cast<float>(contact.gap));
    bodies.insert(bodies.end(), {contact.body_a, contact.body_b});
    corners.push_back(static_cast<std::int32_t>(i));
  }
  PolyDataFile file(contacts.size(), contacts.size(), 0);
  file.set_time(frame.time);
  file.add_point_data("force", forces, 3);
  file.add_point_data("normal", normals, 3);
  file.add_point_data("gap", gaps, 1);
  file.add_point_data("bodies", bodies, 2);
  file.set_points(points);
  file.set_vertices(corners);
  return file.text();
}

/// A point at the origin of every joint on its second body, with force and torque on that body in
/// world axes.
std::string joints_file(const FrameView& frame) {
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
  PolyDataFile file(numbers.size(), numbers.size(), 0);
  file.set_time(frame.time);
  file.add_point_data("force", forces, 3);
  file.add_point_data("torque", torques, 3);
  file.add_point_data("position", positions, 1);
  file.add_point_data("motor_effort", efforts, 1);
  file.add_point_data("joint", numbers, 1);
  file.set_points(points);
  file.set_vertices(numbers);
  return file.text();
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

ParaviewSeries::ParaviewSeries(const std::string& folder, const Scene& scene, const World& world,
                               const std::optional<KeptFrames>& kept)
    : folder_(folder), surface_(surface_of(world.bodies(), 4 * scene.reach, false)),
      particles_(spheres_of(world.bodies())), has_joints_(!world.joints().empty()) {
  make_folder(folder);
  std::error_code ignored;
  if (!has_joints_) fs::remove(folder + "/joints.pvd", ignored);
  remove_all_but(kept);
  if (kept) list_earlier(*kept);
  write_index();
}

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
  if (!particles_.empty()) names.push_back("particles");
  if (has_joints_) names.push_back("joints");
  return names;
}

void ParaviewSeries::add(const FrameView& frame) {
  const std::int64_t step = frame.step;
  write_whole(path_of("bodies", step), bodies_file(surface_, frame));
  if (!particles_.empty())
    write_whole(path_of("particles", step), particles_file(particles_, frame));
  if (has_joints_) write_whole(path_of("joints", step), joints_file(frame));
  write_whole(path_of("contacts", step), contacts_file(frame));
  frames_.push_back({step, frame.time, true});
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
    write_whole(fmt::format("{}/{}.pvd", folder_, series), text + "</Collection>\n</VTKFile>\n");
  }
  index_written_at_ = seconds_now();
}

} // namespace talus
