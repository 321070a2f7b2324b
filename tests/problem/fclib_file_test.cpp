#include "scratch_folder.h"
#include "support/random_models.h"
#include "talus/core/error.h"
#include "talus/core/files/hdf5_file.h"
#include "talus/problem/delassus/delassus.h"
#include "talus/problem/files/fclib_file.h"
#include "talus/problem/files/problem_file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <limits>

namespace talus {
namespace {

namespace fs = std::filesystem;
using test::dense;
using test::RandomProblems;
using test::ScratchFolder;

const fs::path corpus = TALUS_CORPUS_DIR;

/// Equal to the last bit, the sign of zero included.
bool same_bits(const Vector& a, const Vector& b) {
  if (a.size() != b.size()) return false;
  return a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

void expect_same(const SparseMatrix& a, const SparseMatrix& b, const char* name) {
  EXPECT_EQ(a.rows, b.rows) << name;
  EXPECT_EQ(a.columns, b.columns) << name;
  EXPECT_EQ(a.row_start, b.row_start) << name;
  EXPECT_EQ(a.column, b.column) << name;
  EXPECT_TRUE(same_bits(a.value, b.value)) << name;
}

void expect_same(const GlobalModel& a, const GlobalModel& b) {
  expect_same(a.M, b.M, "M");
  expect_same(a.H, b.H, "H");
  expect_same(a.G, b.G, "G");
  EXPECT_TRUE(same_bits(a.f, b.f) && same_bits(a.w, b.w) && same_bits(a.b, b.b));
}

void expect_same(const LocalModel& a, const LocalModel& b) {
  expect_same(a.W, b.W, "W");
  expect_same(a.V, b.V, "V");
  expect_same(a.R, b.R, "R");
  expect_same(a.U, b.U, "U");
  EXPECT_TRUE(same_bits(a.q, b.q) && same_bits(a.s, b.s));
}

void expect_same(const FclibSolution& a, const FclibSolution& b) {
  EXPECT_TRUE(same_bits(a.v, b.v) && same_bits(a.u, b.u) && same_bits(a.r, b.r) &&
              same_bits(a.l, b.l));
}

void expect_same_frame(const ContactProblem& a, const ContactProblem& b) {
  EXPECT_EQ(a.dimension, b.dimension);
  EXPECT_TRUE(same_bits(a.mu, b.mu));
  EXPECT_EQ(a.title, b.title);
  EXPECT_EQ(a.description, b.description);
  EXPECT_EQ(a.math_info, b.math_info);
}

FclibFile round_trip(const FclibFile& file) {
  const ScratchFolder folder;
  write_fclib(folder.path("problem.hdf5"), file);
  EXPECT_EQ(folder.count(), 1) << "temporary files are left";
  return read_fclib(folder.path("problem.hdf5"));
}

FclibSolution random_solution(RandomProblems& random, const ContactProblem& problem) {
  return {random.vector(problem.dofs()), random.vector(problem.impulses()),
          random.vector(problem.impulses()), random.vector(problem.equalities())};
}

FclibFile complete(RandomProblems& random, ContactProblem problem) {
  FclibFile file;
  file.problem = std::move(problem);
  file.problem.title = "A title";
  file.problem.description = "two\nlines, µ and ≤";
  file.solution = random_solution(random, file.problem);
  file.guesses = {random_solution(random, file.problem), {}, random_solution(random, file.problem)};
  return file;
}

TEST(FclibRoundTrip, LocalModelsAreExact) {
  RandomProblems random(1);
  for (int k = 0; k < 40; ++k) {
    const FclibFile file = complete(random, random.local(2 + k % 2, k % 6, k % 4));
    const FclibFile again = round_trip(file);
    expect_same_frame(file.problem, again.problem);
    expect_same(std::get<LocalModel>(file.problem.model),
                std::get<LocalModel>(again.problem.model));
    expect_same(file.solution, again.solution);
    ASSERT_EQ(again.guesses.size(), 3u);
    for (int g = 0; g < 3; ++g) expect_same(file.guesses[g], again.guesses[g]);
    EXPECT_EQ(again.problem.law, Law::coulomb);
    EXPECT_EQ(again.problem.friction.kind, FrictionKind::cone);
  }
}

TEST(FclibRoundTrip, GlobalModelsAreExact) {
  RandomProblems random(2);
  for (int k = 0; k < 40; ++k) {
    const FclibFile file = complete(random, random.global(2 + k % 2, k % 6, 1 + k % 9, k % 4));
    const FclibFile again = round_trip(file);
    expect_same_frame(file.problem, again.problem);
    expect_same(std::get<GlobalModel>(file.problem.model),
                std::get<GlobalModel>(again.problem.model));
    expect_same(file.solution, again.solution);
    for (int g = 0; g < 3; ++g) expect_same(file.guesses[g], again.guesses[g]);
  }
}

TEST(FclibRoundTrip, MissingPartsOfSolutionsStayMissing) {
  RandomProblems random(12);
  FclibFile file{random.global(3, 2, 5, 1), {}, {}};
  file.solution.u = random.vector(6);
  const FclibFile again = round_trip(file);
  expect_same(file.solution, again.solution);
  const ScratchFolder folder;
  write_fclib(folder.path("problem.hdf5"), file);
  const Hdf5File stored = Hdf5File::open(folder.path("problem.hdf5"));
  EXPECT_EQ(stored.shape("/solution/v"), Hdf5Shape{5}) << "libfclib wants every dataset to exist";
  EXPECT_EQ(stored.shape("/solution/r"), Hdf5Shape{6});
  EXPECT_EQ(stored.shape("/solution/l"), Hdf5Shape{1});
}

TEST(FclibRoundTrip, ExtremeNumbersSurvive) {
  RandomProblems random(3);
  ContactProblem problem = random.local(3, 1, 0);
  std::get<LocalModel>(problem.model).q = {-0.0, std::numeric_limits<double>::denorm_min(),
                                           std::numeric_limits<double>::max()};
  const FclibFile again = round_trip({problem, {}, {}});
  EXPECT_TRUE(same_bits(std::get<LocalModel>(again.problem.model).q,
                        std::get<LocalModel>(problem.model).q));
}

TEST(FclibRoundTrip, RigidModelsBecomeGlobal) {
  RandomProblems random(4);
  for (int k = 0; k < 20; ++k) {
    const FclibFile file = complete(random, random.rigid(3 + k % 6, 1 + k % 5, k % 3));
    const FclibFile again = round_trip(file);
    expect_same_frame(file.problem, again.problem);
    expect_same(to_global(file.problem), std::get<GlobalModel>(again.problem.model));
    Vector mobile;
    for (const Index dof : mobile_dofs(std::get<RigidModel>(file.problem.model)))
      mobile.push_back(file.solution.v[dof]);
    EXPECT_TRUE(same_bits(again.solution.v, mobile));
    EXPECT_TRUE(same_bits(again.solution.r, file.solution.r));
  }
}

TEST(FclibRoundTrip, ProblemsWithoutContacts) {
  RandomProblems random(5);
  GlobalModel model;
  model.M = random.definite(6);
  model.f = random.vector(6);
  ContactProblem problem;
  problem.dimension = 2;
  problem.model = model;
  const FclibFile again = round_trip({problem, {}, {}});
  EXPECT_EQ(again.problem.contacts(), 0);
  EXPECT_EQ(again.problem.dofs(), 6);
  EXPECT_EQ(round_trip({ContactProblem{}, {}, {}}).problem.size(), 0);
}

TEST(FclibWrite, MakesTheLayoutSiconosReads) {
  RandomProblems random(6);
  const ScratchFolder folder;
  const std::string path = folder.path("problem.hdf5");
  const ContactProblem local = random.local(3, 2, 1);
  write_fclib(path, {local, {}, {}});
  {
    const Hdf5File file = Hdf5File::open(path);
    EXPECT_EQ(file.read<Index>("/fclib_local/W/nz"), (std::vector<Index>{-2}));
    EXPECT_EQ(file.read<Index>("/fclib_local/W/p"), std::get<LocalModel>(local.model).W.row_start);
    EXPECT_GE(file.read_value<Index>("/fclib_local/V/nz"), 0);
    EXPECT_GE(file.read_value<Index>("/fclib_local/R/nz"), 0);
    EXPECT_EQ(file.read_string("/fclib_local/info/title"), "");
    EXPECT_FALSE(file.has("/solution") || file.has("/guesses"));
    EXPECT_FALSE(file.has_attribute("/fclib_local/info", "numberOfDegreeOfFreedom"));
  }
  const ContactProblem rigid = random.rigid(5, 3, 0); // body 3 is immovable
  write_fclib(path, {rigid, {}, {}});
  const Hdf5File file = Hdf5File::open(path);
  EXPECT_EQ(file.read_attribute<Index>("/fclib_global/info", "numberOfDegreeOfFreedom"), 24);
  EXPECT_EQ(file.read_attribute<Index>("/fclib_global/info", "numberOfInvolvedDS"), 4);
  EXPECT_EQ(file.read_value<Index>("/fclib_global/spacedim"), 3);
  EXPECT_FALSE(file.has("/fclib_global/G"));
  // Triplets: p is the column. H is 24 x 9, so a row index above 8 tells them apart.
  const auto columns = file.read<Index>("/fclib_global/H/p");
  const auto rows = file.read<Index>("/fclib_global/H/i");
  EXPECT_LT(*std::max_element(columns.begin(), columns.end()), 9);
  EXPECT_GT(*std::max_element(rows.begin(), rows.end()), 8);
}

TEST(FclibWrite, FoldsComplianceIntoLocalProblems) {
  RandomProblems random(7);
  ContactProblem problem = random.local(2, 2, 1);
  problem.compliance = {0.5, 0, 0, 0.25, 2};
  std::get<LocalModel>(problem.model).R = zero_matrix(1, 1);
  const FclibFile again = round_trip({problem, {}, {}});
  const LocalModel& before = std::get<LocalModel>(problem.model);
  const LocalModel& after = std::get<LocalModel>(again.problem.model);
  EXPECT_TRUE(again.problem.compliance.empty());
  for (Index i = 0; i < 4; ++i)
    for (Index j = 0; j < 4; ++j)
      EXPECT_EQ(entry(after.W, i, j),
                entry(before.W, i, j) + (i == j ? problem.compliance[i] : 0.0));
  EXPECT_EQ(entry(after.R, 0, 0), 2);
}

TEST(FclibWrite, GivesComplianceOfGlobalProblemsDegreesOfFreedom) {
  RandomProblems random(7);
  for (const ContactProblem& rigid : {random.global(3, 2, 4, 2), random.rigid(4, 3, 2)}) {
    ContactProblem problem = rigid;
    problem.compliance = random.vector(problem.size(), 0.1, 1);
    problem.compliance[1] = 0;
    FclibFile file{problem, {}, {}};
    const Vector x = random.vector(problem.size(), -1, 1);
    file.solution.r.assign(x.begin(), x.begin() + problem.impulses());
    file.solution.l.assign(x.begin() + problem.impulses(), x.end());
    file.solution.v = random.vector(problem.dofs(), -1, 1);
    const FclibFile again = round_trip(file);
    const auto n = make_operator(problem), m = make_operator(again.problem);
    Vector y(problem.size()), z(problem.size());
    n->apply(x, y);
    m->apply(x, z);
    for (Index i = 0; i < problem.size(); ++i) EXPECT_NEAR(y[i], z[i], 1e-12);
    // A spring's velocity is E x.
    const std::size_t springs = problem.size() - 1;
    ASSERT_GT(again.solution.v.size(), springs);
    const double* v = &again.solution.v[again.solution.v.size() - springs];
    EXPECT_EQ(v[0], problem.compliance[0] * x[0]);
    EXPECT_EQ(v[1], problem.compliance[2] * x[2]);
    EXPECT_EQ(v[springs - 1], problem.compliance.back() * x.back());
  }
}

TEST(FclibWrite, RefusesWhatTheFormatCannotHold) {
  RandomProblems random(8);
  const ScratchFolder folder;
  const std::string path = folder.path("problem.hdf5");
  const auto refused = [&](const FclibFile& file) {
    EXPECT_THROW(write_fclib(path, file), InvalidProblem);
    EXPECT_EQ(folder.count(), 0);
  };
  refused({random.local(1, 3, 0), {}, {}});
  ContactProblem coupled = random.local(3, 2, 2);
  std::get<LocalModel>(coupled.model).U = zero_matrix(2, 6);
  refused({coupled, {}, {}});
  ContactProblem invalid = random.local(3, 2, 0);
  invalid.mu[0] = -1;
  refused({invalid, {}, {}});
  FclibFile wrong_solution{random.local(3, 2, 0), {}, {}};
  wrong_solution.solution.r = Vector(5, 0.0);
  refused(wrong_solution);
  FclibFile wrong_guess{random.local(3, 2, 0), {{}}, {}};
  wrong_guess.guesses[0].u = Vector(6, std::numeric_limits<double>::quiet_NaN());
  refused(wrong_guess);

  std::get<LocalModel>(coupled.model).U = transpose(std::get<LocalModel>(coupled.model).V);
  EXPECT_NO_THROW(write_fclib(path, {coupled, {}, {}})) << "U = Vᵀ is what the format means";
}

TEST(FclibWrite, UnwritableTargetsAreErrorsAndLeaveNothing) {
  RandomProblems random(9);
  const ScratchFolder folder;
  const FclibFile file{random.local(3, 2, 0), {}, {}};
  folder.write("regular", "content");
  EXPECT_THROW(write_fclib(folder.path("none/problem.hdf5"), file), FileError);
  EXPECT_THROW(write_fclib(folder.path("regular/problem.hdf5"), file), FileError);
  EXPECT_THROW(write_fclib(folder.path(""), file), FileError);
  EXPECT_EQ(folder.count(), 1);
  EXPECT_NO_THROW(write_fclib(folder.path("regular"), file)) << "an existing file is replaced";
  EXPECT_NO_THROW(read_fclib(folder.path("regular")));
}

class CorpusFclib : public testing::Test {
protected:
  void SetUp() override {
    if (!fs::exists(corpus / "local")) GTEST_SKIP() << "no corpus in " << corpus;
  }
};

TEST_F(CorpusFclib, EveryFileLoadsAndRoundTrips) {
  int count = 0;
  for (const char* folder : {"local", "global", "local2d", "global2d", "chrono"})
    for (const auto& entry : fs::directory_iterator(corpus / folder)) {
      const FclibFile file = read_fclib(entry.path().string());
      EXPECT_NO_THROW(validate(file.problem)) << entry.path();
      const bool planar = std::string(folder).ends_with("2d");
      EXPECT_EQ(file.problem.dimension, planar ? 2 : 3) << entry.path();
      const bool local = std::string(folder).starts_with("local");
      EXPECT_EQ(std::holds_alternative<LocalModel>(file.problem.model), local) << entry.path();
      EXPECT_EQ(file.problem.equalities(), 0) << entry.path();
      EXPECT_FALSE(file.problem.title.empty()) << entry.path();
      const FclibFile again = round_trip(file);
      expect_same_frame(file.problem, again.problem);
      if (local)
        expect_same(std::get<LocalModel>(file.problem.model),
                    std::get<LocalModel>(again.problem.model));
      else
        expect_same(std::get<GlobalModel>(file.problem.model),
                    std::get<GlobalModel>(again.problem.model));
      expect_same(file.solution, again.solution);
      EXPECT_EQ(file.guesses.size(), again.guesses.size());
      ++count;
    }
  EXPECT_EQ(count, 55);
}

TEST_F(CorpusFclib, SizesAreTheKnownOnes) {
  struct Expected {
    const char* name;
    Index contacts, dofs;
  };
  const Expected table[] = {
      {"local/OneObject-i1028-138", 23, 0},
      {"local/OneObject-i100000-316", 25, 0},
      {"local/BoxesStack1-i100000-32", 52, 0},
      {"local/Confeti-ex03-Fc3D-SBM", 54, 0},
      {"local/LMGC_100_PR_PerioBox-i00361-60-03000", 60, 0},
      {"local/Capsules-i101-404", 225, 0},
      {"local/Capsules-i100-1090", 276, 0},
      {"local/Capsules-i125-1213", 286, 0},
      {"local/RockPile_tob1", 463, 0},
      {"local/KaplasTower-i1061-4", 570, 0},
      {"global/Box_Stacks-i0122-82-5", 82, 0},
      {"global/Spheres-i099-356-679", 356, 12000},
      {"global2d/gfc2d_granularflowonwall_00000_00117", 0, 900},
      {"global2d/gfc2d_granularflowonwall_00069_00350", 69, 900},
      {"global2d/gfc2d_granularflowonwall_00230_00206", 230, 9000},
      {"local2d/fc2d_granularflowonwall_07002_00801", 7002, 0},
      {"chrono/A1000_mu25", 3602, 6000},
      {"chrono/A1000_mu0", 4279, 6000},
      {"chrono/B1000_m1000", 3556, 0},
      {"chrono/B1000_m16000", 3445, 0},
      {"chrono/C320_good", 1141, 1920},
  };
  for (const Expected& expected : table) {
    const ContactProblem problem =
        read_problem((corpus / (std::string(expected.name) + ".hdf5")).string());
    EXPECT_EQ(problem.contacts(), expected.contacts) << expected.name;
    if (expected.dofs > 0) {
      EXPECT_EQ(problem.dofs(), expected.dofs) << expected.name;
    }
  }
}

TEST_F(CorpusFclib, TwoStoragesOfOneProblemAgree) {
  const auto local = [](const char* name) {
    return std::get<LocalModel>(read_problem((corpus / "local" / name).string()).model);
  };
  const LocalModel dense_model = local("FC3D_Example1.hdf5");
  const LocalModel blocks = local("FC3D_Example1_SBM.hdf5");
  EXPECT_EQ(dense(dense_model.W), dense(blocks.W));
  EXPECT_EQ(dense_model.q, blocks.q);
}

TEST_F(CorpusFclib, SolutionsAndGuessesAreRead) {
  const FclibFile file = read_fclib((corpus / "global/Spheres-i099-356-679.hdf5").string());
  EXPECT_EQ(file.solution.u.size(), 1068u);
  EXPECT_TRUE(file.solution.v.empty()) << "the dataset exists but was never filled";
  EXPECT_TRUE(file.solution.r.empty()) << "the dataset exists but was never filled";
  EXPECT_TRUE(file.solution.l.empty());
  ASSERT_EQ(file.guesses.size(), 1u);
  EXPECT_EQ(file.guesses[0].u.size(), 1068u);
}

} // namespace
} // namespace talus
