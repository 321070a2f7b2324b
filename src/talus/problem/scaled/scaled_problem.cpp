#include "talus/problem/scaled/scaled_problem.h"

#include "talus/contact/cone_batch.h"
#include "talus/contact/projection_kernels.h"
#include "talus/core/elementary.h"
#include "talus/core/large_problem.h"
#include "talus/core/parallel.h"
#include "talus/core/vector_ops.h"
#include "talus/problem/scaled/contact_blocks.h"
#include "talus/problem/scaled/contact_sum.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace talus {
namespace {

/// Of q̄, of q̂ and of P(-q̂).
struct FreeSquares {
  double physical = 0, scaled = 0, residual = 0;
  FreeSquares& operator+=(const FreeSquares& other) {
    physical += other.physical;
    scaled += other.scaled;
    residual += other.residual;
    return *this;
  }
};

} // namespace

void ScaledProblem::assign(const ContactProblem& problem, const DelassusOperator& n) {
  problem_ = &problem;
  n_ = &n;
  products_ = factorisations_ = 0;
  frozen_.clear();
  tilt_is_frozen_ = false;
  release_bounds();
  scale_.resize(n.blocks());
  for (Index block = 0; block < n.blocks(); ++block) scale_[block] = std::sqrt(n.rho()[block]);
  bound_.clear();
  if (has_fixed_bound(problem.friction.kind)) {
    bound_.resize(contacts());
    for (Index c = 0; c < contacts(); ++c)
      bound_[c] = problem.mu[c] * std::max(0.0, problem.normal_estimate[c]) / scale_[c];
  }
  rolling_ = problem.rolling;
  spinning_ = problem.spinning;
  for (std::size_t c = 0; c < rolling_.size(); ++c) rolling_[c] /= n.lengths()[c];
  for (std::size_t c = 0; c < spinning_.size(); ++c) spinning_[c] /= n.lengths()[c];
  row_lower_ = problem.row_lower;
  row_upper_ = problem.row_upper;
  for (std::size_t j = 0; j < row_lower_.size(); ++j) {
    row_lower_[j] /= scale_[contacts() + j];
    row_upper_[j] /= scale_[contacts() + j];
  }
  scale_free_velocity();
  if (is_large(contacts())) q_ = Vector(); // sweeps do without it
}

void ScaledProblem::scale_free_velocity() {
  q_.resize(size());
  n_->fill_free_velocity(q_);
  const auto scale_entry = [&](Index i, double s, FreeSquares& sums) {
    sums.physical += q_[i] * q_[i];
    q_[i] *= s;
    sums.scaled += q_[i] * q_[i];
  };
  FreeSquares squares = sum_over_contacts<FreeSquares>(
      *this,
      [&](Index begin, Index end) {
        FreeSquares partial;
        with_dimension(dimension(), [&](auto d) {
          for (Index c = begin; c < end; ++c)
            for (int i = 0; i < d; ++i) scale_entry(d * c + i, scale_[c], partial);
        });
        partial.residual = squared_residual(begin, end, {}, q_, false);
        return partial;
      },
      contact_chunk);
  for (Index j = 0; j < equalities(); ++j)
    scale_entry(dimension() * contacts() + j, scale_[contacts() + j], squares);
  free_velocity_norm_ = std::sqrt(squares.physical);
  rounding_ = 64 * std::numeric_limits<double>::epsilon() * std::sqrt(squares.scaled);
  reference_ = std::sqrt(squares.residual + squared_row_residual({}, q_));
  if (reference_ <= rounding_) reference_ = 0;
}

void ScaledProblem::make_free_velocity() const {
  q_.resize(size());
  n_->fill_free_velocity(q_);
  for_each_entry([&](Index i, double s) { q_[i] *= s; });
}

template <class Body>
void ScaledProblem::for_each_entry(Body&& body) const {
  parallel_for(contacts(), [&](Index begin, Index end) {
    with_dimension(dimension(), [&](auto d) {
      for (Index c = begin; c < end; ++c)
        for (int i = 0; i < d; ++i) body(d * c + i, scale_[c]);
    });
  });
  for (Index j = 0; j < equalities(); ++j)
    body(dimension() * contacts() + j, scale_[contacts() + j]);
}

std::int64_t ScaledProblem::number_of(Index entry) const {
  const Division* parts = division();
  if (!parts) return entry;
  const std::int64_t d = dimension(), own = d * contacts();
  return entry < own ? d * parts->first_contact + entry : d * parts->all_contacts + entry - own;
}

void ScaledProblem::freeze_tilt(ConstSpan tilt) {
  const int d = dimension();
  if (frozen_.empty()) {
    const ConstSpan q = free_velocity();
    plain_normal_.resize(contacts());
    for (Index c = 0; c < contacts(); ++c) plain_normal_[c] = q[d * c];
  }
  frozen_.assign(tilt.begin(), tilt.end());
  tilt_is_frozen_ = true;
  for (Index c = 0; c < contacts(); ++c) q_[d * c] = plain_normal_[c] + frozen_[c];
}

void ScaledProblem::release_tilt() {
  tilt_is_frozen_ = false;
  if (frozen_.empty()) return;
  frozen_.clear();
  const int d = dimension();
  for (Index c = 0; c < contacts(); ++c) q_[d * c] = plain_normal_[c];
}

void ScaledProblem::freeze_bounds(ConstSpan bound) {
  assert(is_cone_shaped(problem_->friction.kind));
  frozen_bound_.assign(bound.begin(), bound.end());
  bounds_are_frozen_ = true;
}

void ScaledProblem::product(ConstSpan z, Span y) const {
  n_->apply(z, y, scale_);
  ++products_;
}

void ScaledProblem::velocity(ConstSpan z, Span u) const {
  product(z, u);
  axpy(1.0, free_velocity(), u);
}

void ScaledProblem::project_contacts(Index first, Index count, double* x) const {
  project_contacts(first, count, !frozen_bound_.empty(), x);
}

void ScaledProblem::project_contacts(Index first, Index count, bool frozen_bounds,
                                     double* x) const {
  const int d = dimension();
  const FrictionKind kind =
      frozen_bounds ? with_fixed_bound(problem_->friction.kind) : problem_->friction.kind;
  const double* bound = (frozen_bounds ? frozen_bound_ : bound_).data() + first;
  if (is_round_cone(kind, d)) return project_on_cones(&problem_->mu[first], count, x);
  if (kind == FrictionKind::rolling && d > 3)
    return project_on_rolling_cones(
        RollingRadii{&problem_->mu[first], &rolling_[first], spinning_.data() + first}, d, count,
        x);
  if (d == 3 && kind == FrictionKind::cylinder) {
    for (Index c = 0; c < count; ++c) project_on_cylinder<3>(bound[c], x + 3 * c, x + 3 * c);
    return;
  }
  if (d == 3 && kind == FrictionKind::none) {
    for (Index c = 0; c < count; ++c) project_on_ray<3>(x + 3 * c, x + 3 * c);
    return;
  }
  for (Index c = 0; c < count; ++c)
    talus::project(frozen_bounds ? contact_set(first + c) : own_set(first + c), x + d * c,
                   x + d * c);
}

void ScaledProblem::project(ConstSpan x, Span y) const {
  project_step(x, 0.0, x, y);
}

void ScaledProblem::project_step(ConstSpan x, double step, ConstSpan g, Span y) const {
  const int d = dimension();
  parallel_for(
      contacts(),
      [&](Index begin, Index end) {
        for_each_block_of_contacts(begin, end, [&](Index first, Index count) {
          const double *xb = &x[d * first], *gb = &g[d * first];
          double* yb = &y[d * first];
          for (Index i = 0; i < d * count; ++i) yb[i] = xb[i] - step * gb[i];
          project_contacts(first, count, yb);
        });
      },
      contact_chunk);
  for (Index j = 0; j < equalities(); ++j) {
    const Index i = d * contacts() + j;
    y[i] = project_row(j, x[i] - step * g[i]);
  }
}

void ScaledProblem::tilts(ConstSpan u, Span result) const {
  const int d = dimension();
  parallel_for(
      contacts(),
      [&](Index begin, Index end) {
        for (Index c = begin; c < end; ++c) result[c] = tilt(own_set(c), &u[d * c]);
      },
      contact_chunk);
}

void ScaledProblem::subtract_tilts(Index first, Index count, const double* u, double* x) const {
  const int d = dimension();
  if (is_round_cone(problem_->friction.kind, d) && frozen_.empty())
    return subtract_cone_tilts(&problem_->mu[first], u, count, x);
  if (problem_->friction.kind == FrictionKind::rolling && d > 3 && frozen_.empty())
    return subtract_rolling_tilts(
        RollingRadii{&problem_->mu[first], &rolling_[first], spinning_.data() + first}, d, u, count,
        x);
  for (Index c = 0; c < count; ++c)
    x[d * c] -= tilt(own_set(first + c), u + d * c) - frozen_tilt(first + c);
}

void ScaledProblem::from_operator(ConstSpan x, Span z) const {
  for_each_entry([&](Index i, double s) { z[i] = x[i] / s; });
}

void ScaledProblem::to_operator(ConstSpan z, Span x) const {
  for_each_entry([&](Index i, double s) { x[i] = z[i] * s; });
}

void ScaledProblem::to_scaled(ConstSpan x, Span z) const {
  from_operator(x, z);
  n_->measure_moments(z);
}

void ScaledProblem::to_physical(ConstSpan z, Span x) const {
  to_operator(z, x);
  n_->restore_moments(x);
}

void ScaledProblem::to_scaled_velocity(Span u) const {
  for_each_entry([&](Index i, double s) { u[i] *= s; });
  n_->measure_rotations(u);
}

double ScaledProblem::largest_eigenvalue(int iterations) const {
  Vector x(size()), y(size());
  // A fixed start without symmetry, so that it is not orthogonal to the leading eigenvector in
  // regular structures.
  for (Index i = 0; i < size(); ++i)
    x[i] = 1 + 0.5 * sine(1.0 + 12.9898 * static_cast<double>(number_of(i)));
  return largest_eigenvalue(iterations, x, y);
}

double ScaledProblem::largest_eigenvalue(int iterations, Span x, Span y) const {
  double lambda = 0;
  for (int k = 0; k < iterations; ++k) {
    const double length = norm(x);
    if (!(length > 0)) return 0;
    talus::scale(1 / length, x);
    product(x, y);
    lambda = norm(y);
    std::swap(x, y);
  }
  return lambda;
}

} // namespace talus
