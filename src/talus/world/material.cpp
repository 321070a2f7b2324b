#include "talus/world/material.h"

#include "talus/core/error.h"
#include "talus/core/friction_range.h"
#include "talus/core/nearest_name.h"
#include "talus/world/name_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace talus {

namespace {

constexpr std::array<std::string_view, 5> rule_names = {"average", "geometric_mean", "minimum",
                                                        "maximum", "product"};

void check_coefficients(std::string_view what, double friction, double restitution,
                        double stiffness) {
  if (!(friction >= 0 && friction <= largest_friction)) {
    throw InvalidArgument(fmt::format("{}: friction is {}, it must be between 0 and {}", what,
                                      friction, largest_friction));
  }
  if (!(restitution >= 0 && restitution <= 1)) {
    throw InvalidArgument(
        fmt::format("{}: restitution is {}, it must be between 0 and 1", what, restitution));
  }
  if (stiffness != automatic_stiffness && !(stiffness >= least_stiffness)) {
    throw InvalidArgument(fmt::format("{}: stiffness is {} N/m, it must be at least {} (or 0: "
                                      "automatic, infinite: rigid)",
                                      what, stiffness, least_stiffness));
  }
}

void check_length(std::string_view what, std::string_view name, double length) {
  if (!(length >= 0 && std::isfinite(length)))
    throw InvalidArgument(
        fmt::format("{}: {} is {} m, it must be finite and not negative", what, name, length));
}

void check_lengths(std::string_view what, double rolling, double spinning) {
  check_length(what, "rolling", rolling);
  check_length(what, "spinning", spinning);
}

void check_ratio(std::string_view what, double ratio) {
  if (!(ratio >= 1e-3 && ratio <= 1e3))
    throw InvalidArgument(
        fmt::format("{}: tangential_ratio is {}, it must be between 0.001 and 1000", what, ratio));
}

void check_moduli(std::string_view what, const Material& material) {
  if (material.young == 0) return;
  if (!(material.young >= least_young && std::isfinite(material.young)))
    throw InvalidArgument(fmt::format("{}: young is {} Pa, it must be at least {} and finite", what,
                                      material.young, least_young));
  if (!(material.poisson > -1 && material.poisson <= 0.5))
    throw InvalidArgument(fmt::format("{}: poisson is {}, it must be above -1 and at most 0.5",
                                      what, material.poisson));
  if (material.stiffness != automatic_stiffness)
    throw InvalidArgument(fmt::format(
        "{}: has both young (Hertz' law) and stiffness (a linear law); give one of them", what));
  if (material.tangential_ratio != 1)
    throw InvalidArgument(fmt::format("{}: has both young and tangential_ratio; the ratio of "
                                      "Hertz' contacts follows from poisson",
                                      what));
}

void check_cohesion(std::string_view what, const Cohesion& cohesion) {
  const auto check = [&](std::string_view name, double value, std::string_view unit) {
    if (!(value >= 0 && std::isfinite(value)))
      throw InvalidArgument(
          fmt::format("{}: the {} of its cohesion is {} {}, it must be finite and "
                      "not negative",
                      what, name, value, unit));
  };
  check("force", cohesion.force, "N");
  check("stress", cohesion.stress, "Pa");
  check("range", cohesion.range, "m");
}

void check_coefficients(const Material& material) {
  const std::string what = fmt::format("material '{}'", material.name);
  check_coefficients(what, material.friction, material.restitution, material.stiffness);
  check_lengths(what, material.rolling, material.spinning);
  check_ratio(what, material.tangential_ratio);
  check_moduli(what, material);
  check_cohesion(what, material.cohesion);
}

Cohesion combine(CombineRule rule, const Cohesion& a, const Cohesion& b) {
  return {.force = combine(rule, a.force, b.force),
          .stress = combine(rule, a.stress, b.stress),
          .range = std::max(a.range, b.range),
          .heals = a.heals && b.heals};
}

/// One over a stiffness that was given, else 0.
double given_compliance(double stiffness) {
  return stiffness == automatic_stiffness ? 0.0 : 1 / stiffness;
}

/// How contacts of the two materials yield, unless their pair says otherwise.
void set_springs(const Material& x, const Material& y, SurfaceCoefficients& result) {
  double automatic_shear = 0;
  int automatic = 0;
  double inverse_young = 0, inverse_shear = 0; // 1/E* and 1/G*
  for (const Material* m : {&x, &y}) {
    if (m->young > 0) {
      inverse_young += (1 - m->poisson * m->poisson) / m->young;
      inverse_shear += (2 - m->poisson) * 2 * (1 + m->poisson) / m->young;
      continue;
    }
    const double given = given_compliance(m->stiffness);
    result.compliance += given;
    result.shear_compliance += given / m->tangential_ratio;
    if (m->stiffness != automatic_stiffness) continue;
    ++automatic;
    automatic_shear += 1 / m->tangential_ratio;
  }
  if (inverse_young > 0) {
    result.young = 1 / inverse_young;
    // Mindlin: k_n = 2 E* a and k_t = 8 G* a with the radius a of the area of contact.
    result.hertz_ratio = 4 * inverse_young / inverse_shear;
  } else if (automatic > 0) {
    result.is_automatic = true;
    result.automatic_shear = automatic_shear / automatic;
  }
}

void set_springs(const MaterialPair& pair, SurfaceCoefficients& result) {
  if (const std::optional<double>& own = pair.stiffness) {
    result.compliance = result.shear_compliance = given_compliance(*own);
    result.is_automatic = *own == automatic_stiffness;
    result.automatic_shear = 1;
    result.young = 0;
  }
  if (!pair.tangential_ratio) return;
  result.shear_compliance = result.compliance / *pair.tangential_ratio;
  result.automatic_shear = 1 / *pair.tangential_ratio;
  result.hertz_ratio = *pair.tangential_ratio;
}

bool before(const MaterialPair& x, const MaterialPair& y) {
  return x.a != y.a ? x.a < y.a : x.b < y.b;
}

} // namespace

std::string_view to_string(CombineRule rule) {
  return rule_names[static_cast<std::size_t>(rule)];
}

CombineRule combine_rule_from(std::string_view name) {
  for (std::size_t i = 0; i < rule_names.size(); ++i) {
    if (rule_names[i] == name) return static_cast<CombineRule>(i);
  }
  throw InvalidArgument("unknown combination rule " + unknown_name(name, rule_names));
}

double combine(CombineRule rule, double a, double b) {
  switch (rule) {
  case CombineRule::average:
    return (a + b) / 2;
  case CombineRule::geometric_mean:
    return a == b ? a : std::sqrt(a * b);
  case CombineRule::minimum:
    return std::min(a, b);
  case CombineRule::maximum:
    return std::max(a, b);
  case CombineRule::product:
    return a * b;
  }
  return 0;
}

MaterialTable::MaterialTable() : materials_{Material{.name = "default"}} {}

Index MaterialTable::add(Material material) {
  check_name("material", material.name);
  if (material.name.empty()) material.name = fmt::format("material {}", size());
  if (find(material.name) >= 0) {
    throw InvalidArgument(fmt::format("material '{}' exists already", material.name));
  }
  check_coefficients(material);
  materials_.push_back(std::move(material));
  return size() - 1;
}

void MaterialTable::replace(Index index, Material material) {
  if (index < 0 || index >= size()) {
    throw InvalidArgument(fmt::format("there is no material {}; there are {}", index, size()));
  }
  check_name("material", material.name);
  if (material.name.empty()) material.name = materials_[index].name;
  const Index owner = find(material.name);
  if (owner >= 0 && owner != index) {
    throw InvalidArgument(fmt::format("material '{}' exists already", material.name));
  }
  check_coefficients(material);
  materials_[index] = std::move(material);
}

void MaterialTable::set_pair(const MaterialPair& pair) {
  MaterialPair ordered = pair;
  if (ordered.a > ordered.b) std::swap(ordered.a, ordered.b);
  if (ordered.a < 0 || ordered.b >= size()) {
    throw InvalidArgument(
        fmt::format("there are no materials {} and {}; there are {}", pair.a, pair.b, size()));
  }
  const std::string what = fmt::format("materials '{}' and '{}'", materials_[ordered.a].name,
                                       materials_[ordered.b].name);
  check_coefficients(what, ordered.friction, ordered.restitution,
                     ordered.stiffness.value_or(rigid_stiffness));
  check_lengths(what, ordered.rolling, ordered.spinning);
  check_ratio(what, ordered.tangential_ratio.value_or(1.0));
  check_cohesion(what, ordered.cohesion);
  const auto place = std::lower_bound(pairs_.begin(), pairs_.end(), ordered, before);
  if (place != pairs_.end() && place->a == ordered.a && place->b == ordered.b) {
    *place = ordered;
  } else {
    pairs_.insert(place, ordered);
  }
}

Index MaterialTable::find(std::string_view name) const {
  for (Index i = 0; i < size(); ++i) {
    if (materials_[i].name == name) return i;
  }
  return -1;
}

SurfaceCoefficients MaterialTable::between(Index a, Index b) const {
  const Material &x = materials_[a], &y = materials_[b];
  SurfaceCoefficients result;
  set_springs(x, y, result);
  if (!pairs_.empty()) {
    const MaterialPair wanted{std::min(a, b), std::max(a, b)};
    const auto place = std::lower_bound(pairs_.begin(), pairs_.end(), wanted, before);
    if (place != pairs_.end() && place->a == wanted.a && place->b == wanted.b) {
      result.friction = place->friction;
      result.restitution = place->restitution;
      result.rolling = place->rolling;
      result.spinning = place->spinning;
      result.cohesion = place->cohesion;
      set_springs(*place, result);
      return result;
    }
  }
  result.friction = combine(friction_rule, x.friction, y.friction);
  result.restitution = combine(restitution_rule, x.restitution, y.restitution);
  result.rolling = combine(rolling_rule, x.rolling, y.rolling);
  result.spinning = combine(rolling_rule, x.spinning, y.spinning);
  result.cohesion = combine(cohesion_rule, x.cohesion, y.cohesion);
  return result;
}

bool MaterialTable::resists_rolling() const {
  const auto resists = [](const auto& m) { return m.rolling > 0 || m.spinning > 0; };
  return std::ranges::any_of(materials_, resists) || std::ranges::any_of(pairs_, resists);
}

bool MaterialTable::has_hertz_contacts() const {
  return std::ranges::any_of(materials_, [](const Material& m) { return m.young > 0; });
}

bool MaterialTable::is_cohesive() const {
  const auto pulls = [](const auto& m) { return m.cohesion.exists(); };
  return std::ranges::any_of(materials_, pulls) || std::ranges::any_of(pairs_, pulls);
}

double MaterialTable::largest_cohesion_range() const {
  double largest = 0;
  for (const Material& material : materials_) largest = std::max(largest, material.cohesion.range);
  for (const MaterialPair& pair : pairs_) largest = std::max(largest, pair.cohesion.range);
  return largest;
}

bool MaterialTable::has_yielding_contacts(double relative_compliance) const {
  const auto yields = [&](double stiffness) {
    return stiffness == automatic_stiffness ? relative_compliance > 0
                                            : stiffness != rigid_stiffness;
  };
  return has_hertz_contacts() ||
         std::ranges::any_of(materials_, [&](const Material& m) { return yields(m.stiffness); }) ||
         std::ranges::any_of(pairs_, [&](const MaterialPair& p) {
           return yields(p.stiffness.value_or(rigid_stiffness));
         });
}

} // namespace talus
