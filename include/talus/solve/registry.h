#pragma once
// The catalogue of solvers. To add one: write its file, add its line in registry.cpp.

#include "talus/solve/solver.h"

namespace talus {

/// Names in catalogue order.
std::vector<std::string> solver_names();

/// Those that solve problems divided over ranks, for messages: "apgd, bb, ...".
std::string solvers_over_ranks();

/// A new solver with default options. Throws InvalidArgument that lists the known names.
std::unique_ptr<Solver> make_solver(std::string_view name);

} // namespace talus
