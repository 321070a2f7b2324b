#pragma once
// The set K of admissible impulses at one contact (preclik2009 Table 1) and the friction law.
//
// A contact has `dimension` components, normal first: (n, t, o) in space, (n, t) in the plane, (n)
// for a plain complementarity problem. With tangential cross section S of unit size (square
// [-1,1]², regular polygon inscribed in the unit circle, unit disc; the interval [-1,1] in the
// plane)
//
//     cone-shaped   pyramid, polyhedron:m, cone     K = { r : r_n >= 0, r_t ∈ mu r_n S }
//     fixed-bound   box, prism:m, cylinder          K = { r : r_n >= 0, r_t ∈ bound S }
//     none                                          K = { r : r_n >= 0, r_t = 0 }
//     rolling       K = { r : |r_t| <= mu r_n, |m| <= rolling r_n, |s| <= spinning r_n }
//
// With rolling friction r = (r_n, r_t, m, s) has moments m about the tangents: two in space
// (dimension 5) and, in dimension 6, a spinning moment s about the normal; one in the plane, where
// the dimension is 3.
//
// The bound of a fixed-bound set is mu times an estimate of the normal impulse (data of the
// problem). The coefficients of rolling and spinning are lengths.
//
// What a set can do is declared once, in the table of set_traits.h.

#include <array>
#include <string>
#include <string_view>

namespace talus {

enum class FrictionKind { none, box, pyramid, prism, polyhedron, cylinder, cone, rolling };
/// The sets of the plane and of space, without moments.
inline constexpr std::array every_friction_kind = {
    FrictionKind::none,       FrictionKind::box,      FrictionKind::pyramid, FrictionKind::prism,
    FrictionKind::polyhedron, FrictionKind::cylinder, FrictionKind::cone};

/// Largest number of facets of prism and polyhedron.
inline constexpr int max_facets = 64;

struct FrictionSet {
  FrictionKind kind = FrictionKind::cone;
  /// Vertices of the polygon of prism and polyhedron: even, 4 to max_facets. The first lies on the
  /// first tangential axis.
  int facets = 8;
  bool operator==(const FrictionSet&) const = default;
};

/// Which problem couples K with the velocity u = N r + q:
///   associated   K ∋ r ⊥ u ∈ K*, the optimality condition of min ½ r'Nr + q'r over K;
///   coulomb      the same with u_n replaced by u_n + σ(u_t), σ(u_t) = max { -s·u_t : s ∈ mu S }
///                (De Saxcé's change of variables), so that r_n ⊥ u_n holds for the true velocity.
///                With rolling σ is mu |u_t| + rolling |ω_roll| + spinning |ω_spin|.
/// For `none` and the fixed-bound sets both are the same problem, since r_n does not bound r_t
/// there.
enum class Law { associated, coulomb };

/// "none", "box", "pyramid", "prism:m", "polyhedron:m", "cylinder", "cone", "rolling"; without
/// ":m" m is 8.
/// Throws InvalidArgument that lists the names.
FrictionSet parse_friction_set(std::string_view text);
std::string to_string(const FrictionSet& set);
/// The kind alone, without the number of facets.
std::string_view name_of(FrictionKind kind);

/// "associated" or "coulomb"; throws InvalidArgument.
Law parse_law(std::string_view text);
std::string_view to_string(Law law);

} // namespace talus
