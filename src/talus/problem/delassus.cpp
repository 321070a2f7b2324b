#include "talus/problem/delassus.h"

#include "talus/core/error.h"
#include "talus/core/parallel.h"

#include <cassert>
#include <cmath>
#include <utility>

namespace talus {

DelassusOperator::DelassusOperator(const ContactProblem& problem, Index dofs) {
  take_sizes(problem, dofs);
}

void DelassusOperator::take_sizes(const ContactProblem& problem, Index dofs) {
  dimension_ = problem.dimension;
  contacts_ = problem.contacts();
  equalities_ = problem.equalities();
  dofs_ = dofs;
  compliance_ = problem.compliance;
}

void DelassusOperator::apply(ConstSpan x, Span y, ConstSpan scale) const {
  assert(static_cast<Index>(x.size()) == size() && static_cast<Index>(y.size()) == size());
  assert(scale.empty() || static_cast<Index>(scale.size()) == blocks());
  apply_structure(x, y, scale);
  if (compliance_.empty()) return;
  const Index impulses = dimension_ * contacts_;
  parallel_for(size(), [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      const Index block = i < impulses ? i / dimension_ : contacts_ + i - impulses;
      const double s = scale.empty() ? 1.0 : scale[block];
      y[i] += s * s * compliance_[i] * x[i];
    }
  });
}

void DelassusOperator::apply(ConstSpan x, Span y, ConstSpan scale,
                             const ContactsReady& ready) const {
  if (compliance_.empty()) return apply_in_chunks(x, y, scale, ready);
  apply(x, y, scale);
  parallel_for(contacts_, ready, contact_chunk);
}

void DelassusOperator::apply_in_chunks(ConstSpan x, Span y, ConstSpan scale,
                                       const ContactsReady& ready) const {
  apply_structure(x, y, scale);
  parallel_for(contacts_, ready, contact_chunk);
}

double DelassusOperator::row_bound(Index) const {
  return 0;
}

SparseMatrix DelassusOperator::with_compliance(SparseMatrix n) const {
  if (compliance_.empty()) return n;
  std::vector<Triplet> entries;
  entries.reserve(n.value.size() + compliance_.size());
  for (Index i = 0; i < n.rows; ++i) {
    entries.push_back({i, i, compliance_[i]});
    for (Index k = n.row_start[i]; k < n.row_start[i + 1]; ++k)
      entries.push_back({i, n.column[k], n.value[k]});
  }
  return from_triplets(n.rows, n.columns, std::move(entries));
}

void DelassusOperator::finish(Vector diagonal, Vector free_velocity) {
  diagonal_ = std::move(diagonal);
  free_velocity_ = std::move(free_velocity);
  finish();
}

void DelassusOperator::finish() {
  const int d = dimension_;
  assert(static_cast<Index>(free_velocity_.size()) == size());
  if (!compliance_.empty()) {
    for (Index c = 0; c < contacts_; ++c)
      for (int i = 0; i < d; ++i) diagonal_[d * d * c + (d + 1) * i] += compliance_[d * c + i];
    for (Index j = 0; j < equalities_; ++j)
      diagonal_[d * d * contacts_ + j] += compliance_[d * contacts_ + j];
  }
  rho_.resize(blocks());
  for (Index block = 0; block < blocks(); ++block) {
    const bool contact = block < contacts_;
    double trace = 0;
    if (contact)
      for (int i = 0; i < d; ++i) trace += diagonal_[d * d * block + (d + 1) * i];
    else
      trace = diagonal_[d * d * contacts_ + block - contacts_];
    if (!std::isfinite(trace))
      throw InvalidProblem("the Delassus operator is not finite at " +
                           std::string(contact ? "contact " : "equality row ") +
                           std::to_string(contact ? block : block - contacts_));
    if (trace > 0) {
      rho_[block] = (contact ? d : 1) / trace;
      continue;
    }
    const double bound = row_bound(block);
    if (contact && d > 1)
      throw InvalidProblem(
          "contact " + std::to_string(block) +
          " has a Delassus block without positive trace: impulses there move nothing");
    rho_[block] = bound > 0 ? 1 / bound : 1;
  }
}

} // namespace talus
