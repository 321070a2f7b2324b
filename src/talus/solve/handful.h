#pragma once
// The sweeps of nsgs over so few contacts that N, the local problems and the velocities lie on the
// stack, a contact in one SIMD register, with Anderson acceleration that looks back two sweeps.
//
// A sweep g(z) takes each contact to the answer of its one-contact problem; with f = g(z) - z the
// next one starts from g - Σ γ Δg, where γ minimises |f - Σ γ Δf| over the last changes. A sweep
// whose step is longer than the last one is a sign of contacts that begin or cease to slide: the
// changes before it are forgotten.

#include "talus/solve/monitor.h"

namespace talus {

/// Sweeps from z until the monitor stops them. False, and nothing has happened, unless the problem
/// is a local model in space with at most eight contacts and no equality rows.
bool sweep_handful(const ScaledProblem& problem, Span z, Monitor& monitor);

} // namespace talus
