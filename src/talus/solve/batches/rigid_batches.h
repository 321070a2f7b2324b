#pragma once
// Gauss-Seidel sweeps over the rigid contacts of a simulation, eight contacts at a time
// (batch_plan.h), for round friction cones, with or without moments, under Coulomb's law. The state
// of a sweep is that of Nesterov's method (ansgs.cpp),
//
//     y = x + β (x - x_last)         of the impulses, contact by contact when it is visited,
//     v += β (v - v_last)            of the bodies, before the sweep,
//
// and the sweep solves every contact in turn for its impulse, with the velocities of its bodies up
// to date. Extrapolated impulses are not projected on their cones: a visit replaces them, and until
// then only the velocities of neighbours contain them.
//
// One visit, with A the contact's block of N (compliance included) and b its velocity without its
// own impulse:
//
//     opens    b_n >= 0:                     z = 0
//     sticks   z = -A⁻¹ b within the cone
//     slides   z = z_n (1, μ e), z_n = -b_n / (A_nn + μ A_nt e),
//              e ← (ρ z_t - u_t) / |ρ z_t - u_t|, ρ >= the largest eigenvalue of A_tt
//
// The fixed point of the last line is Coulomb's law, and the iteration contracts. It is exact at
// once where A_tt is a multiple of 1 and A_nt = 0, as for spheres, whose visits read the diagonal
// of A alone; otherwise it takes two more steps per visit. Contacts with 0.1 A_nn > A_nn + μ A_nt e
// are left to slide_on_round_cone. Contacts with moments slide as rolling_visit.h says.
//
// Momentum of all contacts together does not see a few of them that go round in circles: with λ an
// eigenvalue of a sweep, extrapolated sweeps are unstable for λ < -1 / (1 + 2 β), -0.38 at β = 0.8.
// Each contact therefore has a factor ω_c of its updates. It falls by a fifth, to 0.1 at least,
// when an update points against the last change, and otherwise grows by a hundredth, to 1 at most.
// λ becomes 1 - ω_c (1 - λ) there, and contacts elsewhere keep their momentum.
//
// Most contacts of a moving pile are open. A batch whose impulses are all 0, before and after its
// last visit, sleeps: sweeps pass it over, but for every tenth one, which visits all. Contacts
// that are likely to stay open have batches of their own: those without an impulse at the start
// whose bodies would part, or not yet meet, with their free velocities.
//
// Over ranks the parts are the cells, and a round is a colour (cell_sweeps.h). Contacts with
// moments are not swept over ranks in batches.
//
// Memory: 320 bytes per contact, 672 with moments, and 64 per body (192 where a body's inertia is
// not isotropic).
// Results depend neither on the number of threads nor on the width of vector registers.

#include "talus/problem/delassus/cell_sweeps.h"
#include "talus/problem/delassus/sweep_partition.h"
#include "talus/problem/scaled/scaled_problem.h"
#include "talus/solve/batches/batch_kernels.h"
#include "talus/solve/batches/batch_plan.h"

namespace talus {

template <int D>
class RigidBatches {
public:
  /// Whether sweeps of this kind apply.
  static bool admits(const ScaledProblem& problem);

  /// Takes over the contacts of a problem, in the memory it has, with impulses to start from.
  /// Velocities follow with reset(). Over ranks `parts` are not asked.
  void prepare(const ScaledProblem& problem, const SweepPartition& parts, ConstSpan x);

  void get_impulses(Span x) const;
  /// Velocities made anew from the impulses and the multipliers of the equality rows, which x has
  /// behind the contacts; forgets the past. Over ranks the impulses are put into x.
  void reset(Span x);
  /// u = N x + q̄ of every contact, in the order of the problem.
  void contact_velocities(Span u);

  using Progress = SweepProgress;
  /// One sweep from the extrapolated point.
  Progress sweep(const SweepSettings& settings);

  /// (N x + q̄) of an equality row whose multiplier is given, and a change of the multiplier.
  double row_velocity(Index row, double multiplier) const;
  void add_row_impulse(Index row, double dx);

private:
  struct Part {
    Index first, last; ///< Batches.
  };

  static constexpr long sweeps_until_all = 10;

  /// Appends the batches of a part.
  void add_part(std::span<const Index> contacts, ConstSpan x);
  /// Those of all cells.
  void add_cells(ConstSpan x);
  /// Whether a contact is likely to have no impulse in the solution.
  bool is_idle(Index contact, ConstSpan x) const;
  void set_impulses(ConstSpan x);
  void fill(const ScaledProblem& problem, const BatchContacts& contacts,
            ContactBatch<D>& batch) const;
  void fill_lane(const ScaledProblem& problem, Index contact, int lane,
                 ContactBatch<D>& batch) const;
  void extrapolate_bodies(double beta);
  template <class Visit>
  void for_each_part(Visit&& visit);

  BodyVelocities velocities() { return {bodies_[0].velocity, sizeof(BodyRecord) / sizeof(double)}; }
  /// Null where all bodies have isotropic inertia.
  const BodyInertia* inertias() const { return is_isotropic_ ? nullptr : inertia_.data(); }
  void set_velocities(ConstSpan v);
  void add_impulses();
  Progress total() const;

  const RigidModel* model_ = nullptr;
  const RigidLayout* layout_ = nullptr; ///< Has the bodies, over ranks with copies.
  CellSweeps* cells_ = nullptr;         ///< Over ranks.
  ConstSpan row_compliance_;
  bool is_isotropic_ = true; ///< Inertia of all bodies.
  std::vector<BodyRecord> bodies_;
  std::vector<BodyRecord> last_bodies_; ///< Velocities of the last iterate.
  std::vector<BodyInertia> inertia_;
  std::vector<ContactBatch<D>> batches_;
  std::vector<Part> parts_;
  std::vector<Index> round_start_; ///< Parts of a round share no body.
  std::vector<BatchContacts> plan_;
  std::vector<std::uint8_t> is_awake_; ///< Of each batch.
  std::vector<Progress> progress_;     ///< Of each part, in the last sweep.
  Vector made_;                        ///< Velocities made anew, over ranks.
  long sweeps_ = 0;
  std::vector<Index> order_, busy_, idle_;
  BatchPlanner planner_;
};

} // namespace talus
