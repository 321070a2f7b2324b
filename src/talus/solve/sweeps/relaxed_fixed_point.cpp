// The fixed-point algorithms of anitescu2002 ("Fixed point iterations and related algorithms") over
// the convex relaxations P1 and P2 (relaxation.h), each of which another solver solves:
//
//     p1      Algorithm 1:  u = P1(Γ),  Γ = mu Λ(u)
//     p1-p2   Algorithm 2:  u = P1(Γ),  u = P2(Λ(u)),  Γ = mu Λ(u)
//             Algorithm 3:  the same, once (option rounds=1)
//
// Convergence: linear to the unique velocities of the step when the friction coefficients are small
// enough and the configuration is disassemblable (disassembly.h); redundant contacts are no
// obstacle. For larger friction both can cycle; p1 takes over a share of the new speeds against
// that. Stopped early, p1-p2 leaves the last solution of P2: non-penetration is exact and energy is
// dissipated, while impulses may lie outside the friction cone, which the judged error counts.
// Cost: a round is one (p1) or two (p1-p2) convex solves by the solver `inner`, whose iterations
// are counted.

#include "talus/core/vector_ops.h"
#include "talus/solve/monitor.h"
#include "talus/solve/registry.h"
#include "talus/solve/sweeps/relaxation.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace talus {
namespace {

/// Solvers that can be used inside: those of the associated law.
std::vector<std::string> convex_solvers() {
  std::vector<std::string> names;
  for (const std::string& name : solver_names()) {
    if (name.starts_with("p1")) continue;
    const auto laws = make_solver(name)->info().laws;
    if (std::ranges::find(laws, Law::associated) != laws.end()) names.push_back(name);
  }
  return names;
}

class RelaxedFixedPoint : public Solver {
public:
  explicit RelaxedFixedPoint(bool with_second) : with_second_(with_second) {
    info_.name = with_second ? "p1-p2" : "p1";
    info_.summary = with_second ? "fixed point over the convex relaxations P1 and P2"
                                : "fixed point over the convex relaxation P1";
    info_.paper = with_second ? "anitescu2002, Algorithms 2 and 3" : "anitescu2002, Algorithm 1";
    info_.laws = {Law::coulomb};
    using enum Section;
    if (with_second)
      info_.friction = {{interval, square, polygon}, AdmittedSets::only_growing};
    else
      info_.friction = {{interval, square, polygon, disc}, AdmittedSets::only_growing};
    info_.coulomb = "fixed point";
    info_.products_per_iteration = with_second ? "two convex solves" : "a convex solve";
    inner_ = static_cast<int>(std::ranges::find(inner_names_, "conic-ip") - inner_names_.begin());
  }
  const SolverInfo& info() const override { return info_; }

  void visit_options(OptionVisitor& visitor) override {
    visitor.visit("inner", inner_, inner_names_, "solver of the convex problems");
    visitor.visit("rounds", rounds_, Range::at_least(1),
                  with_second_ ? "most rounds; 1 is Algorithm 3, whose answer is P2's"
                               : "most rounds");
    if (!with_second_)
      visitor.visit("relaxation", relaxation_, Range::share(),
                    "share of the new sliding speeds that is taken over; 1 is the paper's");
    visitor.visit("inner_share", inner_share_, Range::share(),
                  "tolerance of the convex problems as a share of the tolerance asked for");
  }

  std::string refuses(const ScaledProblem& problem) const override {
    if (with_second_ && problem.is_tilted() && !problem.problem().compliance.empty())
      return "problems with compliance and friction";
    return "";
  }

  void run(ScaledProblem& problem, Span z, Monitor& monitor) override {
    Vector u(problem.size());
    problem.velocity(z, u);
    if (!monitor.proceed(z, u)) return;
    const bool has_second = with_second_ && problem.is_tilted();
    std::optional<SecondRelaxation> second;
    if (has_second) second.emplace(problem.problem());
    State state(problem, z);
    const auto show = [&] {
      problem.to_scaled(state.x, z);
      problem.velocity(z, u);
    };
    for (int round = 1; round <= rounds_; ++round) {
      if (!solve_first(problem, state, monitor)) return;
      show();
      if (monitor.must_stop()) return monitor.measure_last(z, u);
      if (!second) {
        if (!monitor.proceed(z, u)) return;
        continue;
      }
      // The impulses of P1 lie in the friction cone, those of P2 need not: it is P1 that ends at a
      // solution, and P2 that is handed over otherwise.
      if (!monitor.measure(z, u)) return;
      if (!solve_second(problem, *second, state, monitor)) return;
      show();
      if (!monitor.proceed(z, u)) {
        if (monitor.status() != Status::converged) monitor.set_final_answer(z);
        return;
      }
    }
    if (second) monitor.set_final_answer(z);
    monitor.stall(fmt::format("{} rounds of the fixed point used{}", rounds_,
                              second ? "; the answer is the partial solution of P2" : ""));
  }

private:
  /// Between the relaxations, in physical variables.
  struct State {
    State(const ScaledProblem& problem, ConstSpan z)
        : x(problem.size()), u(problem.size()), speeds(problem.contacts(), 0.0),
          target(problem.contacts()) {
      problem.to_physical(z, x);
      // From zero impulses the paper's start, Γ = 0; from a warm one its own sliding speeds.
      if (norm(z) > 0) update(problem);
    }
    /// λ moves towards Λ(N x + q̄).
    void update(const ScaledProblem& problem, double share = 1) {
      problem.delassus().apply(x, u);
      axpy(1.0, problem.delassus().free_velocity(), u);
      problem.count_products(1);
      sliding_speeds(problem.problem(), u, target);
      combine(share, target, 1 - share, speeds, speeds);
    }
    Vector x, u, speeds, target;
  };

  bool solve_first(const ScaledProblem& problem, State& state, Monitor& monitor) const {
    Vector gamma(problem.contacts(), 0.0);
    if (problem.is_tilted())
      for (Index c = 0; c < problem.contacts(); ++c)
        gamma[c] = problem.problem().mu[c] * state.speeds[c];
    const ContactProblem relaxed = first_relaxation(problem.problem(), gamma);
    SolveOptions options = inner_options(monitor);
    options.initial = state.x;
    if (!solve_inner("P1", relaxed, options, problem, state.x, monitor)) return false;
    state.update(problem, with_second_ ? 1 : relaxation_);
    return true;
  }

  bool solve_second(const ScaledProblem& problem, SecondRelaxation& second, State& state,
                    Monitor& monitor) const {
    Vector unknowns;
    if (!solve_inner("P2", second.at(state.speeds), inner_options(monitor), problem, unknowns,
                     monitor))
      return false;
    second.to_impulses(unknowns, state.x);
    state.update(problem);
    return true;
  }

  SolveOptions inner_options(const Monitor& monitor) const {
    return monitor.options_within(inner_share_ * monitor.tolerance());
  }

  /// A subproblem that is not solved to its tolerance still gives its best impulses; one without
  /// any ends the run.
  bool solve_inner(const char* which, const ContactProblem& relaxed, const SolveOptions& options,
                   const ScaledProblem& problem, Vector& x, Monitor& monitor) const {
    const auto solver = make_solver(inner_names_[inner_]);
    const SolveResult result = solve(*solver, relaxed, options);
    problem.count_products(result.products);
    for (long k = 0; k < result.iterations; ++k) monitor.count_iteration();
    if (!result.x.empty() || relaxed.size() == 0) {
      x = result.x;
      return true;
    }
    monitor.stall(fmt::format("{} within {}: {}", which, info_.name, result.message));
    return false;
  }

  SolverInfo info_;
  bool with_second_;
  std::vector<std::string> inner_names_ = convex_solvers();
  int inner_ = 0;
  int rounds_ = 200;
  double inner_share_ = 0.1, relaxation_ = 0.8;
};

} // namespace

std::unique_ptr<Solver> make_p1() {
  return std::make_unique<RelaxedFixedPoint>(false);
}

std::unique_ptr<Solver> make_p1_p2() {
  return std::make_unique<RelaxedFixedPoint>(true);
}

} // namespace talus
