// Suggestions for misspelt names: near ones are found, far ones are not made up.

#include "talus/core/nearest_name.h"

#include <gtest/gtest.h>

namespace talus {
namespace {

constexpr std::string_view names[] = {"newton", "prox-newton", "nsgs", "nlgs", "path", "p1"};

TEST(NearestName, FindsEveryKindOfMistake) {
  EXPECT_EQ(nearest_name("newtn", names), "newton");   // left out
  EXPECT_EQ(nearest_name("neewton", names), "newton"); // added
  EXPECT_EQ(nearest_name("nawton", names), "newton");  // replaced
  EXPECT_EQ(nearest_name("nwetno", names), "newton");  // two neighbours swapped, twice
  EXPECT_EQ(nearest_name("NEWTON", names), "newton");
  EXPECT_EQ(nearest_name("proxnewton", names), "prox-newton");
}

TEST(NearestName, PrefersTheNearerAndThenTheFirst) {
  EXPECT_EQ(nearest_name("nlg", names), "nlgs");
  EXPECT_EQ(nearest_name("ngs", names), "nsgs");
}

TEST(NearestName, KeepsSilentAboutFarNames) {
  EXPECT_EQ(nearest_name("nwent", names), "");
  EXPECT_EQ(nearest_name("magic", names), "");
  EXPECT_EQ(nearest_name("p2", names), "") << "one letter of two is no typing mistake";
  EXPECT_EQ(nearest_name("", names), "");
  EXPECT_EQ(nearest_name("newton", {}), "");
}

TEST(UnknownName, ListsWhatIsKnownAndSuggestsWhatIsNear) {
  const std::vector<std::string> known = {"step", "duration"};
  EXPECT_EQ(unknown_name("stepp", known, "allowed"),
            "'stepp' (did you mean step?); allowed: step, duration");
  EXPECT_EQ(unknown_name("colour", known), "'colour'; known: step, duration");
  EXPECT_EQ(unknown_name("colour", std::vector<std::string>{}), "'colour'; known: none");
}

} // namespace
} // namespace talus
