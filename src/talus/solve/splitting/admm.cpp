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
// heavy loads. Cost: a solve with the factors and one product per iteration; over ranks a solve by
// conjugate gradients instead, or over the bodies by an engine that works over ranks.

#include "talus/core/vector_ops.h"
#include "talus/linalg/anderson.h"
#include "talus/solve/monitor.h"
#include "talus/solve/rank_bodies.h"
#include "talus/solve/splitting/shifted_system.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace talus {
namespace {

class Admm : public Solver {
public:
  const SolverInfo& info() const override { return info_; }

  void visit_options(OptionVisitor& visitor) override {
    visitor.visit("rho", rho_, Range::above(0),
                  "first penalty ρ, in units of the mean diagonal of N");
    visitor.visit("penalty", rule_, {"fixed", "balanced", "spectral"}, "how ρ is adapted");
    visitor.visit("over_relaxation", alpha_, Range::inside(0, 2),
                  "α; above 1 the steps are longer");
    visitor.visit("tilt_relaxation", tilt_relaxation_, Range::share(),
                  "Coulomb's law: share of the new tilt taken over in an iteration");
    visitor.visit("anderson_memory", anderson_memory_, Range::between(0, 100),
                  "iterations that Anderson acceleration looks back on; 0: none");
    visitor.visit("space", space_, {"automatic", "bodies", "contacts", "gradients"},
                  "where N + ρ I is solved (shifted_system.h)");
    visitor.visit(
        "linear", linear_, linear_engine_names(),
        "over ranks: what solves it over the bodies, with other bits for other numbers of "
        "ranks; own: conjugate gradients instead");
  }

  bool has_same_bits_over_ranks() const override { return engine() == LinearEngine::own; }

  std::string refuses(const ScaledProblem& problem) const override {
    const bool by_engine = engine() != LinearEngine::own;
    if (by_engine && space_ != 0 && space_ != static_cast<int>(ShiftedSystem::Space::bodies))
      return "anything with linear = " + to_string(engine()) + " but over the bodies";
    if (!problem.division()) return RankBodies::refusal(problem, engine());
    if (anderson_memory_ > 0) return "problems divided over ranks with Anderson acceleration";
    if (by_engine) return RankBodies::refusal(problem, engine());
    return space_ == 0 || space_ == static_cast<int>(ShiftedSystem::Space::gradients)
               ? ""
               : "problems divided over ranks by its own factorisation (space=gradients does, and "
                 "linear=mumps, gamg or hypre)";
  }

  void run(ScaledProblem& problem, Span z, Monitor& monitor) override;

private:
  LinearEngine engine() const { return static_cast<LinearEngine>(linear_); }
  enum Rule { fixed, balanced, spectral };

  SolverInfo info_ = {.name = "admm",
                      .summary = "operator splitting with an adaptive penalty",
                      .paper = "Boyd et al. 2011; spectral penalty: Xu, Figueiredo, Goldstein 2017",
                      .friction = AdmittedSets::every(),
                      .coulomb = "direct",
                      .products_per_iteration = "1 and a solve",
                      .over_ranks = true};
  double rho_ = 0.1, alpha_ = 1.6, tilt_relaxation_ = 0.5;
  int rule_ = spectral, space_ = 0, linear_ = 0, anderson_memory_ = 0;
};

/// Curvature estimates along the steps since the last adaptation.
struct SpectralPenalty {
  SpectralPenalty(const ScaledProblem& whole, Index n)
      : problem(whole), x(n), z(n), lambda_hat(n), lambda(n), a(n), b(n) {}

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
    const double aa = problem.dot(a, a), ab = problem.dot(a, b), bb = problem.dot(b, b);
    if (!(ab > trusted_correlation * std::sqrt(aa * bb)) || aa == 0) return false;
    const double steepest = bb / ab, minimal = ab / aa;
    value = 2 * minimal > steepest ? minimal : steepest - 0.5 * minimal;
    return value > 0;
  }

  const ScaledProblem& problem;
  Vector x, z, lambda_hat, lambda, a, b;
};

/// The second half of an iteration, z and λ from x̂. Both follow from one vector, w = x̂ - λ/ρ:
/// z = Π_K(w), λ = ρ (z - w), so that an iteration is a map of (w, s) alone (Douglas-Rachford
/// splitting), which Anderson's method can accelerate.
class DouglasRachford {
public:
  DouglasRachford(const ScaledProblem& problem, int memory)
      : problem_(problem), size_(problem.size()),
        state_(memory > 0 ? size_ + problem.contacts() : size_) {
    if (memory <= 0) return;
    image_ = last_ = state_;
    anderson_.emplace(static_cast<Index>(state_.size()), memory);
  }

  void advance(ConstSpan x_hat, double rho, Span tilt, Span z, Span lambda) {
    const Span w(state_.data(), size_);
    if (anderson_) {
      // What led here: (w, s) of the last iteration, or of a start.
      if (!has_last_) combine(1.0, z, -1 / rho, lambda, Span(last_.data(), size_));
      combine(1.0, x_hat, -1 / rho, lambda, Span(image_.data(), size_));
      std::copy(tilt.begin(), tilt.end(), image_.begin() + size_);
      if (!has_last_) std::copy(tilt.begin(), tilt.end(), last_.begin() + size_);
      anderson_->advance(last_, image_, state_);
      for (std::size_t c = 0; c < tilt.size(); ++c) tilt[c] = std::max(0.0, state_[size_ + c]);
      copy(state_, last_);
      has_last_ = true;
    } else {
      combine(1.0, x_hat, -1 / rho, lambda, w);
    }
    problem_.project(w, z);
    combine(rho, z, -rho, w, lambda);
  }

  /// For when ρ, and with it the map, has changed.
  void restart() {
    if (anderson_) anderson_->restart();
    has_last_ = false;
  }

private:
  const ScaledProblem& problem_;
  Index size_;
  Vector state_, image_, last_;
  std::optional<Anderson> anderson_;
  bool has_last_ = false;
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
  DouglasRachford iteration(problem, anderson_memory_);
  SpectralPenalty memory(problem, rule_ == spectral ? n : 0);
  ShiftedSystem system(problem, static_cast<ShiftedSystem::Space>(space_), monitor.stop_test(),
                       engine());
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
    if (!system.solve(rhs, inner_share * std::min(1.0, monitor.error()), x))
      return monitor.stall("(N + ρ I) x = b cannot be solved by " + to_string(engine()));
    copy(z, z_old);
    combine(1.0, lambda, -rho, x, lambda_hat);
    axpy(rho, z_old, lambda_hat);
    combine(alpha_, x, 1 - alpha_, z_old, rhs); // x̂
    iteration.advance(rhs, rho, tilt, z, lambda);
    problem.velocity(z, u);

    if (rule_ == fixed || k < next_adaptation) continue;
    double proposal = rho;
    if (rule_ == spectral) {
      proposal = memory.propose(x, z, lambda_hat, lambda, rho);
      memory.keep(x, z, lambda_hat, lambda);
    } else {
      const double primal = problem.distance(x, z) / std::max(problem.norm(x), problem.norm(z));
      const double dual = rho * problem.distance(z, z_old) / problem.norm(lambda);
      if (primal > 0 && dual > 0) proposal = rho * std::sqrt(primal / dual);
    }
    proposal = std::clamp(proposal, rho / largest_change, rho * largest_change);
    proposal = std::clamp(proposal, rho_min, rho_max);
    if (std::isfinite(proposal) && std::max(proposal / rho, rho / proposal) > least_change) {
      rho = proposal;
      monitor.note("penalty changed");
      iteration.restart();
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
