#include "talus/shape/cut_solid.h"

#include "talus/core/elementary.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

namespace talus {

namespace {

/// Where the plane cuts an edge: the same point from both of its triangles.
Vec3 crossing(const CutPlane& plane, Vec3 p, Vec3 q) {
  const auto after = [](const Vec3& a, const Vec3& b) {
    return a.x != b.x ? a.x > b.x : a.y != b.y ? a.y > b.y : a.z > b.z;
  };
  if (after(p, q)) std::swap(p, q);
  const double hp = plane.over(p), hq = plane.over(q);
  return p + (hp / (hp - hq)) * (q - p);
}

/// What is left of a triangle on both sides of the plane, and the segment in between, which has the
/// direction in which the boundary of the lower part runs.
struct Piece {
  std::array<Vec3, 4> points;
  std::size_t count = 0;
  void add(const Vec3& p) { points[count++] = p; }
};

void append(const Piece& piece, std::vector<Corners>& triangles) {
  for (std::size_t k = 2; k < piece.count; ++k)
    triangles.push_back({piece.points[0], piece.points[k - 1], piece.points[k]});
}

void cut_triangles(const std::vector<Corners>& triangles, const CutPlane& plane,
                   std::vector<Corners>& lower, std::vector<Corners>& upper,
                   std::vector<std::array<Vec3, 2>>& segments) {
  for (const Corners& corners : triangles) {
    bool below[3];
    for (int i = 0; i < 3; ++i) below[i] = plane.over(corners[static_cast<std::size_t>(i)]) <= 0;
    if (below[0] == below[1] && below[1] == below[2]) {
      (below[0] ? lower : upper).push_back(corners);
      continue;
    }
    Piece down, high;
    Vec3 leaving, entering;
    for (std::size_t i = 0; i < 3; ++i) {
      const std::size_t j = (i + 1) % 3;
      (below[i] ? down : high).add(corners[i]);
      if (below[i] == below[j]) continue;
      const Vec3 point = crossing(plane, corners[i], corners[j]);
      down.add(point);
      high.add(point);
      (below[i] ? leaving : entering) = point;
    }
    append(down, lower);
    append(high, upper);
    segments.push_back({leaving, entering});
  }
}

double six_volumes(const std::vector<Corners>& triangles, const Vec3& reference) {
  double sum = 0;
  for (const auto& [a, b, c] : triangles)
    sum += dot(a - reference, cross(b - reference, c - reference));
  return sum;
}

std::optional<Vec3> common_point(const CutPlane& a, const CutPlane& b, const CutPlane& c) {
  const Vec3 bc = cross(b.normal, c.normal);
  const double determinant = dot(a.normal, bc);
  if (std::abs(determinant) < 1e-6) return std::nullopt;
  return (a.offset * bc + b.offset * cross(c.normal, a.normal) +
          c.offset * cross(a.normal, b.normal)) /
         determinant;
}

} // namespace

Bounds CutSolid::bounds() const {
  Bounds box;
  for (const Corners& corners : surface)
    for (const Vec3& p : corners) box.include(p);
  return box;
}

CutSolid solid_of(const TriangleMesh& mesh) {
  CutSolid solid;
  for (const Triangle& t : mesh.triangles)
    solid.surface.push_back({mesh.vertices[t[0]], mesh.vertices[t[1]], mesh.vertices[t[2]]});
  solid.volume = volume_of(solid);
  return solid;
}

double volume_of(const CutSolid& solid) {
  // A part within the solid has lids only.
  if (solid.surface.empty() && solid.lids.empty()) return 0;
  const Vec3 reference = (solid.surface.empty() ? solid.lids : solid.surface).front()[0];
  return (six_volumes(solid.surface, reference) + six_volumes(solid.lids, reference)) / 6;
}

Halves cut(const CutSolid& solid, const CutPlane& plane) {
  Halves halves;
  std::vector<std::array<Vec3, 2>> segments;
  cut_triangles(solid.surface, plane, halves.lower.surface, halves.upper.surface, segments);
  cut_triangles(solid.lids, plane, halves.lower.lids, halves.upper.lids, segments);
  if (!segments.empty()) {
    const Vec3 apex = segments.front()[0];
    for (const auto& [leaving, entering] : segments) {
      // The lower boundary runs from leaving to entering; the lid has it the other way.
      halves.lower.lids.push_back({apex, entering, leaving});
      halves.upper.lids.push_back({apex, leaving, entering});
    }
  }
  halves.lower.planes = halves.upper.planes = solid.planes;
  halves.lower.planes.push_back(plane);
  halves.upper.planes.push_back({-plane.normal, -plane.offset});
  halves.lower.volume = volume_of(halves.lower);
  halves.upper.volume = volume_of(halves.upper);
  return halves;
}

bool contains(const TriangleMesh& mesh, const Vec3& point) {
  // van Oosterom & Strackee: tan(Ω/2) = a·(b×c) / (|a||b||c| + (a·b)|c| + (b·c)|a| + (c·a)|b|).
  double half_angles = 0;
  for (const Triangle& t : mesh.triangles) {
    const Vec3 a = mesh.vertices[t[0]] - point, b = mesh.vertices[t[1]] - point,
               c = mesh.vertices[t[2]] - point;
    const double na = norm(a), nb = norm(b), nc = norm(c);
    half_angles += angle_of(dot(a, cross(b, c)),
                            na * nb * nc + dot(a, b) * nc + dot(b, c) * na + dot(c, a) * nb);
  }
  return half_angles > std::numbers::pi; // 2π inside, 0 outside
}

std::vector<Vec3> extreme_candidates(const CutSolid& solid, const TriangleMesh& whole) {
  std::vector<Vec3> points;
  for (const Corners& corners : solid.surface)
    points.insert(points.end(), corners.begin(), corners.end());
  const auto& planes = solid.planes;
  const double slack = 1e-9 * norm(whole.tree.front().bounds.extents());
  for (std::size_t i = 0; i < planes.size(); ++i)
    for (std::size_t j = i + 1; j < planes.size(); ++j)
      for (std::size_t k = j + 1; k < planes.size(); ++k) {
        const auto corner = common_point(planes[i], planes[j], planes[k]);
        if (!corner) continue;
        const auto holds = [&](const CutPlane& plane) { return plane.over(*corner) <= slack; };
        if (std::ranges::all_of(planes, holds) && contains(whole, *corner))
          points.push_back(*corner);
      }
  const auto before = [](const Vec3& a, const Vec3& b) {
    return a.x != b.x ? a.x < b.x : a.y != b.y ? a.y < b.y : a.z < b.z;
  };
  std::ranges::sort(points, before);
  points.erase(std::unique(points.begin(), points.end()), points.end());
  return points;
}

} // namespace talus
