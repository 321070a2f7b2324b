#pragma once
// Linear complementarity problems in the text files of Siconos.
//
//     LCP    w = M z + q,     0 <= w ⊥ z >= 0
//            file: n, matrix M, q
//     MLCP   0 = A u + C v + a,     w = D u + B v + b,     0 <= v ⊥ w >= 0
//            file: st1 st2 n m (n equality unknowns u, m complementarity unknowns v), then
//            with st1: block ends "0 ... n+m", one flag per block (0 equality, 1 complementarity),
//                      the whole matrix and vector;
//            with st2: A, B, C, D row by row, a, b.
//
// A matrix is "storage rows columns" and its entries: 0 dense by columns, 1 sparse blocks, 2 a
// printout of CSparse. What follows the last number is a comment; one that begins with a word
// becomes the problem's description.

#include "talus/problem/contact_problem.h"

#include <string>

namespace talus {

/// Reads an LCP or MLCP file and tells them apart by content. The problem has dimension 1, set
/// none, law coulomb (the same as associated for that set), mu = 0, and a LocalModel:
///   LCP    W = M, q
///   MLCP   W = B, V = D, U = C, R = A, q = b, s = a; the blocks of st1 are sorted accordingly. A
///          file with both storages must hold the same numbers twice (to the 6 digits that sparse
///          blocks are printed with); those of st2 are taken.
/// Throws FileError with the line: not a number, an early end, a matrix that is not square, sizes
/// that contradict each other, numbers that are not finite, friction problems.
ContactProblem read_lcp(const std::string& path);

/// What a solver found: complementarity unknowns z with w, and equality unknowns u of an MLCP.
struct LcpSolution {
  Vector u, z, w;
};

/// Writes a local problem of dimension 1 as an LCP file, or with equality rows as an MLCP in parts
/// (st2), all digits kept, so that read_lcp gives the same problem; behind it, where readers expect
/// a comment, the description and the solution. Matrices are written dense. Throws InvalidProblem
/// for what the format has no place for, before a file is touched, and FileError.
void write_lcp(const std::string& path, const ContactProblem& problem, const LcpSolution& solution);

} // namespace talus
