#pragma once
// What contacts that rebound do to the energy of a step, and how far their rebounds are scaled down
// where they would create some (step/impact_energy.h has the reasons).

#include "talus/problem/contact_problem.h"
#include "talus/step/assembly/step_problem.h"

#include <array>
#include <optional>
#include <span>

namespace talus {

/// Normal, tangent, binormal, and the angular velocities about tangent, binormal and normal.
using RelativeVelocity = std::array<double, 6>;

RelativeVelocity relative_velocity(const RigidModel& model, Index contact, ConstSpan velocities);

/// Sums over contacts.
struct ImpactWork {
  double sum = 0;      ///< W without the work of undoing penetrations, and with that of shear.
  double turnover = 0; ///< Σ |γ| |u|, of which W is a difference.

  /// `impulse` has `dimension` entries.
  void add(const double* impulse, int dimension, const RelativeVelocity& before,
           const RelativeVelocity& after, double recovery, double shear);
};

/// What the shear of a contact that yields takes up.
double shear_energy(const ContactProblem& problem, Index contact, const double* impulse);

/// Contacts that are springs in this step give back what they hold.
bool is_spring(const ContactProblem& problem, Index contact);

/// w_n with the rebound scaled.
double scaled_target(const Rebound& rebound, double scale);

/// What of the targets of contacts is there to undo penetrations. To be asked in their order.
class RecoverySpeeds {
public:
  RecoverySpeeds(const ContactProblem& problem, std::span<const Rebound> rebounds)
      : problem_(problem), next_(rebounds.begin()), end_(rebounds.end()) {}

  /// Where rebounds are scaled by this.
  double of(Index contact, double scale);

private:
  const ContactProblem& problem_;
  std::span<const Rebound>::iterator next_, end_;
};

/// The factor of an island's rebounds. Newton's method from s = 1 with the slope of a frictionless
/// impact, then s = 0 if that was too much still, then regula falsi. It aims a little below the
/// limit and ends when what is lost is at most 0.5 % of Σ γ_n e |u⁻|, or after five trials.
class ScaleSearch {
public:
  /// W with s = 1, Σ γ_n e |u⁻|, and the share of the turnover that W may reach.
  ScaleSearch(double unscaled_work, double rebound_energy, double slack);

  bool has_ended() const { return ended_; }
  /// What to try next.
  double scale() const { return scale_; }
  /// What came of it; null where the solve failed. True if the trial is admissible, and then the
  /// best so far.
  bool include(const ImpactWork* work);
  /// The best factor; none when restitution is not to blame, or solves failed.
  std::optional<double> best() const;

private:
  double unscaled_, energy_, slack_;
  double scale_, high_ = 1, high_work_, limit_ = 0, low_ = 0, low_work_ = 0;
  int trials_ = 0;
  bool has_low_ = false, ended_ = false;
};

} // namespace talus
