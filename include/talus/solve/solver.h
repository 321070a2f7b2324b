#pragma once
// What a solver is, what it is told and what it answers.
//
// A solver gets a problem and an operator and returns impulses with a status; everything that
// certifies the answer (Quality) is computed afterwards, from the impulses alone.
// A combination of law, friction set, dimension, joints or solver options that a solver does not
// admit is answered `unsupported` before any work.

#include "talus/problem/scaled/quality.h"
#include "talus/problem/scaled/scaled_problem.h"
#include "talus/solve/history.h"
#include "talus/solve/options.h"

#include <atomic>
#include <memory>
#include <string>
#include <vector>

namespace talus {

enum class Status {
  converged,       ///< The judged error is within the tolerance.
  iteration_limit, ///< SolveOptions::max_iterations used.
  product_limit,   ///< SolveOptions::max_products used.
  time_limit,      ///< SolveOptions::time_limit used.
  stopped,         ///< SolveOptions::stop was set.
  stalled,         ///< The method cannot go on.
  infeasible,      ///< Contacts contradict each other: see SolveResult::contradiction.
  unsupported,     ///< The solver does not admit the problem.
  invalid_problem  ///< The data contradict themselves.
};
std::string_view to_string(Status status);

/// What the caller wants, the same for every solver.
struct SolveOptions {
  double tolerance = 1e-8; ///< On the chosen measure; relative and scale-free.
  Measure measure = Measure::talus;
  long max_iterations = 1000000; ///< Solver iterations, summed over outer iterations.
  /// Products with N; 0 means none. Factorisations count as the products they are worth
  /// (solve/cost_model.h). Unlike a time limit it gives the same answer on every machine. Looked at
  /// where the clock is, so that one factorisation may go beyond it.
  long max_products = 0;
  /// Seconds; 0 means none. Looked at once per iteration (tiny problems: every few dozen) and
  /// between the phases of a factorisation: one phase (ordering, numbers, substitution), or an
  /// operator still to be set up, is waited for.
  double time_limit = 0;
  /// When it becomes true (in a signal handler, on another thread) the solve ends soon with status
  /// `stopped` and the best iterate; null: never. Looked at in every iteration, and where the clock
  /// is.
  const std::atomic<bool>* stop = nullptr;
  bool keep_history = false; ///< Record every iteration (costs a few vector passes each).
  Vector initial;            ///< Starting impulses x = (r, l); empty: zero.
  /// For callers who hand a result in: start from its x instead, which saves a vector.
  bool continue_from_result = false;
  Vector reference_velocity; ///< If given, history holds |u - reference| (scaled) per iteration.
};

/// What a solver does, for people and for `talus solvers`. Solvers fill it by name and leave out
/// what is as general as can be: both laws, every set of the plane and of space, joints and warm
/// starts.
struct SolverInfo {
  std::string name;
  std::string summary;                                     ///< One line.
  std::string paper;                                       ///< Where the algorithm is described.
  std::vector<Law> laws = {Law::associated, Law::coulomb}; ///< Laws it solves.
  /// Sets it admits, by what it needs of them: sets with moments only where it says so.
  AdmittedSets friction = {};
  std::vector<int> dimensions = {}; ///< Empty: those of its sets.
  bool joints = true;
  bool warm_start = true;
  std::string coulomb;                ///< How it reaches Coulomb's law: "direct" or "fixed point".
  std::string products_per_iteration; ///< In products with N, e.g. "1".
  /// Whether it solves problems that are divided over ranks (docs/theory/ranks.md).
  bool over_ranks = false;
};

/// The same for a solver that runs over ranks.
inline SolverInfo running_over_ranks(SolverInfo info) {
  info.over_ranks = true;
  return info;
}

struct SolveResult {
  Status status = Status::stalled;
  std::string message; ///< Why, when it is not `converged`.
  Vector x;            ///< Impulses and multipliers (r, l).
  Vector u;            ///< Velocities y = N x + q̄ (zero on satisfied equality rows).
  Vector v;            ///< Generalised velocities; empty for a local model.
  long iterations = 0, outer_iterations = 0, products = 0;
  /// Products, and factorisations at what they are worth: what max_products limits.
  long work = 0;
  Quality quality;
  /// Of the solver alone; operator set-up and judging excluded.
  double seconds = 0;
  History history;
  /// Contacts that no velocities can satisfy together, when the status is `infeasible`.
  std::vector<Index> contradiction;
};

class Monitor;

class Solver {
public:
  virtual ~Solver() = default;
  virtual const SolverInfo& info() const = 0;

  /// Shows every option by reference (options.h), so that it can be listed and set by name.
  virtual void visit_options(OptionVisitor& visitor) { (void)visitor; }

  /// More about how the solver decides, for `talus solvers NAME`; lines of at most 100 columns.
  virtual std::string details() { return ""; }

  /// What the solver does not admit beyond the table of info(), as the end of the sentence "<name>
  /// does not solve ..."; empty if it admits the problem. For limits of size and of structure, and
  /// for options that do not suit the problem.
  virtual std::string refuses(const ScaledProblem& problem) const {
    (void)problem;
    return "";
  }

  /// Why it does not run over ranks with its options as they are, though info() says that it can,
  /// as the end of the sentence "<name> does not run over ranks ..."; empty if it does.
  virtual std::string refuses_ranks() const { return ""; }
  /// Whether its answers over ranks have the same bits for every number of them, with its options
  /// as they are.
  virtual bool has_same_bits_over_ranks() const { return true; }

  /// Improves z, in scaled variables, until the monitor says stop. Called by `solve` with an
  /// admissible problem; z holds the projected starting point.
  virtual void run(ScaledProblem& problem, Span z, Monitor& monitor) = 0;
};

/// Entries per contact that the solver admits.
std::vector<int> admitted_dimensions(const SolverInfo& info);

/// Why the solver does not admit the problem; empty if it does.
std::string refusal(const SolverInfo& info, const ContactProblem& problem);

/// Completes a result from its impulses x alone: velocities, quality, and the status, which is
/// `converged` exactly if the judged error is within the tolerance and the impulses are of
/// admissible size (largest_relative_size). Where the solver's own status
/// claimed more, the message says "<claim> but the judged error is ...".
void judge_answer(const ContactProblem& problem, const DelassusOperator& n,
                  const SolveOptions& options, std::string_view claim, SolveResult& result);

/// Memory shared by repeated solves of like problems. A rigid problem of no more contacts than
/// those before, solved by a method that keeps its vectors (apgd, ansgs, nncg, nsgs, and auto where
/// these suffice and there are at most 50,000 contacts), then allocates nothing.
class SolveWorkspace {
public:
  SolveWorkspace();
  ~SolveWorkspace();
  SolveWorkspace(SolveWorkspace&&) noexcept;
  SolveWorkspace& operator=(SolveWorkspace&&) noexcept;

private:
  friend void solve(Solver&, const ContactProblem&, const SolveOptions&, SolveWorkspace&,
                    SolveResult&);
  friend void solve(Solver&, const ContactProblem&, const DelassusOperator&, const SolveOptions&,
                    SolveWorkspace&, SolveResult&);
  struct Data;
  std::unique_ptr<Data> data_;
};

/// Runs a solver on a problem and judges its answer. `converged` is reported only if the judged
/// error is within the tolerance. Throws for options without meaning, never on numerical trouble.
SolveResult solve(Solver& solver, const ContactProblem& problem, const DelassusOperator& n,
                  const SolveOptions& options);
/// The same, building the operator; an invalid problem is reported in the status.
SolveResult solve(Solver& solver, const ContactProblem& problem, const SolveOptions& options);
/// The same in the memory of earlier solves.
void solve(Solver& solver, const ContactProblem& problem, const SolveOptions& options,
           SolveWorkspace& workspace, SolveResult& result);
void solve(Solver& solver, const ContactProblem& problem, const DelassusOperator& n,
           const SolveOptions& options, SolveWorkspace& workspace, SolveResult& result);

} // namespace talus
