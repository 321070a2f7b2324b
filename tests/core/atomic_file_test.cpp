#include "scratch_folder.h"
#include "talus/core/atomic_file.h"
#include "talus/core/error.h"

#include <gtest/gtest.h>

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
