#pragma once
// How body-structured problems store their contacts, and the small products made from them. A
// layout answers, for one contact or row, u = Dᵀ v and v += M⁻¹ D dx; the operator and the
// Gauss-Seidel rows are written once over it.
//
// - BlockLayout<B, D>: any B x D Jacobian blocks per body (from FCLIB files), 2·B·D doubles per
//   contact;
// - RigidLayout: frame and arms only (from the simulation), 12 doubles per contact;
// - RollingLayout (rolling_layout.h): the same with moments.

#include "talus/core/lanes.h"
#include "talus/problem/contact_problem.h"

namespace talus {

/// Contacts and rows that touch each body, in increasing order: the fixed order of every sum over a
/// body.
struct BodyAdjacency {
  std::vector<Index> start; ///< bodies + 1 offsets into `item`.
  std::vector<Index> item;  ///< 2 * contact + side, side 0 for body a, 1 for body b.
};

BodyAdjacency make_adjacency(Index bodies, const std::vector<BodyPair>& pairs);
/// The same in the memory of an earlier one.
void fill_adjacency(Index bodies, const std::vector<BodyPair>& pairs, BodyAdjacency& adjacency);

/// Dense blocks: M⁻¹ is B x B per body, a contact has a B x D block on each of its bodies.
template <int B, int D>
class BlockLayout {
public:
  static constexpr int body_dofs = B, dimension = D;

  Index bodies() const { return static_cast<Index>(free_velocities.size() / B); }
  Index contacts() const { return static_cast<Index>(contact_bodies.size()); }
  Index rows() const { return static_cast<Index>(row_bodies.size()); }
  const std::vector<BodyPair>& contact_pairs() const { return contact_bodies; }
  const std::vector<BodyPair>& row_pairs() const { return row_bodies; }
  ConstSpan free_velocity() const { return free_velocities; }
  const double* contact_bias(Index c) const { return &biases[static_cast<std::size_t>(c) * D]; }
  double row_bias(Index row) const {
    return biases[static_cast<std::size_t>(contacts()) * D + row];
  }

  void contact_velocity(Index c, const double* v, double* u) const {
    const BodyPair pair = contact_bodies[c];
    const double* block = &jacobian[static_cast<std::size_t>(c) * 2 * B * D];
    static constexpr double rest[B] = {};
    const double* va = pair.a < 0 ? rest : v + static_cast<std::size_t>(pair.a) * B;
    const double* vb = pair.b < 0 ? rest : v + static_cast<std::size_t>(pair.b) * B;
    if constexpr (B == 6) {
      const Lanes6 a = load6(va), b = load6(vb);
      for (int j = 0; j < D; ++j)
        u[j] = dot_sum(load6(block + B * j), a, load6(block + B * (D + j)), b);
    } else {
      for (int j = 0; j < D; ++j) {
        u[j] = 0;
        for (int i = 0; i < B; ++i)
          u[j] += block[B * j + i] * va[i] + block[B * (D + j) + i] * vb[i];
      }
    }
  }

  /// wrench += D_side x_c for one side of contact c.
  void add_wrench(Index c, int side, const double* x, double* wrench) const {
    const double* block = &jacobian[(static_cast<std::size_t>(c) * 2 + side) * B * D];
    if constexpr (B == 6) {
      Lanes6 sum = load6(wrench);
      for (int j = 0; j < D; ++j) sum = multiply_add(sum, load6(block + B * j), x[j]);
      store6(sum, wrench);
    } else {
      for (int j = 0; j < D; ++j)
        for (int i = 0; i < B; ++i) wrench[i] += block[B * j + i] * x[j];
    }
  }

  /// Starts loading what add_wrench will read.
  void prefetch(Index c, int side) const {
    const double* block = &jacobian[(static_cast<std::size_t>(c) * 2 + side) * B * D];
    for (int i = 0; i < B * D; i += 8) __builtin_prefetch(block + i);
  }

  void add_row_wrench(Index row, int side, double x, double* wrench) const {
    const double* block = &row_jacobian[(static_cast<std::size_t>(row) * 2 + side) * B];
    for (int i = 0; i < B; ++i) wrench[i] += block[i] * x;
  }

  double row_velocity(Index row, const double* v) const {
    const BodyPair pair = row_bodies[row];
    const double* block = &row_jacobian[static_cast<std::size_t>(row) * 2 * B];
    double u = 0;
    for (int i = 0; i < B && pair.a >= 0; ++i)
      u += block[i] * v[static_cast<std::size_t>(pair.a) * B + i];
    for (int i = 0; i < B && pair.b >= 0; ++i)
      u += block[B + i] * v[static_cast<std::size_t>(pair.b) * B + i];
    return u;
  }

  /// dv += M_body⁻¹ wrench.
  void add_acceleration(Index body, const double* wrench, double* dv) const {
    if (has_diagonal_masses()) {
      const double* m = &inverse_mass[static_cast<std::size_t>(body) * B];
      for (int i = 0; i < B; ++i) dv[i] += m[i] * wrench[i];
      return;
    }
    const double* m = &inverse_mass[static_cast<std::size_t>(body) * B * B];
    for (int i = 0; i < B; ++i)
      for (int j = 0; j < B; ++j) dv[i] += m[B * i + j] * wrench[j];
  }

  void add_impulse(Index c, const double* dx, double* v) const {
    const BodyPair pair = contact_bodies[c];
    for (int side = 0; side < 2; ++side) {
      const Index body = side == 0 ? pair.a : pair.b;
      if (body < 0) continue;
      double wrench[B] = {};
      add_wrench(c, side, dx, wrench);
      add_acceleration(body, wrench, v + static_cast<std::size_t>(body) * B);
    }
  }

  void add_row_impulse(Index row, double dx, double* v) const {
    const BodyPair pair = row_bodies[row];
    for (int side = 0; side < 2; ++side) {
      const Index body = side == 0 ? pair.a : pair.b;
      if (body < 0) continue;
      double wrench[B] = {};
      add_row_wrench(row, side, dx, wrench);
      add_acceleration(body, wrench, v + static_cast<std::size_t>(body) * B);
    }
  }

  Vector inverse_mass; ///< B*B per body, row-major; B per body when all off-diagonals are zero.
  std::vector<BodyPair> contact_bodies, row_bodies;
  /// 2 blocks per contact, a and b: D columns of B, a column per impulse. Zero for the world.
  Vector jacobian;
  Vector row_jacobian;    ///< 2 blocks of B per equality row.
  Vector free_velocities; ///< B per body: M⁻¹ f.
  Vector biases;          ///< (w, b).

private:
  bool has_diagonal_masses() const { return inverse_mass.size() == free_velocities.size(); }
};

/// Bodies in place of those of a RigidModel, for RigidLayout.
struct RigidBodies {
  std::vector<RigidInverseMass> inverse_mass;
  Vector free_velocity;                 ///< 6 per body.
  std::vector<BodyPair> contact_bodies; ///< Of the model's contacts.
};

/// Rigid contacts: u = Rᵀ (v_b + ω_b x arm_b - v_a - ω_a x arm_a), R = (normal, tangent, normal x
/// tangent).
class RigidLayout {
public:
  static constexpr int body_dofs = 6, dimension = 3;

  explicit RigidLayout(const RigidModel& model)
      : model_(&model), inverse_mass_(&model.inverse_mass), free_velocity_(&model.free_velocity),
        contact_bodies_(&model.contact_bodies) {}
  /// The contacts of the model between other bodies. Keeps references to both.
  RigidLayout(const RigidModel& model, const RigidBodies& bodies)
      : model_(&model), inverse_mass_(&bodies.inverse_mass), free_velocity_(&bodies.free_velocity),
        contact_bodies_(&bodies.contact_bodies) {}

  const RigidModel& model() const { return *model_; }
  const std::vector<RigidInverseMass>& inverse_mass() const { return *inverse_mass_; }
  Index bodies() const { return static_cast<Index>(inverse_mass_->size()); }
  Index contacts() const { return static_cast<Index>(model_->contacts.size()); }
  Index rows() const { return static_cast<Index>(model_->rows.size()); }
  ConstSpan free_velocity() const { return *free_velocity_; }
  const double* contact_bias(Index c) const { return &model_->w[3 * static_cast<std::size_t>(c)]; }
  double row_bias(Index row) const { return model_->b[row]; }

  void contact_velocity(Index c, const double* v, double* u) const {
    const RigidContact& k = model_->contacts[c];
    const BodyPair pair = (*contact_bodies_)[c];
    Vec3 relative;
    if (pair.b >= 0) relative += point_velocity(v + 6 * static_cast<std::size_t>(pair.b), k.arm_b);
    if (pair.a >= 0) relative -= point_velocity(v + 6 * static_cast<std::size_t>(pair.a), k.arm_a);
    u[0] = dot(k.normal, relative);
    u[1] = dot(k.tangent, relative);
    u[2] = dot(cross(k.normal, k.tangent), relative);
  }

  void prefetch(Index c, int) const {
    const auto* contact = reinterpret_cast<const char*>(&model_->contacts[c]);
    __builtin_prefetch(contact);
    __builtin_prefetch(contact + 64);
  }

  void add_wrench(Index c, int side, const double* x, double* wrench) const {
    const RigidContact& k = model_->contacts[c];
    const double sign = side == 0 ? -1.0 : 1.0;
    const Vec3 force = (sign * x[0]) * k.normal + (sign * x[1]) * k.tangent +
                       (sign * x[2]) * cross(k.normal, k.tangent);
    add(wrench, force, cross(side == 0 ? k.arm_a : k.arm_b, force));
  }

  void add_row_wrench(Index row, int side, double x, double* wrench) const {
    const RigidRow& r = model_->rows[row];
    if (side == 0)
      add(wrench, x * r.linear_a, x * r.angular_a);
    else
      add(wrench, x * r.linear_b, x * r.angular_b);
  }

  double row_velocity(Index row, const double* v) const {
    const RigidRow& r = model_->rows[row];
    const BodyPair pair = model_->row_bodies[row];
    double u = 0;
    if (pair.a >= 0) {
      const double* va = v + 6 * static_cast<std::size_t>(pair.a);
      u += dot(r.linear_a, {va[0], va[1], va[2]}) + dot(r.angular_a, {va[3], va[4], va[5]});
    }
    if (pair.b >= 0) {
      const double* vb = v + 6 * static_cast<std::size_t>(pair.b);
      u += dot(r.linear_b, {vb[0], vb[1], vb[2]}) + dot(r.angular_b, {vb[3], vb[4], vb[5]});
    }
    return u;
  }

  void add_acceleration(Index body, const double* w, double* dv) const {
    const RigidInverseMass& m = (*inverse_mass_)[body];
    for (int i = 0; i < 3; ++i) dv[i] += m.mass * w[i];
    const double* j = m.inertia;
    dv[3] += j[0] * w[3] + j[1] * w[4] + j[2] * w[5];
    dv[4] += j[1] * w[3] + j[3] * w[4] + j[4] * w[5];
    dv[5] += j[2] * w[3] + j[4] * w[4] + j[5] * w[5];
  }

  void add_impulse(Index c, const double* dx, double* v) const {
    const BodyPair pair = (*contact_bodies_)[c];
    const RigidContact& k = model_->contacts[c];
    const Vec3 force = dx[0] * k.normal + dx[1] * k.tangent + dx[2] * cross(k.normal, k.tangent);
    if (pair.a >= 0) accelerate(pair.a, -force, -cross(k.arm_a, force), v);
    if (pair.b >= 0) accelerate(pair.b, force, cross(k.arm_b, force), v);
  }

  void add_row_impulse(Index row, double dx, double* v) const {
    const BodyPair pair = model_->row_bodies[row];
    const RigidRow& r = model_->rows[row];
    if (pair.a >= 0) accelerate(pair.a, dx * r.linear_a, dx * r.angular_a, v);
    if (pair.b >= 0) accelerate(pair.b, dx * r.linear_b, dx * r.angular_b, v);
  }

  const std::vector<BodyPair>& contact_pairs() const { return *contact_bodies_; }
  const std::vector<BodyPair>& row_pairs() const { return model_->row_bodies; }

protected:
  static Vec3 point_velocity(const double* v, const Vec3& arm) {
    return Vec3{v[0], v[1], v[2]} + cross({v[3], v[4], v[5]}, arm);
  }
  static void add(double* wrench, const Vec3& force, const Vec3& torque) {
    wrench[0] += force.x, wrench[1] += force.y, wrench[2] += force.z;
    wrench[3] += torque.x, wrench[4] += torque.y, wrench[5] += torque.z;
  }
  void accelerate(Index body, const Vec3& force, const Vec3& torque, double* v) const {
    const double wrench[6] = {force.x, force.y, force.z, torque.x, torque.y, torque.z};
    add_acceleration(body, wrench, v + 6 * static_cast<std::size_t>(body));
  }

  const RigidModel* model_;
  const std::vector<RigidInverseMass>* inverse_mass_;
  const Vector* free_velocity_;
  const std::vector<BodyPair>* contact_bodies_;
};

} // namespace talus
