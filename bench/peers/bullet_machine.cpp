#include "bullet_machine.h"

#include "talus/core/error.h"

#ifdef TALUS_HAS_BULLET
#include <fmt/format.h>

#include <BulletDynamics/ConstraintSolver/btGeneric6DofSpring2Constraint.h>
#include <LinearMath/btConvexHullComputer.h>
#include <algorithm>
#include <btBulletDynamicsCommon.h>
#include <cmath>
#include <vector>
#endif

namespace talus::peers {

#ifdef TALUS_HAS_BULLET
namespace {

btScalar scalar(double x) {
  return static_cast<btScalar>(x);
}
btVector3 vector(const Vec3& v) {
  return {scalar(v.x), scalar(v.y), scalar(v.z)};
}
btTransform transform(const Transform& t) {
  const Quaternion& q = t.rotation;
  return btTransform(btQuaternion(scalar(q.x), scalar(q.y), scalar(q.z), scalar(q.w)),
                     vector(t.position));
}

/// Keeps two points at a distance, which Bullet has no joint for.
class DistanceConstraint : public btTypedConstraint {
public:
  DistanceConstraint(btRigidBody& a, btRigidBody& b, const btVector3& on_a, const btVector3& on_b,
                     double length)
      : btTypedConstraint(POINT2POINT_CONSTRAINT_TYPE, a, b), on_a_(on_a), on_b_(on_b),
        length_(scalar(length)) {}
  void getInfo1(btConstraintInfo1* info) override {
    info->m_numConstraintRows = 1;
    info->nub = 5;
  }
  void getInfo2(btConstraintInfo2* info) override {
    const btVector3 arm_a = m_rbA.getWorldTransform().getBasis() * on_a_;
    const btVector3 arm_b = m_rbB.getWorldTransform().getBasis() * on_b_;
    const btVector3 between = m_rbB.getWorldTransform().getOrigin() + arm_b -
                              m_rbA.getWorldTransform().getOrigin() - arm_a;
    const btScalar distance = between.length();
    const btVector3 n = between / distance;
    const btVector3 turn_a = -arm_a.cross(n), turn_b = arm_b.cross(n);
    for (int i = 0; i < 3; ++i) {
      info->m_J1linearAxis[i] = -n[i];
      info->m_J1angularAxis[i] = turn_a[i];
      info->m_J2linearAxis[i] = n[i];
      info->m_J2angularAxis[i] = turn_b[i];
    }
    info->m_constraintError[0] = info->fps * info->erp * (length_ - distance);
    info->m_lowerLimit[0] = -SIMD_INFINITY;
    info->m_upperLimit[0] = SIMD_INFINITY;
  }
  void setParam(int, btScalar, int) override {}
  btScalar getParam(int, int) const override { return 0; }

private:
  btVector3 on_a_, on_b_;
  btScalar length_;
};

/// The axis of a joint is z in Talus. It becomes x, about which Bullet's angles are never singular.
Transform x_along_axis(const Transform& frame) {
  return frame * Transform{{}, {std::sqrt(0.5), 0, -std::sqrt(0.5), 0}};
}

/// Bullet's default of 4 cm would be half a stone. Much less makes it slower and less sure.
constexpr double hull_margin = 2e-3; // m

} // namespace

struct BulletMachine::Engine {
  struct Drive {
    Index joint;
    btGeneric6DofSpring2Constraint* constraint;
    int axis; ///< Of the coordinate: 0 a displacement, 3 an angle.
  };

  double step_;
  const World world_; ///< Motors and efforts over time.
  std::int64_t steps_ = 0;
  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_{&configuration_};
  btDbvtBroadphase broad_phase_;
  btSequentialImpulseConstraintSolver solver_;
  btDiscreteDynamicsWorld bullet_{&dispatcher_, &broad_phase_, &solver_, &configuration_};
  std::vector<std::unique_ptr<btCollisionShape>> shapes_;
  std::vector<std::unique_ptr<btRigidBody>> bodies_;
  std::vector<std::unique_ptr<btTypedConstraint>> joints_;
  std::vector<Drive> drives_;

  Engine(const World& world, double step, int iterations) : step_(step), world_(world) {
    bullet_.setGravity(vector(world.gravity));
    bullet_.getSolverInfo().m_numIterations = iterations;
    for (Index i = 0; i < world.size(); ++i) add_body(i);
    for (Index i = 0; i < static_cast<Index>(world.joints().size()); ++i) add_joint(i);
    for (const auto& [a, b] : world.contact_exclusions()) {
      if (a < 0) continue;
      bodies_[a]->setIgnoreCollisionCheck(bodies_[b].get(), true);
      bodies_[b]->setIgnoreCollisionCheck(bodies_[a].get(), true);
    }
  }
  /// Pairs first: Bullet searches all of them for every body that it removes.
  ~Engine() {
    btOverlappingPairCache* cache = bullet_.getPairCache();
    const auto& pairs = cache->getOverlappingPairArray();
    while (pairs.size() > 0) {
      const btBroadphasePair& last = pairs[pairs.size() - 1];
      cache->removeOverlappingPair(last.m_pProxy0, last.m_pProxy1, &dispatcher_);
    }
    for (auto& joint : joints_) bullet_.removeConstraint(joint.get());
    for (auto& body : bodies_) bullet_.removeRigidBody(body.get());
  }

  template <class T>
  T* keep(std::unique_ptr<T> shape) {
    T* raw = shape.get();
    shapes_.push_back(std::move(shape));
    return raw;
  }

  btCollisionShape* make(const Shape& shape) {
    if (const auto* s = std::get_if<Sphere>(&shape.geometry))
      return keep(std::make_unique<btSphereShape>(scalar(s->radius)));
    if (const auto* s = std::get_if<Box>(&shape.geometry))
      return keep(std::make_unique<btBoxShape>(vector(s->half_extents)));
    if (const auto* s = std::get_if<Cylinder>(&shape.geometry))
      return keep(
          std::make_unique<btCylinderShapeZ>(vector({s->radius, s->radius, s->half_length})));
    if (const auto* s = std::get_if<HalfSpace>(&shape.geometry))
      return keep(std::make_unique<btStaticPlaneShape>(vector(s->normal), scalar(s->offset)));
    if (const auto* s = std::get_if<ConvexHull>(&shape.geometry)) {
      // The margin lies outside of a hull, which is shrunk by as much before.
      std::vector<btVector3> points;
      for (const Vec3& v : s->surface.vertices) points.push_back(vector(v));
      btConvexHullComputer inner;
      const btScalar shrunk =
          inner.compute(points.front().m_floats, sizeof(btVector3), static_cast<int>(points.size()),
                        scalar(hull_margin), scalar(0.25));
      auto* hull = keep(std::make_unique<btConvexHullShape>());
      for (int i = 0; i < inner.vertices.size(); ++i) hull->addPoint(inner.vertices[i], false);
      hull->recalcLocalAabb();
      hull->setMargin(shrunk);
      return hull;
    }
    if (const auto* s = std::get_if<Compound>(&shape.geometry)) {
      auto* all = keep(std::make_unique<btCompoundShape>());
      for (const Compound::Child& child : s->children)
        all->addChildShape(transform(child.pose), make(*child.shape));
      return all;
    }
    throw InvalidArgument(
        fmt::format("vehicle_bench has no {} in Bullet", name_of(kind_of(shape))));
  }

  btCollisionShape* shape_of(const Body& body) {
    if (body.shapes.size() == 1 && body.shapes.front().pose == Transform::identity())
      return make(*body.shapes.front().shape);
    auto* all = keep(std::make_unique<btCompoundShape>());
    for (const BodyShape& s : body.shapes) all->addChildShape(transform(s.pose), make(*s.shape));
    return all;
  }

  void add_body(Index index) {
    const Body& body = world_.body(index);
    const bool moves = body.kind == BodyKind::dynamic;
    if (body.kind == BodyKind::kinematic)
      throw InvalidArgument("vehicle_bench has no kinematic bodies in Bullet");
    btRigidBody::btRigidBodyConstructionInfo info(scalar(moves ? body.mass : 0), nullptr,
                                                  shape_of(body),
                                                  vector(moves ? body.moments : Vec3{}));
    // Bullet multiplies the two coefficients of a contact; Talus takes the geometric mean.
    if (!body.shapes.empty())
      info.m_friction = scalar(std::sqrt(world_.materials[body.shapes.front().material].friction));
    info.m_startWorldTransform = transform(world_.state(index).pose);
    info.m_linearDamping = info.m_angularDamping = 0;
    bodies_.push_back(std::make_unique<btRigidBody>(info));
    btRigidBody& made = *bodies_.back();
    // Bullet passes over pairs of which both sleep: fixed stones do not touch each other.
    made.forceActivationState(moves ? DISABLE_DEACTIVATION : ISLAND_SLEEPING);
    const bool touches = !body.shapes.empty();
    bullet_.addRigidBody(&made, touches ? static_cast<int>(body.shapes.front().group) : 0,
                         touches ? static_cast<int>(body.shapes.front().mask) : 0);
    if (moves && body.floats) made.setGravity({0, 0, 0});
  }

  btRigidBody& body(Index index) {
    return index < 0 ? btTypedConstraint::getFixedBody() : *bodies_[index];
  }

  void add_joint(Index index) {
    const Joint& joint = world_.joint(index);
    btRigidBody &a = body(joint.body_a), &b = body(joint.body_b);
    if (joint.kind == JointKind::spherical) {
      joints_.push_back(std::make_unique<btPoint2PointConstraint>(
          a, b, vector(joint.frame_a.position), vector(joint.frame_b.position)));
    } else if (joint.kind == JointKind::distance && !joint.spring) {
      joints_.push_back(std::make_unique<DistanceConstraint>(
          a, b, vector(joint.frame_a.position), vector(joint.frame_b.position), joint.distance));
    } else if (joint.kind == JointKind::revolute || joint.kind == JointKind::prismatic) {
      joints_.push_back(guide(index, a, b));
    } else {
      throw InvalidArgument(fmt::format("vehicle_bench has no {} joints{} in Bullet",
                                        to_string(joint.kind),
                                        joint.spring ? " with springs" : ""));
    }
    bullet_.addConstraint(joints_.back().get(), false);
  }

  std::unique_ptr<btTypedConstraint> guide(Index index, btRigidBody& a, btRigidBody& b) {
    const Joint& joint = world_.joint(index);
    const int axis = joint.kind == JointKind::revolute ? 3 : 0;
    auto made = std::make_unique<btGeneric6DofSpring2Constraint>(
        a, b, transform(x_along_axis(joint.frame_a)), transform(x_along_axis(joint.frame_b)));
    for (int i = 0; i < 6; ++i) made->setLimit(i, 0, 0);
    made->setLimit(axis, 1, -1); // free
    // Bullet counts angles the other way round.
    const double sense = axis == 3 ? -1 : 1;
    if (joint.limits) {
      const double one = sense * joint.limits->lower, other = sense * joint.limits->upper;
      made->setLimit(axis, scalar(std::min(one, other)), scalar(std::max(one, other)));
    }
    if (joint.spring) {
      made->enableSpring(axis, true);
      made->setStiffness(axis, scalar(joint.spring->stiffness));
      made->setDamping(axis, scalar(joint.spring->damping));
      made->setEquilibriumPoint(axis, scalar(sense * joint.spring->rest));
    }
    if (joint.motor) {
      if (joint.motor->mode != MotorMode::velocity || joint.motor->damping != 0)
        throw InvalidArgument("vehicle_bench has only motors with a speed in Bullet");
      made->enableMotor(axis, true);
      made->setMaxMotorForce(axis, scalar(joint.motor->max_effort));
    }
    if (joint.motor || joint.effort_at || joint.effort != 0)
      drives_.push_back({index, made.get(), axis});
    return made;
  }

  void step() {
    const double begin = step_ * static_cast<double>(steps_);
    for (const Drive& drive : drives_) {
      const Joint& joint = world_.joint(drive.joint);
      if (joint.motor) {
        const JointMotor& motor = *joint.motor;
        const double speed = motor.target_at ? motor.target_at(begin + step_) : motor.target;
        // Bullet means the velocity of a relative to b.
        drive.constraint->setTargetVelocity(drive.axis, scalar(-speed));
      }
      const double effort = joint.effort_at ? joint.effort_at(begin) : joint.effort;
      if (effort == 0) continue;
      const btVector3 axis =
          effort * drive.constraint->getCalculatedTransformA().getBasis().getColumn(0);
      btRigidBody &a = body(joint.body_a), &b = body(joint.body_b);
      if (drive.axis == 3) {
        b.applyTorque(axis);
        a.applyTorque(-axis);
      } else {
        b.applyForce(axis, vector(rotate_arm(b, joint.frame_b)));
        a.applyForce(-axis, vector(rotate_arm(a, joint.frame_a)));
      }
    }
    bullet_.stepSimulation(scalar(step_), 0);
    ++steps_;
  }

  static Vec3 rotate_arm(const btRigidBody& body, const Transform& frame) {
    const btVector3 arm = body.getWorldTransform().getBasis() * vector(frame.position);
    return {arm.x(), arm.y(), arm.z()};
  }
};

BulletMachine::BulletMachine(const World& world, double step, int iterations)
    : engine_(std::make_unique<Engine>(world, step, iterations)) {}
BulletMachine::~BulletMachine() = default;

void BulletMachine::step() {
  engine_->step();
}

void BulletMachine::read(World& world) const {
  for (Index i = 0; i < world.size(); ++i) {
    const btRigidBody& body = *engine_->bodies_[i];
    const btTransform& pose = body.getWorldTransform();
    const btQuaternion q = pose.getRotation();
    const auto from = [](const btVector3& v) { return Vec3{v.x(), v.y(), v.z()}; };
    world.state(i) = {{from(pose.getOrigin()), {q.w(), q.x(), q.y(), q.z()}},
                      from(body.getLinearVelocity()),
                      from(body.getAngularVelocity())};
  }
}

bool has_bullet_machine() {
  return true;
}

#else

struct BulletMachine::Engine {};
BulletMachine::BulletMachine(const World&, double, int) {
  throw InvalidArgument("built without Bullet (Debian package libbullet-dev)");
}
BulletMachine::~BulletMachine() = default;
void BulletMachine::step() {}
void BulletMachine::read(World&) const {}
bool has_bullet_machine() {
  return false;
}

#endif

} // namespace talus::peers
