// talus run MODEL, talus import, talus export --format urdf and mjcf.

#include "simulated.h"

namespace talus::test {
namespace {

using Import = SimulationTest;

const std::string two_links =
    "<robot name='r'>\n<link name='world'/>\n<link name='a'><inertial><origin xyz='0.3 0 0'/>"
    "<mass value='2'/>\n<inertia ixx='0.1' iyy='0.1' izz='0.1'/></inertial>\n"
    "<visual><geometry><sphere radius='0.1'/></geometry></visual>\n"
    "<collision><geometry><sphere radius='0.1'/></geometry></collision></link>\n"
    "<joint name='j' type='continuous'><parent link='world'/><child link='a'/>\n"
    "<axis xyz='0 1 0'/></joint>\n<transmission/>\n</robot>\n";

TEST_F(Import, RunsModelsAndNamesWhatItIgnores) {
  const std::string model = write_scene("m.urdf", two_links);
  const Answer answer = talus({"run", model, "--steps", "5", "--set", "step=0.01", "--json"});
  EXPECT_EQ(answer.code, 0) << answer.err;
  expect_words(answer.err, {"m.urdf:5: <visual> in <link> is ignored",
                            "m.urdf:9: <transmission> in <robot> is ignored"});
  EXPECT_EQ(Json::parse(answer.out)["time"], 0.05);
}

TEST_F(Import, WritesScenesThatRunAlike) {
  const std::string model = write_scene("m.urdf", two_links);
  const Answer written = talus({"import", model, "--out", "m.yaml"});
  EXPECT_EQ(written.code, 0) << written.err;
  expect_words(written.out, {"m.yaml", "1 bodies, 1 joints, 2 warnings"});
  const Answer a = talus({"run", model, "--steps", "20", "--json"});
  const Answer b = talus({"run", "m.yaml", "--steps", "20", "--json"});
  ASSERT_EQ(b.code, 0) << b.err;
  EXPECT_NEAR(Json::parse(a.out)["kinetic_energy"].get<double>(),
              Json::parse(b.out)["kinetic_energy"].get<double>(), 1e-12);
}

TEST_F(Import, ExportsModels) {
  const std::string model = write_scene("m.urdf", two_links);
  for (const std::string format : {"urdf", "mjcf"}) {
    const std::string out = "out." + std::string(format == "urdf" ? "urdf" : "xml");
    const Answer written = talus({"export", model, "--format", format, "--out", out});
    EXPECT_EQ(written.code, 0) << written.err;
    const Answer again = talus({"run", out, "--steps", "3", "--json"});
    EXPECT_EQ(again.code, 0) << again.err;
    EXPECT_EQ(Json::parse(again.out)["bodies"], 1);
  }
}

TEST_F(Import, WrongUseIsRefusedAndNothingIsWritten) {
  const std::string model = write_scene("m.urdf", two_links);
  write_scene("bad.urdf",
              "<robot>\n<link name='a'><inertial><mass value='x'/></inertial></link></robot>");
  struct Case {
    std::vector<std::string> arguments;
    int code;
    std::string message;
  };
  const std::vector<Case> cases = {
      {{"import", "bad.urdf", "--out", "o.yaml"}, 1, "bad.urdf:2: mass: value: 'x'"},
      {{"import", "none.urdf", "--out", "o.yaml"}, 1, "none.urdf"},
      {{"import", "m.obj", "--out", "o.yaml"}, 2, "is no model"},
      {{"import", model}, 2, "--out"},
      {{"import", model, "--out", "o.yaml", "--base", "loose"}, 2, "--base"},
      {{"import", model, "--out", "o.yaml", "--keyframe", "home"}, 2, "only MJCF"},
      {{"run", "bad.urdf"}, 1, "bad.urdf:2"},
      {{"export", model, "--format", "sdf", "--out", "o.yaml"}, 2, "--format"},
      {{"export", model, "--format", "urdf", "--step", "3", "--out", "o.yaml"}, 2, "--step"},
  };
  for (const auto& [arguments, code, message] : cases) {
    const Answer answer = talus(arguments);
    EXPECT_EQ(answer.code, code) << answer.err;
    EXPECT_NE(answer.err.find(message), std::string::npos) << answer.err;
    EXPECT_FALSE(std::filesystem::exists(path("o.yaml")));
  }
}

} // namespace
} // namespace talus::test
