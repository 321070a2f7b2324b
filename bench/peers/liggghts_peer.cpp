// LIGGGHTS (Debian package liggghts), a discrete element program with explicit steps, as a process
// of its own that is told its commands through a pipe. Spheres between planes that are at right
// angles to the axes.
//
// Contacts follow Hertz' law with E = 1e8 Pa, ν = 0.3, a restitution of 0.1 (it cannot be 0) and
// Mindlin's shear with memory. Steps of 20 µs or a little less, so that a step of the race is a
// whole number of them; Rayleigh's time of such spheres is 1.2 ms.

#include "peer.h"
#include "processor_time.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <numbers>
#include <pty.h>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

namespace talus::peers {
namespace {

constexpr double longest_step = 20e-6; // s

/// The program in a search path, or nothing.
std::string find_program(const std::string& name) {
  const char* variable = std::getenv("PATH");
  std::string_view path = variable ? variable : "";
  while (!path.empty()) {
    const std::size_t end = path.find(':');
    const std::string file = fmt::format("{}/{}", path.substr(0, end), name);
    if (access(file.c_str(), X_OK) == 0) return file;
    path.remove_prefix(end == std::string_view::npos ? path.size() : end + 1);
  }
  return {};
}

/// A folder that goes away with its owner.
struct ScratchFolder {
  ScratchFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "talus-race-XXXXXX").string();
    if (!mkdtemp(pattern.data())) throw std::runtime_error("no folder for temporary files");
    path = pattern;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  std::filesystem::path path;
};

/// A running program that is told lines and answers with lines.
class Dialogue {
public:
  Dialogue(const std::string& program, const std::filesystem::path& folder) {
    std::array<int, 2> to{};
    int answers = 0, screen = 0;
    // A program holds its lines back unless it writes to a terminal.
    if (pipe(to.data()) != 0 || openpty(&answers, &screen, nullptr, nullptr, nullptr) != 0)
      throw std::runtime_error("no pipe");
    process_ = fork();
    if (process_ < 0) throw std::runtime_error("no process");
    if (process_ == 0) {
      dup2(to[0], STDIN_FILENO);
      dup2(screen, STDOUT_FILENO);
      for (int end : {to[0], to[1], answers, screen}) close(end);
      if (chdir(folder.c_str()) == 0)
        execl(program.c_str(), program.c_str(), "-log", "none", "-echo", "none", nullptr);
      _exit(127);
    }
    close(to[0]);
    close(screen);
    std::signal(SIGPIPE, SIG_IGN); // a program that has ended is noticed when it does not answer
    to_ = fdopen(to[1], "w");
    from_ = fdopen(answers, "r");
  }
  ~Dialogue() {
    std::fclose(to_);
    std::fclose(from_);
    waitpid(process_, nullptr, 0);
  }
  Dialogue(const Dialogue&) = delete;
  Dialogue& operator=(const Dialogue&) = delete;

  /// Says something and waits until it is done.
  void say(const std::string& commands) {
    const std::string mark = fmt::format("done {}", ++said_);
    std::fputs(fmt::format("{}\nprint \"{}\"\n", commands, mark).c_str(), to_);
    std::fflush(to_);
    std::array<char, 4096> line{};
    std::string last;
    while (std::fgets(line.data(), line.size(), from_)) {
      const std::string_view text = line.data();
      if (text.starts_with(mark)) return;
      if (text.find("ERROR") != std::string_view::npos) last = text;
    }
    throw std::runtime_error(fmt::format("liggghts has ended: {}", last));
  }

  /// Processor time of the program.
  double seconds() const {
    clockid_t clock{};
    return clock_getcpuclockid(process_, &clock) == 0 ? seconds_of(clock) : 0;
  }

private:
  pid_t process_ = 0;
  std::FILE *to_ = nullptr, *from_ = nullptr;
  long said_ = 0;
};

/// Of the plane's normal; -1 if it is along no axis.
int axis_of(const PeerPlane& plane) {
  for (int i = 0; i < 3; ++i)
    if (std::abs(plane.normal[i]) == 1) return i;
  return -1;
}

class LiggghtsPeer : public Peer {
public:
  LiggghtsPeer(const std::string& program, const PeerScene& scene, double step)
      : substeps_(static_cast<long>(std::ceil(step / longest_step))),
        dialogue_(program, folder_.path), positions_(scene.bodies.size()),
        velocities_(scene.bodies.size()) {
    write_bodies(scene);
    dialogue_.say(setup(scene, step / static_cast<double>(substeps_)));
  }

  void step() override {
    dialogue_.say(fmt::format("run {}{}", substeps_, stepped_ ? " pre no post no" : " post no"));
    stepped_ = true;
    is_known_ = false;
  }
  void set_gravity(const Vec3&) override { throw std::logic_error("gravity is constant here"); }
  Vec3 position(Index body) const override {
    read_state();
    return positions_[static_cast<std::size_t>(body)];
  }
  Quaternion rotation(Index) const override { return {}; }
  Vec3 velocity(Index body) const override {
    read_state();
    return velocities_[static_cast<std::size_t>(body)];
  }
  double seconds_elsewhere() const override { return dialogue_.seconds(); }

private:
  void write_bodies(const PeerScene& scene) const {
    constexpr double margin = 1; // m; the box grows with its spheres
    Vec3 low = scene.bodies.front().position, high = low;
    for (const PeerBody& b : scene.bodies)
      for (int i = 0; i < 3; ++i) {
        low[i] = std::min(low[i], b.position[i] - b.radius - margin);
        high[i] = std::max(high[i], b.position[i] + b.radius + margin);
      }
    std::string text = fmt::format("spheres\n\n{} atoms\n\n1 atom types\n\n", scene.bodies.size());
    for (int i = 0; i < 3; ++i)
      text += fmt::format("{0} {1} {2}lo {2}hi\n", low[i], high[i], "xyz"[i]);
    text += "\nAtoms\n\n";
    for (std::size_t k = 0; k < scene.bodies.size(); ++k) {
      const PeerBody& b = scene.bodies[k];
      const double volume = 4.0 / 3.0 * std::numbers::pi * b.radius * b.radius * b.radius;
      text += fmt::format("{} 1 {} {} {} {} {}\n", k + 1, 2 * b.radius, b.mass / volume,
                          b.position.x, b.position.y, b.position.z);
    }
    text += "\nVelocities\n\n";
    for (std::size_t k = 0; k < scene.bodies.size(); ++k) {
      const Vec3& v = scene.bodies[k].velocity;
      text += fmt::format("{} {} {} {} 0 0 0\n", k + 1, v.x, v.y, v.z);
    }
    std::ofstream(folder_.path / "bodies") << text;
  }

  static std::string setup(const PeerScene& scene, double step) {
    const double g = norm(scene.gravity);
    std::string text = "atom_style granular\natom_modify map array\nboundary m m m\nnewton off\n"
                       "communicate single vel yes\nunits si\nread_data bodies\n"
                       "neighbor 0.02 bin\nneigh_modify delay 0\n";
    for (const char* property : {"youngsModulus peratomtype 1e8", "poissonsRatio peratomtype 0.3",
                                 "coefficientRestitution peratomtypepair 1 0.1"})
      text += fmt::format("fix {0:.6} all property/global {0}\n", property);
    text += fmt::format("fix friction all property/global coefficientFriction peratomtypepair 1 {}"
                        "\npair_style gran model hertz tangential history\npair_coeff * *\n"
                        "timestep {}\nfix weight all gravity {} vector {} {} {}\n",
                        scene.friction, step, g, scene.gravity.x / g, scene.gravity.y / g,
                        scene.gravity.z / g);
    int number = 0;
    for (const PeerPlane& plane : scene.planes) {
      const int axis = axis_of(plane);
      text += fmt::format("fix wall{} all wall/gran model hertz tangential history primitive type "
                          "1 {}plane {}\n",
                          number++, "xyz"[axis], plane.offset / plane.normal[axis]);
    }
    return text + "fix motion all nve/sphere\nthermo_style custom step\nthermo 1000000000\n";
  }

  void read_state() const {
    if (is_known_) return;
    dialogue_.say("write_dump all custom state id x y z vx vy vz modify format \"%d %.17g %.17g "
                  "%.17g %.17g %.17g %.17g\"");
    std::ifstream file(folder_.path / "state");
    constexpr auto all = std::numeric_limits<std::streamsize>::max();
    for (int line = 0; line < 9; ++line) file.ignore(all, '\n');
    std::size_t id = 0, read = 0;
    Vec3 x, v;
    while (file >> id >> x.x >> x.y >> x.z >> v.x >> v.y >> v.z) {
      positions_.at(id - 1) = x;
      velocities_.at(id - 1) = v;
      ++read;
    }
    if (read != positions_.size()) throw std::runtime_error("liggghts has lost spheres");
    is_known_ = true;
  }

  ScratchFolder folder_;
  long substeps_;
  mutable Dialogue dialogue_;
  bool stepped_ = false;
  mutable bool is_known_ = false;
  mutable std::vector<Vec3> positions_, velocities_;
};

} // namespace

bool has_spheres_only(const PeerScene& scene) {
  return scene.obstacles.empty() && scene.joints.empty() &&
         std::ranges::all_of(scene.bodies,
                             [](const PeerBody& b) { return b.radius > 0 && !b.is_capsule(); }) &&
         std::ranges::all_of(scene.planes, [](const PeerPlane& p) { return axis_of(p) >= 0; });
}

std::vector<Contender> liggghts_contenders() {
  const std::string program = find_program("liggghts");
  if (program.empty()) return {};
  return {{"liggghts", "E = 1e8 Pa, 20 µs", 200'000,
           [=](const PeerScene& scene, double step) -> std::unique_ptr<Peer> {
             return std::make_unique<LiggghtsPeer>(program, scene, step);
           },
           /*spheres_only=*/true}};
}

} // namespace talus::peers
