// talus scenes: what it lists, its exit codes, and that findings are checked.

#include "simulated.h"

namespace talus::test {
namespace {

using ScenesCommand = SimulationTest;

/// A ball that falls freely for 0.1 s: it gets to g · 0.1 s = 0.981 m/s.
std::string falling(const std::string& expect) {
  return "gravity: [0, 0, -9.81]\nstep: 1/100\nduration: 0.1\n"
         "bodies:\n- {name: ball, shape: {type: sphere, radius: 0.1}}\n"
         "sensors:\n- {name: ball, type: velocity, body: ball}\n"
         "finding: {says: speed of the fall, sensor: ball.z, expect: " +
         expect + "}\n";
}

TEST_F(ScenesCommand, ListsAndChecksFindings) {
  const std::string good = write_scene("good.yaml", falling("[-0.982, -0.98]"));
  const Answer answer = talus({"scenes", good, "--json"});
  EXPECT_EQ(answer.code, 0) << answer.err;
  const Json json = Json::parse(answer.out);
  EXPECT_EQ(json["scene"], "good");
  EXPECT_EQ(json["steps"], 10);
  EXPECT_EQ(json["unconverged_steps"], 0);
  EXPECT_NEAR(json["finding"].get<double>(), -0.981, 1e-9);
  EXPECT_EQ(json["says"], "speed of the fall");
  EXPECT_EQ(json["slowest_step"], 0) << "nothing touched";

  const std::string bad = write_scene("bad.yaml", falling("[0, 1]"));
  const Answer two = talus({"scenes", good, bad});
  EXPECT_EQ(two.code, 3);
  EXPECT_NE(two.out.find("good"), std::string::npos);
  EXPECT_NE(two.out.find("NOT AS EXPECTED"), std::string::npos);
}

TEST_F(ScenesCommand, ListsTheSlowestStepAndTheMedian) {
  const std::string scene = write_scene(
      "rest.yaml", "step: 1/100\nduration: 0.1\nbodies:\n"
                   "- {name: floor, motion: fixed, shape: {type: half_space}}\n"
                   "- {name: ball, shape: {type: sphere, radius: 0.1}, position: [0, 0, 0.1]}\n");
  const Answer answer = talus({"scenes", scene, "--json"});
  EXPECT_EQ(answer.code, 0) << answer.err;
  const Json json = Json::parse(answer.out);
  EXPECT_GE(json["slowest_step"].get<int>(), 1);
  EXPECT_GT(json["seconds_step_median"].get<double>(), 0);
  EXPECT_GE(json["seconds_step_max"].get<double>(), json["seconds_step_median"].get<double>());
  const Answer table = talus({"scenes", scene});
  EXPECT_NE(table.out.find("slowest"), std::string::npos) << table.out;
}

TEST_F(ScenesCommand, LeavesFindingsOutOfShortenedRuns) {
  const std::string bad = write_scene("bad.yaml", falling("[0, 1]"));
  const Answer answer = talus({"scenes", bad, "--steps", "3", "--json"});
  EXPECT_EQ(answer.code, 0) << answer.err;
  const Json json = Json::parse(answer.out);
  EXPECT_EQ(json["steps"], 3);
  EXPECT_FALSE(json.contains("finding"));
}

TEST_F(ScenesCommand, RefusesWhatIsNoScene) {
  EXPECT_EQ(talus({"scenes", "no/such.yaml"}).code, 1);
  EXPECT_EQ(talus({"scenes", "--steps", "-1"}).code, 2);
}

} // namespace
} // namespace talus::test
