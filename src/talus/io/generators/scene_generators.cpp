#include "talus/io/generators/scene_generators.h"

#include "talus/core/nearest_name.h"
#include "talus/io/generators/random.h"

#include <fmt/format.h>

#include <array>
#include <numbers>
#include <utility>

namespace talus {

namespace {

using Keys = std::vector<std::string_view>;
using Maker = void (*)(const SceneFields&, SceneShapes&, BodyMaker&);

void make_grid(const SceneFields& f, SceneShapes& shapes, BodyMaker& maker) {
  const Index shape = shapes.read(f.need("shape"), f.what());
  const auto counts = read_counts(f, maker.most_bodies());
  const Vec3 first = f.vector("position", Vec3{}), spacing = f.vector("spacing");
  const Quaternion turn = f.rotation("orientation");
  const double jitter = f.number("jitter", 0.0, not_negative);
  const bool tumbled = f.flag("random_orientation", false);
  Random random(seed_of(f));
  const Index all = static_cast<Index>(counts[0] * counts[1] * counts[2]);
  for (Index n = 0; n < all; ++n) {
    // Nobody knows how many numbers an orientation takes but who has drawn it.
    if (!tumbled) {
      const Index others = maker.leave_out(shape, all - n);
      if (jitter > 0) random.skip(3 * static_cast<std::uint64_t>(others));
      n += others;
      if (n == all) break;
    }
    const long i = n % counts[0], j = n / counts[0] % counts[1], k = n / counts[0] / counts[1];
    Vec3 place = first + Vec3{i * spacing.x, j * spacing.y, k * spacing.z};
    if (jitter > 0) place += random.inside({-jitter, -jitter, -jitter}, {jitter, jitter, jitter});
    maker.add(shape, {place, tumbled ? random.rotation() : turn});
  }
}

void make_stack(const SceneFields& f, SceneShapes& shapes, BodyMaker& maker) {
  const Index shape = shapes.read(f.need("shape"), f.what());
  const Vec3 first = f.vector("position", Vec3{}), offset = f.vector("offset");
  if (!(norm(offset) > 0)) fail_at(f.need("offset").place, f.what() + ": offset must not be zero");
  const double twist = f.number("twist", 0.0) * (std::numbers::pi / 180);
  const Quaternion turn = f.rotation("orientation");
  const long count = f.count("count", 1, maker.most_bodies());
  for (long i = 0; i < count; ++i) {
    i += maker.leave_out(shape, static_cast<Index>(count - i));
    if (i == count) break;
    const double angle = static_cast<double>(i) * twist;
    maker.add(shape, {first + static_cast<double>(i) * offset, axis_angle(offset, angle) * turn});
  }
}

/// Rows of n, n - 1, ..., 1 bodies, each row half a spacing inwards.
void make_pyramid(const SceneFields& f, SceneShapes& shapes, BodyMaker& maker) {
  const Index shape = shapes.read(f.need("shape"), f.what());
  const long rows = f.count("rows", 1, 3000);
  const Vec3 middle = f.vector("position", Vec3{});
  const Vec3 along = f.vector("offset"), up = f.vector("row_offset");
  for (long row = 0; row < rows; ++row)
    for (long i = 0; i < rows - row; ++i) {
      i += maker.leave_out(shape, static_cast<Index>(rows - row - i));
      if (i == rows - row) break;
      const double column = static_cast<double>(i) - 0.5 * static_cast<double>(rows - row - 1);
      maker.add(shape, {middle + column * along + static_cast<double>(row) * up,
                        f.rotation("orientation")});
    }
}

/// Bodies in a row, joined half-way between neighbours, the first one also to the ground.
void make_chain(const SceneFields& f, SceneShapes& shapes, BodyMaker& maker) {
  const Index shape = shapes.read(f.need("shape"), f.what());
  const Vec3 first = f.vector("position", Vec3{}), offset = f.vector("offset");
  const SceneValue* type = f.find("joint");
  const JointKind kind = !type ? JointKind::spherical : with_location(type->place, f.what(), [&] {
    return joint_kind_from(to_text(*type, f.what() + ": joint"));
  });
  const Vec3 axis = f.vector("axis", Vec3{0, 1, 0});
  const bool hangs = f.flag("anchored", true);
  std::string previous = "ground";
  const long count = f.count("count", 1, most_of_one_process);
  maker.build_everywhere();
  for (long i = 0; i < count; ++i) {
    const Vec3 centre = first + static_cast<double>(i) * offset;
    const Index body = maker.add(shape, {centre, f.rotation("orientation")});
    JointDescription link;
    link.kind = kind;
    link.body_a = std::exchange(previous, maker.draft().world().body(body).name);
    link.body_b = previous;
    link.at = centre - 0.5 * offset;
    link.axis = axis;
    if (i > 0 || hangs)
      with_location(f.place(), f.what(), [&] { return maker.draft().add(std::move(link)); });
  }
}

struct GeneratorKind {
  std::string_view name;
  Keys keys;
  Maker make;
};

const std::vector<GeneratorKind>& generator_kinds() {
  static const std::vector<GeneratorKind> kinds = {
      {"grid",
       {"shape", "counts", "spacing", "position", "orientation", "jitter", "random_orientation",
        "seed"},
       make_grid},
      {"packing",
       {"shape", "shapes", "radius", "stones", "count", "box", "cylinder", "gap",
        "random_orientation", "attempts", "seed"},
       make_packing},
      {"stack", {"shape", "count", "position", "offset", "orientation", "twist"}, make_stack},
      {"pyramid",
       {"shape", "rows", "position", "offset", "row_offset", "orientation"},
       make_pyramid},
      {"chain",
       {"shape", "count", "position", "offset", "orientation", "joint", "axis", "anchored"},
       make_chain},
      {"track", {"shape", "count", "wheels", "position"}, make_track},
      {"path", {"shape", "count", "points", "spacing", "closed", "orientation"}, make_path},
      {"settled",
       {"file", "position", "fixed_below"},
       [](const SceneFields& f, SceneShapes& shapes, BodyMaker& maker) {
         add_settled(f, shapes.source(), maker.draft());
       }},
      {"tile",
       {"file", "counts", "box", "overlap", "position"},
       [](const SceneFields& f, SceneShapes& shapes, BodyMaker& maker) {
         make_tile(f, shapes.source(), maker);
       }},
      {"wall",
       {"brick", "bricks", "courses", "position", "gap"},
       [](const SceneFields& f, SceneShapes&, BodyMaker& maker) { make_wall(f, maker); }},
      {"arch",
       {"inner_radius", "outer_radius", "depth", "blocks", "angle", "position", "springers",
        "deck"},
       [](const SceneFields& f, SceneShapes&, BodyMaker& maker) { make_arch(f, maker); }},
      {"dome",
       {"inner_radius", "outer_radius", "rings", "blocks", "opening", "position", "springers"},
       [](const SceneFields& f, SceneShapes&, BodyMaker& maker) { make_dome(f, maker); }},
      {"card_house",
       {"card", "levels", "lean", "position"},
       [](const SceneFields& f, SceneShapes&, BodyMaker& maker) { make_card_house(f, maker); }},
  };
  return kinds;
}

const GeneratorKind& kind_of(const SceneValue& value, const std::string& what) {
  Keys names;
  for (const GeneratorKind& kind : generator_kinds()) names.push_back(kind.name);
  const SceneValue* type = value.find("type");
  if (!type)
    fail_at(value.place, fmt::format("{}: 'type' is missing; allowed: {}", what, joined(names)));
  for (const GeneratorKind& kind : generator_kinds())
    if (kind.name == type->text) return kind;
  fail_at(type->place,
          fmt::format("{}: unknown type {}", what, unknown_name(type->text, names, "allowed")));
}

Keys allowed_keys(const GeneratorKind& kind) {
  Keys keys = {"type", "name"};
  keys.insert(keys.end(), kind.keys.begin(), kind.keys.end());
  for (const std::string_view key : body_trait_keys)
    if (key != "drive") keys.push_back(key);
  return keys;
}

} // namespace

std::uint64_t seed_of(const SceneFields& f) {
  return static_cast<std::uint64_t>(f.count("seed", 1, 0, std::numeric_limits<long>::max()));
}

std::array<long, 3> read_counts(const SceneFields& f, long most) {
  const SceneValue& value = f.need("counts");
  const auto& items = to_list(value, f.what() + ": counts");
  if (items.size() != 3) fail_at(value.place, f.what() + ": counts has 3 entries [x, y, z]");
  std::array<long, 3> counts;
  for (int i = 0; i < 3; ++i) counts[i] = to_count(items[i], f.what() + ": counts", 1, 100'000);
  if (counts[0] * counts[1] > most || counts[0] * counts[1] * counts[2] > most)
    fail_at(value.place, fmt::format("{}: more than {} bodies", f.what(), most));
  return counts;
}

BodyMaker::BodyMaker(const SceneFields& fields, WorldDraft& draft, const std::string& prefix)
    : fields_(&fields), draft_(&draft), prefix_(prefix), kind_(read_body_kind(fields)) {}

BodyDescription BodyMaker::next(BodyKind kind, Index shape, const Transform& pose) {
  BodyDescription body;
  body.name = fmt::format("{} {}", prefix_, count_++);
  body.kind = kind;
  body.shapes = {{shape, {}}};
  body.pose = pose;
  return body;
}

long BodyMaker::most_bodies() const {
  constexpr long most_in_parts = 1'000'000'000;
  return draft_->part != nullptr ? most_in_parts : most_of_one_process;
}

/// A name that is unknown is complained of by the first body.
Index BodyMaker::traits_material() const {
  const SceneValue* material = fields_->find("material");
  return material ? draft_->world().materials.find(material->text) : 0;
}

Index BodyMaker::leave_out(Index shape, Index most) {
  const bool may_leave_out = kind_ == BodyKind::dynamic && built_.contains(shape);
  return may_leave_out ? leave_out_known(1, traits_material(), most) : 0;
}

Index BodyMaker::leave_out_known(Index shapes, Index material, Index most) {
  ScenePart* part = draft_->part;
  if (part == nullptr || builds_everywhere_) return 0;
  const Index number = part->colliders.bodies();
  const Index left_out = std::min(most, part->next_kept(number) - number);
  if (left_out > 0) part->colliders.add(shapes, material, left_out);
  count_ += left_out;
  return left_out;
}

Index BodyMaker::add(Index shape, const Transform& pose) {
  if (leave_out(shape, 1) > 0) return no_body;
  if (draft_->part != nullptr)
    draft_->part->next_is_everywhere = built_.insert(shape).second || builds_everywhere_;
  BodyDescription body = next(kind_, shape, pose);
  apply_body_traits(*fields_, draft_->description.materials, body);
  return add_body(*draft_, std::move(body), *fields_);
}

/// Other processes need not know its shape: it travels with the body.
Index BodyMaker::add_sphere(double radius, const Transform& pose) {
  const bool may_leave_out = kind_ == BodyKind::dynamic;
  if (may_leave_out && leave_out_known(1, traits_material(), 1) > 0) return no_body;
  if (draft_->part != nullptr) draft_->part->next_is_everywhere = !may_leave_out;
  BodyDescription body = next(kind_, draft_->add({described::Sphere{radius}}), pose);
  apply_body_traits(*fields_, draft_->description.materials, body);
  return add_body(*draft_, std::move(body), *fields_);
}

Index BodyMaker::add(BodyDescription body, bool everywhere) {
  body.name = fmt::format("{} {}", prefix_, count_++);
  if (draft_->part != nullptr) draft_->part->next_is_everywhere = everywhere;
  return add_body(*draft_, std::move(body), *fields_);
}

Index BodyMaker::add_fixed(Index shape, const Transform& pose) {
  BodyDescription body = next(BodyKind::fixed, shape, pose);
  if (const SceneValue* material = fields_->find("material")) body.material = material->text;
  return add_body(*draft_, std::move(body), *fields_);
}

void run_generators(const SceneValue& section, SceneShapes& shapes, WorldDraft& draft) {
  std::size_t position = 0;
  for (const SceneValue& value : to_list(section, "generators")) {
    const std::string place = fmt::format("generator {}", position);
    const GeneratorKind& kind = kind_of(value, place);
    const SceneFields f(value, fmt::format("{} ({})", place, kind.name), allowed_keys(kind));
    BodyMaker maker(f, draft,
                    f.text("name", position == 0 ? std::string(kind.name)
                                                 : fmt::format("{} {}", kind.name, position)));
    kind.make(f, shapes, maker);
    ++position;
  }
}

} // namespace talus
