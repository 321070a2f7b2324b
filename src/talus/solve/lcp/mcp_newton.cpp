#include "talus/solve/lcp/mcp_newton.h"

#include "talus/core/elementary.h"

#include <algorithm>
#include <cmath>

namespace talus {
namespace {

constexpr double sufficient_decrease = 1e-4;
constexpr double shortest_step = 1e-4;
/// Along the path a step this short is not worth its shorter τ: the path is approached first.
constexpr double shortest_predictor = 0.1;
/// (y, τ) is near the path when |H_τ(y)| is at most this multiple of τ.
constexpr double near_path = 1;
constexpr double boldest_reduction = 0.01, most_timid_reduction = 0.9;
constexpr double largest_proximal = 1e-1;

/// max(0, x) smoothed, with its derivatives.
struct Plus {
  double value, slope, smoothing;
};

Plus smooth_plus(double x, double tau) {
  const double root = hypotenuse(x, 2 * tau);
  if (root == 0) return {0, 0.5, 0};
  // For x < 0 the sum cancels; its conjugate does not.
  const double value = x > 0 ? 0.5 * (x + root) : 2 * tau * tau / (root - x);
  return {value, 0.5 * (1 + x / root), 2 * tau / root};
}

} // namespace

McpNewton::McpNewton(const MixedComplementarity& problem, const McpNewtonOptions& options,
                     StopTest stop)
    : problem_(problem), options_(options), stop_(std::move(stop)), direction_(problem.size()) {
  EigenSparse identity(problem.size(), problem.size());
  identity.setIdentity();
  jacobian_ = EigenSparse(problem.A) + 0.0 * identity;
  jacobian_.makeCompressed();
  restart(Eigen::VectorXd::Zero(problem.size()), options.smoothing);
}

void McpNewton::restart(const Eigen::VectorXd& y, double smoothing) {
  y_ = y.cwiseMax(problem_.lower).cwiseMin(problem_.upper);
  const double residual = y_.size() == 0 ? 0 : evaluate(y_, 0).H.cwiseAbs().maxCoeff();
  tau_ = smoothing * residual;
  reduction_ = 0.3;
  proximal_ = options_.proximal;
  recent_.clear();
}

McpNewton::Smoothed McpNewton::evaluate(const Eigen::VectorXd& y, double tau) const {
  Smoothed at;
  at.H = problem_.A * y + problem_.b;
  at.slope.resize(y.size());
  at.smoothing.resize(y.size());
  for (Index i = 0; i < problem_.size(); ++i) {
    const double x = y[i] - at.H[i], lower = problem_.lower[i], upper = problem_.upper[i];
    if (problem_.is_free(i)) {
      at.slope[i] = 1;
      at.smoothing[i] = 0;
      continue;
    }
    double mid;
    if (std::isinf(lower)) {
      const Plus plus = smooth_plus(upper - x, tau);
      mid = upper - plus.value;
      at.slope[i] = plus.slope;
      at.smoothing[i] = -plus.smoothing;
    } else {
      const Plus plus = smooth_plus(x - lower, tau);
      mid = lower + plus.value;
      at.slope[i] = plus.slope;
      at.smoothing[i] = plus.smoothing;
      if (std::isfinite(upper)) {
        const Plus over = smooth_plus(x - upper, tau);
        mid -= over.value;
        at.slope[i] -= over.slope;
        at.smoothing[i] -= over.smoothing;
      }
    }
    at.H[i] = y[i] - mid;
  }
  return at;
}

bool McpNewton::step() {
  const Smoothed here = evaluate(y_, tau_);
  const double residual = here.H.cwiseAbs().maxCoeff();
  if (recent_.empty()) recent_.push_back(residual);
  // Each pass raises the weight a hundred times.
  while (proximal_ <= largest_proximal && !is_met(stop_)) {
    if (residual <= near_path * tau_ && follow_path(here)) return true;
    if (solve_direction(here, 0) && approach_path()) {
      proximal_ = std::max(options_.proximal, 0.01 * proximal_);
      return true;
    }
    proximal_ = std::max(100 * proximal_, 1e-8);
  }
  proximal_ = options_.proximal;
  return false;
}

/// A step with shrinking τ that stays near the path.
bool McpNewton::follow_path(const Smoothed& here) {
  const double tau_change = (reduction_ - 1) * tau_;
  if (!solve_direction(here, tau_change)) return false;
  for (double length = 1; length >= shortest_predictor; length *= 0.5) {
    const Eigen::VectorXd trial = y_ + length * direction_;
    const double tau = tau_ + length * tau_change;
    const double residual = evaluate(trial, tau).H.cwiseAbs().maxCoeff();
    if (!(residual <= near_path * tau)) continue;
    y_ = trial;
    tau_ = tau;
    recent_.assign(1, residual);
    reduction_ = length == 1 ? std::max(boldest_reduction, 0.3 * reduction_)
                             : std::min(most_timid_reduction, std::sqrt(reduction_));
    return true;
  }
  reduction_ = std::min(most_timid_reduction, std::sqrt(reduction_));
  return false;
}

/// A step at constant τ towards the path.
bool McpNewton::approach_path() {
  const double reference = *std::max_element(recent_.begin(), recent_.end());
  for (double length = 1; length >= shortest_step; length *= 0.5) {
    const Eigen::VectorXd trial = y_ + length * direction_;
    const double residual = evaluate(trial, tau_).H.cwiseAbs().maxCoeff();
    if (!(residual <= (1 - sufficient_decrease * length) * reference)) continue;
    y_ = trial;
    recent_.push_back(residual);
    if (static_cast<int>(recent_.size()) > options_.memory) recent_.pop_front();
    return true;
  }
  return false;
}

/// J Δ = -H + ∂mid/∂τ Δτ with J = (I - D) + D (A + ε I), D the slopes.
bool McpNewton::solve_direction(const Smoothed& at, double tau_change) {
  for (Index j = 0; j < problem_.size(); ++j) {
    EigenSparse::InnerIterator entry(jacobian_, j);
    Eigen::SparseMatrix<double>::InnerIterator a(problem_.A, j);
    for (; entry; ++entry) {
      const Index i = static_cast<Index>(entry.row());
      double value = 0;
      if (a && a.row() == i) {
        value = at.slope[i] * a.value();
        ++a;
      }
      if (i == j) value += (1 - at.slope[i]) + at.slope[i] * proximal_;
      entry.valueRef() = value;
    }
  }
  if (is_met(stop_)) return false;
  if (!analysed_) lu_.analyse(jacobian_);
  analysed_ = true;
  if (is_met(stop_)) return false;
  if (!lu_.factorise(jacobian_) || is_met(stop_)) return false;
  direction_ = tau_change * at.smoothing - at.H;
  lu_.solve({direction_.data(), static_cast<std::size_t>(direction_.size())});
  return direction_.allFinite();
}

} // namespace talus
