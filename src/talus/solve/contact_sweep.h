#pragma once
// One nonsmooth Gauss-Seidel sweep: contact by contact, each one-contact problem solved exactly
// with the current impulses of the others. nsgs repeats it; other methods accelerate it.

#include "talus/solve/local_contact.h"
#include "talus/solve/sweep.h"

namespace talus {

class ContactSweep {
public:
  /// Prepares the diagonal blocks; keeps a reference to the problem. `omega` relaxes each contact's
  /// update.
  explicit ContactSweep(const ScaledProblem& problem, double omega = 1.0)
      : problem_(&problem), contacts_(problem.contacts()), omega_(omega) {
    const int d = problem.dimension();
    const DelassusOperator& n = problem.delassus();
    for (Index c = 0; c < problem.contacts(); ++c) {
      double scaled[9];
      for (int i = 0; i < d * d; ++i)
        scaled[i] = n.rho()[c] * n.diagonal()[static_cast<std::size_t>(d) * d * c + i];
      contacts_[c] = prepare_local_contact(scaled, d);
    }
  }

  void relax(double omega) { omega_ = omega; }

  /// Sweeps over the physical impulses x, which the rows know.
  template <class Rows>
  void operator()(Rows& rows, Span x, bool backward) const {
    constexpr int d = Rows::dimension;
    const Law law = problem_->problem().law;
    for_each_block(
        *problem_, backward,
        [&](Index c) {
          const double s = problem_->scale()[c];
          const double* A = contacts_[c].A;
          double b[d], old[d], z[d], dx[d];
          rows.velocity(c, b);
          for (int i = 0; i < d; ++i) z[i] = old[i] = x[d * c + i] / s;
          for (int i = 0; i < d; ++i) {
            b[i] *= s;
            for (int j = 0; j < d; ++j) b[i] -= A[d * i + j] * old[j];
          }
          solve_local_contact(contacts_[c], problem_->contact_set(c), law, b, z);
          bool moved = false;
          for (int i = 0; i < d; ++i) {
            dx[i] = omega_ * s * (z[i] - old[i]);
            moved |= dx[i] != 0;
          }
          if (!moved) return;
          rows.add(c, dx);
          for (int i = 0; i < d; ++i) x[d * c + i] += dx[i];
        },
        [&](Index j) { relax_row(rows, *problem_, x, j, omega_); });
  }

private:
  const ScaledProblem* problem_;
  std::vector<LocalContact> contacts_;
  double omega_;
};

} // namespace talus
