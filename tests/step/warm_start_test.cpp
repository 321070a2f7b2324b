// Impulses of one step as the start of the next: kept by feature and by row, in world axes, in
// proportion to the length of the step.

#include "talus/step/warm_start.h"

#include <gtest/gtest.h>

namespace talus {
namespace {

ContactPoint contact(Index a, Index b, std::uint64_t feature) {
  ContactPoint point{};
  point.collider_a = a;
  point.collider_b = b;
  point.key = {0, feature};
  return point;
}

RigidContact frame(const Vec3& normal, const Vec3& tangent) {
  RigidContact result{};
  result.normal = normal;
  result.tangent = tangent;
  return result;
}

JointRow row(Index joint, Index name) {
  JointRow result;
  result.joint = joint;
  result.row = name;
  return result;
}

Vector start_of(const WarmStart& cache, const std::vector<ContactPoint>& contacts,
                const std::vector<RigidContact>& frames, const std::vector<JointRow>& rows,
                double h, int dimension = 3) {
  Vector x, shear;
  initial_impulses(cache, contacts, SpatialOrder(), {}, h, dimension, x, shear);
  turn_into_frames(frames, x);
  append_multipliers(cache, rows, h, x);
  return x;
}

const RigidContact upright = frame({0, 0, 1}, {1, 0, 0});
const RigidContact quarter_turned = frame({0, 0, 1}, {0, 1, 0});

TEST(WarmStart, GoesToTheSameFeaturesAndRowsInProportionToTheStep) {
  const std::vector<ContactPoint> before = {contact(0, 1, 7), contact(0, 1, 8), contact(1, 2, 7)};
  const std::vector<RigidContact> frames(3, upright);
  const std::vector<JointRow> rows = {row(0, 0), row(0, 3), row(2, 1)};
  const Vector x = {1, 2, 3, 0, 0, 0, 4, 5, 6, 10, 20, 30};
  WarmStart cache;
  remember(before, SpatialOrder(), frames, rows, x, 0.01, false, {}, cache);
  EXPECT_EQ(cache.contacts.size(), 2u) << "a contact without impulse is not worth its memory";

  // One contact is gone, one is new, the frame of the third has turned by 90 degrees; so have rows.
  const std::vector<ContactPoint> after = {contact(0, 1, 7), contact(0, 2, 7), contact(1, 2, 7)};
  const std::vector<JointRow> later = {row(0, 3), row(1, 0), row(2, 1)};
  EXPECT_EQ(start_of(cache, after, {upright, upright, quarter_turned}, later, 0.005),
            (Vector{0.5, 1, 1.5, 0, 0, 0, 2, 3, -2.5, 10, 0, 15}));
}

// Moments about tangent, third axis and normal turn with the frame, too.
TEST(WarmStart, HoldsTheMomentsOfRollingFriction) {
  const std::vector<ContactPoint> contacts = {contact(0, 1, 7), contact(0, 1, 8)};
  const Vector x = {1, 2, 3, 4, 5, 6, 7, 0, 0, 0, 8, 9, 10};
  WarmStart cache;
  remember(contacts, SpatialOrder(), std::vector<RigidContact>(2, upright), std::vector{row(0, 0)},
           x, 0.01, false, {}, cache);
  EXPECT_EQ(cache.moments.size(), 2u);
  EXPECT_EQ(start_of(cache, contacts, {quarter_turned, upright}, {row(0, 0)}, 0.01, 6),
            (Vector{1, 3, -2, 5, -4, 6, 7, 0, 0, 0, 8, 9, 10}));
  // A world without rolling friction leaves them out.
  EXPECT_EQ(start_of(cache, contacts, {upright, upright}, {}, 0.01), (Vector{1, 2, 3, 7, 0, 0}));
}

// Whatever the step, the compliance is that in m/N.
TEST(WarmStart, HoldsTheComplianceAlongTheSurface) {
  const std::vector<ContactPoint> contacts = {contact(0, 1, 7), contact(0, 1, 8), contact(0, 2, 1)};
  const Vector x = {1, 0, 0, 0, 0, 0, 2, 0, 0}, compliance = {5, 40, 40, 5, 50, 50, 5, 60, 60};
  WarmStart cache;
  remember(contacts, SpatialOrder(), std::vector<RigidContact>(3, upright), {}, x, 0.5, false,
           compliance, cache);
  EXPECT_EQ(cache.shear, (std::vector<double>{10, 15}));
  Vector start, shear;
  initial_impulses(cache, contacts, SpatialOrder(), {}, 0.25, 3, start, shear);
  EXPECT_EQ(shear, (Vector{10, 0, 15}));
}

TEST(WarmStart, IsZeroBeforeTheFirstStep) {
  EXPECT_EQ(start_of({}, {contact(0, 1, 7)}, {upright}, {row(0, 0)}, 0.01), Vector(4, 0.0));
}

} // namespace
} // namespace talus
