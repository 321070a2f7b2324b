#include "talus/core/files/atomic_file.h"

#include "talus/core/error.h"
#include "talus/core/files/path.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <random>
#include <unistd.h>
#include <vector>

namespace talus {

namespace fs = std::filesystem;

namespace {

std::string resolve_links(const std::string& path) {
  std::error_code ignored;
  if (!fs::is_symlink(path, ignored)) return path;
  const fs::path resolved = fs::weakly_canonical(path, ignored);
  return ignored ? path : resolved.string();
}

/// Reserves a new file; returns 0 or errno.
int create_exclusively(const std::string& path) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0) return errno;
  ::close(file);
  return 0;
}

/// Returns 0 or errno.
int synchronize(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return errno;
  const int failure = ::fsync(file) == 0 ? 0 : errno;
  ::close(file);
  return failure;
}

/// A new name is on the disk once its folder is. Returns 0 or errno; 0 also where folders cannot be
/// waited for.
int synchronize_folder_of(const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  const int failure = synchronize(folder.empty() ? "." : folder.string());
  const bool unsupported = failure == EINVAL || failure == ENOTSUP || failure == EACCES;
  return unsupported ? 0 : failure;
}

/// Whether `name` is one that temporary files of `target` have: target.4711.tmp.
bool is_temporary_of(std::string_view target, std::string_view name) {
  constexpr std::string_view ending = ".tmp";
  if (!name.starts_with(target) || !name.ends_with(ending)) return false;
  name.remove_prefix(target.size());
  if (name.size() < ending.size() + 2 || name.front() != '.') return false;
  const std::string_view number = name.substr(1, name.size() - 1 - ending.size());
  return number.find_first_not_of("0123456789") == std::string_view::npos;
}

} // namespace

AtomicFile::AtomicFile(const std::string& path) : path_(path), target_(resolve_links(path)) {
  std::error_code ignored;
  require_path(path, "a file name");
  if (fs::is_directory(target_, ignored))
    throw FileError(path, "is a directory; a file name is needed");
  if (fs::exists(target_, ignored) && !fs::is_regular_file(target_, ignored))
    throw FileError(path, "exists and is not a regular file; it will not be replaced");

  std::random_device random;
  for (int attempt = 0; attempt < 100; ++attempt) {
    const std::string candidate = target_ + "." + std::to_string(random()) + ".tmp";
    const int failure = create_exclusively(candidate);
    if (failure == EEXIST) continue;
    if (failure != 0)
      throw FileError(path, std::string("cannot be written: ") + std::strerror(failure));
    temporary_ = candidate;
    return;
  }
  throw FileError(path, "cannot be written: no free name for a temporary file");
}

AtomicFile::~AtomicFile() {
  std::error_code ignored;
  if (!temporary_.empty()) fs::remove(temporary_, ignored);
}

void AtomicFile::commit() {
  if (const int failure = synchronize(temporary_); failure != 0)
    throw FileError(path_, std::string("cannot be written: ") + std::strerror(failure));
  std::error_code failure;
  fs::rename(temporary_, target_, failure);
  if (failure) throw FileError(path_, "cannot be written: " + failure.message());
  temporary_.clear();
  if (const int trouble = synchronize_folder_of(target_); trouble != 0)
    throw FileError(path_, std::string("is written, but may not survive a power failure: ") +
                               std::strerror(trouble));
}

void write_file(const std::string& path, std::string_view content) {
  AtomicFile target(path);
  std::ofstream file(target.temporary_path(), std::ios::binary);
  file.write(content.data(), static_cast<std::streamsize>(content.size()));
  file.close();
  if (!file) throw FileError(path, "cannot be written (is the disk full?)");
  target.commit();
}

void remove_stale_temporaries(const std::string& path) {
  const fs::path target = resolve_links(path);
  const std::string name = target.filename().string();
  const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
  std::error_code ignored;
  std::vector<fs::path> stale;
  for (const auto& entry : fs::directory_iterator(folder, ignored))
    if (is_temporary_of(name, entry.path().filename().string())) stale.push_back(entry.path());
  for (const fs::path& file : stale) fs::remove(file, ignored);
}

} // namespace talus
