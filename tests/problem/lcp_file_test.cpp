#include "scratch_folder.h"
#include "support/random_models.h"
#include "talus/core/error.h"
#include "talus/problem/files/lcp_file.h"
#include "talus/problem/files/problem_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

namespace talus {
namespace {

namespace fs = std::filesystem;
using test::dense;
using test::RandomProblems;
using test::ScratchFolder;

const fs::path lcp_corpus = TALUS_CORPUS_DIR;

const LocalModel& local(const ContactProblem& problem) {
  return std::get<LocalModel>(problem.model);
}

ContactProblem parse(const std::string& text) {
  const ScratchFolder folder;
  return read_lcp(folder.write("problem.dat", text));
}

std::string error_of(const std::string& text) {
  try {
    parse(text);
  } catch (const FileError& error) {
    return error.what();
  }
  return "(no error)";
}

void expect_error(const std::string& text, const std::string& words) {
  const std::string error = error_of(text);
  EXPECT_NE(error.find(words), std::string::npos)
      << "'" << error << "' does not contain '" << words << "'";
}

TEST(LcpFile, ReadsDenseMatricesByColumns) {
  const ContactProblem p =
      parse("2\n0\n2\n2\n2 2\n1 2\n3 4\n-5 -6\n\nRemark of the author\nhere\n");
  EXPECT_EQ(p.dimension, 1);
  EXPECT_EQ(p.contacts(), 2);
  EXPECT_EQ(p.equalities(), 0);
  EXPECT_EQ(p.friction.kind, FrictionKind::none);
  EXPECT_EQ(p.law, Law::coulomb);
  EXPECT_EQ(p.mu, (Vector{0, 0}));
  EXPECT_EQ(dense(local(p).W), (Vector{1, 3, 2, 4}));
  EXPECT_EQ(local(p).q, (Vector{-5, -6}));
  EXPECT_EQ(p.title, "problem");
  EXPECT_EQ(p.description, "Remark of the author\nhere");
}

TEST(LcpFile, ReadsProblemsOfOneAndNoUnknown) {
  EXPECT_EQ(dense(local(parse("1 0 1 1 1 1 3 -2")).W), (Vector{3}));
  EXPECT_EQ(dense(local(parse("1 1 1 1 1 1 1 1 1 2 1 0 1 0 0 3.5 -2")).W), (Vector{3.5}));
  EXPECT_EQ(parse("0 0 0 0 0 0").contacts(), 0);
}

TEST(LcpFile, ReadsSparseBlocks) {
  // Blocks of 2 and 1 rows; block (0, 1) is absent.
  const ContactProblem p = parse("3 1 3 3  3 2 2  2 3  2 3  3 3  0 1 3  0 0 1\n"
                                 "0 1 2 3 4\n1 5 6\n2 7\n-1 -2 -3");
  EXPECT_EQ(dense(local(p).W), (Vector{1, 3, 0, 2, 4, 0, 5, 6, 7}));
  EXPECT_EQ(local(p).W.nonzeros(), 7);
}

TEST(LcpFile, ReadsTripletPrintoutsWithDuplicates) {
  const ContactProblem p = parse("2 2 2 2 1\nCSparse Version 3.2.0, Sept 12, 2017.  Copyright\n"
                                 "triplet: 2-by-2, nzmax: 9 nnz: 4\n"
                                 "    0 0 : 1.5\n    1 0 : -2e-3\n    1 1 : 4\n    1 1 : 0.5\n"
                                 "-1\n-2");
  EXPECT_EQ(dense(local(p).W), (Vector{1.5, 0, -2e-3, 4.5}));
}

TEST(LcpFile, ReadsColumnPrintouts) {
  const ContactProblem p = parse("3 2 3 3 2\nCSparse Version 3.1.9, May 4, 2016.\n"
                                 "3-by-3, nzmax: 3 nnz: 3, 1-norm: 1.85469e+07\n"
                                 "    col 0 : locations 0 to 1\n      0 : 367.281\n      2 : -1\n"
                                 "    col 1 : locations 2 to 1\n"
                                 "    col 2 : locations 2 to 2\n      2 : 8\n"
                                 "1 2 3");
  EXPECT_EQ(dense(local(p).W), (Vector{367.281, 0, 0, 0, 0, 0, -1, 0, 8}));
  EXPECT_EQ(local(p).q, (Vector{1, 2, 3}));
}

TEST(LcpFile, SortsTheBlocksOfAnMlcp) {
  // Unknowns 0 and 3 are of equality, 1 and 2 of complementarity. Entry (i, j) is 10 i + j + 1.
  std::ostringstream text;
  text << "1 0 2 2\n0 1 3 4\n0 1 0\n0 4 4 4 4\n";
  for (int j = 0; j < 4; ++j)
    for (int i = 0; i < 4; ++i) text << 10 * i + j + 1 << " ";
  text << "\n100 101 102 103";
  const ContactProblem p = parse(text.str());
  const LocalModel& model = local(p);
  EXPECT_EQ(p.contacts(), 2);
  EXPECT_EQ(p.equalities(), 2);
  EXPECT_EQ(dense(model.R), (Vector{1, 4, 31, 34}));
  EXPECT_EQ(dense(model.U), (Vector{2, 3, 32, 33}));
  EXPECT_EQ(dense(model.V), (Vector{11, 14, 21, 24}));
  EXPECT_EQ(dense(model.W), (Vector{12, 13, 22, 23}));
  EXPECT_EQ(model.s, (Vector{100, 103}));
  EXPECT_EQ(model.q, (Vector{101, 102}));
}

TEST(LcpFile, ReadsThePartsOfAnMlcp) {
  const ContactProblem p = parse("0 1 1 2  7  1 2 3 4  5 6  8 9  -1  -2 -3  0.5 0.25");
  const LocalModel& model = local(p);
  EXPECT_EQ(dense(model.R), (Vector{7}));
  EXPECT_EQ(dense(model.W), (Vector{1, 2, 3, 4}));
  EXPECT_EQ(dense(model.U), (Vector{5, 6}));
  EXPECT_EQ(dense(model.V), (Vector{8, 9}));
  EXPECT_EQ(model.s, (Vector{-1}));
  EXPECT_EQ(model.q, (Vector{-2, -3}));
  EXPECT_EQ(p.description, "") << "trailing numbers are no remark";
}

TEST(LcpFile, BothStoragesMustAgree) {
  const std::string whole = "1 1 1 1\n0 1 2\n0 1\n0 2 2 2 2\n7 8\n5 1\n-1 -2\n";
  EXPECT_EQ(dense(local(parse(whole + "7 1 5 8 -1 -2")).V), (Vector{8}));
  expect_error(whole + "7 1 8 5 -1 -2", "two different problems");
  expect_error(whole + "7 1 5 8 -1 -2.1", "two different problems");
}

TEST(LcpFile, KeepsNumbersExactly) {
  const ContactProblem p = parse("1 0 1 1 1 1 1.000000000000000055511151e-01 +4.9e-324");
  EXPECT_EQ(local(p).W.value[0], 0.1);
  EXPECT_EQ(local(p).q[0], 4.9e-324);
  EXPECT_EQ(local(parse("1 0 1 1 1 1 1 1e-400")).q[0], 0) << "underflow is no error";
}

TEST(LcpFile, ErrorsNameTheFileAndLine) {
  const ScratchFolder folder;
  const std::string path = folder.write("bad.dat", "2\n0\n2\n2\n2 2\n1 2\n3 x4\n5 6\n");
  try {
    read_lcp(path);
    FAIL() << "accepted";
  } catch (const FileError& error) {
    EXPECT_EQ(std::string(error.what()),
              path + ":7: found 'x4' where a matrix entry, a number, is expected");
  }
}

TEST(LcpFile, RejectsContradictions) {
  expect_error("2 0 2 2 2 2 1 2 3 4 5",
               "2 numbers are expected (an entry of q), but the file ends too early");
  expect_error("2 0 2 2 2 2 1 2 3 nan 5 6", "finite");
  expect_error("2 0 2 2 2 2 1 2 3 inf 5 6", "finite");
  expect_error("2 0 2 2 2 2 1 2 3 1e999 5 6", "finite");
  expect_error("2 0 2 3 2 3 1 2 3 4 5 6 7 8", "2 x 3");
  expect_error("2 0 2 2 2 3 1 2 3 4 5 6", "columns (again) is 3; it must be 2");
  expect_error("200000 0 200000 200000 200000 200000 1 2", "ends too early");
  expect_error("2147483647 2 2147483647 2147483647 1 CSparse", "ends too early");
  expect_error("2 3 2 2 1 2 3 4 5 6", "not a problem file");
  expect_error("2.5 0 2 2 2 2 1 2 3 4 5 6", "not a problem file");
  expect_error("-1 0 -1 -1 -1 -1", "not a problem file");
  expect_error("lorem ipsum", "not a problem file");
  expect_error("   \n ", "not a problem file");
  expect_error("", "is empty");
  expect_error(std::string("\x7f"
                           "ELF\0\0\0",
                           7),
               "neither HDF5 nor text");
}

TEST(LcpFile, RejectsBadBlocks) {
  // The valid one, for comparison: 2 block rows and columns of size 1, blocks (0,0) and (1,1).
  EXPECT_EQ(parse("2 1 2 2  2 2 2  1 2  1 2  3 2  0 1 2  0 1  0 5  1 6  -1 -1").contacts(), 2);
  expect_error("2 1 2 2  2 2 2  1 3  1 2  3 2  0 1 2  0 1  0 5  1 6  -1 -1", "block row end");
  expect_error("2 1 2 2  2 2 2  1 1  1 2  3 2  0 1 2  0 1  0 5  1 6  -1 -1", "block row end");
  expect_error("2 1 2 2  2 2 2  1 2  2 1  3 2  0 1 2  0 1  0 5  1 6  -1 -1", "block column end");
  expect_error("2 1 2 2  2 2 2  1 2  1 2  3 3  0 1 2  0 1  0 5  1 6  -1 -1", "index2");
  expect_error("2 1 2 2  2 2 2  1 2  1 2  9 2  0 1 2  0 1  0 5  1 6  -1 -1", "index1");
  expect_error("2 1 2 2  2 2 2  1 2  1 2  3 2  0 2 1  0 1  0 5  1 6  -1 -1", "index1");
  expect_error("2 1 2 2  2 2 2  1 2  1 2  3 2  0 1 1  0 1  0 5  1 6  -1 -1", "index1 ends");
  expect_error("2 1 2 2  2 2 2  1 2  1 2  3 2  0 1 2  0 2  0 5  1 6  -1 -1", "block column");
  expect_error("2 1 2 2  2 2 2  1 2  1 2  3 2  0 1 2  0 1  0 5  0 6  -1 -1", "number of the block");
  expect_error("2 1 2 2  999999999 2 2  1 2  1 2  3 999999999  0 1 2", "ends too early");
}

TEST(LcpFile, RejectsBadPrintouts) {
  const std::string head = "2 2 2 2 1\nCSparse 3\ntriplet: ";
  expect_error(head + "2-by-3, nzmax: 1 nnz: 1\n0 0 : 1\n1 1", "2-by-2");
  expect_error(head + "2-by-2, nzmax: 1 nnz: 1\n0 2 : 1\n1 1", "column index is 2");
  expect_error(head + "2-by-2, nzmax: 1 nnz: x\n0 0 : 1\n1 1", "number of entries");
  expect_error(head + "2-by-2, nzmax: 1 nnz: 99999\n0 0 : 1\n1 1", "too early");
  expect_error(head + "2-by-2, nzmax: 2 nnz: 2\n0 0 : 1\n  ...\n1 1", "found '...'");
  expect_error("2 2 2 2 3\nCSparse 3\n", "sparse origin");
  const std::string columns = "2 2 2 2 2\nCSparse 3\n2-by-2, nzmax: 2 nnz: 2, 1-norm: 1\n";
  expect_error(columns + "col 0 : locations 0 to 1\n0 : 1\n1 : 1\n1 1 1 1", "'col'");
  expect_error(columns + "col 1 : locations 0 to 1\n", "column's number");
  expect_error(columns + "col 0 : locations 0 to 0\n0 : 1\ncol 1 : locations 1 to 0\n 1 1",
               "1 matrix entries were listed; 2");
  expect_error(columns + "col 0 : locations 0 to 5\n0 : 1\n", "last location is 5");
}

TEST(LcpFile, ReadsBackWhatItWrites) {
  const ScratchFolder folder;
  const std::string path = folder.path("written.dat");
  RandomProblems random(5);
  for (int trial = 0; trial < 20; ++trial) {
    ContactProblem problem = random.local(1, random.integer(1, 6), trial % 4);
    problem.mu.assign(problem.contacts(), 0);
    problem.friction = {FrictionKind::none};
    problem.description = "solved by hand";
    auto& model = std::get<LocalModel>(problem.model);
    if (trial % 4 > 1) model.U = random.matrix(problem.equalities(), problem.contacts());
    write_lcp(path, problem, {{}, {1, 2}, {0.5}});
    const ContactProblem back = read_lcp(path);
    EXPECT_EQ(dense(model.W), dense(local(back).W));
    EXPECT_EQ(dense(model.R), dense(local(back).R));
    EXPECT_EQ(dense(model.V), dense(local(back).V));
    if (problem.equalities() > 0) {
      EXPECT_EQ(dense(model.U.empty() ? transpose(model.V) : model.U), dense(local(back).U));
    }
    EXPECT_EQ(model.q, local(back).q);
    EXPECT_EQ(model.s, local(back).s);
    EXPECT_EQ(back.description, "solved by hand\nz =\n1\n2\nw =\n0.5");
  }
}

TEST(LcpFile, RefusesToWriteOtherProblems) {
  const ScratchFolder folder;
  const std::string path = folder.path("written.dat");
  RandomProblems random(6);
  EXPECT_THROW(write_lcp(path, random.local(3, 2, 0), {}), InvalidProblem);
  ContactProblem limited = random.local(1, 2, 1);
  limited.row_lower = {0};
  limited.row_upper = {1};
  EXPECT_THROW(write_lcp(path, limited, {}), InvalidProblem);
  EXPECT_FALSE(fs::exists(path));
}

TEST(LcpFile, RejectsBadMlcps) {
  expect_error("1 0 1 1  0 3  1  0 2 2 2 2  1 2 3 4  5 6", "block end");
  expect_error("1 0 1 1  0 1 2  0 2  0 2 2 2 2  1 2 3 4  5 6", "flag");
  expect_error("1 0 1 1  0 1 2  1 1  0 2 2 2 2  1 2 3 4  5 6", "2 complementarity unknowns");
  expect_error("1 0 1 1  0 1 2  0 1  0 3 2 3 2  1 2 3 4 5 6  5 6", "3 x 2");
  expect_error("0 1 1 1  1 2 3 4  5", "too early");
  expect_error("0 1 99999 99999  1 2 3 4  5", "too early");
  expect_error("1 1 2147483647 2147483647  0 ", "complementarity unknowns is 2147483647");
}

TEST(LcpFile, EveryCutIsAnError) {
  const std::string whole = "1 1 1 1\n0 1 2\n0 1\n0 2 2 2 2\n7.5 8.25\n5 1\n-1 -2\n"
                            "7.5 1 5 8.25 -1 -2";
  ASSERT_EQ(parse(whole).size(), 2);
  for (std::size_t length = 0; length + 1 < whole.size(); ++length)
    EXPECT_NE(error_of(whole.substr(0, length)), "(no error)") << whole.substr(0, length);
}

TEST(LcpFile, RandomEditsNeverCrash) {
  const std::string blocks = "3 1 3 3  3 2 2  2 3  2 3  3 3  0 1 3  0 0 1\n"
                             "0 1 2 3 4\n1 5 6\n2 7\n-1 -2 -3";
  const std::string printout = "2 2 2 2 1\nCSparse Version 3\n"
                               "triplet: 2-by-2, nzmax: 9 nnz: 2\n 0 0 : 1.5\n 1 0 : -2e-3\n-1 -2";
  const std::string mlcp = "1 1 1 1\n0 1 2\n0 1\n0 2 2 2 2\n7 8\n5 1\n-1 -2\n7 1 5 8 -1 -2";
  const std::string alphabet = "0123456789-+.e \n:x,";
  std::mt19937 random(1);
  const auto pick = [&](std::size_t n) { return std::size_t{random() % n}; };
  for (int k = 0; k < 600; ++k) {
    std::string text = k % 3 == 0 ? blocks : k % 3 == 1 ? printout : mlcp;
    for (std::size_t edits = 1 + pick(3); edits > 0; --edits)
      text[pick(text.size())] = alphabet[pick(alphabet.size())];
    try {
      validate(parse(text));
    } catch (const FileError&) {
    }
  }
}

TEST(ProblemFile, MissingFilesAndFoldersAreErrors) {
  const ScratchFolder folder;
  EXPECT_THROW(read_problem(folder.path("nothing")), FileError);
  EXPECT_THROW(read_problem(folder.path("")), FileError);
  EXPECT_THROW(read_problem(""), FileError);
}

class CorpusText : public testing::Test {
protected:
  void SetUp() override {
    if (!fs::exists(lcp_corpus / "lcp")) GTEST_SKIP() << "no corpus in " << lcp_corpus;
  }
  ContactProblem read(const std::string& name) {
    return read_problem((lcp_corpus / name).string());
  }
};

TEST_F(CorpusText, EveryLcpLoads) {
  int count = 0;
  for (const auto& file : fs::directory_iterator(lcp_corpus / "lcp")) {
    const ContactProblem problem = read_problem(file.path().string());
    std::ifstream in(file.path());
    Index n = -1;
    in >> n;
    EXPECT_EQ(problem.contacts(), n) << file.path();
    EXPECT_EQ(problem.equalities(), 0) << file.path();
    EXPECT_EQ(local(problem).W.rows, n) << file.path();
    ++count;
  }
  EXPECT_EQ(count, 18);
}

TEST_F(CorpusText, EveryMlcpLoads) {
  int count = 0;
  for (const auto& file : fs::directory_iterator(lcp_corpus / "mlcp")) {
    const ContactProblem problem = read_problem(file.path().string());
    std::ifstream in(file.path());
    Index first = -1, second = -1, n = -1, m = -1;
    in >> first >> second >> n >> m;
    EXPECT_EQ(problem.contacts(), m) << file.path();
    EXPECT_EQ(problem.equalities(), n) << file.path();
    ++count;
  }
  EXPECT_EQ(count, 15);
}

TEST_F(CorpusText, ValuesAreTheOnesInTheFiles) {
  const ContactProblem murty = read("lcp/lcp_exp_murty2.dat");
  // Columns of the file are columns of M: M is upper triangular.
  EXPECT_EQ(entry(local(murty).W, 0, 5), 2);
  EXPECT_EQ(entry(local(murty).W, 5, 0), 0);
  EXPECT_EQ(entry(local(murty).W, 3, 3), 1);
  EXPECT_EQ(local(murty).q, (Vector{-126, -124, -120, -112, -96, -64}));
  EXPECT_NE(murty.description.find("Murty (1988)"), std::string::npos);

  const ContactProblem rcd = read("mlcp/RCD_mlcp.dat");
  EXPECT_EQ(dense(local(rcd).R), (Vector{0.1, -0.1, -1.5049999999999999, 0.5}));
  EXPECT_EQ(dense(local(rcd).U), (Vector{-1, 0}));
  EXPECT_EQ(dense(local(rcd).V), (Vector{0, -1}));
  EXPECT_EQ(local(rcd).s, (Vector{0, 0.495}));
  EXPECT_EQ(local(rcd).q, (Vector{0}));

  const ContactProblem m2n1 = read("mlcp/m2n1_mlcp.dat");
  EXPECT_EQ(local(m2n1).q, (Vector{1, -3}));
  EXPECT_EQ(local(m2n1).s, (Vector{-1}));
}

TEST_F(CorpusText, BlockAndDenseFilesHoldTheSameProblems) {
  for (const std::string name : {"deudeu", "ortiz", "trivial"}) {
    const ContactProblem plain = read("lcp/lcp_" + name + ".dat");
    const ContactProblem blocks = read("lcp/lcp_" + name + "_block.dat");
    EXPECT_EQ(dense(local(plain).W), dense(local(blocks).W)) << name;
    EXPECT_EQ(local(plain).q, local(blocks).q) << name;
  }
}

TEST_F(CorpusText, ReferenceSolutionsSolveTheMlcps) {
  // The numbers that follow the problem are u without its first entry, v and w = D u + B v + b.
  const auto check = [&](const std::string& name, const Vector& u, const Vector& v,
                         const Vector& w) {
    const ContactProblem problem = read(name);
    const LocalModel& model = local(problem);
    for (Index i = 0; i < problem.equalities(); ++i) {
      double sum = model.s[i];
      for (Index j = 0; j < problem.equalities(); ++j) sum += entry(model.R, i, j) * u[j];
      for (Index j = 0; j < problem.contacts(); ++j) sum += entry(model.U, i, j) * v[j];
      EXPECT_NEAR(sum, 0, 1e-12) << name;
    }
    for (Index i = 0; i < problem.contacts(); ++i) {
      double sum = model.q[i];
      for (Index j = 0; j < problem.equalities(); ++j) sum += entry(model.V, i, j) * u[j];
      for (Index j = 0; j < problem.contacts(); ++j) sum += entry(model.W, i, j) * v[j];
      EXPECT_NEAR(sum, w[i], 1e-12) << name;
    }
  };
  check("mlcp/m3n2_mlcp.dat", {1, -1}, {0, 4, 0}, {3, 0, 1});
}

} // namespace
} // namespace talus
