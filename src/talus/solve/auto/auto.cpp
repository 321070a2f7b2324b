// The solver that chooses: islands, a quick method for most of the way, and whatever finishes best.
//
//   quick     Gauss-Seidel sweeps: alone for a few contacts (nsgs), with
//             conjugate gradients for some hundreds (nncg), with Nesterov's extrapolation beyond
//             (ansgs); for thousands, accelerated gradients after them (apgd, under Coulomb's law
//             coulomb-apgd). A method goes on while, at its rate of late, it would reach the
//             tolerance for less than what follows costs. A warm start is first tried with sweeps,
//             then with gradients, each for as long as it promises to arrive soon. Rough answers to
//             stacks are left to apgd first, warm or not;
//   steps     trials of newton for small problems whose factors are cheap: from the end of the
//             sweeps as long as |F| falls, then from nothing;
//   splitting a trial of admm for small problems from nothing: blocks on blocks suit it;
//   islands   (islands.h) once the quick method is too slow: those that are good enough keep their
//             impulses, the others are solved on their own and side by side, each from its own
//             quick phase on and with the limits of the whole;
//   newton    proximal Newton steps for small islands and where the error is small already;
//   path      the central path of the exact law with Newton steps at its end (ip_newton.cpp), for
//             sets that are second-order cones and islands that can be factorised;
//   patience  where the path is blocked: quick methods again (small islands: after the folds, too);
//   folds     beyond rough answers, the path through its folds (fold_ip.cpp), as far as a few of
//             them; small islands: many, then the path from nothing as coulomb_ip.cpp takes it; at
//             last the path through all of its folds: hundreds of factorisations, which arrive
//             where nothing else does (for rough answers after the rounds);
//   rounds    if all that fails, prox-newton from zero (small problems: on Alart and Curnier's
//             function, then on the natural map), then in turn, with growing limits, apgd with
//             frozen tilts from nothing and the other methods of the catalogue from the best
//             iterate.
//
// Every change is noted in the history with its reason. Decisions follow from sizes, products and
// errors, never from the clock or the number of threads. An island must bring its residual below
// tolerance · |F(0)| · √(its share of the contacts), so that the residual of the whole is below
// tolerance · |F(0)|.
//
// Cost: that of the methods chosen. Costs are compared in products with N; what a factorisation is
// worth in products is a fit to measured ones (cost_of_factorisation).

#include "talus/core/large_problem.h"
#include "talus/core/parallel.h"
#include "talus/core/vector_ops.h"
#include "talus/solve/central_path/central_path_newton.h"
#include "talus/solve/contradiction.h"
#include "talus/solve/islands.h"
#include "talus/solve/newton/newton_functions.h"
#include "talus/solve/options.h"
#include "talus/solve/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace talus {
namespace {

constexpr double product_share = 0.9; ///< Of the squared tolerance that islands share.

/// The solve of one island within that of the whole.
struct IslandRun {
  Vector x; ///< Its impulses: the start, then the answer.
  long iterations = 0;
  double work = 0;     ///< Products times blocks.
  std::string trouble; ///< Why it is not good enough, if so.
  bool infeasible = false;
};

class Auto : public Solver {
public:
  Auto() {
    info_.name = "auto";
    info_.summary = "islands, and for each the method that suits it";
    info_.paper = "this project";
    info_.friction = AdmittedSets::every();
    info_.coulomb = "direct";
    info_.products_per_iteration = "depends";
  }
  const SolverInfo& info() const override { return info_; }

  void visit_options(OptionVisitor& visitor) override {
    visitor.visit("islands", split_islands_, "solve islands on their own");
    visitor.visit(
        "pile_limit", pile_limit_, Range::at_least(0),
        "contacts beyond which gradients follow sweeps, and rough answers are not factorised");
    visitor.visit("factorisation_limit", factorisation_limit_, Range::at_least(0),
                  "contacts and rows up to which an island is factorised");
  }

  void run(ScaledProblem& problem, Span z, Monitor& monitor) override {
    const bool warm = max_abs(z) > 0;
    if (!quick_phase(problem, warm, z, monitor)) return;
    if (split_islands_ && monitor.options().measure == Measure::talus) {
      const Islands islands = find_islands(problem.problem());
      if (islands.count > 1) return solve_islands(problem, islands, z, monitor);
    }
    finish(problem, z, monitor);
  }

private:
  static constexpr long unlimited = std::numeric_limits<long>::max() / 4;
  static constexpr Index tiny = 8; ///< Contacts up to which sweeps are as quick as any.
  static constexpr Index conjugate_limit = 300; ///< Contacts up to which sweeps are conjugate.
  /// The central path forgets a warm start: the quick method may take so many times longer.
  static constexpr long patience = 4;
  /// Operator splitting, one or two factorisations, either shows soon that it suits or not at all.
  static constexpr PhaseLimits splitting_trial{150, 45, 60};
  /// Products up to which Newton's method is tried before operator splitting, which takes two or
  /// three factorisations and some sixty iterations.
  static constexpr long cheap_factorisation = 13;
  /// What the trials of Newton's method or of operator splitting take, which follow sweeps.
  static constexpr long trials_in_factorisations = 6;
  static constexpr PhaseLimits stack_trial{unlimited, 500, 2000};
  /// Of sweeps over large piles.
  static constexpr PhaseLimits pile_trial{unlimited, 200, 800};
  static constexpr double rough_tolerance = 1e-4;
  static constexpr Index newton_limit = 2000; ///< Blocks up to which Newton's method gets anywhere.
  static constexpr Index folds_limit = 5000;  ///< Blocks; a step takes three factorisations.
  static constexpr const char* ac_newton = "prox-newton on Alart and Curnier's function";
  static constexpr const char* plain_newton = "newton while it descends";

  static Index blocks(const ScaledProblem& problem) {
    return problem.contacts() + problem.equalities();
  }
  static bool is_dense(const ScaledProblem& problem) {
    return problem.size() <= NewtonSystem::default_dense_limit;
  }
  /// In products: 4 for a few contacts, 440 for lattices of 9367 (growth_bench), whose price here
  /// is three times that, since not every path arrives; in three dimensions it grows faster than a
  /// product does. For local models the pairs of blocks that are multiplied (block_lu.h) follow
  /// from their number, a row's, and fill.
  static long cost_of_factorisation(const ScaledProblem& problem) {
    const double n = blocks(problem);
    if (const auto* local = std::get_if<LocalModel>(&problem.problem().model);
        local && problem.dimension() == 3 && problem.equalities() == 0) {
      const double stored = local->W.nonzeros() / 9.0;
      return std::lround(4 + 0.2 * stored / n * (1 + stored / 2000));
    }
    return std::lround(std::max(4 + 2.5 * std::sqrt(n), 0.15 * n));
  }
  static bool is_rough(const Monitor& monitor) {
    return monitor.options().tolerance >= rough_tolerance;
  }
  /// Rough answers to large problems are never worth it: a path takes as many factorisations for
  /// them as for exact ones.
  bool may_factorise(const ScaledProblem& problem, const Monitor& monitor) const {
    return blocks(problem) <=
           (is_rough(monitor) ? std::min(pile_limit_, factorisation_limit_) : factorisation_limit_);
  }

  /// Faces on faces: two or more contacts, on average, between bodies that touch. Sweeps go through
  /// them in some order and leave a tower that should stand with an error that sets it rocking;
  /// gradients keep its symmetry.
  static bool is_stack(const ContactProblem& problem) {
    const auto* rigid = std::get_if<RigidModel>(&problem.model);
    if (!rigid) return false;
    const std::vector<BodyPair>& pairs = rigid->contact_bodies;
    Index first_of_pair = 0;
    for (std::size_t c = 0; c < pairs.size(); ++c)
      first_of_pair += c == 0 || pairs[c].a != pairs[c - 1].a || pairs[c].b != pairs[c - 1].b;
    return problem.contacts() >= 2 * first_of_pair;
  }

  static bool is_tiny(const ScaledProblem& problem) { return problem.contacts() <= tiny; }
  bool is_small(const ScaledProblem& problem, const Monitor& monitor) const {
    return blocks(problem) <= newton_limit && may_factorise(problem, monitor);
  }

  Solver& method(const std::string& name) {
    for (auto& [known, solver] : methods_)
      if (known == name) return *solver;
    methods_.emplace_back(name, name == ac_newton      ? make_ac_newton()
                                : name == plain_newton ? make_plain_newton()
                                                       : make_solver(name));
    return *methods_.back().second;
  }
  bool admits(const std::string& name, const ScaledProblem& problem) {
    const Solver& solver = method(name);
    return refusal(solver.info(), problem.problem()).empty() && solver.refuses(problem).empty();
  }
  /// Pairs of redundant contacts whose normals disagree by rounding leave |F| of the natural map in
  /// flat valleys; the weight must change gently for the steps to follow them.
  static std::unique_ptr<Solver> make_ac_newton() {
    auto solver = make_solver("prox-newton");
    set_option(*solver, "function", "alart_curnier");
    set_option(*solver, "shrink", "0.7");
    set_option(*solver, "grow", "2");
    return solver;
  }
  /// Gives up at the first direction along which |F| does not fall.
  static std::unique_ptr<Solver> make_plain_newton() {
    auto solver = make_solver("newton");
    set_option(*solver, "largest_regularisation", "0");
    set_option(*solver, "minimum_step", "0");
    return solver;
  }

  /// Conjugate gradients find the answers of small problems, Nesterov's extrapolation goes on
  /// where they restart again and again.
  static const char* sweeps_for(const ScaledProblem& problem) {
    return problem.contacts() <= conjugate_limit ? "nncg" : "ansgs";
  }

  /// False when the run is over. z is the best iterate afterwards.
  bool run_phase(const std::string& name, const PhaseLimits& limits, ScaledProblem& problem, Span z,
                 Monitor& monitor) {
    monitor.begin_phase(limits);
    method(name).run(problem, z, monitor);
    if (is_large(problem.contacts())) methods_.clear();
    return end_phase(name, z, monitor);
  }
  static bool end_phase(const std::string& name, Span z, Monitor& monitor) {
    if (!monitor.end_phase()) return false;
    // Numbers so large or small that not even the start could be measured: no method gets anywhere.
    if (monitor.best().empty()) return false;
    if (monitor.wants_every_iteration())
      monitor.note(fmt::format("{}: {}", name, monitor.phase_end()));
    copy(monitor.best(), z);
    return true;
  }

  bool quick_phase(ScaledProblem& problem, bool warm, Span z, Monitor& monitor) {
    const long factorisation = (warm ? patience : 1) * cost_of_factorisation(problem);
    const char* gradients = problem.is_tilted() ? "coulomb-apgd" : "apgd";
    if (is_rough(monitor) && !is_tiny(problem) && is_stack(problem.problem()) &&
        !run_phase("apgd", stack_trial, problem, z, monitor))
      return false;
    if (warm && !is_tiny(problem)) {
      if (!warm_trials(gradients, problem, z, monitor)) return false;
      if (is_small(problem, monitor)) return true;
    }
    const char* name = is_tiny(problem) ? "nsgs" : sweeps_for(problem);
    PhaseLimits limits{unlimited, unlimited, unlimited};
    if (is_dense(problem))
      limits = {12 * factorisation, factorisation, 4 * factorisation};
    else if (may_factorise(problem, monitor))
      limits = {20 * factorisation, 2 * factorisation, 8 * factorisation};
    if (problem.contacts() > pile_limit_ || !may_factorise(problem, monitor)) {
      if (!run_phase(name, pile_trial, problem, z, monitor)) return false;
      name = gradients; // they are slower at first and get farther
    }
    if (warm || is_tiny(problem) || !is_small(problem, monitor))
      return run_phase(name, limits, problem, z, monitor);
    limits.trial = std::max(8L, factorisation / 2);
    limits.horizon = std::max(40L, trials_in_factorisations * factorisation);
    if (!run_phase(name, limits, problem, z, monitor)) return false;
    if (factorisation <= cheap_factorisation && !newton_trials(problem, z, monitor)) return false;
    fill(z, 0.0);
    return run_phase("admm", splitting_trial, problem, z, monitor);
  }

  /// Where sweeps have found what sticks, slides and separates, Newton's method ends in a few
  /// steps. Otherwise it seldom gets away from there, which shows at once, and often does from
  /// nothing.
  bool newton_trials(ScaledProblem& problem, Span z, Monitor& monitor) {
    if (!run_phase(plain_newton, {10, 3, 60}, problem, z, monitor)) return false;
    fill(z, 0.0);
    return run_phase("newton", {60, 30, 40}, problem, z, monitor);
  }

  /// A pile close to its answer takes a few sweeps. A stack, on which sweeps crawl, takes some
  /// dozens of gradient steps, or at rest, where its softest motions are left, a few
  /// factorisations. Which it is shows soon.
  bool warm_trials(const char* gradients, ScaledProblem& problem, Span z, Monitor& monitor) {
    const bool small = is_small(problem, monitor);
    const long factorisation = cost_of_factorisation(problem);
    const PhaseLimits sweeps = small ? PhaseLimits{unlimited, 24, std::max(24L, factorisation)}
                                     : PhaseLimits{unlimited, 60, 400};
    if (!run_phase(sweeps_for(problem), sweeps, problem, z, monitor)) return false;
    const bool at_rest = small && monitor.best_error() <= path_.finish.error;
    const PhaseLimits limits =
        at_rest ? PhaseLimits{unlimited, 60, 60}
                : PhaseLimits{unlimited, std::max(100L, 2 * factorisation), 16 * factorisation};
    return run_phase(gradients, limits, problem, z, monitor);
  }

  /// A quick method once more, with as many products as so many factorisations are worth.
  bool patient_phase(const char* name, long factorisations, ScaledProblem& problem, Span z,
                     Monitor& monitor) {
    if (is_dense(problem)) return true;
    const long products = factorisations * cost_of_factorisation(problem);
    return run_phase(name, {products, products / 4, products}, problem, z, monitor);
  }

  /// Where the central path is blocked, Newton's method needs hundreds of steps, and so does the
  /// path through its folds, which on small islands arrives sooner than patience does.
  bool blocked_path_phases(ScaledProblem& problem, Span z, Monitor& monitor) {
    constexpr long few_folds = 600, many_folds = 2500; // products that such paths take
    const char* sweeps = sweeps_for(problem);
    const bool fold = !is_rough(monitor), fold_first = fold && is_small(problem, monitor);
    if (fold_first && (!patient_phase(sweeps, 10, problem, z, monitor) ||
                       !folds_phase(1, many_folds, problem, z, monitor)))
      return false;
    for (const char* name : {sweeps, "apgd"})
      if (!patient_phase(name, 40, problem, z, monitor)) return false;
    return !fold || fold_first || folds_phase(1, few_folds, problem, z, monitor);
  }

  /// From the best iterate of the quick phase, for a problem that is solved as a whole.
  void finish(ScaledProblem& problem, Span z, Monitor& monitor) {
    if (may_factorise(problem, monitor)) {
      const bool close = monitor.best_error() <= path_.finish.error;
      if ((close || is_dense(problem)) && !newton_phase(problem, z, monitor)) return;
      if (!path_phase(problem, z, monitor)) return;
      if (!feasibility_phase(problem, monitor)) return;
      if (!blocked_path_phases(problem, z, monitor)) return;
      if (!other_path_phase(problem, z, monitor)) return;
      if (!is_rough(monitor) && !fold_continuation(problem, z, monitor)) return;
    }
    if (!may_factorise(problem, monitor) && !feasibility_phase(problem, monitor)) return;
    if (!rounds(problem, z, monitor)) return;
    if (is_rough(monitor) && may_factorise(problem, monitor) &&
        !fold_continuation(problem, z, monitor))
      return;
    monitor.stall(
        fmt::format("no method of the catalogue gets below {:.3g}", monitor.best_error()));
  }

  /// Problems without a solution are worth no further effort. False when this is one.
  static bool feasibility_phase(const ScaledProblem& problem, Monitor& monitor) {
    constexpr long products = 1500;
    if (!find_contradiction(problem, products)) return true;
    monitor.declare_infeasible();
    return false;
  }

  bool newton_phase(ScaledProblem& problem, Span z, Monitor& monitor) {
    ProximalNewtonOptions options;
    options.weight = 0.01;
    Vector u(problem.size());
    monitor.begin_phase({unlimited, unlimited, unlimited});
    problem.velocity(z, u);
    if (monitor.measure(z, u)) {
      ProximalNewton newton(problem, options, monitor.stop_test());
      newton_while_it_helps(newton, newton_steps_, z, u, monitor);
    }
    return end_phase("newton", z, monitor);
  }

  bool path_phase(ScaledProblem& problem, Span z, Monitor& monitor) {
    if (!path_refusal(problem.problem()).empty()) return true;
    Vector u(problem.size());
    problem.velocity(z, u);
    constexpr long most_products = 300;
    monitor.begin_phase({most_products, unlimited, unlimited});
    follow_path_and_finish(problem, path_, z, u, monitor);
    return end_phase("central path", z, monitor);
  }

  /// Where the path of ip-newton is blocked, that of coulomb-ip, which takes several times as long,
  /// mostly is not.
  bool other_path_phase(ScaledProblem& problem, Span z, Monitor& monitor) {
    constexpr long most_products = 1500;
    if (is_rough(monitor) || !problem.is_tilted() || !is_small(problem, monitor)) return true;
    if (!admits("coulomb-ip", problem)) return true;
    return run_from_zero("coulomb-ip", most_products, problem, z, monitor);
  }

  /// False when the run is over. Where a path is lost, one with another smoothing, which folds
  /// elsewhere, mostly is not.
  bool folds_phase(double smoothing, long products, ScaledProblem& problem, Span z,
                   Monitor& monitor) {
    if (blocks(problem) > folds_limit || !path_refusal(problem.problem()).empty()) return true;
    FoldsAndNewtonOptions options;
    options.path.smoothing *= smoothing;
    Vector u(problem.size());
    problem.velocity(z, u);
    monitor.begin_phase({products, unlimited, unlimited});
    follow_folds_and_finish(problem, options, z, u, monitor);
    return end_phase("the central path through its folds", z, monitor);
  }
  bool fold_continuation(ScaledProblem& problem, Span z, Monitor& monitor) {
    for (const double smoothing : {1.0, 10.0, 0.1})
      if (!folds_phase(smoothing, unlimited, problem, z, monitor)) return false;
    return true;
  }

  /// The rest of the catalogue in turn. False when the run is over.
  bool rounds(ScaledProblem& problem, Span z, Monitor& monitor) {
    constexpr std::array names = {"hybrid-newton", "spg",    "admm", "apgd",        "nlgs",
                                  "newton",        "kucera", "pgs",  "enumeration", "lemke"};
    const bool small = is_small(problem, monitor);
    if (small && !newton_from_zero(problem, z, monitor)) return false;
    long products = 8 * cost_of_factorisation(problem) + 500;
    for (int round = 0; round < most_rounds_; ++round, products *= 4) {
      // Iterates can be caught where no method gets them away from; frozen tilts, and from nothing,
      // is the way that is caught least.
      if (problem.is_tilted() && !run_from_zero("apgd", 4 * products, problem, z, monitor))
        return false;
      for (const char* name : names) {
        if (!admits(name, problem) || (!small && uses_factors(name))) continue;
        if (!run_phase(name, {products, unlimited, unlimited}, problem, z, monitor)) return false;
      }
    }
    return true;
  }
  /// Newton's method has its own way to the solution from nothing. False when the run is over.
  bool newton_from_zero(ScaledProblem& problem, Span z, Monitor& monitor) {
    const long products = newton_cost_ / cost_of_factorisation(problem);
    if (alart_curnier_refusal(problem).empty() &&
        !run_from_zero(ac_newton, products, problem, z, monitor))
      return false;
    return run_from_zero("prox-newton", products, problem, z, monitor);
  }
  bool run_from_zero(const char* name, long products, ScaledProblem& problem, Span z,
                     Monitor& monitor) {
    fill(z, 0.0);
    return run_phase(name, {products, unlimited, unlimited}, problem, z, monitor);
  }
  static bool uses_factors(const std::string& name) {
    return name == "hybrid-newton" || name == "newton" || name == "admm";
  }

  void solve_islands(ScaledProblem& problem, const Islands& islands, Span z, Monitor& monitor);
  void solve_island(const Island& island, double goal, const Monitor& whole, IslandRun& run);
  void take_limits(const Auto& other) {
    pile_limit_ = other.pile_limit_;
    factorisation_limit_ = other.factorisation_limit_;
  }

  SolverInfo info_;
  std::vector<std::pair<std::string, std::unique_ptr<Solver>>> methods_;
  PathAndNewtonOptions path_;
  bool split_islands_ = true;
  int pile_limit_ = 2000, factorisation_limit_ = 40000, newton_steps_ = 12, most_rounds_ = 5;
  long newton_cost_ = 300'000; ///< In products, of Newton's way from zero.
};

void Auto::solve_island(const Island& island, double goal, const Monitor& whole, IslandRun& run) {
  const auto n = make_operator(island.problem);
  ScaledProblem part(island.problem, *n);
  Vector z(part.size(), 0.0);
  if (part.reference() > 0) {
    part.to_scaled(run.x, z);
    const SolveOptions options = whole.options_within(goal / part.reference());
    Monitor monitor(part, options);
    if (quick_phase(part, false, z, monitor)) finish(part, z, monitor);
    if (!monitor.best().empty()) copy(monitor.best(), z);
    run.iterations = monitor.iterations();
    run.infeasible = monitor.status() == Status::infeasible;
    if (monitor.status() != Status::converged)
      run.trouble = fmt::format("an island of {} contacts: {}", part.contacts(), monitor.message());
  }
  part.to_physical(z, run.x);
  run.work = static_cast<double>(part.products()) * blocks(part);
}

void Auto::solve_islands(ScaledProblem& problem, const Islands& islands, Span z, Monitor& monitor) {
  const ContactProblem& whole = problem.problem();
  Vector u(problem.size()), x(problem.size());
  problem.velocity(z, u);
  const IslandResiduals residuals = island_residuals(problem, islands, z, u);
  const double goal = monitor.options().tolerance * problem.reference();
  const auto goal_of = [&](Index island) {
    return goal * std::sqrt(product_share * residuals.blocks[island] / blocks(problem));
  };
  std::vector<bool> wanted(islands.count);
  std::vector<Index> number;
  for (Index i = 0; i < islands.count; ++i) {
    wanted[i] = std::sqrt(residuals.squared[i]) > goal_of(i);
    if (wanted[i]) number.push_back(i);
  }
  monitor.note(
      fmt::format("{} of {} islands are solved on their own", number.size(), islands.count));
  problem.to_physical(z, x);
  const std::vector<Island> parts = split(whole, islands, wanted);
  std::vector<IslandRun> runs(parts.size());
  parallel_for(
      static_cast<Index>(parts.size()),
      [&](Index begin, Index end) {
        Auto own; // methods have a memory of their own
        own.take_limits(*this);
        for (Index k = begin; k < end; ++k) {
          runs[k].x.resize(parts[k].problem.size());
          gather(whole, parts[k], x, runs[k].x);
          own.solve_island(parts[k], goal_of(number[k]), monitor, runs[k]);
        }
      },
      1);
  long iterations = 0;
  double work = 0;
  std::string trouble;
  bool infeasible = false;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    scatter(whole, parts[k], runs[k].x, x);
    // Islands do not wait for each other: each has the limits of the whole.
    iterations = std::max(iterations, runs[k].iterations);
    work += runs[k].work;
    if (!runs[k].trouble.empty()) trouble = runs[k].trouble;
    infeasible |= runs[k].infeasible;
  }
  monitor.add_iterations(iterations);
  problem.count_products(std::lround(work / blocks(problem)));
  problem.to_scaled(x, z);
  problem.velocity(z, u);
  if (monitor.proceed(z, u)) {
    if (infeasible) return monitor.declare_infeasible();
    if (trouble.empty()) return finish(problem, z, monitor);
    // An island that a limit has ended did so at the limit of the whole, which is then said.
    if (monitor.count_iteration()) monitor.stall(trouble);
  }
}

} // namespace

std::unique_ptr<Solver> make_auto() {
  return std::make_unique<Auto>();
}

} // namespace talus
