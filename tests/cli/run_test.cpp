// talus run: the JSON contract, files, restarts, signals, errors.

#include "simulated.h"
#include "support/stop_signals.h"
#include "talus/core/files/hdf5_file.h"
#include "talus/io/checkpoint.h"

namespace talus::test {
namespace {

using RunCommand = SimulationTest;
using StoppableRun = SimulationTest;

TEST_F(RunCommand, JsonHasTheContractsFieldsInOrder) {
  const std::string scene = write_scene("s.yaml", falling_balls);
  const Answer answer = talus({"run", scene, "--steps", "5", "--json"});
  EXPECT_EQ(answer.code, 0) << answer.err;
  const Json json = Json::parse(answer.out);
  const std::vector<std::string> contract = {"scene",
                                             "bodies",
                                             "steps",
                                             "time",
                                             "formulation",
                                             "law",
                                             "friction",
                                             "solver",
                                             "contacts_mean",
                                             "contacts_max",
                                             "error_max",
                                             "unconverged_steps",
                                             "penetration_max",
                                             "kinetic_energy",
                                             "potential_energy",
                                             "elastic_energy",
                                             "seconds",
                                             "seconds_collide",
                                             "seconds_solve",
                                             "scaled_restitution_steps",
                                             "initial_overlaps",
                                             "infeasible_steps",
                                             "first_contradiction",
                                             "limited_steps",
                                             "work",
                                             "work_max",
                                             "tolerance",
                                             "fast_bodies",
                                             "seconds_build",
                                             "seconds_advance",
                                             "seconds_files",
                                             "seconds_step_median",
                                             "seconds_step_max",
                                             "slowest_step"};
  EXPECT_EQ(keys_of(json), contract);
  EXPECT_EQ(json["scene"], scene);
  EXPECT_EQ(json["bodies"], 41);
  EXPECT_EQ(json["steps"], 5);
  EXPECT_NEAR(json["time"].get<double>(), 5.0 / 200, 1e-12);
  EXPECT_LE(json["error_max"].get<double>(), 1e-6);
  EXPECT_EQ(json["unconverged_steps"], 0);
  EXPECT_EQ(files(), std::set<std::string>{"s.yaml"});
}

TEST_F(RunCommand, EndsAtTheGivenTimeOrTheScenesDuration) {
  const std::string scene = write_scene("s.yaml", falling_balls);
  EXPECT_EQ(Json::parse(talus({"run", scene, "--json"}).out)["steps"], 40);
  EXPECT_EQ(Json::parse(talus({"run", scene, "--json", "--time", "0.1"}).out)["steps"], 20);
  EXPECT_EQ(Json::parse(talus({"run", scene, "--json", "--steps", "0"}).out)["steps"], 0);
}

TEST_F(RunCommand, OverlapsAtTheStartAreToldBeforeTheFirstStep) {
  const std::string scene = write_scene("s.yaml", R"(
bodies:
  - {name: floor, motion: fixed, shape: {type: half_space}}
  - {name: low, shape: {type: box, size: [1, 1, 1]}, position: [0, 0, 0.5]}
  - {name: high, shape: {type: box, size: [1, 1, 1]}, position: [0, 0, 1.2]}
  - {name: sunk, shape: {type: sphere, radius: 0.5}, position: [5, 0, 0.4]}
generators:
  - {type: grid, name: ball, shape: {type: sphere, radius: 0.5}, counts: [4, 1, 1], spacing: [0.95, 2, 2],
     position: [10, 0, 3]}
)");
  // No step is made: what is said is said before.
  const Answer none = talus({"run", scene, "--steps", "0", "--json"});
  EXPECT_EQ(none.code, 0) << none.err;
  expect_words(none.err, {"warning: bodies 'low' and 'high' overlap by 0.3 m at the start",
                          "'floor' and 'sunk' overlap by 0.1 m", "2 more pairs"});
  const Answer run = talus({"run", scene, "--steps", "2", "--json", "--out", "o"});
  EXPECT_EQ(run.code, 0) << run.err;
  const Json overlaps = Json::parse(run.out)["initial_overlaps"];
  EXPECT_EQ(overlaps["pairs"], 5);
  ASSERT_EQ(overlaps["deepest"].size(), 5u);
  EXPECT_EQ(overlaps["deepest"][0]["body_a"], "low");
  EXPECT_EQ(overlaps["deepest"][0]["body_b"], "high");
  EXPECT_NEAR(overlaps["deepest"][0]["depth"].get<double>(), 0.3, 1e-9);
  // A restart is no start.
  const Answer rest = talus({"run", "--restart", "o/checkpoint.h5", "--steps", "1", "--json"});
  EXPECT_EQ(rest.err.find("overlap"), std::string::npos) << rest.err;
  EXPECT_EQ(Json::parse(rest.out)["initial_overlaps"]["pairs"], 0);
}

TEST_F(RunCommand, ScenesThatStartInTouchAreNotWarnedOf) {
  const std::string scene = write_scene("s.yaml", falling_balls);
  EXPECT_EQ(talus({"run", scene, "--steps", "0"}).err, "");
}

TEST_F(RunCommand, PeopleGetASummary) {
  const std::string scene = write_scene("s.yaml", falling_balls);
  const Answer answer = talus({"run", scene, "--steps", "3"});
  EXPECT_EQ(answer.code, 0) << answer.err;
  expect_words(answer.out, {"41 bodies", "3 steps", "contacts", "solver", "penetration", "energy"});
}

TEST_F(RunCommand, FormulationsAreChosenByNameAndRecorded) {
  const std::string scene = write_scene("s.yaml", falling_balls);
  for (const char* name :
       {"primal", "primal-relaxed", "dual", "dual-relaxed", "eom", "eom-relaxed"}) {
    const Answer answer = talus({"run", scene, "--steps", "2", "--json", "--set",
                                 "generators.0.count=3", "--formulation", name, "--out", "o"});
    ASSERT_EQ(answer.code, 0) << answer.err;
    const Json json = Json::parse(answer.out);
    EXPECT_EQ(json["formulation"], name);
    EXPECT_EQ(json["law"], std::string(name).ends_with("relaxed") ? "associated" : "coulomb");
    const Hdf5File file = Hdf5File::open(path("o/trajectory.h5"));
    EXPECT_EQ(file.read_string_attribute("/", "formulation"), name);
    EXPECT_EQ(file.read_string_attribute("/", "solver"), json["solver"]);
    EXPECT_EQ(build_scene(read_checkpoint(path("o/checkpoint.h5")).source).options.formulation,
              name);
  }
}

TEST_F(RunCommand, OverridesAndOptionsChangeTheScene) {
  const std::string scene = write_scene("s.yaml", falling_balls);
  const Answer answer =
      talus({"run", scene, "--steps", "2", "--json", "--set", "generators.0.count=3", "--solver",
             "apgd", "--law", "associated", "--tol", "1e-4", "--out", "o"});
  EXPECT_EQ(answer.code, 0) << answer.err;
  EXPECT_EQ(Json::parse(answer.out)["bodies"], 4);
  const Checkpoint checkpoint = read_checkpoint(path("o/checkpoint.h5"));
  const Scene kept = build_scene(checkpoint.source);
  EXPECT_EQ(kept.options.solver, "apgd");
  EXPECT_EQ(kept.options.law, Law::associated);
  EXPECT_EQ(kept.options.tolerance, 1e-4);
}

TEST_F(RunCommand, WritesItsFiles) {
  const std::string scene = write_scene("s.yaml", falling_balls);
  const Answer answer = talus({"run", scene, "--steps", "4", "--out", "o"});
  EXPECT_EQ(answer.code, 0) << answer.err;
  std::set<std::string> expected = {"s.yaml",
                                    "o/trajectory.h5",
                                    "o/steps.csv",
                                    "o/checkpoint.h5",
                                    "o/summary.json",
                                    "o/plot.svg",
                                    "o/paraview/bodies.pvd",
                                    "o/paraview/contacts.pvd",
                                    "o/paraview/particles.pvd"};
  for (const char* series : {"bodies", "contacts", "particles"})
    for (const char* step : {"0", "2", "4"})
      expected.insert(fmt::format("o/paraview/{}_00000{}.vtp", series, step));
  if (answer.err.find("no plot") != std::string::npos) expected.erase("o/plot.svg");
  EXPECT_EQ(files(), expected);
  EXPECT_EQ(frames_of(path("o/trajectory.h5")).steps, (std::vector<std::int64_t>{0, 2, 4}));
  EXPECT_EQ(lines_of(read_text(path("o/steps.csv"))).size(), 5u);
  expect_words(read_text(path("o/paraview/bodies.pvd")),
               {"bodies_000004.vtp", "timestep=\"0.02\""});
}

TEST_F(RunCommand, WithoutMatplotlibThePlotIsSkippedWithAMessage) {
  const std::string scene = write_scene("s.yaml", falling_balls);
  const Answer answer =
      talus({"run", scene, "--steps", "1", "--out", "o"}, "TALUS_PYTHON=/bin/false");
  EXPECT_EQ(answer.code, 0);
  expect_words(answer.err, {"no plot"});
  EXPECT_FALSE(files().contains("o/plot.svg"));
}

TEST_F(RunCommand, ThreadsDoNotChangeABit) {
  const std::string scene = write_scene("s.yaml", falling_balls);
  for (const char* threads : {"1", "2"})
    ASSERT_EQ(talus({"run", scene, "--threads", threads, "--out", threads}).code, 0);
  const Frames one = frames_of(path("1/trajectory.h5"));
  EXPECT_EQ(one.steps.size(), 21u);
  EXPECT_TRUE(one == frames_of(path("2/trajectory.h5")));
  EXPECT_TRUE(read_text(path("1/checkpoint.h5")) == read_text(path("2/checkpoint.h5")));
}

TEST_F(RunCommand, RestartEqualsContinuation) {
  const std::string scene = write_scene("s.yaml", falling_balls);
  ASSERT_EQ(talus({"run", scene, "--out", "whole"}).code, 0);
  ASSERT_EQ(talus({"run", scene, "--steps", "17", "--out", "parts"}).code, 0);
  std::filesystem::remove(scene);
  // In another folder, the files begin after the checkpoint.
  ASSERT_EQ(talus({"run", "--restart", "parts/checkpoint.h5", "--out", "rest"}).code, 0);
  const Answer answer =
      talus({"run", "--restart", "parts/checkpoint.h5", "--out", "parts", "--json"});
  EXPECT_EQ(answer.code, 0) << answer.err;
  EXPECT_EQ(Json::parse(answer.out)["steps"], 23);
  EXPECT_TRUE(frames_of(path("whole/trajectory.h5")) == frames_of(path("parts/trajectory.h5")));
  for (const char* out : {"parts", "rest"})
    EXPECT_TRUE(read_text(path("whole/checkpoint.h5")) == read_text(path(out) + "/checkpoint.h5"))
        << out;
  EXPECT_EQ(frames_of(path("rest/trajectory.h5")).steps.front(), 18);
}

TEST_F(RunCommand, RestartWithAnotherSceneIsRefused) {
  const std::string scene = write_scene("s.yaml", falling_balls);
  const std::string other = write_scene("t.yaml", falling_balls + "# changed\n");
  ASSERT_EQ(talus({"run", scene, "--steps", "1", "--out", "o"}).code, 0);
  EXPECT_EQ(talus({"run", scene, "--restart", "o/checkpoint.h5", "--steps", "1"}).code, 0);
  const Answer answer = talus({"run", other, "--restart", "o/checkpoint.h5"});
  EXPECT_EQ(answer.code, 2);
  expect_words(answer.err, {"t.yaml", "not the scene of the checkpoint", "--set"});
}

TEST_F(RunCommand, KilledAtAnyMomentTheLastFrameAndCheckpointAreReadable) {
  const std::string scene = write_scene("s.yaml", falling_balls);
  const auto arguments = [&](const std::string& out) {
    return std::vector<std::string>{
        "run",  scene,   "--time", "0.6",   "--tol",
        "1e-2", "--out", out,      "--set", "output={every: 1, formats: [trajectory, csv]}"};
  };
  ASSERT_EQ(talus(arguments("whole")).code, 0);
  const Frames whole = frames_of(path("whole/trajectory.h5"));
  ASSERT_EQ(whole.steps.size(), 121u);
  std::size_t most_frames = 0;
  for (int trial = 0; trial < 12; ++trial) {
    const std::string out = path("killed" + std::to_string(trial));
    std::vector<std::string> doomed = arguments(out);
    doomed.insert(doomed.end(), {"--checkpoint-every", "1"});
    RunningProgram program(doomed);
    ASSERT_TRUE(appears(out + "/checkpoint.h5"));
    wait_for(0.013 * trial);
    program.end(SIGKILL);
    const Frames frames = frames_of(out + "/trajectory.h5");
    ASSERT_GE(frames.steps.size(), 1u);
    most_frames = std::max(most_frames, frames.steps.size());
    for (std::size_t f = 0; f < frames.steps.size(); ++f) {
      ASSERT_EQ(frames.steps[f], whole.steps[f]);
      ASSERT_TRUE(frames.states[f] == whole.states[f]) << "frame " << f;
      ASSERT_TRUE(frames.impulses[f] == whole.impulses[f]) << "frame " << f;
    }
    const Checkpoint checkpoint = read_checkpoint(out + "/checkpoint.h5");
    EXPECT_GE(checkpoint.state.steps, 1);
    if (trial % 4 != 0) continue;
    // Going on in the same folder ends like the run that was not killed.
    ASSERT_EQ(
        talus({"run", "--restart", out + "/checkpoint.h5", "--out", out, "--time", "0.6"}).code, 0);
    EXPECT_TRUE(frames_of(out + "/trajectory.h5") == whole);
    EXPECT_TRUE(read_text(out + "/checkpoint.h5") == read_text(path("whole/checkpoint.h5")));
  }
  EXPECT_GT(most_frames, 1u);
}

TEST_F(RunCommand, ASecondRunInTheFolderIsRefusedUntilTheFirstIsGone) {
  const std::string scene = write_scene("s.yaml", falling_balls), out = path("o");
  RunningProgram first({"run", scene, "--steps", "1000000", "--out", out, "--checkpoint-every", "5",
                        "--set", "output.formats=[trajectory, csv]"});
  ASSERT_TRUE(appears(out + "/checkpoint.h5"));
  const Answer second = talus({"run", scene, "--steps", "1", "--out", out});
  EXPECT_EQ(second.code, 1);
  expect_words(second.err, {out, "another run"});
  EXPECT_EQ(talus({"run", "--restart", out + "/checkpoint.h5", "--out", out}).code, 1);
  first.end(SIGKILL);
  const std::int64_t steps = read_checkpoint(out + "/checkpoint.h5").state.steps;
  EXPECT_GE(frames_of(out + "/trajectory.h5").steps.back(), steps - steps % 2)
      << "the second run left the files alone";
  const Answer third = talus({"run", scene, "--steps", "1", "--out", out});
  EXPECT_EQ(third.code, 0) << third.err;
  EXPECT_FALSE(files().contains("o/.talus-lock"));
}

TEST_F(RunCommand, DamagedCheckpointsAreNoWrongArguments) {
  const std::string scene = write_scene("s.yaml", falling_balls);
  ASSERT_EQ(talus({"run", scene, "--steps", "2", "--out", "o", "--set", "step=0.01"}).code, 0);
  const Checkpoint whole = read_checkpoint(path("o/checkpoint.h5"));
  const auto restarted = [&](auto&& damage, const std::vector<std::string>& more = {}) {
    Checkpoint checkpoint = whole;
    damage(checkpoint);
    write_checkpoint(path("damaged.h5"), checkpoint.source, checkpoint.description,
                     checkpoint.state);
    std::vector<std::string> arguments = {"run", "--restart", "damaged.h5", "--steps", "1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return talus(arguments);
  };
  const auto refused = [&](auto&& damage) {
    const Answer answer = restarted(damage);
    EXPECT_EQ(answer.code, 1) << answer.err;
    expect_words(answer.err, {"damaged.h5", "not a whole checkpoint"});
  };
  EXPECT_EQ(restarted([](Checkpoint&) {}).code, 0);
  refused([](Checkpoint& c) { c.state.bodies.pop_back(); });
  refused([](Checkpoint& c) { c.state.joint_coordinates.push_back(0); });
  refused([](Checkpoint& c) { c.description = "{}"; });
  refused([](Checkpoint& c) { c.description.pop_back(), c.description.pop_back(); });
  refused([](Checkpoint& c) { c.description.replace(c.description.find("sphere"), 6, "sphare"); });
  // Older ones hold the scene file only.
  const auto refused_older = [&](auto&& damage) {
    refused([&](Checkpoint& c) {
      c.description.clear();
      damage(c);
    });
  };
  EXPECT_EQ(restarted([](Checkpoint& c) { c.description.clear(); }).code, 0);
  refused_older([](Checkpoint& c) { c.source.overrides[0] = "step=garbage"; });
  refused_older([](Checkpoint& c) { c.source.overrides[0] = "garbage"; });
  refused_older([](Checkpoint& c) { c.source.text = ","; });
  // Without a scene file there is nothing that --set could change.
  const auto without_scene = [](Checkpoint& c) { c.source = {}; };
  EXPECT_EQ(restarted(without_scene).code, 0);
  EXPECT_EQ(restarted(without_scene, {"--set", "step=0.02"}).code, 2);
  // What the arguments do to a whole checkpoint is their fault.
  EXPECT_EQ(restarted([](Checkpoint&) {}, {"--set", "step=garbage"}).code, 2);
  EXPECT_EQ(restarted([](Checkpoint&) {}, {"--set", "generators.0.count=3"}).code, 2);
}

TEST_F(RunCommand, EnergiesThatAreNotFiniteAreAnError) {
  const auto scene = [&](const std::string& gravity, const std::string& ball) {
    return write_scene("s.yaml",
                       "step: 1\ngravity: [0, 0, " + gravity +
                           "]\nbodies:\n- {name: ball, shape: {type: sphere, radius: 1}, " + ball +
                           "}\n");
  };
  struct Case {
    std::string gravity, ball, steps;
  };
  for (const Case& huge : std::vector<Case>{{"0", "mass: 1, velocity: [1e200, 0, 0]", "0"},
                                            {"0", "mass: 1, velocity: [1e200, 0, 0]", "2"},
                                            {"0", "mass: 1e200, velocity: [1e60, 0, 0]", "2"},
                                            {"-10", "mass: 1e306, position: [0, 0, 50]", "2"},
                                            {"-1e153", "mass: 1e10", "2"}}) {
    const Answer answer =
        talus({"run", scene(huge.gravity, huge.ball), "--steps", huge.steps, "--json"});
    EXPECT_EQ(answer.code, 1) << huge.ball;
    EXPECT_EQ(answer.out, "") << huge.ball;
    expect_words(answer.err, {"'ball'", "not finite"});
  }
  const Answer large = talus({"run", scene("0", "mass: 1, velocity: [1e150, 0, 0]"), "--json"});
  EXPECT_EQ(large.code, 0) << large.err;
  EXPECT_TRUE(Json::parse(large.out)["kinetic_energy"].is_number());
}

TEST_F(RunCommand, SignalsStopAfterTheStepWithACheckpoint) {
  const std::string scene = write_scene("s.yaml", falling_balls);
  for (const auto& [signal, code] : {std::pair{SIGINT, 130}, std::pair{SIGTERM, 143}}) {
    const std::string out = path("out" + std::to_string(code));
    RunningProgram program(
        {"run", scene, "--steps", "1000000", "--out", out, "--checkpoint-every", "5"});
    ASSERT_TRUE(appears(out + "/checkpoint.h5"));
    EXPECT_GE(frames_of(out + "/trajectory.h5").steps.size(), 3u) << "read while it is written";
    EXPECT_EQ(program.end(signal), code);
    const Checkpoint checkpoint = read_checkpoint(out + "/checkpoint.h5");
    EXPECT_EQ(frames_of(out + "/trajectory.h5").steps.back(), checkpoint.state.steps);
    EXPECT_TRUE(std::filesystem::exists(out + "/summary.json"));
  }
}

TEST_F(StoppableRun, EndsInTheMidstOfAStep) {
  const std::string out = path("out");
  // A tolerance that is never met, with work without end: the step does not end by itself.
  RunningProgram program({"run", write_scene("s.yaml", overlapping_spheres), "--out", out, "--tol",
                          "1e-15", "--solver", "jacobi", "--set", "solver.max_products=1000000000",
                          "--set", "solver.max_iterations=1000000000"});
  ASSERT_TRUE(program.listens(SIGINT));
  wait_for(1); // into the solve
  EXPECT_EQ(program.end(SIGINT), 130);
  EXPECT_EQ(read_checkpoint(out + "/checkpoint.h5").state.steps, 0);
  EXPECT_EQ(Json::parse(read_text(out + "/summary.json"))["steps"], 0);
}

TEST_F(StoppableRun, GoesOnFromWhereItWasStopped) {
  const std::string scene = write_scene("s.yaml", falling_balls), out = path("out");
  RunningProgram program({"run", scene, "--steps", "1000000", "--out", out});
  ASSERT_TRUE(program.listens(SIGINT));
  wait_for(0.5);
  ASSERT_EQ(program.end(SIGINT), 130);
  const std::int64_t steps = read_checkpoint(out + "/checkpoint.h5").state.steps;
  const std::string last = std::to_string(steps + 3), more = "3";
  ASSERT_EQ(
      talus({"run", "--restart", out + "/checkpoint.h5", "--steps", more, "--out", path("stopped")})
          .code,
      0);
  ASSERT_EQ(talus({"run", scene, "--steps", last, "--out", path("whole")}).code, 0);
  EXPECT_TRUE(read_checkpoint(path("whole/checkpoint.h5")).state ==
              read_checkpoint(path("stopped/checkpoint.h5")).state);
}

TEST(StopSignals, TheFirstIsNotedAndTheSecondEndsTheProgram) {
  for (const auto& [first, second] : {std::pair{SIGINT, SIGINT}, {SIGINT, SIGTERM}})
    EXPECT_EXIT(
        {
          const cli::StopSignals signals;
          if (*signals.flag() || signals.received() != 0) _exit(1);
          raise(first);
          if (!*signals.flag() || signals.received() != first) _exit(2);
          raise(second);
          _exit(3);
        },
        testing::KilledBySignal(second), "");
}

TEST_F(RunCommand, StrictMakesAMissedToleranceAnError) {
  const std::string scene = write_scene("s.yaml", falling_balls + "envelope: 0.05\n");
  const std::vector<std::string> hard = {
      "run",   scene,  "--steps", "30", "--json", "--set", "solver.max_iterations=1",
      "--tol", "1e-12"};
  const Answer relaxed = talus(hard);
  EXPECT_EQ(relaxed.code, 0);
  EXPECT_GT(Json::parse(relaxed.out)["unconverged_steps"].get<int>(), 0);
  std::vector<std::string> strict = hard;
  strict.push_back("--strict");
  const Answer answer = talus(strict);
  EXPECT_EQ(answer.code, 3);
  expect_words(answer.err, {"step", "did not converge"});
  EXPECT_EQ(Json::parse(answer.out)["unconverged_steps"], 1);
}

TEST_F(RunCommand, StepsThatUseUpTheirProductsAreCounted) {
  const std::string scene = write_scene("s.yaml", falling_balls + "envelope: 0.05\n");
  const std::vector<std::string> call = {"run",   scene,   "--steps",        "30",
                                         "--tol", "1e-12", "--max-products", "2"};
  const Answer people = talus(call);
  EXPECT_EQ(people.code, 0) << people.err;
  expect_words(people.out, {"limited", "2 products"});
  std::vector<std::string> as_json = call;
  as_json.push_back("--json");
  const Json json = Json::parse(talus(as_json).out);
  EXPECT_GT(json["limited_steps"].get<int>(), 0);
  EXPECT_GE(json["unconverged_steps"].get<int>(), json["limited_steps"].get<int>());
  EXPECT_GE(json["work_max"].get<long>(), 2);
}

TEST_F(RunCommand, RigidStepsThatMissPointToSurfacesThatYield) {
  const std::string scene = write_scene("s.yaml", falling_balls);
  const auto summary = [&](const std::string& stiffness) {
    return talus({"run", scene, "--steps", "30", "--set", "solver.max_iterations=1", "--set",
                  "solver.name=nsgs", "--set", "solver.tolerance=1e-12", "--set",
                  "materials.default.stiffness=" + stiffness})
        .out;
  };
  expect_words(summary("rigid"), {"not converged", "stiffness"});
  const std::string yielding = summary("1e5");
  expect_words(yielding, {"not converged", "J in contacts"});
  EXPECT_EQ(yielding.find("stiffness"), std::string::npos);
}

TEST_F(RunCommand, AStepThatCannotBeMadeIsNoWrongArgument) {
  const std::string scene = write_scene("s.yaml", falling_balls + "envelope: 1\n");
  const Answer fine = talus({"run", scene, "--steps", "2", "--out", "o"});
  ASSERT_EQ(fine.code, 0) << fine.err;
  ASSERT_TRUE(files().contains("o/summary.json"));
  const Answer answer =
      talus({"run", scene, "--solver", "coulomb-ip", "--law", "associated", "--out", "o"});
  EXPECT_EQ(answer.code, 1);
  expect_words(answer.err, {"coulomb-ip", "associated"});
  EXPECT_FALSE(files().contains("o/summary.json")) << "that of the run before";
  EXPECT_FALSE(files().contains("o/plot.svg"));
}

TEST_F(RunCommand, LiveWithoutATrajectoryLeavesTheFolderAlone) {
  const std::string scene = write_scene("s.yaml", falling_balls);
  ASSERT_EQ(talus({"run", scene, "--steps", "2", "--out", "o"}).code, 0);
  const Frames before = frames_of(path("o/trajectory.h5"));
  const std::string table = read_text(path("o/steps.csv"));
  const Answer answer = talus(
      {"run", scene, "--steps", "4", "--out", "o", "--live", "--set", "output.formats=[csv]"});
  EXPECT_NE(answer.code, 0);
  EXPECT_EQ(read_text(path("o/steps.csv")), table);
  EXPECT_TRUE(frames_of(path("o/trajectory.h5")) == before);
}

TEST_F(RunCommand, ASceneWhoseNameIsNotUtf8GetsItsSummary) {
  const std::string scene = write_scene("b\xF6x.yaml", falling_balls);
  const Answer answer = talus({"run", scene, "--steps", "2", "--out", "o"});
  EXPECT_EQ(answer.code, 0) << answer.err;
  EXPECT_TRUE(Json::accept(read_text(path("o/summary.json"))));
}

TEST_F(RunCommand, WrongUseIsRefusedBeforeTheFirstStep) {
  const std::string scene = write_scene("s.yaml", falling_balls);
  write_scene("bad.yaml", "step: 0.1\nsteps: 3\n");
  write_scene("comma.yaml", ",");
  write_scene("file", "");
  struct Case {
    std::vector<std::string> arguments;
    int code;
    std::vector<std::string> words;
  };
  for (const Case& wrong : std::vector<Case>{
           {{"run"}, 2, {"scene"}},
           {{"run", "none.yaml"}, 1, {"none.yaml"}},
           {{"run", "bad.yaml"}, 1, {"bad.yaml:2", "'steps'", "allowed"}},
           {{"run", "comma.yaml"}, 1, {"comma.yaml:1", "','"}},
           {{"run", scene, "--set", "gravity=[0,0,1],"}, 2, {"--set gravity=[0,0,1],", "','"}},
           {{"run", scene, "--steps", "x"}, 2, {"--steps", "whole number"}},
           {{"run", scene, "--steps", "1", "--time", "1"}, 2, {"exclude"}},
           {{"run", scene, "--time", "1e30"}, 2, {"1e+30", "steps"}},
           {{"run", scene, "--solver", "magic"}, 2, {"magic", "nsgs"}},
           {{"run", scene, "--law", "magic"}, 2, {"magic", "coulomb"}},
           {{"run", scene, "--formulation", "magic"}, 2, {"magic", "eom-relaxed"}},
           {{"run", scene, "--tol", "0"}, 2, {"--tol"}},
           {{"run", scene, "--set", "step"}, 2, {"--set step", "key.path=value"}},
           {{"run", scene, "--set", "step=-1"}, 2, {"--set step=-1", "> 0"}},
           {{"run", scene, "--checkpoint-every", "3"}, 2, {"--out"}},
           {{"run", scene, "--out", "file/o"}, 1, {"file/o"}},
           {{"run", scene, "--out", "file"}, 1, {"file"}},
           {{"run", "--restart", "s.yaml"}, 1, {"s.yaml", "not an HDF5 file"}},
           {{"run", scene, "--typo"}, 2, {"--typo"}},
       }) {
    const Answer answer = talus(wrong.arguments);
    EXPECT_EQ(answer.code, wrong.code) << answer.err;
    expect_words(answer.err, wrong.words);
    EXPECT_EQ(answer.out, "");
  }
  EXPECT_EQ(files(), (std::set<std::string>{"s.yaml", "bad.yaml", "comma.yaml", "file"}));
}

TEST_F(RunCommand, NamesTroubleInASceneOnce) {
  const std::string twice = write_scene("twice.yaml", R"(step: 1/200
bodies:
  - {name: twin, shape: {type: sphere, radius: 0.1}}
  - {name: twin, shape: {type: sphere, radius: 0.1}}
)");
  const Answer taken = talus({"run", twice, "--steps", "1", "--out", path("out")});
  EXPECT_EQ(taken.code, 1);
  expect_words(taken.err, {"twice.yaml", "body 'twin': the name is taken"});
  EXPECT_EQ(taken.err.find("body 'twin'"), taken.err.rfind("body 'twin'")) << taken.err;
  const Answer missing = talus({"run", "nowhere.yaml"});
  EXPECT_EQ(missing.code, 1);
  expect_words(missing.err, {"nowhere.yaml", "there is no such file"});
}

} // namespace
} // namespace talus::test
