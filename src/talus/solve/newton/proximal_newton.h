#pragma once
// The proximal-point semismooth Newton method, as an engine: prox-newton runs it alone,
// hybrid-newton after Gauss-Seidel sweeps. The method is described in prox_newton.cpp.

#include "talus/problem/scaled/natural_map.h"
#include "talus/solve/monitor.h"
#include "talus/solve/newton/newton_system.h"

namespace talus {

struct ProximalNewtonOptions {
  double weight = 0.1;    ///< First proximal weight ε, relative to the mean diagonal of N.
  double shrink = 0.5;    ///< Factor of ε after an easy proximal step.
  double leap = 0.125;    ///< Factor of ε after one that took a single Newton step.
  double grow = 3;        ///< Factor of ε after a hard one.
  double reduction = 0.5; ///< A proximal step ends when its |F| has fallen to this share.
  int easy_steps = 3;     ///< At most so many Newton steps are easy.
  int hard_steps = 8;     ///< At least so many are hard.
  int most_steps = 20;    ///< After so many the proximal centre moves anyway.
  int function = 0;       ///< 0: natural map, 1: Alart-Curnier.
  int space = 0;          ///< NewtonSpace of the linear systems.
  int dense_limit = NewtonSystem::default_dense_limit;
  int linear = 0; ///< LinearEngine of problems that are divided over ranks.

  LinearEngine engine() const { return static_cast<LinearEngine>(linear); }
  void visit(OptionVisitor& visitor);
};

class ProximalNewton {
public:
  /// Keeps references to the problem. Once `stop` is met, no step gets anywhere.
  ProximalNewton(const ScaledProblem& problem, const ProximalNewtonOptions& options,
                 StopTest stop = {});

  /// What of the problem the options do not suit, for Solver::refuses(); empty if they do.
  static std::string refusal(const ScaledProblem& problem, const ProximalNewtonOptions& options);

  enum class Outcome { moved, failed, stopped };

  /// One proximal step: Newton steps on the proximal problem centred at z. u = N z + q on entry and
  /// on return. `failed` leaves z as it was, with a larger weight; `stopped` means that the
  /// monitor, told of every Newton step, ended the run.
  Outcome step(Span z, Span u, Monitor& monitor);

  double weight() const { return weight_; }
  /// True when the weight cannot grow any more: the method is at its end.
  bool exhausted() const { return weight_ >= largest_weight; }
  NewtonSpace space() const { return system_.space(); }

private:
  static constexpr double smallest_weight = 1e-10, largest_weight = 1e4;
  static constexpr double shortest_step = 1e-4, sufficient_decrease = 1e-4;

  double evaluate(const Proximal& proximal, ConstSpan z, ConstSpan u, Span f) const;
  void differentiate(const Proximal& proximal, ConstSpan z, ConstSpan u);
  bool newton_step(const Proximal& proximal, Span z, Span u, double& size);
  void adapt_weight(int steps, bool reduced);

  const ScaledProblem& problem_;
  ProximalNewtonOptions options_;
  NewtonSystem system_;
  bool alart_curnier_;
  double weight_;
  Vector centre_, f_, dz_, n_dz_, trial_, trial_u_, trial_f_, c_, k_;
};

} // namespace talus
