#include "talus/solve/row_block.h"

#include <algorithm>
#include <cmath>

namespace talus {
namespace {

/// The product with a symmetric matrix xx, xy, xz, yy, yz, zz.
Vec3 times(const double* j, const Vec3& a) {
  return {j[0] * a.x + j[1] * a.y + j[2] * a.z, j[1] * a.x + j[3] * a.y + j[4] * a.z,
          j[2] * a.x + j[4] * a.y + j[5] * a.z};
}

struct Side {
  Index body;
  const Vec3 &linear, &angular;
};

/// J_i M⁻¹ J_jᵀ over the bodies that two rows share.
double coupling(const RigidModel& model, Index i, Index j) {
  const RigidRow &a = model.rows[i], &b = model.rows[j];
  const BodyPair pa = model.row_bodies[i], pb = model.row_bodies[j];
  double sum = 0;
  for (const Side& left : {Side{pa.a, a.linear_a, a.angular_a}, {pa.b, a.linear_b, a.angular_b}})
    for (const Side& right :
         {Side{pb.a, b.linear_a, b.angular_a}, {pb.b, b.linear_b, b.angular_b}}) {
      if (left.body < 0 || left.body != right.body) continue;
      const RigidInverseMass& m = model.inverse_mass[left.body];
      sum += m.mass * dot(left.linear, right.linear) +
             dot(left.angular, times(m.inertia, right.angular));
    }
  return sum;
}

bool share_a_body(const BodyPair& a, const BodyPair& b) {
  const auto has = [&](Index body) { return body >= 0 && (body == b.a || body == b.b); };
  return has(a.a) || has(a.b);
}

} // namespace

void RowBlock::prepare(const ScaledProblem& problem) {
  rows_.clear();
  const bool is_rigid = std::holds_alternative<RigidModel>(problem.problem().model);
  if (!problem.division() || !is_rigid) return;
  is_in_.assign(problem.equalities(), 0);
  for (Index j = 0; j < problem.equalities(); ++j)
    if (problem.is_free_row(j)) {
      rows_.push_back(j);
      is_in_[j] = 1;
    }
  fill(problem.problem());
  factorise();
}

void RowBlock::fill(const ContactProblem& problem) {
  const RigidModel& model = std::get<RigidModel>(problem.model);
  const auto count = static_cast<Index>(rows_.size());
  first_.resize(count);
  start_.assign(count + 1, 0);
  for (Index i = 0; i < count; ++i) {
    Index first = 0;
    while (!share_a_body(model.row_bodies[rows_[i]], model.row_bodies[rows_[first]]) && first < i)
      ++first;
    first_[i] = first;
    start_[i + 1] = start_[i] + static_cast<std::size_t>(i - first + 1);
  }
  value_.assign(start_.back(), 0.0);
  for (Index i = 0; i < count; ++i) {
    for (Index j = first_[i]; j <= i; ++j) entry(i, j) = coupling(model, rows_[i], rows_[j]);
    if (!problem.compliance.empty())
      entry(i, i) += problem.compliance[problem.impulses() + rows_[i]];
  }
}

/// Cholesky's, in place. A pivot that is 0 but for rounding belongs to a row that others imply.
void RowBlock::factorise() {
  constexpr double least_pivot = 1e-11; // of the diagonal
  for (Index i = 0; i < static_cast<Index>(rows_.size()); ++i) {
    const double diagonal = entry(i, i);
    double pivot = diagonal;
    for (Index j = first_[i]; j < i; ++j) {
      double sum = entry(i, j);
      for (Index k = std::max(first_[i], first_[j]); k < j; ++k) sum -= entry(i, k) * entry(j, k);
      const double below = entry(j, j);
      const double factor = below > 0 ? sum / below : 0;
      entry(i, j) = factor;
      pivot -= factor * factor;
    }
    entry(i, i) = pivot > least_pivot * diagonal ? std::sqrt(pivot) : 0;
  }
}

void RowBlock::solve(Span velocities) const {
  const auto count = static_cast<Index>(rows_.size());
  for (Index i = 0; i < count; ++i) {
    double sum = -velocities[i];
    for (Index k = first_[i]; k < i; ++k) sum -= entry(i, k) * velocities[k];
    velocities[i] = entry(i, i) > 0 ? sum / entry(i, i) : 0;
  }
  for (Index i = count; i-- > 0;) {
    const double x = entry(i, i) > 0 ? velocities[i] / entry(i, i) : 0;
    velocities[i] = x;
    for (Index k = first_[i]; k < i; ++k) velocities[k] -= entry(i, k) * x;
  }
}

} // namespace talus
