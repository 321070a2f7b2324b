#pragma once
// How far accelerated sweeps extrapolate: Nesterov's β_k = min((k - 1) / (k + 2), bound), beginning
// anew (k = 1, so β = 0) when the step of a sweep points against the last change (O'Donoghue and
// Candès, "Adaptive restart for accelerated gradient schemes", 2015).
//
// A sweep is not the gradient of anything, and with β near 1 iterates grow. Where squared steps
// have grown tenfold, or have not shrunk for many sweeps, a step that is longer than the one before
// makes a new beginning as well. Each time that they do not shrink the bound is halved, in the end
// to 0, and then the relaxation of the contacts is lowered.

#include <algorithm>
#include <limits>
#include <utility>

namespace talus {

class Momentum {
public:
  explicit Momentum(double bound = 0.8) : bound_(bound) {}

  double beta() const {
    const double k = static_cast<double>(sweeps_);
    return sweeps_ == 0 ? 0 : std::min((k - 1) / (k + 2), bound_);
  }
  double omega() const { return omega_; }

  /// Forgets the past, for velocities that do not belong to the last ones.
  void restart() { sweeps_ = 0; }

  /// Of the last sweep: the squared length of its step, and whether the step points along the last
  /// change.
  void observe(double squared, bool points_onward) {
    const bool longer = is_too_long(squared);
    if (++sweeps_ > 1 && (longer || !points_onward)) sweeps_ = 1;
  }

private:
  bool is_too_long(double squared) {
    const bool longer = squared > std::exchange(last_squared_, squared);
    is_unstable_ |= squared > 10 * shortest_;
    if (squared < shortest_) {
      shortest_ = squared;
      waiting_ = 0;
    } else if (++waiting_ > (is_unstable_ ? 30 : 150)) {
      is_unstable_ = true;
      waiting_ = 0;
      calm_down();
    }
    return is_unstable_ && longer;
  }
  void calm_down() {
    if (bound_ == 0 && omega_ > 0.5) omega_ *= 0.9;
    bound_ = bound_ > 0.1 ? 0.5 * bound_ : 0;
  }

  double bound_, omega_ = 1;
  long sweeps_ = 0; ///< Since the last beginning.
  double last_squared_ = std::numeric_limits<double>::infinity();
  double shortest_ = std::numeric_limits<double>::infinity(); ///< Squared step, `waiting_` ago.
  long waiting_ = 0;
  bool is_unstable_ = false;
};

} // namespace talus
