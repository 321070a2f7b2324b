#include "peer.h"

#ifdef TALUS_HAS_ODE
#include <fmt/format.h>

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
    for (const PeerBody& b : scene.bodies) add(b);
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

  void add(const PeerBody& b) {
    const dBodyID body = dBodyCreate(world_);
    dMass mass;
    dGeomID shape;
    if (b.is_box()) {
      dMassSetBoxTotal(&mass, b.mass, 2 * b.half.x, 2 * b.half.y, 2 * b.half.z);
      shape = dCreateBox(space_, 2 * b.half.x, 2 * b.half.y, 2 * b.half.z);
    } else if (b.is_capsule()) {
      dMassSetCapsuleTotal(&mass, b.mass, 3, b.radius, 2 * b.half_length);
      shape = dCreateCapsule(space_, b.radius, 2 * b.half_length);
    } else {
      dMassSetSphereTotal(&mass, b.mass, b.radius);
      shape = dCreateSphere(space_, b.radius);
    }
    dBodySetMass(body, &mass);
    dGeomSetBody(shape, body);
    dBodySetPosition(body, b.position.x, b.position.y, b.position.z);
    const dQuaternion q = {b.rotation.w, b.rotation.x, b.rotation.y, b.rotation.z};
    dBodySetQuaternion(body, q);
    dBodySetLinearVel(body, b.velocity.x, b.velocity.y, b.velocity.z);
    bodies_.push_back(body);
  }

  void touch(dGeomID a, dGeomID b) {
    constexpr int most = 8;
    dContact contact[most] = {};
    const int count = dCollide(a, b, most, &contact[0].geom, sizeof(dContact));
    for (int i = 0; i < count; ++i) {
      // The friction pyramid whose bounds follow the normal force.
      contact[i].surface.mode = dContactApprox1;
      contact[i].surface.mu = friction_;
      dJointAttach(dJointCreateContact(world_, contacts_, &contact[i]), dGeomGetBody(a),
                   dGeomGetBody(b));
    }
  }

  double step_, friction_;
  bool exact_;
  dWorldID world_;
  dSpaceID space_;
  dJointGroupID contacts_;
  std::vector<dBodyID> bodies_;
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
