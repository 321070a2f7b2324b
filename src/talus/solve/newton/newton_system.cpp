#include "talus/solve/newton/newton_system.h"

#include "talus/core/error.h"
#include "talus/core/vector_ops.h"
#include "talus/solve/newton/newton_blocks.h"

#include <algorithm>
#include <limits>

namespace talus {
namespace {

/// Degrees of freedom that some row of x moves.
Index touched_dofs(const SparseMatrix& rows) {
  std::vector<bool> touched(rows.columns, false);
  for (Index k = 0; k < rows.nonzeros(); ++k)
    if (rows.value[k] != 0) touched[rows.column[k]] = true;
  return static_cast<Index>(std::count(touched.begin(), touched.end(), true));
}

} // namespace

std::string_view to_string(NewtonSpace space) {
  switch (space) {
  case NewtonSpace::automatic:
    return "automatic";
  case NewtonSpace::dense:
    return "dense";
  case NewtonSpace::contact:
    return "contact";
  case NewtonSpace::body:
    return "body";
  }
  return "unknown";
}

void find_active_blocks(const BlockLayoutOfRows& layout, ConstSpan k, std::vector<Index>& active) {
  active.clear();
  for (Index block = 0; block < layout.blocks; ++block) {
    const auto first = k.begin() + static_cast<std::ptrdiff_t>(layout.entry(block));
    const int entries = layout.size(block) * layout.size(block);
    if (std::any_of(first, first + entries, [](double value) { return value != 0; }))
      active.push_back(block);
  }
}

NewtonSystem::NewtonSystem(const ScaledProblem& problem, NewtonSpace space, Index dense_limit,
                           StopTest stop)
    : problem_(problem), space_(space), stop_(std::move(stop)) {
  if (!is_met(stop_)) choose_method(problem, dense_limit);
}

void NewtonSystem::choose_method(const ScaledProblem& problem, Index dense_limit) {
  const NewtonSpace space = space_;
  // The body space is made of contacts of up to three entries.
  const bool plain = problem.dimension() <= 3;
  const bool may_use_bodies = space == NewtonSpace::body || (space == NewtonSpace::automatic &&
                                                             plain && problem.size() > dense_limit);
  if (may_use_bodies) {
    auto pieces = problem.delassus().primal();
    if (space == NewtonSpace::body && !pieces)
      throw InvalidArgument("the problem has no body space: it is a local model, or its mass "
                            "matrix is not symmetric");
    if (pieces && (space == NewtonSpace::body || touched_dofs(pieces->rows) < problem.size())) {
      space_ = NewtonSpace::body;
      method_ = make_body_space(problem, *pieces, stop_);
      return;
    }
  }
  if (space == NewtonSpace::dense) dense_limit = std::numeric_limits<Index>::max();
  if (space == NewtonSpace::contact) dense_limit = 0;
  if (space != NewtonSpace::dense && problem.dimension() == 3 && problem.equalities() == 0) {
    space_ = NewtonSpace::contact;
    method_ = make_block_space(problem, dense_limit, stop_);
    return;
  }
  space_ = problem.size() <= dense_limit ? NewtonSpace::dense : NewtonSpace::contact;
  method_ = make_contact_space(problem, dense_limit, stop_);
}

NewtonSystem::~NewtonSystem() = default;

std::string NewtonSystem::refusal(const ScaledProblem& problem, NewtonSpace space) {
  if (space != NewtonSpace::body) return "";
  if (problem.dimension() > 3) return "contacts with moments with space = body";
  if (problem.delassus().primal()) return "";
  return "problems without a body space (local models, unsymmetric mass matrices) with space = "
         "body";
}

/// With 42 % of the contacts of a pile of a thousand a factorisation takes a seventh of the time
/// that it takes with all of them, with half of 3400 a third.
void NewtonSystem::count_factorisation(ConstSpan k) {
  constexpr double growth = 3; // the share is at most 1: what is small and crowded costs all of it
  const BlockLayoutOfRows layout(problem_);
  find_active_blocks(layout, k, active_);
  const double share = static_cast<double>(active_.size()) / std::max<Index>(1, layout.blocks);
  uncounted_ += std::min(1.0, growth * share * share);
  if (uncounted_ < 1) return;
  uncounted_ -= 1;
  problem_.count_factorisation();
}

bool NewtonSystem::solve(const NewtonMatrices& matrices, ConstSpan rhs, Span dz) {
  if (!method_ || is_met(stop_)) return false;
  count_factorisation(matrices.k);
  return method_->solve(matrices, rhs, dz, false) && all_finite(dz);
}

bool NewtonSystem::solve_again(const NewtonMatrices& matrices, ConstSpan rhs, Span dz) {
  return method_ && !is_met(stop_) && method_->solve(matrices, rhs, dz, true) && all_finite(dz);
}

int NewtonSystem::determinant_sign() const {
  return method_ ? method_->determinant_sign() : 0;
}

} // namespace talus
