#include "talus/contact/bounded_lcp.h"

#include <algorithm>
#include <cmath>

namespace talus {
namespace {

/// The bounds of a component at x.
std::pair<double, double> bounds_at(const BoundedComponent& component, const double* x) {
  if (component.normal < 0) return {component.lower, component.upper};
  const double bound = component.mu * std::max(0.0, x[component.normal]);
  return {-bound, bound};
}

} // namespace

void append_components(const ContactSet& set, Index first,
                       std::vector<BoundedComponent>& components) {
  components.push_back({});
  for (int i = 1; i < set.dimension; ++i) {
    BoundedComponent friction{.lower = 0, .upper = 0};
    if (has_fixed_bound(set.set.kind)) {
      friction.lower = -set.bound;
      friction.upper = set.bound;
    } else if (is_cone_shaped(set.set.kind)) {
      friction.normal = first;
      friction.mu = set.mu;
    }
    components.push_back(friction);
  }
}

double count_bound_states(std::span<const BoundedComponent> components) {
  // A component that follows a normal has three states while the normal is positive, one at zero.
  double count = 1;
  for (std::size_t i = 0; i < components.size(); ++i) {
    const BoundedComponent& component = components[i];
    if (component.normal >= 0 || component.is_fixed()) continue;
    double followers = 1;
    for (const BoundedComponent& other : components)
      if (other.normal == static_cast<Index>(i)) followers *= 3;
    const int bounds = std::isfinite(component.lower) + std::isfinite(component.upper);
    count *= followers == 1 ? 1 + bounds : followers + 1;
  }
  return count;
}

BoundEnumeration::BoundEnumeration(Index size)
    : trial_(size), best_(size), x_(size), best_x_(size),
      matrix_(static_cast<std::size_t>(size) * size), rhs_(size), solution_(size) {
  between_.reserve(size);
  pivot_column_.reserve(size);
}

double BoundEnumeration::solve(const double* A, const double* b,
                               std::span<const BoundedComponent> components,
                               std::span<BoundState> states, double* x, const StopTest& stop) {
  stop_ = &stop;
  stopped_ = false;
  A_ = A;
  b_ = b;
  components_ = components;
  double size = 0;
  for (std::size_t i = 0; i < components.size(); ++i) size = std::max(size, std::abs(b[i]));
  goal_ = 1e-12 * size;
  best_violation_ = std::numeric_limits<double>::infinity();
  std::copy(states.begin(), states.end(), trial_.begin());
  best_ = trial_;
  std::fill(best_x_.begin(), best_x_.end(), 0.0);
  try_states();
  if (best_violation_ > goal_) enumerate(0);
  std::copy_n(best_.begin(), components.size(), states.begin());
  std::copy_n(best_x_.begin(), components.size(), x);
  return best_violation_;
}

void BoundEnumeration::enumerate(std::size_t i) {
  if (best_violation_ <= goal_ || stopped_) return;
  if (i == components_.size()) return try_states();
  const BoundedComponent& component = components_[i];
  const auto visit = [&](BoundState state) {
    trial_[i] = state;
    enumerate(i + 1);
  };
  if (component.is_fixed() ||
      (component.normal >= 0 && trial_[component.normal] == BoundState::at_lower))
    return visit(BoundState::at_lower);
  visit(BoundState::between);
  if (component.normal >= 0 || std::isfinite(component.lower)) visit(BoundState::at_lower);
  if (component.normal >= 0 || std::isfinite(component.upper)) visit(BoundState::at_upper);
}

void BoundEnumeration::try_states() {
  const Index n = static_cast<Index>(components_.size());
  between_.clear();
  for (Index i = 0; i < n; ++i) {
    const BoundedComponent& component = components_[i];
    if (trial_[i] == BoundState::between) {
      between_.push_back(i);
    } else if (component.normal < 0) {
      x_[i] = trial_[i] == BoundState::at_lower ? component.lower : component.upper;
      if (!std::isfinite(x_[i])) return;
    }
  }
  reduce();
  ++systems_;
  constexpr long systems_between_looks = 1024;
  if (systems_ % systems_between_looks == 0) stopped_ = is_met(*stop_);
  solve_basic(static_cast<Index>(between_.size()));
  for (std::size_t k = 0; k < between_.size(); ++k) x_[between_[k]] = solution_[k];
  for (Index j = 0; j < n; ++j)
    if (trial_[j] != BoundState::between && components_[j].normal >= 0) {
      const double bound = components_[j].mu * x_[components_[j].normal];
      x_[j] = trial_[j] == BoundState::at_lower ? -bound : bound;
    }
  const double found = violation();
  if (!(found < best_violation_)) return;
  best_violation_ = found;
  best_ = trial_;
  best_x_ = x_;
}

/// The system of the components between their bounds. Those at a bound are constants, or multiples
/// ∓ mu x_normal that join their normal's column.
void BoundEnumeration::reduce() {
  const Index n = static_cast<Index>(components_.size());
  const Index unknowns = static_cast<Index>(between_.size());
  for (Index row = 0; row < unknowns; ++row) {
    const double* a = &A_[static_cast<std::size_t>(n) * between_[row]];
    double* reduced = &matrix_[static_cast<std::size_t>(unknowns) * row];
    for (Index column = 0; column < unknowns; ++column) reduced[column] = a[between_[column]];
    rhs_[row] = -b_[between_[row]];
    for (Index j = 0; j < n; ++j) {
      if (trial_[j] == BoundState::between) continue;
      const Index normal = components_[j].normal;
      if (normal < 0) {
        rhs_[row] -= a[j] * x_[j];
      } else if (trial_[normal] == BoundState::between) {
        const auto column =
            std::lower_bound(between_.begin(), between_.end(), normal) - between_.begin();
        reduced[column] += (trial_[j] == BoundState::at_lower ? -1 : 1) * components_[j].mu * a[j];
      }
    }
  }
}

/// Gaussian elimination with row pivoting on the reduced system; unknowns without a pivot are zero.
void BoundEnumeration::solve_basic(Index n) {
  constexpr double negligible = 1e-11;
  const auto row_of = [&](Index i) { return matrix_.data() + static_cast<std::size_t>(n) * i; };
  double largest = 0;
  for (Index i = 0; i < n * n; ++i) largest = std::max(largest, std::abs(matrix_[i]));
  pivot_column_.clear();
  for (Index column = 0; column < n; ++column) {
    const Index row = static_cast<Index>(pivot_column_.size());
    Index pivot = row;
    for (Index i = row + 1; i < n; ++i)
      if (std::abs(row_of(i)[column]) > std::abs(row_of(pivot)[column])) pivot = i;
    if (!(std::abs(row_of(pivot)[column]) > negligible * largest)) continue;
    if (pivot != row) {
      std::swap_ranges(row_of(row), row_of(row) + n, row_of(pivot));
      std::swap(rhs_[row], rhs_[pivot]);
    }
    for (Index i = row + 1; i < n; ++i) {
      const double factor = row_of(i)[column] / row_of(row)[column];
      if (factor == 0) continue;
      for (Index j = column; j < n; ++j) row_of(i)[j] -= factor * row_of(row)[j];
      rhs_[i] -= factor * rhs_[row];
    }
    pivot_column_.push_back(column);
  }
  std::fill_n(solution_.begin(), n, 0.0);
  for (Index row = static_cast<Index>(pivot_column_.size()) - 1; row >= 0; --row) {
    const Index column = pivot_column_[row];
    double value = rhs_[row];
    for (Index j = column + 1; j < n; ++j) value -= row_of(row)[j] * solution_[j];
    solution_[column] = value / row_of(row)[column];
  }
}

double BoundEnumeration::violation() const {
  const Index n = static_cast<Index>(components_.size());
  double worst = 0;
  for (Index i = 0; i < n; ++i) {
    double u = b_[i];
    for (Index j = 0; j < n; ++j) u += A_[static_cast<std::size_t>(n) * i + j] * x_[j];
    const auto [lower, upper] = bounds_at(components_[i], x_.data());
    const double residual = std::abs(x_[i] - std::clamp(x_[i] - u, lower, upper));
    if (!(residual < best_violation_)) return std::numeric_limits<double>::infinity();
    worst = std::max(worst, residual);
  }
  return worst;
}

} // namespace talus
