// talus sweep: which runs it makes, what it says of them, and that the number of jobs changes
// nothing.

#include "simulated.h"
#include "support/variations.h"
#include "talus/core/error.h"

namespace talus::test {
namespace {

using cli::combinations;
using cli::parse_variation;
using Texts = std::vector<std::string>;

TEST(Variations, RangesAndLists) {
  EXPECT_EQ(parse_variation("a.b=0:1:5").values, (Texts{"0", "0.25", "0.5", "0.75", "1"}));
  EXPECT_EQ(parse_variation("a.b=0.1:0.8:8").values[2], "0.3");
  EXPECT_EQ(parse_variation("k=1:1000:4:log").values, (Texts{"1", "10", "100", "1000"}));
  EXPECT_EQ(parse_variation("k=3:-1:2").values, (Texts{"3", "-1"}));
  EXPECT_EQ(parse_variation("solver.name=nsgs,auto").values, (Texts{"nsgs", "auto"}));
  EXPECT_EQ(parse_variation("solver.name=auto").key, "solver.name");
  for (const char* wrong : {"a", "=1:2:3", "a=", "a=1:2", "a=1:2:3:4", "a=1:2:1", "a=1:2:2.5",
                            "a=x:2:3", "a=0:2:3:log", "a=1,,2", "a=1:inf:3", "a=1:2:9999999"})
    EXPECT_THROW(parse_variation(wrong), InvalidArgument) << wrong;
}

TEST(Variations, Combinations) {
  EXPECT_EQ(
      combinations({{"a", {"1", "2"}}, {"b", {"x", "y", "z"}}}),
      (std::vector<Texts>{{"1", "x"}, {"1", "y"}, {"1", "z"}, {"2", "x"}, {"2", "y"}, {"2", "z"}}));
  EXPECT_THROW(combinations({{"a", {"1"}}, {"a", {"2"}}}), InvalidArgument);
  EXPECT_THROW(combinations({{"a", Texts(2000, "1")}, {"b", Texts(2000, "1")}}), InvalidArgument);
}

class SweepCommand : public SimulationTest {
protected:
  /// A box thrown along the floor at 1 m/s: it stops after v² / (2 mu g).
  std::string sliding() {
    return write_scene("sliding.yaml",
                       "step: 1/480\nduration: 0.6\nmaterials: {ice: {friction: 0.5}}\nbodies:\n"
                       "- {name: floor, motion: fixed, material: ice, shape: {type: half_space}}\n"
                       "- {name: box, material: ice, shape: {type: box, size: [0.2, 0.2, 0.2]}, "
                       "position: [0, 0, 0.1], velocity: [1, 0, 0]}\n"
                       "sensors:\n- {name: box, type: position, body: box}\n"
                       "finding: {says: way of the box, sensor: box.x, expect: [0, 10]}\n");
  }
};

TEST_F(SweepCommand, RunsEveryValue) {
  const Answer answer =
      talus({"sweep", sliding(), "--vary", "materials.ice.friction=0.2:0.8:4", "--json"});
  ASSERT_EQ(answer.code, 0) << answer.err;
  const auto lines = lines_of(answer.out);
  ASSERT_EQ(lines.size(), 4u);
  const double friction[] = {0.2, 0.4, 0.6, 0.8};
  for (std::size_t i = 0; i < 4; ++i) {
    const Json json = Json::parse(lines[i]);
    EXPECT_EQ(json["materials.ice.friction"], Json(fmt::format("{}", friction[i])));
    EXPECT_EQ(json["unconverged_steps"], 0);
    EXPECT_NEAR(json["finding"].get<double>(), 1 / (2 * friction[i] * 9.81), 2e-3);
    EXPECT_EQ(json["sensor:box.x"], json["finding"]);
  }
}

TEST_F(SweepCommand, WritesTheSameForEveryNumberOfJobs) {
  const std::string scene = sliding();
  std::string tables[2];
  for (const int jobs : {1, 2}) {
    const std::string folder = path(fmt::format("out{}", jobs));
    const Answer answer =
        talus({"sweep", scene, "--vary", "materials.ice.friction=0.3,0.6", "--vary",
               "step=1/240,1/480", "--jobs", fmt::format("{}", jobs), "--out", folder});
    ASSERT_EQ(answer.code, 0) << answer.err;
    EXPECT_NE(answer.out.find("friction"), std::string::npos);
    EXPECT_NE(answer.out.find("1/480"), std::string::npos);
    for (const std::string& line : lines_of(read_text(folder + "/sweep.csv")))
      tables[jobs - 1] += line.substr(0, line.rfind(',')) + "\n"; // without the seconds
  }
  EXPECT_EQ(tables[0], tables[1]);
  const auto lines = lines_of(tables[0]);
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_EQ(lines[0].substr(0, 40), "materials.ice.friction,step,finding,sens");
  EXPECT_EQ(lines[1].substr(0, 10), "0.3,1/240,");
}

TEST_F(SweepCommand, RefusesWhatCannotBeRun) {
  const std::string scene = sliding();
  const auto code = [&](const Texts& more) {
    Texts all = {"sweep", scene};
    all.insert(all.end(), more.begin(), more.end());
    return talus(all);
  };
  EXPECT_EQ(code({}).code, 2);
  EXPECT_NE(code({}).err.find("--vary materials.sand.friction=0.1:0.8:8"), std::string::npos);
  EXPECT_EQ(code({"--vary", "materials.ice.friction=1:2"}).code, 2);
  EXPECT_EQ(code({"--vary", "materials.ice.frictoin=0.1,0.2"}).code, 2);
  const std::string folder = path("nothing");
  EXPECT_EQ(code({"--vary", "materials.ice.friction=-1,0.3", "--out", folder}).code, 2);
  EXPECT_FALSE(std::filesystem::exists(folder + "/sweep.csv"));
}

TEST_F(SweepCommand, ARunThatFailsLeavesTheOthersAlone) {
  const std::string folder = path("out");
  const Texts call = {"sweep",  sliding(), "--vary", "materials.ice.friction=0.3,-1,0.6",
                      "--jobs", "2",       "--time", "0.1"};
  Texts to_folder = call, as_json = call;
  to_folder.insert(to_folder.end(), {"--out", folder});
  as_json.push_back("--json");
  const Answer answer = talus(to_folder);
  EXPECT_EQ(answer.code, 1);
  expect_words(answer.err, {"materials.ice.friction=-1 failed: ", "1 of 3 runs failed"});
  expect_words(answer.out, {"0.3", "0.6", folder});
  const auto lines = lines_of(read_text(folder + "/sweep.csv"));
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[1].substr(0, 4), "0.3,");
  EXPECT_EQ(lines[2].substr(0, 4), "0.6,");
  const auto objects = lines_of(talus(as_json).out);
  ASSERT_EQ(objects.size(), 3u);
  EXPECT_TRUE(Json::parse(objects[0]).contains("finding"));
  EXPECT_FALSE(Json::parse(objects[1]).contains("finding"));
  EXPECT_NE(Json::parse(objects[1])["failure"].get<std::string>().find("friction"),
            std::string::npos);
}

TEST_F(SweepCommand, ASignalLeavesTheRunsThatWereFinished) {
  const std::string folder = path("out");
  // The second run would take days.
  RunningProgram program(
      {"sweep", sliding(), "--vary", "step=1/240,1e-9", "--jobs", "1", "--out", folder});
  ASSERT_TRUE(appears(folder + "/sweep.csv"));
  EXPECT_EQ(program.end(SIGINT), 130);
  const auto lines = lines_of(read_text(folder + "/sweep.csv"));
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[1].substr(0, 6), "1/240,");
}

TEST_F(SweepCommand, DrawsThePlotOfAllRuns) {
  const std::string folder = path("out");
  const Texts call = {"sweep",  sliding(),
                      "--vary", "materials.ice.friction=0.3,0.6",
                      "--vary", "step=1/240,1/480",
                      "--time", "0.1",
                      "--out",  folder};
  const Answer answer = talus(call);
  ASSERT_EQ(answer.code, 0) << answer.err;
  if (answer.err.find("no plot") != std::string::npos) GTEST_SKIP() << answer.err;
  const std::string svg = read_text(folder + "/plot.svg");
  EXPECT_TRUE(svg.starts_with("<svg") || svg.starts_with("<?xml"));
  // Texts are outlines, with what they say in a comment.
  expect_words(svg, {"<!-- materials.ice.friction -->", "<!-- finding -->", "<!-- box.x -->",
                     "<!-- step 1/240 -->", "<!-- step 1/480 -->", "<!-- penetration max -->",
                     "</svg>"});
  // A sweep in the same folder that finishes nothing must not leave these.
  const Answer nothing = talus({"sweep", sliding(), "--vary", "materials.ice.friction=0.3,0.6",
                                "--out", folder, "--solver", "coulomb-ip", "--law", "associated"});
  EXPECT_EQ(nothing.code, 1);
  expect_words(nothing.err, {"2 of 2 runs failed"});
  EXPECT_FALSE(std::filesystem::exists(folder + "/plot.svg"));
  EXPECT_FALSE(std::filesystem::exists(folder + "/sweep.csv"));
}

} // namespace
} // namespace talus::test
