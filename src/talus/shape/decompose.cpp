#include "talus/shape/decompose.h"

#include "talus/core/elementary.h"
#include "talus/core/error.h"
#include "talus/shape/cut_solid.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <set>

namespace talus {

namespace {

/// Of points that do not span a volume: 0.
double hull_volume_of(const std::vector<Vec3>& points) {
  try {
    return mass_properties(*make_convex_hull(points), 1).mass;
  } catch (const InvalidArgument&) {
    return 0;
  }
}

/// At most `most` of the points, those farthest in evenly spread directions (on a spiral). The hull
/// of many points in general differs from theirs by little.
std::vector<Vec3> farthest_points(const std::vector<Vec3>& points, std::size_t most) {
  if (points.size() <= most) return points;
  const double golden = std::numbers::pi * (3 - std::sqrt(5.0));
  std::set<std::size_t> chosen;
  for (std::size_t i = 0; i < most; ++i) {
    const double z = 1 - (2 * static_cast<double>(i) + 1) / static_cast<double>(most);
    const double r = std::sqrt(1 - z * z);
    const SineCosine turn = sine_cosine(golden * static_cast<double>(i));
    const Vec3 direction{r * turn.cosine, r * turn.sine, z};
    std::size_t best = 0;
    for (std::size_t p = 1; p < points.size(); ++p)
      if (dot(direction, points[p]) > dot(direction, points[best])) best = p;
    chosen.insert(best);
  }
  std::vector<Vec3> kept;
  for (const std::size_t i : chosen) kept.push_back(points[i]);
  return kept;
}

/// The excess of a part as far as `points_to_try` points tell: quick enough to try many planes.
double estimated_excess(const CutSolid& part, const TriangleMesh& whole) {
  constexpr std::size_t points_to_try = 80;
  return hull_volume_of(farthest_points(extreme_candidates(part, whole), points_to_try)) -
         part.volume;
}

struct Part {
  CutSolid solid;
  double excess = 0;
  bool final = false; ///< There is no plane to cut it with.
};

/// Planes of faces at concave edges, most of the whole mesh, evenly taken from their list.
std::vector<CutPlane> concave_planes(const TriangleMesh& mesh) {
  constexpr std::size_t most = 400;
  std::vector<CutPlane> planes;
  for (std::size_t e = 0; e < mesh.edge_triangles.size(); ++e) {
    const auto [s, t] = mesh.edge_triangles[e];
    if (s < 0 || t < 0) continue;
    // Concave: the other triangle rises above the plane of this one.
    const auto plane_of = [&](Index triangle) {
      const Vec3& normal = mesh.normals[triangle];
      return CutPlane{normal, dot(normal, mesh.vertices[mesh.triangles[triangle][0]])};
    };
    const CutPlane first = plane_of(s), second = plane_of(t);
    double rise = 0;
    for (const Index v : mesh.triangles[t]) rise = std::max(rise, first.over(mesh.vertices[v]));
    const bool is_sharp = norm(cross(first.normal, second.normal)) > 0.1;
    if (!is_sharp || !(rise > 1e-9 * norm(mesh.tree.front().bounds.extents()))) continue;
    // Both faces, and the plane halfway between them.
    planes.push_back(first);
    planes.push_back(second);
    const Vec3 edge = cross(first.normal, second.normal);
    const Vec3 middle = normalized(cross(edge, first.normal + second.normal));
    for (const Index v : mesh.triangles[s])
      if (std::abs(second.over(mesh.vertices[v])) < 1e-12 * (1 + std::abs(second.offset))) {
        planes.push_back({middle, dot(middle, mesh.vertices[v])});
        break;
      }
  }
  // Of equal planes one.
  std::vector<CutPlane> different;
  const double size = norm(mesh.tree.front().bounds.extents());
  for (const CutPlane& plane : planes) {
    const auto same = [&](const CutPlane& other) {
      return std::abs(dot(plane.normal, other.normal)) > 1 - 1e-9 &&
             std::abs(plane.offset - std::copysign(1.0, dot(plane.normal, other.normal)) *
                                         other.offset) < 1e-9 * size;
    };
    if (std::ranges::none_of(different, same)) different.push_back(plane);
    if (different.size() == most) break;
  }
  return different;
}

class Decomposer {
public:
  Decomposer(const TriangleMesh& mesh, const DecomposeOptions& options)
      : mesh_(mesh), options_(options), concave_(concave_planes(mesh)) {
    parts_.push_back({solid_of(mesh)});
    parts_[0].excess = estimated_excess(parts_[0].solid, mesh);
    whole_volume_ = parts_[0].solid.volume;
  }

  void run() {
    while (static_cast<int>(parts_.size()) < options_.parts) {
      double sum = 0;
      for (const Part& part : parts_) sum += std::max(0.0, part.excess);
      if (sum <= options_.tolerance * whole_volume_) return;
      Part* worst = nullptr;
      for (Part& part : parts_)
        if (!part.final && (!worst || part.excess > worst->excess)) worst = &part;
      if (!worst || worst->excess <= 0) return;
      split(*worst);
    }
  }

  const std::vector<Part>& parts() const { return parts_; }

private:
  /// The planes to try on a part: across the axes of its box, and the concave ones that meet it.
  std::vector<CutPlane> planes_for(const CutSolid& solid) const {
    constexpr int places = 9;
    constexpr std::size_t most_concave = 40;
    const Bounds box = solid.bounds();
    std::vector<CutPlane> planes;
    for (int axis = 0; axis < 3; ++axis)
      for (int k = 1; k <= places; ++k) {
        Vec3 normal;
        normal[axis] = 1;
        const double share = static_cast<double>(k) / (places + 1);
        planes.push_back({normal, box.lower[axis] + share * (box.upper[axis] - box.lower[axis])});
      }
    std::vector<CutPlane> meeting;
    for (const CutPlane& plane : concave_) {
      double low = 0, high = 0;
      for (const Corners& corners : solid.surface)
        for (const Vec3& p : corners) {
          low = std::min(low, plane.over(p));
          high = std::max(high, plane.over(p));
        }
      const double least = 1e-6 * norm(box.extents());
      if (low < -least && high > least) meeting.push_back(plane);
    }
    const std::size_t stride = meeting.size() / most_concave + 1;
    for (std::size_t i = 0; i < meeting.size(); i += stride) planes.push_back(meeting[i]);
    return planes;
  }

  void split(Part& part) {
    const double sliver = 1e-4 * whole_volume_;
    double best_score = std::numeric_limits<double>::infinity();
    std::optional<CutPlane> best;
    for (const CutPlane& plane : planes_for(part.solid)) {
      const Halves halves = cut(part.solid, plane);
      if (halves.lower.volume < sliver || halves.upper.volume < sliver) continue;
      const double excess =
          estimated_excess(halves.lower, mesh_) + estimated_excess(halves.upper, mesh_);
      // The first cut of a ring gains nothing; then the fairest is the best.
      const double unfair = (halves.lower.volume - halves.upper.volume) / part.solid.volume;
      const double score = excess + 0.05 * part.excess * unfair * unfair;
      if (score >= best_score) continue;
      best_score = score;
      best = plane;
    }
    if (!best) {
      part.final = true;
      return;
    }
    Halves halves = cut(part.solid, *best);
    part.solid = std::move(halves.lower);
    part.excess = estimated_excess(part.solid, mesh_);
    Part other{std::move(halves.upper)};
    other.excess = estimated_excess(other.solid, mesh_);
    parts_.push_back(std::move(other));
  }

  const TriangleMesh& mesh_;
  DecomposeOptions options_;
  std::vector<CutPlane> concave_;
  std::vector<Part> parts_;
  double whole_volume_ = 0;
};

} // namespace

Decomposition decompose(const TriangleMesh& mesh, const DecomposeOptions& options) {
  if (!mesh.closed)
    throw InvalidArgument(
        "decompose: the mesh is not closed (every edge between two triangles, facing outwards)");
  if (options.parts < 1 || options.parts > 1000)
    throw InvalidArgument(
        fmt::format("decompose: parts is {}, it must be from 1 to 1000", options.parts));
  if (!(options.tolerance >= 0) || !std::isfinite(options.tolerance))
    throw InvalidArgument(
        fmt::format("decompose: tolerance is {}, it must not be negative", options.tolerance));
  if (options.vertices < 8)
    throw InvalidArgument(
        fmt::format("decompose: vertices is {}, it must be at least 8", options.vertices));
  Decomposition result;
  result.solid = mass_properties(*make_triangle_mesh(mesh), 1);
  Decomposer decomposer(mesh, options);
  decomposer.run();
  for (const Part& part : decomposer.parts()) {
    std::vector<Vec3> points = farthest_points(extreme_candidates(part.solid, mesh),
                                               static_cast<std::size_t>(options.vertices));
    const double volume = hull_volume_of(points);
    if (!(volume > 0)) continue; // what rounding leaves of a cut
    result.hull_volume += volume;
    result.hulls.push_back(std::move(points));
  }
  if (result.hulls.empty()) throw InvalidArgument("decompose: the mesh has no volume");
  return result;
}

ShapePtr clump_of(const Decomposition& parts) {
  std::vector<Compound::Child> children;
  for (const auto& points : parts.hulls) children.push_back({make_convex_hull(points), {}});
  return make_clump(children, SolidMoments{.volume = parts.solid.mass,
                                           .centre = parts.solid.centre,
                                           .inertia = parts.solid.inertia});
}

ShapePtr make_decomposed(const TriangleMesh& mesh, const DecomposeOptions& options) {
  return clump_of(decompose(mesh, options));
}

} // namespace talus
