// talus reproduce.

#include "program.h"
#include "talus/core/files/folder_lock.h"

namespace talus::test {
namespace {

using Reproduce = ProgramTest;

TEST_F(Reproduce, ListsExperimentsWithTheirCost) {
  const Answer all = talus({"reproduce", "--list"});
  EXPECT_EQ(all.code, 0) << all.err;
  expect_words(all.out,
               {"heyn2013-table1", "mazhar2014-scaling", "mangoni2015-table2", "preclik2009-fig2",
                "anitescu2002-stack", "beyond-winners", "quick", "full"});
  const Answer one_paper = talus({"reproduce", "preclik2009", "--list"});
  EXPECT_EQ(one_paper.out.find("heyn2013"), std::string::npos);
}

TEST_F(Reproduce, NamesTheKnownExperimentsWhenAskedForAnotherOne) {
  const Answer answer = talus({"reproduce", "fermat1637", "--out", "run"});
  EXPECT_EQ(answer.code, 2);
  expect_words(answer.err, {"fermat1637", "preclik2009-fig2"});
  EXPECT_FALSE(std::filesystem::exists(path("run")));
}

TEST_F(Reproduce, TwoRunsDoNotShareAFolder) {
  std::filesystem::create_directory(path("run"));
  const FolderLock other(path("run"));
  const Answer answer = talus({"reproduce", "preclik2009-fig2", "--quick", "--out", "run"});
  EXPECT_EQ(answer.code, 1);
  expect_words(answer.err, {"run", "another run"});
  EXPECT_EQ(files(), std::set<std::string>{"run/.talus-lock"});
}

TEST_F(Reproduce, WritesPageTablesAndProblemsAndDoesFinishedWorkOnce) {
  const std::vector<std::string> command = {"reproduce", "preclik2009-fig2", "--quick", "--out",
                                            "run"};
  const Answer first = talus(command);
  ASSERT_EQ(first.code, 0) << first.err;
  expect_words(first.out, {"preclik2009-fig2", "reproduced", "index.html"});
  const Json report = Json::parse(read_text(path("run/preclik2009-fig2/report.json")))["report"];
  EXPECT_FALSE(report["findings"].empty());
  EXPECT_EQ(read_text(path("run/preclik2009-fig2/iterations.csv")).substr(0, 12), "model,solver");
  expect_words(read_text(path("run/index.html")), {"CPG over PGS", "A quick run"});

  const Answer problem =
      talus({"solve", path("run/problems/preclik2009-150.hdf5"), "--tol", "1e-4", "--json"});
  EXPECT_EQ(problem.code, 0) << problem.err;

  const std::string kept = path("run/kept/preclik2009-fig2/frictionless-pgs.json");
  const auto written = std::filesystem::last_write_time(kept);
  const Answer again = talus(command);
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(Json::parse(read_text(path("run/preclik2009-fig2/report.json")))["report"], report);
  EXPECT_EQ(std::filesystem::last_write_time(kept), written) << "the work was done again";
  const Answer full = talus({"reproduce", "preclik2009-fig2", "--out", "run"});
  EXPECT_EQ(full.code, 2);
  expect_words(full.err, {"quick", "--again"});
}

/// Findings of a finished experiment: how many have the verdict.
int count_findings(const std::string& report, const std::string& verdict) {
  int count = 0;
  const Json json = Json::parse(report);
  for (const Json& finding : json["report"]["findings"]) {
    count += finding["verdict"] == verdict;
    EXPECT_FALSE(finding["measured"].get<std::string>().empty());
    if (finding["verdict"] == "differs") {
      EXPECT_FALSE(finding["reason"].get<std::string>().empty()) << finding["what"];
    }
  }
  return count;
}

TEST_F(Reproduce, FindsWhatThePapersSayAboutNonconvexSolutionsAndRedundantContacts) {
  const Answer answer = talus(
      {"reproduce", "anitescu2002-nonconvex", "mangoni2015-redundant", "--quick", "--out", "run"});
  ASSERT_EQ(answer.code, 0) << answer.err;
  const std::string nonconvex = read_text(path("run/anitescu2002-nonconvex/report.json"));
  EXPECT_EQ(count_findings(nonconvex, "reproduced"), 2);
  EXPECT_EQ(count_findings(nonconvex, "differs"), 1) << "the printed solution is a misprint";
  const std::string redundant = read_text(path("run/mangoni2015-redundant/report.json"));
  EXPECT_EQ(count_findings(redundant, "reproduced"), 2);
  EXPECT_EQ(count_findings(redundant, "differs"), 0);
}

TEST_F(Reproduce, MakesProblemsAndOutcomesAnewWhenAskedTo) {
  std::vector<std::string> command = {"reproduce", "anitescu2002-nonconvex", "--quick", "--out",
                                      "run"};
  ASSERT_EQ(talus(command).code, 0);
  const std::string problem = path("run/problems/anitescu2002-two-contacts.hdf5"),
                    outcome = path("run/kept/anitescu2002-nonconvex/lemke.json");
  const auto before = std::pair(std::filesystem::last_write_time(problem),
                                std::filesystem::last_write_time(outcome));
  command.push_back("--again");
  ASSERT_EQ(talus(command).code, 0);
  EXPECT_GT(std::filesystem::last_write_time(problem), before.first);
  EXPECT_GT(std::filesystem::last_write_time(outcome), before.second);
}

TEST_F(Reproduce, ShowsThatTheRelaxedLawLiftsASlidingBoxAndCoulombsDoesNot) {
  const Answer answer = talus({"reproduce", "mazhar2014-box", "--quick", "--out", "run"});
  ASSERT_EQ(answer.code, 0) << answer.err;
  const Json report = Json::parse(read_text(path("run/mazhar2014-box/report.json")))["report"];
  for (const Json& finding : report["findings"])
    EXPECT_EQ(finding["verdict"] == "differs", finding["published"] == "diverges")
        << finding.dump(1);
  const Json& table = report["tables"][0];
  ASSERT_EQ(table["columns"][5], "lift-off [mm]");
  for (const Json& row : table["rows"]) {
    const double lift = row[5];
    EXPECT_EQ(lift > 10, row[1] == "relaxed") << row.dump();
    EXPECT_EQ(lift < 1e-3, row[1] == "Coulomb") << row.dump();
  }
  expect_words(read_text(path("run/summary.md")),
               {"## mazhar2014", "| `mazhar2014-box` |", "| lift-off without relaxation | none |"});
}

TEST_F(Reproduce, MeasuresHowFarTheAssociatedLawIsFromCoulombs) {
  const Answer answer = talus({"reproduce", "beyond-associated-law", "--quick", "--out", "run"});
  ASSERT_EQ(answer.code, 0) << answer.err;
  const std::string text = read_text(path("run/beyond-associated-law/report.json"));
  const Json report = Json::parse(text)["report"];
  EXPECT_EQ(count_findings(text, "beyond"), static_cast<int>(report["findings"].size()));
  const Json& brick = report["tables"][0];
  ASSERT_EQ(brick["columns"][5], "gap [mm]");
  ASSERT_EQ(brick["columns"][6], "h μ |u_t| [mm]");
  ASSERT_EQ(brick["columns"][7], "gap under Coulomb's law [mm]");
  for (const Json& row : brick["rows"]) {
    const double gap = row[5], predicted = row[6], exact = row[7];
    EXPECT_NEAR(gap, predicted, 0.1 * predicted) << row.dump();
    EXPECT_LT(exact, 0.1 * gap) << row.dump();
  }
  const Json& pile = report["tables"][1];
  ASSERT_EQ(pile["columns"][3], "lift [m/s]");
  for (const Json& row : pile["rows"]) EXPECT_GT(row[3], 0) << row.dump();
  expect_words(read_text(path("run/index.html")), {"Beyond the papers", "sheared pile"});
  EXPECT_TRUE(std::filesystem::exists(path("run/problems/beyond-sheared-60.hdf5")));
}

TEST_F(Reproduce, GoesOnBehindWorkThatWasKept) {
  const std::vector<std::string> command = {"reproduce", "preclik2009-fig2", "--quick", "--out",
                                            "run"};
  ASSERT_EQ(talus(command).code, 0);
  const std::string file = path("run/kept/preclik2009-fig2/frictionless-pgs.json"),
                    table = path("run/preclik2009-fig2/iterations.csv");
  // An outcome of a solve that never happened: the next run must take it, not repeat it.
  Json kept = Json::parse(read_text(file));
  kept["outcome"] = {{"status", "converged"},
                     {"error", 1e-10},
                     {"records", {{7, 7, 0.1, 1e-10, -1.0, 0, 0, 0, 0, 0}}}};
  std::ofstream(file) << kept.dump();
  ASSERT_EQ(talus(command).code, 0);
  expect_words(read_text(table), {"frictionless,pgs,7.0,7.0"});
  // Of another problem, tolerance or version: to be repeated.
  kept["made_from"]["inputs"]["tolerance"] = 1e-3;
  std::ofstream(file) << kept.dump();
  ASSERT_EQ(talus(command).code, 0);
  EXPECT_EQ(read_text(table).find("frictionless,pgs,7.0,7.0"), std::string::npos);
}

} // namespace
} // namespace talus::test
