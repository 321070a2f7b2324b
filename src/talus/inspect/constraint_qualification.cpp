#include "talus/inspect/constraint_qualification.h"

#include "talus/linalg/eigen_sparse.h"
#include "talus/solve/lcp/principal_pivoting.h"

#include <cmath>
#include <limits>

namespace talus {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
/// Separation speeds below this are rounding.
constexpr double smallest_separation = 1e-10;

/// The entries of x that take part, and on which side: 1 or -1 for unilateral ones, 0 for free
/// rows.
struct Parts {
  std::vector<Index> entries;
  std::vector<double> side;
};

Parts unilateral_parts(const ContactProblem& problem) {
  Parts parts;
  const auto add = [&](Index entry, double side) {
    parts.entries.push_back(entry);
    parts.side.push_back(side);
  };
  for (Index c = 0; c < problem.contacts(); ++c) add(problem.dimension * c, 1);
  for (Index j = 0; j < problem.equalities(); ++j) {
    const double lower = problem.row_lower.empty() ? -infinity : problem.row_lower[j];
    const double upper = problem.row_upper.empty() ? infinity : problem.row_upper[j];
    const Index entry = problem.impulses() + j;
    if (std::isinf(lower) && std::isinf(upper)) add(entry, 0);
    if (std::isfinite(lower) && std::isinf(upper)) add(entry, 1);
    if (std::isinf(lower) && std::isfinite(upper)) add(entry, -1);
  }
  return parts;
}

} // namespace

std::string_view to_string(Disassemblable answer) {
  switch (answer) {
  case Disassemblable::yes:
    return "yes";
  case Disassemblable::no:
    return "no";
  case Disassemblable::unknown:
    return "unknown";
  }
  return "unknown";
}

Disassembly examine_disassembly(const ContactProblem& problem, const DelassusOperator& n) {
  Disassembly result;
  const Parts parts = unilateral_parts(problem);
  const Index size = static_cast<Index>(parts.entries.size());
  if (size > disassembly_limit) return result;

  const SparseMatrix matrix = n.matrix();
  Eigen::VectorXd scale(size), one(size), lower(size);
  for (Index i = 0; i < size; ++i) {
    const double diagonal = entry(matrix, parts.entries[i], parts.entries[i]);
    scale[i] = diagonal > 0 ? 1 / std::sqrt(diagonal) : 1.0;
    one[i] = std::abs(parts.side[i]);
    lower[i] = parts.side[i] == 0 ? -infinity : 0;
    if (parts.side[i] < 0) scale[i] = -scale[i];
  }
  const Eigen::MatrixXd whole = to_eigen(matrix);
  const Eigen::MatrixXd delassus =
      scale.asDiagonal() * whole(parts.entries, parts.entries) * scale.asDiagonal();
  const Eigen::VectorXd upper = Eigen::VectorXd::Constant(size, infinity);
  long left = most_pivots(size);
  const PrincipalAnswer answer =
      principal_pivoting(delassus + one * one.transpose(), -one, lower, upper,
                         Eigen::VectorXd::Zero(size), [&] { return --left > 0; });
  if (answer.end != PrincipalEnd::solution) return result;

  // Judged by what was found, not by the method: a velocity that separates, or a balance.
  const double rho = 1 - one.dot(answer.x);
  const Eigen::VectorXd speeds = delassus * answer.x;
  double slowest = infinity, balance = 0;
  for (Index i = 0; i < size; ++i) {
    if (parts.side[i] != 0) slowest = std::min(slowest, speeds[i]);
    balance = std::max(balance, std::abs(speeds[i]));
  }
  if (one.sum() == 0) {
    result.answer = Disassemblable::yes;
    result.separation = 1;
  } else if (rho > smallest_separation && slowest > 0.5 * rho) {
    result.answer = Disassemblable::yes;
    result.separation = rho;
  } else if (rho <= smallest_separation && balance <= 1e-6) {
    result.answer = Disassemblable::no;
    for (Index i = 0; i < problem.contacts(); ++i)
      if (answer.x[i] > smallest_separation) result.wedged.push_back(i);
  }
  return result;
}

} // namespace talus
