#pragma once
// The central path of the contact problem under the exact law, as an engine: ip-newton runs it
// alone, auto on islands. The method is described in ip_newton.cpp.

#include "talus/contact/second_order_cone.h"
#include "talus/solve/central_path/central_path_cones.h"
#include "talus/solve/monitor.h"
#include "talus/solve/newton/newton_system.h"

namespace talus {

struct CentralPathOptions {
  double depth = 10; ///< Start inside the cones, in units of the mean |P(-q)| per contact.
  double boundary_share = 0.99; ///< Of the way to the boundary that a step takes.
  double regularisation = 1e-9; ///< Added to the scaling, relative to the mean diagonal of N.

  void visit(OptionVisitor& visitor);
};

class CentralPath {
public:
  /// The problem must be one that path_refusal() (path_cones.h) has nothing against. Keeps a
  /// reference to the problem. Once `stop` is met, the path is blocked.
  CentralPath(const ScaledProblem& problem, const CentralPathOptions& options, StopTest stop = {});

  /// Moves z inside the cones; u becomes its velocity.
  void start(Span z, Span u);

  /// One predictor-corrector step. `blocked`: z may have moved little.
  PathOutcome step(Span z, Span u, Monitor& monitor);

private:
  void tilted_velocity(ConstSpan u);
  void scale_cones(ConstSpan u);
  bool direction(ConstSpan complementarity, bool again);
  void correct(double centring);
  double largest_step() const;

  const ScaledProblem& problem_;
  CentralPathOptions options_;
  NewtonSystem system_;
  std::vector<PathCone> cones_; ///< One per block.
  double degree_;               ///< Number of cones.
  std::vector<lorentz::Scaling> scaling_;
  Vector x_, y_, lambda_, dx_, dy_; ///< Laid out like z.
  Vector tilted_, complementarity_, rhs_, dz_, c_, k_;
  int short_steps_ = 0;
};

} // namespace talus
