// Files of rolling-friction problems: Siconos text, FCLIB's groups for contacts with moments.

#include "scratch_folder.h"
#include "support/corpus.h"
#include "support/rolling_problems.h"
#include "talus/core/error.h"
#include "talus/problem/delassus/explicit_operator.h"
#include "talus/problem/files/fclib_file.h"
#include "talus/problem/files/problem_file.h"
#include "talus/problem/files/rolling_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace talus {
namespace {

using test::Random;
using test::random_rolling_problem;
using test::ScratchFolder;

std::string written(const ScratchFolder& folder, const std::string& text) {
  const std::string path = folder.path("problem.dat");
  std::ofstream(path) << text;
  return path;
}

/// W = diag(1, 2, 3, 4, 5).
const std::string diagonal_matrix = "0 5 5\n5 5\n1 0 0 0 0\n0 2 0 0 0\n0 0 3 0 0\n0 0 0 4 0\n"
                                    "0 0 0 0 5\n";

TEST(RollingFile, LocalTextIsRead) {
  const ScratchFolder folder;
  const std::string path =
      written(folder, "5\n1\n" + diagonal_matrix + "-1.0 0.5 0. 0. 2.5e-1\n0.6\n0.05\nremark\n");
  ASSERT_TRUE(is_rolling_text(path));
  const ContactProblem problem = read_problem(path);
  EXPECT_EQ(5, problem.dimension);
  EXPECT_EQ(FrictionKind::rolling, problem.friction.kind);
  EXPECT_EQ(Vector{0.6}, problem.mu);
  EXPECT_EQ(Vector{0.05}, problem.rolling);
  EXPECT_TRUE(problem.spinning.empty());
  const auto& model = std::get<LocalModel>(problem.model);
  EXPECT_EQ((Vector{-1, 0.5, 0, 0, 0.25}), model.q);
  for (Index i = 0; i < 5; ++i) EXPECT_EQ(i + 1, entry(model.W, i, i));
}

TEST(RollingFile, GlobalTextIsReadByItsSecondMatrix) {
  const ScratchFolder folder;
  // Two degrees of freedom; H is 2 x 5, dense by columns.
  const ContactProblem problem = read_problem(
      written(folder, "5 1\n0 2 2\n2 2\n3 0\n0 4\n0 2 5\n2 5\n1 0\n0 1\n0 0\n0.5 0\n0 0\n"
                      "-3.0 1.0\n0.1 0. 0. 0. 0.\n0.4\n0.02\n"));
  const auto& model = std::get<GlobalModel>(problem.model);
  EXPECT_EQ(3, entry(model.M, 0, 0));
  EXPECT_EQ(1, entry(model.H, 1, 1));
  EXPECT_EQ(0.5, entry(model.H, 0, 3));
  EXPECT_EQ((Vector{-3, 1}), model.f);
  EXPECT_EQ((Vector{0.1, 0, 0, 0, 0}), model.w);
  EXPECT_EQ(Vector{0.02}, problem.rolling);
}

TEST(RollingFile, PlanarTextHasThreeComponents) {
  const ScratchFolder folder;
  const std::string matrix = "0 3 3\n3 3\n1 0 0\n0 2 0\n0 0 3\n";
  const std::string path = written(folder, "3\n1\n" + matrix + "-1.0 0.5 2.5e-1\n0.6\n0.05\n");
  const ContactProblem problem = read_problem(path);
  EXPECT_EQ(3, problem.dimension);
  EXPECT_EQ(FrictionKind::rolling, problem.friction.kind);
  EXPECT_EQ(Vector{0.6}, problem.mu);
  EXPECT_EQ(Vector{0.05}, problem.rolling);
  // Contacts in space without moments begin like it, and have no second coefficient.
  try {
    read_problem(written(folder, "3\n1\n" + matrix + "-1.0 0.5 2.5e-1\n0.6\n"));
    FAIL();
  } catch (const FileError& error) {
    EXPECT_NE(std::string(error.what()).find("without moments"), std::string::npos);
  }
}

TEST(RollingFile, ErrorsNameTheLine) {
  const ScratchFolder folder;
  const auto message = [&](const std::string& text) {
    try {
      read_problem(written(folder, text));
    } catch (const FileError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  const auto expect = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << "'" << text << "'";
  };
  expect(message("5\n1\n" + diagonal_matrix + "-1.0 0.5 0. 0. 0.\n0.6\n"),
         "coefficient of rolling friction");
  expect(message("5\n1\n" + diagonal_matrix + "-1.0 0.5 x 0. 0.\n0.6\n0.1\n"), ":10: found 'x'");
  expect(message("5\n2\n" + diagonal_matrix + "-1.0 0.5 0. 0. 0.\n0.6\n0.1\n"), "W has 5 rows; 10");
  expect(message("5\n1\n" + diagonal_matrix + "-1.0 0.5 0. 0. 0.\n0.6\n-0.1\n"),
         "rolling[0] is -0.1");
}

TEST(RollingFile, FclibKeepsEveryBit) {
  Random random(1);
  const ScratchFolder folder;
  const std::string path = folder.path("rolling.hdf5");
  const ContactProblem rigid = random_rolling_problem(random);
  ContactProblem global = rigid, local = rigid;
  global.model = to_global(rigid);
  local.model = eliminate_velocities(to_global(rigid));
  for (const ContactProblem& problem :
       {global, local, test::without_spinning(rigid), test::planar_rolling_problem(random)}) {
    FclibFile file;
    file.problem = problem;
    file.solution.r.assign(problem.impulses(), 0.25);
    write_fclib(path, file);
    const FclibFile read = read_fclib(path);
    EXPECT_EQ(problem.dimension, read.problem.dimension);
    EXPECT_EQ(FrictionKind::rolling, read.problem.friction.kind);
    EXPECT_EQ(problem.mu, read.problem.mu);
    EXPECT_EQ(problem.rolling, read.problem.rolling);
    EXPECT_EQ(problem.spinning, read.problem.spinning);
    EXPECT_EQ(problem.model.index(), read.problem.model.index());
    if (const auto* model = std::get_if<LocalModel>(&problem.model)) {
      EXPECT_EQ(model->W.value, std::get<LocalModel>(read.problem.model).W.value);
      EXPECT_EQ(model->q, std::get<LocalModel>(read.problem.model).q);
    } else {
      const auto& model_given = std::get<GlobalModel>(problem.model);
      const auto& model_read = std::get<GlobalModel>(read.problem.model);
      EXPECT_EQ(model_given.H.value, model_read.H.value);
      EXPECT_EQ(model_given.w, model_read.w);
    }
    EXPECT_EQ(file.solution.r, read.solution.r);
  }
}

TEST(RollingFile, EveryProblemOfSiconosIsRead) {
  if (!test::has_corpus()) GTEST_SKIP() << test::no_corpus();
  int count = 0;
  for (const auto& file : std::filesystem::directory_iterator(test::corpus() / "rolling")) {
    const ContactProblem problem = read_problem(file.path().string());
    EXPECT_EQ(5, problem.dimension) << file.path();
    EXPECT_GT(problem.contacts(), 0) << file.path();
    EXPECT_EQ(problem.mu.size(), problem.rolling.size()) << file.path();
    ++count;
  }
  EXPECT_EQ(9, count);
  // The same numbers as text and as HDF5, but for the six digits that sparse matrices are printed
  // with.
  const auto folder = test::corpus() / "rolling";
  const ContactProblem text = read_problem((folder / "GRFC3D_Chute-ndof-768-nc-4-3.dat").string());
  const ContactProblem hdf5 = read_problem((folder / "Chute-ndof-768-nc-4-3.hdf5").string());
  EXPECT_EQ(text.contacts(), hdf5.contacts());
  EXPECT_EQ(text.dofs(), hdf5.dofs());
  EXPECT_EQ(text.mu, hdf5.mu);
  EXPECT_EQ(text.rolling, hdf5.rolling);
}

} // namespace
} // namespace talus
