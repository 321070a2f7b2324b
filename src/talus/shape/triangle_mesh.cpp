#include "talus/shape/triangle_mesh.h"

#include "talus/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace talus {
namespace {

constexpr Index leaf_size = 4;

void check(const std::vector<Vec3>& vertices, const std::vector<Triangle>& triangles) {
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    if (!is_finite(vertices[i])) {
      throw InvalidArgument(fmt::format("triangle_mesh: vertex {} is not finite", i));
    }
  }
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    for (Index v : triangles[t]) {
      if (v < 0 || static_cast<std::size_t>(v) >= vertices.size()) {
        throw InvalidArgument(
            fmt::format("triangle_mesh: triangle {} names vertex {} of {}", t, v, vertices.size()));
      }
    }
  }
}

/// Gives equal coordinates one index, in order of first appearance.
void merge_vertices(TriangleMesh& mesh) {
  std::map<std::array<double, 3>, Index> seen;
  std::vector<Index> new_index;
  std::vector<Vec3> kept;
  for (const Vec3& v : mesh.vertices) {
    const auto [it, is_new] =
        seen.emplace(std::array{v.x, v.y, v.z}, static_cast<Index>(kept.size()));
    if (is_new) kept.push_back(v);
    new_index.push_back(it->second);
  }
  mesh.vertices = std::move(kept);
  for (Triangle& t : mesh.triangles) {
    for (Index& v : t) v = new_index[v];
  }
}

Vec3 area_vector(const TriangleMesh& mesh, const Triangle& t) {
  const Vec3 &a = mesh.vertices[t[0]], &b = mesh.vertices[t[1]], &c = mesh.vertices[t[2]];
  return cross(b - a, c - a);
}

void drop_degenerate(TriangleMesh& mesh) {
  std::erase_if(mesh.triangles, [&](const Triangle& t) {
    const Vec3 &a = mesh.vertices[t[0]], &b = mesh.vertices[t[1]], &c = mesh.vertices[t[2]];
    const double longest = std::max({norm(b - a), norm(c - b), norm(a - c)});
    return !(norm(area_vector(mesh, t)) > 1e-14 * longest * longest);
  });
  if (mesh.triangles.empty()) {
    throw InvalidArgument("triangle_mesh: has no triangle with an area");
  }
}

/// Numbers the edges and decides whether the mesh is closed and outward.
void connect(TriangleMesh& mesh) {
  std::map<std::pair<Index, Index>, Index> edge_index;
  bool closed = true;
  std::vector<int> uses;
  std::vector<int> direction_sum;
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    Triangle edges{};
    for (int k = 0; k < 3; ++k) {
      const Index a = mesh.triangles[t][k], b = mesh.triangles[t][(k + 1) % 3];
      const auto [it, is_new] =
          edge_index.emplace(std::minmax(a, b), static_cast<Index>(mesh.edge_triangles.size()));
      if (is_new) {
        mesh.edge_triangles.push_back({-1, -1});
        uses.push_back(0);
        direction_sum.push_back(0);
      }
      const Index e = it->second;
      if (uses[e] < 2) mesh.edge_triangles[e][uses[e]] = static_cast<Index>(t);
      ++uses[e];
      direction_sum[e] += a < b ? 1 : -1;
      edges[k] = e;
    }
    mesh.edge_of.push_back(edges);
  }
  std::vector<std::vector<Index>> around(mesh.vertices.size());
  for (const auto& [ends, edge] : edge_index) {
    around[ends.first].push_back(ends.second);
    around[ends.second].push_back(ends.first);
  }
  mesh.neighbour_start.push_back(0);
  for (const auto& others : around) {
    mesh.neighbours.insert(mesh.neighbours.end(), others.begin(), others.end());
    mesh.neighbour_start.push_back(static_cast<Index>(mesh.neighbours.size()));
  }
  double volume = 0;
  for (const Triangle& t : mesh.triangles) {
    volume += dot(mesh.vertices[t[0]] - mesh.vertices[mesh.triangles[0][0]], area_vector(mesh, t));
  }
  for (std::size_t e = 0; e < uses.size(); ++e) {
    closed = closed && uses[e] == 2 && direction_sum[e] == 0;
    // More than two triangles at an edge: none of them is its smooth continuation.
    if (uses[e] > 2) mesh.edge_triangles[e] = {-1, -1};
  }
  mesh.closed = closed && volume > 0;
}

Bounds bounds_of_triangle(const TriangleMesh& mesh, Index t) {
  Bounds b;
  for (Index v : mesh.triangles[t]) b.include(mesh.vertices[v]);
  return b;
}

/// Median split along the longest side of the centres' bounds.
void build_node(TriangleMesh& mesh, Index node, Index first, Index last,
                const std::vector<Bounds>& boxes) {
  Bounds all, centres;
  for (Index i = first; i < last; ++i) {
    all.include(boxes[mesh.order[i]]);
    centres.include(boxes[mesh.order[i]].centre());
  }
  mesh.tree[node].bounds = all;
  if (last - first <= leaf_size) {
    mesh.tree[node].first = first;
    mesh.tree[node].count = last - first;
    return;
  }
  const Vec3 e = centres.extents();
  const int axis = e.x >= e.y && e.x >= e.z ? 0 : e.y >= e.z ? 1 : 2;
  const Index middle = first + (last - first) / 2;
  std::nth_element(mesh.order.begin() + first, mesh.order.begin() + middle,
                   mesh.order.begin() + last, [&](Index a, Index b) {
                     return std::pair(boxes[a].centre()[axis], a) <
                            std::pair(boxes[b].centre()[axis], b);
                   });
  const auto child = static_cast<Index>(mesh.tree.size());
  mesh.tree[node].first = child;
  mesh.tree.resize(mesh.tree.size() + 2);
  build_node(mesh, child, first, middle, boxes);
  build_node(mesh, child + 1, middle, last, boxes);
}

} // namespace

TriangleMesh build_triangle_mesh(std::vector<Vec3> vertices, std::vector<Triangle> triangles) {
  check(vertices, triangles);
  TriangleMesh mesh;
  mesh.vertices = std::move(vertices);
  mesh.triangles = std::move(triangles);
  merge_vertices(mesh);
  drop_degenerate(mesh);
  for (const Triangle& t : mesh.triangles) mesh.normals.push_back(normalized(area_vector(mesh, t)));
  connect(mesh);
  const auto count = static_cast<Index>(mesh.triangles.size());
  std::vector<Bounds> boxes;
  boxes.reserve(count);
  for (Index t = 0; t < count; ++t) boxes.push_back(bounds_of_triangle(mesh, t));
  mesh.order.resize(count);
  std::iota(mesh.order.begin(), mesh.order.end(), 0);
  mesh.tree.resize(1);
  build_node(mesh, 0, 0, count, boxes);
  return mesh;
}

} // namespace talus
