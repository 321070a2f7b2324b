#include "talus/contact/cone_batch.h"

#include "talus/contact/projection_kernels.h"
#include "talus/contact/rolling_set.h"

#include <hwy/highway.h>

namespace talus {
namespace {

namespace simd = hwy::HWY_NAMESPACE;

/// At most four contacts per step: wider lanes gain nothing, as square root and division take as
/// long per lane.
using Lanes = simd::CappedTag<double, 4>;
using Values = simd::VFromD<Lanes>;

// Products and sums are rounded apart, as in project_on_cone<3>: no fused multiply-add here.
const Index lane_count = static_cast<Index>(simd::Lanes(Lanes()));

/// |(t, o)| lane by lane; false when a lane needs the care of planar_length.
bool planar_lengths(Values t, Values o, Values& length) {
  const Lanes d;
  const Values square = simd::Add(simd::Mul(t, t), simd::Mul(o, o));
  const auto safe =
      simd::And(simd::Gt(square, simd::Set(d, 1e-290)), simd::Lt(square, simd::Set(d, 1e300)));
  const auto zero = simd::Eq(simd::Add(simd::Abs(t), simd::Abs(o)), simd::Zero(d));
  length = simd::Sqrt(square);
  return simd::AllTrue(d, simd::Or(safe, zero));
}

/// The branches of project_on_cone<3> as selections.
bool project_lanes(const double* mu_of, double* x) {
  const Lanes d;
  Values n, t, o, length;
  simd::LoadInterleaved3(d, x, n, t, o);
  if (!planar_lengths(t, o, length)) return false;
  const Values mu = simd::LoadU(d, mu_of), one = simd::Set(d, 1.0), zero = simd::Zero(d);
  const auto inside = simd::Le(length, simd::Mul(mu, n));
  const Values on_ray =
      simd::Div(simd::Add(simd::Mul(mu, length), n), simd::Add(simd::Mul(mu, mu), one));
  const Values height = simd::IfThenElse(inside, n, on_ray);
  const Values kept = simd::IfThenElse(simd::Lt(height, zero), zero, height);
  const Values divisor = simd::IfThenElse(simd::Eq(length, zero), one, length);
  const Values shrink = simd::IfThenElse(inside, one, simd::Div(simd::Mul(mu, kept), divisor));
  simd::StoreInterleaved3(kept, simd::Mul(shrink, t), simd::Mul(shrink, o), d, x);
  // NaN in n alone: no comparison above notices it, and it passes through height.
  return true;
}

bool tilt_lanes(const double* mu_of, const double* u, double* x) {
  const Lanes d;
  Values n, t, o, length;
  simd::LoadInterleaved3(d, u, n, t, o);
  if (!planar_lengths(t, o, length)) return false;
  simd::LoadInterleaved3(d, x, n, t, o);
  n = simd::Sub(n, simd::Mul(simd::LoadU(d, mu_of), length));
  simd::StoreInterleaved3(n, t, o, d, x);
  return true;
}

constexpr int most_groups = 3;
template <int d>
constexpr int groups = d == 6 ? 3 : 2;

/// Rows to columns of four lanes.
void transpose(Values& a, Values& b, Values& c, Values& d) {
  const Lanes lanes;
  const Values ab_even = simd::InterleaveLower(lanes, a, b);
  const Values ab_odd = simd::InterleaveUpper(lanes, a, b);
  const Values cd_even = simd::InterleaveLower(lanes, c, d);
  const Values cd_odd = simd::InterleaveUpper(lanes, c, d);
  a = simd::ConcatLowerLower(lanes, cd_even, ab_even);
  b = simd::ConcatLowerLower(lanes, cd_odd, ab_odd);
  c = simd::ConcatUpperUpper(lanes, cd_even, ab_even);
  d = simd::ConcatUpperUpper(lanes, cd_odd, ab_odd);
}

/// Entry i of each contact of a batch in row i.
template <int d>
struct Transposed {
  static constexpr bool four = simd::MaxLanes(Lanes()) == 4;
  static constexpr int second = d - 4; ///< The last four entries begin here.
  Values row[d];

  explicit Transposed(const double* x) {
    const Lanes lanes;
    if constexpr (four) {
      Values end[4];
      for (int c = 0; c < 4; ++c) {
        row[c] = simd::LoadU(lanes, x + d * c);
        end[c] = simd::LoadU(lanes, x + d * c + second);
      }
      transpose(row[0], row[1], row[2], row[3]);
      transpose(end[0], end[1], end[2], end[3]);
      for (int i = 4; i < d; ++i) row[i] = end[i - second];
    } else {
      double entries[d][4] = {};
      for (Index c = 0; c < lane_count; ++c)
        for (int i = 0; i < d; ++i) entries[i][c] = x[d * c + i];
      for (int i = 0; i < d; ++i) row[i] = simd::LoadU(lanes, entries[i]);
    }
  }
  void store(double* x) const {
    const Lanes lanes;
    if constexpr (four) {
      Values begin[4], end[4];
      for (int i = 0; i < 4; ++i) {
        begin[i] = row[i];
        end[i] = row[second + i];
      }
      transpose(begin[0], begin[1], begin[2], begin[3]);
      transpose(end[0], end[1], end[2], end[3]);
      for (int c = 0; c < 4; ++c) {
        simd::StoreU(begin[c], lanes, x + d * c);
        simd::StoreU(end[c], lanes, x + d * c + second);
      }
    } else {
      double entries[d][4] = {};
      for (int i = 0; i < d; ++i) simd::StoreU(row[i], lanes, entries[i]);
      for (Index c = 0; c < lane_count; ++c)
        for (int i = 0; i < d; ++i) x[d * c + i] = entries[i][c];
    }
  }
};

/// Lengths of the groups of components; false when a lane needs care.
template <int d>
bool group_lengths(const Transposed<d>& x, Values* length) {
  const bool safe = planar_lengths(x.row[1], x.row[2], length[0]) &&
                    planar_lengths(x.row[3], x.row[4], length[1]);
  if (d == 6) length[2] = simd::Abs(x.row[d - 1]);
  return safe;
}

template <int d>
void load_radii(const RollingRadii& radii, Index first, Values* radius) {
  const Lanes lanes;
  radius[0] = simd::LoadU(lanes, radii.mu + first);
  radius[1] = simd::LoadU(lanes, radii.rolling + first);
  if (d == 6) radius[2] = simd::LoadU(lanes, radii.spinning + first);
}

/// project_on_rolling_cone with the same order of sums: masked terms are zeros.
template <int d>
bool project_rolling_lanes(const RollingRadii& radii, Index first, double* x) {
  const Lanes lanes;
  const Values zero = simd::Zero(lanes), one = simd::Set(lanes, 1.0);
  Transposed<d> entries(x);
  const Values n = entries.row[0];
  Values length[most_groups], radius[most_groups], reach[most_groups], square[most_groups];
  if (!group_lengths(entries, length)) return false;
  load_radii<d>(radii, first, radius);
  simd::MFromD<Lanes> active[most_groups];
  Values sum = n;
  for (int i = 0; i < groups<d>; ++i) {
    reach[i] = simd::Mul(radius[i], length[i]);
    square[i] = simd::Mul(radius[i], radius[i]);
    active[i] = simd::Eq(zero, zero);
    sum = simd::Add(sum, reach[i]);
  }
  if (!simd::AllTrue(lanes, simd::Lt(simd::Abs(sum), simd::Set(lanes, 1e300)))) return false;
  const auto apex = simd::Le(sum, zero);
  Values height = zero;
  for (int round = 0; round <= groups<d>; ++round) {
    Values top = n, divisor = one;
    for (int i = 0; i < groups<d>; ++i) {
      top = simd::Add(top, simd::IfThenElseZero(active[i], reach[i]));
      divisor = simd::Add(divisor, simd::IfThenElseZero(active[i], square[i]));
    }
    height = simd::IfThenZeroElse(apex, simd::Div(top, divisor));
    auto leaves = simd::Lt(one, zero);
    for (int i = 0; i < groups<d>; ++i) {
      const auto inside = simd::And(active[i], simd::Lt(length[i], simd::Mul(radius[i], height)));
      leaves = simd::Or(leaves, inside);
      active[i] = simd::AndNot(inside, active[i]);
    }
    if (simd::AllFalse(lanes, leaves)) break;
  }
  constexpr int first_of[] = {1, 3, 5, 6};
  for (int i = 0; i < groups<d>; ++i) {
    const Values bound = simd::Mul(radius[i], height);
    const auto beyond = simd::And(active[i], simd::Gt(length[i], bound));
    const Values share =
        simd::IfThenElse(beyond, simd::Div(bound, simd::IfThenElse(beyond, length[i], one)), one);
    for (int j = first_of[i]; j < first_of[i + 1]; ++j)
      entries.row[j] = simd::Mul(share, entries.row[j]);
  }
  entries.row[0] = height;
  entries.store(x);
  return true;
}

template <int d>
bool tilt_rolling_lanes(const RollingRadii& radii, Index first, const double* u, double* x) {
  const Transposed<d> velocity(u);
  Values length[most_groups], radius[most_groups];
  if (!group_lengths(velocity, length)) return false;
  load_radii<d>(radii, first, radius);
  Values sum = simd::Zero(Lanes());
  for (int i = 0; i < groups<d>; ++i) sum = simd::Add(sum, simd::Mul(radius[i], length[i]));
  alignas(64) double tilt[4] = {};
  simd::Store(sum, Lanes(), tilt);
  for (Index c = 0; c < lane_count; ++c) x[d * c] -= tilt[c];
  return true;
}

ContactSet rolling_contact(const RollingRadii& radii, int dimension, Index c) {
  return {FrictionSet{FrictionKind::rolling},      dimension, radii.mu[c], 0.0, radii.rolling[c],
          dimension == 6 ? radii.spinning[c] : 0.0};
}

/// lanes(c) handles lane_count contacts from c on, or refuses; single(c) one.
template <class InLanes, class Single>
void in_lanes(Index count, InLanes&& lanes, Single&& single) {
  Index c = 0;
  while (c + lane_count <= count) {
    if (!lanes(c))
      for (Index k = c; k < c + lane_count; ++k) single(k);
    c += lane_count;
  }
  for (; c < count; ++c) single(c);
}

} // namespace

void project_on_rolling_cones(const RollingRadii& radii, int d, Index count, double* x) {
  in_lanes(
      count,
      [&](Index c) {
        return d == 6 ? project_rolling_lanes<6>(radii, c, x + 6 * c)
                      : project_rolling_lanes<5>(radii, c, x + 5 * c);
      },
      [&](Index c) {
        project_on_rolling_cone(rolling_contact(radii, d, c), x + d * c, x + d * c);
      });
}

void subtract_rolling_tilts(const RollingRadii& radii, int d, const double* u, Index count,
                            double* x) {
  in_lanes(
      count,
      [&](Index c) {
        return d == 6 ? tilt_rolling_lanes<6>(radii, c, u + 6 * c, x + 6 * c)
                      : tilt_rolling_lanes<5>(radii, c, u + 5 * c, x + 5 * c);
      },
      [&](Index c) { x[d * c] -= rolling_tilt(rolling_contact(radii, d, c), u + d * c); });
}

void project_on_cones(const double* mu, Index count, double* x) {
  Index c = 0;
  const auto one_by_one = [&](Index end) {
    for (; c < end; ++c) project_on_cone<3>(mu[c], x + 3 * c, x + 3 * c);
  };
  while (c + lane_count <= count)
    if (project_lanes(mu + c, x + 3 * c))
      c += lane_count;
    else
      one_by_one(c + lane_count);
  one_by_one(count);
}

void subtract_cone_tilts(const double* mu, const double* u, Index count, double* x) {
  Index c = 0;
  const auto one_by_one = [&](Index end) {
    for (; c < end; ++c) x[3 * c] -= mu[c] * tangential_length<3>(u + 3 * c);
  };
  while (c + lane_count <= count)
    if (tilt_lanes(mu + c, u + 3 * c, x + 3 * c))
      c += lane_count;
    else
      one_by_one(c + lane_count);
  one_by_one(count);
}

} // namespace talus
