#pragma once
// The admissible sets as symmetric cones, for interior-point methods:
//
//     z ∈ K   ⇔   w = A z + a ∈ C,      C = product of half-lines and second-order cones,
//
// block by block, and u ∈ K* (at the bound sets: the velocity that z works against) is u = Aᵀ y
// with y ∈ C, y ⊥ w. Per contact:
//
//     cone              w = (mu z_n, z_t) in the second-order cone
//     cylinder          w = z_n >= 0, and (bound, z_t) in the second-order cone
//     rolling           (mu z_n, z_t) and (rolling z_n, rolling moments) in second-order cones;
//                       spinning z_n ± the spinning moment >= 0
//     pyramid, polyhedron, box, prism and every set in the plane: a half-line per facet
//     none, mu = 0, bound = 0: z_n >= 0, and z_t = 0 takes no part
//     rows with bounds  a half-line per finite bound; lower = upper takes no part
//     free rows         no constraint
//
// All in the scaled variables of ScaledProblem, with bounds and tilt as they are (also frozen) when
// the object is made.

#include "talus/problem/scaled/scaled_problem.h"
#include "talus/solve/newton/newton_blocks.h"

#include <vector>

namespace talus {

class ConeProduct {
public:
  explicit ConeProduct(const ScaledProblem& problem);

  /// wᵀy, and the least of numbers that are not negative, over all ranks.
  double dot(ConstSpan w, ConstSpan y) const;
  double least(double number) const;
  /// Whether the entries of w are finite on all ranks.
  bool are_finite(ConstSpan w) const;

  /// Length of w and y.
  Index size() const { return static_cast<Index>(offset_.size()); }
  /// Number of half-lines and second-order cones of all ranks: wᵀy / degree is the duality measure.
  double degree() const { return degree_; }
  /// How many leading entries of each block take part.
  const std::vector<signed char>& active() const { return active_; }
  const BlockLayoutOfRows& layout() const { return layout_; }

  /// A point inside K: z_n = height, z_t = 0; rows in the middle of their bounds or `height` within
  /// the only one.
  void centre(double height, Span z) const;
  /// Moves z ∈ K inside and finds w = A z + a and y, both inside C, near the central path: w ∘ y is
  /// about `measure` e where z and u, the velocity it works against, are complementary.
  void start_near(double measure, ConstSpan u, Span z, Span w, Span y) const;

  /// w = A z + a.
  void constraint(ConstSpan z, Span w) const;
  /// w = A z.
  void multiply(ConstSpan z, Span w) const;
  /// u = Aᵀ y; entries that take no part become 0.
  void transpose(ConstSpan y, Span u) const;
  /// The shortest y with Aᵀ y = u, then moved `depth` inside C.
  void multiplier(ConstSpan u, double depth, Span y) const;

  /// The z for which A z + a is nearest to w.
  void impulses(ConstSpan w, Span z) const;
  /// Zeroes the entries of x that take no part.
  void mask(Span x) const;

  /// The cones of a block: half-lines first, then second-order cones of three rows each.
  struct Part {
    Index first = 0; ///< Of its rows in w.
    int half_lines = 0;
    int second_order = 0;   ///< At most most_cones.
    std::size_t matrix = 0; ///< Of its rows of A, each of active() entries.
    int rows() const { return half_lines + 3 * second_order; }
    /// The first row of a second-order cone in w.
    Index cone(int k) const { return first + half_lines + 3 * k; }
  };
  static constexpr int most_cones = 2; ///< Second-order cones of a block.
  const Part& part(Index block) const { return parts_[block]; }
  const double* matrix(Index block) const { return matrix_.data() + parts_[block].matrix; }

private:
  /// Moves z ∈ K inside by measure / y, at least where bounds allow it.
  void push_inside(double measure, ConstSpan y, Span z) const;
  void add_contact(const ContactSet& set);
  void add_rolling_contact(const ContactSet& set);
  void add_row(const ScaledProblem& problem, Index row);
  void begin_part(int active);
  void add_half_line(std::initializer_list<double> row, double offset);
  void add_second_order(std::initializer_list<double> rows, double offset);

  const Division* division_;
  BlockLayoutOfRows layout_;
  std::vector<signed char> active_;
  std::vector<Part> parts_;
  Vector matrix_, offset_;
  Vector fixed_; ///< Value of rows whose bounds coincide, else NaN; one per equality row.
  double degree_ = 0;
};

} // namespace talus
