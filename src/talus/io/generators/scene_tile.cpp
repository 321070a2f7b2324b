// Settled beds of any width: the bodies of one, many times side by side. Every second image along
// an axis is mirrored at the face between them, so that what leant on a smooth wall leans on its
// own image instead, with the same force.
//
// A reflection M turns the rotation R and the shape B of a body into M R B. Where M is no rotation
// itself this is (M R S) (S B), with S the reflection of the body's own x axis: M R S is a
// rotation, and S B the mirror image of the shape. Balls, boxes, capsules, cylinders and ellipsoids
// are their own image; of hulls, meshes and compounds it is a shape of its own, one for all images.

#include "talus/io/generators/scene_generators.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

namespace talus {

namespace {

using Counts = std::array<long, 3>;

/// What becomes of vectors and rotations in an image.
class Reflection {
public:
  explicit Reflection(const Counts& image) {
    Quaternion turn;
    for (int i = 0; i < 3; ++i) {
      if (image[i] % 2 == 0) continue;
      Vec3 axis;
      axis[i] = 1;
      turn = Quaternion{0, axis.x, axis.y, axis.z} * turn; // half a turn is minus a reflection
      sign_[i] = -1;
    }
    turn_ = turn;
    is_mirrored_ = sign_[0] * sign_[1] * sign_[2] < 0;
  }
  /// Whether bodies have the mirror image of their shape.
  bool is_mirrored() const { return is_mirrored_; }
  Vec3 vector(const Vec3& v) const { return {sign_[0] * v.x, sign_[1] * v.y, sign_[2] * v.z}; }
  /// Of angular velocities and torques.
  Vec3 axial(const Vec3& v) const { return is_mirrored_ ? -vector(v) : vector(v); }
  Quaternion rotation(const Quaternion& q) const {
    return is_mirrored_ ? turn_ * q * Quaternion{0, 1, 0, 0} : turn_ * q;
  }

private:
  std::array<double, 3> sign_ = {1, 1, 1};
  Quaternion turn_;
  bool is_mirrored_;
};

Vec3 mirrored(const Vec3& v) {
  return {-v.x, v.y, v.z};
}
Transform mirrored(const Transform& pose) {
  const auto& [w, x, y, z] = pose.rotation;
  return {mirrored(pose.position), {w, x, -y, -z}};
}
MassProperties mirrored(MassProperties properties) {
  properties.centre = mirrored(properties.centre);
  for (int i = 1; i < 3; ++i) {
    properties.inertia(0, i) = -properties.inertia(0, i);
    properties.inertia(i, 0) = -properties.inertia(i, 0);
  }
  return properties;
}

/// Mirror images of the draft's shapes at their planes x = 0, each made once.
class MirrorImages {
public:
  explicit MirrorImages(WorldDraft& draft) : draft_(draft) {}

  Index of(Index shape) {
    const auto known = image_of_.find(shape);
    if (known != image_of_.end()) return known->second;
    const Index image = make(ShapeDescription(draft_.description.shapes[shape]), shape);
    image_of_.emplace(shape, image);
    return image;
  }
  std::vector<described::Part> of(std::vector<described::Part> parts) {
    for (described::Part& part : parts) part = {of(part.shape), mirrored(part.pose)};
    return parts;
  }

private:
  Index make(ShapeDescription shape, Index number) {
    auto& geometry = shape.geometry;
    if (auto* hull = std::get_if<described::ConvexHull>(&geometry)) {
      for (Vec3& point : hull->points) point = mirrored(point);
    } else if (auto* mesh = std::get_if<described::Mesh>(&geometry)) {
      for (Vec3& vertex : mesh->vertices) vertex = mirrored(vertex);
      for (Triangle& triangle : mesh->triangles) std::swap(triangle[0], triangle[1]);
    } else if (auto* compound = std::get_if<described::Compound>(&geometry)) {
      compound->parts = of(std::move(compound->parts));
    } else if (auto* clump = std::get_if<described::Clump>(&geometry)) {
      clump->parts = of(std::move(clump->parts));
      if (clump->solid) clump->solid = mirrored(*clump->solid);
    } else {
      require_symmetry(shape);
      return number;
    }
    return draft_.add(std::move(shape));
  }
  static void require_symmetry(const ShapeDescription& shape) {
    const auto refuse = [](std::string_view name) {
      throw InvalidArgument(fmt::format("has a {}, which cannot be mirrored", name));
    };
    if (std::holds_alternative<described::HalfSpace>(shape.geometry)) refuse("half_space");
    if (std::holds_alternative<described::HeightField>(shape.geometry)) refuse("height_field");
    if (std::holds_alternative<described::CylinderShell>(shape.geometry)) refuse("cylinder_shell");
    if (std::holds_alternative<described::Hopper>(shape.geometry)) refuse("hopper");
  }

  WorldDraft& draft_;
  std::map<Index, Index> image_of_;
};

/// Bodies say everything themselves, but for their material.
void refuse_traits(const SceneFields& f) {
  for (const std::string_view key : body_trait_keys)
    if (const SceneValue* value = f.find(key); value && key != "material")
      fail_at(value->place, fmt::format("{}: '{}' is not for bodies of a file; of what they are "
                                        "only 'material' can be changed",
                                        f.what(), key));
}

void require_mirrorable(const BodyDescription& body) {
  if (body.kind != BodyKind::dynamic)
    throw InvalidArgument("does not move; only bodies that do are tiled");
  if (!body.forces.empty() || !body.torques.empty() || !is_empty(body.force_formula) ||
      !is_empty(body.torque_formula) || !body.point_loads.empty())
    throw InvalidArgument("has loads over time or at points, which cannot be mirrored");
}

/// Of the body's shapes; of the place of a body without any.
Bounds extent_of(const BodyDescription& body, const WorldDraft& draft) {
  Bounds bounds;
  if (body.shapes.empty()) bounds.include(body.pose.position);
  for (const described::Part& part : body.shapes)
    bounds.include(bounds_of(draft.shape(part.shape), body.pose * part.pose));
  if (!is_finite(bounds.lower) || !is_finite(bounds.upper))
    throw InvalidArgument("has no bounds that could be mirrored");
  return bounds;
}

/// The bodies of the file, once as they are and once as mirror images in their own frames.
class Tile {
public:
  Tile(const SceneFields& f, const Counts& counts, WorldDescription settled, WorldDraft& draft)
      : counts_(counts), shift_(f.vector("position", Vec3{})), bodies_(std::move(settled.bodies)) {
    const Index first = add_shapes(std::move(settled.shapes), draft);
    std::vector<Bounds> extents;
    for (std::size_t b = 0; b < bodies_.size(); ++b)
      about(b, [&] {
        require_mirrorable(bodies_[b]);
        for (described::Part& part : bodies_[b].shapes) part.shape += first;
        extents.push_back(extent_of(bodies_[b], draft));
      });
    if (f.find("box"))
      cut_out(f, extents);
    else if (const SceneValue* overlap = f.find("overlap"))
      fail_at(overlap->place, f.what() + ": overlap needs box beside it");
    else
      for (const Bounds& extent : extents) box_.include(extent);
    if (bodies_.empty()) f.fail("no body of the file lies within the box");
    if (counts_ != Counts{1, 1, 1}) make_images(draft);
  }

  Index bodies() const { return static_cast<Index>(bodies_.size()); }

  /// A body of an image.
  BodyDescription operator()(const Counts& image, Index b) const {
    const Reflection reflection(image);
    BodyDescription body = reflection.is_mirrored() ? images_[b] : bodies_[b];
    Vec3& place = body.pose.position;
    for (int i = 0; i < 3; ++i) {
      if (image[i] % 2 != 0) place[i] = box_.lower[i] + box_.upper[i] - place[i];
      place[i] += static_cast<double>(image[i]) * (box_.upper[i] - box_.lower[i]);
    }
    place += shift_;
    body.pose.rotation = reflection.rotation(body.pose.rotation);
    body.velocity = reflection.vector(body.velocity);
    body.angular_velocity = reflection.axial(body.angular_velocity);
    body.load = {reflection.vector(body.load.force), reflection.axial(body.load.torque)};
    return body;
  }

private:
  /// Complaints name the body.
  template <class Work>
  void about(std::size_t b, Work&& work) const {
    std::string message;
    try {
      return work();
    } catch (const InvalidArgument& error) {
      message = error.what();
    }
    const std::string& name = bodies_[b].name;
    throw InvalidArgument(
        fmt::format("body '{}': {}", name.empty() ? std::to_string(b) : name, message));
  }

  /// Bodies that reach over a face would overlap their images by twice as much.
  void cut_out(const SceneFields& f, std::span<const Bounds> extents) {
    constexpr double share = 0.01; // of half the body's width
    const SceneFields box(f.need("box"), f.what() + ": box", {"min", "max"});
    box_ = {box.vector("min"), box.vector("max")};
    for (int i = 0; i < 3; ++i)
      if (!(box_.lower[i] < box_.upper[i])) box.fail("max must be greater than min in each axis");
    const double given = f.number("overlap", -1.0, not_negative);
    const auto reaches_over = [&](const Bounds& extent) {
      for (int i = 0; i < 3; ++i) {
        if (counts_[i] == 1) continue;
        const double overlap = given >= 0 ? given : share * 0.5 * extent.extents()[i];
        if (extent.lower[i] < box_.lower[i] - 0.5 * overlap ||
            extent.upper[i] > box_.upper[i] + 0.5 * overlap)
          return true;
      }
      return false;
    };
    std::size_t kept = 0;
    for (std::size_t b = 0; b < bodies_.size(); ++b)
      if (!reaches_over(extents[b])) std::swap(bodies_[kept++], bodies_[b]);
    bodies_.resize(kept);
  }

  void make_images(WorldDraft& draft) {
    MirrorImages images(draft);
    for (std::size_t b = 0; b < bodies_.size(); ++b)
      about(b, [&] {
        BodyDescription& image = images_.emplace_back(bodies_[b]);
        image.shapes = images.of(std::move(image.shapes));
        if (image.inertia) image.inertia = mirrored(*image.inertia);
      });
  }

  Counts counts_;
  Vec3 shift_;
  Bounds box_;
  std::vector<BodyDescription> bodies_, images_;
};

/// Neighbours in the tile that have as many shapes, of the same material.
struct AlikeBodies {
  Index end, shapes, material;
};

std::vector<AlikeBodies> runs_of(std::span<const Index> bodies, const World& world) {
  std::vector<AlikeBodies> runs;
  for (const Index index : bodies) {
    const BodyShapes& shapes = world.bodies()[index].shapes;
    const auto count = static_cast<Index>(shapes.size());
    const Index material = shapes.empty() ? 0 : shapes.front().material;
    const bool is_alike =
        !runs.empty() && runs.back().shapes == count && runs.back().material == material;
    if (!is_alike) runs.push_back({runs.empty() ? 0 : runs.back().end, count, material});
    ++runs.back().end;
  }
  return runs;
}

} // namespace

/// All processes build the tile and its first mirror image, and so know all shapes.
void make_tile(const SceneFields& f, SceneSource& source, BodyMaker& maker) {
  const Counts counts = read_counts(f, maker.most_bodies());
  refuse_traits(f);
  WorldDescription settled = read_settled(f, source);
  const Tile tile = with_location(
      f.place(), f.what(), [&] { return Tile(f, counts, std::move(settled), maker.draft()); });
  const long images = counts[0] * counts[1] * counts[2];
  if (images > maker.most_bodies() / tile.bodies())
    fail_at(f.need("counts").place,
            fmt::format("{}: more than {} bodies", f.what(), maker.most_bodies()));
  std::vector<AlikeBodies> runs;
  for (long n = 0; n < images; ++n) {
    const Counts image = {n % counts[0], n / counts[0] % counts[1], n / counts[0] / counts[1]};
    if (n < 2) {
      std::vector<Index> added;
      added.reserve(tile.bodies());
      for (Index b = 0; b < tile.bodies(); ++b) added.push_back(maker.add(tile(image, b), true));
      runs = runs_of(added, maker.draft().world());
      continue;
    }
    Index b = 0;
    for (const AlikeBodies& run : runs)
      while (b < run.end) {
        b += maker.leave_out_known(run.shapes, run.material, run.end - b);
        if (b < run.end) maker.add(tile(image, b++), false);
      }
  }
}

} // namespace talus
