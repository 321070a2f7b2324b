#pragma once
// What each friction set can do, in one table. A solver declares which sets it admits by what it
// needs of them (AdmittedSets), so that a new set is a row of this table, its geometry
// (contact_set.h) and its tests: solvers that do not know its cross section answer `unsupported`.

#include "talus/contact/friction_set.h"

#include <initializer_list>
#include <vector>

namespace talus {

/// The shape of the tangential part of a set.
enum class Section {
  point,    ///< No friction, or no tangent.
  interval, ///< The plane: one tangent, two bounds.
  square,   ///< A bound for each tangent.
  polygon,  ///< Regular, with a number of facets.
  disc,     ///< Round; with a bound that grows, a second-order cone.
  discs     ///< Several discs, one for each group of components, over one normal impulse.
};

/// How the tangential bound depends on the normal impulse.
enum class BoundRule {
  none,   ///< There is nothing to bound.
  fixed,  ///< Data of the problem.
  growing ///< Proportional to the normal impulse: K is a cone.
};

/// Dimensions as bits, bit d for dimension d.
using DimensionSet = unsigned;
constexpr DimensionSet dimension_set(std::initializer_list<int> dimensions) {
  DimensionSet bits = 0;
  for (const int d : dimensions) bits |= 1u << d;
  return bits;
}
/// A complementarity problem, the plane and space.
inline constexpr DimensionSet plain_dimensions = dimension_set({1, 2, 3});
/// The plane with one rolling moment, space with two, or with a spinning moment, too.
inline constexpr DimensionSet moment_dimensions = dimension_set({3, 5, 6});

struct SetTraits {
  FrictionKind kind;
  std::string_view name;
  Section section; ///< In space; see section_of() for other dimensions.
  BoundRule bound;
  DimensionSet dimensions; ///< In which it exists.
  FrictionKind fixed_kind; ///< The fixed-bound set of the same cross section, or itself.
};

/// Ordered as FrictionKind.
inline constexpr std::array set_table = {
    SetTraits{FrictionKind::none, "none", Section::point, BoundRule::none, plain_dimensions,
              FrictionKind::none},
    SetTraits{FrictionKind::box, "box", Section::square, BoundRule::fixed, plain_dimensions,
              FrictionKind::box},
    SetTraits{FrictionKind::pyramid, "pyramid", Section::square, BoundRule::growing,
              plain_dimensions, FrictionKind::box},
    SetTraits{FrictionKind::prism, "prism", Section::polygon, BoundRule::fixed, plain_dimensions,
              FrictionKind::prism},
    SetTraits{FrictionKind::polyhedron, "polyhedron", Section::polygon, BoundRule::growing,
              plain_dimensions, FrictionKind::prism},
    SetTraits{FrictionKind::cylinder, "cylinder", Section::disc, BoundRule::fixed, plain_dimensions,
              FrictionKind::cylinder},
    SetTraits{FrictionKind::cone, "cone", Section::disc, BoundRule::growing, plain_dimensions,
              FrictionKind::cylinder},
    SetTraits{FrictionKind::rolling, "rolling", Section::discs, BoundRule::growing,
              moment_dimensions, FrictionKind::rolling},
};

constexpr const SetTraits& traits_of(FrictionKind kind) {
  return set_table[static_cast<std::size_t>(kind)];
}

/// Largest number of components of a contact of any set.
inline constexpr int max_dimension = 6;

constexpr bool exists_in(FrictionKind kind, int dimension) {
  return dimension >= 1 && dimension <= max_dimension &&
         (traits_of(kind).dimensions >> dimension & 1u) != 0;
}

/// The cross section in the given dimension: sets without moments are all alike in the plane, and
/// have none in dimension 1.
constexpr Section section_of(FrictionKind kind, int dimension) {
  if (dimension == 1) return Section::point;
  const Section section = traits_of(kind).section;
  return dimension == 2 && section != Section::point ? Section::interval : section;
}

/// True when the tangential bound grows with r_n (pyramid, polyhedron, cone, rolling).
constexpr bool is_cone_shaped(FrictionKind kind) {
  return traits_of(kind).bound == BoundRule::growing;
}

/// True when the tangential bound is data of the problem (box, prism, cylinder).
constexpr bool has_fixed_bound(FrictionKind kind) {
  return traits_of(kind).bound == BoundRule::fixed;
}

/// True when the set has facets to count (prism, polyhedron).
constexpr bool has_facets(FrictionKind kind) {
  return traits_of(kind).section == Section::polygon;
}

/// True when the set has components that are moments, with coefficients that are lengths.
constexpr bool has_moments(FrictionKind kind) {
  return traits_of(kind).section == Section::discs;
}

/// How many components of a contact are impulses; the others are moments.
constexpr int impulse_components(FrictionKind kind, int dimension) {
  if (!has_moments(kind)) return dimension;
  return dimension == 3 ? 2 : 3;
}

/// True when K is bounded by finitely many planes.
constexpr bool is_polyhedral(FrictionKind kind, int dimension) {
  const Section section = section_of(kind, dimension);
  return section != Section::disc && (section != Section::discs || dimension == 3);
}

/// True for round cones in space, which most contacts have: loops can treat them in batches.
constexpr bool is_round_cone(FrictionKind kind, int dimension) {
  return dimension == 3 && kind == FrictionKind::cone;
}

/// The fixed-bound set with the cross section of a cone-shaped one: cone -> cylinder, pyramid ->
/// box, polyhedron -> prism. Other sets are their own.
constexpr FrictionKind with_fixed_bound(FrictionKind kind) {
  return traits_of(kind).fixed_kind;
}

/// The sets a solver admits, by what it needs of them.
class AdmittedSets {
public:
  /// Which bounds a solver can follow.
  enum Bounds { any_bound, only_fixed, only_growing };

  /// Every set of the plane and of space.
  AdmittedSets();
  /// Sets with these cross sections and bounds. Section::point is always admitted.
  AdmittedSets(std::initializer_list<Section> sections, Bounds bounds = any_bound);
  /// Every set there is or will be: for solvers that use nothing but the geometry of contact_set.h.
  static AdmittedSets every();
  /// Sets by name, those in space and those in the plane.
  static AdmittedSets named(std::vector<FrictionKind> space, std::vector<FrictionKind> plane);

  bool admits(FrictionKind kind, int dimension) const;
  /// The sets admitted in a dimension.
  std::vector<FrictionKind> in(int dimension) const;
  /// The dimensions in which any set is admitted.
  std::vector<int> dimensions() const;

private:
  bool every_ = false;
  std::vector<Section> sections_;
  Bounds bounds_ = any_bound;
  bool by_name_ = false;
  std::vector<FrictionKind> space_, plane_;
};

} // namespace talus
