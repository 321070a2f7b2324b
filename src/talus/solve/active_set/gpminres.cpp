#include "talus/solve/active_set/gpminres.h"

#include "talus/core/vector_ops.h"
#include "talus/problem/scaled/tangent_cone.h"

#include <algorithm>
#include <utility>

namespace talus {

/// The iterate z with gradient g, a direction d with N d, and the work vectors of both phases.
struct GpMinres::State {
  State(const ScaledProblem& p, Span iterate)
      : problem(p), z(iterate), free(p, FreeSet::Boundary::slide) {
    for (Vector* v : {&g, &d, &nd, &trial, &g_trial, &move, &residual, &preconditioned, &ns, &as,
                      &p_, &np, &ap, &q})
      v->resize(p.size());
  }

  const ScaledProblem& problem;
  Span z;
  FreeSet free;
  Vector g, d, nd;
  Vector trial, g_trial, move;
  Vector residual, preconditioned, ns, as, p_, np, ap, q;
  double decrease = 0;    ///< q(z) - q(z⁺) of the last search.
  bool full_step = false; ///< It was not shortened.
  Index face_changes = 0;
  long steps = 0;         ///< Searches that found one.
  int linear_updates = 0; ///< Of g, since it was last computed afresh.
};

namespace {

constexpr int refresh_interval = 20;
constexpr int max_halvings = 40;
/// Curvature, relative to the mean diagonal of N, below which a direction counts as flat.
constexpr double flat = 1e-6;

} // namespace

GpMinres::GpMinres() : GpMinres("gpminres", "gradient projection and MINRES on the free set") {
  run_over_ranks();
}

GpMinres::GpMinres(std::string name, std::string summary)
    : SeparableSolver(std::move(name), std::move(summary), "heyn2013, algorithm GPMINRES",
                      "1 to 2") {}

void GpMinres::visit_options(OptionVisitor& visitor) {
  visitor.visit("krylov_steps", krylov_steps_, Range::at_least(1),
                "M_max, MINRES steps per free set");
  visitor.visit("eta1", eta1_, Range::inside(0, 1),
                "η₁, share of the best decrease at which gradient steps end");
  visitor.visit("eta2", eta2_, Range::inside(0, 1),
                "η₂, share of the best decrease at which MINRES ends");
  visitor.visit("armijo", armijo_, Range::inside(0, 0.5), "μ of both line searches");
  SeparableSolver::visit_options(visitor);
}

void GpMinres::prepare_preconditioner(const FreeSet&) {}

void GpMinres::precondition(ConstSpan x, Span y) const {
  copy(x, y);
}

void GpMinres::minimise(ScaledProblem& problem, Span z, Monitor& monitor) {
  State s(problem, z);
  const std::int64_t longest =
      std::max<std::int64_t>(krylov_steps_, problem.number_of(problem.size()));
  problem.velocity(z, s.g);
  s.free.update(z);
  if (!monitor.proceed(z, s.g)) return;
  for (long steps_before = 0; gradient_phase(s, monitor); steps_before = s.steps) {
    double eta = eta2_;
    int steps = krylov_steps_;
    bool face_may_be_right = true;
    while (face_may_be_right) {
      if (!krylov_phase(s, monitor, eta, steps)) return;
      // The projected gradient lies in the face exactly when all active variables are binding.
      combine(-1.0, s.g, 0.0, s.g, s.move);
      project_on_tangent_cone(problem, z, s.move, s.move);
      s.free.restrict_to(s.move, s.trial);
      // A step that had to be shortened was blocked by variables that want to be active.
      face_may_be_right =
          s.full_step && problem.distance(s.move, s.trial) <= 1e-12 * s.problem.norm(s.move);
      const bool face_stayed = s.face_changes == 0;
      eta = face_stayed ? 0.1 * eta : eta2_;
      steps = face_stayed ? static_cast<int>(std::min<std::int64_t>(2 * steps, longest))
                          : krylov_steps_;
    }
    // Nothing has changed, and nothing would.
    if (s.steps == steps_before) return monitor.stall("no step decreases the objective");
  }
}

bool GpMinres::gradient_phase(State& s, Monitor& monitor) const {
  double best = 0;
  while (monitor.count_iteration()) {
    combine(-1.0, s.g, 0.0, s.g, s.d);
    project_on_tangent_cone(s.problem, s.z, s.d, s.d);
    s.problem.product(s.d, s.nd);
    const double length = s.problem.dot(s.d, s.d);
    const double alpha = length / std::max(s.problem.dot(s.d, s.nd), flat * length);
    search(s, alpha, true);
    if (!monitor.measure(s.z, s.g)) return false;
    if (s.face_changes == 0 || s.decrease <= eta1_ * best) return true;
    best = std::max(best, s.decrease);
  }
  monitor.measure_last(s.z, s.g);
  return false;
}

bool GpMinres::krylov_phase(State& s, Monitor& monitor, double eta, int steps) {
  s.free.bend(s.z, s.g);
  if (monitor.must_stop()) return false;
  prepare_preconditioner(s.free);
  fill(s.d, 0.0);
  fill(s.nd, 0.0);
  combine(-1.0, s.g, 0.0, s.g, s.residual);
  s.free.restrict_to(s.residual, s.residual);
  precondition(s.residual, s.preconditioned);
  double best = 0, rho = 0;
  bool within_limits = true;
  for (int j = 0; j < steps; ++j) {
    within_limits = monitor.count_iteration();
    if (!within_limits) break;
    s.problem.product(s.preconditioned, s.ns);
    s.free.restrict_to(s.ns, s.as);
    s.free.add_curvature(s.preconditioned, s.as);
    const double old_rho = std::exchange(rho, s.problem.dot(s.preconditioned, s.as));
    if (!(rho > 0)) break;
    const double beta = j == 0 ? 0.0 : rho / old_rho;
    combine(1.0, s.preconditioned, beta, s.p_, s.p_);
    combine(1.0, s.ns, beta, s.np, s.np);
    combine(1.0, s.as, beta, s.ap, s.ap);
    precondition(s.ap, s.q);
    const double alpha = rho / s.problem.dot(s.ap, s.q);
    const double decrease =
        alpha * (s.problem.dot(s.p_, s.residual) - 0.5 * alpha * s.problem.dot(s.p_, s.ap));
    axpy(alpha, s.p_, s.d);
    axpy(alpha, s.np, s.nd);
    axpy(-alpha, s.ap, s.residual);
    axpy(-alpha, s.q, s.preconditioned);
    if (!(decrease > eta * best)) break;
    best = std::max(best, decrease);
  }
  search(s, 1.0, false);
  if (within_limits) return monitor.measure(s.z, s.g);
  monitor.measure_last(s.z, s.g);
  return false;
}

/// Backtracks along Π(z - α g) or Π(z + α d) to a sufficient decrease
/// q(z⁺) <= q(z) + μ ∇q(z)'(z⁺ - z). The difference of objectives is ½ (g + g⁺)'(z⁺ - z) for a
/// quadratic, free of cancellation. A step that met no bound needs no product.
void GpMinres::search(State& s, double alpha, bool along_gradient) const {
  s.decrease = 0;
  s.full_step = false;
  s.face_changes = 0;
  for (int halvings = 0; halvings < max_halvings; ++halvings, alpha *= 0.5) {
    if (along_gradient)
      s.problem.project_step(s.z, alpha, s.g, s.trial);
    else
      s.problem.project_step(s.z, -alpha, s.d, s.trial);
    combine(1.0, s.trial, -1.0, s.z, s.move);
    combine(1.0, s.move, -alpha, s.d, s.q);
    const bool linear = s.problem.norm(s.q) <= 1e-14 * s.problem.norm(s.move) &&
                        s.linear_updates < refresh_interval;
    if (linear)
      combine(1.0, s.g, alpha, s.nd, s.g_trial);
    else
      s.problem.velocity(s.trial, s.g_trial);
    const double slope = s.problem.dot(s.g, s.move);
    const double change = 0.5 * (slope + s.problem.dot(s.g_trial, s.move));
    if (!(change <= armijo_ * slope) || !(change < 0)) continue;
    s.linear_updates = linear ? s.linear_updates + 1 : 0;
    s.decrease = -change;
    s.full_step = halvings == 0;
    ++s.steps;
    copy(s.trial, s.z);
    std::swap(s.g, s.g_trial);
    s.face_changes = s.free.update(s.z);
    return;
  }
}

std::unique_ptr<Solver> make_gpminres() {
  return std::make_unique<GpMinres>();
}

} // namespace talus
