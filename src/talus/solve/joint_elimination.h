#pragma once
// A rigid problem with its joints eliminated.
//
// With f the unbounded equality rows and c everything else (contacts, bounded rows), the rows f of
// y = N x + q̄ vanish for l_f = -N_ff⁺ (N_fc x_c + q_f), and what is left is a problem in x_c with
//
//     W = N_cc - N_cf N_ff⁺ N_fc,     q = q_c - N_cf N_ff⁺ q_f.
//
// Redundant rows are harmless: N_ff is factorised with a relative regularisation of 1e-10 and the
// solutions are refined.
//
// Contacts may be left out, as if they were not there.
//
// Cost: a sparse factorisation of N_ff per mechanism (linear in its joints for chains and trees)
// and one solve with it for every entry of a contact of the mechanism's bodies that is not left
// out, which all become neighbours in W: meant for mechanisms with up to some hundreds of contacts
// that press.

#include "talus/core/stop_test.h"
#include "talus/problem/delassus/delassus.h"
#include "talus/solve/joint_mechanisms.h"

namespace talus {

class JointElimination {
public:
  /// Keeps references to a problem with free rows and its operator. All contacts are left out until
  /// take_contacts(). Where `stop` is met between mechanisms, the elimination is left unfinished
  /// and must not be used; the same holds for take_contacts().
  JointElimination(const ContactProblem& problem, const DelassusOperator& n, const StopTest& stop);

  /// Takes a problem that differs from the first one in offsets alone (w, b and the free velocity),
  /// with the same contacts: the reduced problem then is what it would be if it were made anew, to
  /// the last bit, for the price of a solve with the factors. Otherwise false, and the elimination
  /// is as before.
  bool follow(const ContactProblem& problem, const DelassusOperator& n);

  /// The contacts that are not left out. Nothing to do where they are those of before.
  void take_contacts(const std::vector<bool>& is_taken, const StopTest& stop);

  const ContactProblem& reduced() const { return reduced_; }
  /// Entries of x that the reduced problem holds.
  Vector restrict(ConstSpan x) const;
  /// The whole x: multipliers of the free rows that make them vanish.
  void expand(ConstSpan reduced_x, Span x) const;
  /// The same for zero impulses of all contacts and bounded rows.
  void expand_joints(Span x) const;

private:
  Index row_of(Index entry) const { return entry - problem_->impulses(); }
  /// Contacts and bounded rows that the mechanisms leave no freedom lose their place: no impulse
  /// there changes anything.
  void drop_blocked(const Vector& diagonal);
  void reduce(const StopTest& stop);
  /// N_cc: entries that share a body.
  template <class Add>
  void add_couplings(Add&& add) const;
  void hold_joints(Span x) const;
  void set_reduced(const std::vector<Triplet>& entries);
  void set_reduced_sets();
  void set_offsets();

  const ContactProblem* problem_;
  const DelassusOperator* n_;
  ContactProblem first_;
  std::vector<ImpulseColumn> columns_;
  Mechanisms mechanisms_;
  bool is_reduced_ = false;
  std::vector<bool> is_taken_; ///< Of each contact, once reduced.
  std::vector<Index> kept_;    ///< Entries of x that the reduced problem holds.
  ContactProblem reduced_;
};

/// The least motion, in the energy of its velocities, that gives free rows changes of their own.
class JointCorrection {
public:
  /// Factorises; keeps no reference. Where `stop` is met between mechanisms, it is left unfinished
  /// and must not be used.
  JointCorrection(const ContactProblem& problem, const StopTest& stop);
  /// Adds velocities (six per body) that change the free rows of y by -y; its other entries do not
  /// count.
  void add_velocities(ConstSpan y, Span v) const;

private:
  std::vector<ImpulseColumn> columns_;
  Mechanisms mechanisms_;
};

} // namespace talus
