#pragma once
// The cones of a contact problem as the central paths see them (central_path.h, folded_path.h): one
// per contact or row, in the self-dual form
//
//     x = (√mu z_n, z_t/√mu) ∈ L,    y = (û_n/√mu, √mu û_t) ∈ L,     L = { x : x_0 >= |(x_1, ..)| }

#include "talus/problem/scaled/scaled_problem.h"

#include <string>
#include <vector>

namespace talus {

/// Of a step along a path. `blocked`: there is no way to go on; `stopped`: the monitor, told of
/// every step, ended the run.
enum class PathOutcome { moved, blocked, stopped };

/// x = stretch · (z - offset), û = stretch · y, entry by entry.
struct PathCone {
  Index row = 0;                     ///< First entry in z.
  int size = 0;                      ///< Entries that take part; 0 for free rows.
  double normal = 1, tangential = 1; ///< The stretch of its entries.
  double offset = 0;
  double stretch(int i) const { return i == 0 ? normal : tangential; }
};

/// What the paths do not admit, as the end of "<name> does not solve ..."; empty for problems with
/// sets that are a second-order cone and rows that are free or bounded below.
std::string path_refusal(const ContactProblem& problem);

/// One per block of a problem that is admitted: contacts, then rows. Contacts with hardly any
/// friction have a single entry.
std::vector<PathCone> path_cones(const ScaledProblem& problem);

/// Those that are not free rows.
double number_of_cones(const std::vector<PathCone>& cones);

} // namespace talus
