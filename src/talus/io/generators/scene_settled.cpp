// Bodies that another run has brought to rest: those of its checkpoint.

#include "talus/io/checkpoint.h"
#include "talus/io/generators/scene_generators.h"

#include <fmt/format.h>

#include <filesystem>

namespace talus {

namespace {

/// What a scene keeps of the checkpoint: the description of its dynamic bodies where they are now.
std::string settled_text(const Checkpoint& checkpoint) {
  const Scene scene = scene_of(checkpoint);
  require_fitting(checkpoint.state, scene.world);
  WorldDescription kept;
  kept.materials = scene.description.materials;
  kept.shapes = scene.description.shapes;
  for (std::size_t i = 0; i < scene.description.bodies.size(); ++i) {
    BodyDescription body = scene.description.bodies[i];
    if (body.kind != BodyKind::dynamic) continue;
    body.pose = checkpoint.state.bodies[i].pose * scene.world.bodies()[i].reference();
    body.velocity = body.angular_velocity = {};
    kept.bodies.push_back(std::move(body));
  }
  return description_text(kept);
}

const SceneFile& settled_file(const SceneFields& f, SceneSource& source) {
  const SceneValue& value = f.need("file");
  const std::string& name = to_text(value, f.label("file"));
  for (const SceneFile& known : source.files)
    if (known.name == name) return known;
  const auto path = std::filesystem::path(source.path).parent_path() / name;
  std::error_code trouble;
  if (!std::filesystem::exists(path, trouble))
    fail_at(value.place, fmt::format("{}: there is no checkpoint {}; a run of the scene in which "
                                     "the bodies settle makes it (talus run SCENE --out DIR)",
                                     f.what(), path.string()));
  std::string message;
  try {
    source.files.push_back({name, settled_text(read_checkpoint(path.string()))});
    return source.files.back();
  } catch (const Error& error) {
    message = error.what();
  }
  fail_at(value.place, fmt::format("{}: {}", f.what(), message));
}

void shift_shapes(ShapeDescription& shape, Index by) {
  if (auto* compound = std::get_if<described::Compound>(&shape.geometry))
    for (described::Part& part : compound->parts) part.shape += by;
}

} // namespace

void add_settled(const SceneFields& f, SceneSource& source, WorldDraft& draft) {
  const SceneFile& file = settled_file(f, source);
  const Vec3 shift = f.vector("position", Vec3{});
  with_location(f.place(), f.what(), [&] {
    WorldDescription settled = parse_description(file.bytes, file.name);
    const auto first = static_cast<Index>(draft.description.shapes.size());
    for (ShapeDescription& shape : settled.shapes) {
      shift_shapes(shape, first);
      draft.add(std::move(shape));
    }
    for (BodyDescription& body : settled.bodies) {
      for (described::Part& part : body.shapes) part.shape += first;
      body.pose.position += shift;
      if (f.find("material")) body.material = f.text("material");
      draft.add(std::move(body));
    }
  });
}

} // namespace talus
