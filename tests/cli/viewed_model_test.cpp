// What the viewer page is told of joints.

#include "scratch_folder.h"
#include "talus/io/output/world_tables.h"
#include "view/viewed_model.h"

#include <gtest/gtest.h>

namespace talus::cli {
namespace {

World world_with_joints() {
  World world;
  const Index a = world.add(body().with(make_sphere(0.1)));
  const Index b = world.add(body().with(make_sphere(0.1)).at({1, 0, 0}));
  world.add(prismatic("rail").between(ground, a));
  world.add(spring("band", 10).between(a, b).second_at({1, 0, 0}));
  return world;
}

/// Whether the model of a trajectory that `write` made names these kinds of joints.
template <class Write>
bool has_kinds(const std::string& kinds, Write&& write) {
  const test::ScratchFolder folder;
  Hdf5File file = Hdf5File::create(folder.path("t.h5"));
  file.write_string_attribute("/", "title", "joints");
  file.write_attribute<double>("/", "step", 0.01);
  write(file);
  file.close();
  const std::string bytes = viewed_model(Hdf5File::open(folder.path("t.h5"))).bytes();
  return bytes.find(kinds) != std::string::npos;
}

TEST(ViewedModel, NamesTheKindsOfJoints) {
  EXPECT_TRUE(has_kinds("prismatic\nspring\n",
                        [](Hdf5File& file) { write_world_tables(file, world_with_joints(), 1); }));
}

/// Trajectories used to hold the numbers of the kinds there were.
TEST(ViewedModel, NamesThemInOlderFilesToo) {
  EXPECT_TRUE(has_kinds("prismatic\ngear\nspherical\nunknown\n", [](Hdf5File& file) {
    file.write<std::int32_t>("/joints/kind", std::vector<std::int32_t>{2, 8, 0, 99});
    file.write<std::int32_t>("/surface/body", std::vector<std::int32_t>{0, 0, 0});
    file.write<std::int32_t>("/surface/triangles", std::vector<std::int32_t>{0, 1, 2}, {1, 3});
    file.write<float>("/surface/points", std::vector<float>(9, 0.0f), {3, 3});
  }));
}

} // namespace
} // namespace talus::cli
