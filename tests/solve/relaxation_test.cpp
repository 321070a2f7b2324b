// anitescu2002: the relaxations P1 and P2, the fixed-point algorithms over them, the example with a
// solution set that is not convex, and disassembly.

#include "feasible_problems.h"
#include "solver_checks.h"
#include "talus/core/error.h"
#include "talus/inspect/constraint_qualification.h"
#include "talus/solve/sweeps/relaxation.h"

#include <cmath>

namespace talus {
namespace {

using namespace test;

ContactProblem slippery(FeasibleProblems& problems, int trial, double mu) {
  ProblemTraits traits;
  traits.dimension = 2 + trial % 2;
  traits.friction = parse_friction_set(trial % 4 < 2 ? "pyramid" : "polyhedron:6");
  traits.contacts = 5;
  traits.equalities = trial % 3;
  traits.duplicated = trial % 5 == 4;
  traits.body_structure = trial % 6 == 5;
  traits.mu = mu;
  return problems.make(traits);
}

/// Contact velocities must not penetrate, and contacts must not do work on the bodies.
void expect_partial_solution(const ContactProblem& problem, const SolveResult& result) {
  const int d = problem.dimension;
  ASSERT_EQ(static_cast<std::size_t>(problem.size()), result.u.size());
  double size = 0;
  for (double value : result.u) size = std::max(size, std::abs(value));
  for (Index c = 0; c < problem.contacts(); ++c) {
    const double* u = &result.u[d * c];
    const double* r = &result.x[d * c];
    EXPECT_GT(u[0], -1e-7 * size) << "contact " << c << " penetrates";
    EXPECT_GT(r[0], -1e-9);
    EXPECT_LT(std::abs(r[0] * u[0]), 1e-6) << "contact " << c << " pulls or pushes at a distance";
    double work = 0;
    for (int i = 1; i < d; ++i) work += r[i] * u[i];
    EXPECT_LT(work, 1e-7) << "friction of contact " << c << " drives";
  }
}

TEST(Relaxation, FirstWithTheRightSpeedsSolvesTheStep) {
  FeasibleProblems problems(1);
  for (int trial = 0; trial < 24; ++trial) {
    const ContactProblem problem = slippery(problems, trial, 0.4);
    const SolveResult exact = run_solver("lemke", problem);
    ASSERT_EQ(Status::converged, exact.status) << exact.message;
    Vector gamma(problem.contacts());
    sliding_speeds(problem, exact.u, gamma);
    for (Index c = 0; c < problem.contacts(); ++c) gamma[c] *= problem.mu[c];
    const SolveResult relaxed = run_solver("lemke", first_relaxation(problem, gamma));
    ASSERT_EQ(Status::converged, relaxed.status) << relaxed.message;
    const auto n = make_operator(problem);
    EXPECT_LT(judge(problem, *n, relaxed.x).error, 1e-7);
  }
}

TEST(Relaxation, SecondWithTheRightSpeedsHasTheVelocitiesOfTheStep) {
  FeasibleProblems problems(2);
  for (int trial = 0; trial < 24; ++trial) {
    const ContactProblem problem = slippery(problems, trial, 0.4);
    const SolveResult exact = run_solver("lemke", problem);
    ASSERT_EQ(Status::converged, exact.status) << exact.message;
    Vector speeds(problem.contacts());
    sliding_speeds(problem, exact.u, speeds);
    SecondRelaxation second(problem);
    const SolveResult relaxed = run_solver("lemke", second.at(speeds));
    // Where everything separates, zero is a solution up to rounding, and relative errors say
    // nothing.
    ASSERT_TRUE(relaxed.status == Status::converged || relaxed.quality.violation < 1e-12)
        << relaxed.message << " (error " << relaxed.quality.error << ")";
    SolveResult step;
    step.x.resize(problem.size());
    step.u.resize(problem.size());
    second.to_impulses(relaxed.x, step.x);
    const auto n = make_operator(problem);
    n->apply(step.x, step.u);
    axpy(1.0, n->free_velocity(), step.u);
    EXPECT_LT(velocity_difference(problem, step.u, exact.u), 1e-7);
    expect_partial_solution(problem, step);
  }
}

TEST(Relaxation, BothAlgorithmsFindTheStepForSmallFriction) {
  FeasibleProblems problems(3);
  SolveOptions options;
  options.tolerance = 1e-7;
  for (int trial = 0; trial < 18; ++trial) {
    const ContactProblem problem = slippery(problems, trial, 0.15);
    const SolveResult exact = run_solver("lemke", problem);
    expect_same_velocities(problem, run_solver("p1", problem, options), exact, 1e-5);
    expect_same_velocities(problem, run_solver("p1-p2", problem, options), exact, 1e-5);
  }
}

TEST(Relaxation, AnyConvexSolverServesInside) {
  FeasibleProblems problems(4);
  const ContactProblem problem = slippery(problems, 0, 0.1);
  SolveOptions options;
  options.tolerance = 1e-6;
  for (const char* inner : {"prox-newton", "apgd", "lemke", "path", "conic-ip", "pdip"})
    for (const char* solver : {"p1", "p1-p2"}) {
      const SolveResult result = run_solver(solver, problem, options, {{"inner", inner}});
      EXPECT_EQ(Status::converged, result.status) << solver << " " << inner << result.message;
    }
  EXPECT_ANY_THROW(run_solver("p1", problem, options, {{"inner", "p1"}}));
}

TEST(Relaxation, StoppedEarlyLeavesAPartialSolution) {
  // Algorithm 3 is one round of Algorithm 2.
  FeasibleProblems problems(5);
  for (int trial = 0; trial < 24; ++trial)
    for (const char* rounds : {"1", "3"}) {
      const ContactProblem problem = slippery(problems, trial, 0.8);
      const SolveResult result = run_solver("p1-p2", problem, {}, {{"rounds", rounds}});
      if (result.status != Status::converged) {
        EXPECT_NE(std::string::npos, result.message.find("partial solution")) << result.message;
      }
      expect_partial_solution(problem, result);
    }
}

TEST(Relaxation, RefusesWhatItCannotRelax) {
  RandomProblems random(6);
  EXPECT_THROW(SecondRelaxation(with_set(random.local(3, 2, 0), "cone")), InvalidArgument);
  EXPECT_THROW(SecondRelaxation(with_set(random.local(3, 2, 0), "box")), InvalidArgument);
  expect_refused("p1-p2", with_set(random.local(3, 2, 0), "cone"), "set cone");
  ContactProblem soft = with_set(random.local(3, 2, 0), "pyramid");
  soft.compliance.assign(soft.size(), 0.1);
  expect_refused("p1-p2", soft, "compliance");
}

/// A particle of 1 kg that two equal contacts hold up against the impulse (0.3, -1): either of them
/// can carry all of it.
ContactProblem two_equal_contacts() {
  ContactProblem problem;
  problem.dimension = 2;
  problem.mu = {0.5, 0.5};
  GlobalModel model;
  model.M = identity_matrix(2);
  model.f = {0.3, -1};
  model.H = from_triplets(
      2, 4, {{1, 0, 1}, {0, 1, 1}, {1, 2, 1}, {0, 3, 1}}); // normals up, tangents right
  model.w = {0, 0, 0, 0};
  problem.model = model;
  return problem;
}

TEST(NonconvexSolutionSet, HasTwoSolutionsWhoseMeanIsNone) {
  // As printed, the paper's example has λ = 1 beside mu r_n > 0 and β = 0, which λ ⊥ mu r_n - Σ β
  // excludes; redundant contacts show what it says. In the impulses the mean of two solutions is
  // one, since all of them give v = 0; in the unknowns (r_n, β, λ) it is not: the idle contact may
  // have any λ ≥ 0, the loaded one none.
  const ContactProblem problem = two_equal_contacts();
  const auto satisfies = [](double r, double plus, double minus, double lambda) {
    // At v = 0: r_n ⊥ 0, β ⊥ λ, λ ⊥ mu r_n - Σ β.
    return r >= 0 && lambda * plus == 0 && lambda * minus == 0 &&
           0.5 * r - plus - minus >= -1e-15 && lambda * (0.5 * r - plus - minus) == 0;
  };
  EXPECT_TRUE(satisfies(1, 0, 0.3, 0) && satisfies(0, 0, 0, 1));
  EXPECT_TRUE(satisfies(0, 0, 0, 1) && satisfies(1, 0, 0.3, 0));
  EXPECT_FALSE(satisfies(0.5, 0, 0.15, 0.5));
  const auto n = make_operator(problem);
  for (const Vector& x : {Vector{1, -0.3, 0, 0}, {0, 0, 1, -0.3}, {0.5, -0.15, 0.5, -0.15}})
    EXPECT_LT(judge(problem, *n, x).error, 1e-14);
  for (const char* solver : {"lemke", "path", "p1", "p1-p2", "keller", "enumeration"}) {
    const SolveResult result = run_solver(solver, problem);
    ASSERT_EQ(Status::converged, result.status) << solver << ": " << result.message;
    EXPECT_LT(std::hypot(result.v[0], result.v[1]), 1e-8) << solver;
  }
}

/// A unit mass between contacts with the given normals (angles in degrees).
Disassembly particle_between(std::initializer_list<double> angles, bool held = false) {
  ContactProblem problem;
  problem.dimension = 2;
  GlobalModel model;
  model.M = identity_matrix(2);
  model.f = {0, -1};
  std::vector<Triplet> entries;
  for (double degrees : angles) {
    const double angle = degrees * 3.14159265358979323846 / 180;
    const Index c = problem.contacts();
    entries.insert(entries.end(), {{0, 2 * c, std::cos(angle)},
                                   {1, 2 * c, std::sin(angle)},
                                   {0, 2 * c + 1, -std::sin(angle)},
                                   {1, 2 * c + 1, std::cos(angle)}});
    problem.mu.push_back(0.3);
  }
  model.H = from_triplets(2, problem.impulses(), std::move(entries));
  model.w.assign(problem.impulses(), 0);
  if (held) { // a slider along x, given twice
    model.G = from_triplets(2, 2, {{1, 0, 1}, {1, 1, 2}});
    model.b = {0, 0};
  }
  problem.model = std::move(model);
  return examine_disassembly(problem, *make_operator(problem));
}

TEST(Disassembly, KnowsWhatIsWedged) {
  EXPECT_EQ(Disassemblable::yes, particle_between({90}).answer);
  EXPECT_EQ(Disassemblable::yes, particle_between({90, 90, 90}).answer);
  EXPECT_EQ(Disassemblable::yes, particle_between({30, 150}).answer);
  EXPECT_EQ(Disassemblable::yes, particle_between({}).answer);
  const Disassembly walls = particle_between({0, 180, 90});
  EXPECT_EQ(Disassemblable::no, walls.answer);
  EXPECT_EQ((std::vector<Index>{0, 1}), walls.wedged);
  EXPECT_EQ(Disassemblable::no, particle_between({90, 210, 330}).answer);
}

TEST(Disassembly, RespectsJoints) {
  // A body that can move only along x cannot leave a floor, but a wall.
  EXPECT_EQ(Disassemblable::no, particle_between({90}, true).answer);
  EXPECT_EQ(Disassemblable::yes, particle_between({45}, true).answer);
  EXPECT_EQ(Disassemblable::no, particle_between({45, 135}, true).answer);
}

TEST(Disassembly, AgreesWithConstruction) {
  // Normal velocities positive at a random v0: disassemblable. With one contact's opposite added:
  // not.
  RandomProblems random(7);
  for (int trial = 0; trial < 60; ++trial) {
    const Index dofs = random.integer(2, 12), contacts = random.integer(1, 20);
    ContactProblem problem;
    problem.dimension = 1;
    problem.friction = {FrictionKind::none};
    const Vector v0 = random.vector(dofs);
    std::vector<Triplet> entries;
    const bool wedge = trial % 2 == 1;
    for (Index c = 0; c < contacts; ++c) {
      Vector normal = random.vector(dofs);
      if (wedge && c == contacts - 1 && c > 0)
        for (Index i = 0; i < dofs; ++i) normal[i] = -2 * entries[i].value;
      else if (dot(normal, v0) < 0)
        for (double& value : normal) value = -value;
      for (Index i = 0; i < dofs; ++i) entries.push_back({i, c, normal[i]});
    }
    problem.mu.assign(contacts, 0);
    GlobalModel model;
    model.M = identity_matrix(dofs);
    model.H = from_triplets(dofs, contacts, std::move(entries));
    model.f.assign(dofs, 0);
    model.w.assign(contacts, 0);
    problem.model = std::move(model);
    const Disassembly found = examine_disassembly(problem, *make_operator(problem));
    EXPECT_EQ(wedge && contacts > 1 ? Disassemblable::no : Disassemblable::yes, found.answer)
        << trial;
  }
}

} // namespace
} // namespace talus
