#pragma once
// The Delassus operator N = [H G]ᵀ M⁻¹ [H G] + E and the free velocity q̄, in the vector layout of
// ContactProblem: `dimension` entries per contact, then one per equality row. Three faces, one
// meaning:
//   explicit   block-sparse W from a local model;
//   sparse     general M, factorised once, and H;
//   bodies     block-diagonal M and at most two bodies per contact, matrix-free.
// An operator owns work vectors: use one operator from one solver at a time.
//
// Moments of rolling friction have another unit than impulses. The operator measures those of
// contact c in its length ℓ_c: its x holds m / ℓ_c, its y holds ℓ_c ω, and N and q̄ are meant in
// these variables. ℓ_c² = (mean diagonal of N_cc over the impulses) / (the same over the moments),
// about the radius of the smaller body, makes both parts of N_cc equally large whatever the units
// are. Without moments nothing changes.

#include "talus/problem/contact_problem.h"

#include <functional>
#include <memory>
#include <optional>
#include <variant>

namespace talus {

struct Division;    // core/division.h
struct BodyNumbers; // core/block_system.h

// The rows that sweeps visit (sweep_rows.h); here only their name.
template <int B, int D>
class BlockLayout;
class RigidLayout;
class RollingLayout;
template <int D>
class ExplicitRows;
template <class Layout>
class BodyRows;
using SweepRows =
    std::variant<ExplicitRows<1>, ExplicitRows<2>, ExplicitRows<3>, ExplicitRows<5>,
                 ExplicitRows<6>, BodyRows<BlockLayout<3, 2>>, BodyRows<BlockLayout<6, 3>>,
                 BodyRows<RigidLayout>, BodyRows<RollingLayout>>;

/// N = D̃ᵀ M̃⁻¹ D̃ + E written in velocity space, for methods that factorise there. The general
/// sparse face gives M and [H G] themselves; body structure gives M̃ = I and D̃ = Lᵀ [H G], where
/// M⁻¹ = L Lᵀ body by body, so that immovable directions need no mass.
struct PrimalPieces {
  SparseMatrix mass; ///< M̃, dofs x dofs.
  SparseMatrix rows; ///< D̃ᵀ: one row per entry of x, one column per degree of freedom.
};

class DelassusOperator {
public:
  virtual ~DelassusOperator() = default;
  DelassusOperator(const DelassusOperator&) = delete;
  DelassusOperator& operator=(const DelassusOperator&) = delete;

  int dimension() const { return dimension_; }
  /// How many entries of a contact come before its moments; all, where it has none.
  int first_moment() const { return first_moment_; }
  Index contacts() const { return contacts_; }
  Index equalities() const { return equalities_; }
  Index size() const { return dimension_ * contacts_ + equalities_; }
  /// Blocks of the vector layout: one per contact, then one per equality row.
  Index blocks() const { return contacts_ + equalities_; }
  Index dofs() const { return dofs_; }

  /// ℓ_c of every contact; empty without moments.
  ConstSpan lengths() const { return length_; }
  /// Impulses from physical units to the operator's, in place (moments are divided by ℓ), and back.
  void measure_moments(Span x) const;
  void restore_moments(Span x) const;
  /// The same of velocities: angular ones are multiplied by ℓ, and back.
  void measure_rotations(Span u) const { restore_moments(u); }
  void restore_rotations(Span u) const { measure_moments(u); }

  /// y = S N S x with S = diag(scale), one number per block; empty scale means S = 1. x and y must
  /// differ. Cost: one pass over the bodies and one over the contacts (bodies), one over W
  /// (explicit).
  void apply(ConstSpan x, Span y, ConstSpan scale = {}) const;

  /// Called with contacts [begin, end) once their entries of y are there, from the thread that made
  /// them, chunk by chunk of Chunks(contacts(), contact_chunk) in any order.
  using ContactsReady = std::function<void(Index begin, Index end)>;
  static constexpr Index contact_chunk = 512;
  /// The same, for callers that work on y while it is in the cache. Rows are done on return.
  void apply(ConstSpan x, Span y, ConstSpan scale, const ContactsReady& ready) const;

  /// q̄: the velocity y at zero impulses. Body structure makes it at the first call and keeps it
  /// from then on, so call it outside parallel loops.
  ConstSpan free_velocity() const;
  /// The same without keeping it.
  void fill_free_velocity(Span q) const;

  /// Diagonal blocks of N: dimension² entries per contact (row-major), then N_jj per equality row.
  /// Made and kept like q̄.
  ConstSpan diagonal() const;
  /// One of these blocks, without keeping any.
  void diagonal_block(Index block, double* entries) const;
  /// The block of a contact's own problem in Gauss-Seidel sweeps: the same, or more where ranks
  /// share its bodies (problem/delassus/cell_sweeps.h), after prepare_sweeps().
  virtual void sweep_block(Index contact, double* entries) const {
    diagonal_block(contact, entries);
  }

  /// The per-block step of docs/theory/error.md: rho_c = dimension / trace(N_cc), rho_j = 1 / N_jj.
  /// Blocks of a complementarity problem whose diagonal is not positive take 1 / max_j |N_cj|
  /// instead.
  ConstSpan rho() const { return rho_; }

  /// The diagonal of E, one entry per entry of x; empty without compliance.
  ConstSpan compliance() const { return compliance_; }

  /// v = M⁻¹ (H r + G l + f) for x in physical units; only when dofs() > 0.
  virtual void generalized_velocity(ConstSpan x, Span v) const = 0;

  /// N itself, compliance included. It fills up where many contacts share a body: for small
  /// problems and for local models, which hold it anyway. Costs a solve with M per column for the
  /// sparse face.
  virtual SparseMatrix matrix() const = 0;

  /// The pieces of N in velocity space; nothing for a local model and for bodies whose mass is not
  /// symmetric.
  virtual std::optional<PrimalPieces> primal() const { return std::nullopt; }

  /// To be called before the first sweep_block(), by all ranks together.
  virtual void prepare_sweeps() const {}

  /// Row access for Gauss-Seidel sweeps. The rows refer to this operator, which must outlive them.
  virtual SweepRows rows() const = 0;
  /// The same without what sweeps over ranks need: for readers of bodies and contacts.
  virtual SweepRows rows_here() const;

  /// How the bodies of a divided problem are numbered over all ranks, which call this together;
  /// empty where there is one process.
  virtual BodyNumbers number_bodies() const;

  /// Takes over another problem of the same kind in the memory it has, as make_operator would in
  /// new; false if the face cannot. It then refers to that problem. Throws like make_operator, and
  /// must be rebuilt after that.
  virtual bool rebuild(const ContactProblem& problem) {
    (void)problem;
    return false;
  }

  /// "explicit", "sparse" or "bodies".
  virtual const char* face() const = 0;

  /// How contacts are divided over ranks when this process holds only a part of them
  /// (docs/theory/ranks.md); null: it holds them all.
  const Division* division() const { return division_; }

protected:
  /// `dofs` is the length of v, 0 when the face does not know velocities.
  DelassusOperator(const ContactProblem& problem, Index dofs);
  virtual void apply_structure(ConstSpan x, Span y, ConstSpan scale) const = 0;
  /// Faces that make y contact by contact override it; the others are done before `ready` is
  /// called.
  virtual void apply_in_chunks(ConstSpan x, Span y, ConstSpan scale,
                               const ContactsReady& ready) const;
  /// To be called once by the derived constructor, with the diagonal blocks of N without
  /// compliance.
  void finish(Vector diagonal, Vector free_velocity);
  /// The same for a derived class that makes its blocks and the free velocity when asked.
  void finish();
  /// A diagonal block of N without compliance, and q̄; for classes that call the second finish().
  virtual void make_block(Index block, double* entries) const;
  virtual void make_free_velocity(Span q) const;
  void take_sizes(const ContactProblem& problem, Index dofs);
  /// To be called before finish() by faces of contacts with moments.
  void take_lengths(ConstSpan lengths);
  /// For faces that hold a part of the contacts.
  void divide(const Division* division) { division_ = division; }
  /// max_j |N_cj| for a block without positive diagonal.
  virtual double row_bound(Index block) const;
  /// Adds E to the diagonal of a matrix without it.
  SparseMatrix with_compliance(SparseMatrix n) const;

private:
  Index entries_of(Index block) const { return block < contacts_ ? dimension_ * dimension_ : 1; }
  std::size_t first_entry(Index block) const {
    const auto squared = static_cast<std::size_t>(dimension_) * dimension_;
    return block < contacts_ ? squared * block : squared * contacts_ + (block - contacts_);
  }
  void add_compliance(Index block, double* entries) const;
  void set_rho();

  int dimension_, first_moment_;
  Index contacts_, equalities_, dofs_;
  const Division* division_ = nullptr;
  ConstSpan compliance_;       ///< The problem's, or `measured_compliance_`.
  Vector measured_compliance_; ///< Of contacts with moments.
  Vector rho_, length_;
  /// Empty until a face that makes them when asked is asked.
  mutable Vector free_velocity_, diagonal_;
};

/// ℓ of a contact with moments from its diagonal block of N in physical units, row-major.
double moment_length(const double* block, int dimension, int first_moment);

/// Which face to build; `automatic` recognises body structure in a global model.
enum class OperatorStorage { automatic, explicit_matrix, sparse, bodies };

/// Builds the operator, which refers to `problem` and must not outlive it. Throws InvalidProblem
/// when M is singular, a contact has no mobile body (N_cc = 0), or the face does not exist for the
/// model (bodies for a local model, sparse for a local one, ...). An explicit_matrix face can be
/// asked for any model; it costs a solve with M per column of H.
std::unique_ptr<DelassusOperator> make_operator(const ContactProblem& problem,
                                                OperatorStorage face = OperatorStorage::automatic);

} // namespace talus
