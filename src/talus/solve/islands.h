#pragma once
// Islands: the parts of a contact problem that do not know of each other. Contacts and joint rows
// belong to one island when a chain of bodies that impulses can move connects them (rigid and
// global models), or a chain of entries of W (local models). Bodies that impulses cannot move
// connect nothing.
//
// The islands of a problem have the same solution as the whole, and the squared residual |F|_E² of
// the whole is the sum of theirs (quality.h).

#include "talus/problem/scaled/scaled_problem.h"

namespace talus {

struct Islands {
  /// Island of each contact and, after them, of each equality row; numbered in the order of their
  /// first contact or row.
  std::vector<Index> of_block;
  Index count = 0;
};

/// O(contacts + nonzeros).
Islands find_islands(const ContactProblem& problem);

/// One island as a problem of its own.
struct Island {
  ContactProblem problem;
  std::vector<Index> contacts; ///< Its contacts in the whole, increasing.
  std::vector<Index> rows;     ///< Its equality rows in the whole, increasing.
};

/// The wanted islands, in their order. O(size of the problem).
std::vector<Island> split(const ContactProblem& problem, const Islands& islands,
                          const std::vector<bool>& wanted);

/// |F|² of each island in scaled variables, and its number of blocks.
struct IslandResiduals {
  Vector squared;
  std::vector<Index> blocks;
};

/// At z with the velocity u = N z + q.
IslandResiduals island_residuals(const ScaledProblem& problem, const Islands& islands, ConstSpan z,
                                 ConstSpan u);

/// Copies the island's part of x = (r, l), or an island's x back to its place in the whole.
void gather(const ContactProblem& whole, const Island& island, ConstSpan x, Span part);
void scatter(const ContactProblem& whole, const Island& island, ConstSpan part, Span x);

} // namespace talus
