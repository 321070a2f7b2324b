// Bodies along lines: the shoes of a track around its wheels, rows along a curve.

#include "talus/core/elementary.h"
#include "talus/io/generators/scene_generators.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>

namespace talus {

namespace {

/// A point of the plane of x and z.
struct Point2 {
  double x, z;
};
Point2 operator+(Point2 a, Point2 b) {
  return {a.x + b.x, a.z + b.z};
}
Point2 operator-(Point2 a, Point2 b) {
  return {a.x - b.x, a.z - b.z};
}
Point2 operator*(double s, Point2 a) {
  return {s * a.x, s * a.z};
}
double length(Point2 a) {
  return hypotenuse(a.x, a.z);
}

struct TrackWheel {
  Point2 centre;
  double radius;
};

std::vector<TrackWheel> read_wheels(const SceneFields& f) {
  const SceneValue& value = f.need("wheels");
  std::vector<TrackWheel> wheels;
  for (const SceneValue& item : to_list(value, f.label("wheels"))) {
    const auto& numbers = to_list(item, f.label("wheels"));
    if (numbers.size() != 3)
      fail_at(item.place, f.what() + ": a wheel has 3 entries [x, z, radius]");
    wheels.push_back(
        {{to_number(numbers[0], f.label("wheels: x")), to_number(numbers[1], f.label("wheels: z"))},
         to_number(numbers[2], f.label("wheels: radius"), positive)});
  }
  if (wheels.size() < 2) fail_at(value.place, f.what() + ": a track needs two wheels or more");
  return wheels;
}

/// A closed belt around wheels that are listed counter-clockwise (x to the right, z up): straight
/// lines and arcs in turn.
class Belt {
public:
  Belt(const std::vector<TrackWheel>& wheels, const SceneFields& f) {
    const std::size_t n = wheels.size();
    std::vector<Point2> normals(n); // of the line from wheel i to the next, outwards
    for (std::size_t i = 0; i < n; ++i)
      normals[i] = tangent_normal(wheels[i], wheels[(i + 1) % n], f);
    double turned = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const TrackWheel &here = wheels[i], &next = wheels[(i + 1) % n];
      add_line(here.centre + here.radius * normals[i], next.centre + next.radius * normals[i]);
      turned += add_arc(next, normals[i], normals[(i + 1) % n]);
    }
    if (std::abs(turned - 2 * std::numbers::pi) > 1e-6)
      f.fail(
          "the wheels must be listed counter-clockwise (x to the right, z up), and the track must "
          "touch each of them from outside");
  }

  double length() const { return pieces_.back().end; }

  /// After the distance s along the belt; any s.
  Point2 at(double s) const {
    s -= length() * std::floor(s / length());
    const auto piece = std::find_if(pieces_.begin(), pieces_.end() - 1,
                                    [&](const Piece& each) { return s <= each.end; });
    const double along = s - (piece->end - piece->length);
    if (piece->radius == 0) return piece->from + (along / piece->length) * piece->across;
    const double angle = piece->start + along / piece->radius;
    return piece->from + piece->radius * Point2{cosine(angle), sine(angle)};
  }

private:
  /// A line from `from` across, or an arc about `from` that begins at the angle `start`.
  struct Piece {
    Point2 from, across;
    double radius, start, length, end;
  };

  /// The common outer tangent n · x = n · c + r of two wheels, on the right of the way there.
  static Point2 tangent_normal(const TrackWheel& a, const TrackWheel& b, const SceneFields& f) {
    const Point2 way = b.centre - a.centre;
    const double distance = talus::length(way);
    const double along = (a.radius - b.radius) / distance;
    if (!(std::abs(along) < 1)) f.fail("one of two neighbouring wheels lies inside the other");
    const Point2 u = (1 / distance) * way;
    return along * u + std::sqrt(1 - along * along) * Point2{u.z, -u.x};
  }
  void add_line(Point2 from, Point2 to) {
    add({from, to - from, 0, 0, talus::length(to - from), 0});
  }
  /// Returns the angle of the arc.
  double add_arc(const TrackWheel& wheel, Point2 from, Point2 to) {
    double angle = angle_of(from.x * to.z - from.z * to.x, from.x * to.x + from.z * to.z);
    if (angle < -1e-9) angle += 2 * std::numbers::pi;
    if (angle <= 0) return 0;
    add({wheel.centre, {}, wheel.radius, angle_of(from.z, from.x), wheel.radius * angle, 0});
    return angle;
  }
  void add(Piece piece) {
    piece.end = piece.length + (pieces_.empty() ? 0 : length());
    pieces_.push_back(piece);
  }

  std::vector<Piece> pieces_;
};

/// The first point after s whose straight distance from that at s is `pitch`.
double after_chord(const Belt& belt, double s, double pitch) {
  double near = s, far = s + 1.6 * pitch;
  const Point2 from = belt.at(s);
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (near + far);
    (length(belt.at(middle) - from) < pitch ? near : far) = middle;
  }
  return 0.5 * (near + far);
}

/// Pins at equal straight distances around the belt.
std::vector<Point2> pins_on(const Belt& belt, long count) {
  const auto walk = [&](double pitch, std::vector<Point2>* pins) {
    double s = 0;
    for (long i = 0; i < count; ++i) {
      if (pins) pins->push_back(belt.at(s));
      s = after_chord(belt, s, pitch);
    }
    return s;
  };
  double shorter = 0.6 * belt.length() / static_cast<double>(count);
  double longer = belt.length() / static_cast<double>(count);
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (shorter + longer);
    (walk(middle, nullptr) < belt.length() ? shorter : longer) = middle;
  }
  std::vector<Point2> pins;
  walk(0.5 * (shorter + longer), &pins);
  return pins;
}

/// A curve through points (Catmull and Rom), as many short lines.
std::vector<Vec3> curve_through(std::span<const Vec3> points, bool closed) {
  constexpr int lines = 64;
  const auto n = static_cast<std::ptrdiff_t>(points.size());
  const auto point = [&](std::ptrdiff_t i) {
    if (closed) return points[static_cast<std::size_t>((i + n) % n)];
    if (i < 0) return 2.0 * points[0] - points[1];
    if (i >= n) return 2.0 * points[points.size() - 1] - points[points.size() - 2];
    return points[static_cast<std::size_t>(i)];
  };
  std::vector<Vec3> curve = {points[0]};
  for (std::ptrdiff_t i = 0; i < (closed ? n : n - 1); ++i) {
    const Vec3 a = point(i - 1), b = point(i), c = point(i + 1), d = point(i + 2);
    for (int k = 1; k <= lines; ++k) {
      const double t = static_cast<double>(k) / lines;
      curve.push_back(b + (0.5 * t) * ((c - a) + t * (2.0 * a - 5.0 * b + 4.0 * c - d +
                                                      t * (3.0 * (b - c) + d - a))));
    }
  }
  return curve;
}

} // namespace

/// Shoes from pin to pin, with revolute joints about y. The frame of a shoe has its origin half-way
/// between its pins, x along the belt, and z inwards: the lower run lies as it was drawn.
void make_track(const SceneFields& f, SceneShapes& shapes, BodyMaker& maker) {
  const Index shape = shapes.read(f.need("shape"), f.what());
  const long count = f.count("count", 4, 10'000);
  const Belt belt(read_wheels(f), f);
  const Vec3 origin = f.vector("position", Vec3{});
  const std::vector<Point2> pins = pins_on(belt, count);
  std::vector<std::string> names;
  maker.build_everywhere();
  const auto place = [&](Point2 p) { return origin + Vec3{p.x, 0, p.z}; };
  for (std::size_t i = 0; i < pins.size(); ++i) {
    const Point2 from = pins[i], to = pins[(i + 1) % pins.size()];
    const double angle = -angle_of(to.z - from.z, to.x - from.x);
    const Index body = maker.add(shape, {place(0.5 * (from + to)), axis_angle({0, 1, 0}, angle)});
    names.push_back(maker.draft().world().body(body).name);
  }
  for (std::size_t i = 0; i < pins.size(); ++i) {
    JointDescription pin;
    pin.kind = JointKind::revolute;
    pin.name = names[i] + " pin";
    pin.body_a = names[(i + pins.size() - 1) % pins.size()];
    pin.body_b = names[i];
    pin.at = place(pins[i]);
    pin.axis = {0, 1, 0};
    with_location(f.place(), f.what(), [&] { return maker.draft().add(std::move(pin)); });
  }
}

/// Bodies at equal distances along a curve, turned about z so that their x axes follow it.
void make_path(const SceneFields& f, SceneShapes& shapes, BodyMaker& maker) {
  const Index shape = shapes.read(f.need("shape"), f.what());
  const SceneValue& value = f.need("points");
  std::vector<Vec3> points;
  for (const SceneValue& item : to_list(value, f.label("points")))
    points.push_back(to_vector(item, f.label("points")));
  const bool closed = f.flag("closed", false);
  if (points.size() < (closed ? 3 : 2)) fail_at(value.place, f.what() + ": too few points");
  const double spacing = f.number("spacing", positive);
  const long most = f.count("count", most_of_one_process, 1, most_of_one_process);
  const Quaternion turn = f.rotation("orientation");
  const std::vector<Vec3> curve = curve_through(points, closed);
  double total = 0;
  for (std::size_t i = 1; i < curve.size(); ++i) total += norm(curve[i] - curve[i - 1]);
  if (total / spacing > static_cast<double>(most_of_one_process))
    f.fail(fmt::format("more than {} bodies", most_of_one_process));
  if (f.find("count") && (static_cast<double>(most) - (closed ? 0 : 1)) * spacing > total + 1e-9)
    f.fail(fmt::format("the curve is {} m long: too short for {} bodies", total, most));
  double next = 0, passed = 0;
  long made = 0;
  for (std::size_t i = 1; i < curve.size() && made < most; ++i) {
    const Vec3 way = curve[i] - curve[i - 1];
    const double size = norm(way);
    for (; next <= passed + size && made < most; next += spacing, ++made) {
      if (closed && next > total - 0.5 * spacing) break;
      const Quaternion along = axis_angle({0, 0, 1}, angle_of(way.y, way.x));
      maker.add(shape, {curve[i - 1] + ((next - passed) / size) * way, along * turn});
    }
    passed += size;
  }
}

} // namespace talus
