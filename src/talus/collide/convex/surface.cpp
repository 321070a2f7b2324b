#include "talus/collide/convex/surface.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace talus {
namespace {

double distance_squared(const Bounds& b, const Vec3& p) {
  Vec3 d;
  for (int i = 0; i < 3; ++i) d[i] = std::max(std::max(b.lower[i] - p[i], p[i] - b.upper[i]), 0.0);
  return dot(d, d);
}

} // namespace

void MeshSurface::triangle(Index t, SurfaceTriangle& out) const {
  out.normal = frame_.direction(mesh_.normals[t]);
  out.face = t;
  for (int k = 0; k < 3; ++k) {
    out.vertex[k] = mesh_.triangles[t][k];
    out.edge[k] = mesh_.edge_of[t][k];
    out.corner[k] = frame_.point(mesh_.vertices[out.vertex[k]]);
    const auto& sides = mesh_.edge_triangles[out.edge[k]];
    const Index other = sides[0] == t ? sides[1] : sides[0];
    out.has_beyond[k] = other >= 0 && other != t;
    if (!out.has_beyond[k]) continue;
    for (int l = 0; l < 3; ++l) {
      if (mesh_.edge_of[other][l] == out.edge[k]) {
        out.beyond[k] = frame_.point(mesh_.vertices[mesh_.triangles[other][(l + 2) % 3]]);
      }
    }
  }
}

void MeshSurface::overlapping(const Bounds& box, std::vector<Index>& stack,
                              std::vector<Index>& found) const {
  found.clear();
  stack.assign(1, 0);
  while (!stack.empty()) {
    const BoundsNode& node = mesh_.tree[stack.back()];
    stack.pop_back();
    if (!overlap(node.bounds, box)) continue;
    if (node.count == 0) {
      stack.push_back(node.first);
      stack.push_back(node.first + 1);
    } else {
      found.insert(found.end(), mesh_.order.begin() + node.first,
                   mesh_.order.begin() + node.first + node.count);
    }
  }
  std::sort(found.begin(), found.end());
}

Index MeshSurface::nearest(const Vec3& p) const {
  struct Waiting {
    Index node;
    double squared; ///< Distance of its bounds.
  };
  // One for each level of the tree, which is halved from level to level, and the root.
  std::array<Waiting, 8 * sizeof(Index) + 1> stack;
  int waiting = 0;
  stack[waiting++] = {0, 0};
  Index best = -1;
  double best2 = std::numeric_limits<double>::infinity(), best_facing = 0;
  while (waiting > 0) {
    const Waiting next = stack[--waiting];
    if (next.squared > best2 * (1 + 1e-9)) continue;
    const BoundsNode& node = mesh_.tree[next.node];
    if (node.count == 0) {
      const Waiting left{node.first, distance_squared(mesh_.tree[node.first].bounds, p)};
      const Waiting right{node.first + 1, distance_squared(mesh_.tree[node.first + 1].bounds, p)};
      const bool left_first = left.squared <= right.squared;
      stack[waiting++] = left_first ? right : left;
      stack[waiting++] = left_first ? left : right;
      continue;
    }
    for (Index k = node.first; k < node.first + node.count; ++k) {
      const Index t = mesh_.order[k];
      const Triangle& v = mesh_.triangles[t];
      const Vec3 corner[3] = {mesh_.vertices[v[0]], mesh_.vertices[v[1]], mesh_.vertices[v[2]]};
      const Vec3 d = p - closest_on_triangle(corner, p).point;
      const double d2 = dot(d, d), facing = std::abs(dot(mesh_.normals[t], d));
      const bool tie = std::abs(d2 - best2) <= 1e-9 * best2;
      if (tie ? facing > best_facing : d2 < best2) {
        best = t;
        best2 = tie ? std::min(best2, d2) : d2;
        best_facing = facing;
      }
    }
  }
  return best;
}

void FieldSurface::triangle(Index t, SurfaceTriangle& out) const {
  const Index cell = t / 2, columns = field_.columns, cells_in_row = columns - 1;
  const Index i = cell % cells_in_row, j = cell / cells_in_row;
  const auto name = [&](Index a, Index b) { return b * columns + a; };
  const auto x_edge = [&](Index a, Index b) { return 3 * name(a, b); };
  const auto y_edge = [&](Index a, Index b) { return 3 * name(a, b) + 1; };
  const Index diagonal = 3 * name(i, j) + 2;
  struct Node {
    Index i, j;
  };
  Node corner[3], beyond[3];
  if (t % 2 == 0) {
    corner[0] = {i, j}, corner[1] = {i + 1, j}, corner[2] = {i + 1, j + 1};
    beyond[0] = {i, j - 1}, beyond[1] = {i + 2, j + 1}, beyond[2] = {i, j + 1};
    out.edge[0] = x_edge(i, j), out.edge[1] = y_edge(i + 1, j), out.edge[2] = diagonal;
  } else {
    corner[0] = {i, j}, corner[1] = {i + 1, j + 1}, corner[2] = {i, j + 1};
    beyond[0] = {i + 1, j}, beyond[1] = {i + 1, j + 2}, beyond[2] = {i - 1, j};
    out.edge[0] = diagonal, out.edge[1] = x_edge(i, j + 1), out.edge[2] = y_edge(i, j);
  }
  out.face = t;
  for (int k = 0; k < 3; ++k) {
    out.vertex[k] = name(corner[k].i, corner[k].j);
    out.corner[k] = world_point(corner[k].i, corner[k].j);
    out.has_beyond[k] = exists(beyond[k].i, beyond[k].j);
    if (out.has_beyond[k]) out.beyond[k] = world_point(beyond[k].i, beyond[k].j);
  }
  out.normal = normalized(cross(out.corner[1] - out.corner[0], out.corner[2] - out.corner[0]));
}

void FieldSurface::overlapping(const Bounds& box, std::vector<Index>& found) const {
  found.clear();
  const Index cells_x = field_.columns - 1, cells_y = field_.rows - 1;
  const auto cell = [](double x, double spacing, Index count) {
    return static_cast<Index>(
        std::clamp(std::floor(x / spacing), -1.0, static_cast<double>(count)));
  };
  const Index i0 = std::max(0, cell(box.lower.x, field_.spacing_x, cells_x));
  const Index i1 = std::min(cells_x - 1, cell(box.upper.x, field_.spacing_x, cells_x));
  const Index j0 = std::max(0, cell(box.lower.y, field_.spacing_y, cells_y));
  const Index j1 = std::min(cells_y - 1, cell(box.upper.y, field_.spacing_y, cells_y));
  for (Index j = j0; j <= j1; ++j) {
    for (Index i = i0; i <= i1; ++i) {
      const double top = std::max({field_.height(i, j), field_.height(i + 1, j),
                                   field_.height(i, j + 1), field_.height(i + 1, j + 1)});
      if (top < box.lower.z) continue;
      found.push_back(2 * (j * cells_x + i));
      found.push_back(2 * (j * cells_x + i) + 1);
    }
  }
}

Index FieldSurface::under(const Vec3& p) const {
  const double x = p.x / field_.spacing_x, y = p.y / field_.spacing_y;
  const Index cells_x = field_.columns - 1, cells_y = field_.rows - 1;
  if (!(x >= 0 && y >= 0 && x <= cells_x && y <= cells_y)) return -1;
  const Index i = std::min(static_cast<Index>(x), cells_x - 1);
  const Index j = std::min(static_cast<Index>(y), cells_y - 1);
  return 2 * (j * cells_x + i) + (y - j > x - i ? 1 : 0);
}

/// Walks the Voronoi regions of the corners, edges and inside (Ericson, Real-Time Collision
/// Detection, 5.1.5).
TrianglePoint closest_on_triangle(const Vec3 (&c)[3], const Vec3& p) {
  using Part = TrianglePoint::Part;
  const Vec3 ab = c[1] - c[0], ac = c[2] - c[0];
  const Vec3 ap = p - c[0], bp = p - c[1], cp = p - c[2];
  const double d1 = dot(ab, ap), d2 = dot(ac, ap);
  if (d1 <= 0 && d2 <= 0) return {c[0], Part::corner, 0};
  const double d3 = dot(ab, bp), d4 = dot(ac, bp);
  if (d3 >= 0 && d4 <= d3) return {c[1], Part::corner, 1};
  const double d5 = dot(ab, cp), d6 = dot(ac, cp);
  if (d6 >= 0 && d5 <= d6) return {c[2], Part::corner, 2};
  const double vc = d1 * d4 - d3 * d2;
  if (vc <= 0 && d1 >= 0 && d3 <= 0) return {c[0] + (d1 / (d1 - d3)) * ab, Part::edge, 0};
  const double va = d3 * d6 - d5 * d4;
  if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
    return {c[1] + ((d4 - d3) / ((d4 - d3) + (d5 - d6))) * (c[2] - c[1]), Part::edge, 1};
  }
  const double vb = d5 * d2 - d1 * d6;
  if (vb <= 0 && d2 >= 0 && d6 <= 0) return {c[0] + (d2 / (d2 - d6)) * ac, Part::edge, 2};
  const double s = 1 / (va + vb + vc);
  return {c[0] + (vb * s) * ab + (vc * s) * ac, Part::inside, 0};
}

} // namespace talus
