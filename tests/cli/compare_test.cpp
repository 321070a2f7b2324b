// talus compare: table, files and the page.

#include "program.h"
#include "talus/core/files/folder_lock.h"
#include "talus/solve/registry.h"

namespace talus::test {
namespace {

/// Plots take seconds; tests that are not about them do without.
const char* const no_plots = "TALUS_PYTHON=/no/such/python";

class Compare : public ProgramTest {
protected:
  void SetUp() override {
    ProgramTest::SetUp();
    box_ = write_problem("box.hdf5", sliding_box());
    pair_ = write_problem("pair.hdf5", planar_pair());
  }
  Answer compare(std::vector<std::string> extra, const std::string& environment = "") const {
    std::vector<std::string> arguments = {"compare", box_, pair_, "--time-limit", "60"};
    arguments.insert(arguments.end(), extra.begin(), extra.end());
    return talus(arguments, environment);
  }

  std::string box_, pair_;
};

TEST_F(Compare, TableHasEverySolverAndTolerance) {
  const Answer answer = compare({"--solvers", "all", "--tol", "1e-3,1e-5"});
  EXPECT_EQ(answer.code, 0) << answer.err;
  EXPECT_EQ(answer.err, "") << "no progress bar where there is no terminal";
  expect_words(answer.out, solver_names());
  expect_words(answer.out, {"box", "pair", "1e-3", "1e-5", "solved", "times the best other"});
  EXPECT_EQ(files(), (std::set<std::string>{"box.hdf5", "pair.hdf5"}));
}

TEST_F(Compare, ADozenSolversAreLinesOfAtMostAHundredColumns) {
  std::vector<std::string> arguments = {"compare", "--tol", "1e-3"};
  for (int k = 0; k < 9; ++k)
    arguments.push_back(
        write_problem("problem_with_a_name_" + std::to_string(k) + ".hdf5", sliding_box()));
  const Answer answer = talus(arguments);
  ASSERT_EQ(answer.code, 0) << answer.err;
  std::set<std::string> names;
  for (const std::string& line : lines_of(answer.out)) {
    EXPECT_LE(line.size(), 100u) << line;
    names.insert(line.substr(0, line.find(' ')));
  }
  std::size_t solvers = 0;
  for (const std::string& name : solver_names()) solvers += names.count(name);
  EXPECT_EQ(solvers, 12u);
  expect_words(answer.out, {"problem_with_a_name_8", "9/9"});
}

TEST_F(Compare, PageTellsNotAdmittedFromFailed) {
  // `keller` is for two dimensions; one iteration of `jacobi` is not enough.
  ASSERT_EQ(compare({"--solvers", "keller,jacobi", "--max-iterations", "1", "--tol", "1e-12",
                     "--out", path("report")},
                    no_plots)
                .code,
            0);
  expect_words(read_text(path("report/index.html")), {"not admitted", "failed: max iter"});
}

TEST_F(Compare, FilesHoldEveryRun) {
  const Answer answer =
      compare({"--solvers", "apgd,nsgs", "--tol", "1e-6,1e-3", "--out", path("report")}, no_plots);
  ASSERT_EQ(answer.code, 0) << answer.err;
  EXPECT_EQ(files(), (std::set<std::string>{"box.hdf5", "pair.hdf5", "report/convergence.csv",
                                            "report/index.html", "report/results.csv",
                                            "report/results.json"}));
  const Json json = Json::parse(read_text(path("report/results.json")));
  ASSERT_EQ(json["runs"].size(), 2u * 2u * 2u);
  EXPECT_EQ(json["tolerances"], (std::vector<double>{1e-3, 1e-6}));
  for (const Json& run : json["runs"]) {
    EXPECT_EQ(run["status"], "converged") << run;
    EXPECT_LE(run["error"].get<double>(), run["tolerance"].get<double>());
  }
  for (const Json& share : json["share_solved"]) EXPECT_EQ(share["solved"], 2);
  // Of two solvers that solve the same problems, each is the other's best other.
  const auto ratio = [&](int k) {
    return json["share_solved"][k]["times_best_other"].get<double>();
  };
  EXPECT_NEAR(ratio(0) * ratio(2), 1, 1e-12);
  EXPECT_NEAR(ratio(1) * ratio(3), 1, 1e-12);
  const auto table = lines_of(read_text(path("report/results.csv")));
  ASSERT_EQ(table.size(), 9u);
  expect_words(table[0], {"problem,contacts,dofs,dimension,solver,law", "tolerance"});
  const auto curves = lines_of(read_text(path("report/convergence.csv")));
  ASSERT_GT(curves.size(), 4u);
  EXPECT_TRUE(curves[0].ends_with(",solver,problem")) << curves[0];
}

TEST_F(Compare, PageStandsAlone) {
  ASSERT_EQ(compare({"--solvers", "nsgs,apgd", "--tol", "1e-4", "--out", path("report")}).code, 0);
  const std::string page = read_text(path("report/index.html"));
  expect_words(page, {"<!doctype html>", "Share solved", "Performance profiles", "Convergence",
                      "nsgs", "apgd", "sortable"});
  for (const char* loading : {"src=\"", "<link", "@import", "url(http", "href=\"http", "fetch("})
    EXPECT_EQ(page.find(loading), std::string::npos) << "the page must load nothing: " << loading;
  if (run("/usr/bin/python3", {"-c", "import matplotlib"}).code != 0)
    GTEST_SKIP() << "matplotlib is missing, so the page has no plots";
  expect_words(page, {"<svg", "curve0-", "profile0-", "currentColor"});
  EXPECT_EQ(page.find("Plots are missing"), std::string::npos);
}

TEST_F(Compare, PageSaysWhyPlotsAreMissing) {
  const Answer answer =
      compare({"--solvers", "nsgs", "--tol", "1e-4", "--out", path("report")}, no_plots);
  EXPECT_EQ(answer.code, 0);
  const std::string page = read_text(path("report/index.html"));
  expect_words(page, {"Plots are missing", "/no/such/python", "run-table"});
  expect_words(answer.err, {"no plots"});
}

TEST_F(Compare, UnconvergedAndUnsupportedAreResults) {
  const Answer answer =
      compare({"--max-iterations", "1", "--tol", "1e-12", "--out", path("report")}, no_plots);
  EXPECT_EQ(answer.code, 0) << answer.err;
  expect_words(answer.out, {"max iter"});
  const Json json = Json::parse(read_text(path("report/results.json")));
  bool failed = false;
  for (const Json& run : json["runs"]) failed = failed || run["status"] == "iteration_limit";
  EXPECT_TRUE(failed);
}

TEST_F(Compare, SameNamesFromDifferentFoldersStayApart) {
  std::filesystem::create_directory(path("other"));
  const std::string twin = write_problem("other/box.hdf5", sliding_box(0.9));
  const Answer answer =
      talus({"compare", box_, twin, "--solvers", "nsgs", "--tol", "1e-4", "--out", path("report")},
            no_plots);
  ASSERT_EQ(answer.code, 0) << answer.err;
  expect_words(answer.out, {"box (2)"});
  const Json json = Json::parse(read_text(path("report/results.json")));
  EXPECT_EQ(json["problems"][0]["label"], "box");
  EXPECT_EQ(json["problems"][1]["label"], "box (2)");
}

TEST_F(Compare, UnwritableFolderIsFoundBeforeSolving) {
  const Answer answer = compare({"--out", box_ + "/report"});
  EXPECT_EQ(answer.code, 1);
  EXPECT_EQ(answer.out, "");
  expect_words(answer.err, {"report"});
}

TEST_F(Compare, TwoRunsDoNotShareAFolder) {
  std::filesystem::create_directory(path("report"));
  const FolderLock other(path("report"));
  const Answer answer = compare({"--solvers", "apgd", "--out", path("report")}, no_plots);
  EXPECT_EQ(answer.code, 1);
  expect_words(answer.err, {"report", "another run"});
  EXPECT_EQ(answer.out, "");
  EXPECT_EQ(files(), (std::set<std::string>{"box.hdf5", "pair.hdf5", "report/.talus-lock"}));
}

TEST_F(Compare, NothingReadableLeavesNothingBehind) {
  std::ofstream(path("noise.hdf5")) << "no problem";
  const Answer answer = talus({"compare", path("noise.hdf5"), "--out", path("report")});
  EXPECT_EQ(answer.code, 1);
  EXPECT_EQ(answer.out, "");
  expect_words(answer.err, {"noise.hdf5"});
  EXPECT_FALSE(std::filesystem::exists(path("report")));
}

TEST_F(Compare, UnreadableFilesAreNamedAndTheRestCompared) {
  const Answer answer =
      compare({path("missing.hdf5"), "--solvers", "nsgs", "--tol", "1e-4", "--out", path("report")},
              no_plots);
  EXPECT_EQ(answer.code, 1);
  expect_words(answer.err, {"missing.hdf5"});
  expect_words(answer.out, {"box", "pair"});
  expect_words(read_text(path("report/index.html")), {"Not read", "missing.hdf5"});
}

} // namespace
} // namespace talus::test
