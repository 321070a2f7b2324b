// Packings: bodies at random places that do not touch each other, and the stones they may consist
// of.

#include "talus/core/elementary.h"
#include "talus/io/generators/random.h"
#include "talus/io/generators/scene_generators.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <optional>

namespace talus {

namespace {

/// A ball about the origin of the shape's frame that holds the shape.
double bounding_radius(const Shape& shape) {
  if (const auto* sphere = std::get_if<Sphere>(&shape.geometry)) return sphere->radius;
  if (const auto* hull = std::get_if<ConvexHull>(&shape.geometry)) {
    double farthest = 0;
    for (const Vec3& vertex : hull->surface.vertices) farthest = std::max(farthest, norm(vertex));
    return farthest;
  }
  const Bounds bounds = bounds_of(shape, {});
  Vec3 farthest;
  for (int i = 0; i < 3; ++i)
    farthest[i] = std::max(std::abs(bounds.lower[i]), std::abs(bounds.upper[i]));
  return norm(farthest);
}

/// Where a packing puts its balls: a box, or an upright cylinder.
struct Region {
  Vec3 lower, upper;
  bool round = false;

  bool holds(const Vec3& centre, double radius) const {
    for (int i = 0; i < 3; ++i)
      if (centre[i] < lower[i] + radius || centre[i] > upper[i] - radius) return false;
    if (!round) return true;
    const Vec3 from_axis = centre - 0.5 * (lower + upper);
    const double room = 0.5 * (upper.x - lower.x) - radius;
    return from_axis.x * from_axis.x + from_axis.y * from_axis.y <= room * room;
  }
};

Region read_region(const SceneFields& f) {
  f.exclusive({"box", "cylinder"});
  if (const SceneValue* box = f.find("box")) {
    const SceneFields b(*box, f.what() + ": box", {"min", "max"});
    return {b.vector("min"), b.vector("max"), false};
  }
  if (const SceneValue* cylinder = f.find("cylinder")) {
    const SceneFields c(*cylinder, f.what() + ": cylinder", {"base", "radius", "height"});
    const Vec3 base = c.vector("base");
    const double r = c.number("radius", positive), h = c.number("height", positive);
    return {base - Vec3{r, r, 0}, base + Vec3{r, r, h}, true};
  }
  f.fail("needs a region: box or cylinder");
}

/// Balls placed so far, found by their cell: lists that go from ball to ball, one for each number
/// that a cell can have, so that a ball takes less than 50 bytes.
class BallGrid {
public:
  BallGrid(double cell, long most_balls)
      : cell_(cell), bits_(std::bit_width(static_cast<std::uint64_t>(most_balls))),
        first_(std::size_t{1} << bits_, nobody) {
    balls_.reserve(static_cast<std::size_t>(most_balls));
  }

  bool is_free(const Vec3& centre, double radius) const {
    const auto home = cell_of(centre);
    for (long dx = -1; dx <= 1; ++dx)
      for (long dy = -1; dy <= 1; ++dy)
        for (long dz = -1; dz <= 1; ++dz) {
          const std::size_t list = list_of({home[0] + dx, home[1] + dy, home[2] + dz});
          for (std::uint32_t k = first_[list]; k != nobody; k = balls_[k].next)
            if (norm(balls_[k].centre - centre) < balls_[k].radius + radius) return false;
        }
    return true;
  }
  void add(const Vec3& centre, double radius) {
    std::uint32_t& first = first_[list_of(cell_of(centre))];
    balls_.push_back({centre, radius, first});
    first = static_cast<std::uint32_t>(balls_.size() - 1);
  }

private:
  struct Ball {
    Vec3 centre;
    double radius;
    std::uint32_t next; ///< Of its list.
  };
  using Cell = std::array<long, 3>;
  static constexpr std::uint32_t nobody = ~std::uint32_t{0};

  Cell cell_of(const Vec3& x) const {
    return {std::lround(x.x / cell_), std::lround(x.y / cell_), std::lround(x.z / cell_)};
  }
  /// Cells that share a number are merely searched together.
  std::size_t list_of(const Cell& cell) const {
    const std::uint64_t hash = static_cast<std::uint64_t>(cell[0]) * 73856093u ^
                               static_cast<std::uint64_t>(cell[1]) * 19349663u ^
                               static_cast<std::uint64_t>(cell[2]) * 83492791u;
    return hash * 0x9E3779B97F4A7C15u >> (64 - bits_);
  }

  double cell_;
  int bits_;                         ///< Of the number of lists.
  std::vector<std::uint32_t> first_; ///< Of each list.
  std::vector<Ball> balls_;
};

/// A point on the unit sphere, by rejection: square roots are the same everywhere.
Vec3 on_sphere(Random& random) {
  while (true) {
    const Vec3 v = random.inside({-1, -1, -1}, {1, 1, 1});
    const double square = dot(v, v);
    if (square <= 1 && square > 1e-4) return v / std::sqrt(square);
  }
}

/// A stone of diameter 1: points far from each other on a sphere, which is then squeezed along two
/// axes and brought back to its size.
std::vector<Vec3> random_hull(Random& random, long points, double thinnest) {
  constexpr int candidates = 8;
  std::vector<Vec3> hull;
  for (long i = 0; i < points; ++i) {
    Vec3 best;
    double clearance = -1;
    for (int c = 0; c < candidates; ++c) {
      const Vec3 v = on_sphere(random);
      double nearest = 4;
      for (const Vec3& other : hull) nearest = std::min(nearest, dot(v - other, v - other));
      if (nearest > clearance) best = v, clearance = nearest;
    }
    hull.push_back(best);
  }
  const double width = random.between(thinnest, 1), height = random.between(thinnest, width);
  double radius = 0;
  for (Vec3& v : hull) {
    v = {v.x, width * v.y, height * v.z};
    radius = std::max(radius, norm(v));
  }
  for (Vec3& v : hull) v = (0.5 / radius) * v;
  return hull;
}

/// Diameter that the share u of all stones does not exceed, where the number of stones of a
/// diameter d is proportional to d^-exponent between the bounds.
double diameter_at(double u, double least, double most, double exponent) {
  if (exponent == 0) return least + u * (most - least);
  const double ratio = logarithm(most / least);
  const double power = 1 - exponent; // of d in the distribution function
  if (std::abs(power) < 1e-9) return least * exponential(u * ratio);
  return least * exponential(logarithm(1 + u * (exponential(power * ratio) - 1)) / power);
}

/// `stones`: convex hulls in `kinds` sizes and forms, drawn with equal chance.
std::vector<Index> make_stones(const SceneValue& value, const SceneFields& packing,
                               WorldDraft& draft) {
  const SceneFields f(value, packing.what() + ": stones",
                      {"size", "exponent", "points", "thinnest", "kinds"});
  const SceneValue& size = f.need("size");
  const auto& bounds = to_list(size, f.label("size"));
  if (bounds.size() != 2)
    fail_at(size.place, f.what() + ": size has two entries [smallest, largest]");
  const double least = to_number(bounds[0], f.label("size"), positive);
  const double most = to_number(bounds[1], f.label("size"), {least, false});
  const double exponent = f.number("exponent", 0.0, {-10, false, 10});
  const long points = f.count("points", 12, 4, 200);
  const double thinnest = f.number("thinnest", 0.6, {0, true, 1});
  const long kinds = f.count("kinds", 100, 1, 100'000);
  Random random(seed_of(packing));
  std::vector<Index> shapes;
  for (long k = 0; k < kinds; ++k) {
    const double u = (static_cast<double>(k) + 0.5) / static_cast<double>(kinds);
    std::vector<Vec3> hull = random_hull(random, points, thinnest);
    const double diameter = diameter_at(u, least, most, exponent);
    for (Vec3& v : hull) v = diameter * v;
    shapes.push_back(with_location(
        f.place(), f.what(), [&] { return draft.add({described::ConvexHull{std::move(hull)}}); }));
  }
  return shapes;
}

/// The shapes a packing draws from: one, several with equal chance, stones, or spheres of random
/// radius.
class ShapeChoice {
public:
  ShapeChoice(const SceneFields& f, SceneShapes& shapes, WorldDraft& draft) : draft_(draft) {
    f.exclusive({"shape", "shapes", "radius", "stones"});
    if (const SceneValue* one = f.find("shape")) {
      shapes_.push_back(shapes.read(*one, f.what()));
    } else if (const SceneValue* several = f.find("shapes")) {
      for (const SceneValue& each : to_list(*several, f.what() + ": shapes"))
        shapes_.push_back(shapes.read(each, f.what()));
      if (shapes_.empty()) fail_at(several->place, f.what() + ": shapes is empty");
    } else if (const SceneValue* range = f.find("radius")) {
      const auto& items = to_list(*range, f.what() + ": radius");
      if (items.size() != 2)
        fail_at(range->place, f.what() + ": radius has two entries [smallest, largest]");
      smallest_ = to_number(items[0], f.what() + ": radius", positive);
      largest_ = to_number(items[1], f.what() + ": radius", {smallest_, false});
    } else if (const SceneValue* stones = f.find("stones")) {
      shapes_ = make_stones(*stones, f, draft);
    } else {
      f.fail("needs shape, shapes, radius or stones");
    }
    for (const Index shape : shapes_)
      largest_ = std::max(largest_, bounding_radius(draft_.shape(shape)));
    if (!std::isfinite(largest_)) f.fail("an unbounded shape cannot be packed");
  }
  double largest() const { return largest_; }
  /// A shape, or a sphere that has its own.
  struct Drawn {
    std::optional<Index> shape;
    double radius; ///< Bounding.
  };
  Drawn draw(Random& random) const {
    const double u = random.unit();
    if (shapes_.empty()) return {{}, smallest_ + (largest_ - smallest_) * u};
    const Index shape = shapes_[static_cast<std::size_t>(u * static_cast<double>(shapes_.size()))];
    return {shape, bounding_radius(draft_.shape(shape))};
  }

private:
  WorldDraft& draft_;
  std::vector<Index> shapes_;
  double smallest_ = 0, largest_ = 0;
};

} // namespace

/// Random sequential addition: each body is tried at random places until it touches nobody.
void make_packing(const SceneFields& f, SceneShapes& shapes, BodyMaker& maker) {
  const ShapeChoice choice(f, shapes, maker.draft());
  const Region region = read_region(f);
  const long count = f.count("count", 1, most_of_one_process);
  const long attempts = f.count("attempts", 10'000, 1, most_of_one_process);
  const double gap = f.number("gap", 0.0, not_negative);
  const bool tumbled = f.flag("random_orientation", true);
  Random random(seed_of(f));
  BallGrid grid(2 * choice.largest() + gap, count);
  for (long i = 0; i < count; ++i) {
    const auto [shape, radius] = choice.draw(random);
    long tries = 0;
    Vec3 centre;
    do {
      if (++tries > attempts)
        f.fail(fmt::format("only {} of {} bodies found room in {} attempts; enlarge the region, or "
                           "take fewer or smaller bodies",
                           i, count, attempts));
      centre = random.inside(region.lower, region.upper);
    } while (!region.holds(centre, radius) || !grid.is_free(centre, radius + gap));
    grid.add(centre, radius);
    const Transform pose{centre, tumbled ? random.rotation() : Quaternion{}};
    if (shape)
      maker.add(*shape, pose);
    else
      maker.add_sphere(radius, pose);
  }
}

} // namespace talus
