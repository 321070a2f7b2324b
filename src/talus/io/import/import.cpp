#include "talus/io/import.h"

#include "talus/core/error.h"
#include "talus/core/files/path.h"
#include "talus/io/import/mjcf_reader.h"
#include "talus/io/import/robot_world.h"
#include "talus/io/import/urdf_reader.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace talus {

namespace {

std::optional<std::string> read_from_disk(const std::string& path) {
  std::error_code trouble;
  // Reading a pipe or a device might never end.
  if (!std::filesystem::is_regular_file(path, trouble)) return std::nullopt;
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

bool ends_like(std::string_view path, std::string_view ending) {
  if (path.size() < ending.size()) return false;
  return std::equal(ending.begin(), ending.end(), path.end() - static_cast<long>(ending.size()),
                    [](char a, char b) { return a == (b >= 'A' && b <= 'Z' ? b - 'A' + 'a' : b); });
}

} // namespace

bool is_model_file(std::string_view path) {
  return ends_like(path, ".urdf") || ends_like(path, ".xml") || ends_like(path, ".mjcf");
}

ImportedModel import_model(const std::string& path, const ImportOptions& options,
                           const ModelFileReader& reader) {
  require_path(path, "the name of a model file");
  const robot::ModelFiles files(path, reader ? reader : read_from_disk);
  robot::Warnings warnings;
  // The first element says what it is, whatever the name ends with.
  const bool is_mjcf = robot::XmlFile(path, files.text()).root_name() == "mujoco";
  if (!is_mjcf && !options.keyframe.empty())
    throw InvalidArgument("keyframe: only MJCF files have keyframes");
  robot::RobotModel model = is_mjcf ? robot::read_mjcf(files, options.keyframe, warnings)
                                    : robot::read_urdf(files, warnings);
  if (model.name.empty()) model.name = std::filesystem::path(path).stem().string();
  return robot::world_of(std::move(model), options, std::move(warnings));
}

} // namespace talus
