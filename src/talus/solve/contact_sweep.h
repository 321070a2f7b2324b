#pragma once
// Gauss-Seidel sweeps contact by contact, each one-contact problem solved with the current impulses
// of the others. ContactSweep solves it for every set and law, exactly or, where a contact
// slides on a round cone, to 1e-9 and ever better as directions settle: nsgs repeats it; other
// methods accelerate it.

#include "talus/solve/local_contact.h"
#include "talus/solve/sweep.h"

#include <algorithm>

namespace talus {

/// One sweep over the physical impulses x, which the rows know. solve_contact(c, contact, b, z)
/// improves the scaled impulse z of contact c, whose velocity is A z + b; it is called from several
/// threads. `omega` relaxes the update. Returns the square of the step's length in
/// scaled variables; writes the physical step unless `step` is empty.
template <class Rows, class SolveContact>
double sweep_contacts(Rows& rows, const ScaledProblem& problem,
                      const std::vector<PackedContact>& contacts, double omega, Span x,
                      bool backward, SolveContact&& solve_contact, Span step = {}) {
  constexpr int d = Rows::dimension;
  const auto visit = [&](Index c) {
    const double s = problem.scale()[c];
    const LocalContact contact = unpack<d>(contacts[c]);
    double b[d], old[d], z[d], dx[d];
    rows.velocity(c, b);
    for (int i = 0; i < d; ++i) z[i] = old[i] = x[d * c + i] / s;
    for (int i = 0; i < d; ++i) {
      b[i] *= s;
      for (int j = 0; j < d; ++j) b[i] -= contact.A[d * i + j] * old[j];
    }
    solve_contact(c, contact, b, z);
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
    for (std::size_t line = 0; line < sizeof(PackedContact); line += 64)
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

/// The scaled diagonal blocks of N, ready for one-contact problems. Of a block that is not
/// symmetric the upper triangle counts; a sweep comes to rest at the same impulses all the same,
/// because b = u - A z and the one-contact problem have the same A.
template <int d>
void prepare_local_contacts(const ScaledProblem& problem, std::vector<PackedContact>& contacts) {
  const DelassusOperator& n = problem.delassus();
  contacts.resize(problem.contacts());
  parallel_for(
      problem.contacts(),
      [&](Index begin, Index end) {
        for (Index c = begin; c < end; ++c) {
          double block[9];
          n.diagonal_block(c, block);
          for (int i = 0; i < d * d; ++i) block[i] *= n.rho()[c];
          for (int i = 0; i < d; ++i)
            for (int j = 0; j < i; ++j) block[d * i + j] = block[d * j + i];
          contacts[c] = pack<d>(prepare_local_contact(block, d));
        }
      },
      contact_chunk);
}
inline void prepare_local_contacts(const ScaledProblem& problem,
                                   std::vector<PackedContact>& contacts) {
  if (problem.dimension() == 1) return prepare_local_contacts<1>(problem, contacts);
  if (problem.dimension() == 2) return prepare_local_contacts<2>(problem, contacts);
  prepare_local_contacts<3>(problem, contacts);
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
        [&](Index c, const LocalContact& contact, const double* b, double* z) {
          solve_local_contact(contact, problem_->contact_set(c), law, b, z, LocalAccuracy::sweep);
        },
        step);
  }

private:
  const ScaledProblem* problem_ = nullptr;
  std::vector<PackedContact> contacts_;
  double omega_ = 1;
};

} // namespace talus
