#include "peer.h"

#ifdef TALUS_HAS_ODE
#include <fmt/format.h>

#include <array>
#include <mutex>
#include <ode/ode.h>
#endif

namespace talus::peers {

#ifdef TALUS_HAS_ODE
namespace {

class OdePeer : public Peer {
public:
  /// `iterations` of QuickStep, or 0 for the exact solver.
  OdePeer(const PeerScene& scene, double step, int iterations)
      : step_(step), friction_(scene.friction), exact_(iterations == 0) {
    static std::once_flag once;
    std::call_once(once, [] { dInitODE2(0); });
    world_ = dWorldCreate();
    space_ = dHashSpaceCreate(nullptr);
    contacts_ = dJointGroupCreate(0);
    dWorldSetGravity(world_, scene.gravity.x, scene.gravity.y, scene.gravity.z);
    if (!exact_) dWorldSetQuickStepNumIterations(world_, iterations);
    for (const PeerPlane& plane : scene.planes)
      dCreatePlane(space_, plane.normal.x, plane.normal.y, plane.normal.z, plane.offset);
    for (const PeerBody& b : scene.obstacles) place(make_shape(b), b);
    octahedra_.reserve(scene.bodies.size());
    for (const PeerBody& b : scene.bodies) add(b);
    for (const PeerJoint& j : scene.joints) {
      const dJointID joint = dJointCreateBall(world_, nullptr);
      dJointAttach(joint, j.a < 0 ? nullptr : bodies_[j.a], bodies_[j.b]);
      dJointSetBallAnchor(joint, j.point.x, j.point.y, j.point.z);
    }
  }
  ~OdePeer() override {
    dJointGroupDestroy(contacts_);
    dSpaceDestroy(space_);
    dWorldDestroy(world_);
  }
  OdePeer(const OdePeer&) = delete;
  OdePeer& operator=(const OdePeer&) = delete;

  void step() override {
    dJointGroupEmpty(contacts_);
    dSpaceCollide(space_, this, [](void* self, dGeomID a, dGeomID b) {
      static_cast<OdePeer*>(self)->touch(a, b);
    });
    if (exact_)
      dWorldStep(world_, step_);
    else
      dWorldQuickStep(world_, step_);
  }
  void set_gravity(const Vec3& gravity) override {
    dWorldSetGravity(world_, gravity.x, gravity.y, gravity.z);
  }
  Vec3 position(Index body) const override { return vector(dBodyGetPosition(bodies_[body])); }
  Quaternion rotation(Index body) const override {
    const dReal* q = dBodyGetQuaternion(bodies_[body]);
    return {q[0], q[1], q[2], q[3]};
  }
  Vec3 velocity(Index body) const override { return vector(dBodyGetLinearVel(bodies_[body])); }

private:
  static Vec3 vector(const dReal* v) { return {v[0], v[1], v[2]}; }

  /// What ODE keeps pointers to: faces (normal and offset), corners, and corners of each face.
  struct Octahedron {
    std::array<dReal, 4 * 8> planes;
    std::array<dReal, 3 * 6> points;
    std::array<unsigned, 4 * 8> faces;
  };

  dGeomID make_octahedron(const PeerBody& b) {
    Octahedron& o = octahedra_.emplace_back();
    const std::vector<Vec3> ends = corners(b);
    for (std::size_t i = 0; i < 6; ++i)
      for (int k = 0; k < 3; ++k) o.points[3 * i + k] = ends[i][k];
    for (unsigned face = 0; face < 8; ++face) {
      const unsigned x = face & 1, y = face >> 1 & 1, z = face >> 2 & 1;
      const Vec3 normal = normalized(
          Vec3{(x ? -1 : 1) / b.half.x, (y ? -1 : 1) / b.half.y, (z ? -1 : 1) / b.half.z});
      for (int k = 0; k < 3; ++k) o.planes[4 * face + k] = normal[k];
      o.planes[4 * face + 3] = dot(normal, ends[x]);
      // Counter-clockwise from outside: every reflection turns the order round.
      const bool turned = (x + y + z) % 2 == 1;
      o.faces[4 * face] = 3;
      o.faces[4 * face + 1] = x;
      o.faces[4 * face + 2] = turned ? 4 + z : 2 + y;
      o.faces[4 * face + 3] = turned ? 2 + y : 4 + z;
    }
    return dCreateConvex(space_, o.planes.data(), 8, o.points.data(), 6, o.faces.data());
  }
  dGeomID make_shape(const PeerBody& b) {
    if (b.is_octahedron) return make_octahedron(b);
    if (b.is_box()) return dCreateBox(space_, 2 * b.half.x, 2 * b.half.y, 2 * b.half.z);
    if (b.is_capsule()) return dCreateCapsule(space_, b.radius, 2 * b.half_length);
    return dCreateSphere(space_, b.radius);
  }
  static dMass mass_of(const PeerBody& b) {
    dMass mass;
    if (b.is_octahedron) {
      const Vec3 m = moments(b);
      dMassSetParameters(&mass, b.mass, 0, 0, 0, m.x, m.y, m.z, 0, 0, 0);
    } else if (b.is_box()) {
      dMassSetBoxTotal(&mass, b.mass, 2 * b.half.x, 2 * b.half.y, 2 * b.half.z);
    } else if (b.is_capsule()) {
      dMassSetCapsuleTotal(&mass, b.mass, 3, b.radius, 2 * b.half_length);
    } else {
      dMassSetSphereTotal(&mass, b.mass, b.radius);
    }
    return mass;
  }
  static void place(dGeomID shape, const PeerBody& b) {
    dGeomSetPosition(shape, b.position.x, b.position.y, b.position.z);
    const dQuaternion q = {b.rotation.w, b.rotation.x, b.rotation.y, b.rotation.z};
    dGeomSetQuaternion(shape, q);
  }
  void add(const PeerBody& b) {
    const dBodyID body = dBodyCreate(world_);
    const dMass mass = mass_of(b);
    const dGeomID shape = make_shape(b);
    dBodySetMass(body, &mass);
    dGeomSetBody(shape, body);
    dBodySetPosition(body, b.position.x, b.position.y, b.position.z);
    const dQuaternion q = {b.rotation.w, b.rotation.x, b.rotation.y, b.rotation.z};
    dBodySetQuaternion(body, q);
    dBodySetLinearVel(body, b.velocity.x, b.velocity.y, b.velocity.z);
    bodies_.push_back(body);
  }

  void touch(dGeomID a, dGeomID b) {
    const dBodyID body_a = dGeomGetBody(a), body_b = dGeomGetBody(b);
    if (!body_a && !body_b) return;
    if (body_a && body_b && dAreConnectedExcluding(body_a, body_b, dJointTypeContact)) return;
    constexpr int most = 8;
    dContact contact[most] = {};
    const int count = dCollide(a, b, most, &contact[0].geom, sizeof(dContact));
    for (int i = 0; i < count; ++i) {
      // The friction pyramid whose bounds follow the normal force.
      contact[i].surface.mode = dContactApprox1;
      contact[i].surface.mu = friction_;
      dJointAttach(dJointCreateContact(world_, contacts_, &contact[i]), body_a, body_b);
    }
  }

  double step_, friction_;
  bool exact_;
  dWorldID world_;
  dSpaceID space_;
  dJointGroupID contacts_;
  std::vector<dBodyID> bodies_;
  std::vector<Octahedron> octahedra_; ///< Reserved: they must not move.
};

} // namespace

std::vector<Contender> ode_contenders() {
  const auto contender = [](std::string setting, int iterations, Index most) {
    return Contender{"ode", std::move(setting), most,
                     [=](const PeerScene& scene, double step) -> std::unique_ptr<Peer> {
                       return std::make_unique<OdePeer>(scene, step, iterations);
                     }};
  };
  return {contender("quick 20 (default)", 20, 20000), contender("quick 100", 100, 20000),
          contender("exact", 0, 60)};
}
#else
std::vector<Contender> ode_contenders() {
  return {};
}
#endif

} // namespace talus::peers
