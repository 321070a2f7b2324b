// Mehrotra's primal-dual interior-point method on the velocity problem (mangoni2015),
//
//     min ½ v'Mv − k'v + a'y     over v and y >= 0 with   Dᵀv + b = Aᵀy,
//
// a quadratic program for every polyhedral set of impulses { z : w = A z + a >= 0 }: without
// friction it is the paper's (A = 1: y is the normal velocity, w the impulse); pyramids and
// polyhedra give several y per contact, and the bounds of box, prism, motors and joint limits enter
// through a. Joints are equality rows, compliance adds E. With z the multiplier of the constraint,
// an iteration solves
//
//     M̃ dv − D̃ dz = −r_v,    D̃ᵀ dv + (E + Aᵀ (Y/W) A) dz = −r_u − Aᵀ ((r_c + y ∘ r_w) / w)
//
// (eq. 20 in the signs of papers that keep A x − b >= 0) twice with the same factors: as predictor,
// and corrected by its own second-order term and centring σ = (μ_predicted / μ)³. The step is
// common to all variables, so that residuals shrink by 1 − α and need no product (eq. 19).
//
// Class: none, box, pyramid, prism, polyhedron, in the plane every set; associated law, Coulomb's
// through the fixed point on the tilt. Redundant contacts need no care: Y/W regularises them (sec.
// 4.3). Cost of an iteration: a factorisation and two solves (kkt_system.h), and the product with
// which the monitor measures.

#include "talus/core/elementary.h"
#include "talus/core/vector_ops.h"
#include "talus/solve/coulomb/factorising_solver.h"
#include "talus/solve/interior_point/kkt_system.h"
#include "talus/solve/interior_point/nesterov_todd.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace talus {
namespace {

struct PdipOptions {
  enum Start { nocedal, dapuzzo };
  enum Warm { none, partial, full };
  int form = 0; ///< KktForm.
  int start = dapuzzo;
  int warm = full;
  bool update_residuals = true;
  bool paper_stop = false;
  bool ones = false;

  void visit(OptionVisitor& visitor) {
    visitor.visit("form", form, {"automatic", "augmented", "schur", "contact"},
                  "where the linear systems are factorised");
    visitor.visit("start", start, {"nocedal", "dapuzzo"},
                  "starting point: mangoni2015 eq. 21 or 22");
    visitor.visit("warm", warm, {"none", "partial", "full"},
                  "what is taken from a given start: nothing, velocities, or everything");
    visitor.visit("update_residuals", update_residuals,
                  "update residuals by eq. 19 instead of making them afresh");
    visitor.visit("paper_stop", paper_stop,
                  "stop at mangoni2015's test (38), in scaled variables, if it comes first");
    visitor.visit("ones", ones,
                  "start from 1, in scaled variables, as the paper does, whatever the units "
                  "(false: from the problem's own scale)");
  }
};

/// eq. 38.
constexpr double paper_residual = 1e-8, paper_measure = 1e-7;
/// eq. 17 as it must be, η = 0.9 + 0.1 exp(−0.1 μ), would touch the boundary for μ → 0.
constexpr double largest_share = 0.9995;
constexpr double shortest_step = 1e-6, useless_residual = 1e-2;
constexpr double warm_measure = 0.3; ///< Of a full warm start, in units of its error.
constexpr int most_idle = 15;
constexpr double clear_progress = 0.9;
constexpr double hopeless_error = 1e-3; ///< Idling above it is no matter of rounding.
/// Starts that lead nowhere are repeated without the given impulses, with a larger unit: light
/// bodies under heavy ones see impulses far above the mean.
constexpr int most_restarts = 3;
constexpr double restart_growth = 100;

/// One run on one problem.
class Mehrotra {
public:
  Mehrotra(const ScaledProblem& problem, const PdipOptions& options, SymmetricFactor& factor,
           StopTest stop)
      : problem_(problem), options_(options), cones_(problem), scaling_(cones_),
        kkt_(problem, cones_.active(), static_cast<KktForm>(options.form), factor, std::move(stop)),
        root_(cones_.layout().entry(cones_.layout().blocks)), inverse_root_(root_.size()) {
    for (Vector* work : {&u_, &r_u_, &dz_, &b_}) work->resize(problem.size());
    for (Vector* work : {&v_, &r_v_, &a_, &dv_}) work->resize(kkt_.dofs());
    for (Vector* work : {&w_, &y_, &r_w_, &dw_, &dy_, &r_c_, &ratio_}) work->resize(cones_.size());
  }

  static std::string refusal(const ScaledProblem& problem, const PdipOptions& options) {
    return KktSystem::refusal(problem, static_cast<KktForm>(options.form));
  }

  void run(Span z, Monitor& monitor) {
    problem_.velocity(z, u_);
    if (!monitor.proceed(z, u_)) return;
    start_scale_ = 1;
    int restarts = 0, idle = 0;
    double best = std::numeric_limits<double>::infinity(), least_measure = best;
    bool able = start(z);
    while (true) {
      const bool lost = idle >= most_idle && best > hopeless_error;
      if (idle >= most_idle && !lost)
        return monitor.stall("rounding ends the interior-point iteration");
      if (!able || lost || !iterate(z)) {
        if (restarts++ == most_restarts)
          return monitor.stall("the interior-point iteration is stuck");
        monitor.note("restarted further inside");
        start_scale_ *= restart_growth;
        fill(z, 0.0);
        idle = 0;
        least_measure = std::numeric_limits<double>::infinity();
        able = start(z);
        continue;
      }
      problem_.velocity(z, u_);
      if (!monitor.proceed(z, u_)) return;
      if (options_.paper_stop && passes_paper_test())
        return monitor.stall("the residuals and the duality measure pass mangoni2015 (38)");
      const double measure = duality_measure();
      const bool progress =
          monitor.error() < clear_progress * best || measure < clear_progress * least_measure;
      idle = progress ? 0 : idle + 1;
      best = std::min(best, monitor.error());
      least_measure = std::min(least_measure, measure);
      // Rounding gathers in updated residuals: they are made afresh when they seem to be the
      // reason.
      if (!options_.update_residuals || idle > 0) compute_residuals(z);
    }
  }

private:
  /// What the papers call 1: the mean approach velocity, in scaled variables also an impulse;
  /// or 1 itself.
  double unit() const {
    if (options_.ones) return start_scale_;
    return start_scale_ * problem_.reference() / std::sqrt(std::max<Index>(1, problem_.contacts()));
  }
  double duality_measure() const {
    return cones_.degree() > 0 ? dot(w_, y_) / cones_.degree() : 0.0;
  }

  /// w, y and z, v to begin with, and u, the velocity of z.
  bool start(Span z) {
    const int warm = max_abs(z) == 0 ? PdipOptions::none : options_.warm;
    follows_ = kkt_.dofs() == 0 || warm != PdipOptions::none;
    if (warm == PdipOptions::full) {
      start_full(z);
    } else {
      // Cold: x = 1, a velocity of one unit beyond the free one in every coordinate. Partial: the
      // velocity of the given impulses, and y and λ as if there were none.
      if (!follows_) {
        fill(v_, unit());
        fill(z, 0.0);
        kkt_.apply_rows(v_, z, u_);
        axpy(1.0, problem_.free_velocity(), u_);
      }
      if (options_.start == PdipOptions::dapuzzo)
        start_dapuzzo(z);
      else if (!start_nocedal(z))
        return false;
    }
    problem_.velocity(z, u_);
    compute_residuals(z);
    return true;
  }

  /// eq. 22: y = max(1, A x − b), λ = 1 / y.
  void start_dapuzzo(Span z) {
    cones_.multiplier(u_, unit(), y_);
    for (Index k = 0; k < cones_.size(); ++k) w_[k] = unit() * unit() / y_[k];
    cones_.impulses(w_, z);
  }

  /// eq. 21: an affine step from y = λ = 1, and the larger of 1 and where it leads.
  bool start_nocedal(Span z) {
    fill(w_, unit());
    fill(y_, unit());
    cones_.impulses(w_, z);
    problem_.velocity(z, u_);
    compute_residuals(z);
    for (Index k = 0; k < cones_.size(); ++k) r_c_[k] = w_[k] * y_[k];
    if (!factorise() || !find_direction()) return false;
    for (Index k = 0; k < cones_.size(); ++k) {
      w_[k] = std::max(unit(), std::abs(w_[k] + dw_[k]));
      y_[k] = std::max(unit(), std::abs(y_[k] + dy_[k]));
    }
    cones_.impulses(w_, z);
    return true;
  }

  void start_full(Span z) {
    Vector projected(problem_.size());
    problem_.project_step(z, 1.0, u_, projected);
    const double error =
        distance(projected, z) / std::sqrt(std::max<Index>(1, problem_.contacts()));
    // The last iterate may have been a little outside, by its residual r_w.
    problem_.project(z, z);
    cones_.start_near(warm_measure * std::min(unit(), error) * unit(), u_, z, w_, y_);
  }

  /// eq. 18, and r_w = A z + a − w.
  void compute_residuals(ConstSpan z) {
    if (follows_) {
      fill(r_v_, 0.0);
      copy(u_, r_u_);
    } else {
      kkt_.apply_mass(v_, z, r_v_);
      kkt_.apply_rows(v_, z, r_u_);
      axpy(1.0, problem_.free_velocity(), r_u_);
    }
    cones_.transpose(y_, b_);
    axpy(-1.0, b_, r_u_);
    cones_.mask(r_u_);
    cones_.constraint(z, r_w_);
    axpy(-1.0, w_, r_w_);
  }

  bool factorise() {
    scaling_.start(w_, y_); // for half-lines T² = W/Y
    scaling_.hessian_root(root_, inverse_root_);
    return kkt_.factorise(root_, inverse_root_);
  }

  /// The step for the complementarity residual r_c.
  bool find_direction() {
    for (Index k = 0; k < cones_.size(); ++k) ratio_[k] = -(r_c_[k] + y_[k] * r_w_[k]) / w_[k];
    cones_.transpose(ratio_, b_);
    axpy(-1.0, r_u_, b_);
    combine(-1.0, r_v_, 0.0, r_v_, a_);
    if (!(kkt_.solve(a_, b_, dv_, dz_) < useless_residual)) return false;
    cones_.multiply(dz_, dw_);
    axpy(1.0, r_w_, dw_);
    for (Index k = 0; k < cones_.size(); ++k) dy_[k] = -(r_c_[k] + y_[k] * dw_[k]) / w_[k];
    return true;
  }

  /// eq. 9 with η = 1, the smaller of both sides.
  double largest_step() const {
    double step = std::numeric_limits<double>::infinity();
    for (Index k = 0; k < cones_.size(); ++k) {
      if (dw_[k] < 0) step = std::min(step, -w_[k] / dw_[k]);
      if (dy_[k] < 0) step = std::min(step, -y_[k] / dy_[k]);
    }
    return step;
  }

  bool iterate(Span z) {
    if (!factorise()) return false;
    const double measure = duality_measure();
    for (Index k = 0; k < cones_.size(); ++k) r_c_[k] = w_[k] * y_[k];
    if (!find_direction()) return false;
    const double reach = std::min(1.0, largest_step());
    double predicted = 0;
    for (Index k = 0; k < cones_.size(); ++k)
      predicted += (w_[k] + reach * dw_[k]) * (y_[k] + reach * dy_[k]);
    predicted /= std::max(1.0, cones_.degree());
    const double sigma =
        measure > 0 ? power(std::clamp(predicted / measure, 0.0, 1.0), 3) : 0.0; // eq. 14
    for (Index k = 0; k < cones_.size(); ++k)                                    // eq. 16
      r_c_[k] = w_[k] * y_[k] + dw_[k] * dy_[k] - sigma * measure;
    if (!find_direction()) return false;
    const double share = 0.9 + 0.1 * exponential(-0.1 * measure / (unit() * unit())); // eq. 17
    const double step = std::min(1.0, std::min(share, largest_share) * largest_step());
    if (!(step > shortest_step)) return false;
    axpy(step, dz_, z);
    axpy(step, dv_, v_);
    axpy(step, dw_, w_);
    axpy(step, dy_, y_);
    for (Vector* residual : {&r_u_, &r_v_, &r_w_}) scale(1 - step, *residual); // eq. 19
    return all_finite(w_) && all_finite(y_);
  }

  bool passes_paper_test() const {
    const double rows = std::max<double>(1, problem_.size());
    const double dofs = std::max<double>(1, kkt_.dofs());
    return norm(r_u_) / rows < paper_residual && norm(r_v_) / dofs < paper_residual &&
           duality_measure() < paper_measure;
  }

  const ScaledProblem& problem_;
  PdipOptions options_;
  ConeProduct cones_;
  NesterovTodd scaling_;
  KktSystem kkt_;
  double start_scale_ = 1; ///< Of the unit, raised by restarts.
  bool follows_ = false;   ///< v is that of z: r_v = 0 from the start.
  Vector root_, inverse_root_;
  Vector u_, r_u_, dz_, b_;                    ///< As long as z.
  Vector v_, r_v_, a_, dv_;                    ///< Velocities beyond the free ones.
  Vector w_, y_, r_w_, dw_, dy_, r_c_, ratio_; ///< One per inequality.
};

class Pdip : public FactorisingSolver<Mehrotra, PdipOptions> {
public:
  Pdip() : FactorisingSolver(description()) {}

private:
  static SolverInfo description() {
    SolverInfo info = convex_info("pdip", "primal-dual interior point on the velocity problem",
                                  "mangoni2015 (Mehrotra 1992)", "1 and a factorisation");
    info.friction = {Section::interval, Section::square, Section::polygon};
    return info;
  }
};

} // namespace

std::unique_ptr<Solver> make_pdip() {
  return std::make_unique<Pdip>();
}

} // namespace talus
