// talus export: a step's problem as FCLIB, judged again after reading it back.

#include "simulated.h"
#include "talus/io/checkpoint.h"
#include "talus/problem/scaled/quality.h"

namespace talus::test {
namespace {

using Export = SimulationTest;

/// The judged error of the solution a file holds.
double error_in(const std::string& path) {
  const FclibFile file = read_fclib(path);
  Vector x = file.solution.r;
  x.insert(x.end(), file.solution.l.begin(), file.solution.l.end());
  const auto n = make_operator(file.problem);
  return judge(file.problem, *n, x).error;
}

TEST_F(Export, WritesTheStepsProblemWithItsSolution) {
  const std::string scene = write_scene("s.yaml", falling_balls + "contact: rigid\n");
  const Answer answer = talus({"export", scene, "--step", "30", "--out", "p.hdf5"});
  EXPECT_EQ(answer.code, 0) << answer.err;
  expect_words(answer.out, {"p.hdf5", "contacts", "240 degrees of freedom"});
  Scene loaded = load_scene(scene);
  Simulation simulation(std::move(loaded.world), loaded.options);
  for (int i = 0; i < 30; ++i) simulation.step();
  const FclibFile file = read_fclib(path("p.hdf5"));
  EXPECT_EQ(file.problem.contacts(), simulation.report().contacts);
  EXPECT_EQ(file.problem.dofs(), 6 * 40);
  // The global form rounds differently from the rigid one.
  EXPECT_LE(error_in(path("p.hdf5")), 1e-6 * 1.001);
  EXPECT_NEAR(error_in(path("p.hdf5")), simulation.report().error,
              0.01 * simulation.report().error + 1e-12);
  // The velocity of the solution is that of the bodies after the step.
  ASSERT_EQ(file.solution.v.size(), 6u * 40);
  for (Index ball = 0; ball < 40; ++ball)
    EXPECT_NEAR(file.solution.v[6 * ball + 2], simulation.world().state(ball + 1).velocity.z, 1e-9);
}

TEST_F(Export, AcceptsCheckpointsAndTheResultSolves) {
  const std::string scene = write_scene("s.yaml", falling_balls);
  ASSERT_EQ(talus({"run", scene, "--steps", "29", "--out", "o"}).code, 0);
  ASSERT_EQ(talus({"export", "o/checkpoint.h5", "--out", "from_checkpoint.hdf5"}).code, 0);
  ASSERT_EQ(talus({"export", scene, "--step", "30", "--out", "from_scene.hdf5"}).code, 0);
  const FclibFile a = read_fclib(path("from_checkpoint.hdf5")),
                  b = read_fclib(path("from_scene.hdf5"));
  EXPECT_EQ(a.solution.r, b.solution.r);
  EXPECT_EQ(std::get<GlobalModel>(a.problem.model).w, std::get<GlobalModel>(b.problem.model).w);
  const Answer solved = talus({"solve", "from_scene.hdf5", "--json", "--tol", "1e-6"});
  EXPECT_EQ(solved.code, 0) << solved.err;
}

TEST_F(Export, WrongUseIsRefused) {
  const std::string scene = write_scene("s.yaml", falling_balls);
  write_scene("free.yaml", "bodies:\n- {shape: {type: sphere, radius: 1}}\n");
  struct Case {
    std::vector<std::string> arguments;
    int code;
    std::vector<std::string> words;
  };
  for (const Case& wrong : std::vector<Case>{
           {{"export", scene}, 2, {"--out"}},
           {{"export", scene, "--step", "0", "--out", "p"}, 2, {"counted from 1"}},
           {{"export", scene, "--step", "1", "--out", "no/such/p"}, 1, {"no/such/p"}},
           {{"export", "free.yaml", "--step", "1", "--out", "p"},
            1,
            {"neither contacts nor joints"}},
           {{"export", "none.yaml", "--step", "1", "--out", "p"}, 1, {"none.yaml"}},
       }) {
    const Answer answer = talus(wrong.arguments);
    EXPECT_EQ(answer.code, wrong.code) << answer.err;
    expect_words(answer.err, wrong.words);
  }
  EXPECT_EQ(files(), (std::set<std::string>{"s.yaml", "free.yaml"}));
}

TEST_F(Export, ALongWayIsShownAndCanBeStopped) {
  const std::string scene = write_scene("s.yaml", falling_balls);
  const std::string command = "timeout -s INT 4 " TALUS_PROGRAM " export " + scene +
                              " --step 100000000 --out " + path("p") + " 2> " + path("err");
  const int status = std::system(command.c_str());
  EXPECT_EQ(WEXITSTATUS(status), 124) << "timeout's own code: it had to stop the program";
  expect_words(read_text(path("err")),
               {"step ", "/100000000", "ETA", "stopped by signal 2", "nothing was written"});
  EXPECT_FALSE(std::filesystem::exists(path("p")));
}

} // namespace
} // namespace talus::test
