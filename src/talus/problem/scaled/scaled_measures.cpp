// Errors and other measures of an iterate of the scaled problem.

#include "talus/contact/cone_batch.h"
#include "talus/core/parallel.h"
#include "talus/core/vector_ops.h"
#include "talus/problem/scaled/contact_blocks.h"
#include "talus/problem/scaled/contact_sum.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace talus {
namespace {

/// Sum of (a_i - b_i)² over four running sums, which SIMD lanes can keep.
double squared_distance(const double* a, const double* b, Index n) {
  double sums[4] = {};
  Index i = 0;
  for (; i + 4 <= n; i += 4)
    for (Index k = 0; k < 4; ++k) sums[k] += (a[i + k] - b[i + k]) * (a[i + k] - b[i + k]);
  for (; i < n; ++i) sums[0] += (a[i] - b[i]) * (a[i] - b[i]);
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

} // namespace

double ScaledProblem::squared_residual(Index begin, Index end, ConstSpan z, ConstSpan u,
                                       bool of_subproblem) const {
  static constexpr double zeros[max_dimension * block_contacts] = {};
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
  double trial[max_dimension * block_contacts];
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
  const double sum = sum_over_contacts(
      *this,
      [&](Index begin, Index end) { return squared_residual(begin, end, z, u, of_subproblem); },
      contact_chunk);
  return std::sqrt(sum + squared_row_residual(z, u));
}

namespace {

/// sum(entries of a range of contacts) over all ranks, and that of the rows, which all ranks have.
template <class Sum>
double divided_sum(const ScaledProblem& problem, Sum&& sum) {
  const Index d = problem.dimension(), own = d * problem.contacts();
  const double contacts = sum_over_cells<double>(*problem.division(), [&](Index begin, Index end) {
    return sum(d * begin, d * (end - begin));
  });
  return contacts + sum(own, problem.size() - own);
}

} // namespace

double ScaledProblem::dot(ConstSpan x, ConstSpan y) const {
  if (!division()) return talus::dot(x, y);
  return divided_sum(*this, [&](Index first, Index count) {
    return talus::dot(x.subspan(first, count), y.subspan(first, count));
  });
}

double ScaledProblem::norm(ConstSpan x) const {
  return std::sqrt(dot(x, x));
}

double ScaledProblem::distance(ConstSpan x, ConstSpan y) const {
  if (!division()) return talus::distance(x, y);
  return std::sqrt(divided_sum(*this, [&](Index first, Index count) {
    const double part = talus::distance(x.subspan(first, count), y.subspan(first, count));
    return part * part;
  }));
}

bool ScaledProblem::is_zero(ConstSpan x) const {
  const bool here = std::ranges::all_of(x, [](double entry) { return entry == 0; });
  return division() ? !division()->ranks->any(!here) : here;
}

double ScaledProblem::relative_size(ConstSpan z) const {
  return reference_ > 0 ? norm(z) / reference_ : 0;
}

double ScaledProblem::resolution(ConstSpan z) const {
  return std::numeric_limits<double>::epsilon() * relative_size(z);
}

double ScaledProblem::error(ConstSpan z, ConstSpan u, Measure measure) const {
  if (measure == Measure::talus) return natural_residual(z, u, false) / nonzero(reference_);
  PhysicalSquares sums = sum_over_contacts<PhysicalSquares>(
      *this, [&](Index begin, Index end) { return physical_squares(begin, end, z, u); },
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
    double r[max_dimension * block_contacts], velocity[max_dimension * block_contacts];
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
    if (is_round_cone(problem_->friction.kind, dimension()))
      return sums.add_round_cones(&problem_->mu[first], tilted, count, r, velocity);
    for (Index c = 0; c < count; ++c) {
      ContactSet set = own_set(first + c);
      set.bound *= scale_[first + c]; // as it is in physical variables
      if (const ConstSpan lengths = n_->lengths(); !lengths.empty()) {
        const double length = lengths[first + c];
        set.rolling *= length;
        set.spinning *= length;
        for (int i = n_->first_moment(); i < set.dimension; ++i) {
          r[set.dimension * c + i] *= length;
          velocity[set.dimension * c + i] /= length;
        }
      }
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
    const double bound = room(set, zc[0]);
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
      const double length =
          i < n_->first_moment() || n_->lengths().empty() ? 1.0 : n_->lengths()[c];
      const double expected = scale_[c] * reference[d * c + i] * length;
      const double e = u[d * c + i] - (i == 0 ? frozen_tilt(c) : 0.0) - expected;
      difference += e * e;
      size += expected * expected;
    }
  return std::sqrt(difference) / nonzero(std::sqrt(size));
}

} // namespace talus
