// talus solve: JSON contract, exit codes, files in and out.

#include "simulated.h"
#include "support/loaded_scene.h"
#include "talus/problem/files/problem_file.h"
#include "talus/problem/scaled/quality.h"
#include "talus/solve/registry.h"

namespace talus::test {
namespace {

using Solve = ProgramTest;

const std::vector<std::string> contract_fields = {
    "problem",    "contacts",        "dofs",          "dimension",  "solver",
    "law",        "friction",        "status",        "iterations", "outer_iterations",
    "products",   "error",           "error_fclib",   "violation",  "primal",
    "dual",       "complementarity", "objective",     "seconds",    "threads",
    "resolution", "message",         "contradiction", "work"};

TEST_F(Solve, JsonHasTheContractsFieldsInOrder) {
  const std::string file = write_problem("box.hdf5", sliding_box());
  const Answer answer = talus({"solve", file, "--json", "--threads", "1"});
  EXPECT_EQ(answer.code, 0) << answer.err;
  EXPECT_EQ(answer.err, "");
  ASSERT_EQ(lines_of(answer.out).size(), 1u);
  const Json json = Json::parse(answer.out);
  EXPECT_EQ(keys_of(json), contract_fields);
  EXPECT_EQ(json["problem"], file);
  EXPECT_EQ(json["contacts"], 4);
  EXPECT_EQ(json["dofs"], 6);
  EXPECT_EQ(json["dimension"], 3);
  EXPECT_EQ(json["law"], "coulomb");
  EXPECT_EQ(json["friction"], "cone");
  EXPECT_EQ(json["status"], "converged");
  EXPECT_LE(json["error"].get<double>(), 1e-8);
  EXPECT_EQ(json["threads"], 1);
}

// Whether each solver converges is the business of tests/solve; here exit code, status and numbers
// have to agree.
TEST_F(Solve, ExitCodeStatusAndErrorAgreeForEverySolver) {
  const std::string file = write_problem("pair.hdf5", planar_pair());
  for (const std::string& solver : solver_names()) {
    const Answer answer = talus({"solve", file, "--json", "--solver", solver, "--tol", "1e-6"});
    const Json json = Json::parse(answer.out);
    const bool converged = json["status"] == "converged";
    EXPECT_EQ(json["solver"], solver);
    EXPECT_EQ(answer.code, converged ? 0 : 3) << solver;
    EXPECT_EQ(json["error"].is_null(), json["status"] == "unsupported") << solver;
    const double error = json["error"].is_number() ? json["error"].get<double>() : 1.0;
    EXPECT_EQ(error <= 1e-6, converged) << solver;
  }
}

TEST_F(Solve, CombinationsASolverRefusesAreUnsupported) {
  const std::string file = write_problem("box.hdf5", sliding_box());
  int refused = 0;
  for (const std::string& solver : solver_names()) {
    const AdmittedSets admitted = make_solver(solver)->info().friction;
    for (const FrictionKind kind :
         {FrictionKind::box, FrictionKind::polyhedron, FrictionKind::cone}) {
      if (admitted.admits(kind, 3)) continue;
      const Answer answer = talus(
          {"solve", file, "--json", "--solver", solver, "--friction", std::string(name_of(kind))});
      EXPECT_EQ(answer.code, 3) << solver;
      const Json json = Json::parse(answer.out);
      EXPECT_EQ(json["status"], "unsupported");
      for (const char* number :
           {"error", "error_fclib", "violation", "primal", "dual", "complementarity", "objective"})
        EXPECT_TRUE(json[number].is_null()) << number;
      ++refused;
    }
  }
  EXPECT_GT(refused, 0) << "bgs at least admits no cone";
}

TEST_F(Solve, OptionsThatDoNotSuitTheProblemAreUnsupported) {
  const std::string file = write_problem("pair.hdf5", planar_pair());
  const Answer answer =
      talus({"solve", file, "--json", "--solver", "conic-ip", "--option", "model=primal"});
  EXPECT_EQ(answer.code, 3) << answer.err;
  EXPECT_EQ(Json::parse(answer.out)["status"], "unsupported");
}

TEST_F(Solve, SeveralFilesGiveOneLineEachInOrder) {
  const std::string box = write_problem("box.hdf5", sliding_box());
  const std::string pair = write_problem("pair.hdf5", planar_pair());
  const Answer answer = talus({"solve", box, pair, box, "--json"});
  EXPECT_EQ(answer.code, 0) << answer.err;
  const auto lines = lines_of(answer.out);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(Json::parse(lines[0])["problem"], box);
  EXPECT_EQ(Json::parse(lines[1])["problem"], pair);
  EXPECT_EQ(Json::parse(lines[2])["problem"], box);
}

TEST_F(Solve, TableHoldsEveryProblem) {
  const std::string box = write_problem("box.hdf5", sliding_box());
  const std::string pair = write_problem("pair.hdf5", planar_pair());
  const Answer answer = talus({"solve", box, pair});
  EXPECT_EQ(answer.code, 0) << answer.err;
  expect_words(answer.out, {"problem", "contacts", "status", "box", "pair", "converged"});
}

TEST_F(Solve, UnconvergedExitsWithThree) {
  const std::string file = write_problem("box.hdf5", sliding_box());
  const Answer answer =
      talus({"solve", file, "--json", "--solver", "jacobi", "--max-iterations", "1"});
  EXPECT_EQ(answer.code, 3);
  const Json json = Json::parse(answer.out);
  EXPECT_EQ(json["status"], "iteration_limit");
  EXPECT_GT(json["error"].get<double>(), 1e-8);
}

TEST_F(Solve, InvalidProblemIsAStatusWithoutNumbers) {
  const std::string bad = write_problem("immovable.hdf5", immovable());
  const std::string good = write_problem("box.hdf5", sliding_box());
  const Answer answer = talus({"solve", bad, good, "--json"});
  EXPECT_EQ(answer.code, 3);
  const auto lines = lines_of(answer.out);
  ASSERT_EQ(lines.size(), 2u);
  const Json json = Json::parse(lines[0]);
  EXPECT_EQ(json["status"], "invalid_problem");
  EXPECT_EQ(keys_of(json), contract_fields);
  EXPECT_TRUE(json["error"].is_null());
  EXPECT_EQ(Json::parse(lines[1])["status"], "converged");
}

TEST_F(Solve, MuLawAndFrictionChangeTheProblem) {
  const std::string file = write_problem("box.hdf5", sliding_box(0.3));
  const auto objective = [&](std::vector<std::string> extra) {
    std::vector<std::string> arguments = {"solve", file, "--json"};
    arguments.insert(arguments.end(), extra.begin(), extra.end());
    const Answer answer = talus(arguments);
    EXPECT_EQ(answer.code, 0) << answer.err << answer.out;
    return Json::parse(answer.out)["objective"].get<double>();
  };
  const double plain = objective({});
  EXPECT_DOUBLE_EQ(plain, objective({"--mu", "0.3", "--law", "coulomb", "--friction", "cone"}));
  EXPECT_GT(std::abs(plain - objective({"--mu", "0"})), 1e-6);
  EXPECT_GT(std::abs(plain - objective({"--law", "associated"})), 1e-6);
  EXPECT_NEAR(objective({"--mu", "0"}), objective({"--friction", "none"}), 1e-9);
}

TEST_F(Solve, FixedBoundSetsEstimateTheNormalImpulse) {
  const std::string file = write_problem("box.hdf5", sliding_box());
  for (const char* set : {"box", "prism", "cylinder"}) {
    const Answer answer = talus({"solve", file, "--json", "--friction", set, "--tol", "1e-6"});
    EXPECT_EQ(answer.code, 0) << set << answer.err << answer.out;
    // The box slides, so friction carries its whole bound and the objective is below frictionless.
    const Answer smooth = talus({"solve", file, "--json", "--friction", "none"});
    EXPECT_LT(Json::parse(answer.out)["objective"].get<double>(),
              Json::parse(smooth.out)["objective"].get<double>() - 1e-6)
        << set;
  }
}

TEST_F(Solve, FacesGiveTheSameAnswer) {
  const std::string file = write_problem("box.hdf5", sliding_box());
  double first = 0;
  for (const char* face : {"automatic", "explicit", "sparse", "bodies"}) {
    const Answer answer = talus({"solve", file, "--json", "--face", face});
    EXPECT_EQ(answer.code, 0) << face << answer.err;
    const double objective = Json::parse(answer.out)["objective"].get<double>();
    if (first == 0) first = objective;
    EXPECT_NEAR(objective, first, 1e-9 * std::abs(first)) << face;
  }
}

TEST_F(Solve, OutHoldsTheProblemAndAnAnswerThatCanBeJudged) {
  const std::string file = write_problem("box.hdf5", sliding_box());
  const Answer answer = talus({"solve", file, "--json", "--out", path("answer.hdf5")});
  ASSERT_EQ(answer.code, 0) << answer.err;
  const FclibFile written = read_fclib(path("answer.hdf5"));
  ASSERT_EQ(written.solution.r.size(), 12u);
  ASSERT_EQ(written.solution.u.size(), 12u);
  ASSERT_EQ(written.solution.v.size(), 6u);
  const ContactProblem problem = read_problem(file);
  const auto n = make_operator(problem);
  const Quality quality = judge(problem, *n, written.solution.r);
  EXPECT_LE(quality.error, 1e-8);
  EXPECT_DOUBLE_EQ(quality.error, Json::parse(answer.out)["error"].get<double>());
  EXPECT_LE(quality.momentum, 1e-12);
  EXPECT_EQ(files(), (std::set<std::string>{"answer.hdf5", "box.hdf5"}));
}

TEST_F(Solve, OutOfAComplementarityProblemIsTextThatCanBeSolvedAgain) {
  const std::string file = path("problem.dat");
  std::ofstream(file) << "2\n0 2 2\n2 2\n2 1\n1 2\n-3 -3\n";
  const Answer answer = talus({"solve", file, "--solver", "lemke", "--out", path("answer.dat")});
  ASSERT_EQ(answer.code, 0) << answer.err << answer.out;
  const ContactProblem written = read_problem(path("answer.dat"));
  EXPECT_EQ(written.contacts(), 2);
  EXPECT_NE(written.description.find("solver lemke"), std::string::npos) << written.description;
  EXPECT_NE(written.description.find("z =\n"), std::string::npos) << written.description;
  EXPECT_EQ(talus({"solve", path("answer.dat"), "--solver", "keller"}).code, 0);
}

TEST_F(Solve, AnswersAgreeWithTheIndependentCheck) {
  const std::filesystem::path corpus = TALUS_CORPUS_DIR;
  const auto tool = corpus.parent_path() / "tools/check_solution.py";
  if (!std::filesystem::exists(tool)) GTEST_SKIP() << "no " << tool;
  if (run("/usr/bin/python3", {"-c", "import numpy, scipy, h5py"}).code != 0)
    GTEST_SKIP() << "numpy, scipy or h5py is missing";
  for (const char* name : {"local/Capsules-i101-404.hdf5", "global/Box_Stacks-i0122-82-5.hdf5",
                           "global/GFC3D_OneContact.hdf5"}) {
    for (const char* law : {"coulomb", "associated"}) {
      const std::string file = (corpus / name).string();
      const Answer answer = talus({"solve", file, "--json", "--tol", "1e-5", "--law", law,
                                   "--time-limit", "5", "--out", path("answer.hdf5")});
      ASSERT_TRUE(answer.code == 0 || answer.code == 3) << answer.err;
      const Answer check = run("/usr/bin/python3", {tool.string(), file, path("answer.hdf5"), law});
      ASSERT_EQ(check.code, 0) << check.err;
      const Json ours = Json::parse(answer.out), theirs = Json::parse(check.out);
      for (const char* key : {"error", "violation"})
        EXPECT_NEAR(ours[key].get<double>(), theirs[key].get<double>(),
                    1e-5 * std::abs(theirs[key].get<double>()) + 1e-11)
            << name << " " << law << " " << key;
    }
  }
}

TEST_F(Solve, UnwritableOutputsAreFoundBeforeSolving) {
  const std::string file = write_problem("box.hdf5", sliding_box());
  for (const char* option : {"--out", "--history"}) {
    for (const std::string& target : {path("no/such/folder/x"), path(""), file + "/x"}) {
      const Answer answer = talus({"solve", file, "--json", option, target});
      EXPECT_EQ(answer.code, 1) << option << " " << target;
      EXPECT_EQ(answer.out, "") << "solved before the path was checked";
      expect_words(answer.err, {target});
    }
  }
  EXPECT_EQ(files(), std::set<std::string>{"box.hdf5"});
}

TEST_F(Solve, UnreadableFilesDoNotStopTheOthers) {
  const std::string good = write_problem("box.hdf5", sliding_box());
  const std::string whole = read_text(good);
  std::ofstream(path("cut.hdf5"), std::ios::binary) << whole.substr(0, whole.size() / 2);
  std::ofstream(path("poem.txt")) << "roses are red\n";
  std::ofstream(path("empty.hdf5"));
  for (const char* bad : {"missing.hdf5", "cut.hdf5", "poem.txt", "empty.hdf5"}) {
    const Answer answer = talus({"solve", path(bad), good, "--json"});
    EXPECT_EQ(answer.code, 1) << bad;
    expect_words(answer.err, {bad});
    ASSERT_EQ(lines_of(answer.out).size(), 1u) << bad;
    EXPECT_EQ(Json::parse(answer.out)["problem"], good);
    EXPECT_EQ(talus({"solve", path(bad)}).out, "") << "no table without a row";
    EXPECT_EQ(talus({"info", path(bad)}).code, 1) << bad;
    EXPECT_EQ(talus({"compare", path(bad)}).code, 1) << bad;
  }
}

TEST_F(Solve, HistoryIsACsvOfIterations) {
  const std::string box = write_problem("box.hdf5", sliding_box());
  const std::string pair = write_problem("pair, planar.hdf5", planar_pair());
  ASSERT_EQ(talus({"solve", box, "--history", path("one.csv")}).code, 0);
  const auto one = lines_of(read_text(path("one.csv")));
  ASSERT_GE(one.size(), 2u);
  EXPECT_EQ(one[0].substr(0, 10), "iteration,");
  EXPECT_EQ(one[0].find("problem"), std::string::npos);

  ASSERT_EQ(talus({"solve", box, pair, "--history", path("two.csv")}).code, 0);
  const auto two = lines_of(read_text(path("two.csv")));
  EXPECT_EQ(two[0], one[0] + ",problem");
  EXPECT_EQ(std::count(two.begin(), two.end(), two[0]), 1) << "one header for all problems";
  EXPECT_TRUE(two[1].ends_with("," + box));
  EXPECT_TRUE(two.back().ends_with(",\"" + pair + "\"")) << two.back();
  EXPECT_EQ(files(),
            (std::set<std::string>{"box.hdf5", "pair, planar.hdf5", "one.csv", "two.csv"}));
}

TEST_F(Solve, HistoryMeasuresVelocitiesAgainstAReference) {
  const std::string box = write_problem("box.hdf5", sliding_box());
  ASSERT_EQ(talus({"solve", box, "--tol", "1e-12", "--out", path("exact.hdf5")}).code, 0);
  const std::vector<std::string> call = {"solve",         box,     "--solver", "pgs", "--history",
                                         path("pgs.csv"), "--tol", "1e-6"};
  const auto with = [&](std::vector<std::string> extra) {
    extra.insert(extra.begin(), call.begin(), call.end());
    return talus(extra);
  };
  ASSERT_EQ(with({"--reference", path("exact.hdf5")}).code, 0);
  const auto lines = lines_of(read_text(path("pgs.csv")));
  // Commas before a name in the header and before its value in a line are the same in number.
  const auto column = [&](const std::string& line) {
    const std::string before = lines[0].substr(0, lines[0].find("velocity_error"));
    std::size_t at = 0;
    for (auto left = std::count(before.begin(), before.end(), ','); left > 0; --left)
      at = line.find(',', at) + 1;
    return std::stod(line.substr(at));
  };
  ASSERT_GE(lines.size(), 3u);
  EXPECT_GT(column(lines[1]), 0.01);
  EXPECT_LT(column(lines.back()), 1e-5);

  EXPECT_EQ(with({"--reference", box}).code, 1) << "a file without a solution";
  EXPECT_EQ(talus({"solve", box, "--reference", path("exact.hdf5")}).code, 2);
}

class StoppableSolve : public SimulationTest {
protected:
  /// On which interior points work for minutes.
  std::string write_long_problem() const {
    cli::SceneArguments scene;
    scene.scene = write_scene("s.yaml", overlapping_spheres);
    return write_problem("long.hdf5", cli::open_scene(scene).simulation.next_problem());
  }
};

TEST_F(StoppableSolve, EndsWithTheBestThereIs) {
  const std::string problem = write_long_problem(), answer = path("answer.hdf5");
  RunningProgram program({"solve", problem, "--solver", "fold-ip", "--out", answer});
  ASSERT_TRUE(program.listens(SIGINT));
  wait_for(1); // into the solve
  EXPECT_EQ(program.end(SIGINT), 130);
  const FclibFile written = read_fclib(answer);
  EXPECT_EQ(written.solution.r.size(), static_cast<std::size_t>(written.problem.impulses()));
  expect_words(written.problem.description, {"fold-ip", "stopped"});
}

TEST_F(StoppableSolve, EndsAComparison) {
  const std::string problem = write_long_problem(), out = path("compared");
  RunningProgram program(
      {"compare", problem, "--solvers", "fold-ip", "--time-limit", "0", "--out", out});
  ASSERT_TRUE(program.listens(SIGTERM));
  wait_for(1);
  EXPECT_EQ(program.end(SIGTERM), 143);
  EXPECT_FALSE(std::filesystem::exists(out)) << "nothing is done, nothing is left";
}

TEST_F(Solve, FileNamesThatAreNotUtf8StayJson) {
  const std::string file = write_problem("b\xF6x.hdf5", sliding_box());
  const Answer answer = talus({"solve", file, "--json"});
  EXPECT_EQ(answer.code, 0) << answer.err;
  EXPECT_TRUE(Json::accept(answer.out)) << answer.out;
}

TEST_F(Solve, ThreadsDoNotChangeTheAnswer) {
  const std::string file = write_problem("box.hdf5", sliding_box());
  Json first = Json::parse(talus({"solve", file, "--json", "--threads", "1"}).out);
  Json second = Json::parse(talus({"solve", file, "--json", "--threads", "2"}).out);
  EXPECT_EQ(second["threads"], 2);
  for (Json* json : {&first, &second}) {
    json->erase("seconds");
    json->erase("threads");
  }
  EXPECT_EQ(first, second);
}

} // namespace
} // namespace talus::test
