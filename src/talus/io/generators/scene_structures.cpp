// Walls, arches, domes and card houses: structures of blocks that stand by friction alone.

#include "talus/core/elementary.h"
#include "talus/io/generators/scene_generators.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

namespace talus {

/// Running bond: every second course is shifted by half a brick and closed by half bricks. The
/// position is the middle of the wall's foot; the wall runs along x.
void make_wall(const SceneFields& f, BodyMaker& maker) {
  const Vec3 brick = f.vector("brick", positive);
  const long bricks = f.count("bricks", 1, 100'000), courses = f.count("courses", 1, 100'000);
  if (bricks * courses > maker.most_bodies())
    f.fail(fmt::format("more than {} bodies", maker.most_bodies()));
  const double gap = f.number("gap", 0.0, not_negative);
  const Vec3 foot = f.vector("position", Vec3{});
  const double pitch = brick.x + gap;
  const Index whole = maker.draft().add({described::Box{0.5 * brick}});
  const Index half =
      maker.draft().add({described::Box{{(brick.x - gap) / 4, brick.y / 2, brick.z / 2}}});
  for (long course = 0; course < courses; ++course) {
    const double z = foot.z + brick.z / 2 + static_cast<double>(course) * (brick.z + gap);
    const auto at = [&](double x) { return Transform{{foot.x + x, foot.y, z}, {}}; };
    const bool shifted = course % 2 == 1;
    const long whole_ones = bricks - (shifted ? 1 : 0);
    const double first = -0.5 * pitch * static_cast<double>(whole_ones - 1);
    for (long i = 0; i < whole_ones; ++i) {
      i += maker.leave_out(whole, static_cast<Index>(whole_ones - i));
      if (i == whole_ones) break;
      maker.add(whole, at(first + static_cast<double>(i) * pitch));
    }
    if (!shifted) continue;
    const double end = 0.5 * pitch * static_cast<double>(bricks) - gap / 2 - (brick.x - gap) / 4;
    maker.add(half, at(-end));
    maker.add(half, at(end));
  }
}

namespace {

/// A block of the ring between two angles from the upward vertical, about the origin, in x and z.
/// With a deck (its height; 0: none) the radial faces go up to it instead of to the outer circle.
Index ring_block(WorldDraft& draft, double inner, double outer, double from, double to,
                 double depth, double deck = 0) {
  std::vector<Vec3> corners;
  for (const double angle : {from, to}) {
    const double end = deck > 0 ? deck / cosine(angle) : outer;
    for (const double radius : {inner, end})
      for (const double y : {-depth / 2, depth / 2})
        corners.push_back({radius * sine(angle), y, radius * cosine(angle)});
  }
  return draft.add({described::ConvexHull{std::move(corners)}});
}

/// A block of a dome between two polar angles and two azimuths.
Index dome_block(WorldDraft& draft, double inner, double outer, double above, double below,
                 double from, double to) {
  std::vector<Vec3> corners;
  for (const double polar : {above, below})
    for (const double azimuth : {from, to})
      for (const double radius : {inner, outer})
        corners.push_back({radius * sine(polar) * cosine(azimuth),
                           radius * sine(polar) * sine(azimuth), radius * cosine(polar)});
  return draft.add({described::ConvexHull{std::move(corners)}});
}

} // namespace

/// A ring of wedges in the plane of x and z about `position`, held between two fixed ones. All
/// blocks are cut from the same circle, so neighbours share their faces exactly.
void make_arch(const SceneFields& f, BodyMaker& maker) {
  const double inner = f.number("inner_radius", positive);
  f.exclusive({"outer_radius", "deck"});
  const double deck = f.number("deck", 0.0, {inner, true});
  const double outer = deck > 0 ? deck : f.number("outer_radius", {inner, true});
  const double depth = f.number("depth", positive);
  const long blocks = f.count("blocks", 2, 10'000);
  const double span = f.number("angle", 180, {0, true, 300}) * (std::numbers::pi / 180);
  const Transform centre{f.vector("position", Vec3{}), {}};
  const double step = span / static_cast<double>(blocks);
  // Radial faces meet the deck only well before they lie flat.
  if (deck > 0 && span / 2 + step > 80 * (std::numbers::pi / 180))
    f.fail("with a deck, the angle and the springers must stay within 160 degrees");
  for (long i = 0; i < blocks; ++i) {
    const double from = -span / 2 + static_cast<double>(i) * step;
    maker.add(ring_block(maker.draft(), inner, outer, from, from + step, depth, deck), centre);
  }
  if (!f.flag("springers", true)) return;
  maker.add_fixed(ring_block(maker.draft(), inner, outer, -span / 2 - step, -span / 2, depth, deck),
                  centre);
  maker.add_fixed(ring_block(maker.draft(), inner, outer, span / 2, span / 2 + step, depth, deck),
                  centre);
}

/// Rings of wedges between two spheres about `position`, from the equator up to a round opening,
/// on a fixed ring. Joints are meridians and cones, so neighbours share their faces exactly.
void make_dome(const SceneFields& f, BodyMaker& maker) {
  const double inner = f.number("inner_radius", positive);
  const double outer = f.number("outer_radius", {inner, true});
  const long rings = f.count("rings", 1, 1000), blocks = f.count("blocks", 3, 1000);
  constexpr double degree = std::numbers::pi / 180;
  const double opening = f.number("opening", 15, {0, true, 85}) * degree;
  const Transform centre{f.vector("position", Vec3{}), {}};
  const double height = (std::numbers::pi / 2 - opening) / static_cast<double>(rings);
  const double width = 2 * std::numbers::pi / static_cast<double>(blocks);
  const auto add_ring = [&](double below, bool fixed) {
    for (long i = 0; i < blocks; ++i) {
      const double from = static_cast<double>(i) * width;
      const Index block =
          dome_block(maker.draft(), inner, outer, below - height, below, from, from + width);
      if (fixed)
        maker.add_fixed(block, centre);
      else
        maker.add(block, centre);
    }
  };
  for (long ring = 0; ring < rings; ++ring)
    add_ring(std::numbers::pi / 2 - static_cast<double>(ring) * height, false);
  if (f.flag("springers", true)) add_ring(std::numbers::pi / 2 + height, true);
}

/// Pairs of leaning cards with flat cards across their ridges, n pairs in the lowest level, one in
/// the highest. `card` is [width, height, thickness]; the house runs along x.
void make_card_house(const SceneFields& f, BodyMaker& maker) {
  const Vec3 card = f.vector("card", positive);
  const double width = card.x, height = card.y, thickness = card.z;
  const long levels = f.count("levels", 1, 100);
  const double lean = f.number("lean", 15, {0, true, 60}) * (std::numbers::pi / 180);
  const Vec3 foot = f.vector("position", Vec3{});
  const Index shape = maker.draft().add({described::Box{{thickness / 2, width / 2, height / 2}}});
  const double s = sine(lean), c = cosine(lean);
  // From the centre of a leaning card to its upper edge at the ridge, and to its lowest edge.
  const double to_ridge = (thickness * c + height * s) / 2;
  const double half_rise = (thickness * s + height * c) / 2;
  // Flat cards of neighbouring ridges keep a small distance from each other.
  const double pitch = height + thickness / 2;
  const Quaternion flat = axis_angle({0, 1, 0}, std::numbers::pi / 2);
  double z = foot.z;
  for (long level = 0; level < levels; ++level) {
    const long pairs = levels - level;
    const double first = -0.5 * pitch * static_cast<double>(pairs - 1);
    for (long i = 0; i < pairs; ++i) {
      const double ridge = foot.x + first + static_cast<double>(i) * pitch;
      maker.add(shape, {{ridge - to_ridge, foot.y, z + half_rise}, axis_angle({0, 1, 0}, lean)});
      maker.add(shape, {{ridge + to_ridge, foot.y, z + half_rise}, axis_angle({0, 1, 0}, -lean)});
    }
    z += 2 * half_rise;
    for (long i = 0; i + 1 < pairs; ++i)
      maker.add(shape, {{foot.x + first + (static_cast<double>(i) + 0.5) * pitch, foot.y,
                         z + thickness / 2},
                        flat});
    z += thickness;
  }
}

} // namespace talus
