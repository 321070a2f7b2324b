// talus run: what it says at its end: where the time went, fast bodies, and what to do next.

#include "report/table.h"
#include "simulated.h"
#include "talus/io/checkpoint.h"

namespace talus::test {
namespace {

class RunWords : public SimulationTest {
protected:
  /// The rest of the line after the first of the words; empty where there is none.
  static std::string after(const std::string& text, const std::string& words) {
    const std::size_t at = text.find(words);
    if (at == std::string::npos) return "";
    const std::size_t begin = at + words.size();
    return text.substr(begin, text.find('\n', begin) - begin);
  }
};

TEST_F(RunWords, SayHowToLookAtTheRun) {
  write_scene("s.yaml", falling_balls);
  const auto look = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "run");
    const Answer answer = talus(arguments, "TALUS_COMMAND=./talus");
    EXPECT_EQ(answer.code, 0) << answer.err;
    return after(answer.out, "\n  look           ");
  };
  EXPECT_EQ(look({"s.yaml", "--steps", "2"}),
            "./talus run s.yaml --live, or --out DIR to record it");
  EXPECT_EQ(look({"s.yaml", "--steps", "2", "--out", "my run"}), "./talus view 'my run'");
  EXPECT_EQ(look({"--restart", "my run/checkpoint.h5", "--steps", "2"}),
            "--out DIR records a run, --live shows it while it computes");
  // Without a trajectory there is nothing to look at.
  EXPECT_EQ(look({"s.yaml", "--steps", "2", "--out", "o", "--set", "output.formats=[csv]"}), "");
}

TEST_F(RunWords, AfterASignalSayHowToGoOn) {
  const std::string scene = write_scene("s.yaml", falling_balls), out = path("my run"),
                    said = path("said");
  setenv("TALUS_COMMAND", TALUS_PROGRAM, 1);
  RunningProgram program(
      {"run", scene, "--steps", "1000000", "--out", out, "--checkpoint-every", "5"}, said);
  unsetenv("TALUS_COMMAND");
  ASSERT_TRUE(appears(out + "/checkpoint.h5"));
  ASSERT_EQ(program.end(SIGINT), 130);
  const std::string words = read_text(said);
  const std::int64_t steps = read_checkpoint(out + "/checkpoint.h5").state.steps;
  EXPECT_EQ(after(words, "talus: stopped by signal 2 after step "), std::to_string(steps));
  EXPECT_EQ(words.find("  look "), std::string::npos) << "the next step is another one";
  // The line can be pasted into a shell.
  const std::string line = after(words, "talus: go on with: ");
  ASSERT_NE(line, "") << words;
  EXPECT_EQ(std::system((line + " --steps 3 >/dev/null 2>&1").c_str()), 0) << line;
  EXPECT_EQ(read_checkpoint(out + "/checkpoint.h5").state.steps, steps + 3);
}

TEST_F(RunWords, SayHowOftenBodiesWereTooFast) {
  const std::string scene = write_scene("s.yaml", R"(
step: 0.01
envelope: 0.001
bodies:
  - {name: slow, shape: {type: sphere, radius: 0.1}, velocity: [0.001, 0, 0]}
  - {name: fast, shape: {type: sphere, radius: 0.1}, position: [0, 1, 0], velocity: [1, 0, 0]}
gravity: [0, 0, 0]
)");
  const std::vector<std::string> call = {"run", scene, "--steps", "4"};
  const Answer fast = talus(call);
  EXPECT_EQ(after(fast.out, "  fast bodies    "),
            "4 times in reach of missing a collision; raise `envelope` or lower `step`");
  std::vector<std::string> as_json = call, careful = call;
  as_json.push_back("--json");
  careful.insert(careful.end(), {"--set", "envelope=0.02"});
  EXPECT_EQ(Json::parse(talus(as_json).out)["fast_bodies"], 4);
  EXPECT_EQ(after(talus(careful).out, "  fast bodies"), "");
}

TEST_F(RunWords, TimeOfFilesIsThatOfRunsWithFiles) {
  const std::string scene = write_scene("s.yaml", falling_balls);
  const auto seconds = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"run", scene, "--steps", "4", "--json"});
    const Json json = Json::parse(talus(arguments).out);
    EXPECT_LE(json["seconds_files"].get<double>(), json["seconds"].get<double>());
    return json["seconds_files"].get<double>();
  };
  EXPECT_EQ(seconds({}), 0);
  EXPECT_GT(seconds({"--out", "o"}), 0);
}

TEST(SharesOfTime, LargestFirstAndTheRestAsOther) {
  EXPECT_EQ(cli::shares_of_time(2, {{0.3, "files"}, {1.5, "solve"}, {0.001, "plot"}}),
            "2 s (solve 1.5 s, files 300 ms, other 200 ms)");
  EXPECT_EQ(cli::shares_of_time(1, {{0, "files"}, {0.25, "collide"}, {0.25, "build"}}),
            "1 s (collide 250 ms, build 250 ms, other 500 ms)");
  // Clocks of parts may tick past that of the whole.
  EXPECT_EQ(cli::shares_of_time(1, {{1.5, "solve"}}), "1 s (solve 1.5 s, other 0 µs)");
}

} // namespace
} // namespace talus::test
