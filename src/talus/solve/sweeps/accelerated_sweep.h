#pragma once
// Acceleration over Gauss-Seidel sweeps: the map G is one iteration of run_sweeps (a sweep, or a
// forward and a backward one), in scaled variables so that all contacts weigh alike. An accelerator
// turns an iterate and its image into the next iterate:
//
//     advance(x, gx, next)      next = gx where it has nothing better
//
// What it extrapolates is projected on K, and the rows restarted from it: about one product.

#include "talus/solve/sweeps/sweep.h"

#include <algorithm>

namespace talus {

/// Whether an accelerated sweep handles moments is up to the sweep.
template <bool known>
struct MomentsOf {};
template <>
struct MomentsOf<true> {
  static constexpr bool handles_moments = true;
};

template <class Sweep, class Accelerator>
class AcceleratedSweep : public MomentsOf<handles_moments<Sweep>> {
public:
  AcceleratedSweep(const ScaledProblem& problem, SweepOrder order, Sweep& sweep,
                   Accelerator accelerator)
      : problem_(problem), order_(order), sweep_(sweep), accelerator_(std::move(accelerator)),
        before_(problem.size()), after_(problem.size()), next_(problem.size()) {}

  template <class Rows>
  void operator()(Rows& rows, Span x, bool backward) {
    const bool first = order_ != SweepOrder::symmetric || !backward;
    const bool last = order_ != SweepOrder::symmetric || backward;
    if (first) problem_.from_operator(x, before_);
    sweep_(rows, x, backward);
    if (!last) return;
    problem_.from_operator(x, after_);
    accelerator_.advance(before_, after_, next_);
    if (std::ranges::equal(next_, after_)) return;
    problem_.project(next_, next_);
    problem_.to_operator(next_, x);
    rows.reset(x);
    problem_.count_products(1);
  }

private:
  const ScaledProblem& problem_;
  SweepOrder order_;
  Sweep& sweep_;
  Accelerator accelerator_;
  Vector before_, after_, next_;
};

} // namespace talus
