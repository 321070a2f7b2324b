#include "talus/solve/newton/proximal_newton.h"

#include "talus/core/error.h"
#include "talus/core/vector_ops.h"
#include "talus/solve/newton/newton_functions.h"

#include <algorithm>

namespace talus {

void ProximalNewtonOptions::visit(OptionVisitor& visitor) {
  visitor.visit("weight", weight, Range::above(0),
                "first proximal weight, relative to the mean diagonal of N");
  visitor.visit("shrink", shrink, Range::share(),
                "factor of the weight after an easy proximal step");
  visitor.visit("leap", leap, Range::share(),
                "factor of the weight after a proximal step of one Newton step");
  visitor.visit("grow", grow, Range::above(1), "factor of the weight after a hard proximal step");
  visitor.visit("reduction", reduction, Range::inside(0, 1),
                "share of |F| at which a proximal step ends");
  visitor.visit("easy_steps", easy_steps, Range::at_least(0),
                "at most so many Newton steps make a step easy");
  visitor.visit("hard_steps", hard_steps, Range::at_least(1),
                "at least so many Newton steps make a step hard");
  visitor.visit("most_steps", most_steps, Range::at_least(1),
                "Newton steps after which the centre moves anyway");
  visitor.visit("function", function, {"natural", "alart_curnier"},
                "the function whose zero is sought; alart_curnier is Coulomb's law only");
  visitor.visit("space", space, {"automatic", "dense", "contact", "body"},
                "where the linear systems are solved");
  visitor.visit("dense_limit", dense_limit, Range::at_least(0),
                "most active rows that are factorised densely");
}

namespace {

bool use_alart_curnier(const ScaledProblem& problem, int function) {
  if (function == 0) return false;
  if (const auto refusal = alart_curnier_refusal(problem); !refusal.empty())
    throw InvalidArgument(std::string(refusal));
  return true;
}

} // namespace

std::string ProximalNewton::refusal(const ScaledProblem& problem,
                                    const ProximalNewtonOptions& options) {
  if (options.function != 0)
    if (const auto why = alart_curnier_refusal(problem); !why.empty())
      return "this problem with function = alart_curnier: " + std::string(why);
  return NewtonSystem::refusal(problem, static_cast<NewtonSpace>(options.space), options.engine());
}

ProximalNewton::ProximalNewton(const ScaledProblem& problem, const ProximalNewtonOptions& options,
                               StopTest stop)
    : problem_(problem), options_(options),
      system_(problem, static_cast<NewtonSpace>(options.space), options.dense_limit,
              std::move(stop), options.engine()),
      alart_curnier_(use_alart_curnier(problem, options.function)),
      weight_(std::clamp(options.weight, smallest_weight, largest_weight)),
      c_(block_diagonal_size(problem)), k_(c_.size()) {
  for (Vector* work : {&centre_, &f_, &dz_, &n_dz_, &trial_, &trial_u_, &trial_f_})
    work->resize(problem.size());
}

double ProximalNewton::evaluate(const Proximal& proximal, ConstSpan z, ConstSpan u, Span f) const {
  return alart_curnier_ ? alart_curnier(problem_, proximal, z, u, f)
                        : natural_map(problem_, proximal, z, u, f);
}

void ProximalNewton::differentiate(const Proximal& proximal, ConstSpan z, ConstSpan u) {
  if (alart_curnier_)
    alart_curnier_derivative(problem_, proximal, true, z, u, c_, k_);
  else
    natural_map_derivative(problem_, proximal, z, u, c_, k_);
}

ProximalNewton::Outcome ProximalNewton::step(Span z, Span u, Monitor& monitor) {
  copy(z, centre_);
  const Proximal proximal{weight_, centre_};
  double size = evaluate(proximal, z, u, f_);
  const double goal = options_.reduction * size;
  int steps = 0;
  bool able = true;
  while (size > goal && steps < options_.most_steps) {
    able = newton_step(proximal, z, u, size);
    if (!able) break;
    ++steps;
    if (!monitor.proceed(z, u)) return Outcome::stopped;
  }
  adapt_weight(steps, size <= goal);
  if (able) {
    // The velocity was updated along the steps: rounding gathers.
    problem_.velocity(z, u);
    // Where nothing is left to reduce but rounding, no step was counted; the monitor must see that.
    return steps > 0 || monitor.proceed(z, u) ? Outcome::moved : Outcome::stopped;
  }
  copy(centre_, z);
  problem_.velocity(z, u);
  return monitor.count_iteration() ? Outcome::failed : Outcome::stopped;
}

/// z += t dz with Armijo's rule on |F|; |F| is linear along the step but for the kinks, and N z
/// always is, so that a trial costs no product.
bool ProximalNewton::newton_step(const Proximal& proximal, Span z, Span u, double& size) {
  differentiate(proximal, z, u);
  scale(-1.0, f_);
  if (!system_.solve({c_, k_}, f_, dz_)) return false;
  problem_.product(dz_, n_dz_);
  for (double t = 1; t >= shortest_step; t *= 0.5) {
    combine(1.0, z, t, dz_, trial_);
    combine(1.0, u, t, n_dz_, trial_u_);
    const double trial_size = evaluate(proximal, trial_, trial_u_, trial_f_);
    if (!(trial_size <= (1 - sufficient_decrease * t) * size)) continue;
    copy(trial_, z);
    copy(trial_u_, u);
    std::swap(f_, trial_f_);
    size = trial_size;
    return true;
  }
  return false;
}

void ProximalNewton::adapt_weight(int steps, bool reduced) {
  if (!reduced || steps >= options_.hard_steps)
    weight_ *= options_.grow;
  else if (steps <= options_.easy_steps)
    weight_ *= steps <= 1 ? options_.leap : options_.shrink;
  weight_ = std::clamp(weight_, smallest_weight, largest_weight);
}

} // namespace talus
