#include "talus/io/import/model_files.h"

#include "talus/core/error.h"
#include "talus/io/import/collada.h"

#include <fmt/format.h>

#include <algorithm>

namespace talus::robot {

namespace fs = std::filesystem;

namespace {

/// Absolute, without links and dots as far as it exists. Absolute first: of a relative path that
/// does not exist the library makes no absolute one.
fs::path canonical_path(const fs::path& path) {
  std::error_code trouble;
  fs::path result = fs::weakly_canonical(fs::absolute(path), trouble);
  return trouble ? fs::absolute(path).lexically_normal() : result;
}

bool lies_in(const fs::path& folder, const fs::path& path) {
  const auto [at, rest] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  return at == folder.end();
}

/// The nearest folder from here upwards with a package.xml, else the folder itself.
fs::path package_of(const fs::path& folder) {
  std::error_code trouble;
  for (fs::path p = folder; p.has_relative_path(); p = p.parent_path())
    if (fs::exists(p / "package.xml", trouble)) return p;
  return folder;
}

std::string lower_extension(const std::string& path) {
  std::string text = fs::path(path).extension().string();
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

} // namespace

ModelFiles::ModelFiles(std::string model, ReadFile read)
    : model_(std::move(model)), folder_(fs::path(model_).parent_path()), read_(std::move(read)) {
  const auto text = read_(model_);
  if (!text) throw FileError(model_, "cannot be read");
  text_ = *text;
  root_ = package_of(canonical_path(folder_.empty() ? fs::path(".") : folder_));
}

std::string ModelFiles::resolve_package(const std::string& name, const Place& place) const {
  const std::size_t slash = name.find('/');
  const std::string package = name.substr(0, slash);
  const std::string rest = slash == std::string::npos ? "" : name.substr(slash + 1);
  if (package.empty() || rest.empty() || package == "." || package == "..")
    fail_at(place, fmt::format("package://{} names no file of a package", name));
  // The model's own package may have another name on disk than in its files.
  for (fs::path p = canonical_path(folder_.empty() ? fs::path(".") : folder_);
       p.has_relative_path(); p = p.parent_path()) {
    std::error_code trouble;
    if (p.filename() == package || fs::exists(p / "package.xml", trouble))
      return (p / rest).string();
    const fs::path beside = p / package;
    if (lies_in(root_, beside) && fs::is_directory(beside, trouble))
      return (beside / rest).string();
  }
  return (folder_ / rest).string();
}

std::string ModelFiles::resolve(const std::string& name, const std::string& folder,
                                const Place& place) const {
  if (name.find('\0') != std::string::npos || name.empty())
    fail_at(place, "the name of a file is empty or has a zero byte");
  constexpr std::string_view package = "package://", file = "file://", model = "model://";
  fs::path path;
  bool in_package = false;
  if (name.starts_with(package) || name.starts_with(model)) {
    path = resolve_package(name.substr(name.find("://") + 3), place);
    in_package = true;
  } else if (name.starts_with(file)) {
    path = name.substr(file.size());
  } else if (name.find("://") != std::string::npos) {
    fail_at(place, fmt::format("'{}': only files, file:// and package:// can be read", name));
  } else {
    path = fs::path(name).is_absolute() ? fs::path(name) : folder_ / folder / name;
  }
  fs::path root = root_;
  if (in_package && !lies_in(root, canonical_path(path))) {
    // A package above the model: its files may be anywhere in it, and nowhere else.
    const fs::path home = canonical_path(folder_.empty() ? fs::path(".") : folder_);
    const std::string given = name.substr(name.find("://") + 3);
    const std::string word = given.substr(0, given.find('/'));
    for (fs::path p = home; p.has_relative_path(); p = p.parent_path())
      if (p.filename() == word) root = p;
  }
  if (!lies_in(root, canonical_path(path)))
    fail_at(place, fmt::format("'{}' lies outside the model's folder {}; only files in it, or in "
                               "its package (a folder above with a package.xml), are read",
                               name, root.string()));
  return path.lexically_normal().string();
}

std::string ModelFiles::read(const std::string& path, const Place& place) const {
  auto text = read_(path);
  if (!text) fail_at(place, fmt::format("the file {} cannot be read", path));
  return std::move(*text);
}

TriangleMesh ModelFiles::mesh(const std::string& path, const Vec3& scale,
                              const Place& place) const {
  const std::string extension = lower_extension(path);
  if (extension != ".obj" && extension != ".stl" && extension != ".dae")
    fail_at(place, fmt::format("the mesh {} is neither OBJ, STL nor DAE", path));
  const std::string bytes = read(path, place);
  std::string message;
  try {
    TriangleMesh mesh = extension == ".dae"
                            ? parse_collada(path, bytes)
                            : parse_mesh(fs::path(path).replace_extension(extension), bytes);
    if (scale == Vec3{1, 1, 1}) return mesh;
    // An odd number of negative factors turns triangles inside out.
    const bool mirrors = scale.x * scale.y * scale.z < 0;
    for (Vec3& v : mesh.vertices) v = {v.x * scale.x, v.y * scale.y, v.z * scale.z};
    for (Triangle& t : mesh.triangles)
      if (mirrors) std::swap(t[1], t[2]);
    return build_triangle_mesh(std::move(mesh.vertices), std::move(mesh.triangles));
  } catch (const Error& error) {
    message = error.what();
  }
  fail_at(place, message);
}

} // namespace talus::robot
