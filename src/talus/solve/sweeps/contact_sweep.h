#pragma once
// Gauss-Seidel sweeps contact by contact, each one-contact problem solved with the current impulses
// of the others. ContactSweep solves it for every set and law, exactly or, where a contact
// slides on a round cone, to 1e-9 and ever better as directions settle: nsgs repeats it; other
// methods accelerate it.

#include "talus/contact/rolling_step.h"
#include "talus/solve/row_block.h"
#include "talus/solve/sweeps/local_blocks.h"
#include "talus/solve/sweeps/sweep.h"

#include <algorithm>

namespace talus {

/// One sweep over the physical impulses x, which the rows know. solve_contact(c, contact, b, z)
/// improves the scaled impulse z of contact c, whose velocity is A z + b; it is called from several
/// threads. `omega` relaxes the update. Returns the square of the step's length in
/// scaled variables; writes the physical step unless `step` is empty.
template <class Rows, class SolveContact, class Real = double>
double sweep_contacts(Rows& rows, const ScaledProblem& problem, const LocalBlocks& blocks,
                      double omega, Span x, bool backward, SolveContact&& solve_contact,
                      std::span<Real> step = {}, const RowBlock& row_block = {}) {
  constexpr int d = Rows::dimension;
  const auto visit = [&](Index c) {
    const double s = problem.scale()[c];
    double b[d], old[d], z[d], dx[d];
    rows.velocity(c, b);
    for (int i = 0; i < d; ++i) z[i] = old[i] = x[d * c + i] / s;
    if constexpr (d > 3) { // as it is stored: unpacking would take as long as solving
      const PackedRollingContact& contact = blocks.rolling(c);
      for (int i = 0; i < d; ++i) {
        b[i] *= s;
        for (int j = 0; j < d; ++j) b[i] -= contact.A[rolling::place<d>(i, j)] * old[j];
      }
      solve_contact(c, contact, b, z);
    } else {
      LocalContact contact;
      blocks.load<d>(c, contact);
      for (int i = 0; i < d; ++i) {
        b[i] *= s;
        for (int j = 0; j < d; ++j) b[i] -= contact.A[d * i + j] * old[j];
      }
      solve_contact(c, contact, b, z);
    }
    double squared = 0;
    bool moved = false;
    for (int i = 0; i < d; ++i) {
      const double dz = omega * (z[i] - old[i]);
      squared += dz * dz;
      dx[i] = s * dz;
      moved |= dx[i] != 0;
    }
    if (!step.empty())
      for (int i = 0; i < d; ++i) step[d * c + i] = static_cast<Real>(dx[i]);
    if (!moved) return squared;
    rows.add(c, dx);
    for (int i = 0; i < d; ++i) x[d * c + i] += dx[i];
    return squared;
  };
  const auto prefetch = [&](Index c) {
    rows.prefetch(c);
    blocks.prefetch(c);
    __builtin_prefetch(&x[d * c]);
  };
  double squared = 0;
  const auto note_row = [&](Index j, double change) {
    const double scaled = change / problem.scale()[problem.contacts() + j];
    squared += scaled * scaled;
    if (!step.empty()) step[d * problem.contacts() + j] = static_cast<Real>(change);
  };
  const auto visit_row = [&](Index j) {
    if (!row_block.has(j)) note_row(j, relax_row(rows, problem, x, j, omega));
  };
  if (backward) for_each_row(problem, backward, visit_row);
  squared += rows.sum_contacts(backward, visit, prefetch);
  if (!row_block.rows().empty()) {
    Vector change(row_block.rows().size());
    for (std::size_t k = 0; k < change.size(); ++k)
      change[k] = rows.row_velocity(row_block.rows()[k]);
    row_block.solve(change);
    for (std::size_t k = 0; k < change.size(); ++k) {
      const Index j = row_block.rows()[k];
      rows.row_add(j, omega * change[k]);
      x[d * problem.contacts() + j] += omega * change[k];
      note_row(j, omega * change[k]);
    }
  }
  if (!backward) for_each_row(problem, backward, visit_row);
  return squared;
}

class ContactSweep {
public:
  static constexpr bool handles_moments = true;
  /// Prepares the diagonal blocks in the memory it has; keeps a reference to the problem. `omega`
  /// relaxes each contact's update.
  void prepare(const ScaledProblem& problem, double omega = 1.0) {
    problem_ = &problem;
    blocks_.prepare(problem);
    row_block_.prepare(problem);
    omega_ = omega;
  }

  void relax(double omega) { omega_ = omega; }

  /// The square of the step's length in scaled variables; the physical step in `step` unless empty.
  template <class Rows, class Real = double>
  double operator()(Rows& rows, Span x, bool backward, std::span<Real> step = {}) const {
    const Law law = problem_->problem().law;
    const auto sweep = [&](auto&& solve_contact) {
      return sweep_contacts(rows, *problem_, blocks_, omega_, x, backward, solve_contact, step,
                            row_block_);
    };
    if constexpr (Rows::dimension == 3)
      if (problem_->has_round_cones())
        return sweep([&](Index c, const LocalContact& contact, const double* b, double* z) {
          solve_on_round_cone(contact, problem_->problem().mu[c], law, b, z, LocalAccuracy::sweep);
        });
    if constexpr (Rows::dimension > 3)
      return sweep([&](Index c, const PackedRollingContact& contact, const double* b, double* z) {
        solve_in_sweep<Rows::dimension>(contact, problem_->contact_set(c), law, b, z);
      });
    else
      return sweep([&](Index c, const LocalContact& contact, const double* b, double* z) {
        solve_local_contact(contact, problem_->contact_set(c), law, b, z, LocalAccuracy::sweep);
      });
  }

private:
  const ScaledProblem* problem_ = nullptr;
  LocalBlocks blocks_;
  RowBlock row_block_; ///< Over ranks.
  double omega_ = 1;
};

} // namespace talus
