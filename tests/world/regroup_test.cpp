// Bodies that leave a world and others that come (World::regroup).

#include "talus/core/error.h"
#include "talus/shape/shape.h"
#include "talus/world/world.h"

#include <gtest/gtest.h>

namespace talus {
namespace {

World linked_world() {
  World world;
  for (const char* name : {"a", "b", "c", "d", "e"})
    world.add(body(name).with(make_sphere(0.1)).moving({1, 2, 3}));
  world.add(spherical().between(world.find_body("c"), world.find_body("e")));
  return world;
}

TEST(RegroupedWorld, JointsFollowTheirBodies) {
  World world = linked_world();
  World other;
  other.add(body("x").with(make_sphere(0.2)).at({7, 0, 0}));
  other.add(body("y").with(make_sphere(0.3)));
  const std::vector<char> leaves{1, 0, 0, 1, 0};
  const std::vector<Index> places{0, 3};
  world.regroup(leaves, places, {other.bodies().begin(), other.bodies().end()},
                {other.states().begin(), other.states().end()});
  std::string names;
  for (const Body& body : world.bodies()) names += body.name;
  EXPECT_EQ(names, "xbcye");
  EXPECT_EQ(world.joints()[0].body_a, 2);
  EXPECT_EQ(world.joints()[0].body_b, 4);
  EXPECT_EQ(world.states()[0].pose.position, (Vec3{7, 0, 0}));
  EXPECT_EQ(world.states()[3].velocity, Vec3{});
  EXPECT_EQ(world.states()[4].velocity, (Vec3{1, 2, 3}));
  const std::vector<std::pair<Index, Index>> joined{{2, 4}};
  EXPECT_EQ(world.contact_exclusions(), joined);
}

TEST(RegroupedWorld, BodiesWithJointsStay) {
  World world = linked_world();
  const std::vector<char> leaves{0, 0, 1, 0, 0};
  EXPECT_THROW(world.regroup(leaves, {}, {}, {}), InvalidArgument);
  EXPECT_EQ(world.size(), 5);
}

} // namespace
} // namespace talus
