#include "talus/collide/convex/segments.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace talus {
namespace {

/// The parameter of the closest point of a segment.
double parameter_on(const Vec3& from, const Vec3& along, const Vec3& point) {
  const double squared = dot(along, along);
  return squared > 0 ? std::clamp(dot(point - from, along) / squared, 0.0, 1.0) : 0.0;
}

} // namespace

SegmentPoints closest_on_segments(const Vec3& p0, const Vec3& p1, const Vec3& q0, const Vec3& q1) {
  const Vec3 u = p1 - p0, v = q1 - q0, r = p0 - q0;
  const double uu = dot(u, u), vv = dot(v, v), uv = dot(u, v), ur = dot(u, r), vr = dot(v, r);
  const double determinant = uu * vv - uv * uv;
  SegmentPoints best;
  // Minimise over s for the line of q, clamp, then t for that s, clamp, and s again for that t.
  best.s =
      determinant > 1e-14 * uu * vv ? std::clamp((uv * vr - vv * ur) / determinant, 0.0, 1.0) : 0.5;
  best.t = vv > 0 ? std::clamp((uv * best.s + vr) / vv, 0.0, 1.0) : 0;
  best.s = uu > 0 ? std::clamp((uv * best.t - ur) / uu, 0.0, 1.0) : 0;
  best.on_p = p0 + best.s * u;
  best.on_q = q0 + best.t * v;
  return best;
}

bool points_beside(const Vec3 (&p)[2], const Vec3 (&q)[2], const SegmentPoints& closest,
                   double reach, SidePoints& before, SidePoints& behind) {
  using Limit = SidePoints::Limit;
  const Vec3 u = p[1] - p[0], v = q[1] - q[0];
  const double uu = dot(u, u);
  if (!(uu > 0)) return false;
  const double s[2] = {dot(q[0] - p[0], u) / uu, dot(q[1] - p[0], u) / uu};
  const int low = s[0] <= s[1] ? 0 : 1, high = 1 - low;
  if (!(std::min(1.0, s[high]) > std::max(0.0, s[low]))) return false;
  const auto at = [&](double parameter) {
    const Vec3 point = p[0] + parameter * u;
    const double t = parameter_on(q[0], v, point);
    return SegmentPoints{parameter, t, point, q[0] + t * v};
  };
  const auto end_of_q_at = [&](int end) {
    return SegmentPoints{s[end], static_cast<double>(end), p[0] + s[end] * u, q[end]};
  };
  const double share = reach / std::sqrt(uu);
  const double least = closest.s - share, most = closest.s + share;
  if (s[low] > std::max(0.0, least))
    before = {end_of_q_at(low), Limit::end_of_q, low};
  else
    before =
        least > 0 ? SidePoints{at(least), Limit::reach, 0} : SidePoints{at(0), Limit::end_of_p, 0};
  if (s[high] < std::min(1.0, most))
    behind = {end_of_q_at(high), Limit::end_of_q, high};
  else
    behind =
        most < 1 ? SidePoints{at(most), Limit::reach, 1} : SidePoints{at(1), Limit::end_of_p, 1};
  return true;
}

double reach_beside(const Vec3& u, const Vec3& v, double distance) {
  const double sine = norm(cross(u, v)) / (norm(u) * norm(v));
  return sine > 0 ? 0.5 * distance / sine : std::numeric_limits<double>::infinity();
}

} // namespace talus
