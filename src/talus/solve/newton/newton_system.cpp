#include "talus/solve/newton/newton_system.h"

#include "talus/core/division.h"
#include "talus/core/error.h"
#include "talus/core/ranks.h"
#include "talus/core/vector_ops.h"
#include "talus/problem/scaled/contact_sum.h"
#include "talus/solve/newton/newton_blocks.h"
#include "talus/solve/rank_bodies.h"

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
                           StopTest stop, LinearEngine engine)
    : problem_(problem), space_(space), stop_(std::move(stop)), engine_(engine) {
  if (!is_met(stop_)) choose_method(problem, dense_limit);
}

void NewtonSystem::choose_method(const ScaledProblem& problem, Index dense_limit) {
  const NewtonSpace space = space_;
  if (engine_ != LinearEngine::own) {
    space_ = NewtonSpace::body;
    method_ = make_rank_space(problem, engine_);
    return;
  }
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

std::string NewtonSystem::refusal(const ScaledProblem& problem, NewtonSpace space,
                                  LinearEngine engine) {
  if (engine != LinearEngine::own) {
    const std::string option = "linear = " + to_string(engine);
    if (space != NewtonSpace::automatic && space != NewtonSpace::body)
      return "anything with " + option + " but in body space";
    if (problem.dimension() > 3) return "contacts with moments with " + option;
    return RankBodies::refusal(problem, engine);
  }
  if (problem.division())
    return "problems divided over ranks by its own factorisations (linear = mumps, gamg or hypre "
           "does)";
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
  // Equality rows, the last blocks, are on all ranks.
  const auto rows = active_.end() - std::ranges::lower_bound(active_, layout.contacts);
  std::int64_t active = static_cast<std::int64_t>(active_.size()) - rows;
  if (problem_.division()) active = problem_.division()->ranks->sum(active);
  const std::int64_t all = all_contacts(problem_) + problem_.equalities();
  const double share =
      static_cast<double>(active + rows) / static_cast<double>(std::max<std::int64_t>(1, all));
  uncounted_ += std::min(1.0, growth * share * share);
  if (uncounted_ < 1) return;
  uncounted_ -= 1;
  problem_.count_factorisation();
}

bool NewtonSystem::solve(const NewtonMatrices& matrices, ConstSpan rhs, Span dz) {
  if (!method_ || is_met(stop_)) return false;
  count_factorisation(matrices.k);
  return method_->solve(matrices, rhs, dz, false) && is_finite(dz);
}

bool NewtonSystem::solve_again(const NewtonMatrices& matrices, ConstSpan rhs, Span dz) {
  return method_ && !is_met(stop_) && method_->solve(matrices, rhs, dz, true) && is_finite(dz);
}

bool NewtonSystem::is_finite(ConstSpan dz) const {
  const bool finite = all_finite(dz);
  return problem_.division() ? !problem_.division()->ranks->any(!finite) : finite;
}

int NewtonSystem::determinant_sign() const {
  return method_ ? method_->determinant_sign() : 0;
}

} // namespace talus
