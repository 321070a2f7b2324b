#pragma once
// Gauss-Seidel sweeps contact by contact, each one-contact problem solved with the current impulses
// of the others. ContactSweep solves it for every set and law, exactly or, where a contact
// slides on a round cone, to 1e-9 and ever better as directions settle: nsgs repeats it; other
// methods accelerate it.

#include "talus/solve/local_contact.h"
#include "talus/solve/sweep.h"

#include <algorithm>

namespace talus {

/// One sweep over the physical impulses x, which the rows know. solve_contact(c, b, z) improves the
/// scaled impulse z of contact c, whose velocity is A z + b with A = contacts[c].A; it is called
/// from several threads. `omega` relaxes the update. Returns the square of the step's length in
/// scaled variables; writes the physical step unless `step` is empty.
template <class Rows, class SolveContact>
double sweep_contacts(Rows& rows, const ScaledProblem& problem,
                      const std::vector<LocalContact>& contacts, double omega, Span x,
                      bool backward, SolveContact&& solve_contact, Span step = {}) {
  constexpr int d = Rows::dimension;
  const auto visit = [&](Index c) {
    const double s = problem.scale()[c];
    const double* A = contacts[c].A;
    double b[d], old[d], z[d], dx[d];
    rows.velocity(c, b);
    for (int i = 0; i < d; ++i) z[i] = old[i] = x[d * c + i] / s;
    for (int i = 0; i < d; ++i) {
      b[i] *= s;
      for (int j = 0; j < d; ++j) b[i] -= A[d * i + j] * old[j];
    }
    solve_contact(c, b, z);
    double squared = 0;
    bool moved = false;
    for (int i = 0; i < d; ++i) {
      const double dz = omega * (z[i] - old[i]);
      squared += dz * dz;
      dx[i] = s * dz;
      moved |= dx[i] != 0;
    }
    if (!step.empty()) std::copy_n(dx, d, &step[d * c]);
    if (!moved) return squared;
    rows.add(c, dx);
    for (int i = 0; i < d; ++i) x[d * c + i] += dx[i];
    return squared;
  };
  const auto prefetch = [&](Index c) {
    rows.prefetch(c);
    const auto* local = reinterpret_cast<const char*>(&contacts[c]);
    for (std::size_t line = 0; line < sizeof(LocalContact); line += 64)
      __builtin_prefetch(local + line);
    __builtin_prefetch(&x[d * c]);
  };
  double squared = 0;
  const auto visit_row = [&](Index j) {
    const double change = relax_row(rows, problem, x, j, omega);
    const double scaled = change / problem.scale()[problem.contacts() + j];
    squared += scaled * scaled;
    if (!step.empty()) step[d * problem.contacts() + j] = change;
  };
  if (backward) for_each_row(problem, backward, visit_row);
  squared += rows.parts().sum(backward, visit, prefetch);
  if (!backward) for_each_row(problem, backward, visit_row);
  return squared;
}

/// The scaled diagonal blocks of N, ready for one-contact problems.
inline void prepare_local_contacts(const ScaledProblem& problem,
                                   std::vector<LocalContact>& contacts) {
  const int d = problem.dimension();
  const DelassusOperator& n = problem.delassus();
  contacts.resize(problem.contacts());
  parallel_for(
      problem.contacts(),
      [&](Index begin, Index end) {
        for (Index c = begin; c < end; ++c) {
          double block[9];
          n.diagonal_block(c, block);
          for (int i = 0; i < d * d; ++i) block[i] *= n.rho()[c];
          contacts[c] = prepare_local_contact(block, d);
        }
      },
      contact_chunk);
}

class ContactSweep {
public:
  /// Prepares the diagonal blocks in the memory it has; keeps a reference to the problem. `omega`
  /// relaxes each contact's update.
  void prepare(const ScaledProblem& problem, double omega = 1.0) {
    problem_ = &problem;
    prepare_local_contacts(problem, contacts_);
    omega_ = omega;
  }

  void relax(double omega) { omega_ = omega; }

  /// The square of the step's length in scaled variables; the physical step in `step` unless empty.
  template <class Rows>
  double operator()(Rows& rows, Span x, bool backward, Span step = {}) const {
    const Law law = problem_->problem().law;
    return sweep_contacts(
        rows, *problem_, contacts_, omega_, x, backward,
        [&](Index c, const double* b, double* z) {
          solve_local_contact(contacts_[c], problem_->contact_set(c), law, b, z,
                              LocalAccuracy::sweep);
        },
        step);
  }

private:
  const ScaledProblem* problem_ = nullptr;
  std::vector<LocalContact> contacts_;
  double omega_ = 1;
};

} // namespace talus
