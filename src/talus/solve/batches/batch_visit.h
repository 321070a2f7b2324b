#pragma once
// One visit of the contacts of a batch (rigid_batches.h), as many at a time as a register holds.

#include "talus/solve/batches/contact_lanes.h"
#include "talus/solve/batches/rolling_visit.h"
#include "talus/solve/batches/single_contacts.h"

namespace talus::batch::TALUS_LANES {

/// The bodies on one side of some contacts.
template <bool isotropic>
struct Bodies {
  V number[record_size]; ///< Velocity, spin, inverse mass, inverse inertia.
  V inertia[record_size];

  HWY_INLINE void load(const BodyRecord* records, const BodyInertia* inertias, const Index* body) {
    const double* rows[lanes];
    for (int i = 0; i < lanes; ++i) rows[i] = records[body[i]].velocity;
    load_records(rows, number);
    if constexpr (!isotropic) {
      for (int i = 0; i < lanes; ++i) rows[i] = inertias[body[i]].entries;
      load_records(rows, inertia);
    }
  }
  HWY_INLINE void store(BodyRecord* records, const Index* body) const {
    double* rows[lanes];
    for (int i = 0; i < lanes; ++i) rows[i] = records[body[i]].velocity;
    store_records(number, rows);
  }
  HWY_INLINE V3 spin() const { return {number[3], number[4], number[5]}; }
  HWY_INLINE V3 point_velocity(const V3& arm) const {
    return add(V3{number[0], number[1], number[2]}, cross(spin(), arm));
  }
  HWY_INLINE void accelerate(const V3& force, const V3& torque) {
    const V3 dv = mul(number[6], force);
    number[0] = add(number[0], dv.x);
    number[1] = add(number[1], dv.y);
    number[2] = add(number[2], dv.z);
    V3 dw;
    if constexpr (isotropic)
      dw = mul(number[7], torque);
    else
      dw = product(inertia, torque);
    number[3] = add(number[3], dw.x);
    number[4] = add(number[4], dw.y);
    number[5] = add(number[5], dw.z);
  }
};

/// Some contacts of a batch with their bodies.
template <bool isotropic>
struct Group {
  template <int D>
  HWY_INLINE Group(const BodyRecord* records, const BodyInertia* inertias,
                   const ContactBatch<D>& batch, int first)
      : normal(load3(batch.normal, first)), tangent(load3(batch.tangent, first)),
        binormal(cross(normal, tangent)), arm_a(load3(batch.arm_a, first)),
        arm_b(load3(batch.arm_b, first)) {
    a.load(records, inertias, batch.body_a + first);
    b.load(records, inertias, batch.body_b + first);
  }

  /// Dᵀ v.
  template <int D>
  HWY_INLINE Entries<D> velocity(const ContactBatch<D>& batch, int first) const {
    const V3 relative = sub(b.point_velocity(arm_b), a.point_velocity(arm_a));
    Entries<D> u;
    u.e[0] = dot(normal, relative);
    u.e[1] = dot(tangent, relative);
    u.e[2] = dot(binormal, relative);
    if constexpr (D == 6) {
      const V3 turning = mul(load(batch.length + first), sub(b.spin(), a.spin()));
      u.e[3] = dot(tangent, turning);
      u.e[4] = dot(binormal, turning);
      u.e[5] = dot(normal, turning);
    }
    return u;
  }
  /// v += M⁻¹ D dx, stored.
  template <int D>
  HWY_INLINE void add_impulse(const Entries<D>& dx, BodyRecord* records,
                              const ContactBatch<D>& batch, int first) {
    const V3 force = add(add(mul(dx.e[0], normal), mul(dx.e[1], tangent)), mul(dx.e[2], binormal));
    const V zero = simd::Zero(Tag());
    const V3 back = sub(V3{zero, zero, zero}, force);
    V3 torque_a = cross(arm_a, back), torque_b = cross(arm_b, force);
    if constexpr (D == 6) {
      const V3 moment =
          mul(load(batch.length + first),
              add(add(mul(dx.e[3], tangent), mul(dx.e[4], binormal)), mul(dx.e[5], normal)));
      torque_a = sub(torque_a, moment);
      torque_b = add(torque_b, moment);
    }
    a.accelerate(back, torque_a);
    b.accelerate(force, torque_b);
    a.store(records, batch.body_a + first);
    b.store(records, batch.body_b + first);
  }

  V3 normal, tangent, binormal, arm_a, arm_b;
  Bodies<isotropic> a, b;
};

/// The one-contact problem of several contacts (see the header).
struct LocalLanes {
  V block[6];
  V mu;
  V3 b, u; ///< Velocity without the contact's own impulse, and with the present one.

  V normal_block(V ex, V ey) const {
    return add(block[0], mul(mu, add(mul(block[1], ex), mul(block[2], ey))));
  }
};

/// Directions (x, y) / |(x, y)|; zero stays zero.
inline void normalise(V& x, V& y) {
  const Tag d;
  const V length = simd::Sqrt(add(mul(x, x), mul(y, y)));
  const V inverse = simd::Div(simd::Set(d, 1.0), simd::IfThenElse(simd::Eq(length, simd::Zero(d)),
                                                                  simd::Set(d, 1.0), length));
  x = mul(x, inverse);
  y = mul(y, inverse);
}

/// Sliding impulses from the present ones. Clears `safe` in lanes where the iteration is not to be
/// trusted.
template <class Mask>
HWY_INLINE V3 slide(const LocalLanes& local, const V3& start, int steps, Mask& safe) {
  const Tag d;
  const V* A = local.block;
  const V rho = add(simd::Max(A[3], A[5]), simd::Abs(A[4]));
  const V floor = mul(simd::Set(d, 0.1), A[0]);
  V ex = sub(mul(rho, start.y), local.u.y), ey = sub(mul(rho, start.z), local.u.z);
  normalise(ex, ey);
  V3 z;
  for (int step = 0;; ++step) {
    const V divisor = local.normal_block(ex, ey);
    safe = simd::Gt(divisor, floor);
    z.x = simd::Div(sub(simd::Zero(d), local.b.x), simd::Max(divisor, floor));
    const V radius = mul(local.mu, z.x);
    z.y = mul(radius, ex);
    z.z = mul(radius, ey);
    if (step == steps) return z;
    const V ut = add(add(local.b.y, mul(A[1], z.x)), add(mul(A[3], z.y), mul(A[4], z.z)));
    const V uo = add(add(local.b.z, mul(A[2], z.x)), add(mul(A[4], z.y), mul(A[5], z.z)));
    ex = sub(mul(rho, z.y), ut);
    ey = sub(mul(rho, z.z), uo);
    normalise(ex, ey);
  }
}

/// Exact, for single lanes.
inline void slide_one_by_one(const ContactBatch<3>& batch, int first, std::uint64_t which,
                             const V3& b, const V3& stick, const V3& start, V3& z) {
  HWY_ALIGN double bs[3][lanes], sticks[3][lanes], starts[3][lanes], zs[3][lanes];
  const auto spread = [](const V3& v, double(*to)[lanes]) {
    store(v.x, to[0]);
    store(v.y, to[1]);
    store(v.z, to[2]);
  };
  spread(b, bs);
  spread(stick, sticks);
  spread(start, starts);
  spread(z, zs);
  for (int lane = 0; lane < lanes; ++lane) {
    if (!(which >> lane & 1)) continue;
    const double b_one[3] = {bs[0][lane], bs[1][lane], bs[2][lane]};
    const double stick_one[3] = {sticks[0][lane], sticks[1][lane], sticks[2][lane]};
    double one[3] = {starts[0][lane], starts[1][lane], starts[2][lane]};
    slide_one(batch, first + lane, b_one, stick_one, one);
    for (int i = 0; i < 3; ++i) zs[i][lane] = one[i];
  }
  z = {load(zs[0]), load(zs[1]), load(zs[2])};
}

/// Solves the one-contact problems of lanes [first, first + lanes).
HWY_INLINE V3 solve_contacts(const ContactBatch<3>& batch, int first, const LocalLanes& local,
                             const V3& y) {
  const Tag d;
  const V zero = simd::Zero(d);
  V inverse[6];
  for (int k = 0; k < 6; ++k) inverse[k] = load(batch.inverse[k] + first);
  const V3 stick = sub(V3{zero, zero, zero}, product(inverse, local.b));
  const auto open = simd::Ge(local.b.x, zero);
  const V limit = mul(local.mu, simd::Max(stick.x, zero));
  const V tangential = add(mul(stick.y, stick.y), mul(stick.z, stick.z));
  const auto settled = simd::Or(open, simd::Le(tangential, mul(limit, limit)));
  V3 z = stick;
  if (!simd::AllTrue(d, settled)) {
    auto safe = settled;
    const V3 sliding = slide(local, y, 2, safe);
    z = {simd::IfThenElse(settled, stick.x, sliding.x),
         simd::IfThenElse(settled, stick.y, sliding.y),
         simd::IfThenElse(settled, stick.z, sliding.z)};
    if (const auto done = simd::Or(settled, safe); !simd::AllTrue(d, done)) {
      std::uint8_t bits[8] = {};
      simd::StoreMaskBits(d, simd::Not(done), bits);
      slide_one_by_one(batch, first, bits[0], local.b, stick, y, z);
    }
  }
  return {simd::IfThenZeroElse(open, z.x), simd::IfThenZeroElse(open, z.y),
          simd::IfThenZeroElse(open, z.z)};
}

/// Sums of each lane of a batch, added in one order for every width of registers.
struct LaneSums {
  HWY_ALIGN double squared[batch_width] = {}, along[batch_width] = {};
  SweepProgress total() const {
    SweepProgress sum;
    for (int i = 0; i < batch_width; ++i) {
      sum.squared += squared[i];
      sum.along += along[i];
    }
    return sum;
  }
};

/// Impulses of contacts whose A is diag(a_n, a_t, a_t): the sticking impulse, its tangential part
/// shortened to the cone. Exact, since u_t - A_tt y_t = b_t gives the direction of sliding at once.
HWY_INLINE Entries<3> solve_diagonal_contacts(const ContactBatch<3>& batch, int first,
                                              const Entries<3>& b) {
  const Tag d;
  const V zero = simd::Zero(d);
  const V normal = load(batch.inverse[0] + first), tangential = load(batch.inverse[3] + first);
  const auto closed = simd::Lt(b.e[0], zero);
  const V zn = simd::IfThenElseZero(closed, sub(zero, mul(normal, b.e[0])));
  const V zt = sub(zero, mul(tangential, b.e[1])), zo = sub(zero, mul(tangential, b.e[2]));
  const V limit = mul(load(batch.mu + first), zn);
  const V length = simd::Sqrt(add(mul(zt, zt), mul(zo, zo)));
  // limit / length where that is below 1, else 1: the quotient of the smaller and the length.
  const V ratio =
      simd::IfThenElse(simd::Lt(limit, length), simd::Div(limit, length), simd::Set(d, 1.0));
  const V share = simd::IfThenElseZero(closed, ratio);
  return {{zn, mul(share, zt), mul(share, zo)}};
}

/// How a contact's factor follows its updates (rigid_batches.h).
constexpr double least_relaxation = 0.1, relaxation_loss = 0.8, relaxation_gain = 1.01;

/// Impulses of contacts whose blocks are those of spheres, with the velocity u at impulses y.
HWY_INLINE Entries<3> solve_round(const ContactBatch<3>& batch, int first, const Entries<3>& u,
                                  const Entries<3>& y) {
  const V an = load(batch.block[0] + first), at = load(batch.block[3] + first);
  return solve_diagonal_contacts(
      batch, first, sub(u, Entries<3>{{mul(an, y.e[0]), mul(at, y.e[1]), mul(at, y.e[2])}}));
}

/// The same of any others.
HWY_INLINE Entries<3> solve_any(const ContactBatch<3>& batch, int first, const Entries<3>& u,
                                const Entries<3>& y) {
  LocalLanes local;
  for (int k = 0; k < 6; ++k) local.block[k] = load(batch.block[k] + first);
  local.mu = load(batch.mu + first);
  local.u = {u.e[0], u.e[1], u.e[2]};
  const V3 start{y.e[0], y.e[1], y.e[2]};
  local.b = sub(local.u, product(local.block, start));
  const V3 z = solve_contacts(batch, first, local, start);
  return {{z.x, z.y, z.z}};
}

/// Visits lanes [first, first + lanes); true when any of them has an impulse, or had one before.
template <bool isotropic, bool is_round, int D>
HWY_INLINE bool visit(ContactBatch<D>& batch, int first, const SweepSettings& settings,
                      BodyRecord* records, const BodyInertia* inertias, LaneSums& sums) {
  const Tag d;
  const V zero = simd::Zero(d);
  Group<isotropic> group(records, inertias, batch, first);
  const auto x = load_entries<D>(batch.impulse, first), last = load_entries<D>(batch.last, first);
  const auto y = add(x, mul(simd::Set(d, settings.beta), sub(x, last)));
  const auto u = add(add(group.velocity(batch, first), load_entries<D>(batch.bias, first)),
                     mul(load_entries<D>(batch.compliance, first), y));
  Entries<D> g;
  if constexpr (is_round)
    g = solve_round(batch, first, u, y);
  else
    g = solve_any(batch, first, u, y);
  Entries<D> step = sub(g, y);
  if (settings.damps) {
    const V own = load(batch.relaxation + first);
    const V relaxation = simd::IfThenElse(
        simd::Lt(dot(step, sub(g, x)), zero),
        simd::Max(simd::Set(d, least_relaxation), mul(own, simd::Set(d, relaxation_loss))),
        simd::Min(simd::Set(d, 1.0), mul(own, simd::Set(d, relaxation_gain))));
    store(relaxation, batch.relaxation + first);
    step = mul(mul(simd::Set(d, settings.omega), relaxation), step);
    g = add(y, step);
  }
  group.add_impulse(step, records, batch, first);
  store_entries(x, batch.last, first);
  store_entries(g, batch.impulse, first);
  const V weight = load(batch.weight + first);
  store(add(load(sums.squared + first), mul(weight, dot(step, step))), sums.squared + first);
  store(add(load(sums.along + first), mul(weight, dot(step, sub(g, x)))), sums.along + first);
  // Normal entries suffice: without them there is no friction.
  return !simd::AllTrue(d, simd::And(simd::Eq(g.e[0], zero), simd::Eq(x.e[0], zero)));
}

template <bool isotropic, bool is_round, int D>
HWY_INLINE bool visit_batch(ContactBatch<D>& batch, const SweepSettings& settings,
                            BodyRecord* records, const BodyInertia* inertias, LaneSums& sums) {
  bool awake = false;
  for (int first = 0; first < batch_width; first += lanes)
    awake |= visit<isotropic, is_round>(batch, first, settings, records, inertias, sums);
  return awake;
}

/// Visits the batches that are awake and notes which of them are so after the visit.
template <bool isotropic, int D>
SweepProgress sweep_batches(ContactBatch<D>* batches, Index count, std::uint8_t* is_awake,
                            const SweepSettings& settings, BodyRecord* records,
                            const BodyInertia* inertias) {
  LaneSums sums;
  for (Index k = 0; k < count; ++k) {
    if (!is_awake[k]) continue;
    is_awake[k] =
        batches[k].is_round
            ? visit_batch<isotropic, true>(batches[k], settings, records, inertias, sums)
            : visit_batch<isotropic, false>(batches[k], settings, records, inertias, sums);
  }
  return sums.total();
}

/// u = Dᵀ v + w + E x of lanes [first, first + lanes), to the places of their contacts.
template <int D>
inline void observe(const ContactBatch<D>& batch, int first, const BodyRecord* records, double* u) {
  const Group<true> group(records, nullptr, batch, first); // velocities need no inertia
  const auto x = load_entries<D>(batch.impulse, first);
  const auto value = add(add(group.velocity(batch, first), load_entries<D>(batch.bias, first)),
                         mul(load_entries<D>(batch.compliance, first), x));
  HWY_ALIGN double values[D][lanes];
  for (int i = 0; i < D; ++i) store(value.e[i], values[i]);
  for (int lane = 0; lane < lanes; ++lane) {
    const Index c = batch.contact[first + lane];
    for (int i = 0; i < D && c >= 0; ++i) u[D * static_cast<std::size_t>(c) + i] = values[i][lane];
  }
}

} // namespace talus::batch::TALUS_LANES
