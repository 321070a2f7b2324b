#include "talus/problem/scaled_problem.h"

#include "talus/core/parallel.h"
#include "talus/core/vector_ops.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace talus {
namespace {

/// Chunk length for loops that project a contact per step.
constexpr Index contact_chunk = 512;

struct SquaredNorms {
  double residual = 0, impulse = 0, velocity = 0;
  SquaredNorms& operator+=(const SquaredNorms& other) {
    residual += other.residual;
    impulse += other.impulse;
    velocity += other.velocity;
    return *this;
  }
};

/// A denominator: 1 instead of 0, so that 0 / 0 counts as no error.
double nonzero(double value) {
  return value > 0 ? value : 1.0;
}

} // namespace

ScaledProblem::ScaledProblem(const ContactProblem& problem, const DelassusOperator& n)
    : problem_(&problem), n_(&n), scale_(n.blocks()), q_(n.size()) {
  for (Index block = 0; block < n.blocks(); ++block) scale_[block] = std::sqrt(n.rho()[block]);
  const int d = dimension();
  for (Index i = 0; i < size(); ++i) {
    const Index block = i < d * contacts() ? i / d : contacts() + i - d * contacts();
    q_[i] = scale_[block] * n.free_velocity()[i];
  }
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
  const Vector zero(size(), 0.0);
  reference_ = natural_residual(zero, q_, false);
}

void ScaledProblem::freeze_tilt(ConstSpan tilt) {
  frozen_.assign(tilt.begin(), tilt.end());
  const int d = dimension();
  for (Index c = 0; c < contacts(); ++c)
    q_[d * c] = scale_[c] * n_->free_velocity()[d * c] + frozen_[c];
}

void ScaledProblem::release_tilt() {
  frozen_.clear();
  const int d = dimension();
  for (Index c = 0; c < contacts(); ++c) q_[d * c] = scale_[c] * n_->free_velocity()[d * c];
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
  axpy(1.0, q_, u);
}

ContactSet ScaledProblem::contact_set(Index contact) const {
  ContactSet set = own_set(contact);
  if (frozen_bound_.empty()) return set;
  set.set.kind = with_fixed_bound(set.set.kind);
  set.bound = frozen_bound_[contact];
  return set;
}

ContactSet ScaledProblem::own_set(Index contact) const {
  return {problem_->friction, dimension(), problem_->mu[contact],
          bound_.empty() ? 0.0 : bound_[contact]};
}

void ScaledProblem::project(ConstSpan x, Span y) const {
  project_step(x, 0.0, x, y);
}

void ScaledProblem::project_step(ConstSpan x, double step, ConstSpan g, Span y) const {
  const int d = dimension();
  parallel_for(
      contacts(),
      [&](Index begin, Index end) {
        for (Index c = begin; c < end; ++c) {
          double trial[3];
          for (int i = 0; i < d; ++i) trial[i] = x[d * c + i] - step * g[d * c + i];
          talus::project(contact_set(c), trial, &y[d * c]);
        }
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

double ScaledProblem::natural_residual(ConstSpan z, ConstSpan u, bool of_subproblem) const {
  const int d = dimension();
  const bool tilted = is_tilted() && !of_subproblem;
  double sum = parallel_sum(
      contacts(),
      [&](Index begin, Index end) {
        double partial = 0;
        for (Index c = begin; c < end; ++c) {
          const ContactSet set = of_subproblem ? contact_set(c) : own_set(c);
          double trial[3];
          for (int i = 0; i < d; ++i) trial[i] = z[d * c + i] - u[d * c + i];
          if (tilted) trial[0] -= tilt(set, &u[d * c]) - frozen_tilt(c);
          talus::project(set, trial, trial);
          for (int i = 0; i < d; ++i) {
            const double f = z[d * c + i] - trial[i];
            partial += f * f;
          }
        }
        return partial;
      },
      contact_chunk);
  for (Index j = 0; j < equalities(); ++j) {
    const Index i = d * contacts() + j;
    const double f = z[i] - project_row(j, z[i] - u[i]);
    sum += f * f;
  }
  return std::sqrt(sum);
}

double ScaledProblem::error(ConstSpan z, ConstSpan u, Measure measure) const {
  if (measure == Measure::talus) return natural_residual(z, u, false) / nonzero(reference_);
  return fclib_error(z, u);
}

double ScaledProblem::frozen_error(ConstSpan z, ConstSpan u) const {
  return natural_residual(z, u, true) / nonzero(reference_);
}

double ScaledProblem::fclib_error(ConstSpan z, ConstSpan u) const {
  const int d = dimension();
  const bool tilted = is_tilted();
  SquaredNorms sums = parallel_sum<SquaredNorms>(
      contacts(),
      [&](Index begin, Index end) {
        SquaredNorms partial;
        for (Index c = begin; c < end; ++c) {
          // The set in physical variables has the physical bound, and rho = 1.
          const double s = scale_[c];
          ContactSet set = own_set(c);
          set.bound *= s;
          double r[3], velocity[3], trial[3];
          for (int i = 0; i < d; ++i) {
            r[i] = s * z[d * c + i];
            velocity[i] = (u[d * c + i] - (i == 0 ? frozen_tilt(c) : 0.0)) / s;
            trial[i] = r[i] - velocity[i];
            partial.impulse += r[i] * r[i];
            partial.velocity += velocity[i] * velocity[i];
          }
          if (tilted) trial[0] -= tilt(set, velocity);
          talus::project(set, trial, trial);
          for (int i = 0; i < d; ++i) partial.residual += (r[i] - trial[i]) * (r[i] - trial[i]);
        }
        return partial;
      },
      contact_chunk);
  for (Index j = 0; j < equalities(); ++j) {
    const Index i = d * contacts() + j;
    const double s = scale_[contacts() + j];
    const double l = s * z[i], y = u[i] / s;
    const double f = l - s * project_row(j, (l - y) / s);
    sums.residual += f * f;
  }
  const bool local = std::holds_alternative<LocalModel>(problem_->model);
  if (d == 1) return std::sqrt(sums.residual) / nonzero(norm(n_->free_velocity()));
  double size = std::max(std::sqrt(sums.impulse), std::sqrt(sums.velocity));
  if (local) size = std::max(size, norm(n_->free_velocity()));
  return std::sqrt(sums.residual) / nonzero(size);
}

double ScaledProblem::objective(ConstSpan z, ConstSpan u) const {
  return 0.5 * (dot(z, u) + dot(z, q_));
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
  const int d = dimension();
  for (Index i = 0; i < size(); ++i)
    z[i] = x[i] / scale_[i < d * contacts() ? i / d : contacts() + i - d * contacts()];
}

void ScaledProblem::to_physical(ConstSpan z, Span x) const {
  const int d = dimension();
  for (Index i = 0; i < size(); ++i)
    x[i] = z[i] * scale_[i < d * contacts() ? i / d : contacts() + i - d * contacts()];
}

double ScaledProblem::largest_eigenvalue(int iterations) const {
  Vector x(size()), y(size());
  // A fixed start without symmetry, so that it is not orthogonal to the leading eigenvector in
  // regular structures.
  for (Index i = 0; i < size(); ++i) x[i] = 1 + 0.5 * std::sin(1.0 + 12.9898 * i);
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
