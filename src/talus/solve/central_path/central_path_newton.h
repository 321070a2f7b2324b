#pragma once
// Central paths and proximal Newton steps to finish them, shared by ip-newton, fold-ip and auto.

#include "talus/solve/central_path/central_path.h"
#include "talus/solve/central_path/folded_path.h"
#include "talus/solve/newton/proximal_newton.h"

namespace talus {

/// When and how Newton steps take over from a path.
struct NewtonFinish {
  double error = 1e-5; ///< Below which they are tried.
  int steps = 12;      ///< Most of a trial.
  ProximalNewtonOptions newton;

  NewtonFinish() { newton.weight = 1e-4; }
  void visit(OptionVisitor& visitor);
};

struct PathAndNewtonOptions {
  NewtonFinish finish;
  CentralPathOptions path;
  void visit(OptionVisitor& visitor);
};

struct FoldsAndNewtonOptions {
  NewtonFinish finish;
  FoldedPathOptions path;
  void visit(OptionVisitor& visitor);
};

/// At most `most_steps` Newton steps, and no longer than they halve the error. False when the
/// monitor ended the run.
bool newton_while_it_helps(ProximalNewton& newton, int most_steps, Span z, Span u,
                           Monitor& monitor);

/// Follows the path from z until the monitor stops it (false) or neither the path nor Newton steps
/// get any further (true; z and u are then those of the best iterate). u = N z + q on entry and on
/// return. The problem must be one that path_refusal() has nothing against.
bool follow_path_and_finish(const ScaledProblem& problem, const PathAndNewtonOptions& options,
                            Span z, Span u, Monitor& monitor);

/// The same along the path through its folds, which always begins from nothing.
bool follow_folds_and_finish(const ScaledProblem& problem, const FoldsAndNewtonOptions& options,
                             Span z, Span u, Monitor& monitor);

} // namespace talus
