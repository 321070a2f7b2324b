#include "talus/shape/polyhedron.h"

#include "talus/core/error.h"
#include "talus/shape/bounds.h"

#include <fmt/format.h>

extern "C" {
#include <libqhull_r/qhull_ra.h>
}

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>

namespace talus {
namespace {

using Loops = std::vector<std::vector<Index>>;

/// Area vector of a planar loop by Newell's method: twice the area times the unit normal.
Vec3 area_vector(const std::vector<Vec3>& vertices, const std::vector<Index>& loop) {
  Vec3 sum;
  for (std::size_t i = 1; i + 1 < loop.size(); ++i) {
    sum += cross(vertices[loop[i]] - vertices[loop[0]], vertices[loop[i + 1]] - vertices[loop[0]]);
  }
  return sum;
}

void add_face(Polyhedron& p, const std::vector<Index>& loop) {
  Polyhedron::Face face;
  face.normal = normalized(area_vector(p.vertices, loop));
  for (Index v : loop)
    face.offset += dot(face.normal, p.vertices[v]) / static_cast<double>(loop.size());
  face.first = static_cast<Index>(p.loop.size());
  face.count = static_cast<Index>(loop.size());
  p.loop.insert(p.loop.end(), loop.begin(), loop.end());
  p.faces.push_back(face);
}

/// Pairs the half-edges of the faces; false when one has no partner.
bool add_edges(Polyhedron& p) {
  std::map<std::pair<Index, Index>, std::pair<Index, Index>> half_edges; // ends → face, slot
  for (std::size_t f = 0; f < p.faces.size(); ++f) {
    const auto& face = p.faces[f];
    for (Index i = 0; i < face.count; ++i) {
      const Index a = p.loop[face.first + i], b = p.loop[face.first + (i + 1) % face.count];
      const std::pair where{static_cast<Index>(f), face.first + i};
      if (!half_edges.emplace(std::pair{a, b}, where).second) return false;
    }
  }
  p.loop_edge.resize(p.loop.size());
  for (const auto& [ends, where] : half_edges) {
    const auto twin = half_edges.find({ends.second, ends.first});
    if (twin == half_edges.end()) return false;
    if (ends.first > ends.second) continue;
    p.loop_edge[where.second] = p.loop_edge[twin->second.second] =
        static_cast<Index>(p.edges.size());
    p.edges.push_back({{ends.first, ends.second}, {where.first, twin->second.first}});
  }
  return true;
}

/// Runs qhull and returns its merged facets as loops of point indices, or the reason of its
/// failure.
std::string run_qhull(const std::vector<Vec3>& points, Loops& loops) {
  char* text = nullptr;
  std::size_t text_size = 0;
  std::FILE* messages = open_memstream(&text, &text_size);
  const auto state = std::make_unique<qhT>();
  qhT* qh = state.get();
  qh_zero(qh, messages);
  std::vector<coordT> coordinates;
  for (const Vec3& p : points) coordinates.insert(coordinates.end(), {p.x, p.y, p.z});
  char command[] = "qhull";
  const int status = qh_new_qhull(qh, 3, static_cast<int>(points.size()), coordinates.data(), False,
                                  command, nullptr, messages);
  if (status == 0) {
    for (facetT* facet = qh->facet_list; facet && facet->next; facet = facet->next) {
      setT* ordered = qh_facet3vertex(qh, facet);
      std::vector<Index> loop;
      for (int i = 0; i < qh_setsize(qh, ordered); ++i) {
        const auto* vertex = static_cast<vertexT*>(ordered->e[i].p);
        loop.push_back(static_cast<Index>(qh_pointid(qh, vertex->point)));
      }
      qh_settempfree(qh, &ordered);
      loops.push_back(std::move(loop));
    }
  }
  // qhull keeps small pieces in blocks of its own, which only the second call gives back.
  int pieces = 0, bytes = 0;
  qh_freeqhull(qh, !qh_ALL);
  qh_memfreeshort(qh, &pieces, &bytes);
  std::fclose(messages);
  std::string reason;
  if (status != 0) {
    reason.assign(text ? text : "", text_size);
    reason = reason.substr(0, reason.find('\n'));
  }
  std::free(text);
  return reason.empty() && status != 0 ? "qhull failed" : reason;
}

void check_spread(const std::vector<Vec3>& points) {
  if (points.size() < 4) {
    throw InvalidArgument(
        fmt::format("convex_hull: needs at least 4 points, not {}", points.size()));
  }
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!is_finite(points[i])) {
      throw InvalidArgument(fmt::format("convex_hull: point {} is not finite", i));
    }
  }
}

Polyhedron assemble(const std::vector<Vec3>& points, const Loops& loops) {
  std::vector<Index> new_index(points.size(), -1);
  for (const auto& loop : loops) {
    for (Index v : loop) new_index[v] = 0;
  }
  Polyhedron p;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (new_index[i] < 0) continue;
    new_index[i] = static_cast<Index>(p.vertices.size());
    p.vertices.push_back(points[i]);
  }
  Vec3 centre;
  for (const Vec3& v : p.vertices) centre += v / static_cast<double>(p.vertices.size());
  for (auto loop : loops) {
    for (Index& v : loop) v = new_index[v];
    const Vec3 outward = p.vertices[loop[0]] - centre;
    if (dot(area_vector(p.vertices, loop), outward) < 0) std::reverse(loop.begin(), loop.end());
    add_face(p, loop);
  }
  return p;
}

} // namespace

Polyhedron convex_hull_of(const std::vector<Vec3>& points) {
  check_spread(points);
  Loops loops;
  const std::string reason = run_qhull(points, loops);
  if (!reason.empty()) {
    throw InvalidArgument(fmt::format("convex_hull: the {} points must not lie in one plane ({})",
                                      points.size(), reason));
  }
  Polyhedron p = assemble(points, loops);
  if (!add_edges(p)) {
    throw InvalidArgument("convex_hull: the points are too close to degenerate for a clean hull; "
                          "merge nearly equal or nearly coplanar points");
  }
  return p;
}

Polyhedron box_polyhedron(const Vec3& half_extents) {
  Polyhedron p;
  for (int v = 0; v < 8; ++v) {
    p.vertices.push_back({(v & 1 ? 1 : -1) * half_extents.x, (v & 2 ? 1 : -1) * half_extents.y,
                          (v & 4 ? 1 : -1) * half_extents.z});
  }
  for (const auto& loop :
       Loops{{1, 3, 7, 5}, {0, 4, 6, 2}, {2, 6, 7, 3}, {0, 1, 5, 4}, {4, 5, 7, 6}, {0, 2, 3, 1}}) {
    add_face(p, loop);
  }
  add_edges(p);
  return p;
}

} // namespace talus
