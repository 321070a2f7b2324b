#pragma once
// The sparse face: any invertible M, factorised once, and any H, G.

#include "talus/problem/delassus/delassus.h"

namespace talus {

std::unique_ptr<DelassusOperator> make_sparse_operator(const ContactProblem& problem,
                                                       const GlobalModel& model);

} // namespace talus
