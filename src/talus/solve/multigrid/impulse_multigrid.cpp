#include "talus/solve/multigrid/impulse_multigrid.h"

#include <algorithm>
#include <cmath>
#include <queue>

namespace talus {
namespace {

/// Strong couplings of the variables in `active`: for each i the j it depends on.
std::vector<std::vector<Index>> strong_couplings(const SparseRows& A,
                                                 const std::vector<bool>& active, double theta) {
  std::vector<std::vector<Index>> strong(A.rows());
  for (Index i = 0; i < A.rows(); ++i) {
    if (!active[i]) continue;
    double largest = 0;
    for (SparseRows::InnerIterator e(A, i); e; ++e)
      if (e.col() != i && active[e.col()]) largest = std::max(largest, std::abs(e.value()));
    for (SparseRows::InnerIterator e(A, i); e && largest > 0; ++e)
      if (e.col() != i && active[e.col()] && std::abs(e.value()) >= theta * largest)
        strong[i].push_back(static_cast<Index>(e.col()));
  }
  return strong;
}

enum class Role : signed char { undecided, coarse, fine };

/// Ruge and Stüben's first pass: the variable that most others depend on becomes coarse, those
/// become fine, and what they depend on gains weight.
std::vector<Role> split(const std::vector<std::vector<Index>>& strong,
                        const std::vector<bool>& active) {
  const Index n = static_cast<Index>(strong.size());
  std::vector<std::vector<Index>> influences(n);
  for (Index i = 0; i < n; ++i)
    for (Index j : strong[i]) influences[j].push_back(i);
  std::vector<Role> role(n, Role::fine);
  std::vector<Index> weight(n, 0);
  std::priority_queue<std::pair<Index, Index>> queue; // (weight, -index): ties in index order
  for (Index i = 0; i < n; ++i) {
    if (!active[i] || (strong[i].empty() && influences[i].empty())) continue;
    role[i] = Role::undecided;
    weight[i] = static_cast<Index>(influences[i].size());
    queue.emplace(weight[i], -i);
  }
  while (!queue.empty()) {
    const auto [value, negative] = queue.top();
    queue.pop();
    const Index i = -negative;
    if (role[i] != Role::undecided || value != weight[i]) continue;
    role[i] = Role::coarse;
    for (Index j : influences[i]) {
      if (role[j] != Role::undecided) continue;
      role[j] = Role::fine;
      for (Index k : strong[j])
        if (role[k] == Role::undecided) queue.emplace(++weight[k], -k);
    }
  }
  return role;
}

/// Eq. 22 with direct interpolation: w_ij = -α a_ij / a_ii over the strong coarse neighbours j,
/// with α such that the weights stand for all couplings of their sign.
SparseRows interpolation(const SparseRows& A, const std::vector<std::vector<Index>>& strong,
                         const std::vector<bool>& active, const std::vector<Role>& role,
                         const std::vector<Index>& coarse_index, Index coarse) {
  std::vector<Eigen::Triplet<double>> entries;
  for (Index i = 0; i < A.rows(); ++i) {
    if (!active[i]) continue;
    if (role[i] == Role::coarse) {
      entries.emplace_back(i, coarse_index[i], 1.0);
      continue;
    }
    double diagonal = 0, all[2] = {}, coarse_sum[2] = {};
    for (SparseRows::InnerIterator e(A, i); e; ++e) {
      if (e.col() == i) {
        diagonal = e.value();
        continue;
      }
      if (!active[e.col()]) continue;
      all[e.value() > 0] += e.value();
      if (role[e.col()] == Role::coarse &&
          std::find(strong[i].begin(), strong[i].end(), e.col()) != strong[i].end())
        coarse_sum[e.value() > 0] += e.value();
    }
    for (int sign = 0; sign < 2; ++sign)
      if (coarse_sum[sign] == 0) diagonal += all[sign]; // couplings nothing stands for
    if (!(diagonal > 0)) continue;
    for (Index j : strong[i]) {
      if (role[j] != Role::coarse) continue;
      const double a = A.coeff(i, j);
      entries.emplace_back(i, coarse_index[j], -(all[a > 0] / coarse_sum[a > 0]) * a / diagonal);
    }
  }
  SparseRows P(A.rows(), coarse);
  P.setFromTriplets(entries.begin(), entries.end());
  return P;
}

} // namespace

ImpulseMultigrid::ImpulseMultigrid(const BoundedSystem& system, const Dense& x,
                                   const ImpulseMultigridOptions& options)
    : fine_(&system), options_(&options) {
  coarsen(x);
}

void ImpulseMultigrid::coarsen(const Dense& x) {
  std::vector<bool> active(fine_->size());
  for (Index i = 0; i < fine_->size(); ++i)
    active[i] = fine_->is_between(x, i) && fine_->diagonal[i] > 0;
  // A W cycle visits the coarsest level 2^levels times.
  constexpr int most_levels = 16;
  while (levels() < most_levels) {
    const BoundedSystem& system = system_of(levels() - 1);
    if (system.size() <= options_->coarsest) return;
    const auto strong = strong_couplings(system.A, active, options_->strength);
    const std::vector<Role> role = split(strong, active);
    Level level;
    std::vector<Index> coarse_index(system.size(), -1);
    for (Index i = 0; i < system.size(); ++i)
      if (role[i] == Role::coarse) {
        coarse_index[i] = static_cast<Index>(level.fine_index.size());
        level.fine_index.push_back(i);
      }
    const Index coarse = static_cast<Index>(level.fine_index.size());
    if (coarse == 0 || coarse > 0.9 * system.size()) return;
    level.P = interpolation(system.A, strong, active, role, coarse_index, coarse);
    level.restriction = SparseRows(level.P.transpose());
    level.system.A = level.restriction * SparseRows(system.A * level.P); // eq. 23
    level.system.diagonal = level.system.A.diagonal();
    level.system.lower = level.system.upper = level.system.b = Dense::Zero(coarse);
    level.x = Dense::Zero(coarse);
    active.assign(coarse, true);
    coarse_.push_back(std::move(level));
  }
}

double ImpulseMultigrid::cycle(Dense& x) {
  work_ = 0;
  cycle(0, x);
  return work_;
}

void ImpulseMultigrid::cycle(int level, Dense& x) {
  const BoundedSystem& system = system_of(level);
  const double share = static_cast<double>(system.A.nonZeros()) /
                       std::max(1.0, static_cast<double>(fine_->A.nonZeros()));
  if (level == static_cast<int>(coarse_.size())) {
    const int sweeps = level == 0 ? options_->pre_sweeps : options_->coarsest_sweeps;
    for (int k = 0; k < sweeps; ++k) smooth(system, x, k % 2 == 1);
    work_ += share * sweeps;
    return;
  }
  for (int k = 0; k < options_->pre_sweeps; ++k) smooth(system, x, false);
  correct(level, x);
  for (int k = 0; k < options_->post_sweeps; ++k) smooth(system, x, true);
  work_ += share * (options_->pre_sweeps + options_->post_sweeps + 1);
}

void ImpulseMultigrid::correct(int level, Dense& x) {
  const BoundedSystem& system = system_of(level);
  Level& next = coarse_[level];
  // Eq. 24: the coarse problem for the error, with the room that x leaves at the coarse variables.
  const Dense u = system.A * x + system.b;
  next.system.b = next.restriction * u;
  for (std::size_t k = 0; k < next.fine_index.size(); ++k) {
    next.system.lower[k] = system.lower[next.fine_index[k]] - x[next.fine_index[k]];
    next.system.upper[k] = system.upper[next.fine_index[k]] - x[next.fine_index[k]];
  }
  next.x.setZero();
  for (int k = 0; k < options_->cycle; ++k) cycle(level + 1, next.x);
  const Dense error = next.P * next.x;
  Dense step = Dense::Zero(system.size());
  for (Index i = 0; i < system.size(); ++i) {
    const double inside = std::clamp(x[i] + error[i], system.lower[i], system.upper[i]);
    if (inside == x[i] + error[i] || !options_->reject) step[i] = inside - x[i];
  }
  // f(x + s) - f(x) = u's + ½ s'A s.
  if (options_->guard && level == 0 && !(u.dot(step) + 0.5 * step.dot(system.A * step) < 0)) return;
  for (Index i = 0; i < system.size(); ++i)
    x[i] = std::clamp(x[i] + step[i], system.lower[i], system.upper[i]);
}

} // namespace talus
