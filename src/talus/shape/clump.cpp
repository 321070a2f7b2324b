// Clumps: compounds with the mass properties of the union of their parts.

#include "talus/shape/clump.h"

#include "talus/core/error.h"
#include "talus/shape/immersion.h"
#include "talus/shape/mass_properties.h"
#include "talus/shape/ray_interval.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace talus {

namespace {

constexpr double pi = std::numbers::pi;

Mat3 outer(const Vec3& a, const Vec3& b) {
  return Mat3::columns(b.x * a, b.y * a, b.z * a);
}

/// ∫ 1, ∫ r and ∫ r rᵀ over a solid, with r from a common origin.
struct Moments {
  double volume = 0;
  Vec3 first;
  Mat3 second;

  void add(double sign, double v, const Vec3& centre, const Mat3& about_centre) {
    volume += sign * v;
    first += sign * v * centre;
    second = second + sign * (about_centre + v * outer(centre, centre));
  }
  SolidMoments solid(const Vec3& origin) const {
    const Vec3 centre = first / volume;
    const Mat3 s = second + -volume * outer(centre, centre);
    const double trace = s(0, 0) + s(1, 1) + s(2, 2);
    return {.volume = volume,
            .centre = origin + centre,
            .inertia = trace * Mat3::identity() + -1.0 * s};
  }
};

struct Ball {
  Vec3 centre;
  double radius;
};

void add_ball(const Ball& ball, Moments& moments) {
  const double r = ball.radius, volume = 4 * pi / 3 * r * r * r;
  moments.add(1, volume, ball.centre, (volume * r * r / 5) * Mat3::identity());
}

/// Takes away the cap of the ball beyond the distance a from its centre along the unit vector e.
void take_cap(const Ball& ball, const Vec3& e, double a, Moments& moments) {
  const double r = ball.radius;
  // π ∫ zᵏ (r² - z²) dz from a to r, and π/4 ∫ (r² - z²)² dz.
  const auto power = [](double x, int n) {
    double result = 1;
    for (int i = 0; i < n; ++i) result *= x;
    return result;
  };
  const auto integral = [&](int k) {
    return pi * (r * r * (power(r, k + 1) - power(a, k + 1)) / (k + 1) -
                 (power(r, k + 3) - power(a, k + 3)) / (k + 3));
  };
  const double volume = integral(0), along = integral(1) / volume;
  const double second = integral(2) - volume * along * along;
  const double across = pi / 4 *
                        (r * r * r * r * (r - a) - 2 * r * r * (power(r, 3) - power(a, 3)) / 3 +
                         (power(r, 5) - power(a, 5)) / 5);
  moments.add(-1, volume, ball.centre + along * e,
              across * Mat3::identity() + (second - across) * outer(e, e));
}

bool touch(const Ball& a, const Ball& b) {
  return norm(b.centre - a.centre) < a.radius + b.radius;
}
bool contains(const Ball& outside, const Ball& inside) {
  return norm(inside.centre - outside.centre) + inside.radius <= outside.radius;
}

/// The distance from a's centre to the plane in which the two spheres meet.
double plane_distance(const Ball& a, const Ball& b) {
  const double d = norm(b.centre - a.centre);
  return (d * d + a.radius * a.radius - b.radius * b.radius) / (2 * d);
}

/// Whether the three balls have points in common. If they do, some lie in the plane of the centres,
/// and among them one where two of the circles there meet (no ball contains another).
bool have_common_point(const Ball& a, const Ball& b, const Ball& c) {
  const auto meets = [](const Ball& p, const Ball& q, const Ball& third) {
    const Vec3 e = normalized(q.centre - p.centre);
    const double along = plane_distance(p, q);
    const double half = std::sqrt(std::max(0.0, (p.radius - along) * (p.radius + along)));
    const Vec3 towards = third.centre - p.centre;
    const Vec3 side = towards - dot(towards, e) * e;
    const Vec3 unit = norm(side) > 1e-12 * p.radius ? normalized(side) : orthogonal_unit(e);
    for (const double sign : {-1.0, 1.0})
      if (norm(p.centre + along * e + sign * half * unit - third.centre) < third.radius)
        return true;
    return false;
  };
  return meets(a, b, c) || meets(a, c, b) || meets(b, c, a);
}

/// The balls that no other contains, of equal ones the first.
std::vector<Ball> outer_balls(const std::vector<Ball>& balls) {
  std::vector<Ball> kept;
  for (std::size_t i = 0; i < balls.size(); ++i) {
    bool inside = false;
    for (std::size_t j = 0; j < balls.size() && !inside; ++j)
      inside = i != j && contains(balls[j], balls[i]) && (j < i || !contains(balls[i], balls[j]));
    if (!inside) kept.push_back(balls[i]);
  }
  return kept;
}

constexpr std::size_t most_exact_balls = 200;

bool has_triple_overlap(const std::vector<Ball>& balls) {
  for (std::size_t i = 0; i < balls.size(); ++i)
    for (std::size_t j = i + 1; j < balls.size(); ++j) {
      if (!touch(balls[i], balls[j])) continue;
      for (std::size_t k = j + 1; k < balls.size(); ++k)
        if (touch(balls[i], balls[k]) && touch(balls[j], balls[k]) &&
            have_common_point(balls[i], balls[j], balls[k]))
          return true;
    }
  return false;
}

/// Σ balls - Σ lenses, each of which is two caps.
std::optional<SolidMoments> exact_moments(const std::vector<Ball>& all, const Vec3& origin) {
  const std::vector<Ball> balls = outer_balls(all);
  if (balls.size() > most_exact_balls || has_triple_overlap(balls)) return std::nullopt;
  Moments moments;
  for (const Ball& ball : balls) add_ball({ball.centre - origin, ball.radius}, moments);
  for (std::size_t i = 0; i < balls.size(); ++i)
    for (std::size_t j = i + 1; j < balls.size(); ++j) {
      if (!touch(balls[i], balls[j])) continue;
      const Ball a{balls[i].centre - origin, balls[i].radius};
      const Ball b{balls[j].centre - origin, balls[j].radius};
      const Vec3 e = normalized(b.centre - a.centre);
      take_cap(a, e, plane_distance(a, b), moments);
      take_cap(b, -e, plane_distance(b, a), moments);
    }
  return moments.solid(origin);
}

/// The integral over rays along z in the middles of the cells of a grid, n along the longer side.
/// Along a ray it is exact.
Moments ray_moments(const std::vector<Compound::Child>& children, const Bounds& bounds, int n) {
  const Vec3 size = bounds.extents(), origin = bounds.centre();
  const double cell = std::max(size.x, size.y) / n;
  const auto columns = static_cast<int>(std::ceil(size.x / cell)),
             rows = static_cast<int>(std::ceil(size.y / cell));
  const double dx = size.x / columns, dy = size.y / rows, area = dx * dy;
  std::vector<Bounds> boxes;
  for (const Compound::Child& child : children)
    boxes.push_back(bounds_of(*child.shape, child.pose));
  Moments sum;
  std::vector<RayInterval> intervals;
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < columns; ++column) {
      const double x = bounds.lower.x + (column + 0.5) * dx;
      const double y = bounds.lower.y + (row + 0.5) * dy;
      intervals.clear();
      for (std::size_t c = 0; c < children.size(); ++c) {
        if (x < boxes[c].lower.x || x > boxes[c].upper.x || y < boxes[c].lower.y ||
            y > boxes[c].upper.y)
          continue;
        const RayInterval hit =
            ray_interval(*children[c].shape, children[c].pose, {x, y, origin.z}, {0, 0, 1});
        if (hit.begin < hit.end) intervals.push_back(hit);
      }
      std::ranges::sort(intervals, {}, &RayInterval::begin);
      for (std::size_t i = 0; i < intervals.size();) {
        const double begin = intervals[i].begin;
        double end = intervals[i].end;
        for (++i; i < intervals.size() && intervals[i].begin <= end; ++i)
          end = std::max(end, intervals[i].end);
        const double length = end - begin, volume = area * length;
        const Vec3 centre{x - origin.x, y - origin.y, 0.5 * (begin + end)};
        sum.add(1, volume, centre,
                (volume / 12) * Mat3::diagonal({dx * dx, dy * dy, length * length}));
      }
    }
  return sum;
}

SolidMoments integrated_moments(const std::vector<Compound::Child>& children) {
  Bounds bounds;
  for (const Compound::Child& child : children) bounds.include(bounds_of(*child.shape, child.pose));
  constexpr int rays = 400; // along a side
  const Moments coarse = ray_moments(children, bounds, rays / 2);
  const Moments fine = ray_moments(children, bounds, rays);
  SolidMoments solid = fine.solid(bounds.centre());
  solid.error = std::abs(fine.volume - coarse.volume) / fine.volume;
  return solid;
}

double sum_of_volumes(const std::vector<Compound::Child>& children) {
  double sum = 0;
  for (const Compound::Child& child : children)
    sum += part_below(*child.shape, child.pose, {0, 0, 1}, Bounds::inf).volume;
  return sum;
}

} // namespace

std::optional<SolidMoments> moments_with_clumps(const std::vector<Compound::Child>& children) {
  const auto clump_in = [](const Compound::Child& child) -> const SolidMoments* {
    const auto* compound = std::get_if<Compound>(&child.shape->geometry);
    return compound && compound->solid ? &*compound->solid : nullptr;
  };
  if (std::ranges::none_of(children, clump_in)) return std::nullopt;
  MassProperties total;
  SolidMoments moments;
  for (const Compound::Child& child : children) {
    const MassProperties part = mass_properties(*child.shape, 1);
    total = combined(total, transformed(part, child.pose));
    const SolidMoments* clump = clump_in(child);
    moments.sum_of_parts += clump ? clump->sum_of_parts : part.mass;
    if (clump) moments.error = std::max(moments.error, clump->error);
  }
  moments.volume = total.mass;
  moments.centre = total.centre;
  moments.inertia = total.inertia;
  return moments;
}

ShapePtr make_clump(const std::vector<Compound::Child>& given, SolidMoments moments) {
  Compound compound = std::get<Compound>(make_compound(given)->geometry);
  if (!(moments.volume > 0) || !std::isfinite(moments.volume) || !is_finite(moments.centre))
    throw InvalidArgument(
        fmt::format("clump: its volume is {}, it must be positive and finite", moments.volume));
  moments.sum_of_parts = sum_of_volumes(compound.children);
  if (!(moments.sum_of_parts > 0)) throw InvalidArgument("clump: its parts have no volume");
  compound.solid = moments;
  return std::make_shared<Shape>(Shape{std::move(compound)});
}

ShapePtr make_clump(const std::vector<Compound::Child>& given) {
  const ShapePtr made = make_compound(given);
  const std::vector<Compound::Child>& children = std::get<Compound>(made->geometry).children;
  std::vector<Ball> balls;
  for (const Compound::Child& child : children) {
    if (!is_convex_body(kind_of(*child.shape)))
      throw InvalidArgument(fmt::format(
          "clump: its parts must be spheres, boxes, capsules, cylinders, ellipsoids or convex "
          "hulls, not {}",
          name_of(kind_of(*child.shape))));
    if (const auto* sphere = std::get_if<Sphere>(&child.shape->geometry))
      balls.push_back({child.pose.position, sphere->radius});
  }
  std::optional<SolidMoments> moments;
  if (balls.size() == children.size()) moments = exact_moments(balls, balls.front().centre);
  return make_clump(given, moments ? *moments : integrated_moments(children));
}

} // namespace talus
