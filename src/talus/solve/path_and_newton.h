#pragma once
// The central path and proximal Newton steps to finish it, shared by ip-newton and auto.

#include "talus/solve/central_path.h"
#include "talus/solve/proximal_newton.h"

namespace talus {

struct PathAndNewtonOptions {
  double finish = 1e-5;  ///< Error below which Newton steps are tried.
  int newton_steps = 12; ///< Most Newton steps of a trial.
  CentralPathOptions path;
  ProximalNewtonOptions newton;

  PathAndNewtonOptions() { newton.weight = 1e-4; }
  void visit(OptionVisitor& visitor);
};

/// At most `most_steps` Newton steps, and no longer than they halve the error. False when the
/// monitor ended the run.
bool newton_while_it_helps(ProximalNewton& newton, int most_steps, Span z, Span u,
                           Monitor& monitor);

/// Follows the path from z until the monitor stops it (false) or neither the path nor Newton steps
/// get any further (true; z and u are then those of the best iterate). u = N z + q on entry and on
/// return. The problem must be one that CentralPath admits.
bool follow_path_and_finish(const ScaledProblem& problem, const PathAndNewtonOptions& options,
                            Span z, Span u, Monitor& monitor);

} // namespace talus
