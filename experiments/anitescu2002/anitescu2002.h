#pragma once
// What the experiments of anitescu2002 share: the triangular stack of discs in the plane, problems
// from its collapse, and the paper's three algorithms.

#include "experiments/frame/problem_variants.h"
#include "experiments/frame/solver_runs.h"
#include "experiments/frame/sphere_pile.h"
#include "talus/step/simulation.h"

namespace talus::experiments {

/// Equal discs (1 m, 1 kg) in `rows` rows on a floor, confined to the plane y = 0. Sixteen rows are
/// the paper's 136 bodies. With posts at both sides it rests, without them it collapses.
World disc_stack(int rows, double friction, bool with_posts);
int discs_of(int rows);

/// Steps of 10 ms under Coulomb's law, by Algorithm 3 or exactly.
StepOptions algorithm3_steps();
StepOptions exact_steps();

/// The problem of the collapsing stack after `steps` exact steps, in the plane, kept as file.
ContactProblem collapsing_stack(const Context& context, int rows, long steps);

/// The same problem with another coefficient of friction at all contacts.
ContactProblem with_friction(ContactProblem problem, double mu);

/// The paper's algorithms: 1 is p1 without its relaxation, 2 is p1-p2, 3 its first round.
SolverRun algorithm(int number, int rounds);

/// The step's solution to an error of 1e-10, or as close as prox-newton or path come.
SolveResult exact_solution(const ContactProblem& problem);

/// |μ λ| of a solution, λ the sliding speeds of the contacts (m/s).
double size_of_mu_lambda(const ContactProblem& problem, const SolveResult& solution);

} // namespace talus::experiments
