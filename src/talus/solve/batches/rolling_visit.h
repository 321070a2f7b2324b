#pragma once
// The one-contact problems of several contacts with moments (rigid_batches.h), as many at a time as
// a register holds.
//
// Both kinds of solves are in contact/rolling_step.h: spheres in closed form, or nearly so; any
// other bodies by Newton steps from their present impulses, where contacts that friction nearly
// lifts are left to solve_local_contact.

#include "talus/contact/rolling_step.h"
#include "talus/solve/batches/contact_lanes.h"
#include "talus/solve/batches/single_contacts.h"

namespace talus::batch::TALUS_LANES {

/// What rolling_step.h asks of a number, lane by lane.
struct Lane {
  V v;
};
struct LaneMask {
  simd::MFromD<Tag> m;
};
inline Lane operator+(Lane a, Lane b) {
  return {simd::Add(a.v, b.v)};
}
inline Lane operator-(Lane a, Lane b) {
  return {simd::Sub(a.v, b.v)};
}
inline Lane operator*(Lane a, Lane b) {
  return {simd::Mul(a.v, b.v)};
}
inline Lane operator/(Lane a, Lane b) {
  return {simd::Div(a.v, b.v)};
}
inline Lane root(Lane a) {
  return {simd::Sqrt(a.v)};
}
inline Lane magnitude(Lane a) {
  return {simd::Abs(a.v)};
}
inline Lane smaller(Lane a, Lane b) {
  return {simd::Min(a.v, b.v)};
}
inline Lane larger(Lane a, Lane b) {
  return {simd::Max(a.v, b.v)};
}
inline LaneMask is_less(Lane a, Lane b) {
  return {simd::Lt(a.v, b.v)};
}
inline LaneMask is_at_most(Lane a, Lane b) {
  return {simd::Le(a.v, b.v)};
}
inline LaneMask both(LaneMask a, LaneMask b) {
  return {simd::And(a.m, b.m)};
}
inline LaneMask either(LaneMask a, LaneMask b) {
  return {simd::Or(a.m, b.m)};
}
inline Lane choose(LaneMask condition, Lane a, Lane b) {
  return {simd::IfThenElse(condition.m, a.v, b.v)};
}
inline Lane fill_with(Lane, double value) {
  return {simd::Set(Tag(), value)};
}
inline bool is_everywhere(LaneMask mask) {
  return simd::AllTrue(Tag(), mask.m);
}
inline Lane lane(const BatchLanes& from, int first) {
  return {load(from + first)};
}

inline rolling::RoundBlock<Lane> round_block(const BatchLanes* triangle, int first) {
  return {lane(triangle[0], first), lane(triangle[6], first), lane(triangle[12], first),
          lane(triangle[15], first), lane(triangle[20], first)};
}

/// Impulses of spheres with the velocity u at impulses y.
HWY_INLINE Entries<6> solve_round(const ContactBatch<6>& batch, int first, const Entries<6>& u,
                                  const Entries<6>& y) {
  const rolling::RoundBlock<Lane> A = round_block(batch.block, first);
  Lane v[6], start[6], z[6];
  for (int i = 0; i < 6; ++i) {
    v[i] = {u.e[i]};
    start[i] = {y.e[i]};
  }
  // Velocities without the contact's own impulses.
  const Lane b[6] = {v[0] - A.n * start[0],
                     v[1] - (A.t * start[1] - A.coupling * start[4]),
                     v[2] - (A.t * start[2] + A.coupling * start[3]),
                     v[3] - (A.coupling * start[2] + A.m * start[3]),
                     v[4] - (A.m * start[4] - A.coupling * start[1]),
                     v[5] - A.s * start[5]};
  const Lane radius[3] = {lane(batch.mu, first), lane(batch.rolling, first),
                          lane(batch.spinning, first)};
  rolling::solve_spheres(A, round_block(batch.inverse, first), radius, b, start, z);
  return {{z[0].v, z[1].v, z[2].v, z[3].v, z[4].v, z[5].v}};
}

/// Contact by contact, for single lanes.
inline void solve_one_by_one(const ContactBatch<6>& batch, int first, std::uint64_t which,
                             const Lane* b, const Entries<6>& start, Lane* z) {
  HWY_ALIGN double bs[6][lanes], starts[6][lanes], zs[6][lanes];
  for (int i = 0; i < 6; ++i) {
    store(b[i].v, bs[i]);
    store(start.e[i], starts[i]);
    store(z[i].v, zs[i]);
  }
  for (int lane = 0; lane < lanes; ++lane) {
    if (!(which >> lane & 1)) continue;
    double one[6], b_one[6];
    for (int i = 0; i < 6; ++i) {
      one[i] = starts[i][lane];
      b_one[i] = bs[i][lane];
    }
    solve_one(batch, first + lane, b_one, one);
    for (int i = 0; i < 6; ++i) zs[i][lane] = one[i];
  }
  for (int i = 0; i < 6; ++i) z[i] = {load(zs[i])};
}

/// Newton steps of one visit. The next visit goes on from what they reach.
constexpr int rolling_steps = 1;
/// Below this share of A_nn the divisor of z_n is not trusted. Where all moments stick, it is 1/m
/// of the body, a sixth of A_nn at the corner of a box.
constexpr double least_rolling_divisor = 0.01;

/// The same of any other bodies.
HWY_INLINE Entries<6> solve_any(const ContactBatch<6>& batch, int first, const Entries<6>& u,
                                const Entries<6>& y) {
  Lane A[21], b[6], z[6];
  for (int k = 0; k < 21; ++k) A[k] = lane(batch.block[k], first);
  const Lane zero = fill_with(A[0], 0.0);
  for (int i = 0; i < 6; ++i) {
    Lane own = A[rolling::place<6>(i, 0)] * Lane{y.e[0]};
    for (int j = 1; j < 6; ++j) own = own + A[rolling::place<6>(i, j)] * Lane{y.e[j]};
    b[i] = Lane{u.e[i]} - own;
  }
  const Lane radius[3] = {lane(batch.mu, first), lane(batch.rolling, first),
                          lane(batch.spinning, first)};
  for (int i = 0; i < 6; ++i) {
    Lane sum = lane(batch.inverse[rolling::place<6>(i, 0)], first) * b[0];
    for (int j = 1; j < 6; ++j)
      sum = sum + lane(batch.inverse[rolling::place<6>(i, j)], first) * b[j];
    z[i] = zero - sum;
  }
  const LaneMask open{simd::Ge(b[0].v, zero.v)};
  const Lane normal = larger(z[0], zero);
  using Pair = rolling::Planar<Lane>;
  const LaneMask sticks = both(is_within(Pair{z[1], z[2]}, radius[0] * normal),
                               both(is_within(Pair{z[3], z[4]}, radius[1] * normal),
                                    is_within(Pair{z[5], zero}, radius[2] * normal)));
  const LaneMask settled = either(open, sticks);
  if (!is_everywhere(settled)) {
    const Lane present{y.e[0]};
    const LaneMask pressed = is_less(zero, present);
    Lane slid[6] = {choose(pressed, present, zero - b[0] / A[0])};
    for (int i = 1; i < 6; ++i) slid[i] = choose(pressed, Lane{y.e[i]}, zero);
    rolling::clip<6>(radius, slid);
    LaneMask safe = settled;
    for (int k = 0; k < rolling_steps; ++k) {
      Lane velocity[6];
      rolling::velocity<6>(A, b, slid, velocity);
      const auto states = rolling::states_at<6>(A, radius, slid, velocity);
      const Lane divisor = rolling::advance<6>(A, radius, b, states, slid);
      const LaneMask trusted = both(is_less(fill_with(zero, least_rolling_divisor) * A[0], divisor),
                                    is_less(zero, slid[0]));
      safe = k == 0 ? trusted : both(safe, trusted);
    }
    rolling::clip<6>(radius, slid);
    for (int i = 0; i < 6; ++i) z[i] = choose(settled, z[i], slid[i]);
    if (const LaneMask done = either(settled, safe); !is_everywhere(done)) {
      std::uint8_t bits[8] = {};
      simd::StoreMaskBits(Tag(), simd::Not(done.m), bits);
      solve_one_by_one(batch, first, bits[0], b, y, z);
    }
  }
  Entries<6> result;
  for (int i = 0; i < 6; ++i) result.e[i] = simd::IfThenZeroElse(open.m, z[i].v);
  return result;
}

} // namespace talus::batch::TALUS_LANES
