// The table of friction sets, and which of them a solver's needs admit.

#include "talus/contact/set_traits.h"

#include <gtest/gtest.h>

namespace talus {
namespace {

using Kinds = std::vector<FrictionKind>;

TEST(SetTraits, NamesAreReadBack) {
  for (const SetTraits& traits : set_table) {
    EXPECT_EQ(parse_friction_set(traits.name).kind, traits.kind);
    EXPECT_EQ(name_of(traits.kind), traits.name);
  }
}

TEST(SetTraits, FixedBoundsKeepTheCrossSection) {
  for (const SetTraits& traits : set_table) {
    EXPECT_EQ(traits_of(traits.fixed_kind).section, traits.section);
    EXPECT_EQ(with_fixed_bound(traits.fixed_kind), traits.fixed_kind);
  }
}

TEST(AdmittedSets, AreThoseOfPlaneAndSpaceUnlessTold) {
  const AdmittedSets sets;
  const Kinds all(every_friction_kind.begin(), every_friction_kind.end());
  EXPECT_EQ(sets.in(3), all);
  EXPECT_EQ(sets.in(2), all);
  EXPECT_TRUE(sets.in(5).empty());
  EXPECT_EQ(sets.dimensions(), (std::vector<int>{1, 2, 3}));
}

TEST(AdmittedSets, EverySetHasMomentsToo) {
  const AdmittedSets sets = AdmittedSets::every();
  EXPECT_EQ(sets.in(5), Kinds{FrictionKind::rolling});
  EXPECT_EQ(sets.in(6), Kinds{FrictionKind::rolling});
  EXPECT_EQ(sets.in(3).size(), every_friction_kind.size() + 1);
  EXPECT_TRUE(sets.admits(FrictionKind::rolling, 3)); // the plane with a moment
  EXPECT_FALSE(sets.admits(FrictionKind::rolling, 2));
  EXPECT_FALSE(sets.admits(FrictionKind::rolling, 4));
  EXPECT_EQ(sets.dimensions(), (std::vector<int>{1, 2, 3, 5, 6}));
}

TEST(AdmittedSets, FollowFromNeeds) {
  const AdmittedSets cones({Section::interval, Section::disc}, AdmittedSets::only_growing);
  EXPECT_EQ(cones.in(3), (Kinds{FrictionKind::none, FrictionKind::cone}));
  EXPECT_EQ(cones.in(2), (Kinds{FrictionKind::none, FrictionKind::pyramid, FrictionKind::polyhedron,
                                FrictionKind::cone}));
  const AdmittedSets boxes({Section::interval, Section::square}, AdmittedSets::only_fixed);
  EXPECT_EQ(boxes.in(3), (Kinds{FrictionKind::none, FrictionKind::box}));
  EXPECT_EQ(boxes.in(2), (Kinds{FrictionKind::none, FrictionKind::box, FrictionKind::prism,
                                FrictionKind::cylinder}));
  EXPECT_TRUE(boxes.in(6).empty());
}

TEST(AdmittedSets, MayBeNamed) {
  const auto sets = AdmittedSets::named({FrictionKind::cone}, {FrictionKind::box});
  EXPECT_EQ(sets.in(3), Kinds{FrictionKind::cone});
  EXPECT_EQ(sets.in(2), Kinds{FrictionKind::box});
}

} // namespace
} // namespace talus
