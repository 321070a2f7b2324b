// Standard output that takes nothing: the work is done, its report is lost, and the exit code says
// so.

#include "program.h"

namespace talus::test {
namespace {

class StandardFiles : public ProgramTest {
protected:
  /// `talus ARGUMENTS` by the shell, which redirects as told.
  Answer redirected(const std::string& arguments) const {
    return run("sh", {"-c", "'" TALUS_PROGRAM "' " + arguments});
  }
};

TEST_F(StandardFiles, AFullDiskBehindTheOutputIsAFailure) {
  write_problem("box.hdf5", sliding_box());
  for (const char* arguments :
       {"solve box.hdf5", "solve box.hdf5 --json", "info box.hdf5", "solvers --json", "--help",
        "compare box.hdf5 --solvers nsgs --time-limit 0.1"}) {
    const Answer answer = redirected(std::string(arguments) + " >/dev/full");
    EXPECT_EQ(answer.code, 1) << arguments;
    expect_words(answer.err, {"cannot write", "No space left on device"});
  }
}

// A closed one would lend its number to the file of the solution, and the report end up in there.
TEST_F(StandardFiles, ClosedOnesAreNotTakenByOtherFiles) {
  write_problem("box.hdf5", sliding_box());
  const Answer answer = redirected("solve box.hdf5 --out solution.hdf5 >&- <&-");
  EXPECT_EQ(answer.code, 1);
  expect_words(answer.err, {"cannot write to standard output"});
  const Answer history =
      talus({"solve", "box.hdf5", "--reference", "solution.hdf5", "--history", "history.csv"});
  EXPECT_EQ(history.code, 0) << history.err;
  EXPECT_EQ(redirected("solve box.hdf5 --out second.hdf5 2>&-").code, 0);
}

} // namespace
} // namespace talus::test
