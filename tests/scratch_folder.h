#pragma once
// A folder of its own for one test, removed at the end.

#include <filesystem>
#include <fstream>
#include <random>
#include <string>

namespace talus::test {

class ScratchFolder {
public:
  ScratchFolder() {
    std::random_device random;
    do folder_ = std::filesystem::temp_directory_path() / ("talus-" + std::to_string(random()));
    while (!std::filesystem::create_directory(folder_));
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  /// Writes a file and returns its path.
  std::string write(const std::string& name, const std::string& content) const {
    std::ofstream(path(name), std::ios::binary) << content;
    return path(name);
  }

  /// Files and folders in it.
  int count() const {
    const std::filesystem::directory_iterator files(folder_);
    return static_cast<int>(std::distance(begin(files), end(files)));
  }

private:
  std::filesystem::path folder_;
};

} // namespace talus::test
