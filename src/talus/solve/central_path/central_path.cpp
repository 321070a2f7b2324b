#include "talus/solve/central_path/central_path.h"

#include "talus/core/elementary.h"
#include "talus/core/vector_ops.h"
#include "talus/problem/scaled/natural_map.h"
#include "talus/solve/newton/newton_blocks.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace talus {

void CentralPathOptions::visit(OptionVisitor& visitor) {
  visitor.visit("depth", depth, Range::above(0),
                "start inside the cones, in units of the mean free impulse per contact");
  visitor.visit("boundary_share", boundary_share, Range::inside(0, 1),
                "share of the way to the boundary of a step");
  visitor.visit("regularisation", regularisation, Range::at_least(0),
                "added to the scaling, relative to the mean diagonal of N");
}

CentralPath::CentralPath(const ScaledProblem& problem, const CentralPathOptions& options,
                         StopTest stop)
    : problem_(problem), options_(options),
      system_(problem, NewtonSpace::automatic, NewtonSystem::default_dense_limit, std::move(stop)),
      cones_(path_cones(problem)), degree_(number_of_cones(cones_)), scaling_(cones_.size()),
      c_(block_diagonal_size(problem)), k_(c_.size()) {
  for (Vector* work : {&x_, &y_, &lambda_, &dx_, &dy_, &tilted_, &complementarity_, &rhs_, &dz_})
    work->assign(problem.size(), 0.0);
}

void CentralPath::tilted_velocity(ConstSpan u) {
  copy(u, tilted_);
  if (!problem_.is_tilted()) return;
  for (Index c = 0; c < problem_.contacts(); ++c)
    tilted_[cones_[c].row] += tilt(problem_.contact_set(c), &u[cones_[c].row]);
}

void CentralPath::start(Span z, Span u) {
  const double depth = options_.depth * problem_.reference() / std::sqrt(std::max(1.0, degree_));
  const auto push_inside = [depth](double* x, int size) {
    double length = 0;
    for (int i = 1; i < size; ++i) length += x[i] * x[i];
    x[0] = std::max(x[0], std::sqrt(length) + depth);
  };
  problem_.velocity(z, u);
  tilted_velocity(u);
  for (const PathCone& cone : cones_) {
    for (int i = 0; i < cone.size; ++i) {
      x_[cone.row + i] = cone.stretch(i) * (z[cone.row + i] - cone.offset);
      y_[cone.row + i] = tilted_[cone.row + i] / cone.stretch(i);
    }
    if (cone.size == 0) continue;
    push_inside(&x_[cone.row], cone.size);
    push_inside(&y_[cone.row], cone.size);
    for (int i = 0; i < cone.size; ++i)
      z[cone.row + i] = cone.offset + x_[cone.row + i] / cone.stretch(i);
  }
  const int d = problem_.dimension();
  for (Index c = 0; c < problem_.contacts(); ++c)
    for (int i = cones_[c].size; i < d; ++i) z[d * c + i] = 0;
  problem_.velocity(z, u);
  short_steps_ = 0;
}

/// W, λ = W x, and the matrices of (H + T N) dz = rhs in z, T the derivative of the tilt.
void CentralPath::scale_cones(ConstSpan u) {
  fill(c_, 0.0);
  fill(k_, 0.0);
  const BlockLayoutOfRows layout(problem_);
  for (Index block = 0; block < static_cast<Index>(cones_.size()); ++block) {
    const PathCone& cone = cones_[block];
    const int n = layout.size(block), m = cone.size;
    const std::size_t entry = layout.entry(block);
    double h[9] = {}, gradient[2] = {};
    if (m > 0) {
      scaling_[block] = lorentz::nesterov_todd(&x_[cone.row], &y_[cone.row], m);
      scaling_[block].apply(&x_[cone.row], &lambda_[cone.row]);
      scaling_[block].square(h);
    }
    if (m > 1 && problem_.is_tilted())
      tilt_gradient(problem_.contact_set(block), &u[cone.row], gradient);
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < m; ++j) {
        c_[entry + n * i + j] = cone.stretch(i) * h[m * i + j] * cone.stretch(j);
        k_[entry + n * i + j] = (i == j ? 1.0 : 0.0) + (i == 0 && j > 0 ? gradient[j - 1] : 0.0);
      }
    for (int i = 0; i < n; ++i)
      c_[entry + (n + 1) * i] += i < m || block >= layout.contacts ? options_.regularisation : 1.0;
    if (m == 0) k_[entry] = 1;
  }
}

/// dz, dx, dy with dy + H dx = complementarity and y + dy the velocity at z + dz, to first order.
bool CentralPath::direction(ConstSpan complementarity, bool again) {
  fill(rhs_, 0.0);
  for (const PathCone& cone : cones_) {
    if (cone.size == 0) rhs_[cone.row] = -tilted_[cone.row];
    for (int i = 0; i < cone.size; ++i) {
      const Index at = cone.row + i;
      rhs_[at] = cone.stretch(i) * (complementarity[at] + y_[at]) - tilted_[at];
    }
  }
  if (!(again ? system_.solve_again({c_, k_}, rhs_, dz_) : system_.solve({c_, k_}, rhs_, dz_)))
    return false;
  for (std::size_t block = 0; block < cones_.size(); ++block) {
    const PathCone& cone = cones_[block];
    const int m = cone.size;
    double once[3], h_dx[3];
    for (int i = 0; i < m; ++i) dx_[cone.row + i] = cone.stretch(i) * dz_[cone.row + i];
    if (m == 0) continue;
    scaling_[block].apply(&dx_[cone.row], once);
    scaling_[block].apply(once, h_dx);
    for (int i = 0; i < m; ++i) dy_[cone.row + i] = complementarity[cone.row + i] - h_dx[i];
  }
  return true;
}

/// W (λ ∖ (σμ e - λ∘λ - (W dx)∘(W⁻¹ dy))) with the predictor's dx, dy.
void CentralPath::correct(double centring) {
  for (std::size_t block = 0; block < cones_.size(); ++block) {
    const PathCone& cone = cones_[block];
    const int m = cone.size;
    if (m == 0) continue;
    const double* lambda = &lambda_[cone.row];
    double wdx[3], wdy[3], square[3], second[3], right[3], quotient[3];
    scaling_[block].apply(&dx_[cone.row], wdx);
    scaling_[block].apply_inverse(&dy_[cone.row], wdy);
    lorentz::multiply(lambda, lambda, m, square);
    lorentz::multiply(wdx, wdy, m, second);
    for (int i = 0; i < m; ++i) right[i] = (i == 0 ? centring : 0.0) - square[i] - second[i];
    lorentz::divide(lambda, right, m, quotient);
    scaling_[block].apply(quotient, &complementarity_[cone.row]);
  }
}

double CentralPath::largest_step() const {
  double step = std::numeric_limits<double>::infinity();
  for (const PathCone& cone : cones_) {
    if (cone.size == 0) continue;
    step = std::min(step, lorentz::largest_step(&x_[cone.row], &dx_[cone.row], cone.size));
    step = std::min(step, lorentz::largest_step(&y_[cone.row], &dy_[cone.row], cone.size));
  }
  return step;
}

PathOutcome CentralPath::step(Span z, Span u, Monitor& monitor) {
  constexpr double blocked_step = 1e-3, least_centring = 1e-6, stuck_step = 0.1;
  tilted_velocity(u);
  scale_cones(u);
  const double gap = dot(x_, y_);
  for (Index i = 0; i < problem_.size(); ++i) complementarity_[i] = -y_[i];
  if (!direction(complementarity_, false)) return PathOutcome::blocked;
  const double affine = std::min(1.0, largest_step());
  const double reached =
      gap + affine * (dot(x_, dy_) + dot(dx_, y_)) + affine * affine * dot(dx_, dy_);
  // Mehrotra's rule; a predictor that is stopped at once asks for centring first.
  const double least = affine < stuck_step ? 0.5 : least_centring;
  const double sigma =
      gap > 0 ? std::clamp(power(std::max(0.0, reached / gap), 3), least, 1.0) : 0.0;
  correct(sigma * gap / std::max(1.0, degree_));
  if (!direction(complementarity_, true)) return PathOutcome::blocked;
  const double step = std::min(1.0, options_.boundary_share * largest_step());
  axpy(step, dx_, x_);
  axpy(step, dy_, y_);
  for (const PathCone& cone : cones_) {
    if (cone.size == 0) z[cone.row] += step * dz_[cone.row];
    for (int i = 0; i < cone.size; ++i)
      z[cone.row + i] = cone.offset + x_[cone.row + i] / cone.stretch(i);
  }
  problem_.velocity(z, u);
  short_steps_ = step < blocked_step ? short_steps_ + 1 : 0;
  if (!monitor.proceed(z, u)) return PathOutcome::stopped;
  return short_steps_ > 1 ? PathOutcome::blocked : PathOutcome::moved;
}

} // namespace talus
