#pragma once
// What the experiments of mangoni2015 share: frictionless scenes stepped with the paper's interior
// point method and its stop test, and conic-ip on the same problems beside it.

#include "experiments/frame/problem_variants.h"
#include "experiments/frame/solver_runs.h"
#include "experiments/frame/sphere_pile.h"
#include "talus/step/simulation.h"

namespace talus::experiments {

/// pdip from the paper's start (ones) to its test (38), both in scaled variables, or to an error of
/// 1e-8, whichever comes first. `warm` is none, partial or full.
SolverRun paper_method(const std::string& warm);

/// Frictionless steps of 10 ms solved by `paper_method`.
StepOptions paper_steps(const std::string& warm);

/// Equal balls of 1 m diameter and the density of water that fell into a square box and are
/// settling: 0.6 s after the start.
Simulation settling_balls(const Context& context, Index balls);

/// What it depends on.
Json inputs_of_settling_balls(Index balls);

/// The problem of the step behind `settling_balls`, without friction.
ContactProblem settling_problem(const Context& context, Index balls);

struct SteppedScene {
  std::string what; ///< For people who wait.
  long steps = 50;
  std::string warm = "none";
  bool beside = false; ///< Whether conic-ip solves the same problems.
};

/// Steps on by the paper's method: arrays over the steps of `contacts`, `iterations`, `error` and
/// `conic_ip` (its iterations to an error of 1e-8 from a cold start); and `dofs`, of the moving
/// bodies. Kept as `key`; `inputs` says what the simulation that `make` gives depends on.
Json stepped(const Context& context, const std::string& key, const Json& inputs,
             const std::function<Simulation()>& make, const SteppedScene& scene);

double total(const Json& numbers);
double mean(const Json& numbers);

} // namespace talus::experiments
