#pragma once
// The sweeps of nsgs over so few contacts that the problem lies on the stack (few_contacts.h), with
// Anderson acceleration that looks back two sweeps.
//
// A sweep g(z) takes each contact to the answer of its one-contact problem; with f = g(z) - z the
// next one starts from g - Σ γ Δg, where γ minimises |f - Σ γ Δf| over the last changes. A sweep
// whose step is longer than the last one is a sign of contacts that begin or cease to slide: the
// changes before it are forgotten.

#include "talus/solve/monitor.h"

namespace talus {

/// Sweeps from z until the monitor stops them. False, and nothing has happened, unless FewContacts
/// admits the problem.
bool sweep_handful(const ScaledProblem& problem, Span z, Monitor& monitor);

/// The same sweeps from zero impulses without anything around them, for problems that take less
/// time than to set up a solve (round cones, no history). True when the result is complete: judged,
/// and within the tolerance after at most `most_sweeps`. Otherwise nothing has happened.
bool solve_handful(const ContactProblem& problem, const DelassusOperator& n,
                   const SolveOptions& options, long most_sweeps, SolveResult& result);

} // namespace talus
