#include "talus/contact/set_traits.h"

#include <algorithm>

namespace talus {
namespace {

static_assert(
    [] {
      for (std::size_t i = 0; i < set_table.size(); ++i)
        if (static_cast<std::size_t>(set_table[i].kind) != i) return false;
      return true;
    }(),
    "set_table is ordered as FrictionKind");

template <class Range, class Value>
bool contains(const Range& range, const Value& value) {
  return std::find(range.begin(), range.end(), value) != range.end();
}

} // namespace

AdmittedSets::AdmittedSets()
    : sections_{Section::interval, Section::square, Section::polygon, Section::disc} {}

AdmittedSets::AdmittedSets(std::initializer_list<Section> sections, Bounds bounds)
    : sections_(sections), bounds_(bounds) {}

AdmittedSets AdmittedSets::every() {
  AdmittedSets sets;
  sets.every_ = true;
  return sets;
}

AdmittedSets AdmittedSets::named(std::vector<FrictionKind> space, std::vector<FrictionKind> plane) {
  AdmittedSets sets;
  sets.by_name_ = true;
  sets.space_ = std::move(space);
  sets.plane_ = std::move(plane);
  return sets;
}

bool AdmittedSets::admits(FrictionKind kind, int dimension) const {
  if (!exists_in(kind, dimension)) return false;
  // One component per contact leaves no room for friction.
  if (dimension == 1 || every_) return true;
  if (by_name_) return contains(dimension == 2 ? plane_ : space_, kind);
  const Section section = section_of(kind, dimension);
  if (section == Section::point) return true;
  if (bounds_ == only_fixed && !has_fixed_bound(kind)) return false;
  if (bounds_ == only_growing && !is_cone_shaped(kind)) return false;
  return contains(sections_, section);
}

std::vector<FrictionKind> AdmittedSets::in(int dimension) const {
  std::vector<FrictionKind> kinds;
  for (const SetTraits& traits : set_table)
    if (admits(traits.kind, dimension)) kinds.push_back(traits.kind);
  return kinds;
}

std::vector<int> AdmittedSets::dimensions() const {
  std::vector<int> dimensions;
  for (int d = 1; d <= max_dimension; ++d)
    if (!in(d).empty()) dimensions.push_back(d);
  return dimensions;
}

} // namespace talus
