// Bodies that another run has brought to rest: those of its checkpoint, or of a file that
// `talus export --format settled` made of it.

#include "talus/io/checkpoint.h"
#include "talus/io/export.h"
#include "talus/io/generators/scene_generators.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace talus {

namespace {

/// What a scene keeps: the file itself, or of a checkpoint the description of its dynamic bodies
/// where they are now.
std::string text_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (file.peek() == '{') return std::string(std::istreambuf_iterator<char>(file), {});
  const Checkpoint checkpoint = read_checkpoint(path);
  Scene scene = scene_of(checkpoint);
  require_fitting(checkpoint.state, scene.world);
  scene.world.set_removed(checkpoint.state.removed);
  std::ranges::copy(checkpoint.state.bodies, scene.world.states().begin());
  return settled_text(scene.description, scene.world);
}

const SceneFile& settled_file(const SceneFields& f, SceneSource& source) {
  const SceneValue& value = f.need("file");
  const std::string& name = to_text(value, f.label("file"));
  for (const SceneFile& known : source.files)
    if (known.name == name) return known;
  const auto path = std::filesystem::path(source.path).parent_path() / name;
  std::error_code trouble;
  if (!std::filesystem::exists(path, trouble))
    fail_at(value.place, fmt::format("{}: there is no file {}; a run of the scene in which the "
                                     "bodies settle makes it (talus run SCENE --out DIR)",
                                     f.what(), path.string()));
  std::string message;
  try {
    source.files.push_back({name, text_of_file(path.string())});
    return source.files.back();
  } catch (const Error& error) {
    message = error.what();
  }
  fail_at(value.place, fmt::format("{}: {}", f.what(), message));
}

void shift_shapes(ShapeDescription& shape, Index by) {
  if (auto* compound = std::get_if<described::Compound>(&shape.geometry))
    for (described::Part& part : compound->parts) part.shape += by;
  if (auto* clump = std::get_if<described::Clump>(&shape.geometry))
    for (described::Part& part : clump->parts) part.shape += by;
}

} // namespace

WorldDescription read_settled(const SceneFields& f, SceneSource& source) {
  const SceneFile& file = settled_file(f, source);
  return with_location(f.place(), f.what(), [&] {
    WorldDescription settled = parse_description(file.bytes, file.name);
    for (BodyDescription& body : settled.bodies) {
      body.pose.rotation = normalized(body.pose.rotation);
      if (f.find("material")) body.material = f.text("material");
    }
    return settled;
  });
}

Index add_shapes(std::vector<ShapeDescription> shapes, WorldDraft& draft) {
  const auto first = static_cast<Index>(draft.description.shapes.size());
  for (ShapeDescription& shape : shapes) {
    shift_shapes(shape, first);
    draft.add(std::move(shape));
  }
  return first;
}

void add_settled(const SceneFields& f, SceneSource& source, WorldDraft& draft) {
  WorldDescription settled = read_settled(f, source);
  const Vec3 shift = f.vector("position", Vec3{});
  const double fixed_below = f.number("fixed_below", -std::numeric_limits<double>::infinity());
  with_location(f.place(), f.what(), [&] {
    const Index first = add_shapes(std::move(settled.shapes), draft);
    for (BodyDescription& body : settled.bodies) {
      for (described::Part& part : body.shapes) part.shape += first;
      body.pose.position += shift;
      if (body.pose.position.z < fixed_below) body.kind = BodyKind::fixed;
      draft.add(std::move(body));
    }
  });
}

} // namespace talus
