#include "talus/solve/joint_eliminating_solver.h"

#include "talus/core/error.h"
#include "talus/solve/joint_elimination.h"
#include "talus/solve/monitor.h"

#include <cmath>

namespace talus {
namespace {

/// Ends the run for the reason that ended the solve of the reduced problem.
void pass_on(const SolveResult& reduced, Monitor& monitor) {
  switch (reduced.status) {
  case Status::unsupported:
    return monitor.declare_unsupported(reduced.message);
  case Status::invalid_problem:
    throw InvalidProblem(reduced.message);
  case Status::infeasible: // solve() then names the contacts and joints that take part
    return monitor.declare_infeasible();
  case Status::product_limit:
    return monitor.end_at_product_limit();
  default: // a limit of the reduced problem is one of the whole, which is then said
    if (!monitor.must_stop() && monitor.count_iteration()) monitor.stall(reduced.message);
  }
}

/// Up to here leaving contacts out saves nothing.
constexpr Index few_contacts = 20;

/// Takes the contacts that are left out and whose velocities are not admissible without impulses.
/// False where there are none: zero impulses there are part of the solution.
bool take_violated(const ScaledProblem& problem, ConstSpan z, ConstSpan u,
                   std::vector<bool>& taken) {
  bool any = false;
  for (Index c = 0; c < problem.contacts(); ++c) {
    if (taken[c] || !(problem.squared_residual(c, c + 1, z, u, false) > 0)) continue;
    taken[c] = true;
    any = true;
  }
  return any;
}

/// Those with impulses at the start, and those that would close if the joints held alone. Most
/// contacts in reach of each other are open.
std::vector<bool> likely_contacts(const ScaledProblem& problem, const JointElimination& elimination,
                                  ConstSpan start) {
  const int d = problem.dimension();
  const auto count = static_cast<std::size_t>(problem.contacts());
  std::vector<bool> taken(count, problem.contacts() <= few_contacts);
  if (problem.contacts() <= few_contacts) return taken;
  for (std::size_t c = 0; c < count; ++c)
    for (int i = 0; i < d; ++i) taken[c] = taken[c] || start[d * c + i] != 0;
  Vector x(problem.size()), z(problem.size()), u(problem.size());
  elimination.expand_joints(x);
  problem.to_scaled(x, z);
  problem.velocity(z, u);
  take_violated(problem, z, u, taken);
  return taken;
}

} // namespace

bool has_free_rows(const ContactProblem& problem) {
  if (!std::holds_alternative<RigidModel>(problem.model)) return false;
  for (Index j = 0; j < problem.equalities(); ++j)
    if (is_free(problem, j)) return true;
  return false;
}

std::string JointEliminatingSolver::refuses(const ScaledProblem& problem) const {
  return has_free_rows(problem.problem()) ? "" : inner_->refuses(problem);
}

JointElimination& JointEliminatingSolver::eliminate(const ScaledProblem& problem,
                                                    Monitor& monitor) {
  if (!elimination_ || !elimination_->follow(problem.problem(), problem.delassus())) {
    elimination_.reset(); // two would take twice the memory
    elimination_ = std::make_shared<JointElimination>(problem.problem(), problem.delassus(),
                                                      monitor.stop_test());
  }
  return *elimination_;
}

void JointEliminatingSolver::run(ScaledProblem& problem, Span z, Monitor& monitor) {
  if (!has_free_rows(problem.problem())) return inner_->run(problem, z, monitor);
  monitor.begin_with(z);
  JointElimination& elimination = eliminate(problem, monitor);
  if (monitor.must_stop()) return elimination_.reset(); // it may be unfinished
  Vector x(problem.size()), u(problem.size());
  problem.to_physical(z, x);
  std::vector<bool> taken = likely_contacts(problem, elimination, z);
  // The reduced problem is measured against a reference of its own: an error below the tolerance
  // there may be somewhat above it in the whole.
  constexpr int most_attempts = 4, most_rounds = 6;
  double tolerance = monitor.tolerance();
  for (int attempt = 1, round = 1;;) {
    elimination.take_contacts(taken, monitor.stop_test());
    if (monitor.must_stop()) return elimination_.reset();
    const ContactProblem& contacts = elimination.reduced();
    reduced_.x = elimination.restrict(x);
    bool solved = contacts.size() == 0;
    if (!solved) {
      SolveOptions options = monitor.options_within(tolerance);
      options.measure = monitor.options().measure;
      options.continue_from_result = true;
      solve(*inner_, contacts, options, workspace_, reduced_);
      monitor.add_solves(reduced_.iterations, reduced_.work - reduced_.products);
      problem.count_products(reduced_.products);
      solved = reduced_.status == Status::converged;
      if (reduced_.x.size() != static_cast<std::size_t>(contacts.size()))
        return pass_on(reduced_, monitor); // it was refused
    }
    elimination.expand(reduced_.x, x);
    problem.to_scaled(x, z);
    problem.velocity(z, u);
    if (solved && take_violated(problem, z, u, taken)) {
      if (++round > most_rounds) taken.assign(taken.size(), true);
      continue;
    }
    if (!monitor.measure(z, u)) return;
    if (!solved) return pass_on(reduced_, monitor);
    if (attempt++ == most_attempts) return monitor.stall("the joints leave an error behind");
    tolerance *= 0.5 * monitor.tolerance() / monitor.error();
  }
}

} // namespace talus
