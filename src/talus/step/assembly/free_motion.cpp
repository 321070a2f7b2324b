#include "talus/step/assembly/free_motion.h"

#include "talus/core/parallel.h"
#include "talus/step/assembly/joint_rows.h"
#include "talus/step/error.h"

#include <fmt/format.h>

#include <algorithm>

namespace talus {

namespace {

Vec3 times(const Vec3& a, const Vec3& b) {
  return {a.x * b.x, a.y * b.y, a.z * b.z};
}

void set_inertia(const Mat3& a, RigidInverseMass& result) {
  const double entries[6] = {a(0, 0), a(0, 1), a(0, 2), a(1, 1), a(1, 2), a(2, 2)};
  std::copy(std::begin(entries), std::end(entries), result.inertia);
}

Mat3 outer(const Vec3& a, const Vec3& b) {
  return {{a.x * b.x, a.x * b.y, a.x * b.z, a.y * b.x, a.y * b.y, a.y * b.z, a.z * b.x, a.z * b.y,
           a.z * b.z}};
}

[[noreturn]] void not_finite(const World& world, Index body, std::string_view what, double time) {
  throw NonFiniteState(
      fmt::format("{} of body '{}' is not finite at time {} s", what, world.body(body).name, time));
}

} // namespace

Vec3 free_angular_velocity(const Vec3& moments, const Quaternion& rotation, const Vec3& omega,
                           const Vec3& torque, double h) {
  const Vec3 start = rotate_back(rotation, omega);
  const Vec3 load = rotate_back(rotation, torque);
  const Vec3 momentum = times(moments, start);
  // F(ω₁) = I (ω₁ - ω₀) + h ω̄ × I ω̄ - h τ,   F' = I + h/2 ([ω̄]ₓ I - [I ω̄]ₓ)
  Vec3 end = start;
  constexpr int max_iterations = 50;
  for (int k = 0; k < max_iterations; ++k) {
    const Vec3 mean = 0.5 * (start + end);
    const Vec3 mean_momentum = times(moments, mean);
    const Vec3 residual =
        times(moments, end) - momentum + h * cross(mean, mean_momentum) - h * load;
    const Mat3 jacobian =
        Mat3::diagonal(moments) +
        (h / 2) * (Mat3::skew(mean) * Mat3::diagonal(moments) + -1.0 * Mat3::skew(mean_momentum));
    const Vec3 change = inverse(jacobian) * residual;
    if (!is_finite(change)) break;
    end -= change;
    if (norm(change) <= 1e-15 * (norm(end) + norm(start))) break;
  }
  return rotate(rotation, end);
}

void collect_wrenches(const World& world, double time, std::vector<Wrench>& wrenches) {
  const auto bodies = world.bodies();
  wrenches.resize(bodies.size());
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    wrenches[i] = bodies[i].load();
    if (!bodies[i].floats) wrenches[i].force += bodies[i].mass * world.gravity;
  }
  add_joint_efforts(world, time, wrenches);
  for (const ForceFunction& force : world.forces()) force(world, time, wrenches);
  for (Index i = 0; i < world.size(); ++i) {
    if (!is_finite(wrenches[i].force)) not_finite(world, i, "the force", time);
    if (!is_finite(wrenches[i].torque)) not_finite(world, i, "the torque", time);
  }
}

namespace {

Twist dynamic_twist(const World& world, Index index, const Wrench& wrench, double h) {
  const Body& body = world.bodies()[index];
  const BodyState& state = world.states()[index];
  Twist twist{state.velocity + (h / body.mass) * wrench.force, state.angular_velocity};
  if (const auto& normal = world.plane_normal()) {
    twist.linear -= dot(twist.linear, *normal) * *normal;
    double spin = dot(state.angular_velocity, *normal);
    if (body.turns) {
      const Vec3 n = rotate_back(state.pose.rotation, *normal);
      spin += h * dot(wrench.torque, *normal) / dot(n, times(body.moments, n));
    }
    twist.angular = spin * *normal;
  } else if (body.turns) {
    twist.angular = free_angular_velocity(body.moments, state.pose.rotation, state.angular_velocity,
                                          wrench.torque, h);
  }
  return twist;
}

/// The twist that takes a kinematic body where its motion wants it at time + h.
Twist kinematic_twist(const World& world, Index index, double time, double h) {
  const Body& body = world.bodies()[index];
  const BodyState& state = world.states()[index];
  if (const auto* pose = std::get_if<PoseFunction>(&body.motion()); pose && *pose) {
    const Transform goal = (*pose)(time + h) * inverse(body.reference());
    const Quaternion turn = normalized(goal.rotation) * conjugate(state.pose.rotation);
    return {(1 / h) * (goal.position - state.pose.position), (1 / h) * logarithmic_map(turn)};
  }
  if (const auto* twist = std::get_if<TwistFunction>(&body.motion()); twist && *twist) {
    return (*twist)(time + h);
  }
  return {state.velocity, state.angular_velocity};
}

} // namespace

void free_velocities(const World& world, double time, double h, std::span<const Wrench> wrenches,
                     Span velocities) {
  const auto store = [&](Index i, const Twist& twist) {
    for (int k = 0; k < 3; ++k) {
      velocities[6 * static_cast<std::size_t>(i) + k] = twist.linear[k];
      velocities[6 * static_cast<std::size_t>(i) + 3 + k] = twist.angular[k];
    }
  };
  const auto is_stored_finite = [&](Index i) {
    const double* v = velocities.data() + 6 * static_cast<std::size_t>(i);
    return is_finite(Vec3{v[0], v[1], v[2]}) && is_finite(Vec3{v[3], v[4], v[5]});
  };
  parallel_for(
      world.size(),
      [&](Index begin, Index end) {
        for (Index i = begin; i < end; ++i) {
          if (world.bodies()[i].kind == BodyKind::dynamic) {
            store(i, dynamic_twist(world, i, wrenches[i], h));
          }
        }
      },
      256);
  for (Index i = 0; i < world.size(); ++i) {
    const BodyKind kind = world.bodies()[i].kind;
    if (!is_finite(world.states()[i].pose)) not_finite(world, i, "the pose", time);
    if (kind == BodyKind::dynamic && !is_stored_finite(i))
      not_finite(world, i, "the velocity", time);
    if (kind == BodyKind::fixed) store(i, {});
    if (kind != BodyKind::kinematic) continue;
    const Twist twist = kinematic_twist(world, i, time, h);
    if (!is_finite(twist.linear) || !is_finite(twist.angular)) {
      not_finite(world, i, "the prescribed motion", time + h);
    }
    store(i, twist);
  }
}

RigidInverseMass inverse_mass_of(const Body& body, const Quaternion& rotation,
                                 const std::optional<Vec3>& plane_normal, const AddedMass& added) {
  RigidInverseMass result;
  if (body.kind != BodyKind::dynamic) return result;
  result.mass = 1 / (body.mass + added.linear);
  if (!body.turns) return result;
  if (plane_normal) {
    const Vec3 n = rotate_back(rotation, *plane_normal);
    const double moment = body.moments.x * n.x * n.x + body.moments.y * n.y * n.y +
                          body.moments.z * n.z * n.z + added.angular;
    set_inertia((1 / moment) * outer(*plane_normal, *plane_normal), result);
    return result;
  }
  const Vec3 moments = body.moments + Vec3{added.angular, added.angular, added.angular};
  if (moments.x == moments.y && moments.y == moments.z) {
    for (const int k : {0, 3, 5}) result.inertia[k] = 1 / moments.x;
    return result;
  }
  const Mat3 r = rotation_matrix(rotation);
  const Vec3 inverse_moments{1 / moments.x, 1 / moments.y, 1 / moments.z};
  set_inertia(r * Mat3::diagonal(inverse_moments) * transpose(r), result);
  return result;
}

BodyState state_after(const World& world, Index body, const double* v, double h) {
  BodyState state = world.states()[body];
  const BodyKind kind = world.bodies()[body].kind;
  if (kind == BodyKind::fixed) return state;
  state.velocity = {v[0], v[1], v[2]};
  state.angular_velocity = {v[3], v[4], v[5]};
  if (const auto& plane = world.plane_normal(); plane && kind == BodyKind::dynamic) {
    state.velocity -= dot(state.velocity, *plane) * *plane;
    state.angular_velocity = dot(state.angular_velocity, *plane) * *plane;
  }
  state.pose.position += h * state.velocity;
  state.pose.rotation = advance(state.pose.rotation, state.angular_velocity, h);
  return state;
}

} // namespace talus
