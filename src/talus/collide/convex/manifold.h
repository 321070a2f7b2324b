#pragma once
// Contact manifolds: the part of a body that faces a direction, and the overlap of two such parts.

#include "talus/collide/convex/convex_body.h"

#include <vector>

namespace talus {

/// Features within this angle of facing a direction face it.
inline constexpr double sine_of_15_degrees = 0.25881904510252074;
inline constexpr double cosine_of_15_degrees = 0.9659258262890683;

/// The vertex (1 point), edge (2) or face (3 or more, counter-clockwise seen from outside) that
/// faces a direction. Edge k joins points k and k + 1.
struct SupportFeature {
  std::vector<Vec3> points;
  std::vector<Feature> vertex, edge;
  Vec3 normal; ///< Of a face.
  double offset = 0;
  Feature face = 0;
};

/// Faces count when the cosine between their normal and n reaches `face_cosine`, edges and sides of
/// cylinders when they are within 15° of lying across n. A cylinder's cap is its eight ring points.
void find_support_feature(const ConvexBody& body, const Vec3& n, double face_cosine,
                          SupportFeature& feature);

/// Work space of clipping.
struct ClipVertex {
  Vec3 point;
  std::uint64_t features = 0;
  Index edge = 0; ///< Edge leaving the vertex: of the subject, or -1 - edge of the clip polygon.
};
struct ManifoldScratch {
  SupportFeature a, b;
  std::vector<ClipVertex> polygon, clipped;
};

/// Appends a contact for every vertex of the overlap of the features scratch.a and scratch.b, seen
/// along the unit normal n from A to B, whose gap between the rounded bodies is within the
/// envelope. Nothing is appended for pairs of features that meet in single points.
void clip_features(const ConvexBody& a, const ConvexBody& b, const Vec3& n, double envelope,
                   ManifoldScratch& scratch, PairContacts& out);

/// A contact between two points of the cores, `gap_of_cores` apart along n.
PairContact rounded_contact(const ConvexBody& a, const ConvexBody& b, std::uint64_t features,
                            const Vec3& n, const Vec3& core_a, const Vec3& core_b,
                            double gap_of_cores);

} // namespace talus
