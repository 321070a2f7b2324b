#include "talus/cluster/body_packets.h"

#include <algorithm>
#include <functional>

namespace talus {
namespace {

constexpr std::size_t most_spheres_listed = 4096;
constexpr Index no_shapes = -2, lone_sphere = -1;

bool is_lone_sphere(const BodyShapes& shapes) {
  return shapes.size() == 1 && std::holds_alternative<Sphere>(shapes.front().shape->geometry) &&
         shapes.front().pose == Transform{};
}

std::size_t hash_of(const BodyShapes& shapes) {
  std::size_t hash = shapes.size();
  for (const BodyShape& shape : shapes)
    hash = 31 * hash + std::hash<const Shape*>()(shape.shape.get()) +
           7 * static_cast<std::size_t>(shape.material);
  return hash;
}

/// All of a body that has a fixed size.
struct Head {
  Index number, shapes;
  BodyState state;
  double radius, removed_at, mass;
  Vec3 moments;
  BodyKind kind;
  std::uint32_t name_length;
  bool turns, floats, removed, has_extras;
};

struct SphereHead {
  double radius;
  Index material;
  std::uint32_t group, mask;
};

struct ExtrasHead {
  Transform reference;
  Wrench load;
  Drag drag;
  BodyKind kind_before_removal;
};

} // namespace

Index ShapeTable::find(const BodyShapes& shapes) const {
  const auto [first, last] = number_of_.equal_range(hash_of(shapes));
  for (auto each = first; each != last; ++each)
    if (std::ranges::equal(lists_[each->second], shapes)) return each->second;
  return -1;
}

void ShapeTable::add(const BodyShapes& shapes) {
  if (shapes.empty() || find(shapes) >= 0) return;
  if (lists_.size() >= most_spheres_listed && is_lone_sphere(shapes)) return;
  number_of_.emplace(hash_of(shapes), static_cast<Index>(lists_.size()));
  lists_.push_back(shapes);
}

void append(Bytes& bytes, const ShapeTable& table, const Traveller& traveller) {
  const Body& body = traveller.body;
  const BodyExtras& extras = body.extras.get();
  if (extras.motion.index() != 0)
    throw Error("body '" + body.name + "' has a prescribed motion and cannot change its rank");
  const bool has_extras = &extras != &HeapOptional<BodyExtras>().get();
  Head head{};
  head.number = traveller.number;
  head.shapes = body.shapes.empty() ? no_shapes : table.find(body.shapes);
  head.state = traveller.state;
  head.radius = traveller.radius;
  head.removed_at = traveller.removed_at;
  head.mass = body.mass;
  head.moments = body.moments;
  head.kind = body.kind;
  head.name_length = static_cast<std::uint32_t>(body.name.size());
  head.turns = body.turns;
  head.floats = body.floats;
  head.removed = body.removed;
  head.has_extras = has_extras;
  append(bytes, head);
  for (const char letter : body.name) append(bytes, letter);
  if (head.shapes == lone_sphere) {
    if (!is_lone_sphere(body.shapes))
      throw Error("body '" + body.name + "' has shapes that other ranks do not know");
    const BodyShape& shape = body.shapes.front();
    append(bytes, SphereHead{std::get<Sphere>(shape.shape->geometry).radius, shape.material,
                             shape.group, shape.mask});
  }
  if (has_extras)
    append(bytes,
           ExtrasHead{extras.reference, extras.load, extras.drag, extras.kind_before_removal});
}

Traveller TravellerReader::next() {
  const Head head = value<Head>();
  Traveller result;
  result.number = head.number;
  result.state = head.state;
  result.radius = head.radius;
  result.removed_at = head.removed_at;
  Body& body = result.body;
  body.kind = head.kind;
  body.turns = head.turns;
  body.floats = head.floats;
  body.removed = head.removed;
  body.mass = head.mass;
  body.moments = head.moments;
  body.name.assign(reinterpret_cast<const char*>(&bytes_[at_]), head.name_length);
  at_ += head.name_length;
  if (head.shapes >= 0) body.shapes = table_[head.shapes];
  if (head.shapes == lone_sphere) {
    const auto sphere = value<SphereHead>();
    const bool same = !last_.empty() && last_.front().material == sphere.material &&
                      last_.front().group == sphere.group && last_.front().mask == sphere.mask &&
                      std::get<Sphere>(last_.front().shape->geometry).radius == sphere.radius;
    if (!same)
      last_ = BodyShapes(
          {{make_sphere(sphere.radius), {}, sphere.material, sphere.group, sphere.mask}});
    body.shapes = last_;
  }
  if (head.has_extras) {
    const auto extras = value<ExtrasHead>();
    BodyExtras& own = body.extras.own();
    own.reference = extras.reference;
    own.load = extras.load;
    own.drag = extras.drag;
    own.kind_before_removal = extras.kind_before_removal;
  }
  return result;
}

} // namespace talus
