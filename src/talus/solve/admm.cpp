// Alternating direction method of multipliers (operator splitting) on the cones.
//
//     (N + ρ I) x = ρ z + λ - q - s,   z = Π_K(x̂ - λ/ρ),   λ ← λ + ρ (z - x̂),
//     x̂ = α x + (1 - α) z_old
//
// λ is the velocity that the impulse z works against; s, in the normal rows, is Coulomb's tilt,
// which follows σ(λ_t) with some damping (undamped it cycles on hyperstatic problems), so that a
// fixed point satisfies the exact law; s = 0 for the associated one. The penalty ρ follows the
// curvature along the last steps (spectral: Xu, Figueiredo, Goldstein 2017) or balances the
// residuals |x - z| and ρ |z - z_old| (Boyd et al. 2011); it is moved only when the change is worth
// a factorisation, and ever more rarely.
//
// Class: every set, both laws. Converges for the associated law and every ρ; for Coulomb's in
// practice. Very quick on towers and walls of blocks; slow on granular packings, above all under
// heavy loads. Cost: a solve with the factors and one product per iteration.

#include "talus/core/vector_ops.h"
#include "talus/solve/monitor.h"
#include "talus/solve/shifted_system.h"

#include <algorithm>
#include <cmath>

namespace talus {
namespace {

class Admm : public Solver {
public:
  Admm() {
    info_.name = "admm";
    info_.summary = "operator splitting with an adaptive penalty";
    info_.paper = "Boyd et al. 2011; spectral penalty: Xu, Figueiredo, Goldstein 2017";
    info_.laws = {Law::associated, Law::coulomb};
    info_.friction = info_.friction_plane = {FrictionKind::none,       FrictionKind::box,
                                             FrictionKind::pyramid,    FrictionKind::prism,
                                             FrictionKind::polyhedron, FrictionKind::cylinder,
                                             FrictionKind::cone};
    info_.coulomb = "direct";
    info_.products_per_iteration = "1 and a solve";
  }
  const SolverInfo& info() const override { return info_; }

  void visit_options(OptionVisitor& visitor) override {
    visitor.visit("rho", rho_, "first penalty ρ, in units of the mean diagonal of N");
    visitor.visit("penalty", rule_, {"fixed", "balanced", "spectral"}, "how ρ is adapted");
    visitor.visit("over_relaxation", alpha_, "α in [1, 2)");
    visitor.visit("tilt_relaxation", tilt_relaxation_,
                  "Coulomb's law: share of the new tilt taken over in an iteration, in (0, 1]");
    visitor.visit("space", space_, {"automatic", "bodies", "contacts", "gradients"},
                  "where N + ρ I is solved (shifted_system.h)");
  }

  void run(ScaledProblem& problem, Span z, Monitor& monitor) override;

private:
  enum Rule { fixed, balanced, spectral };

  SolverInfo info_;
  double rho_ = 0.1, alpha_ = 1.6, tilt_relaxation_ = 0.5;
  int rule_ = spectral, space_ = 0;
};

/// Curvature estimates along the steps since the last adaptation.
struct SpectralPenalty {
  explicit SpectralPenalty(Index n) : x(n), z(n), lambda_hat(n), lambda(n), a(n), b(n) {}

  void keep(ConstSpan x_now, ConstSpan z_now, ConstSpan lambda_hat_now, ConstSpan lambda_now) {
    copy(x_now, x);
    copy(z_now, z);
    copy(lambda_hat_now, lambda_hat);
    copy(lambda_now, lambda);
  }

  /// √(α β) of the curvatures of both terms, or the one that can be trusted, or ρ itself.
  double propose(ConstSpan x_now, ConstSpan z_now, ConstSpan lambda_hat_now, ConstSpan lambda_now,
                 double rho) {
    double first = 0, second = 0;
    const bool trust_first = curvature(x_now, x, lambda_hat_now, lambda_hat, 1.0, first);
    const bool trust_second = curvature(z_now, z, lambda_now, lambda, -1.0, second);
    if (trust_first && trust_second) return std::sqrt(first * second);
    return trust_first ? first : trust_second ? second : rho;
  }

private:
  bool curvature(ConstSpan now, ConstSpan before, ConstSpan slope_now, ConstSpan slope_before,
                 double sign, double& value) {
    constexpr double trusted_correlation = 0.2;
    combine(1.0, now, -1.0, before, a);
    combine(sign, slope_now, -sign, slope_before, b);
    const double aa = dot(a, a), ab = dot(a, b), bb = dot(b, b);
    if (!(ab > trusted_correlation * std::sqrt(aa * bb)) || aa == 0) return false;
    const double steepest = bb / ab, minimal = ab / aa;
    value = 2 * minimal > steepest ? minimal : steepest - 0.5 * minimal;
    return value > 0;
  }

  Vector x, z, lambda_hat, lambda, a, b;
};

constexpr double least_change = 3; ///< Factor by which ρ must move to be worth a factorisation.
constexpr double largest_change = 100;
constexpr long first_adaptation = 10;
constexpr double rho_min = 1e-8, rho_max = 1e8;
constexpr double inner_share = 1e-2; ///< Of the current error, for inexact inner solves.

void Admm::run(ScaledProblem& problem, Span z, Monitor& monitor) {
  const Index n = problem.size();
  const int d = problem.dimension();
  Vector x(n), u(n), lambda(n), lambda_hat(n), rhs(n), z_old(n), tilt(problem.contacts(), 0.0),
      tilt_target(problem.contacts());
  SpectralPenalty memory(rule_ == spectral ? n : 0);
  ShiftedSystem system(problem, static_cast<ShiftedSystem::Space>(space_));
  double rho = std::clamp(rho_, rho_min, rho_max);
  long wait = first_adaptation, next_adaptation = first_adaptation;
  if (!system.set_shift(rho)) return monitor.stall("N + ρ I cannot be factorised");
  copy(z, x);
  problem.velocity(z, u);
  copy(u, lambda);
  if (problem.is_tilted()) problem.tilts(u, tilt);
  for (Index c = 0; c < problem.contacts(); ++c) lambda[d * c] += tilt[c];
  for (long k = 1; monitor.proceed(z, u); ++k) {
    if (problem.is_tilted()) {
      problem.tilts(lambda, tilt_target);
      combine(tilt_relaxation_, tilt_target, 1 - tilt_relaxation_, tilt, tilt);
    }
    combine(rho, z, 1.0, lambda, rhs);
    axpy(-1.0, problem.free_velocity(), rhs);
    for (Index c = 0; c < problem.contacts(); ++c) rhs[d * c] -= tilt[c];
    system.solve(rhs, inner_share * std::min(1.0, monitor.error()), x);
    copy(z, z_old);
    combine(1.0, lambda, -rho, x, lambda_hat);
    axpy(rho, z_old, lambda_hat);
    combine(alpha_, x, 1 - alpha_, z_old, rhs); // x̂
    problem.project_step(rhs, 1 / rho, lambda, z);
    axpy(rho, z, lambda);
    axpy(-rho, rhs, lambda);
    problem.velocity(z, u);

    if (rule_ == fixed || k < next_adaptation) continue;
    double proposal = rho;
    if (rule_ == spectral) {
      proposal = memory.propose(x, z, lambda_hat, lambda, rho);
      memory.keep(x, z, lambda_hat, lambda);
    } else {
      const double primal = distance(x, z) / std::max(norm(x), norm(z));
      const double dual = rho * distance(z, z_old) / norm(lambda);
      if (primal > 0 && dual > 0) proposal = rho * std::sqrt(primal / dual);
    }
    proposal = std::clamp(proposal, rho / largest_change, rho * largest_change);
    proposal = std::clamp(proposal, rho_min, rho_max);
    if (std::isfinite(proposal) && std::max(proposal / rho, rho / proposal) > least_change) {
      rho = proposal;
      monitor.note("penalty changed");
      if (!system.set_shift(rho)) return monitor.stall("N + ρ I cannot be factorised");
      wait += wait / 2; // so that the penalty settles and convergence theory applies
    }
    next_adaptation = k + wait;
  }
}

} // namespace

std::unique_ptr<Solver> make_admm() {
  return std::make_unique<Admm>();
}

} // namespace talus
