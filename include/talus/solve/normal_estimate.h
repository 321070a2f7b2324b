#pragma once
// The normal impulses that fixed-bound friction sets (box, prism, cylinder) take as given.

#include "talus/problem/contact_problem.h"

#include <atomic>

namespace talus {

/// Normal impulse of each contact in the frictionless solution of the problem (apgd, error 1e-8 or
/// the best within 20000 iterations, joints eliminated where they can be): the same bounds
/// whichever solver is used afterwards. `initial`, impulses to start from, may be empty. Where
/// `stop` becomes true on the way, the estimate is what there was (SolveOptions::stop).
Vector estimate_normal_impulses(const ContactProblem& problem, ConstSpan initial = {},
                                const std::atomic<bool>* stop = nullptr);

} // namespace talus
