// Help, version and wrong command lines: exit code 2, a message that names what would be right.

#include "program.h"

namespace talus::test {
namespace {

using Arguments = ProgramTest;

TEST_F(Arguments, HelpAndVersionSucceed) {
  const Answer help = talus({"--help"});
  EXPECT_EQ(help.code, 0);
  expect_words(help.out, {"solve", "compare", "solvers", "info", "--version"});
  const Answer version = talus({"--version"});
  EXPECT_EQ(version.code, 0);
  expect_words(version.out, {"talus 0"});
  for (const char* command : {"solve", "compare", "solvers", "info"}) {
    const Answer answer = talus({command, "--help"});
    EXPECT_EQ(answer.code, 0) << command;
    expect_words(answer.out, {command, "--help"});
    EXPECT_EQ(answer.err, "") << command;
  }
}

TEST_F(Arguments, NoCommandShowsHelp) {
  const Answer answer = talus({});
  EXPECT_EQ(answer.code, 2);
  expect_words(answer.err, {"solve", "compare"});
  EXPECT_EQ(answer.out, "");
}

TEST_F(Arguments, UnknownCommandNamesTheKnownOnes) {
  const Answer answer = talus({"sovle", "x.hdf5"});
  EXPECT_EQ(answer.code, 2);
  expect_words(answer.err, {"sovle", "solve", "compare", "solvers", "info"});
}

struct WrongCase {
  std::vector<std::string> arguments;
  std::vector<std::string> words;
};

TEST_F(Arguments, WrongValuesNameTheRightOnes) {
  const std::string file = write_problem("box.hdf5", sliding_box());
  const std::vector<WrongCase> cases = {
      {{"solve", file, "--solver", "magic"}, {"magic", "nsgs", "apgd", "jacobi"}},
      {{"solve", file, "--law", "newton"}, {"newton", "coulomb", "associated"}},
      {{"solve", file, "--friction", "sphere"}, {"sphere", "cone", "pyramid", "box"}},
      {{"solve", file, "--friction", "polyhedron:5"}, {"polyhedron:5", "even"}},
      {{"solve", file, "--measure", "metre"}, {"metre", "talus", "fclib"}},
      {{"solve", file, "--face", "smiling"}, {"smiling", "explicit", "sparse", "bodies"}},
      {{"solve", file, "--mu", "-0.1"}, {"--mu", "-0.1"}},
      {{"solve", file, "--mu", "nan"}, {"--mu", "nan"}},
      {{"solve", file, "--mu", "inf"}, {"--mu", "inf"}},
      {{"solve", file, "--mu", "0.3x"}, {"--mu", "0.3x"}},
      {{"solve", file, "--tol", "0"}, {"--tol"}},
      {{"solve", file, "--tol", "small"}, {"--tol", "small"}},
      {{"solve", file, "--max-iterations", "-3"}, {"--max-iterations", "-3"}},
      {{"solve", file, "--max-iterations", "1.5"}, {"--max-iterations", "1.5"}},
      {{"solve", file, "--time-limit", "-1"}, {"--time-limit"}},
      {{"solve", file, "--threads", "-1"}, {"--threads"}},
      {{"solve", file, "--threads", "70000"}, {"--threads", "0 to 4096", "70000"}},
      {{"solve", file, "--option", "speed"}, {"name=value", "speed"}},
      {{"solve", file, "--option", "no_such_option=1"}, {"no_such_option"}},
      {{"solve", file, "--no-such-flag"}, {"--no-such-flag", "--help"}},
      {{"solve"}, {"FILE"}},
      {{"solve", file, file, "--out", path("out.hdf5")}, {"--out", "2"}},
      {{"compare", file, "--solvers", "nsgs,magic"}, {"magic", "apgd"}},
      {{"compare", file, "--solvers", "nsgs,,apgd"}, {"--solvers"}},
      {{"compare", file, "--tol", "1e-4,zero"}, {"--tol", "zero"}},
      {{"compare"}, {"FILE"}},
      {{"solvers", "magic"}, {"magic", "nsgs"}},
      {{"info"}, {"FILE"}},
  };
  for (const WrongCase& wrong : cases) {
    const Answer answer = talus(wrong.arguments);
    EXPECT_EQ(answer.code, 2) << answer.err;
    EXPECT_EQ(answer.out, "") << "nothing is done after a wrong argument";
    expect_words(answer.err, wrong.words);
  }
  EXPECT_EQ(files(), std::set<std::string>{"box.hdf5"});
}

TEST_F(Arguments, AnEmptyOneIsNotTakenForNone) {
  const std::string file = write_problem("box.hdf5", sliding_box());
  const std::vector<WrongCase> cases = {
      {{"solve", ""}, {"FILE", "empty"}},
      {{"solve", file, ""}, {"FILE", "empty"}},
      {{"solve", file, "--out", ""}, {"--out", "empty"}},
      {{"solve", file, "--history", ""}, {"--history", "empty"}},
      {{"compare", file, "--out", ""}, {"--out", "empty"}},
      {{"info", ""}, {"FILE", "empty"}},
      {{"solvers", ""}, {"NAME", "empty"}},
      {{"run", ""}, {"SCENE", "empty"}},
      {{"run", "--restart", ""}, {"--restart", "empty"}},
      {{"export", "", "--out", "p"}, {"SCENE", "empty"}},
      {{"view", ""}, {"RUN", "empty"}},
      {{"render", "", "--out", "a.png"}, {"RUN", "empty"}},
      {{"reproduce", ""}, {"NAME", "empty"}},
      {{"reproduce", "preclik2009", "--out", ""}, {"--out", "empty"}},
  };
  for (const WrongCase& wrong : cases) {
    const Answer answer = talus(wrong.arguments);
    EXPECT_EQ(answer.code, 2) << answer.err;
    EXPECT_EQ(answer.out, "");
    EXPECT_EQ(lines_of(answer.err).size(), 1u) << answer.err;
    expect_words(answer.err, wrong.words);
  }
  EXPECT_EQ(files(), std::set<std::string>{"box.hdf5"});
}

TEST_F(Arguments, MisspeltNamesGetASuggestion) {
  const std::string file = write_problem("box.hdf5", sliding_box());
  expect_words(talus({"sovle", file}).err, {"did you mean solve?"});
  expect_words(talus({"solve", file, "--solver", "Newton"}).err, {"did you mean newton?"});
  expect_words(talus({"solve", file, "--solver", "pgs", "--option", "omgea=1"}).err,
               {"did you mean omega?"});
  expect_words(talus({"reproduce", "preclik2009-fig"}).err, {"did you mean preclik2009-fig2?"});
}

} // namespace
} // namespace talus::test
