#include "talus/contact/cone_batch.h"

#include "talus/contact/projection_kernels.h"

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

} // namespace

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
