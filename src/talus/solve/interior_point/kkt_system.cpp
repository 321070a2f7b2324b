#include "talus/solve/interior_point/kkt_system.h"

#include "talus/core/elementary.h"
#include "talus/core/error.h"
#include "talus/core/vector_ops.h"
#include "talus/solve/interior_point/kkt_spaces.h"
#include "talus/solve/rank_bodies.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace talus {
namespace {

/// δ in units of the mean diagonal of N, which is 1. The smallest leaves M̃ seven digits beside
/// D̃ D̃ᵀ / δ in double precision.
constexpr double smallest_shift = 1e-9, largest_shift = 1e-3, shift_growth = 30;
constexpr double refined_enough = 1e-14;
constexpr int most_refinements = 6;

} // namespace

std::string_view to_string(KktForm form) {
  switch (form) {
  case KktForm::automatic:
    return "automatic";
  case KktForm::augmented:
    return "augmented";
  case KktForm::schur:
    return "schur";
  case KktForm::contact:
    return "contact";
  }
  return "unknown";
}

void subtract_hessian(const BlockLayoutOfRows& layout, const std::vector<signed char>& active,
                      ConstSpan root, ConstSpan dz, Span rb) {
  for (Index block = 0; block < layout.blocks; ++block) {
    const int n = layout.size(block), m = active[block];
    const Index row = layout.row(block);
    const double* r = &root[layout.entry(block)];
    for (int k = 0; k < m; ++k) {
      double image = 0;
      for (int j = 0; j < m; ++j) image += r[n * k + j] * dz[row + j];
      for (int i = 0; i < m; ++i) rb[row + i] -= r[n * k + i] * image;
    }
    for (int i = m; i < n; ++i) rb[row + i] = 0;
  }
}

KktSystem::KktSystem(const ScaledProblem& problem, const std::vector<signed char>& active,
                     KktForm form, SymmetricFactor& factor, StopTest stop, LinearEngine engine)
    : problem_(problem), form_(form), factor_(factor), stop_(std::move(stop)), engine_(engine),
      shift_(smallest_shift) {
  if (is_met(stop_)) return;
  choose_method(problem, active);
  for (Vector* work : {&rb_, &cz_, &trial_z_}) work->resize(problem.size());
  for (Vector* work : {&a_, &dv_, &ra_, &cv_, &trial_v_}) work->resize(method_->dofs());
}

void KktSystem::choose_method(const ScaledProblem& problem,
                              const std::vector<signed char>& active) {
  const KktForm form = form_;
  if (engine_ != LinearEngine::own) {
    form_ = KktForm::schur;
    method_ = make_kkt_rank_space(problem, active, engine_);
    return;
  }
  if (form != KktForm::contact) {
    method_ = make_kkt_velocity_space(problem, active, form != KktForm::augmented, factor_, stop_);
    if (form == KktForm::automatic) form_ = method_ ? KktForm::schur : KktForm::contact;
    if (!method_ && form != KktForm::automatic)
      throw InvalidArgument("the problem has no velocity space for the " +
                            std::string(to_string(form)) +
                            " system: it is a local model, or its mass matrix is not symmetric");
  }
  if (!method_) method_ = make_kkt_contact_space(problem, active, factor_, stop_);
}

KktSystem::~KktSystem() = default;

std::string KktSystem::refusal(const ScaledProblem& problem, KktForm form, LinearEngine engine) {
  if (engine != LinearEngine::own) {
    if (form == KktForm::automatic || form == KktForm::schur)
      return RankBodies::refusal(problem, engine);
    return "anything with linear = " + to_string(engine) + " but with form = schur";
  }
  if (problem.division())
    return "problems divided over ranks by its own factorisations (linear = mumps, gamg or hypre "
           "does)";
  const bool needs_velocities = form == KktForm::augmented || form == KktForm::schur;
  if (!needs_velocities || has_kkt_velocity_space(problem)) return "";
  return "problems without a symmetric velocity space (local models, unsymmetric mass matrices) "
         "with form = " +
         std::string(to_string(form));
}

Index KktSystem::dofs() const {
  return method_ ? method_->dofs() : 0;
}

void KktSystem::apply_rows(ConstSpan v, ConstSpan z, Span y) const {
  method_->apply_rows(v, z, y);
}

void KktSystem::apply_mass(ConstSpan v, ConstSpan z, Span y) const {
  method_->apply_mass(v, z, y);
}

bool KktSystem::factorise(ConstSpan root, ConstSpan inverse_root) {
  root_ = root;
  has_factors_ = false;
  for (shift_ = std::max(smallest_shift, shift_ / shift_growth); shift_ <= largest_shift;
       shift_ *= shift_growth) {
    if (is_met(stop_)) return false;
    ++statistics_.factorisations;
    problem_.count_factorisation();
    if (!method_->factorise(root, inverse_root, shift_)) continue;
    statistics_.regularisation = shift_;
    statistics_.repaired_pivots += factor_.repaired_pivots();
    has_factors_ = true;
    return true;
  }
  return false;
}

std::string KktSystem::engine_failure() const {
  if (has_factors_ || engine_ == LinearEngine::own) return "";
  return to_string(engine_) + " cannot factorise its linear systems";
}

/// Of all ranks, where the a of the rank space is empty.
double KktSystem::joint_norm(ConstSpan a, ConstSpan b) const {
  return hypotenuse(norm(a), problem_.norm(b));
}

double KktSystem::solve(ConstSpan a, ConstSpan b, Span dv, Span dz) {
  if (a.empty())
    fill(a_, 0.0);
  else
    copy(a, a_);
  const double size = joint_norm(a_, b);
  fill(dv_, 0.0);
  fill(dz, 0.0);
  if (size == 0) {
    fill(dv, 0.0);
    return 0;
  }
  copy(a_, ra_);
  copy(b, rb_);
  double residual = size;
  for (int k = 0; k <= most_refinements; ++k) {
    if (is_met(stop_)) return std::numeric_limits<double>::infinity();
    method_->solve(ra_, rb_, cv_, cz_);
    combine(1.0, dv_, 1.0, cv_, trial_v_);
    combine(1.0, dz, 1.0, cz_, trial_z_);
    method_->residual(root_, a_, b, trial_v_, trial_z_, ra_, rb_);
    const double now = joint_norm(ra_, rb_);
    if (!(now < residual) && k > 0) break;
    copy(trial_v_, dv_);
    copy(trial_z_, dz);
    const bool slow = now > 0.5 * residual;
    residual = now;
    statistics_.refinements += k > 0;
    if (residual <= refined_enough * size || (slow && k > 0)) break;
  }
  if (!dv.empty()) copy(dv_, dv);
  const double relative = residual / size;
  return std::isfinite(relative) ? relative : std::numeric_limits<double>::infinity();
}

} // namespace talus
