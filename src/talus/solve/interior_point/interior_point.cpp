#include "talus/solve/interior_point/interior_point.h"

#include "talus/contact/projection_kernels.h"
#include "talus/core/elementary.h"
#include "talus/core/error.h"
#include "talus/core/vector_ops.h"
#include "talus/problem/scaled/contact_sum.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace talus {
namespace {

constexpr double shortest_step = 1e-6;    ///< An iteration that moves less is stuck.
constexpr double useless_residual = 1e-2; ///< Relative, of a linear system: not a direction.
constexpr double warm_growth = 10, cold_growth = 100; ///< Of the depth of a restart.
constexpr int warm_starts = 3, cold_starts = 3;
constexpr int most_idle = 10; ///< Iterations without progress before rounding has won.
constexpr double clear_progress = 0.9;
constexpr double hopeless_error = 1e-3; ///< Idling above it is no matter of rounding.
/// Velocity over which Coulomb's tilt is smoothed, in units of the velocities that the duality
/// measure leaves at sticking contacts. Much less and the slope jumps there, much more and the tilt
/// is biased.
constexpr double tilt_smoothing = 1e-3;
/// Systems of Coulomb's law: products and relative residual of GMRES.
constexpr int most_krylov = 60;
constexpr double krylov_tolerance = 1e-7;

} // namespace

void InteriorPointOptions::visit(OptionVisitor& visitor) {
  visitor.visit("model", model, {"dual", "primal"},
                "variables: impulses (dual), or velocities as well (primal)");
  visitor.visit("form", form, {"automatic", "augmented", "schur", "contact"},
                "where the linear systems are factorised");
  visitor.visit("start_height", start_height, Range::above(0),
                "normal impulses of a cold start, in units of those that stop the approach");
  visitor.visit("warm_depth", warm_depth, Range::above(0),
                "how far inside a warm start begins: its duality measure, in units of its error");
  visitor.visit("step_share", step_share, Range::inside(0, 1), "share of the way to the boundary");
}

InteriorPoint::InteriorPoint(const ScaledProblem& problem, const InteriorPointOptions& options,
                             SymmetricFactor& factor, StopTest stop)
    : problem_(problem), options_(options), cones_(problem), scaling_(cones_),
      kkt_(problem, cones_.active(), static_cast<KktForm>(options.form), factor, std::move(stop),
           options.engine()),
      root_(cones_.layout().entry(cones_.layout().blocks)), inverse_root_(root_.size()) {
  if (is_primal() && kkt_.form() == KktForm::contact)
    throw InvalidArgument("the primal model needs velocities: a problem that is not local, with a "
                          "symmetric mass matrix, and a form other than contact");
  if (is_primal() && options.tilted)
    throw InvalidArgument("Coulomb's law is solved directly in the dual model only");
  for (Vector* work : {&u_, &dz_, &r_u_, &b_, &slope_, &tilted_, &product_})
    work->resize(problem.size());
  if (is_primal())
    for (Vector* work : {&v_, &dv_, &r_v_, &minus_r_v_}) work->resize(kkt_.dofs());
  for (Vector* work : {&t_, &dw_, &dy_, &y_}) work->resize(cones_.size());
}

std::string InteriorPoint::refusal(const ScaledProblem& problem,
                                   const InteriorPointOptions& options) {
  const auto form = static_cast<KktForm>(options.form);
  if (problem.division() && (options.is_primal() || options.tilted))
    return "problems divided over ranks but with impulses alone and by the fixed point";
  if (problem.division() || options.engine() != LinearEngine::own)
    return KktSystem::refusal(problem, form, options.engine());
  if (!options.is_primal()) return KktSystem::refusal(problem, form);
  if (options.tilted) return "Coulomb's law itself with model = primal";
  if (form == KktForm::contact) return "anything with model = primal and form = contact";
  // Whatever is chosen automatically, velocities are needed.
  const KktForm needed = form == KktForm::automatic ? KktForm::schur : form;
  if (KktSystem::refusal(problem, needed).empty()) return "";
  return "problems without a symmetric velocity space (local models, unsymmetric mass matrices) "
         "with model = primal";
}

double InteriorPoint::mean_approach() const {
  return problem_.reference() / std::sqrt(std::max<std::int64_t>(1, all_contacts(problem_)));
}

/// All impulses of one height, far inside: the velocities they cause are nearly feasible, which
/// saves the iterations that an arbitrary start spends on becoming so.
void InteriorPoint::start_cold(double height, Span z) {
  const double depth = height * mean_approach();
  cones_.centre(depth, z);
  problem_.velocity(z, u_);
  fill(v_, 0.0);
  // In the primal model momentum is not yet balanced: contacts see the free velocities.
  cones_.constraint(z, t_);
  smoothing_ = tilt_smoothing * depth;
  tilt_velocities();
  cones_.multiplier(is_primal() ? problem_.free_velocity() : ConstSpan(tilted_), depth, y_);
  scaling_.start(t_, y_);
}

/// The given impulses and their velocities, moved inside by as much as they are wrong.
void InteriorPoint::start_warm(double share, Span z) {
  problem_.velocity(z, u_);
  Vector projected(problem_.size());
  smoothing_ = 0;
  tilt_velocities();
  problem_.project_step(z, 1.0, tilted_, projected);
  const double error = problem_.distance(projected, z) /
                       std::sqrt(std::max<std::int64_t>(1, all_contacts(problem_)));
  // Impulses and velocities that are wrong by `error` leave a gap of about error times their size;
  // a smaller measure would have to rise first.
  const double mean = mean_approach();
  const double measure = std::min(share * error, options_.start_height * mean) * mean;
  cones_.start_near(measure, tilted_, z, t_, y_);
  scaling_.start(t_, y_);
  problem_.velocity(z, u_);
  fill(v_, 0.0);
}

/// r_u = D̃ᵀ v + E z + q − Aᵀ y and r_v = M̃ v − D̃ z, which is 0 where v follows from z.
void InteriorPoint::compute_residuals(ConstSpan z) {
  if (is_primal()) {
    kkt_.apply_mass(v_, z, r_v_);
    combine(-1.0, r_v_, 0.0, r_v_, minus_r_v_);
    kkt_.apply_rows(v_, z, r_u_);
    axpy(1.0, problem_.free_velocity(), r_u_);
  } else {
    smoothing_ = tilt_smoothing * scaling_.duality_measure() / mean_approach();
    tilt_velocities();
    copy(tilted_, r_u_);
  }
  scaling_.dual(y_);
  cones_.transpose(y_, b_);
  axpy(-1.0, b_, r_u_);
  cones_.mask(r_u_);
}

void InteriorPoint::tilt_velocities() {
  copy(u_, tilted_);
  if (!options_.tilted) return;
  const int d = problem_.dimension();
  fill(slope_, 0.0);
  for (Index c = 0; c < problem_.contacts(); ++c) {
    const ContactSet set = problem_.contact_set(c);
    const double* u = &u_[d * c];
    double* slope = &slope_[d * c];
    if (d == 3 && set.set.kind == FrictionKind::cone) {
      const double length = hypotenuse(planar_length(u[1], u[2]), smoothing_);
      tilted_[d * c] += set.mu * length;
      for (int i = 1; i < 3 && length > 0; ++i) slope[i] = set.mu * u[i] / length;
    } else {
      tilted_[d * c] += tilt(set, u);
      tilt_gradient(set, u, slope + 1);
    }
  }
}

void InteriorPoint::add_tilt(ConstSpan x, Span y) const {
  const int d = problem_.dimension();
  for (Index c = 0; c < problem_.contacts(); ++c)
    for (int i = 1; i < d; ++i) y[d * c] += slope_[d * c + i] * x[d * c + i];
}

/// A step s that the preconditioner finds for v has (N + H) s = v, so (T N + H) s = v + (T − 1) N
/// s.
bool InteriorPoint::solve_tilted() {
  const auto precondition = [&](ConstSpan v, Span s) {
    return kkt_.solve({}, v, dv_, s) < useless_residual;
  };
  const auto multiply = [&](ConstSpan v, ConstSpan s, Span image) {
    problem_.product(s, product_);
    copy(v, image);
    add_tilt(product_, image);
  };
  return gmres(basis_, b_, most_krylov, krylov_tolerance, precondition, multiply, dz_) <
         useless_residual;
}

/// With dw = A dz and Tᵀ dy + T⁻¹ dw = t:
/// D̃ᵀ dv + (E + H) dz = −r_u + Aᵀ T⁻ᵀ t,  M̃ dv − D̃ dz = −r_v.
bool InteriorPoint::find_direction(ConstSpan t) {
  scaling_.unscale_dual(t, y_);
  cones_.transpose(y_, b_);
  axpy(-1.0, r_u_, b_);
  if (options_.tilted ? !solve_tilted()
                      : !(kkt_.solve(minus_r_v_, b_, dv_, dz_) < useless_residual))
    return false;
  cones_.multiply(dz_, dw_);
  scaling_.scale_primal(dw_, dw_);
  combine(1.0, t, -1.0, dw_, dy_);
  return true;
}

bool InteriorPoint::iterate(Span z) {
  compute_residuals(z);
  scaling_.hessian_root(root_, inverse_root_);
  if (!kkt_.factorise(root_, inverse_root_)) return false;
  // Predictor: straight to the solution of the linearised conditions.
  const double mu = scaling_.duality_measure();
  combine(-1.0, scaling_.lambda(), 0.0, t_, t_);
  if (!find_direction(t_)) return false;
  const double reach = std::min({1.0, scaling_.largest_step(dw_), scaling_.largest_step(dy_)});
  // (λ + α dw̃)·(λ + α dỹ) with dw̃ + dỹ = −λ.
  const double mu_predicted =
      (1 - reach) * mu + reach * reach * cones_.dot(dw_, dy_) / std::max(1.0, cones_.degree());
  const double sigma = mu > 0 ? power(std::clamp(mu_predicted / mu, 0.0, 1.0), 3) : 0.0;
  // Corrector: the second-order term of the predictor, and centring as much as it fell short.
  scaling_.correction(sigma * mu, dw_, dy_, t_);
  axpy(-1.0, scaling_.lambda(), t_);
  if (!find_direction(t_)) return false;
  const double step = std::min(
      1.0, options_.step_share * std::min(scaling_.largest_step(dw_), scaling_.largest_step(dy_)));
  if (!(step > shortest_step)) return false;
  axpy(step, dz_, z);
  if (is_primal()) axpy(step, dv_, v_);
  scaling_.advance(step, dw_, dy_);
  const bool z_is_finite = cones_.are_finite(z), scaling_is = cones_.are_finite(scaling_.lambda());
  return z_is_finite && scaling_is;
}

void InteriorPoint::start(int attempt, ConstSpan given, Span z) {
  const bool warm = !problem_.is_zero(given);
  if (warm && attempt < warm_starts) {
    copy(given, z);
    return start_warm(options_.warm_depth * power(warm_growth, attempt), z);
  }
  const int cold_attempt = warm ? attempt - warm_starts : attempt;
  start_cold(options_.start_height * power(cold_growth, cold_attempt), z);
}

void InteriorPoint::run(Span z, Monitor& monitor) {
  problem_.velocity(z, u_);
  if (!monitor.proceed(z, u_)) return;
  const Vector given(z.begin(), z.end());
  const int most_attempts = (problem_.is_zero(given) ? 0 : warm_starts) + cold_starts;
  int attempt = 0, idle = 0;
  start(attempt, given, z);
  double best = std::numeric_limits<double>::infinity(), least_measure = best;
  while (true) {
    const bool lost = idle >= most_idle && best > hopeless_error;
    if (idle >= most_idle && !lost)
      return monitor.stall("rounding ends the interior-point iteration");
    if (lost || !iterate(z)) {
      if (++attempt == most_attempts) {
        // The next problem of a fixed point would fare no better.
        if (const std::string why = kkt_.engine_failure(); !why.empty())
          return monitor.declare_unsupported(why);
        return monitor.stall("the interior-point iteration is stuck at the boundary of a cone");
      }
      monitor.note("restarted further inside");
      idle = 0;
      least_measure = std::numeric_limits<double>::infinity();
      start(attempt, given, z);
    }
    problem_.velocity(z, u_);
    if (!monitor.proceed(z, u_)) return;
    const double measure = scaling_.duality_measure();
    const bool progress =
        monitor.error() < clear_progress * best || measure < clear_progress * least_measure;
    idle = progress ? 0 : idle + 1;
    best = std::min(best, monitor.error());
    least_measure = std::min(least_measure, measure);
  }
}

} // namespace talus
