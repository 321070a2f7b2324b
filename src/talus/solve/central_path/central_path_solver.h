#pragma once
// What ip-newton and fold-ip share: the class of problems, and the frame of a run.

#include "talus/solve/central_path/central_path_cones.h"
#include "talus/solve/monitor.h"

namespace talus {

class PathSolver : public Solver {
public:
  const SolverInfo& info() const override { return info_; }
  std::string refuses(const ScaledProblem& problem) const override {
    return path_refusal(problem.problem());
  }

  void run(ScaledProblem& problem, Span z, Monitor& monitor) override {
    Vector u(problem.size());
    problem.velocity(z, u);
    if (!monitor.proceed(z, u)) return;
    follow(problem, z, u, monitor);
    if (monitor.status() == Status::stalled && monitor.message().empty())
      monitor.stall("the central path leads no further and Newton steps do not reduce the error");
  }

protected:
  PathSolver() {
    info_.friction = {{Section::interval, Section::disc}, AdmittedSets::only_growing};
    info_.coulomb = "direct";
  }
  virtual void follow(const ScaledProblem& problem, Span z, Span u, Monitor& monitor) = 0;

  SolverInfo info_;
};

} // namespace talus
