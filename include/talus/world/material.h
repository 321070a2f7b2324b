#pragma once
// Surface materials and the coefficients of a contact between two of them.

#include "talus/core/types.h"

#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace talus {

inline constexpr double least_stiffness = 1e-6; ///< N/m.
/// Contacts yield by as little as keeps steps easy to solve (StepOptions::relative_compliance).
inline constexpr double automatic_stiffness = 0;
inline constexpr double rigid_stiffness = std::numeric_limits<double>::infinity();
inline constexpr double least_young = 1; ///< Pa.

/// How contacts pull. Once two surfaces have touched they are drawn together by a force c along the
/// normal of their contact, as long as their gap is not beyond `range`; then they are apart, and
/// pull again after they have touched again, or never if they do not heal. So a contact bears
/// tension up to c, and friction and moments of rolling are bounded by the normal force plus c
/// (docs/theory/laws.md, cohesion).
struct Cohesion {
  double force = 0;  ///< N for each pair of touching shapes, shared by their contact points.
  double stress = 0; ///< Pa; times the area between the contact points. Both may be given.
  double range = 0;  ///< m: the gap at which a contact still pulls.
  bool heals = true; ///< Whether surfaces that came apart stick again when they touch.

  bool exists() const { return force > 0 || stress > 0; }
  bool operator==(const Cohesion&) const = default;
};

struct Material {
  std::string name;
  double friction = 0.5;    ///< Coulomb's coefficient, in [0, 1e4].
  double restitution = 0.0; ///< Newton's (or Poisson's) coefficient, in [0, 1].
  /// Of the surface at a contact point, in all directions, N/m: it yields by the force over this
  /// (docs/theory/elastic.md). At least least_stiffness, or automatic, or rigid.
  double stiffness = automatic_stiffness;
  /// Rolling and spinning friction: a contact resists rolling with moments of up to `rolling` times
  /// its normal force, and spinning about its normal with up to `spinning` times it. Lengths in
  /// metres, not negative.
  double rolling = 0.0, spinning = 0.0;
  /// k_t / k_n of the springs that `stiffness` describes, in [0.001, 1000].
  double tangential_ratio = 1.0;
  /// Young's modulus, Pa: contacts obey Hertz' law in place of a linear one, and `stiffness` stays
  /// automatic. At least least_young; 0: not given.
  double young = 0.0;
  double poisson = 0.3; ///< Poisson's ratio, in (-1, 0.5]; counts where `young` is given.
  Cohesion cohesion = {};
};

/// How the coefficients of two materials become that of their contact.
enum class CombineRule { average, geometric_mean, minimum, maximum, product };
std::string_view to_string(CombineRule rule);
/// Throws InvalidArgument that lists the known names.
CombineRule combine_rule_from(std::string_view name);
double combine(CombineRule rule, double a, double b);

/// Coefficients measured for one pair of materials; they replace the combination rule.
struct MaterialPair {
  Index a = 0, b = 0;
  double friction = 0.5, restitution = 0.0;
  /// Of the two surfaces together; without a value the materials' springs act in series. May be
  /// automatic or rigid, too.
  std::optional<double> stiffness = {};
  double rolling = 0.0, spinning = 0.0;
  /// k_t / k_n of the contact, whatever its law; without a value it follows from the materials.
  std::optional<double> tangential_ratio = {};
  Cohesion cohesion = {};
};

struct SurfaceCoefficients {
  double friction = 0, restitution = 0;
  double compliance = 0;       ///< One over the stiffness that was given, m/N; 0: none.
  double shear_compliance = 0; ///< The same along the surface.
  /// A surface yields automatically, beside what `compliance` says: springs in series.
  bool is_automatic = false;
  double automatic_shear = 1; ///< k_n / k_t of what yields automatically.
  double rolling = 0, spinning = 0;
  /// E* of Hertz' law, 1/E* = Σ (1 − ν²)/E, Pa; 0: the contact has no such law. What `compliance`
  /// says acts in series.
  double young = 0;
  double hertz_ratio = 1; ///< k_t / k_n of Hertz' contact (Mindlin).
  Cohesion cohesion;
};

/// The materials of a world. Material 0 always exists: the default one.
class MaterialTable {
public:
  MaterialTable();

  CombineRule friction_rule = CombineRule::geometric_mean;
  CombineRule restitution_rule = CombineRule::maximum;
  CombineRule rolling_rule = CombineRule::geometric_mean; ///< Of rolling and spinning friction.
  /// Of force and stress of cohesion. The range is the larger one; contacts heal if both do.
  CombineRule cohesion_rule = CombineRule::geometric_mean;

  /// Returns the new material's index. Throws InvalidArgument for coefficients out of range and
  /// for a name that is taken.
  Index add(Material material);
  /// Replaces material `index`, by the same rules.
  void replace(Index index, Material material);
  /// Replaces what was set for this pair before; order does not matter.
  void set_pair(const MaterialPair& pair);

  Index size() const { return static_cast<Index>(materials_.size()); }
  const Material& operator[](Index index) const { return materials_[index]; }
  const std::vector<MaterialPair>& pairs() const { return pairs_; }
  /// -1 if there is none of that name.
  Index find(std::string_view name) const;

  /// Coefficients between materials a and b: the pair's if there is one, else by the rules, and for
  /// the compliance their sum. Beside a surface with Young's modulus one without stiffness counts
  /// as rigid, and a stiffness of the pair replaces Hertz' law.
  SurfaceCoefficients between(Index a, Index b) const;
  /// Whether a contact can yield: a material or pair has a stiffness, or an automatic one while the
  /// relative compliance of such contacts is not 0.
  bool has_yielding_contacts(double relative_compliance) const;
  /// Whether there is a material with Young's modulus.
  bool has_hertz_contacts() const;
  /// Whether there is a material or a pair with rolling or spinning friction.
  bool resists_rolling() const;
  /// Whether there is a material or a pair with cohesion.
  bool is_cohesive() const;
  double largest_cohesion_range() const;

private:
  std::vector<Material> materials_;
  std::vector<MaterialPair> pairs_; ///< a ≤ b, sorted by (a, b).
};

} // namespace talus
