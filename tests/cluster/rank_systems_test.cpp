// Solvers whose linear systems over ranks are solved by an engine: the answers of one process
// within the tolerance, refusals, and engines that fail.

#include "cluster/thread_ranks.h"
#include "talus/cluster/divide_problem.h"
#include "talus/problem/files/fclib_file.h"
#include "talus/solve/options.h"
#include "talus/solve/registry.h"

#include <gtest/gtest.h>

#include <cmath>

namespace talus {
namespace {

using test::run_ranks;

ContactProblem stored(const std::string& name) {
  return read_fclib(TALUS_TEST_DATA_DIR "/" + name + ".hdf5").problem;
}

constexpr double wanted = 1e-8;

std::unique_ptr<Solver> solver_with_engine(const std::string& name, const std::string& engine) {
  auto solver = make_solver(name);
  set_option(*solver, "linear", engine);
  return solver;
}

SolveOptions with_tolerance() {
  SolveOptions options;
  options.tolerance = wanted;
  options.max_iterations = 2000;
  return options;
}

/// All ranks have the same answer.
SolveResult solved_over(int count, const ContactProblem& problem, const std::string& name) {
  std::vector<SolveResult> results(count);
  run_ranks(count, [&](Ranks& ranks) {
    const auto solver = solver_with_engine(name, "mumps");
    results[ranks.rank()] = solve_over_ranks(*solver, problem, with_tolerance(), ranks,
                                             {.bodies_per_cell = 2, .most_contacts = 40});
  });
  for (const SolveResult& result : results) {
    EXPECT_EQ(result.x, results[0].x);
    EXPECT_EQ(result.status, results[0].status);
    EXPECT_EQ(result.iterations, results[0].iterations);
    EXPECT_EQ(result.work, results[0].work);
  }
  return std::move(results.back());
}

double distance_of(const Vector& a, const Vector& b) {
  double sum = 0, size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    sum += (a[i] - b[i]) * (a[i] - b[i]);
    size += b[i] * b[i];
  }
  return std::sqrt(sum / std::max(size, 1e-300));
}

class RankSystems : public testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(RankSystems, AnswerAsOneProcessDoes) {
  const auto [name, file] = GetParam();
  const ContactProblem problem = stored(file);
  const auto n = make_operator(problem);
  const auto own = make_solver(name);
  const SolveResult one = solve(*own, problem, *n, with_tolerance());
  ASSERT_EQ(one.status, Status::converged) << one.message;
  for (const int count : {1, 2, 4}) {
    const SolveResult result = solved_over(count, problem, name);
    ASSERT_EQ(result.status, Status::converged) << count << " ranks: " << result.message;
    EXPECT_LE(judge(problem, *n, result.x).error, 1.01 * wanted) << count << " ranks";
    const auto v = [&](const SolveResult& r) {
      Vector velocity(n->dofs());
      n->generalized_velocity(r.x, velocity);
      return velocity;
    };
    EXPECT_LT(distance_of(v(result), v(one)), 1e-5) << count << " ranks";
  }
}

std::vector<std::pair<const char*, const char*>> cases() {
  std::vector<std::pair<const char*, const char*>> all;
  for (const char* solver : {"admm", "prox-newton", "conic-ip"})
    for (const char* file : {"box_tower", "masonry_arch", "card_house", "chain_on_post",
                             "cam_follower", "slider_crank"})
      all.emplace_back(solver, file);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Solvers, RankSystems, testing::ValuesIn(cases()), [](const auto& test) {
  std::string name = std::string(test.param.first) + "_" + test.param.second;
  std::ranges::replace(name, '-', '_');
  return name;
});

TEST(RankSystems, AreRefusedInOneProcess) {
  const ContactProblem problem = stored("box_tower");
  for (const char* name : {"admm", "prox-newton", "conic-ip"}) {
    const SolveResult result = solve(*solver_with_engine(name, "gamg"), problem, with_tolerance());
    EXPECT_EQ(result.status, Status::unsupported) << name;
    EXPECT_NE(result.message.find("linear = gamg"), std::string::npos) << result.message;
    EXPECT_NE(result.message.find("talus-mpi"), std::string::npos) << result.message;
  }
}

TEST(RankSystems, HaveToBeChosen) {
  const ContactProblem problem = stored("box_tower");
  for (const char* name : {"prox-newton", "conic-ip"}) {
    const auto solver = make_solver(name);
    EXPECT_FALSE(solver->refuses_ranks().empty());
    run_ranks(2, [&](Ranks& ranks) {
      const auto own = make_solver(name);
      const SolveResult result = solve_over_ranks(*own, problem, with_tolerance(), ranks);
      EXPECT_EQ(result.status, Status::unsupported);
      EXPECT_NE(result.message.find("linear = mumps"), std::string::npos) << result.message;
    });
    set_option(*solver, "linear", "mumps");
    EXPECT_TRUE(solver->refuses_ranks().empty());
    EXPECT_FALSE(solver->has_same_bits_over_ranks());
  }
  EXPECT_TRUE(make_solver("admm")->has_same_bits_over_ranks());
  EXPECT_FALSE(solver_with_engine("admm", "mumps")->has_same_bits_over_ranks());
}

TEST(RankSystems, DoNotComeWithEveryKindOfRanks) {
  Ranks ranks;
  const auto solver = solver_with_engine("admm", "mumps");
  const SolveResult result =
      solve_over_ranks(*solver, stored("box_tower"), with_tolerance(), ranks);
  EXPECT_EQ(result.status, Status::unsupported);
  EXPECT_NE(result.message.find("talus-mpi"), std::string::npos) << result.message;
}

/// Cannot factorise, or cannot solve.
class FailingSystem : public BlockSystem {
public:
  explicit FailingSystem(bool factorises) : factorises_(factorises) {}
  bool factorise(ConstSpan) override { return factorises_; }
  bool solve(ConstSpan, double, Span) override { return false; }

private:
  bool factorises_;
};

class RanksThatFail : public Ranks {
public:
  explicit RanksThatFail(bool factorises) : factorises_(factorises) {}
  bool has_block_systems() const override { return true; }

protected:
  std::unique_ptr<BlockSystem> do_make_block_system(BlockSystemPlan) override {
    return std::make_unique<FailingSystem>(factorises_);
  }

private:
  bool factorises_;
};

TEST(RankSystems, EndWithAMessageWhenTheEngineFails) {
  const ContactProblem problem = stored("box_tower");
  for (const char* name : {"admm", "prox-newton"})
    for (const bool factorises : {false, true}) {
      RanksThatFail ranks(factorises);
      const auto solver = solver_with_engine(name, "mumps");
      const SolveResult result = solve_over_ranks(*solver, problem, with_tolerance(), ranks);
      EXPECT_EQ(result.status, Status::stalled) << name << ": " << result.message;
      EXPECT_FALSE(result.message.empty()) << name;
    }
}

/// Not again and again for every problem of the fixed point of Coulomb's law.
TEST(RankSystems, EndTheFixedPointWhenTheEngineFails) {
  RanksThatFail ranks(false);
  const auto solver = solver_with_engine("conic-ip", "mumps");
  const SolveResult result =
      solve_over_ranks(*solver, stored("box_tower"), with_tolerance(), ranks);
  EXPECT_EQ(result.status, Status::unsupported) << result.message;
  EXPECT_NE(result.message.find("mumps"), std::string::npos) << result.message;
}

} // namespace
} // namespace talus
