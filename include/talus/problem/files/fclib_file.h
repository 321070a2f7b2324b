#pragma once
// Contact problems in FCLIB's HDF5 layout (local and global, 2D and 3D; triplet, CSR and CSC
// matrices). Contacts with moments are in groups with "_rolling" behind their names, as Siconos has
// them: /fclib_local_rolling and /fclib_global_rolling, `spacedim` 5 (3 in the plane), and beside
// vectors/mu the lengths of rolling friction in vectors/mu_r. FCLIB has no place for spinning
// friction: Talus writes `spacedim` 6 and vectors/mu_s there. Files are written to a temporary name
// beside the target and renamed, so that a reader never sees half a file.

#include "talus/problem/contact_problem.h"

#include <string>
#include <vector>

namespace talus {

/// An answer or a guess as FCLIB stores it; vectors that were not stored are empty. (So are those
/// of the many files in which Siconos created the dataset and never filled it.)
struct FclibSolution {
  Vector v; ///< Generalised velocities (not for local problems).
  Vector u; ///< Relative velocities at the contacts.
  Vector r; ///< Impulses.
  Vector l; ///< Multipliers of equality rows.
};

struct FclibFile {
  ContactProblem problem; ///< Law coulomb, friction cone or rolling: the file says nothing else.
  std::vector<FclibSolution> guesses;
  FclibSolution solution; ///< All empty without a /solution group. Not to be trusted: judge it.
};

/// Throws FileError (missing, truncated, not HDF5, not FCLIB, contradictory sizes, numbers that are
/// not finite). The result passes validate().
FclibFile read_fclib(const std::string& path);

/// A local model becomes /fclib_local, the others /fclib_global. Matrices are written as given,
/// doubles exactly: reading back gives a local or global model bit for bit. A rigid model is
/// written as to_global() makes it, and of its v only mobile_dofs().
///
/// Throws FileError when it cannot be written; an existing file at `path` is then untouched. Throws
/// InvalidProblem, before anything is written, for a problem that is not valid or that the format
/// cannot hold: complementarity problems (dimension 1), a coupling U other than Vᵀ, bounded
/// multipliers of equality rows. Compliance of a local problem is folded into W and R; in a global
/// one each entry E > 0 becomes a degree of freedom of mass 1/E. The friction set, its normal
/// estimates and the law are not stored: a reader chooses them again.
void write_fclib(const std::string& path, const FclibFile& content);

} // namespace talus
