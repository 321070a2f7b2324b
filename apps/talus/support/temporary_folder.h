#pragma once
// A folder in the system's temporary one that is gone with its owner.

#include "talus/core/error.h"

#include <cstdlib>
#include <filesystem>
#include <string>

namespace talus::cli {

class TemporaryFolder {
public:
  TemporaryFolder() : path_((std::filesystem::temp_directory_path() / "talus-XXXXXX").string()) {
    if (!mkdtemp(path_.data())) throw FileError(path_, "cannot be made");
  }
  ~TemporaryFolder() {
    std::error_code trouble;
    std::filesystem::remove_all(path_, trouble);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::string& path() const { return path_; }

private:
  std::string path_;
};

} // namespace talus::cli
