#pragma once
// The central path of the contact problem under the exact law, as an engine: ip-newton runs it
// alone, auto on islands. The method is described in ip_newton.cpp.

#include "talus/solve/monitor.h"
#include "talus/solve/newton_system.h"
#include "talus/solve/second_order_cone.h"

#include <string>

namespace talus {

struct CentralPathOptions {
  double depth = 10; ///< Start inside the cones, in units of the mean |P(-q)| per contact.
  double boundary_share = 0.99; ///< Of the way to the boundary that a step takes.
  double regularisation = 1e-9; ///< Added to the scaling, relative to the mean diagonal of N.

  void visit(OptionVisitor& visitor);
};

class CentralPath {
public:
  /// What it does not admit, as the end of "<name> does not solve ..."; empty if it admits the
  /// problem: sets that are a second-order cone, and rows that are free or bounded below.
  static std::string refusal(const ContactProblem& problem);

  /// Keeps a reference to the problem.
  CentralPath(const ScaledProblem& problem, const CentralPathOptions& options);

  /// Moves z inside the cones; u becomes its velocity.
  void start(Span z, Span u);

  enum class Outcome { moved, blocked, stopped };
  /// One predictor-corrector step. `blocked`: rounding leaves no way to go, z may have moved
  /// little; `stopped`: the monitor, told of every step, ended the run.
  Outcome step(Span z, Span u, Monitor& monitor);

private:
  /// The cone of a contact or row: x = stretch · (z - offset), entry by entry.
  struct Cone {
    Index row = 0;                     ///< First entry in z.
    int size = 0;                      ///< Entries that take part; 0 for free rows.
    double normal = 1, tangential = 1; ///< The stretch of its entries.
    double offset = 0;
    double stretch(int i) const { return i == 0 ? normal : tangential; }
  };

  void build_cones();
  void tilted_velocity(ConstSpan u);
  void scale_cones(ConstSpan u);
  bool direction(ConstSpan complementarity, bool again);
  void correct(double centring);
  double largest_step() const;

  const ScaledProblem& problem_;
  CentralPathOptions options_;
  NewtonSystem system_;
  std::vector<Cone> cones_; ///< One per block.
  double degree_ = 0;       ///< Number of cones.
  std::vector<lorentz::Scaling> scaling_;
  Vector x_, y_, lambda_, dx_, dy_; ///< Laid out like z.
  Vector tilted_, complementarity_, rhs_, dz_, c_, k_;
  int short_steps_ = 0;
};

} // namespace talus
