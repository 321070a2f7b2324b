#pragma once
// Rigid contacts with moments: six entries, (n, t, o) as in RigidLayout and the relative angular
// velocities about tangent, third axis and normal, measured in the length of each contact
// (delassus.h).

#include "talus/problem/delassus/body_layout.h"

#include <utility>

namespace talus {

class RollingLayout : public RigidLayout {
public:
  static constexpr int dimension = 6;

  RollingLayout(const ContactProblem& problem, const RigidModel& model) : RigidLayout(model) {
    assign(problem, model);
  }
  /// Contacts whose lengths are known, without the bodies that they follow from.
  RollingLayout(const RigidModel& model, Vector lengths)
      : RigidLayout(model), length_(std::move(lengths)), bias_(model.w) {}
  /// The contacts of another one between other bodies.
  RollingLayout(const RollingLayout& contacts, const RigidBodies& bodies)
      : RigidLayout(contacts.model(), bodies), length_(contacts.length_), bias_(contacts.bias_) {}
  /// Becomes that of another problem in the memory it has.
  void assign(const ContactProblem& problem, const RigidModel& model);
  ConstSpan lengths() const { return length_; }

  const double* contact_bias(Index c) const { return &bias_[6 * static_cast<std::size_t>(c)]; }

  void contact_velocity(Index c, const double* v, double* u) const {
    RigidLayout::contact_velocity(c, v, u);
    const RigidContact& k = model_->contacts[c];
    const BodyPair pair = (*contact_bodies_)[c];
    Vec3 turning;
    if (pair.b >= 0) turning += angular(v + 6 * static_cast<std::size_t>(pair.b));
    if (pair.a >= 0) turning -= angular(v + 6 * static_cast<std::size_t>(pair.a));
    u[3] = length_[c] * dot(k.tangent, turning);
    u[4] = length_[c] * dot(cross(k.normal, k.tangent), turning);
    u[5] = length_[c] * dot(k.normal, turning);
  }

  void add_wrench(Index c, int side, const double* x, double* wrench) const {
    RigidLayout::add_wrench(c, side, x, wrench);
    add(wrench, {}, (side == 0 ? -1.0 : 1.0) * moment(c, x));
  }

  void add_impulse(Index c, const double* dx, double* v) const {
    const BodyPair pair = (*contact_bodies_)[c];
    const RigidContact& k = model_->contacts[c];
    const Vec3 force = dx[0] * k.normal + dx[1] * k.tangent + dx[2] * cross(k.normal, k.tangent);
    const Vec3 turn = moment(c, dx);
    if (pair.a >= 0) accelerate(pair.a, -force, -(cross(k.arm_a, force) + turn), v);
    if (pair.b >= 0) accelerate(pair.b, force, cross(k.arm_b, force) + turn, v);
  }

private:
  static Vec3 angular(const double* v) { return {v[3], v[4], v[5]}; }
  Vec3 moment(Index c, const double* x) const {
    const RigidContact& k = model_->contacts[c];
    return length_[c] * (x[3] * k.tangent + x[4] * cross(k.normal, k.tangent) + x[5] * k.normal);
  }

  Vector length_, bias_;
};

} // namespace talus
