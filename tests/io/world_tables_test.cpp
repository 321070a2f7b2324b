// What a trajectory says of shapes, materials and joints.

#include "scene_text.h"
#include "talus/io/output/trajectory.h"

#include <gtest/gtest.h>

namespace talus::test {
namespace {

const std::string text = R"(
materials: {rubber: {friction: 0.9, restitution: 0.3}}
gravity: [0, -9, 0]
bodies:
  - {name: slope, motion: fixed, shape: {type: half_space, normal: [0, 3, 4], offset: 2}}
  - {name: ball, shape: {type: sphere, radius: 0.5}, position: [0, 0, 9], material: rubber}
  - name: pair
    position: [3, 0, 9]
    shapes:
      - {shape: {type: capsule, radius: 0.1, length: 0.6}, position: [1, 0, 0]}
      - shape: {type: compound, parts: [{shape: {type: box, size: [0.2, 0.4, 0.6]}, position: [-1, 0, 0]}]}
joints:
  - {name: hinge, type: revolute, between: [ground, ball], at: [0, 0, 8], axis: [1, 0, 0], spring: {stiffness: 3}}
)";

class WorldTables : public testing::Test {
protected:
  WorldTables() {
    Scene scene = scene_from(text);
    const Simulation simulation(std::move(scene.world), scene.options);
    TrajectoryWriter writer(folder_.path("t.h5"), scene, simulation.world(), std::nullopt);
    writer.add(frame_of(simulation));
    writer.close();
    reader_.emplace(folder_.path("t.h5"));
  }
  const Hdf5File& file() const { return reader_->file(); }

  ScratchFolder folder_;
  std::optional<TrajectoryReader> reader_;
};

Transform frame_in(const std::vector<double>& numbers, std::size_t i) {
  const double* f = &numbers[7 * i];
  return {{f[0], f[1], f[2]}, {f[3], f[4], f[5], f[6]}};
}

TEST_F(WorldTables, ShapesHaveKindSizeAndMaterial) {
  using Integers = std::vector<std::int32_t>;
  EXPECT_EQ(file().read<std::int32_t>("/shapes/body"), (Integers{0, 1, 2, 2}));
  EXPECT_EQ(file().read<std::int32_t>("/shapes/kind"), (Integers{5, 0, 2, 1}));
  const auto material = file().read<std::int32_t>("/shapes/material");
  EXPECT_EQ(file().read<double>("/materials/friction").at(static_cast<std::size_t>(material[1])),
            0.9);
  EXPECT_NE(material[1], material[2]);
  const auto size = file().read<double>("/shapes/size");
  const std::vector<double> expected = {0, 0, 0, 0.5, 0.5, 0.5, 0.1, 0.1, 0.3, 0.1, 0.2, 0.3};
  ASSERT_EQ(size.size(), expected.size());
  for (std::size_t i = 0; i < size.size(); ++i) EXPECT_NEAR(size[i], expected[i], 1e-15);
  EXPECT_EQ(file().read<double>("/gravity"), (std::vector<double>{0, -9, 0}));
}

TEST_F(WorldTables, FrameOfAHalfSpaceLiesOnItsPlane) {
  const Transform pose =
      reader_->states(0)[0].pose * frame_in(file().read<double>("/shapes/frame"), 0);
  const Vec3 normal = rotate(pose.rotation, Vec3{0, 0, 1});
  EXPECT_NEAR(norm(normal - Vec3{0, 0.6, 0.8}), 0, 1e-12);
  EXPECT_NEAR(dot(normal, pose.position), 2, 1e-12);
}

TEST_F(WorldTables, ShapesAreWhereTheSceneSays) {
  const auto frames = file().read<double>("/shapes/frame");
  const Transform body = reader_->states(0)[2].pose;
  EXPECT_NEAR(norm((body * frame_in(frames, 2)).position - Vec3{4, 0, 9}), 0, 1e-12);
  EXPECT_NEAR(norm((body * frame_in(frames, 3)).position - Vec3{2, 0, 9}), 0, 1e-12);
}

TEST_F(WorldTables, TrianglesOfAShapeBelongToItsBody) {
  const auto first = file().read<std::int32_t>("/shapes/first_triangle");
  const auto body = file().read<std::int32_t>("/shapes/body");
  const auto triangles = file().read<std::int32_t>("/surface/triangles");
  const auto point_body = file().read<std::int32_t>("/surface/body");
  ASSERT_EQ(first.size(), body.size());
  for (std::size_t s = 0; s < first.size(); ++s) {
    const auto end =
        s + 1 < first.size() ? static_cast<std::size_t>(first[s + 1]) : triangles.size() / 3;
    ASSERT_LT(static_cast<std::size_t>(first[s]), end);
    for (std::size_t i = 3 * static_cast<std::size_t>(first[s]); i < 3 * end; ++i)
      EXPECT_EQ(point_body[static_cast<std::size_t>(triangles[i])], body[s]);
  }
}

TEST_F(WorldTables, JointFramesMeetAtTheAnchor) {
  EXPECT_EQ(file().read_string("/joints/names"), "hinge\n");
  EXPECT_EQ(file().read_string("/joints/kind_names"), "revolute\n");
  EXPECT_EQ(file().read<std::int32_t>("/joints/kind"), std::vector<std::int32_t>{1});
  EXPECT_EQ(file().read<std::int32_t>("/joints/bodies"), (std::vector<std::int32_t>{-1, 1}));
  EXPECT_EQ(file().read<double>("/joints/spring"), std::vector<double>{3});
  const Transform a = frame_in(file().read<double>("/joints/frame_a"), 0);
  const Transform b =
      reader_->states(0)[1].pose * frame_in(file().read<double>("/joints/frame_b"), 0);
  EXPECT_NEAR(norm(a.position - Vec3{0, 0, 8}), 0, 1e-12);
  EXPECT_NEAR(norm(b.position - Vec3{0, 0, 8}), 0, 1e-12);
  EXPECT_NEAR(norm(rotate(a.rotation, Vec3{0, 0, 1}) - Vec3{1, 0, 0}), 0, 1e-12);
}

} // namespace
} // namespace talus::test
