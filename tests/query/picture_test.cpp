// Pictures: what they show where, the same bits for every number of threads.

#include "talus/core/error.h"
#include "talus/core/parallel.h"
#include "talus/query/picture.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace talus {
namespace {

World three_bodies() {
  World world;
  world.add(fixed_body("floor").with(make_half_space({0, 0, 1})));
  world.add(body("ball").with(make_sphere(0.5)).at({0, 0, 1}));
  world.add(body("box").with(make_box({0.3, 0.3, 0.3})).at({1.5, 0, 0.3}));
  return world;
}

std::size_t pixel(const Picture& picture, int column, int row) {
  return static_cast<std::size_t>(row) * static_cast<std::size_t>(picture.width) +
         static_cast<std::size_t>(column);
}

TEST(Picture, shows_bodies_where_they_are) {
  const World world = three_bodies();
  const Picture picture =
      draw(world, {{0, -10, 1}, {0, 0, 1}, {0, 0, 1}, 30}, {.width = 101, .height = 101});
  EXPECT_EQ(picture.body[pixel(picture, 50, 50)], 1);
  EXPECT_NEAR(picture.distance[pixel(picture, 50, 50)], 9.5, 1e-3);
  // The box lies 1.5 m to the right and 0.7 m below, at a depth of 9.7 m.
  const double metre = 50.5 / (10 * std::tan(15 * M_PI / 180)); // pixels at the middle's depth
  EXPECT_EQ(picture.body[pixel(picture, 50 + static_cast<int>(1.5 * metre),
                               50 + static_cast<int>(0.7 * metre))],
            2);
  EXPECT_EQ(picture.body[pixel(picture, 5, 95)], 0);
  EXPECT_EQ(picture.body[pixel(picture, 50, 2)], -1);
  EXPECT_TRUE(std::isinf(picture.distance[pixel(picture, 50, 2)]));
}

TEST(Picture, does_not_depend_on_threads) {
  const World world = three_bodies();
  const Camera camera = camera_for(world);
  const PictureOptions options{.width = 64, .height = 48};
  const Picture one = with_threads(1, [&] { return draw(world, camera, options); });
  const Picture two = with_threads(2, [&] { return draw(world, camera, options); });
  EXPECT_EQ(one.rgb, two.rgb);
  EXPECT_EQ(one.distance, two.distance);
  EXPECT_EQ(one.body, two.body);
}

TEST(Picture, shadows_lie_where_the_sun_does_not_come) {
  const World world = three_bodies();
  const Camera above{{0, 0.001, 12}, {0, 0, 0}, {0, 1, 0}, 30};
  const Picture with = draw(world, above, {.width = 60, .height = 60, .samples = 1});
  const Picture without =
      draw(world, above, {.width = 60, .height = 60, .samples = 1, .shadows = false});
  std::size_t darker = 0;
  for (std::size_t i = 0; i < with.rgb.size(); ++i) {
    EXPECT_LE(with.rgb[i], without.rgb[i]);
    darker += with.rgb[i] < without.rgb[i];
  }
  EXPECT_GT(darker, 60u);
}

TEST(Picture, the_automatic_camera_sees_all_bounded_bodies) {
  World world = three_bodies();
  world.add(body("far").with(make_sphere(0.2)).at({-7, 3, 2}));
  for (const double aspect : {0.5, 1.0, 2.0}) {
    const int height = 120;
    const Picture picture =
        draw(world, camera_for(world, aspect),
             {.width = static_cast<int>(aspect * height), .height = height, .samples = 1});
    for (const Index each : {1, 2, 3})
      EXPECT_GT(std::count(picture.body.begin(), picture.body.end(), each), 0) << aspect << each;
    for (int row = 0; row < picture.height; ++row) // none is cut off at a side
      for (const int column : {0, picture.width - 1})
        EXPECT_LE(picture.body[pixel(picture, column, row)], 0);
  }
  EXPECT_GT(norm(camera_for(World()).eye), 0);
}

TEST(Picture, refuses_what_cannot_be_drawn) {
  const World world = three_bodies();
  const Camera camera = camera_for(world);
  EXPECT_THROW(draw(world, {{1, 1, 1}, {1, 1, 1}}), InvalidArgument);
  EXPECT_THROW(draw(world, camera, {.width = 0}), InvalidArgument);
  EXPECT_THROW(draw(world, camera, {.height = 9000}), InvalidArgument);
  EXPECT_THROW(draw(world, camera, {.samples = 0}), InvalidArgument);
  EXPECT_THROW(camera_for(world, 0), InvalidArgument);
  EXPECT_THROW(camera_for(world, 1, {0, 0, 0}), InvalidArgument);
}

} // namespace
} // namespace talus
