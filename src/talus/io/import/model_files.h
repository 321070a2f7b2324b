#pragma once
// The files of a model: itself, what it includes, its meshes. Only files in the model's folder (or
// its package, the nearest folder above with a package.xml) are read.

#include "talus/io/import/xml_file.h"
#include "talus/shape/triangle_mesh.h"

#include <filesystem>
#include <functional>

namespace talus::robot {

/// The content of the file of that path; nothing if there is none.
using ReadFile = std::function<std::optional<std::string>(const std::string& path)>;

class ModelFiles {
public:
  /// Throws FileError if the model itself cannot be read.
  ModelFiles(std::string model, ReadFile read);

  const std::string& model() const { return model_; }
  const std::string& text() const { return text_; }
  /// The path of a file that the model names: relative to `folder` (of the model, where it is
  /// empty), file://, or package://. Throws at `place` for one outside the model's folder.
  std::string resolve(const std::string& name, const std::string& folder, const Place& place) const;
  /// Throws at `place` if it cannot be read.
  std::string read(const std::string& path, const Place& place) const;
  /// An OBJ, STL or DAE mesh, each axis scaled. Throws at `place`.
  TriangleMesh mesh(const std::string& path, const Vec3& scale, const Place& place) const;

private:
  std::string resolve_package(const std::string& name, const Place& place) const;

  std::string model_, text_;
  std::filesystem::path folder_, root_; ///< Of the model; the largest from which files are read.
  ReadFile read_;
};

} // namespace talus::robot
