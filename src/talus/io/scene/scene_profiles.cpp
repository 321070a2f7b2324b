// Copies of parts, gear wheels, and turned bodies: shapes that are compounds of convex hulls.

#include "talus/core/elementary.h"
#include "talus/io/scene/scene_shapes.h"
#include "talus/shape/superellipsoid.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

namespace talus {

namespace {

constexpr double degree = std::numbers::pi / 180;

/// The involute function tan α − α of the pressure angle α = acos(base / radius).
double involute(double base, double radius) {
  const double along = std::sqrt(std::max(0.0, radius * radius - base * base));
  return along / base - angle_of(along, base);
}

struct GearWheel {
  double pitch, base, root, tip; ///< Radii.
  double half_angle;             ///< Half a tooth seen from the centre, on the pitch circle.
};

/// DIN 867 but for the backlash: addendum m, dedendum 1.25 m, tooth and gap of πm/2.
GearWheel read_wheel(const SceneFields& f) {
  const auto teeth = static_cast<double>(f.count("teeth", 4, 1000));
  const double module = f.number("module", positive);
  const double pressure = f.number("pressure_angle", 20, {0, true, 45}) * degree;
  const double backlash = f.number("backlash", 0.0, {0, false, module});
  GearWheel wheel;
  wheel.pitch = module * teeth / 2;
  wheel.base = wheel.pitch * cosine(pressure);
  wheel.root = wheel.pitch - 1.25 * module;
  wheel.tip = wheel.pitch + module;
  wheel.half_angle = (std::numbers::pi * module / 2 - backlash) / (2 * wheel.pitch);
  return wheel;
}

/// One tooth about the x axis. Its flanks are involutes, and radial below the base circle.
std::vector<Vec3> tooth_points(const GearWheel& wheel, double width, const SceneFields& f) {
  constexpr int stations = 10;
  const double from = std::max(wheel.base, wheel.root);
  const double at_pitch = wheel.half_angle + involute(wheel.base, wheel.pitch);
  std::vector<Vec3> points;
  const auto add = [&](double radius, double angle) {
    for (const double side : {-1.0, 1.0})
      for (const double z : {-width / 2, width / 2})
        points.push_back({radius * cosine(angle), side * radius * sine(angle), z});
  };
  for (int i = 0; i < stations; ++i) {
    const double radius = from + (wheel.tip - from) * i / (stations - 1);
    const double angle = at_pitch - involute(wheel.base, radius);
    if (!(angle > 0)) f.fail("the teeth are pointed; take a smaller pressure angle or backlash");
    add(radius, angle);
  }
  // The foot lies inside the disc of the root circle.
  add(0.97 * wheel.root, at_pitch - involute(wheel.base, from));
  return points;
}

struct ProfilePoint {
  double radius, z;
};

std::vector<ProfilePoint> read_profile(const SceneFields& f) {
  const SceneValue& value = f.need("profile");
  std::vector<ProfilePoint> profile;
  for (const SceneValue& item : to_list(value, f.label("profile"))) {
    const auto& pair = to_list(item, f.label("profile"));
    if (pair.size() != 2)
      fail_at(item.place, f.what() + ": a point of the profile has 2 entries [radius, z]");
    const ProfilePoint point{to_number(pair[0], f.label("profile: radius"), not_negative),
                             to_number(pair[1], f.label("profile: z"))};
    if (!profile.empty() && !(point.z > profile.back().z))
      fail_at(item.place, f.what() + ": the points of the profile must go upwards in z");
    profile.push_back(point);
  }
  if (profile.size() < 2) fail_at(value.place, f.what() + ": the profile needs two points or more");
  for (std::size_t i = 1; i < profile.size(); ++i)
    if (profile[i].radius == 0 && (profile[i - 1].radius == 0 || i + 1 < profile.size()))
      fail_at(value.place, f.what() + ": the radius may be 0 at one end or the other only");
  return profile;
}

/// Whether the profile bends inwards, or goes on straight, at its middle point.
bool bends_inwards(const ProfilePoint& a, const ProfilePoint& b, const ProfilePoint& c) {
  return (b.radius - a.radius) * (c.z - b.z) >= (c.radius - b.radius) * (b.z - a.z);
}

std::vector<Vec3> turned_points(std::span<const ProfilePoint> slice, long segments) {
  std::vector<Vec3> points;
  for (const auto& [radius, z] : slice) {
    if (radius == 0) {
      points.push_back({0, 0, z});
      continue;
    }
    for (long s = 0; s < segments; ++s) {
      const double angle =
          2 * std::numbers::pi * static_cast<double>(s) / static_cast<double>(segments);
      points.push_back({radius * cosine(angle), radius * sine(angle), z});
    }
  }
  return points;
}

} // namespace

std::vector<Transform> part_poses(const SceneFields& part) {
  const Transform first = part.pose();
  const SceneValue* repeat = part.find("repeat");
  if (!repeat) return {first};
  const SceneFields f(*repeat, part.what() + ": repeat", {"count", "axis", "angle", "offset"});
  const long count = f.count("count", 1, 10'000);
  const Vec3 offset = f.vector("offset", Vec3{}), axis = f.vector("axis", Vec3{0, 0, 1});
  if (!(norm(axis) > 0)) f.fail("the axis must not be zero");
  // A full circle, unless the copies lie in a row.
  const double step = f.number("angle", f.find("offset") ? 0 : 360 / static_cast<double>(count));
  std::vector<Transform> poses;
  for (long i = 0; i < count; ++i) {
    const auto k = static_cast<double>(i);
    poses.push_back(Transform{k * offset, axis_angle(axis, k * step * degree)} * first);
  }
  return poses;
}

described::ConvexHull read_superellipsoid(const SceneFields& fields) {
  const SceneValue& value = fields.need("blockiness");
  const auto& numbers = to_list(value, fields.label("blockiness"));
  if (numbers.size() != 2)
    fail_at(value.place, fields.what() + ": blockiness has two entries [towards z, around z]");
  const double n1 = to_number(numbers[0], fields.label("blockiness"));
  const double n2 = to_number(numbers[1], fields.label("blockiness"));
  return {superellipsoid_points(fields.vector("radii", positive), n1, n2,
                                static_cast<int>(fields.count("segments", 8, 2, 64)))};
}

described::Compound read_gear_wheel(const SceneFields& fields, WorldDraft& draft) {
  const GearWheel wheel = read_wheel(fields);
  const double width = fields.number("width", positive);
  const long teeth = fields.count("teeth", 4, 1000);
  const Index tooth = draft.add({described::ConvexHull{tooth_points(wheel, width, fields)}});
  described::Compound gear;
  gear.parts.push_back({draft.add({described::Cylinder{wheel.root, width / 2}}), {}});
  for (long i = 0; i < teeth; ++i) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(teeth);
    gear.parts.push_back({tooth, {{}, axis_angle({0, 0, 1}, angle)}});
  }
  return gear;
}

/// As few hulls as possible: a new one begins where the profile bends outwards.
described::Compound read_turned(const SceneFields& fields, WorldDraft& draft) {
  const std::vector<ProfilePoint> profile = read_profile(fields);
  const long segments = fields.count("segments", 16, 3, 256);
  described::Compound turned;
  for (std::size_t from = 0; from + 1 < profile.size();) {
    std::size_t to = from + 1;
    while (to + 1 < profile.size() && bends_inwards(profile[to - 1], profile[to], profile[to + 1]))
      ++to;
    const std::span slice(profile.data() + from, to - from + 1);
    turned.parts.push_back(
        {draft.add({described::ConvexHull{turned_points(slice, segments)}}), {}});
    from = to;
  }
  return turned;
}

} // namespace talus
