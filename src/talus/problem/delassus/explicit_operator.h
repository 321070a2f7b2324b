#pragma once
// The explicit face: W in dense dimension x dimension blocks, with the couplings V, U, R of
// equality rows.

#include "talus/problem/delassus/delassus.h"

namespace talus {

/// The explicit operator of a local model. `model` is read, not kept. Moments are measured in the
/// given lengths, or in those of the model.
std::unique_ptr<DelassusOperator> make_explicit_operator(const ContactProblem& problem,
                                                         const LocalModel& model,
                                                         ConstSpan lengths = {});

/// W = HᵀM⁻¹H and so on, from a global model: a solve with M per column of [H G].
LocalModel eliminate_velocities(const GlobalModel& model);

} // namespace talus
