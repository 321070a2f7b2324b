#include "talus/core/error.h"
#include "talus/world/world.h"

#include <gtest/gtest.h>

#include <array>

namespace talus {
namespace {

World five_bodies() {
  World world;
  for (int k = 0; k < 5; ++k)
    world.add(body("b" + std::to_string(k)).with(make_sphere(0.1 + k)).at({1.0 * k, 0, 0}));
  world.add(revolute("hinge").between(1, 3).at({2, 0, 0}));
  world.forbid_contact(3, 4);
  world.forbid_contact(0, 1);
  return world;
}

TEST(WorldPart, NumbersBodiesAndJointsAnew) {
  const World world = five_bodies();
  const World part = world.part(std::array<Index, 3>{1, 3, 4});
  ASSERT_EQ(part.size(), 3);
  EXPECT_EQ(part.bodies()[0].name, "b1");
  EXPECT_EQ(part.bodies()[2].mass, world.bodies()[4].mass);
  EXPECT_EQ(part.states()[1], world.states()[3]);
  ASSERT_EQ(part.joints().size(), 1u);
  EXPECT_EQ(part.joints()[0].body_a, 0);
  EXPECT_EQ(part.joints()[0].body_b, 1);
  // The joined ones and the forbidden ones that are both there.
  const std::vector<std::pair<Index, Index>> excluded = {{0, 1}, {1, 2}};
  EXPECT_EQ(part.contact_exclusions(), excluded);
}

TEST(WorldPart, RefusesWhatNeedsTheOthers) {
  World world = five_bodies();
  EXPECT_THROW(static_cast<void>(world.part(std::array<Index, 2>{1, 2})), InvalidArgument);
  EXPECT_THROW(static_cast<void>(world.part(std::array<Index, 1>{9})), InvalidArgument);
  world.add([](const World&, double, std::span<Wrench>) {});
  EXPECT_THROW(static_cast<void>(world.part(std::array<Index, 2>{1, 3})), InvalidArgument);
}

/// Loads at points go with their bodies, by their new numbers; others stay behind.
TEST(WorldPart, HasTheLoadsOfItsBodies) {
  World world;
  for (int k = 0; k < 4; ++k) world.add(body().with(make_sphere(0.1)).at({1.0 * k, 0, 0}));
  for (const Index loaded : {1, 3})
    world.add(PointLoad{.body = loaded, .point = {0, 0.1, 0}, .force = [loaded](double time) {
                          return Vec3{loaded * time, 0, 0};
                        }});
  const World part = world.part(std::array<Index, 2>{0, 3});
  ASSERT_EQ(part.forces().size(), 1u);
  std::vector<Wrench> wrenches(2), whole(4);
  for (const ForceFunction& force : part.forces()) force(part, 2, wrenches);
  for (const ForceFunction& force : world.forces()) force(world, 2, whole);
  EXPECT_EQ(wrenches[1].force, whole[3].force);
  EXPECT_EQ(wrenches[1].torque, whole[3].torque);
  EXPECT_EQ(wrenches[1].force.x, 6);
  EXPECT_EQ(wrenches[0].force, Vec3{});
}

} // namespace
} // namespace talus
