#include "scratch_folder.h"
#include "talus/core/error.h"
#include "talus/core/files/folder_lock.h"

#include <gtest/gtest.h>

#include <optional>
#include <sys/wait.h>
#include <unistd.h>

namespace talus {
namespace {

using test::ScratchFolder;

std::string message_of_second_lock(const std::string& folder) {
  try {
    const FolderLock lock(folder);
  } catch (const FileError& error) {
    return error.what();
  }
  return "";
}

TEST(FolderLock, IsHeldByOneAndLeavesNothing) {
  const ScratchFolder folder;
  std::optional<FolderLock> lock(folder.path(""));
  const std::string message = message_of_second_lock(folder.path(""));
  EXPECT_NE(message.find("another run"), std::string::npos) << message;
  lock.reset();
  EXPECT_EQ(folder.count(), 0);
  EXPECT_EQ(message_of_second_lock(folder.path("")), "");
}

TEST(FolderLock, OfAnotherProcessIsRefusedAndItsDeathFreesTheFolder) {
  const ScratchFolder folder;
  int ready[2], end[2];
  ASSERT_EQ(pipe(ready), 0);
  ASSERT_EQ(pipe(end), 0);
  const pid_t child = fork();
  if (child == 0) {
    const FolderLock lock(folder.path(""));
    char byte = 0;
    close(end[1]);
    (void)!write(ready[1], &byte, 1);
    (void)!read(end[0], &byte, 1); // until the parent has looked, or is gone
    _exit(0);                      // without giving the lock back
  }
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  const std::string message = message_of_second_lock(folder.path(""));
  EXPECT_NE(message.find("process " + std::to_string(child)), std::string::npos) << message;
  close(end[1]);
  waitpid(child, nullptr, 0);
  EXPECT_EQ(folder.count(), 1) << "what the dead process left";
  EXPECT_EQ(message_of_second_lock(folder.path("")), "");
  EXPECT_EQ(folder.count(), 0);
  for (const int file : {ready[0], ready[1], end[0]}) close(file);
}

TEST(FolderLock, NeedsAFolder) {
  const ScratchFolder folder;
  EXPECT_THROW(FolderLock(folder.path("none")), FileError);
}

} // namespace
} // namespace talus
