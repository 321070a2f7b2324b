#include "talus/problem/scaled/scaled_problem.h"

#include "talus/contact/cone_batch.h"
#include "talus/contact/projection_kernels.h"
#include "talus/core/large_problem.h"
#include "talus/core/parallel.h"
#include "talus/core/vector_ops.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <type_traits>

namespace talus {
namespace {

/// Chunk length for loops that project a contact per step.
constexpr Index contact_chunk = 512;

/// body(std::integral_constant<int, dimension>()): loops over the entries of a contact unroll.
template <class Body>
void with_dimension(int dimension, Body&& body) {
  assert(dimension >= 1 && dimension <= 3);
  if (dimension == 3) return body(std::integral_constant<int, 3>());
  if (dimension == 2) return body(std::integral_constant<int, 2>());
  body(std::integral_constant<int, 1>());
}

/// Calls body(first, count) for the blocks of [begin, end). Contacts are treated in blocks whose
/// work vectors stay in the first-level cache: plain loops over entries and one batch of
/// projections, each of which the compiler or cone_batch.h vectorises.
template <class Body>
void for_each_block_of_contacts(Index begin, Index end, Body&& body) {
  constexpr Index block_contacts = ScaledProblem::block_contacts;
  for (Index first = begin; first < end; first += block_contacts)
    body(first, std::min(block_contacts, end - first));
}

/// Sum of (a_i - b_i)² over four running sums, which SIMD lanes can keep.
double squared_distance(const double* a, const double* b, Index n) {
  double sums[4] = {};
  Index i = 0;
  for (; i + 4 <= n; i += 4)
    for (Index k = 0; k < 4; ++k) sums[k] += (a[i + k] - b[i + k]) * (a[i + k] - b[i + k]);
  for (; i < n; ++i) sums[0] += (a[i] - b[i]) * (a[i] - b[i]);
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

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

/// A denominator: 1 instead of 0, so that 0 / 0 counts as no error.
double nonzero(double value) {
  return value > 0 ? value : 1.0;
}

} // namespace

void ScaledProblem::assign(const ContactProblem& problem, const DelassusOperator& n) {
  problem_ = &problem;
  n_ = &n;
  products_ = factorisations_ = 0;
  frozen_.clear();
  frozen_bound_.clear();
  scale_.resize(n.blocks());
  for (Index block = 0; block < n.blocks(); ++block) scale_[block] = std::sqrt(n.rho()[block]);
  bound_.clear();
  if (has_fixed_bound(problem.friction.kind)) {
    bound_.resize(contacts());
    for (Index c = 0; c < contacts(); ++c)
      bound_[c] = problem.mu[c] * std::max(0.0, problem.normal_estimate[c]) / scale_[c];
  }
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
  FreeSquares squares = parallel_sum<FreeSquares>(
      contacts(),
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

void ScaledProblem::freeze_tilt(ConstSpan tilt) {
  const int d = dimension();
  if (frozen_.empty()) {
    const ConstSpan q = free_velocity();
    plain_normal_.resize(contacts());
    for (Index c = 0; c < contacts(); ++c) plain_normal_[c] = q[d * c];
  }
  frozen_.assign(tilt.begin(), tilt.end());
  for (Index c = 0; c < contacts(); ++c) q_[d * c] = plain_normal_[c] + frozen_[c];
}

void ScaledProblem::release_tilt() {
  if (frozen_.empty()) return;
  frozen_.clear();
  const int d = dimension();
  for (Index c = 0; c < contacts(); ++c) q_[d * c] = plain_normal_[c];
}

void ScaledProblem::freeze_bounds(ConstSpan bound) {
  assert(is_cone_shaped(problem_->friction.kind));
  frozen_bound_.assign(bound.begin(), bound.end());
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
  if (d == 3 && kind == FrictionKind::cone) return project_on_cones(&problem_->mu[first], count, x);
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
  if (d == 3 && problem_->friction.kind == FrictionKind::cone && frozen_.empty())
    return subtract_cone_tilts(&problem_->mu[first], u, count, x);
  for (Index c = 0; c < count; ++c)
    x[d * c] -= tilt(own_set(first + c), u + d * c) - frozen_tilt(first + c);
}

double ScaledProblem::squared_residual(Index begin, Index end, ConstSpan z, ConstSpan u,
                                       bool of_subproblem) const {
  static constexpr double zeros[3 * block_contacts] = {};
  const int d = dimension();
  double sum = 0;
  for_each_block_of_contacts(begin, end, [&](Index first, Index count) {
    sum += squared_block_residual(first, count, z.empty() ? zeros : &z[d * first], &u[d * first],
                                  of_subproblem);
  });
  return sum;
}

double ScaledProblem::squared_block_residual(Index first, Index count, const double* z,
                                             const double* u, bool of_subproblem) const {
  const int d = dimension();
  double trial[3 * block_contacts];
  for (Index i = 0; i < d * count; ++i) trial[i] = z[i] - u[i];
  if (is_tilted() && !of_subproblem) subtract_tilts(first, count, u, trial);
  project_contacts(first, count, of_subproblem && !frozen_bound_.empty(), trial);
  return squared_distance(z, trial, d * count);
}

double ScaledProblem::error_of(double squared_residual) const {
  return std::sqrt(squared_residual) / nonzero(reference_);
}

double ScaledProblem::squared_row_residual(ConstSpan z, ConstSpan u) const {
  double sum = 0;
  for (Index j = 0; j < equalities(); ++j) {
    const Index i = dimension() * contacts() + j;
    const double zi = z.empty() ? 0.0 : z[i], f = zi - project_row(j, zi - u[i]);
    sum += f * f;
  }
  return sum;
}

double ScaledProblem::natural_residual(ConstSpan z, ConstSpan u, bool of_subproblem) const {
  const double sum = parallel_sum(
      contacts(),
      [&](Index begin, Index end) { return squared_residual(begin, end, z, u, of_subproblem); },
      contact_chunk);
  return std::sqrt(sum + squared_row_residual(z, u));
}

double ScaledProblem::relative_size(ConstSpan z) const {
  return reference_ > 0 ? norm(z) / reference_ : 0;
}

double ScaledProblem::resolution(ConstSpan z) const {
  return std::numeric_limits<double>::epsilon() * relative_size(z);
}

double ScaledProblem::error(ConstSpan z, ConstSpan u, Measure measure) const {
  if (measure == Measure::talus) return natural_residual(z, u, false) / nonzero(reference_);
  PhysicalSquares sums = parallel_sum<PhysicalSquares>(
      contacts(), [&](Index begin, Index end) { return physical_squares(begin, end, z, u); },
      contact_chunk);
  return fclib_error_of(sums += physical_row_squares(z, u));
}

double ScaledProblem::frozen_error(ConstSpan z, ConstSpan u) const {
  return natural_residual(z, u, true) / nonzero(reference_);
}

PhysicalSquares ScaledProblem::physical_squares(Index begin, Index end, ConstSpan z,
                                                ConstSpan u) const {
  static_assert(block_contacts <= PhysicalSquares::most_at_once);
  const bool tilted = is_tilted();
  PhysicalSquares sums;
  for_each_block_of_contacts(begin, end, [&](Index first, Index count) {
    double r[3 * block_contacts], velocity[3 * block_contacts];
    with_dimension(dimension(), [&](auto d) {
      for (Index c = 0; c < count; ++c) {
        const double s = scale_[first + c], inverse = 1 / s;
        for (int i = 0; i < d; ++i) {
          r[d * c + i] = s * z[d * (first + c) + i];
          velocity[d * c + i] = u[d * (first + c) + i] * inverse;
        }
        velocity[d * c] -= frozen_tilt(first + c) * inverse;
      }
    });
    if (dimension() == 3 && problem_->friction.kind == FrictionKind::cone)
      return sums.add_round_cones(&problem_->mu[first], tilted, count, r, velocity);
    for (Index c = 0; c < count; ++c) {
      ContactSet set = own_set(first + c);
      set.bound *= scale_[first + c]; // as it is in physical variables
      sums.add(set, tilted, r + set.dimension * c, velocity + set.dimension * c);
    }
  });
  return sums;
}

PhysicalSquares ScaledProblem::physical_row_squares(ConstSpan z, ConstSpan u) const {
  PhysicalSquares sums;
  for (Index j = 0; j < equalities(); ++j) {
    const Index i = dimension() * contacts() + j;
    const double s = scale_[contacts() + j];
    const double l = s * z[i], y = u[i] / s;
    const double f = l - s * project_row(j, (l - y) / s);
    sums.residual += f * f;
  }
  return sums;
}

double ScaledProblem::fclib_error_of(const PhysicalSquares& sums) const {
  return sums.error(dimension(), std::holds_alternative<LocalModel>(problem_->model),
                    free_velocity_norm_);
}

double ScaledProblem::objective(ConstSpan z, ConstSpan u) const {
  return 0.5 * (dot(z, u) + dot(z, free_velocity()));
}

ScaledProblem::ActiveSet ScaledProblem::active_set(ConstSpan z,
                                                   std::span<signed char> states) const {
  // A projected point meets its bound up to rounding only.
  constexpr double on_boundary = 1 - 1e-12;
  const int d = dimension();
  ActiveSet result;
  for (Index c = 0; c < contacts(); ++c) {
    const ContactSet set = contact_set(c);
    const double* zc = &z[d * c];
    const double bound = is_cone_shaped(set.set.kind) ? set.mu * zc[0] : set.bound;
    signed char state = 2;
    if (zc[0] <= 0)
      state = 0;
    else if (d > 1 && gauge(set, zc) >= on_boundary * bound)
      state = 1;
    ++(state == 0 ? result.separated : state == 1 ? result.boundary : result.interior);
    if (states[c] != state) ++result.changes;
    states[c] = state;
  }
  return result;
}

double ScaledProblem::velocity_error(ConstSpan u, ConstSpan reference) const {
  const int d = dimension();
  double difference = 0, size = 0;
  for (Index c = 0; c < contacts(); ++c)
    for (int i = 0; i < d; ++i) {
      const double expected = scale_[c] * reference[d * c + i];
      const double e = u[d * c + i] - (i == 0 ? frozen_tilt(c) : 0.0) - expected;
      difference += e * e;
      size += expected * expected;
    }
  return std::sqrt(difference) / nonzero(std::sqrt(size));
}

void ScaledProblem::to_scaled(ConstSpan x, Span z) const {
  for_each_entry([&](Index i, double s) { z[i] = x[i] / s; });
}

void ScaledProblem::to_physical(ConstSpan z, Span x) const {
  for_each_entry([&](Index i, double s) { x[i] = z[i] * s; });
}

void ScaledProblem::to_scaled_velocity(Span u) const {
  for_each_entry([&](Index i, double s) { u[i] *= s; });
}

double ScaledProblem::largest_eigenvalue(int iterations) const {
  Vector x(size()), y(size());
  // A fixed start without symmetry, so that it is not orthogonal to the leading eigenvector in
  // regular structures.
  for (Index i = 0; i < size(); ++i) x[i] = 1 + 0.5 * std::sin(1.0 + 12.9898 * i);
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
