#pragma once
// A problem that every rank has as a whole, for instance from a file, divided over them.
//
// Problems do not say where their bodies are. Cells are therefore made of bodies that follow each
// other in breadth-first order of the graph of contacts: `bodies_per_cell` of them. Bodies that
// equality rows connect, and those with many contacts, are shared (sharing.h).

#include "talus/core/ranks.h"
#include "talus/solve/solver.h"

#include <memory>
#include <vector>

namespace talus {

struct DivideOptions {
  Index bodies_per_cell = 64;
  /// Bodies with more contacts are shared.
  Index most_contacts = 256;
  /// The first cell of each rank but the first, not descending; empty: equal numbers of contacts.
  std::vector<Index> cuts = {};
};

/// The part of one rank.
struct DividedProblem {
  ContactProblem problem;              ///< Own contacts in the order of their cells.
  RigidModel foreign;                  ///< Contacts of other ranks on own bodies.
  std::unique_ptr<DelassusOperator> n; ///< Refers to both, and to the Ranks.
  std::vector<Index> contacts;         ///< Their numbers in the whole problem.
  std::vector<Index> bodies; ///< Bodies of the whole problem, ascending: own, ghosts, shared.
  Index ghosts = 0, shared = 0, cells = 0, foreign_contacts = 0;
};

/// Throws InvalidProblem for problems without bodies (local models, general M), with moments of
/// rolling friction, or with more than most_shared_bodies shared bodies. To be called by all ranks
/// with the same problem and options. The answer must stay where it is: `n` refers to it.
std::unique_ptr<DividedProblem> divide_problem(const ContactProblem& whole, Ranks& ranks,
                                               const DivideOptions& options = {});

/// The part of x (or u) that belongs to this rank: its contacts', and all rows.
Vector part_of(const DividedProblem& part, const ContactProblem& whole, ConstSpan x);
/// The whole from the parts, on all ranks.
Vector whole_of(const DividedProblem& part, const ContactProblem& whole, ConstSpan x, Ranks& ranks);

/// Solves over ranks. x, u of the result are whole, v is empty. Everything else is the same on all
/// ranks but for `seconds`. `unsupported` for solvers that do not run over ranks.
SolveResult solve_over_ranks(Solver& solver, const ContactProblem& whole,
                             const SolveOptions& options, Ranks& ranks,
                             const DivideOptions& division = {});

} // namespace talus
