#pragma once
// The face of a separable set (none, box, prism, cylinder) on which a point lies, and the
// directions that stay in it: what active-set methods call the free variables.
//
//   normal       free while z_n > 0
//   tangential   both directions strictly inside the cross section, the edge's direction on an edge
//                of a polygon, none at a vertex, the tangent's direction on a circle
//   rows         free strictly between their bounds
//
// A circle is curved: a move by t along its tangent, projected back, changes the objective at
// second order by ½ (λ / bound) t², where λ = -u·e >= 0 is the multiplier of the outward normal e.
// Methods that trust their quadratic model add this curvature (the Hessian of the Lagrangian on the
// circle); without it Krylov steps at sliding contacts are far too long. Methods whose theory knows
// interior and boundary only (Kučera's) keep boundary points of discs and polygons fixed.

#include "talus/problem/scaled/scaled_problem.h"

namespace talus {

class FreeSet {
public:
  enum class Boundary { slide, fixed };

  /// Keeps a reference to the problem, whose sets must be separable.
  FreeSet(const ScaledProblem& problem, Boundary boundary);

  /// Finds the face of z ∈ K. Answers how many contacts and rows changed theirs.
  Index update(ConstSpan z);
  /// Takes the curvature of the circles from the velocities u at z.
  void bend(ConstSpan z, ConstSpan u);

  /// y = the part of x along free directions. y may be x.
  void restrict_to(ConstSpan x, Span y) const;
  /// y += C x, C the curvature of the circles; x must be restricted.
  void add_curvature(ConstSpan x, Span y) const;

  /// Z: a column of unit length for every free direction, a row for every entry of z.
  SparseMatrix basis() const;
  /// The diagonal of Zᵀ C Z.
  Vector curvatures() const;

  /// The largest α with z + α p ∈ K; infinite when there is none. p must be restricted.
  double longest_step(ConstSpan z, ConstSpan p) const;

private:
  struct Face {
    bool normal = false;
    signed char tangents = 0; ///< Number of free tangential directions.
    signed char facet = -1;   ///< Which edge, for the sets that have some.
    double direction[2] = {}; ///< The free one when there is one.
    double curvature = 0;     ///< Along it.
    bool same_as(const Face& other) const {
      return normal == other.normal && tangents == other.tangents && facet == other.facet;
    }
  };
  Face face_of(const ContactSet& set, const double* z) const;

  const ScaledProblem* problem_;
  Boundary boundary_;
  std::vector<Face> faces_;
  std::vector<signed char> rows_; ///< 1 for a free equality row.
};

} // namespace talus
