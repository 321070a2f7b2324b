#pragma once
// Contact problems in FCLIB's HDF5 layout (local and global, 2D and 3D; triplet, CSR and CSC
// matrices). Files are written to a temporary name beside the target and renamed, so that a reader
// never sees half a file.

#include "talus/problem/contact_problem.h"

#include <string>
#include <vector>

namespace talus {

/// An answer or a guess as FCLIB stores it; vectors that were not stored are empty.
struct FclibSolution {
  Vector v; ///< Generalised velocities (global problems).
  Vector u; ///< Relative velocities at the contacts.
  Vector r; ///< Impulses.
  Vector l; ///< Multipliers of equality rows.
};

struct FclibFile {
  ContactProblem problem; ///< Law coulomb, friction cone: the file says nothing else.
  std::vector<FclibSolution> guesses;
  FclibSolution solution; ///< All empty without a /solution group. Not to be trusted: judge it.
};

/// Throws FileError (missing, truncated, not HDF5, not FCLIB, contradictory sizes).
FclibFile read_fclib(const std::string& path);

/// A local model becomes /fclib_local, the others /fclib_global. Matrices are written as given,
/// doubles exactly. Throws FileError when it cannot be written; an existing file at `path` is then
/// untouched. Compliance and other friction sets have no place in the format: compliance is folded
/// into W of a local model, and InvalidProblem is thrown for it in a global one.
void write_fclib(const std::string& path, const FclibFile& file);

} // namespace talus
