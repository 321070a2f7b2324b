#include "talus/problem/delassus/delassus.h"

#include "talus/core/block_system.h"
#include "talus/core/error.h"
#include "talus/core/large_problem.h"
#include "talus/core/parallel.h"
#include "talus/problem/delassus/sweep_rows.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

namespace talus {
namespace {

constexpr Index block_chunk = 256; ///< Making a block takes some dozens of operations.

} // namespace

DelassusOperator::DelassusOperator(const ContactProblem& problem, Index dofs) {
  take_sizes(problem, dofs);
}

void DelassusOperator::take_sizes(const ContactProblem& problem, Index dofs) {
  dimension_ = problem.dimension;
  first_moment_ = problem.first_moment();
  contacts_ = problem.contacts();
  equalities_ = problem.equalities();
  dofs_ = dofs;
  compliance_ = problem.compliance;
  length_.clear();
}

SweepRows DelassusOperator::rows_here() const {
  return rows();
}

BodyNumbers DelassusOperator::number_bodies() const {
  return {};
}

double moment_length(const double* block, int dimension, int first) {
  double impulses = 0, moments = 0;
  for (int i = 0; i < dimension; ++i)
    (i < first ? impulses : moments) += block[(dimension + 1) * i];
  const double squared = (impulses / first) / (moments / (dimension - first));
  // Where moments turn nothing, any length will do.
  return std::isfinite(squared) && squared > 0 ? std::sqrt(squared) : 1.0;
}

void DelassusOperator::take_lengths(ConstSpan lengths) {
  length_.assign(lengths.begin(), lengths.end());
  if (compliance_.empty()) return;
  measured_compliance_.assign(compliance_.begin(), compliance_.end());
  compliance_ = measured_compliance_;
  const Span contacts(measured_compliance_.data(), dimension_ * length_.size());
  restore_moments(contacts); // E ℓ²
  restore_moments(contacts);
}

void DelassusOperator::measure_moments(Span x) const {
  for (std::size_t c = 0; c < length_.size(); ++c)
    for (int i = first_moment_; i < dimension_; ++i) x[dimension_ * c + i] /= length_[c];
}

void DelassusOperator::restore_moments(Span x) const {
  for (std::size_t c = 0; c < length_.size(); ++c)
    for (int i = first_moment_; i < dimension_; ++i) x[dimension_ * c + i] *= length_[c];
}

void DelassusOperator::apply(ConstSpan x, Span y, ConstSpan scale) const {
  assert(static_cast<Index>(x.size()) == size() && static_cast<Index>(y.size()) == size());
  assert(scale.empty() || static_cast<Index>(scale.size()) == blocks());
  apply_structure(x, y, scale);
  if (compliance_.empty()) return;
  const int d = dimension_;
  const auto add = [&](Index block, Index first, Index last) {
    const double s = scale.empty() ? 1.0 : scale[block];
    for (Index i = first; i < last; ++i) y[i] += s * s * compliance_[i] * x[i];
  };
  parallel_for(contacts_, [&](Index begin, Index end) {
    for (Index c = begin; c < end; ++c) add(c, d * c, d * c + d);
  });
  for (Index j = 0; j < equalities_; ++j)
    add(contacts_ + j, d * contacts_ + j, d * contacts_ + j + 1);
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

void DelassusOperator::make_block(Index, double*) const {
  assert(false && "a face that calls finish() makes its blocks");
}

void DelassusOperator::make_free_velocity(Span) const {
  assert(false && "a face that calls finish() makes its free velocity");
}

void DelassusOperator::fill_free_velocity(Span q) const {
  if (free_velocity_.empty())
    make_free_velocity(q);
  else
    std::ranges::copy(free_velocity_, q.begin());
}

ConstSpan DelassusOperator::free_velocity() const {
  if (free_velocity_.empty()) {
    Vector made(size());
    make_free_velocity(made);
    free_velocity_ = std::move(made);
  }
  return free_velocity_;
}

void DelassusOperator::add_compliance(Index block, double* entries) const {
  if (compliance_.empty()) return;
  const int d = dimension_;
  if (block >= contacts_) {
    entries[0] += compliance_[d * contacts_ + block - contacts_];
    return;
  }
  for (int i = 0; i < d; ++i) entries[(d + 1) * i] += compliance_[d * block + i];
}

void DelassusOperator::diagonal_block(Index block, double* entries) const {
  if (!diagonal_.empty()) {
    std::copy_n(&diagonal_[first_entry(block)], entries_of(block), entries);
    return;
  }
  make_block(block, entries);
  add_compliance(block, entries);
}

ConstSpan DelassusOperator::diagonal() const {
  if (!diagonal_.empty()) return diagonal_;
  Vector made(first_entry(blocks()));
  parallel_for(
      blocks(),
      [&](Index begin, Index end) {
        for (Index block = begin; block < end; ++block)
          diagonal_block(block, &made[first_entry(block)]);
      },
      block_chunk);
  diagonal_ = std::move(made);
  return diagonal_;
}

void DelassusOperator::finish(Vector diagonal, Vector free_velocity) {
  diagonal_ = std::move(diagonal);
  for (Index block = 0; block < blocks(); ++block)
    add_compliance(block, &diagonal_[first_entry(block)]);
  free_velocity_ = std::move(free_velocity);
  assert(static_cast<Index>(free_velocity_.size()) == size());
  set_rho();
}

void DelassusOperator::finish() {
  diagonal_.clear();
  free_velocity_.clear();
  set_rho();
}

/// Keeps the blocks that it makes, unless memory counts: every solve asks for them again.
void DelassusOperator::set_rho() {
  const int d = dimension_;
  const bool are_made = !diagonal_.empty(), keeps = !are_made && !is_large(blocks());
  if (keeps) diagonal_.resize(first_entry(blocks()));
  rho_.resize(blocks());
  parallel_for(
      blocks(),
      [&](Index begin, Index end) {
        for (Index block = begin; block < end; ++block) {
          double made[36];
          double* entries = are_made || keeps ? &diagonal_[first_entry(block)] : made;
          if (!are_made) {
            make_block(block, entries);
            add_compliance(block, entries);
          }
          double trace = 0;
          for (Index i = 0; i < entries_of(block); i += d + 1) trace += entries[i];
          rho_[block] = trace;
        }
      },
      block_chunk);
  for (Index block = 0; block < blocks(); ++block) {
    const bool contact = block < contacts_;
    const double trace = rho_[block];
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
