#pragma once
// How a simulation steps.

#include "talus/contact/friction_set.h"
#include "talus/solve/solver.h"

#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace talus {

/// How impacts rebound with the coefficient of restitution e (docs/theory/laws.md, restitution).
enum class ImpactLaw {
  newton, ///< A contact leaves with e times the speed at which it came.
  poisson ///< The normal impulse that stopped a contact acts e times more, also where bodies
          ///< rested.
};
std::string_view to_string(ImpactLaw law);
/// Throws InvalidArgument that lists the known names.
ImpactLaw impact_law_from(std::string_view name);

struct StepOptions {
  double step = 1.0 / 240; ///< h, seconds.

  /// Which of the named formulations (formulation.h) set the three below; empty: none. Set by
  /// choose_formulation, recorded in the output.
  std::string formulation = "";
  Law law = Law::coulomb;
  FrictionSet friction = {}; ///< The cone unless told.

  std::string solver = "auto";
  /// Solves in place of the catalogue's solver of that name: `solver` is then its info().name. It
  /// keeps state between solves, so simulations that share it must not step at the same time.
  std::shared_ptr<Solver> own_solver = nullptr;
  /// Options of the solver by name, as text (solve/options.h).
  std::vector<std::pair<std::string, std::string>> solver_options = {};
  /// Of the solve, on the Talus measure (problem/scaled/quality.h). Negative: 1e-8 in steps with up
  /// to 500 contacts, 1e-6 up to 20,000 and 1e-4 beyond; the report has that of each step.
  double tolerance = -1;
  long max_iterations = 100000;
  /// Products with N per solve, factorisations included at what they are worth; 0: none. A step
  /// that uses them up is made with the best impulses found, and its report says so. Results stay
  /// the same on every machine.
  long max_products = 5000;
  double time_limit = 0; ///< Seconds per solve; 0: none. A limit makes results depend on the clock.

  /// While it is true, a step throws StepStopped, soon if it is being solved, and leaves the
  /// simulation as it was before the step; null: never. Beyond 50,000 contacts, keeping the
  /// impulses to begin again from takes 48 bytes per contact.
  const std::atomic<bool>* stop = nullptr;

  /// Joints are solved exactly and the solver sees contacts, limits and motors only
  /// (solve/joint_elimination.h). False: joints are rows like others, and the solver iterates on
  /// them.
  bool eliminate_joints = true;

  /// Contacts with gaps up to δ enter the step (m). Negative: chosen in each step so that bodies
  /// cannot meet without having been a contact: δ = max(h (s₁ + s₂), 0.01 ρ), where s₁, s₂ are the
  /// two largest surface speeds |v| + |ω| R in the world at the step's start with h times the
  /// acceleration of the forces added, and ρ is the smallest bounding radius of a dynamic body.
  /// Only a body that an impact makes faster than both can still outrun it; the report then counts
  /// it under `outran_envelope`.
  double envelope = -1;

  /// ε of contacts whose stiffness is automatic (Material::stiffness): they yield by ε times what
  /// their bodies' mobility would let them yield, and the harder they are pressed, the less
  /// (assembly/elastic_contacts.h). With 0.01 and steps of 1/240 s a body that rests on another
  /// yields by 1.7 µm. 0: these contacts are rigid.
  ///
  /// Why: contact forces are then unique, and steps of moving piles are far easier to solve than
  /// with rigid contacts (docs/theory/elastic.md).
  double relative_compliance = 0.01;

  /// Of rigid contacts: penetrations up to δ count as touching (b = 0); deeper ones are undone down
  /// to δ/2, so that what a solve leaves over does not bring them back to the edge (m). Negative:
  /// 1e-5 ρ in each step, 1.7 µm for a ball with a radius of 10 cm; 0: all of them are undone.
  ///
  /// Why: the gaps that the last solve happened to leave cannot all be made good by rigid bodies
  /// unless many contacts slide. With δ = 0 piles hardly ever come to rest (docs/theory/rest.md).
  /// Contacts that yield do without: all of their gap counts.
  double allowed_penetration = -1;

  /// What is undone is undone in one step, but no faster than this (m/s). Negative: for each
  /// contact √(|gravity| R), at least R / 2 s, where R is the smaller bounding radius of its
  /// dynamic bodies; 1.3 m/s for a ball with a radius of 10 cm. Infinity: no bound, w = Φ/h as in
  /// the papers. Springs of a given stiffness are not bounded; those of an automatic one may in
  /// addition push with the force of the last step.
  ///
  /// Why: a body keeps the speed at which it is pushed out, and depth / h is enormous where bodies
  /// overlap from the start (overlaps.h). With the bound it leaves with the energy of a fall from
  /// R / 2. What steps of ordinary length leave over is undone at once all the same.
  double max_recovery_speed = -1;

  /// Whether impacts rebound. By Newton's law of impact with the materials' coefficients a contact
  /// that would close in this step at an approach speed u⁻ above the threshold leaves with at least
  /// e u⁻. Where friction would make this create energy, e is scaled down (impact_energy.h) and the
  /// report says so.
  bool restitution = true;
  /// m/s; negative: 2 h |gravity|, the least speed whose rebound the step can resolve.
  double restitution_threshold = -1;
  ImpactLaw impact_law = ImpactLaw::newton;

  bool warm_start = true; ///< False: solves start from zero. Contacts that yield stay sheared.
  int threads = 0;        ///< 0: all the machine has. Results do not depend on it.
};

/// Makes a solver outside the catalogue the one of the steps.
void use_solver(StepOptions& options, std::shared_ptr<Solver> solver);

/// Throws InvalidArgument that names the option and its admissible range, or says which of law and
/// solver do not fit the formulation.
void validate(const StepOptions& options);

/// The tolerance of a step with so many contacts.
double tolerance_of(const StepOptions& options, Index contacts);

} // namespace talus
