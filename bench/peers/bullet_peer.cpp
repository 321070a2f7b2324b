#include "peer.h"

#ifdef TALUS_HAS_BULLET
#include <fmt/format.h>

#include <btBulletDynamicsCommon.h>
#endif

namespace talus::peers {

#ifdef TALUS_HAS_BULLET
namespace {

btVector3 to_bullet(const Vec3& v) {
  return {static_cast<btScalar>(v.x), static_cast<btScalar>(v.y), static_cast<btScalar>(v.z)};
}
Vec3 from_bullet(const btVector3& v) {
  return {v.x(), v.y(), v.z()};
}

class BulletPeer : public Peer {
public:
  BulletPeer(const PeerScene& scene, double step, int iterations)
      : step_(step), dispatcher_(&configuration_),
        world_(&dispatcher_, &broad_phase_, &solver_, &configuration_) {
    world_.setGravity(to_bullet(scene.gravity));
    world_.getSolverInfo().m_numIterations = iterations;
    for (const PeerPlane& plane : scene.planes)
      add(std::make_unique<btStaticPlaneShape>(to_bullet(plane.normal),
                                               static_cast<btScalar>(plane.offset)),
          0, btTransform::getIdentity(), scene.friction);
    for (const PeerBody& b : scene.obstacles) add(shape_of(b), 0, pose_of(b), scene.friction);
    fixed_ = static_cast<Index>(bodies_.size());
    for (const PeerBody& b : scene.bodies) {
      add(shape_of(b), b.mass, pose_of(b), scene.friction);
      bodies_.back()->setLinearVelocity(to_bullet(b.velocity));
      if (!b.is_octahedron) continue;
      bodies_.back()->setMassProps(static_cast<btScalar>(b.mass), to_bullet(moments(b)));
      bodies_.back()->updateInertiaTensor();
    }
    for (const PeerJoint& j : scene.joints) join(j);
  }
  /// Pairs first: Bullet searches all of them for every body that it removes.
  ~BulletPeer() override {
    btOverlappingPairCache* cache = world_.getPairCache();
    const auto& pairs = cache->getOverlappingPairArray();
    while (pairs.size() > 0) {
      const btBroadphasePair& last = pairs[pairs.size() - 1];
      cache->removeOverlappingPair(last.m_pProxy0, last.m_pProxy1, &dispatcher_);
    }
    for (auto& joint : joints_) world_.removeConstraint(joint.get());
    for (auto& body : bodies_) world_.removeRigidBody(body.get());
  }

  void step() override { world_.stepSimulation(static_cast<btScalar>(step_), 0); }
  void set_gravity(const Vec3& gravity) override { world_.setGravity(to_bullet(gravity)); }
  Vec3 position(Index body) const override {
    return from_bullet(bodies_[fixed_ + body]->getWorldTransform().getOrigin());
  }
  Quaternion rotation(Index body) const override {
    const btQuaternion q = bodies_[fixed_ + body]->getWorldTransform().getRotation();
    return {q.w(), q.x(), q.y(), q.z()};
  }
  Vec3 velocity(Index body) const override {
    return from_bullet(bodies_[fixed_ + body]->getLinearVelocity());
  }

private:
  static std::unique_ptr<btCollisionShape> shape_of(const PeerBody& b) {
    if (b.is_octahedron) {
      // Bullet puts a margin around hulls, 4 cm by default. The corners are pulled in so that the
      // faces are where they should be.
      constexpr double margin = 1e-4; // m
      const double to_face = 1 / norm(Vec3{1 / b.half.x, 1 / b.half.y, 1 / b.half.z});
      auto hull = std::make_unique<btConvexHullShape>();
      hull->setMargin(static_cast<btScalar>(margin));
      for (const Vec3& corner : corners(b))
        hull->addPoint(to_bullet((1 - margin / to_face) * corner));
      return hull;
    }
    if (b.is_box()) return std::make_unique<btBoxShape>(to_bullet(b.half));
    if (b.is_capsule())
      return std::make_unique<btCapsuleShapeZ>(static_cast<btScalar>(b.radius),
                                               static_cast<btScalar>(2 * b.half_length));
    return std::make_unique<btSphereShape>(static_cast<btScalar>(b.radius));
  }
  static btTransform pose_of(const PeerBody& b) {
    const Quaternion& q = b.rotation;
    return btTransform(btQuaternion(q.x, q.y, q.z, q.w), to_bullet(b.position));
  }
  void join(const PeerJoint& j) {
    const auto own = [&](btRigidBody& body) {
      return body.getWorldTransform().inverse() * to_bullet(j.point);
    };
    btRigidBody& b = *bodies_[fixed_ + j.b];
    if (j.a < 0) {
      joints_.push_back(std::make_unique<btPoint2PointConstraint>(b, own(b)));
    } else {
      btRigidBody& a = *bodies_[fixed_ + j.a];
      joints_.push_back(std::make_unique<btPoint2PointConstraint>(a, b, own(a), own(b)));
    }
    world_.addConstraint(joints_.back().get(), true);
  }

  void add(std::unique_ptr<btCollisionShape> shape, double mass, const btTransform& pose,
           double friction) {
    btVector3 inertia(0, 0, 0);
    if (mass > 0) shape->calculateLocalInertia(static_cast<btScalar>(mass), inertia);
    btRigidBody::btRigidBodyConstructionInfo info(static_cast<btScalar>(mass), nullptr, shape.get(),
                                                  inertia);
    // Bullet multiplies the two coefficients of a contact.
    info.m_friction = static_cast<btScalar>(std::sqrt(friction));
    info.m_startWorldTransform = pose;
    bodies_.push_back(std::make_unique<btRigidBody>(info));
    bodies_.back()->setActivationState(DISABLE_DEACTIVATION);
    shapes_.push_back(std::move(shape));
    world_.addRigidBody(bodies_.back().get());
  }

  double step_;
  Index fixed_ = 0; ///< Bodies before those of the scene.
  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_;
  btDbvtBroadphase broad_phase_;
  btSequentialImpulseConstraintSolver solver_;
  btDiscreteDynamicsWorld world_;
  std::vector<std::unique_ptr<btCollisionShape>> shapes_;
  std::vector<std::unique_ptr<btRigidBody>> bodies_;
  std::vector<std::unique_ptr<btTypedConstraint>> joints_;
};

} // namespace

std::vector<Contender> bullet_contenders() {
  std::vector<Contender> all;
  for (int iterations : {10, 100})
    all.push_back({"bullet",
                   fmt::format("{} iterations{}", iterations, iterations == 10 ? " (default)" : ""),
                   200'000, [=](const PeerScene& scene, double step) -> std::unique_ptr<Peer> {
                     return std::make_unique<BulletPeer>(scene, step, iterations);
                   }});
  return all;
}
#else
std::vector<Contender> bullet_contenders() {
  return {};
}
#endif

} // namespace talus::peers
