#pragma once
// One writer per folder: a command that writes many files into a folder holds its lock, and a
// second one is refused before it touches them.
//
// The operating system gives the lock back when its process ends, however it ends. On file systems
// without locks there is no protection.

#include <string>

namespace talus {

class FolderLock {
public:
  /// The folder must exist. Throws FileError if it is locked, by this process or another, or cannot
  /// be written.
  explicit FolderLock(const std::string& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

private:
  std::string path_; ///< Of the locked file, which is there while the lock is held.
  int file_ = -1;
};

} // namespace talus
