#pragma once
// Shapes of scene files.

#include "talus/io/description/world_builder.h"
#include "talus/io/scene.h"
#include "talus/io/scene/scene_fields.h"

#include <map>

namespace talus {

/// The keys of a part of a compound, or of an element of a body's `shapes`.
inline const std::vector<std::string_view> part_keys = {"shape", "position", "orientation",
                                                        "repeat"};

/// Where a part is, and where its copies are: `repeat: {count, axis, angle, offset}` turns each
/// copy on by `angle` about the axis through the frame's origin and shifts it by `offset`.
std::vector<Transform> part_poses(const SceneFields& part);

/// The points of shape/superellipsoid.h; scene_profiles.cpp.
described::ConvexHull read_superellipsoid(const SceneFields& fields);

/// Shapes made of convex hulls; scene_profiles.cpp. Both lie along z and are added to the draft.
described::Compound read_gear_wheel(const SceneFields& fields, WorldDraft& draft);
described::Compound read_turned(const SceneFields& fields, WorldDraft& draft);

/// Calls `make` and turns its InvalidArgument into a complaint about this place.
template <class Make>
auto with_location(const ScenePlace& place, std::string_view what, Make&& make) {
  std::string message;
  try {
    return make();
  } catch (const OverrideError&) {
    throw;
  } catch (const InvalidArgument& error) {
    message = error.what();
  }
  // The world begins with the name of the body or joint, too.
  const std::string own = std::string(what.substr(0, what.find(" ("))) + ": ";
  if (message.starts_with(own)) message.erase(0, own.size());
  fail_at(place, std::string(what) + ": " + message);
}

class SceneShapes {
public:
  /// Mesh files are taken from the source; those read from disk are added to it.
  SceneShapes(SceneSource& source, WorldDraft& draft) : source_(&source), draft_(&draft) {}

  /// The section `shapes`: names for later use.
  void define(const SceneValue& section);

  /// The name of a defined shape, or a mapping that describes one: its number in the draft.
  Index read(const SceneValue& value, const std::string& what);

  SceneSource& source() { return *source_; }

private:
  Index make(const SceneValue& value, const std::string& what);
  ShapeDescription describe(const std::string& type, const SceneFields& fields);
  described::ConvexHull read_hull(const SceneFields& fields);
  described::Mesh read_mesh(const SceneFields& fields);
  described::Clump read_decomposed(const SceneFields& fields);
  static described::HeightField read_heights(const SceneFields& fields);
  std::vector<described::Part> read_parts(const SceneFields& fields);
  TriangleMesh mesh_file(const SceneValue& value, const std::string& what, const Vec3& scale);

  SceneSource* source_;
  WorldDraft* draft_;
  std::map<std::string, Index, std::less<>> named_;
};

} // namespace talus
