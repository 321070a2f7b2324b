#include "solve/feasible_problems.h"
#include "solve/system_residual.h"
#include "support/corpus.h"
#include "talus/core/error.h"
#include "talus/core/vector_ops.h"
#include "talus/problem/files/problem_file.h"
#include "talus/problem/scaled/natural_map.h"
#include "talus/solve/newton/newton_functions.h"
#include "talus/solve/newton/newton_system.h"
#include "talus/solve/options.h"
#include "talus/solve/registry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>

namespace talus {
namespace {

using test::FeasibleProblems;
using test::ProblemTraits;
using test::relative_residual;

const std::filesystem::path corpus = TALUS_CORPUS_DIR;

const std::vector<FrictionSet> newton_sets = {
    {FrictionKind::none},     {FrictionKind::box},           {FrictionKind::pyramid},
    {FrictionKind::prism, 6}, {FrictionKind::polyhedron, 8}, {FrictionKind::cylinder},
    {FrictionKind::cone}};

TEST(DelassusOperator, MatrixAndPrimalPiecesAreTheOperator) {
  FeasibleProblems problems(6);
  test::RandomProblems random(7);
  for (int trial = 0; trial < 30; ++trial) {
    ProblemTraits traits;
    traits.dimension = 1 + trial % 3;
    traits.body_structure = traits.dimension == 3 && trial % 2 == 0;
    traits.equalities = trial % 3;
    ContactProblem problem = problems.make(traits);
    if (trial % 2 == 1) problem.compliance = random.vector(problem.size(), 0, 1);
    for (const OperatorStorage face :
         {OperatorStorage::automatic, OperatorStorage::explicit_matrix}) {
      const auto n = make_operator(problem, face);
      const Vector x = random.vector(problem.size());
      Vector y(problem.size()), expected(problem.size());
      n->apply(x, expected);
      multiply(n->matrix(), x, y);
      EXPECT_LT(distance(y, expected), 1e-12 * (1 + norm(expected))) << n->face();
      const auto pieces = n->primal();
      EXPECT_EQ(pieces.has_value(), face == OperatorStorage::automatic);
      if (!pieces) continue;
      Vector wrench(pieces->mass.rows), momentum(pieces->mass.rows), v(pieces->mass.rows);
      // M̃ v = D̃ x is checked from the velocity side: D̃ᵀ v + E x = N x.
      multiply(transpose(pieces->rows), x, wrench);
      if (std::string_view(n->face()) == "bodies") {
        v = wrench; // M̃ = I
      } else {
        Vector v_free(n->dofs());
        n->generalized_velocity(Vector(problem.size(), 0.0), v_free);
        n->generalized_velocity(x, v);
        axpy(-1.0, v_free, v);
      }
      multiply(pieces->mass, v, momentum);
      EXPECT_LT(distance(momentum, wrench), 1e-10 * (1 + norm(wrench))) << n->face();
      multiply(pieces->rows, v, y);
      for (std::size_t i = 0; i < problem.compliance.size(); ++i)
        y[i] += problem.compliance[i] * x[i];
      EXPECT_LT(distance(y, expected), 1e-10 * (1 + norm(expected))) << n->face();
    }
  }
}

/// Compares F'(z) d = (C + K N) d with central differences on random problems of the given sets.
template <class Function, class Derivative>
void check_derivative(const std::vector<FrictionSet>& sets, Law law, const Function& function,
                      const Derivative& derivative) {
  FeasibleProblems problems(21);
  test::RandomProblems random(22);
  for (int trial = 0; trial < 40; ++trial) {
    ProblemTraits traits;
    traits.dimension = 2 + trial % 2;
    traits.friction = sets[trial % sets.size()];
    traits.law = law;
    traits.equalities = trial % 2;
    traits.contacts = 3;
    const ContactProblem problem = problems.make(traits);
    const auto n = make_operator(problem);
    const ScaledProblem scaled(problem, *n);
    const Vector z = random.vector(scaled.size()), direction = random.vector(scaled.size());
    const auto value_at = [&](double t) {
      Vector x = z, u(scaled.size()), f(scaled.size());
      axpy(t, direction, x);
      scaled.velocity(x, u);
      function(scaled, x, u, f);
      return f;
    };
    Vector u(scaled.size()), c(block_diagonal_size(scaled)), k(c.size());
    scaled.velocity(z, u);
    derivative(scaled, z, u, c, k);
    const double h = 1e-6;
    Vector difference = value_at(h);
    axpy(-1.0, value_at(-h), difference);
    scale(1 / (2 * h), difference);
    EXPECT_LT(relative_residual(scaled, c, k, difference, direction), 1e-6) << trial;
  }
}

TEST(NewtonFunctions, MinMaxDerivativeMatchesDifferences) {
  const auto function = [](const ScaledProblem& p, ConstSpan z, ConstSpan u, Span f) {
    min_max(p, z, u, f);
  };
  const auto derivative = [](const ScaledProblem& p, ConstSpan z, ConstSpan u, Span c, Span k) {
    min_max_derivative(p, true, z, u, c, k);
  };
  check_derivative({{FrictionKind::none}, {FrictionKind::box}, {FrictionKind::pyramid}},
                   Law::coulomb, function, derivative);
}

TEST(NewtonFunctions, AlartCurnierDerivativeMatchesDifferences) {
  const auto function = [](const ScaledProblem& p, ConstSpan z, ConstSpan u, Span f) {
    alart_curnier(p, {}, z, u, f);
  };
  const auto derivative = [](const ScaledProblem& p, ConstSpan z, ConstSpan u, Span c, Span k) {
    alart_curnier_derivative(p, {}, true, z, u, c, k);
  };
  check_derivative(newton_sets, Law::coulomb, function, derivative);
}

TEST(NewtonFunctions, VanishAtTheSolution) {
  FeasibleProblems problems(23);
  const auto solver = make_solver("prox-newton");
  for (int trial = 0; trial < 30; ++trial) {
    ProblemTraits traits;
    traits.dimension = 2 + trial % 2;
    traits.friction = std::array<FrictionSet, 4>{{{FrictionKind::none},
                                                  {FrictionKind::box},
                                                  {FrictionKind::pyramid},
                                                  {FrictionKind::cone}}}[trial / 2 % 4];
    const ContactProblem problem = problems.make(traits);
    SolveOptions options;
    options.tolerance = 1e-11;
    const SolveResult result = solve(*solver, problem, options);
    ASSERT_EQ(result.status, Status::converged) << result.message;
    const auto n = make_operator(problem);
    const ScaledProblem scaled(problem, *n);
    Vector z(scaled.size()), u(scaled.size()), f(scaled.size());
    scaled.to_scaled(result.x, z);
    scaled.velocity(z, u);
    if (min_max_refusal(scaled).empty()) {
      EXPECT_LT(min_max(scaled, z, u, f), 1e-8) << trial;
    }
    EXPECT_LT(alart_curnier(scaled, {}, z, u, f), 1e-8) << trial;
  }
}

TEST(Newton, StopsAtALocalMinimumOfItsMeritFunctionIfTold) {
  FeasibleProblems problems(25);
  const auto solver = make_solver("newton");
  set_option(*solver, "largest_regularisation", "0");
  set_option(*solver, "minimum_step", "0");
  int solved = 0, stopped = 0;
  for (int trial = 0; trial < 40; ++trial) {
    ProblemTraits traits;
    traits.body_structure = true;
    traits.duplicated = trial % 2 == 0;
    const SolveResult result = solve(*solver, problems.make(traits), SolveOptions());
    if (result.status == Status::converged) {
      ++solved;
      continue;
    }
    ++stopped;
    EXPECT_EQ(result.status, Status::stalled) << trial;
    EXPECT_NE(result.message.find("no step reduces |F|"), std::string::npos) << trial;
    EXPECT_LT(result.iterations, 40) << trial;
  }
  EXPECT_GT(solved, 0);
  EXPECT_GT(stopped, 0);
}

TEST(Newton, SolvesWithEveryFunction) {
  FeasibleProblems problems(24);
  for (const char* function : {"min_max", "natural", "alart_curnier", "normal_map"}) {
    int solved = 0;
    for (int trial = 0; trial < 60; ++trial) {
      ProblemTraits traits;
      traits.dimension = 2 + trial % 2;
      traits.friction = {trial % 2 == 0 ? FrictionKind::pyramid : FrictionKind::box};
      traits.equalities = trial % 3;
      traits.duplicated = trial % 4 == 0;
      const auto solver = make_solver("newton");
      set_option(*solver, "function", function);
      const SolveResult result = solve(*solver, problems.make(traits), SolveOptions{});
      solved += result.status == Status::converged;
    }
    EXPECT_GE(solved, 57) << function; // a local method: it may stall, and then says so
  }
}

TEST(Newton, RefusesAFunctionThatIsNotTheProblem) {
  FeasibleProblems problems(25);
  const ContactProblem problem = problems.make({.law = Law::associated});
  for (const char* function : {"min_max", "alart_curnier"}) {
    const auto solver = make_solver("newton");
    set_option(*solver, "function", function);
    EXPECT_EQ(Status::unsupported, solve(*solver, problem, SolveOptions{}).status) << function;
  }
  const auto proximal = make_solver("prox-newton");
  set_option(*proximal, "function", "alart_curnier");
  EXPECT_EQ(Status::unsupported, solve(*proximal, problem, SolveOptions{}).status);
}

TEST(Newton, RefusesTheBodySpaceOfALocalModel) {
  const ContactProblem problem = test::RandomProblems(27).local(3, 2, 0);
  for (const char* name : {"newton", "prox-newton", "hybrid-newton"}) {
    const auto solver = make_solver(name);
    set_option(*solver, "space", "body");
    const SolveResult result = solve(*solver, problem, SolveOptions{});
    EXPECT_EQ(Status::unsupported, result.status) << name;
    EXPECT_NE(std::string::npos, result.message.find("body space")) << result.message;
  }
}

TEST(HybridNewton, NotesWhyItSwitched) {
  FeasibleProblems problems(26);
  const auto solver = make_solver("hybrid-newton");
  SolveOptions options;
  options.keep_history = true;
  options.tolerance = 1e-12;
  bool noted = false;
  for (int trial = 0; trial < 5; ++trial) {
    const SolveResult result =
        solve(*solver, problems.make({.body_structure = true, .duplicated = true}), options);
    for (const IterationRecord& record : result.history.records)
      noted |= record.note.find("Newton") != std::string::npos;
  }
  EXPECT_TRUE(noted);
}

TEST(NaturalMap, DerivativeMatchesDifferences) {
  FeasibleProblems problems(8);
  test::RandomProblems random(9);
  for (int trial = 0; trial < 60; ++trial) {
    ProblemTraits traits;
    traits.dimension = 2 + trial % 2;
    traits.friction = newton_sets[trial % newton_sets.size()];
    traits.law = trial % 3 == 0 ? Law::associated : Law::coulomb;
    traits.equalities = trial % 2;
    traits.contacts = 3;
    const ContactProblem problem = problems.make(traits);
    const auto n = make_operator(problem);
    const ScaledProblem scaled(problem, *n);
    const Vector z = random.vector(scaled.size()), centre = random.vector(scaled.size());
    const Vector direction = random.vector(scaled.size());
    const Proximal proximal{0.3, centre};
    const auto map_at = [&](double t) {
      Vector x = z, u(scaled.size()), f(scaled.size());
      axpy(t, direction, x);
      scaled.velocity(x, u);
      natural_map(scaled, proximal, x, u, f);
      return f;
    };
    Vector u(scaled.size()), c(block_diagonal_size(scaled)), k(c.size());
    scaled.velocity(z, u);
    natural_map_derivative(scaled, proximal, z, u, c, k);
    const double h = 1e-6;
    Vector difference = map_at(h);
    axpy(-1.0, map_at(-h), difference);
    scale(1 / (2 * h), difference);
    EXPECT_LT(relative_residual(scaled, c, k, difference, direction), 1e-6) << trial;
  }
}

class NewtonFamily : public testing::TestWithParam<const char*> {
protected:
  SolveResult run(const ContactProblem& problem, double tolerance = 1e-8) {
    const auto solver = make_solver(GetParam());
    SolveOptions options;
    options.tolerance = tolerance;
    options.max_iterations = 2000;
    return solve(*solver, problem, options);
  }
};

/// A unit mass at rest on the ground, pushed sideways during a unit time.
ContactProblem pushed_mass(double push, double mu) {
  ContactProblem problem;
  problem.mu = {mu};
  LocalModel model;
  model.W = identity_matrix(3);
  model.q = {-1, push, 0};
  problem.model = model;
  return problem;
}

TEST_P(NewtonFamily, SticksAndSlides) {
  const SolveResult stick = run(pushed_mass(0.4, 0.5));
  ASSERT_EQ(stick.status, Status::converged) << stick.message;
  EXPECT_NEAR(stick.x[0], 1, 1e-7);
  EXPECT_NEAR(stick.x[1], -0.4, 1e-7);
  const SolveResult slide = run(pushed_mass(0.8, 0.5));
  ASSERT_EQ(slide.status, Status::converged) << slide.message;
  EXPECT_NEAR(slide.x[0], 1, 1e-7);
  EXPECT_NEAR(slide.x[1], -0.5, 1e-7);
  EXPECT_NEAR(slide.u[0], 0, 1e-7);
  EXPECT_NEAR(slide.u[1], 0.3, 1e-7);
}

TEST_P(NewtonFamily, SolvesProblemsOfEveryKind) {
  FeasibleProblems problems(11);
  int stalled = 0;
  for (int trial = 0; trial < 420; ++trial) {
    ProblemTraits traits;
    traits.dimension = 1 + trial % 3;
    traits.friction = newton_sets[trial % newton_sets.size()];
    traits.law = trial % 2 == 0 ? Law::coulomb : Law::associated;
    traits.contacts = 2 + trial % 9;
    traits.body_structure = traits.dimension == 3 && trial % 4 < 2;
    traits.equalities = trial % 5 == 0 ? 3 : 0;
    traits.bounded_rows = trial % 10 == 0;
    traits.duplicated = trial % 3 == 1;
    traits.mass_ratio = trial % 7 == 0 ? 1e6 : 1;
    traits.mu = trial % 11 == 0 ? 10 : trial % 11 == 1 ? 0 : -1;
    const ContactProblem problem = problems.make(traits);
    const SolveResult result = run(problem);
    if (result.status == Status::unsupported) continue;
    for (double value : result.x) ASSERT_TRUE(std::isfinite(value)) << trial;
    // Plain Newton is a local method: it may stall, as long as it says so.
    if (GetParam() == std::string("newton") && result.status == Status::stalled && ++stalled <= 6)
      continue;
    EXPECT_EQ(result.status, Status::converged)
        << trial << ": dimension " << traits.dimension << ", " << to_string(traits.friction) << ", "
        << to_string(traits.law) << ", error " << result.quality.error << ", " << result.message;
  }
}

TEST_P(NewtonFamily, FindsTheVelocityThatSweepsFind) {
  // For the associated law v is unique, even where impulses are not.
  FeasibleProblems problems(12);
  const auto nsgs = make_solver("nsgs");
  for (int trial = 0; trial < 40; ++trial) {
    ProblemTraits traits;
    traits.law = Law::associated;
    traits.friction =
        trial % 2 == 0 ? FrictionSet{FrictionKind::cone} : FrictionSet{FrictionKind::box};
    traits.body_structure = trial % 4 < 2;
    traits.duplicated = trial % 8 < 4;
    traits.equalities = trial % 3;
    const ContactProblem problem = problems.make(traits);
    SolveOptions options;
    options.max_iterations = 50000;
    const SolveResult expected = solve(*nsgs, problem, options);
    if (expected.status != Status::converged) continue;
    const SolveResult result = run(problem);
    ASSERT_EQ(result.status, Status::converged) << result.message;
    EXPECT_LT(distance(result.v, expected.v), 1e-5 * (1 + norm(expected.v))) << trial;
  }
}

/// Two bodies linked to the world and to each other by more rows than they have freedom.
TEST_P(NewtonFamily, HoldsRedundantJoints) {
  FeasibleProblems problems(13);
  for (int trial = 0; trial < 20; ++trial) {
    ProblemTraits traits;
    traits.body_structure = true;
    traits.contacts = 2;
    traits.equalities = 20; // three bodies: 18 degrees of freedom at most
    const SolveResult result = run(problems.make(traits));
    ASSERT_EQ(result.status, Status::converged) << result.message;
    EXPECT_LE(result.iterations, 60); // sweeps of the hybrid included
  }
}

/// Rods hanging from the world in a row of ball joints, dragged sideways over the ground at every
/// fifth: sweeps carry impulses through it joint by joint, Newton at once.
ContactProblem chain(Index rods) {
  ContactProblem problem;
  RigidModel model;
  for (Index rod = 0; rod < rods; ++rod) {
    RigidInverseMass inverse;
    inverse.mass = 1;
    inverse.inertia[0] = inverse.inertia[3] = inverse.inertia[5] = 12;
    model.inverse_mass.push_back(inverse);
    model.free_velocity.insert(model.free_velocity.end(), {0.1, 0, -0.0981, 0, 0, 0});
    for (const Vec3& axis : {Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}}) {
      RigidRow row;
      row.linear_b = axis;
      row.angular_b = cross({0, 0, 0.5}, axis);
      if (rod > 0) {
        row.linear_a = -axis;
        row.angular_a = -cross({0, 0, -0.5}, axis);
      }
      model.rows.push_back(row);
      model.row_bodies.push_back({rod - 1, rod});
      model.b.push_back(0);
    }
    if (rod % 5 != 0) continue;
    model.contact_bodies.push_back({-1, rod});
    model.contacts.push_back({{0, 0, 1}, {1, 0, 0}, {0, 0, 0}, {0, 0, -0.5}});
    model.w.insert(model.w.end(), {0, 0, 0});
    problem.mu.push_back(0.3);
  }
  problem.model = std::move(model);
  return problem;
}

TEST_P(NewtonFamily, SolvesLongChainsInFewSteps) {
  for (const Index rods : {10, 300}) {
    const SolveResult result = run(chain(rods));
    ASSERT_EQ(result.status, Status::converged) << result.message;
    EXPECT_LE(result.iterations, 20) << rods;
  }
}

TEST_P(NewtonFamily, SolvesProblemsOfTheRepository) {
  for (const char* name :
       {"box_tower.hdf5", "chain_on_post.hdf5", "planar_slump.hdf5", "ratio_1000.hdf5",
        "strong_friction.hdf5", "yielding_balls.hdf5", "lcp_string.dat", "mlcp_small.dat"}) {
    const SolveResult result = run(read_problem(test::own_file(name)));
    EXPECT_EQ(result.status, Status::converged)
        << name << ": error " << result.quality.error << ", " << result.message;
  }
}

TEST_P(NewtonFamily, SolvesProblemsOfOtherSystems) {
  if (!std::filesystem::exists(corpus)) GTEST_SKIP() << "no corpus at " << corpus;
  for (const char* name :
       {"local/Confeti-ex03-Fc3D-SBM.hdf5", "local/OneObject-i100000-316.hdf5",
        "local/OneObject-i1028-138.hdf5", "local/LMGC_100_PR_PerioBox-i00361-60-03000.hdf5",
        "local/Capsules-i125-1213.hdf5", "global/Box_Stacks-i0122-82-5.hdf5",
        "global/LMGC_GlobalFrictionContactProblem00046.hdf5",
        "local2d/FrictionContactProblem00071.hdf5", "lcp/lcp_exp_murty.dat",
        "mlcp/RLCD_mlcp.dat"}) {
    const SolveResult result = run(read_problem(corpus / name));
    EXPECT_EQ(result.status, Status::converged)
        << name << ": error " << result.quality.error << ", " << result.message;
  }
}

INSTANTIATE_TEST_SUITE_P(Solvers, NewtonFamily,
                         testing::Values("prox-newton", "newton", "hybrid-newton"),
                         [](const auto& instance) {
                           std::string name = instance.param;
                           std::erase(name, '-');
                           return name;
                         });

} // namespace
} // namespace talus
