#include "talus/linalg/anderson.h"

#include "talus/core/vector_ops.h"

#include <Eigen/Cholesky>

#include <algorithm>

namespace talus {
namespace {

/// An extrapolated iterate is undone when its residual exceeds the last one by this factor.
constexpr double allowed_growth = 2.0;
/// Tikhonov weight of the least squares problem, relative to its largest diagonal entry.
constexpr double regularisation = 1e-10;

} // namespace

Anderson::Anderson(Index size, int memory)
    : memory_(memory), delta_f_(memory, Vector(size)), delta_g_(memory, Vector(size)), f_(size),
      last_f_(size), last_g_(size), gram_(static_cast<std::size_t>(memory) * memory),
      system_(gram_.size()), theta_(memory) {}

void Anderson::restart() {
  count_ = 0;
  newest_ = -1;
  has_last_ = false;
}

bool Anderson::advance(ConstSpan x, ConstSpan gx, Span next) {
  combine(1.0, gx, -1.0, x, f_);
  const double residual = norm(f_);
  if (has_last_ && count_ > 0 && !(residual <= allowed_growth * last_residual_)) {
    copy(last_g_, next);
    restart();
    return false;
  }
  if (has_last_) remember(gx);
  copy(f_, last_f_);
  copy(gx, last_g_);
  last_residual_ = residual;
  has_last_ = true;
  copy(gx, next);
  solve_least_squares();
  for (int i = 0; i < count_; ++i) axpy(-theta_[i], delta_g_[i], next);
  return true;
}

void Anderson::remember(ConstSpan gx) {
  newest_ = (newest_ + 1) % memory_;
  count_ = std::min(count_ + 1, memory_);
  combine(1.0, f_, -1.0, last_f_, delta_f_[newest_]);
  combine(1.0, gx, -1.0, last_g_, delta_g_[newest_]);
  for (int i = 0; i < count_; ++i)
    gram_[newest_ * memory_ + i] = gram_[i * memory_ + newest_] =
        dot(delta_f_[newest_], delta_f_[i]);
}

void Anderson::solve_least_squares() {
  if (count_ == 0) return;
  double largest = 0;
  for (int i = 0; i < count_; ++i) largest = std::max(largest, gram_[i * memory_ + i]);
  Eigen::Map<Eigen::MatrixXd> gram(system_.data(), count_, count_);
  Eigen::Map<Eigen::VectorXd> theta(theta_.data(), count_);
  for (int i = 0; i < count_; ++i) {
    for (int j = 0; j < count_; ++j) gram(i, j) = gram_[i * memory_ + j];
    gram(i, i) += regularisation * largest;
    theta(i) = dot(delta_f_[i], f_);
  }
  Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>> factor(gram); // in place
  if (factor.info() == Eigen::Success) factor.solveInPlace(theta);
  if (factor.info() != Eigen::Success || !theta.allFinite()) theta.setZero();
}

} // namespace talus
