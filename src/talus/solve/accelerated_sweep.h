#pragma once
// Anderson acceleration over Gauss-Seidel sweeps: the map G is one iteration of run_sweeps (a
// sweep, or a forward and a backward one), in scaled variables so that all contacts weigh alike.
// The extrapolated impulses are projected on K, and the rows restarted from them: about one
// product.

#include "talus/core/vector_ops.h"
#include "talus/solve/anderson.h"
#include "talus/solve/sweep.h"

namespace talus {

template <class Sweep>
class AndersonSweep {
public:
  AndersonSweep(const ScaledProblem& problem, SweepOrder order, int memory, const Sweep& sweep)
      : problem_(problem), order_(order), sweep_(sweep), anderson_(problem.size(), memory),
        before_(problem.size()), after_(problem.size()), next_(problem.size()) {}

  template <class Rows>
  void operator()(Rows& rows, Span x, bool backward) {
    const bool first = order_ != SweepOrder::symmetric || !backward;
    const bool last = order_ != SweepOrder::symmetric || backward;
    if (first) problem_.to_scaled(x, before_);
    sweep_(rows, x, backward);
    if (!last) return;
    problem_.to_scaled(x, after_);
    anderson_.advance(before_, after_, next_);
    problem_.project(next_, next_);
    problem_.to_physical(next_, x);
    rows.reset(x);
    problem_.count_products(1);
  }

private:
  const ScaledProblem& problem_;
  SweepOrder order_;
  const Sweep& sweep_;
  Anderson anderson_;
  Vector before_, after_, next_;
};

} // namespace talus
