#pragma once
// Rolling-friction problems in the text files of Siconos (.dat).
//
//     components contacts             5 contacts with rolling friction; 6 with spinning, too; 3 in
//                                     the plane
//     local:    matrix W, q           u = W r + q
//     global:   matrix M, matrix H,   M v = H r + f,  u = Hᵀ v + w
//               f, w
//     mu                              one per contact
//     mu_r                            one per contact: the length that bounds the rolling moment
//     mu_s                            6 components only (an extension of Talus): the same for the
//                                     spinning moment
//
// Numbers are separated by blanks. A contact has the entries normal, two tangents, two rolling
// moments about them[, the spinning moment about the normal]; in the plane normal, tangent, rolling
// moment. Matrices are as in lcp_file.h. A file
// is global if its first matrix is followed by another: by three integers "storage rows columns",
// where a local file has q. What follows the last number is a comment.
//
// Siconos' problems without moments in space begin with 3 components as well. They end with mu:
// without as many numbers behind it the file is refused.

#include "talus/problem/contact_problem.h"

#include <string>

namespace talus {

/// True when the text of the file begins like a rolling-friction problem. Throws FileError when it
/// cannot be read.
bool is_rolling_text(const std::string& path);

/// Reads such a file: set rolling, law coulomb. Throws FileError with the line.
ContactProblem read_rolling_text(const std::string& path);

} // namespace talus
