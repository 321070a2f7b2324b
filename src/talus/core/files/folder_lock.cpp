#include "talus/core/files/folder_lock.h"

#include "talus/core/error.h"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace talus {

namespace {

constexpr const char* lock_name = ".talus-lock";

/// Whether the open file is the one of that name, and not one that was removed meanwhile.
bool is_named(int file, const std::string& path) {
  struct stat opened {
  }, named{};
  return fstat(file, &opened) == 0 && stat(path.c_str(), &named) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

void write_holder(int file) {
  const std::string text = std::to_string(getpid());
  // Only the message below reads it; without it that says less.
  if (ftruncate(file, 0) == 0) (void)!pwrite(file, text.data(), text.size(), 0);
}

/// " (process 4711)", or nothing where the holder did not say.
std::string holder_of(int file) {
  char text[32];
  const ssize_t size = pread(file, text, sizeof text, 0);
  int process = 0;
  if (size <= 0 || std::from_chars(text, text + size, process).ec != std::errc()) return "";
  if (process == getpid()) return " (this very process)";
  return " (process " + std::to_string(process) + ")";
}

} // namespace

FolderLock::FolderLock(const std::string& folder)
    : path_((std::filesystem::path(folder) / lock_name).string()) {
  // A holder removes the file before it lets go; whoever opened that file in between tries again.
  constexpr int attempts = 100;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    const int file = open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0)
      throw FileError(folder, std::string("cannot be written: ") + std::strerror(errno));
    if (flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
      const std::string holder = holder_of(file);
      close(file);
      throw FileError(folder, "is being written by another run" + holder +
                                  "; wait for its end, or choose another folder");
    }
    if (is_named(file, path_)) {
      file_ = file;
      write_holder(file);
      return;
    }
    close(file);
  }
  throw FileError(folder, "is being written by other runs; choose another folder");
}

FolderLock::~FolderLock() {
  unlink(path_.c_str());
  close(file_);
}

} // namespace talus
