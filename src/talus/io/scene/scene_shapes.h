#pragma once
// Shapes of scene files.

#include "talus/io/scene.h"
#include "talus/io/scene/scene_fields.h"

#include <map>

namespace talus {

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
  const std::string named = std::string(what) + ": ";
  fail_at(place, message.starts_with(named) ? message : named + message);
}

class SceneShapes {
public:
  /// Mesh files are taken from the source; those read from disk are added to it.
  explicit SceneShapes(SceneSource& source) : source_(&source) {}

  /// The section `shapes`: names for later use.
  void define(const SceneValue& section);

  /// The name of a defined shape, or a mapping that describes one.
  ShapePtr read(const SceneValue& value, const std::string& what);

private:
  ShapePtr make(const SceneValue& value, const std::string& what);
  ShapePtr make_from_points(const SceneFields& fields);
  ShapePtr make_mesh(const SceneFields& fields);
  ShapePtr make_heights(const SceneFields& fields);
  ShapePtr make_parts(const SceneFields& fields);
  TriangleMesh mesh_file(const SceneValue& value, const std::string& what, const Vec3& scale);

  SceneSource* source_;
  std::map<std::string, ShapePtr, std::less<>> named_;
};

} // namespace talus
