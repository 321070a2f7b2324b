#pragma once
// Time stepping: half-implicit Euler with complementarity (mazhar2014 eq. 2, heyn2013 eqs. 4-9).
//
// In a step of length h, with all geometry taken at the start,
//
//     M v⁺ = M v + h f + D γ + G λ        K_c ∋ γ_c ⊥ û_c ∈ K_c*,  u = Dᵀ v⁺ + Φ/h
//     Gᵀ v⁺ + g/h = 0                     x⁺ = x + h v⁺,  q⁺ = exp(h ω⁺) q
//
// where û is the shifted velocity of the chosen law and Φ the gaps, those of small penetrations
// taken for 0 (StepOptions::allowed_penetration). To u of contacts that yield, E γ and their shear
// are added (elastic_contacts.h). Contacts with cohesion c are drawn together by f as well, with c
// along their normals (cohesion.h). The gyroscopic part of f is taken at the implicit midpoint
// (free_motion.h). Each step ends at a time t + h with poses and velocities that belong together.
//
//     Simulation simulation(std::move(world), {.step = 1.0 / 240});
//     while (simulation.time() < 10) {
//       const StepReport& report = simulation.step();
//       if (!report.converged()) ...
//     }

#include "talus/problem/contact_problem.h"
#include "talus/step/error.h"
#include "talus/step/simulation_state.h"
#include "talus/step/step_options.h"
#include "talus/step/step_report.h"
#include "talus/world/world.h"

#include <memory>

namespace talus {

struct JointRow; // step/assembly/joint_rows.h

/// What contacts and joints did in a step that was made elsewhere (Simulation::adopt).
struct AdoptedForces {
  std::vector<ContactPoint> contacts;
  std::vector<Vec3> impulses, moments; ///< In world axes; moments only where contacts have some.
  std::span<const JointRow> rows = {};
  ConstSpan multipliers = {}; ///< One per row, or none.
};

class Simulation {
public:
  /// Throws InvalidArgument for options out of range and unknown solvers.
  explicit Simulation(World world, StepOptions options = {});
  ~Simulation();
  Simulation(Simulation&&) noexcept;
  Simulation& operator=(Simulation&&) noexcept;

  /// Advances by one step. A solve that misses its tolerance is applied as far as it got and said
  /// in the report. Throws StepStopped (StepOptions::stop), NonFiniteState, ImpossibleStep (shapes
  /// that cannot touch; a solver that does not admit the law, the friction set or joints); the
  /// simulation is then as it was before the step, except that beyond 50,000 contacts, where
  /// StepOptions::stop is null, it may have forgotten the impulses to start from, and with them the
  /// shear of contacts that yield.
  const StepReport& step();

  const World& world() const;
  /// To change states, loads, motors between steps, or to add bodies and joints.
  World& world();
  const StepOptions& options() const;
  void set_options(StepOptions options);

  double time() const;
  std::int64_t steps() const;
  /// Of the last step.
  const StepReport& report() const;

  /// The contacts of the last step with their impulses in world axes, acting on body_b; none after
  /// a step that threw. Impulses are computed when first asked for after a step, so ask from one
  /// thread.
  std::span<const ContactPoint> contacts() const;
  std::span<const Vec3> contact_impulses() const;
  /// The problem of the last step and the impulses and multipliers that were applied, in the order
  /// of contacts(). Its bodies may be numbered otherwise than the world's (spatial_order.h).
  /// Unspecified after a step that threw.
  const ContactProblem& problem() const;
  const Vector& solution() const;
  /// With which impulse each contact was drawn together by cohesion (N s), or empty: the normal
  /// impulses of solution() are those of contact_impulses() plus these (Cohesion, material.h).
  ConstSpan cohesive_impulses() const;
  /// Which part of which joint each row of the problem is, in its order; forces.h reads them.
  std::span<const JointRow> joint_rows() const;
  /// Builds the problem of the next step without solving it or advancing, for exports. Throws as
  /// step() does.
  ContactProblem next_problem();

  /// All that decides the future, and back. As with impulses, ask from one thread. Throws
  /// InvalidArgument if the state's sizes do not fit the world or it is not finite.
  SimulationState state() const;
  void restore(const SimulationState& state);
  /// restore() of a step that was made elsewhere, for instance over ranks, for whoever looks at
  /// simulations: report(), contacts(), contact_impulses() and joint_rows() are then those of that
  /// step; problem() holds the frames of the contacts alone, solution() the moments of contacts
  /// that have some, and the multipliers of the rows.
  void adopt(const SimulationState& state, const StepReport& report, AdoptedForces forces);

private:
  struct Engine;
  struct LastStep;
  std::unique_ptr<Engine> engine_;
};

} // namespace talus
