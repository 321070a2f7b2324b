#pragma once
// Joints solved exactly, so that a solver sees contacts only.
//
// With f the unbounded equality rows and c everything else (contacts, bounded rows), the rows f of
// y = N x + q̄ vanish for l_f = -N_ff⁺ (N_fc x_c + q_f), and what is left is a problem in x_c with
//
//     W = N_cc - N_cf N_ff⁺ N_fc,     q = q_c - N_cf N_ff⁺ q_f.
//
// Gauss-Seidel and gradient methods need many iterations to carry forces along a mechanism of stiff
// joints (lever arms, chains, closed loops); here they need none. Redundant rows are harmless: N_ff
// is factorised with a relative regularisation of 1e-10 and the solutions are refined.
//
// Cost: a sparse factorisation of N_ff per mechanism (linear in its joints for chains and trees)
// and one solve with it for every contact entry of the mechanism's bodies, which all become
// neighbours in W: meant for mechanisms with up to some hundreds of contacts each.

#include "talus/solve/solver.h"

namespace talus {

/// True if the problem is rigid, without moments, and has rows to eliminate.
bool has_free_rows(const ContactProblem& problem);

/// Solves a rigid problem with its unbounded rows eliminated; the answer is judged on the whole
/// problem, with all rows, and `converged` means that. `iterations` and `products` are those on the
/// reduced problem. Without free rows it is `solve`.
SolveResult solve_with_joints_eliminated(Solver& solver, const ContactProblem& problem,
                                         const SolveOptions& options);

} // namespace talus
