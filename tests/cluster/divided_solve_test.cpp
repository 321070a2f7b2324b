// Problems divided over ranks that are threads: every answer has the same bits.

#include "cluster/thread_ranks.h"
#include "talus/cluster/divide_problem.h"
#include "talus/core/parallel.h"
#include "talus/problem/delassus/body_structure.h"
#include "talus/problem/delassus/sweep_rows.h"
#include "talus/problem/files/fclib_file.h"
#include "talus/solve/registry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

namespace talus {
namespace {

using test::run_ranks;

ContactProblem problem_of(const std::string& name) {
  return read_fclib(TALUS_TEST_DATA_DIR "/" + name + ".hdf5").problem;
}

struct Request {
  std::string solver = "apgd";
  int ranks = 1, threads = 1;
  double tolerance = 1e-6;
  long max_iterations = 300;
  DivideOptions division = {.bodies_per_cell = 4, .most_contacts = 40};
  bool messages = false;
};

/// The answer on the last rank; all ranks must have the same.
SolveResult divided(const ContactProblem& problem, const Request& request) {
  std::vector<SolveResult> results(request.ranks);
  run_ranks(request.ranks, [&](Ranks& ranks) {
    with_threads(request.threads, [&] {
      const auto solver = make_solver(request.solver);
      SolveOptions options;
      options.tolerance = request.tolerance;
      options.max_iterations = request.max_iterations;
      results[ranks.rank()] = solve_over_ranks(*solver, problem, options, ranks, request.division);
    });
  });
  for (const SolveResult& result : results) {
    EXPECT_EQ(result.x, results[0].x);
    EXPECT_EQ(result.quality.error, results[0].quality.error);
    EXPECT_EQ(result.status, results[0].status);
  }
  return std::move(results.back());
}

Index shared_bodies(const ContactProblem& problem, const DivideOptions& division) {
  Ranks one;
  return divide_problem(problem, one, division)->shared;
}

void expect_same_answer(const SolveResult& a, const SolveResult& b, const std::string& what) {
  EXPECT_EQ(a.status, b.status) << what << ": " << a.message << " / " << b.message;
  EXPECT_EQ(a.iterations, b.iterations) << what;
  EXPECT_EQ(a.products, b.products) << what;
  EXPECT_EQ(a.x, b.x) << what;
  EXPECT_EQ(a.u, b.u) << what;
  EXPECT_EQ(a.quality.error, b.quality.error) << what;
  EXPECT_EQ(a.quality.violation, b.quality.violation) << what;
  EXPECT_EQ(a.quality.objective, b.quality.objective) << what;
  EXPECT_EQ(a.quality.error_fclib, b.quality.error_fclib) << what;
}

class DividedSolve : public testing::TestWithParam<const char*> {};

TEST_P(DividedSolve, HasTheSameBitsForAllRanksAndThreads) {
  const ContactProblem problem = problem_of("settled_balls");
  Request request{.solver = GetParam()};
  const SolveResult one = divided(problem, request);
  EXPECT_LT(one.quality.error, 0.5);
  for (const int ranks : {1, 2, 3, 4, 8})
    for (const int threads : {1, 2}) {
      request.ranks = ranks;
      request.threads = threads;
      expect_same_answer(divided(problem, request), one,
                         std::to_string(ranks) + " ranks, " + std::to_string(threads) + " threads");
    }
}

INSTANTIATE_TEST_SUITE_P(Solvers, DividedSolve,
                         testing::Values("jacobi", "pgd", "apgd", "coulomb-apgd", "spg", "bb",
                                         "cpg", "kucera", "gpminres", "nsgs", "ansgs", "nncg"),
                         [](const auto& solver) {
                           std::string name = solver.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST(DividedProblem, SolvesTheWholeProblem) {
  for (const auto& [name, solver] : {std::pair{"settled_balls", "coulomb-apgd"},
                                     {"settling_balls", "coulomb-apgd"},
                                     {"hourglass_neck", "coulomb-apgd"},
                                     {"settled_balls", "ansgs"},
                                     {"settling_balls", "nsgs"},
                                     {"hourglass_neck", "ansgs"}}) {
    const ContactProblem problem = problem_of(name);
    const SolveResult result =
        divided(problem, {.solver = solver, .ranks = 3, .tolerance = 1e-3, .max_iterations = 3000});
    EXPECT_EQ(result.status, Status::converged) << name << ", " << solver << ": " << result.message;
    // The judge of one process agrees about the answer of the ranks.
    const auto n = make_operator(problem);
    EXPECT_NEAR(judge(problem, *n, result.x).error, result.quality.error,
                1e-6 * result.quality.error)
        << name;
  }
}

TEST(DividedProblem, KeepsRowsAndSharedBodies) {
  for (const char* name : {"slider_crank", "cam_follower", "chain_on_post"})
    for (const char* solver : {"apgd", "nsgs", "ansgs"}) {
      const ContactProblem problem = problem_of(name);
      Request request{.solver = solver, .max_iterations = 2000};
      request.division.bodies_per_cell = 1;
      const SolveResult one = divided(problem, request);
      for (const int ranks : {2, 3, 8}) {
        request.ranks = ranks;
        expect_same_answer(divided(problem, request), one, name);
      }
      const auto n = make_operator(problem);
      EXPECT_NEAR(judge(problem, *n, one.x).error, one.quality.error,
                  1e-9 + 1e-6 * one.quality.error)
          << name;
    }
}

class DividedAnywhere : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Solvers, DividedAnywhere, testing::Values("spg", "nsgs", "ansgs", "nncg"));

TEST_P(DividedAnywhere, HasTheSameBits) {
  const ContactProblem problem = problem_of("settling_balls");
  Request request{.solver = GetParam(), .max_iterations = 100};
  request.division.most_contacts = 4;
  EXPECT_GT(shared_bodies(problem, request.division), 0);
  const SolveResult one = divided(problem, request);
  std::mt19937 random(7);
  for (int trial = 0; trial < 20; ++trial) {
    request.ranks = 2 + static_cast<int>(random() % 4);
    request.division.cuts.clear();
    for (int k = 1; k < request.ranks; ++k)
      request.division.cuts.push_back(static_cast<Index>(random() % 40));
    std::ranges::sort(request.division.cuts); // equal cuts: ranks without anything
    expect_same_answer(divided(problem, request), one, "trial " + std::to_string(trial));
  }
}

/// Cells share the bodies that all ranks have, and a sweep still comes to the answer.
TEST(DividedProblem, SweepsSolveProblemsWithSharedBodies) {
  const ContactProblem problem = problem_of("settling_balls");
  Request request{.solver = "ansgs", .ranks = 3, .tolerance = 1e-4, .max_iterations = 5000};
  request.division.most_contacts = 4;
  EXPECT_GT(shared_bodies(problem, request.division), 0);
  const SolveResult result = divided(problem, request);
  EXPECT_EQ(result.status, Status::converged) << result.message;
}

TEST(DividedProblem, RefusesSolversThatDoNotRunOverRanks) {
  const ContactProblem problem = problem_of("settled_balls");
  const SolveResult result = divided(problem, {.solver = "newton", .ranks = 2});
  EXPECT_EQ(result.status, Status::unsupported);
  EXPECT_NE(result.message.find("newton does not run over ranks"), std::string::npos);
  EXPECT_NE(result.message.find("apgd"), std::string::npos);
}

/// Bytes of a product: 24 per contact between two ranks and 48 per body seen from a lower one.
TEST(DividedProblem, SendsWhatTheModelSays) {
  const ContactProblem problem = problem_of("settled_balls");
  run_ranks(3, [&](Ranks& ranks) {
    const auto part = divide_problem(problem, ranks, {.bodies_per_cell = 4});
    ASSERT_GT(part->problem.contacts(), 0);
    Vector x(part->n->size(), 1.0), y(part->n->size());
    const Traffic before = ranks.traffic();
    part->n->apply(x, y);
    const Traffic after = ranks.traffic();
    EXPECT_EQ(after.copies - before.copies, 2);
    EXPECT_EQ(after.reductions - before.reductions, part->shared > 0 ? 1 : 0);
    const std::int64_t ghosts = ranks.sum(std::int64_t{part->ghosts});
    const std::int64_t foreign = ranks.sum(static_cast<std::int64_t>(part->foreign_contacts));
    const std::int64_t bytes = ranks.sum(after.bytes - before.bytes);
    EXPECT_EQ(bytes, 48 * ghosts + 24 * foreign);
    EXPECT_LE(after.messages - before.messages, 2 * (ranks.count() - 1));
  });
}

/// Of a sweep: 48 for every cell that changes a body and every other rank that has the body.
TEST(DividedProblem, SweepsSendWhatTheModelSays) {
  const ContactProblem problem = problem_of("settled_balls");
  const auto layout = recognise_bodies<6, 3>(std::get<GlobalModel>(problem.model));
  ASSERT_TRUE(layout);
  std::vector<std::vector<Index>> bodies(3), contacts(3);
  std::vector<Division> divisions(3);
  std::int64_t bytes = 0;
  run_ranks(3, [&](Ranks& ranks) {
    const auto part = divide_problem(problem, ranks, {.bodies_per_cell = 4});
    ASSERT_EQ(part->shared, 0);
    auto rows = std::get<BodyRows<BlockLayout<6, 3>>>(part->n->rows());
    rows.reset(Vector(part->n->size(), 0.0));
    const Traffic before = ranks.traffic();
    rows.for_each_contact(false, [](Index) {});
    const Traffic after = ranks.traffic();
    EXPECT_LE(after.copies - before.copies, part->n->division()->colours);
    EXPECT_EQ(after.reductions - before.reductions, 0);
    const std::int64_t sent = ranks.sum(after.bytes - before.bytes);
    bodies[ranks.rank()] = part->bodies;
    contacts[ranks.rank()] = part->contacts;
    divisions[ranks.rank()] = *part->n->division();
    if (ranks.rank() == 0) bytes = sent;
  });
  std::vector<std::int64_t> holders(layout->bodies(), 0);
  for (const auto& list : bodies)
    for (const Index body : list) ++holders[body];
  std::int64_t sends = 0;
  for (int r = 0; r < 3; ++r)
    for (Index cell = 0; cell < divisions[r].cells(); ++cell) {
      std::set<Index> changed;
      for (Index k = divisions[r].cell_start[cell]; k < divisions[r].cell_start[cell + 1]; ++k)
        for (const Index body :
             {layout->contact_bodies[contacts[r][k]].a, layout->contact_bodies[contacts[r][k]].b})
          if (body >= 0) changed.insert(body);
      for (const Index body : changed) sends += holders[body] - 1;
    }
  EXPECT_GT(sends, 0);
  EXPECT_EQ(bytes, 48 * sends);
}

TEST(Ranks, AgreeOnFailures) {
  std::vector<std::string> heard(3);
  run_ranks(3, [&](Ranks& ranks) {
    try {
      ranks.together([&] {
        if (ranks.rank() == 1) throw InvalidArgument("the second rank has no paper");
      });
    } catch (const RankFailed& failure) {
      EXPECT_EQ(failure.rank(), 1);
      heard[ranks.rank()] = failure.what();
    }
  });
  for (const std::string& message : heard) EXPECT_EQ(message, "the second rank has no paper");
}

TEST(Ranks, OneThatFailsAloneDoesNotLeaveTheOthersWaiting) {
  EXPECT_THROW(run_ranks(3,
                         [&](Ranks& ranks) {
                           if (ranks.rank() == 2) throw InvalidArgument("gone");
                           ranks.sum(std::int64_t{1});
                         }),
               InvalidArgument);
}

TEST(Ranks, OneProcessIsTheDefault) {
  Ranks ranks;
  EXPECT_EQ(ranks.sum(std::int64_t{7}), 7);
  EXPECT_EQ(ranks.max(2.5), 2.5);
  EXPECT_EQ(ranks.min(2.5), 2.5);
  EXPECT_EQ(ranks.before(3), 0);
  EXPECT_FALSE(ranks.any(false));
  EXPECT_THROW(ranks.together([] { throw InvalidArgument("alone"); }), InvalidArgument);
}

TEST(Ranks, MaximaKeepNaN) {
  run_ranks(2, [](Ranks& ranks) {
    EXPECT_TRUE(std::isnan(ranks.max(ranks.rank() == 0 ? std::nan("") : 1e300)));
    EXPECT_EQ(ranks.max(ranks.rank()), 1);
    EXPECT_EQ(ranks.min(1 + ranks.rank()), 1);
    EXPECT_EQ(ranks.before(5), 5 * ranks.rank());
  });
}

} // namespace
} // namespace talus
