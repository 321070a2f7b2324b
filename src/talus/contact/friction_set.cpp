#include "talus/contact/friction_set.h"

#include "talus/contact/set_traits.h"
#include "talus/core/error.h"

#include <fmt/format.h>

#include <charconv>

namespace talus {
namespace {

[[noreturn]] void reject(std::string_view text) {
  throw InvalidArgument("unknown friction set '" + std::string(text) +
                        "'; known: none, box, pyramid, prism[:m], polyhedron[:m], cylinder, "
                        "cone, rolling (m even, 4 to " +
                        std::to_string(max_facets) + ")");
}

int parse_facets(std::string_view digits, std::string_view whole) {
  int facets = 0;
  const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), facets);
  const bool consumed = failure == std::errc() && end == digits.data() + digits.size();
  if (!consumed || facets < 4 || facets > max_facets || facets % 2 != 0) reject(whole);
  return facets;
}

} // namespace

std::string_view name_of(FrictionKind kind) {
  if (static_cast<std::size_t>(kind) >= set_table.size())
    throw InvalidArgument("friction kind out of range");
  return traits_of(kind).name;
}

FrictionSet parse_friction_set(std::string_view text) {
  const std::size_t colon = text.find(':');
  for (const SetTraits& traits : set_table) {
    if (text.substr(0, colon) != traits.name) continue;
    FrictionSet set{traits.kind};
    if (colon == std::string_view::npos) return set;
    if (!has_facets(traits.kind)) reject(text);
    set.facets = parse_facets(text.substr(colon + 1), text);
    return set;
  }
  reject(text);
}

std::string to_string(const FrictionSet& set) {
  if (!has_facets(set.kind)) return std::string(name_of(set.kind));
  return fmt::format("{}:{}", name_of(set.kind), set.facets);
}

Law parse_law(std::string_view text) {
  if (text == "associated") return Law::associated;
  if (text == "coulomb") return Law::coulomb;
  throw InvalidArgument("unknown law '" + std::string(text) + "'; known: coulomb, associated");
}

std::string_view to_string(Law law) {
  return law == Law::associated ? "associated" : "coulomb";
}

} // namespace talus
