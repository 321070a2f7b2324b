#include "peer.h"

#ifdef TALUS_HAS_MUJOCO
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <mujoco/mujoco.h>
#include <stdexcept>
#endif

namespace talus::peers {

#ifdef TALUS_HAS_MUJOCO
namespace {

std::string text(const Vec3& v) {
  return fmt::format("{:.17g} {:.17g} {:.17g}", v.x, v.y, v.z);
}

std::string geometry(const PeerBody& b, double friction) {
  std::string size = fmt::format("type='sphere' size='{:.17g}'", b.radius);
  if (b.is_box()) size = fmt::format("type='box' size='{}'", text(b.half));
  if (b.is_octahedron) size = "type='mesh' mesh='octahedron'";
  if (b.is_capsule())
    size = fmt::format("type='capsule' size='{:.17g} {:.17g}'", b.radius, b.half_length);
  return fmt::format("<geom {} mass='{:.17g}' condim='3' friction='{} 0 0'/>", size, b.mass,
                     friction);
}

/// One mesh for all octahedra of a scene, which have one size.
std::string mesh_of(const PeerScene& scene) {
  for (const PeerBody& b : scene.bodies) {
    if (!b.is_octahedron) continue;
    std::string vertices;
    for (const Vec3& corner : corners(b)) vertices += text(corner) + " ";
    return fmt::format("<asset><mesh name='octahedron' vertex='{}'/></asset>", vertices);
  }
  return "";
}

std::string joints_of(const PeerScene& scene) {
  std::string joints, excluded;
  const auto name = [](Index body) {
    return body < 0 ? std::string("world") : fmt::format("b{}", body);
  };
  for (const PeerJoint& j : scene.joints) {
    // The anchor is given in the frame of the first body.
    const PeerBody& b = scene.bodies[j.b];
    const Vec3 anchor = rotate(conjugate(b.rotation), j.point - b.position);
    joints += fmt::format("<connect body1='{}' body2='{}' anchor='{}'/>", name(j.b), name(j.a),
                          text(anchor));
    if (j.a >= 0) excluded += fmt::format("<exclude body1='{}' body2='{}'/>", name(j.a), name(j.b));
  }
  return joints.empty()
             ? ""
             : fmt::format("<equality>{}</equality><contact>{}</contact>", joints, excluded);
}

/// The scene in MuJoCo's language. Planes are MuJoCo's infinite ones, turned to their normal.
std::string model_of(const PeerScene& scene, double step, const char* solver) {
  const std::size_t bodies = scene.bodies.size();
  // Boxes touch in many points; for packings of spheres four contacts per body are enough, and more
  // would not fit into the 2 GiB that MuJoCo can address.
  const std::size_t rows = std::max(12 * bodies, std::min<std::size_t>(60 * bodies + 60, 6000));
  std::string xml =
      fmt::format("<mujoco><option timestep='{:.17g}' gravity='{}' solver='{}' cone='elliptic' "
                  "jacobian='sparse'/><size nconmax='{}' njmax='{}' nstack='{}'/>{}<worldbody>",
                  step, text(scene.gravity), solver, rows / 3, rows,
                  std::size_t{20'000'000} + 45 * bodies * bodies, mesh_of(scene));
  for (const PeerPlane& plane : scene.planes)
    xml += fmt::format("<geom type='plane' size='0 0 1' pos='{}' zaxis='{}' condim='3' "
                       "friction='{} 0 0'/>",
                       text(plane.offset * plane.normal), text(plane.normal), scene.friction);
  const auto pose = [](const PeerBody& b) {
    return fmt::format("pos='{}' quat='{:.17g} {}'", text(b.position), b.rotation.w,
                       text({b.rotation.x, b.rotation.y, b.rotation.z}));
  };
  for (const PeerBody& b : scene.obstacles)
    xml += fmt::format("<body {}>{}</body>", pose(b), geometry(b, scene.friction));
  for (std::size_t i = 0; i < bodies; ++i)
    xml += fmt::format("<body name='b{}' {}><freejoint/>{}</body>", i, pose(scene.bodies[i]),
                       geometry(scene.bodies[i], scene.friction));
  return xml + "</worldbody>" + joints_of(scene) + "</mujoco>";
}

class MujocoPeer : public Peer {
public:
  MujocoPeer(const PeerScene& scene, double step, const char* solver) {
    const std::string xml = model_of(scene, step, solver);
    auto files = std::make_unique<mjVFS>();
    mj_defaultVFS(files.get());
    const char* name = "scene.xml";
    mj_makeEmptyFileVFS(files.get(), name, static_cast<int>(xml.size()));
    std::memcpy(files->filedata[mj_findFileVFS(files.get(), name)], xml.data(), xml.size());
    char message[500] = "";
    model_ = mj_loadXML(name, files.get(), message, sizeof message);
    mj_deleteVFS(files.get());
    if (!model_) throw std::runtime_error(std::string("MuJoCo: ") + message);
    data_ = mj_makeData(model_);
    for (std::size_t i = 0; i < scene.bodies.size(); ++i)
      for (int k = 0; k < 3; ++k) data_->qvel[6 * i + k] = scene.bodies[i].velocity[k];
  }
  ~MujocoPeer() override {
    mj_deleteData(data_);
    mj_deleteModel(model_);
  }
  MujocoPeer(const MujocoPeer&) = delete;
  MujocoPeer& operator=(const MujocoPeer&) = delete;

  void step() override { mj_step(model_, data_); }
  void set_gravity(const Vec3& gravity) override {
    for (int k = 0; k < 3; ++k) model_->opt.gravity[k] = gravity[k];
  }
  Vec3 position(Index body) const override {
    const mjtNum* q = data_->qpos + 7 * body;
    return {q[0], q[1], q[2]};
  }
  Quaternion rotation(Index body) const override {
    const mjtNum* q = data_->qpos + 7 * body;
    return {q[3], q[4], q[5], q[6]};
  }
  Vec3 velocity(Index body) const override {
    const mjtNum* v = data_->qvel + 6 * body;
    return {v[0], v[1], v[2]};
  }

private:
  mjModel* model_ = nullptr;
  mjData* data_ = nullptr;
};

} // namespace

std::vector<Contender> mujoco_contenders() {
  // It reserves a dense Jacobian, rows times degrees of freedom, even for its sparse solvers, and
  // Newton factorises densely: minutes for a step of 500 bodies.
  const auto contender = [](const char* solver, std::string setting, Index most_bodies) {
    return Contender{"mujoco", std::move(setting), most_bodies,
                     [=](const PeerScene& scene, double step) -> std::unique_ptr<Peer> {
                       return std::make_unique<MujocoPeer>(scene, step, solver);
                     }};
  };
  return {contender("Newton", "Newton (default)", 300), contender("CG", "CG", 1100)};
}
#else
std::vector<Contender> mujoco_contenders() {
  return {};
}
#endif

} // namespace talus::peers
