#include "talus/core/files/path.h"

#include "talus/core/error.h"

#include <filesystem>

namespace talus {

void require_path(const std::string& path, const std::string& needed) {
  if (path.empty()) throw FileError("(no name)", needed + " is needed");
}

bool make_folder(const std::string& folder) {
  require_path(folder, "the name of a folder");
  std::error_code trouble;
  const bool is_new = std::filesystem::create_directories(folder, trouble);
  if (trouble) throw FileError(folder, "cannot be made: " + trouble.message());
  return is_new;
}

} // namespace talus
