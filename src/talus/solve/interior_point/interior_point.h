#pragma once
// The interior-point iteration on symmetric cones, as an engine: conic-ip runs it once, or again
// and again inside the fixed point of Coulomb's law. The method is described in conic_ip.cpp.

#include "talus/linalg/gmres.h"
#include "talus/solve/interior_point/kkt_system.h"
#include "talus/solve/interior_point/nesterov_todd.h"
#include "talus/solve/monitor.h"

namespace talus {

struct InteriorPointOptions {
  int model = 0;  ///< 0: dual (impulses), 1: primal (velocities as well).
  int form = 0;   ///< KktForm of the linear systems.
  int linear = 0; ///< LinearEngine of problems that are divided over ranks.
  /// Normal impulses of a cold start, in units of the mean impulse that stops a contact's approach.
  double start_height = 10;
  /// Duality measure of a warm start, in units of its mean error times the size of impulses.
  double warm_depth = 0.3;
  double step_share = 0.995; ///< Of the way to the boundary.

  /// Coulomb's law directly: the tilt of the velocities and its derivative are part of the
  /// conditions (coulomb_ip.cpp). Not with the primal model.
  bool tilted = false;

  bool is_primal() const { return model == 1; }
  LinearEngine engine() const { return static_cast<LinearEngine>(linear); }
  void visit(OptionVisitor& visitor);
};

class InteriorPoint {
public:
  /// Keeps references to the problem, whose free velocity may change between runs (a frozen tilt)
  /// but not its sets, and to the factor. Where `stop` is met in the constructor, nothing may be
  /// run.
  InteriorPoint(const ScaledProblem& problem, const InteriorPointOptions& options,
                SymmetricFactor& factor, StopTest stop = {});

  /// What of the problem the options do not suit, for Solver::refuses(); empty if they do.
  static std::string refusal(const ScaledProblem& problem, const InteriorPointOptions& options);

  /// Improves z until the monitor says stop. A z of zeros is a cold start.
  void run(Span z, Monitor& monitor);

  KktForm form() const { return kkt_.form(); }
  const KktSystem::Statistics& statistics() const { return kkt_.statistics(); }

private:
  /// From the given impulses shifted inside, or cold where they are zero or earlier attempts
  /// failed; further inside with every attempt.
  void start(int attempt, ConstSpan given, Span z);
  void start_cold(double height, Span z);
  void start_warm(double share, Span z);
  bool iterate(Span z);
  void compute_residuals(ConstSpan z);
  /// The step (dz, dv) for a right-hand side t of the scaled complementarity, and dw̃, dỹ.
  bool find_direction(ConstSpan t);
  /// û = u + σ(u_t) e_n with a smoothed σ, and its slope; û = u unless `tilted`.
  void tilt_velocities();
  /// y += (T − 1) x with T = 1 + e_n ∇σᵀ.
  void add_tilt(ConstSpan x, Span y) const;
  /// (T N + H) dz = b by GMRES, preconditioned with the factors of N + H.
  bool solve_tilted();
  bool is_primal() const { return options_.is_primal(); }
  /// |P(−q)| per contact: the size of impulses and velocities.
  double mean_approach() const;

  const ScaledProblem& problem_;
  InteriorPointOptions options_;
  ConeProduct cones_;
  NesterovTodd scaling_;
  KktSystem kkt_;
  Vector root_, inverse_root_; ///< Of H, block diagonal.
  GmresBasis basis_;
  Vector slope_;                    ///< ∇σ(u_t), as long as z; 0 in normal entries and rows.
  Vector tilted_, product_;         ///< û, and a product with N.
  double smoothing_ = 0;            ///< Velocity over which σ is smoothed.
  Vector u_, dz_, r_u_, b_;         ///< As long as z.
  Vector v_, dv_, r_v_, minus_r_v_; ///< Velocities beyond the free ones; empty in `dual`.
  Vector t_, dw_, dy_, y_;          ///< As long as w.
};

} // namespace talus
