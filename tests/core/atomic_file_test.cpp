#include "scratch_folder.h"
#include "talus/core/error.h"
#include "talus/core/files/atomic_file.h"

#include <gtest/gtest.h>

#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

/// What was waited for, in order: 'f' for a file, 'n' for a folder that holds a file "new".
std::string waited_for;

} // namespace

/// Takes the place of the C library's, which it calls.
extern "C" int fsync(int file) {
  struct stat status {};
  fstat(file, &status);
  const bool is_folder = S_ISDIR(status.st_mode);
  if (!is_folder) waited_for += 'f';
  if (is_folder && faccessat(file, "new", F_OK, 0) == 0) waited_for += 'n';
  return static_cast<int>(syscall(SYS_fsync, file));
}

namespace talus {
namespace {

namespace fs = std::filesystem;
using test::ScratchFolder;

std::string content(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(AtomicFile, AppearsAtCommit) {
  const ScratchFolder folder;
  const std::string path = folder.write("a", "old");
  AtomicFile file(path);
  std::ofstream(file.temporary_path()) << "new";
  EXPECT_EQ(content(path), "old");
  file.commit();
  EXPECT_EQ(content(path), "new");
  EXPECT_EQ(folder.count(), 1);
}

TEST(AtomicFile, WaitsForTheContentAndThenForTheName) {
  const ScratchFolder folder;
  waited_for.clear();
  write_file(folder.path("new"), "content");
  EXPECT_EQ(waited_for, "fn");
}

TEST(AtomicFile, WhatKilledWritersLeftIsRemovedAndNothingElse) {
  const ScratchFolder folder;
  for (const char* name : {"a.h5", "a.h5.12.tmp", "a.h5.4294967295.tmp", "a.h5.tmp", "a.h5..tmp",
                           "a.h5.x1.tmp", "b.h5.12.tmp", "a.h5.12.tmp.old"})
    folder.write(name, "x");
  remove_stale_temporaries(folder.path("a.h5"));
  EXPECT_EQ(folder.count(), 6);
  EXPECT_FALSE(fs::exists(folder.path("a.h5.12.tmp")));
  EXPECT_FALSE(fs::exists(folder.path("a.h5.4294967295.tmp")));
  remove_stale_temporaries(folder.path("none/a.h5"));
}

TEST(AtomicFile, LeavesNothingWithoutCommit) {
  const ScratchFolder folder;
  const std::string path = folder.write("a", "old");
  {
    AtomicFile file(path);
    std::ofstream(file.temporary_path()) << "new";
    EXPECT_EQ(folder.count(), 2);
  }
  EXPECT_EQ(content(path), "old");
  EXPECT_EQ(folder.count(), 1);
}

TEST(AtomicFile, TwoWritersDoNotMeet) {
  const ScratchFolder folder;
  AtomicFile first(folder.path("a")), second(folder.path("a"));
  EXPECT_NE(first.temporary_path(), second.temporary_path());
  std::ofstream(first.temporary_path()) << "first";
  std::ofstream(second.temporary_path()) << "second";
  second.commit();
  first.commit();
  EXPECT_EQ(content(folder.path("a")), "first");
}

TEST(AtomicFile, KeepsSymbolicLinks) {
  const ScratchFolder folder;
  folder.write("a", "old");
  fs::create_symlink("a", folder.path("link"));
  AtomicFile file(folder.path("link"));
  std::ofstream(file.temporary_path()) << "new";
  file.commit();
  EXPECT_TRUE(fs::is_symlink(folder.path("link")));
  EXPECT_EQ(content(folder.path("a")), "new");
}

TEST(AtomicFile, RefusesWhatItCannotWrite) {
  const ScratchFolder folder;
  folder.write("file", "x");
  EXPECT_THROW(AtomicFile(folder.path("none/a")), FileError);
  EXPECT_THROW(AtomicFile(folder.path("file/a")), FileError);
  EXPECT_THROW(AtomicFile(folder.path("")), FileError);
  EXPECT_THROW(AtomicFile(""), FileError);
  EXPECT_THROW(AtomicFile("/dev/null"), FileError);
  EXPECT_EQ(folder.count(), 1);
}

} // namespace
} // namespace talus
