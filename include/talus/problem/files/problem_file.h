#pragma once
// One door for every problem file Talus can read: FCLIB HDF5 and the plain-text LCP, MLCP and
// rolling-friction files of Siconos, told apart by content, not by name.

#include "talus/problem/contact_problem.h"

#include <string>

namespace talus {

/// Reads a problem; FCLIB files come with law coulomb and the cone (those with moments: rolling),
/// LCP and MLCP files with dimension 1 and set none (an MLCP's equality unknowns become equality
/// rows, with independent couplings U and V). Throws FileError.
ContactProblem read_problem(const std::string& path);

} // namespace talus
