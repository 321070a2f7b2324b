#include "talus/problem/few_contacts.h"

#include "talus/problem/projection_kernels.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace talus {
namespace {

constexpr int d = FewContacts::dimension;

} // namespace

bool FewContacts::admits(const ContactProblem& problem) {
  return problem.dimension == d && problem.contacts() >= 1 && problem.contacts() <= most &&
         problem.equalities() == 0 && std::holds_alternative<LocalModel>(problem.model);
}

FewContacts::FewContacts(const ContactProblem& problem, const DelassusOperator& n)
    : contacts_(problem.contacts()), law_(problem.law), friction_(problem.friction) {
  const bool fixed = has_fixed_bound(friction_.kind);
  for (Index c = 0; c < contacts_; ++c) {
    scale_[c] = std::sqrt(n.rho()[c]);
    mu_[c] = problem.mu[c];
    bound_[c] = fixed ? mu_[c] * std::max(0.0, problem.normal_estimate[c]) / scale_[c] : 0;
  }
  const LocalModel& model = std::get<LocalModel>(problem.model);
  fill_rows(model.W, n.compliance());
  fill_free_velocity(model.q);
}

void FewContacts::fill_rows(const SparseMatrix& w, ConstSpan compliance) {
  double column_scale[d * most];
  for (Index c = 0; c < contacts_; ++c)
    for (int i = 0; i < d; ++i) column_scale[d * c + i] = scale_[c];
  std::fill_n(n_, d * contacts_ * contacts_, Entries{});
  const Index *start = w.row_start.data(), *column = w.column.data();
  const double* value = w.value.data();
  for (Index c = 0; c < contacts_; ++c) {
    const double s = scale_[c];
    for (int i = 0; i < d; ++i) {
      const Index row = d * c + i;
      for (Index k = start[row], end = start[row + 1]; k < end; ++k)
        n_[contacts_ * column[k] + c][i] += s * column_scale[column[k]] * value[k];
      if (!compliance.empty()) n_[contacts_ * row + c][i] += s * s * compliance[row];
    }
  }
}

void FewContacts::fill_free_velocity(ConstSpan q) {
  double physical = 0, scaled = 0, residual = 0;
  for (Index c = 0; c < contacts_; ++c) {
    double entries[d], trial[d];
    for (int i = 0; i < d; ++i) {
      const double entry = q[d * c + i];
      entries[i] = scale_[c] * entry;
      trial[i] = -entries[i];
      physical += entry * entry;
      scaled += entries[i] * entries[i];
    }
    q_[c] = Entries{entries[0], entries[1], entries[2], 0};
    if (has_round_cones()) {
      if (is_tilted()) trial[0] -= mu_[c] * tangential_length<d>(entries);
      project_on_cone<d>(mu_[c], trial, trial);
    } else {
      if (is_tilted()) trial[0] -= tilt(set(c), entries);
      project(set(c), trial, trial);
    }
    for (int i = 0; i < d; ++i) residual += trial[i] * trial[i];
  }
  free_velocity_norm_ = std::sqrt(physical);
  rounding_ = 64 * std::numeric_limits<double>::epsilon() * std::sqrt(scaled);
  reference_ = std::sqrt(residual);
  if (reference_ <= rounding_) reference_ = 0;
}

} // namespace talus
