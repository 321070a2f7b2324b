// talus hash: the same lines for every number of threads.

#include "simulated.h"

#include <sstream>

namespace talus::test {
namespace {

using HashCommand = SimulationTest;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST_F(HashCommand, IsTheSameForEveryNumberOfThreads) {
  const Answer one = talus({"hash", "--steps", "30", "--threads", "1"});
  const Answer two = talus({"hash", "--steps", "30", "--threads", "2"});
  ASSERT_EQ(one.code, 0) << one.err;
  EXPECT_EQ(lines_of(one.out), lines_of(two.out));
  EXPECT_GE(lines_of(one.out).size(), 6u + 20u + 1u) << "six scenes, twenty problems, the total";
}

TEST_F(HashCommand, TellsResultsApart) {
  const std::string scene = write_scene("s.yaml", falling_balls);
  const auto hash = [&](const std::string& steps) {
    const Answer answer = talus({"hash", scene, "--steps", steps});
    EXPECT_EQ(answer.code, 0) << answer.err;
    return lines_of(answer.out).at(0).substr(0, 16);
  };
  EXPECT_EQ(hash("3"), hash("3"));
  EXPECT_NE(hash("3"), hash("4"));
}

TEST_F(HashCommand, RefusesWhatItCannotRead) {
  const Answer missing = talus({"hash", "missing.hdf5"});
  EXPECT_EQ(missing.code, 1);
  expect_words(missing.err, {"missing.hdf5"});
  EXPECT_EQ(talus({"hash", "--steps", "some"}).code, 2);
  EXPECT_EQ(talus({"hash", "--solver", "magic"}).code, 2);
}

} // namespace
} // namespace talus::test
