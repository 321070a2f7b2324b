#pragma once
// Writing a file so that a reader sees the old one or the new one, never half of either: the
// content goes to a temporary file in the same folder, which takes the target's name at the end.
//
//     AtomicFile target("result.hdf5");
//     ... write everything to target.temporary_path() and close it ...
//     target.commit();

#include <string>
#include <string_view>

namespace talus {

class AtomicFile {
public:
  /// Creates the (empty) temporary file. Throws FileError when the folder does not exist or cannot
  /// be written, or when `path` exists and is not a regular file.
  explicit AtomicFile(const std::string& path);
  /// Removes the temporary file unless it was committed.
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  const std::string& path() const { return path_; }
  const std::string& temporary_path() const { return temporary_; }

  /// Waits until the temporary file is on the disk, gives it the target's name, replacing an
  /// existing file, and waits until the name is on the disk. A target that is a symbolic link stays
  /// one: the file it points to is replaced. Throws FileError; the target is then untouched, unless
  /// the message says otherwise.
  void commit();

private:
  std::string path_;      ///< As the caller named it, for messages.
  std::string target_;    ///< With symbolic links resolved.
  std::string temporary_; ///< Empty once committed.
};

/// Writes a whole file this way. Throws FileError; a file already at `path` is then untouched.
void write_file(const std::string& path, std::string_view content);

/// Removes what processes left that were killed while they wrote `path` in this way. Nobody else
/// may be writing it: hold the lock of its folder (folder_lock.h).
void remove_stale_temporaries(const std::string& path);

} // namespace talus
