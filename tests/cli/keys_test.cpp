// talus keys: every key that it lists is one that --set takes.

#include "simulated.h"

namespace talus::test {
namespace {

using KeysCommand = SimulationTest;

TEST_F(KeysCommand, ListsWhatSetTakes) {
  const std::string scene = write_scene(
      "s.yaml",
      "step: 1/240\nmaterials: {ice: {friction: 0.1}}\nbodies:\n"
      "- {name: ball, material: ice, shape: {type: sphere, radius: 0.1}, position: [0, 0, 1]}\n"
      "- {motion: fixed, shape: {type: half_space}}\n");
  const Answer answer = talus({"keys", scene, "--json"});
  ASSERT_EQ(answer.code, 0) << answer.err;
  const Json keys = Json::parse(answer.out);
  EXPECT_EQ(keys["step"], "1/240");
  EXPECT_EQ(keys["materials.ice.friction"], "0.1");
  EXPECT_EQ(keys["bodies.ball.shape.radius"], "0.1");
  EXPECT_EQ(keys["bodies.ball.position"], "[0, 0, 1]");
  EXPECT_EQ(keys["bodies.1.motion"], "fixed");
  std::string names;
  for (const auto& [key, value] : keys.items()) {
    names += key + "\n";
    const Answer run =
        talus({"run", scene, "--steps", "1", "--set", key + "=" + value.get<std::string>()});
    EXPECT_EQ(run.code, 0) << key << ": " << run.err;
  }
  EXPECT_EQ(talus({"keys", scene, "--names"}).out, names);
  EXPECT_NE(talus({"keys", scene}).out.find("bodies.1.motion           fixed"), std::string::npos);
  EXPECT_EQ(talus({"keys", "no/such.yaml"}).code, 1);
}

} // namespace
} // namespace talus::test
