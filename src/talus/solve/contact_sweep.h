#pragma once
// Gauss-Seidel sweeps contact by contact, each one-contact problem solved with the current impulses
// of the others. ContactSweep solves it for every set and law, exactly or, where a contact
// slides on a round cone, to 1e-9 and ever better as directions settle: nsgs repeats it; other
// methods accelerate it.

#include "talus/core/parallel.h"
#include "talus/solve/contact_colours.h"
#include "talus/solve/local_contact.h"
#include "talus/solve/sweep.h"

#include <optional>

namespace talus {

/// visit(c) for every contact, colour by colour with all threads, then for the uncoloured ones; the
/// reverse if `backward`.
template <class Visit>
void for_each_coloured_contact(const ContactColours& colours, bool backward, Visit&& visit) {
  constexpr Index chunk = 128;
  const auto visit_uncoloured = [&] {
    const auto& list = colours.uncoloured;
    for (std::size_t k = 0; k < list.size(); ++k) visit(list[backward ? list.size() - 1 - k : k]);
  };
  if (backward) visit_uncoloured();
  for (Index k = 0; k < colours.count(); ++k) {
    const Index colour = backward ? colours.count() - 1 - k : k, first = colours.start[colour];
    parallel_for(
        colours.start[colour + 1] - first,
        [&](Index begin, Index end) {
          for (Index i = begin; i < end; ++i) visit(colours.contacts[first + i]);
        },
        chunk);
  }
  if (!backward) visit_uncoloured();
}

/// One sweep over the physical impulses x, which the rows know. solve_contact(c, b, z) improves the
/// scaled impulse z of contact c, whose velocity is A z + b with A = contacts[c].A; `omega` relaxes
/// the update. With `colours`, contacts are taken colour by colour.
template <class Rows, class SolveContact>
void sweep_contacts(Rows& rows, const ScaledProblem& problem,
                    const std::vector<LocalContact>& contacts, double omega, Span x, bool backward,
                    SolveContact&& solve_contact, const ContactColours* colours = nullptr) {
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
    bool moved = false;
    for (int i = 0; i < d; ++i) {
      dx[i] = omega * s * (z[i] - old[i]);
      moved |= dx[i] != 0;
    }
    if (!moved) return;
    rows.add(c, dx);
    for (int i = 0; i < d; ++i) x[d * c + i] += dx[i];
  };
  const auto visit_row = [&](Index j) { relax_row(rows, problem, x, j, omega); };
  if (!colours) return for_each_block(problem, backward, visit, visit_row);
  if (!backward) for_each_coloured_contact(*colours, backward, visit);
  for_each_row(problem, backward, visit_row);
  if (backward) for_each_coloured_contact(*colours, backward, visit);
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
      256);
}

class ContactSweep {
public:
  /// Prepares the diagonal blocks in the memory it has; keeps a reference to the problem. `omega`
  /// relaxes each contact's update.
  void prepare(const ScaledProblem& problem, double omega = 1.0) {
    problem_ = &problem;
    prepare_local_contacts(problem, contacts_);
    omega_ = omega;
    colours_.reset();
  }

  void relax(double omega) { omega_ = omega; }
  /// Takes the contacts colour by colour from now on, with all threads, if the rows know which
  /// bodies they touch.
  void colour(const SweepRows& rows) {
    std::visit(
        [&](const auto& concrete) {
          if constexpr (requires { concrete.layout(); })
            colours_ =
                colour_contacts(concrete.layout().bodies(), concrete.layout().contact_pairs());
        },
        rows);
  }

  template <class Rows>
  void operator()(Rows& rows, Span x, bool backward) const {
    const Law law = problem_->problem().law;
    sweep_contacts(
        rows, *problem_, contacts_, omega_, x, backward,
        [&](Index c, const double* b, double* z) {
          solve_local_contact(contacts_[c], problem_->contact_set(c), law, b, z,
                              LocalAccuracy::sweep);
        },
        colours_ ? &*colours_ : nullptr);
  }

private:
  const ScaledProblem* problem_ = nullptr;
  std::vector<LocalContact> contacts_;
  double omega_ = 1;
  std::optional<ContactColours> colours_;
};

} // namespace talus
