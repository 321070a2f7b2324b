#include "talus/solve/joint_elimination.h"

#include "talus/core/vector_ops.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace talus {
namespace {

template <class T>
bool have_same_bytes(const std::vector<T>& a, const std::vector<T>& b) {
  static_assert(std::is_trivially_copyable_v<T>);
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

/// Offsets are w, b and the free velocity.
bool differ_in_offsets_alone(const ContactProblem& a, const ContactProblem& b) {
  const auto *m = std::get_if<RigidModel>(&a.model), *n = std::get_if<RigidModel>(&b.model);
  return m && n && a.dimension == b.dimension && a.law == b.law && a.friction == b.friction &&
         have_same_bytes(a.mu, b.mu) && have_same_bytes(a.rolling, b.rolling) &&
         have_same_bytes(a.spinning, b.spinning) &&
         have_same_bytes(a.normal_estimate, b.normal_estimate) &&
         have_same_bytes(a.row_lower, b.row_lower) && have_same_bytes(a.row_upper, b.row_upper) &&
         have_same_bytes(a.compliance, b.compliance) &&
         have_same_bytes(m->inverse_mass, n->inverse_mass) &&
         have_same_bytes(m->contact_bodies, n->contact_bodies) &&
         have_same_bytes(m->contacts, n->contacts) &&
         have_same_bytes(m->row_bodies, n->row_bodies) && have_same_bytes(m->rows, n->rows);
}

} // namespace

JointElimination::JointElimination(const ContactProblem& problem, const DelassusOperator& n,
                                   const StopTest& stop)
    : problem_(&problem), n_(&n), first_(problem), columns_(impulse_columns(problem)),
      mechanisms_(find_mechanisms(problem, columns_)) {
  for (Mechanism& mechanism : mechanisms_.list)
    if (!is_met(stop)) mechanism.factorise(problem, columns_);
  if (!is_met(stop))
    take_contacts(std::vector<bool>(static_cast<std::size_t>(problem.contacts()), false), stop);
}

void JointElimination::take_contacts(const std::vector<bool>& is_taken, const StopTest& stop) {
  if (is_reduced_ && is_taken == is_taken_) return;
  is_reduced_ = true;
  is_taken_ = is_taken;
  std::vector<bool> is_wanted(static_cast<std::size_t>(problem_->size()), true);
  for (Index i = 0; i < problem_->impulses(); ++i) is_wanted[i] = is_taken[i / problem_->dimension];
  kept_.clear();
  std::ranges::copy_if(mechanisms_.others, std::back_inserter(kept_),
                       [&](Index i) { return is_wanted[i]; });
  for (Mechanism& mechanism : mechanisms_.list) mechanism.couple(is_wanted, columns_);
  reduced_ = {};
  reduce(stop);
}

bool JointElimination::follow(const ContactProblem& problem, const DelassusOperator& n) {
  if (!differ_in_offsets_alone(problem, first_)) return false;
  problem_ = &problem;
  n_ = &n;
  set_offsets();
  return true;
}

Vector JointElimination::restrict(ConstSpan x) const {
  Vector result;
  result.reserve(kept_.size());
  for (const Index i : kept_) result.push_back(x[i]);
  return result;
}

void JointElimination::expand(ConstSpan reduced_x, Span x) const {
  fill(x, 0.0);
  for (std::size_t k = 0; k < kept_.size(); ++k) x[kept_[k]] = reduced_x[k];
  hold_joints(x);
}

void JointElimination::expand_joints(Span x) const {
  fill(x, 0.0);
  hold_joints(x);
}

void JointElimination::hold_joints(Span x) const {
  Vector y(problem_->size()), measured(problem_->size());
  // The second pass removes what rounding left of the first.
  for (int pass = 0; pass < 2; ++pass) {
    copy(x, measured);
    n_->measure_moments(measured);
    n_->apply(measured, y);
    axpy(1.0, n_->free_velocity(), y);
    for (const Mechanism& mechanism : mechanisms_.list) {
      const Mechanism::DenseVector change = mechanism.solve(mechanism.gather(y));
      for (std::size_t k = 0; k < mechanism.rows.size(); ++k)
        x[mechanism.rows[k]] -= mechanism.scale[k] * change[k];
    }
  }
}

void JointElimination::drop_blocked(const Vector& diagonal) {
  const auto mobility = [&](Index entry) { return coupling(columns_[entry], columns_[entry]); };
  const auto compliance = [&](Index entry) {
    return problem_->compliance.empty() ? 0.0 : problem_->compliance[entry];
  };
  std::vector<bool> blocked(static_cast<std::size_t>(problem_->size()));
  // Impulses and moments have units of their own.
  const auto is_blocked = [&](Index first, Index last) {
    double before = 0, after = 0;
    for (Index i = first; i < last; ++i) {
      before += mobility(i);
      after += diagonal[i] + compliance(i);
    }
    return after <= 1e-9 * before;
  };
  const Index d = problem_->dimension;
  for (Index first = 0; first < problem_->impulses(); first += d) {
    const bool all = is_blocked(first, first + 3) && (d == 3 || is_blocked(first + 3, first + d));
    for (Index i = first; i < first + d; ++i) blocked[i] = all;
  }
  for (Index i = problem_->impulses(); i < problem_->size(); ++i)
    blocked[i] = diagonal[i] + compliance(i) <= 1e-9 * mobility(i);
  std::erase_if(kept_, [&](Index i) { return blocked[i]; });
}

void JointElimination::reduce(const StopTest& stop) {
  const Index size = problem_->size();
  std::vector<Triplet> entries;
  Vector diagonal(size, 0.0);
  const auto add = [&](Index i, Index j, double value) {
    entries.push_back({i, j, value});
    if (i == j) diagonal[i] += value;
  };
  add_couplings(add);
  for (const Mechanism& mechanism : mechanisms_.list) {
    if (is_met(stop)) return;
    const Mechanism::Dense through = mechanism.solve(mechanism.coupling);
    const Mechanism::Dense correction = mechanism.coupling.transpose() * through;
    const auto& kept = mechanism.kept;
    for (std::size_t i = 0; i < kept.size(); ++i)
      for (std::size_t j = 0; j < kept.size(); ++j) {
        const auto a = static_cast<Index>(i), b = static_cast<Index>(j);
        add(kept[i], kept[j], -0.5 * (correction(a, b) + correction(b, a)));
      }
  }
  drop_blocked(diagonal);
  set_reduced(entries);
  set_offsets();
}

/// Of the matrices nothing but the factors and couplings of the mechanisms is needed.
void JointElimination::set_offsets() {
  Vector q(n_->free_velocity().begin(), n_->free_velocity().end());
  n_->restore_rotations(q);
  for (const Mechanism& mechanism : mechanisms_.list) {
    const Mechanism::DenseVector shift =
        mechanism.coupling.transpose() * mechanism.solve(mechanism.gather(n_->free_velocity()));
    for (std::size_t i = 0; i < mechanism.kept.size(); ++i)
      q[mechanism.kept[i]] -= shift[static_cast<Index>(i)];
  }
  auto& local = std::get<LocalModel>(reduced_.model);
  local.q.clear();
  local.s.clear();
  for (const Index i : kept_) (i < problem_->impulses() ? local.q : local.s).push_back(q[i]);
}

template <class Add>
void JointElimination::add_couplings(Add&& add) const {
  std::vector<std::vector<Index>> of_body(
      std::get<RigidModel>(problem_->model).inverse_mass.size());
  for (const Index i : kept_)
    for (const Index b : columns_[i].body)
      if (b >= 0) of_body[b].push_back(i);
  for (std::size_t b = 0; b < of_body.size(); ++b)
    for (const Index i : of_body[b])
      for (const Index j : of_body[b])
        add(i, j, coupling_through(static_cast<Index>(b), columns_[i], columns_[j]));
}

void JointElimination::set_reduced(const std::vector<Triplet>& entries) {
  const std::vector<Index>& kept = kept_;
  std::vector<Index> place(problem_->size(), -1);
  for (std::size_t k = 0; k < kept.size(); ++k) place[kept[k]] = static_cast<Index>(k);
  const auto impulses =
      static_cast<Index>(std::ranges::lower_bound(kept, problem_->impulses()) - kept.begin());
  const auto rows = static_cast<Index>(kept.size()) - impulses;
  std::vector<Triplet> w, v, r;
  for (const Triplet& entry : entries) {
    const Index i = place[entry.row], j = place[entry.column];
    if (i < 0 || j < 0) continue;
    if (i < impulses && j < impulses) w.push_back({i, j, entry.value});
    if (i < impulses && j >= impulses) v.push_back({i, j - impulses, entry.value});
    if (i >= impulses && j >= impulses) r.push_back({i - impulses, j - impulses, entry.value});
  }
  LocalModel local;
  local.W = from_triplets(impulses, impulses, std::move(w));
  if (rows > 0) {
    local.V = from_triplets(impulses, rows, std::move(v));
    local.R = from_triplets(rows, rows, std::move(r));
  }
  set_reduced_sets();
  reduced_.model = std::move(local);
}

void JointElimination::set_reduced_sets() {
  const Index d = problem_->dimension;
  reduced_.dimension = problem_->dimension;
  reduced_.law = problem_->law;
  reduced_.friction = problem_->friction;
  for (const Index i : kept_) {
    if (!problem_->compliance.empty()) reduced_.compliance.push_back(problem_->compliance[i]);
    if (i >= problem_->impulses()) {
      reduced_.row_lower.push_back(problem_->row_lower[row_of(i)]);
      reduced_.row_upper.push_back(problem_->row_upper[row_of(i)]);
      continue;
    }
    if (i % d != 0) continue;
    const Index c = i / d;
    reduced_.mu.push_back(problem_->mu[c]);
    if (!problem_->rolling.empty()) reduced_.rolling.push_back(problem_->rolling[c]);
    if (!problem_->spinning.empty()) reduced_.spinning.push_back(problem_->spinning[c]);
    if (!problem_->normal_estimate.empty())
      reduced_.normal_estimate.push_back(problem_->normal_estimate[c]);
  }
}

JointCorrection::JointCorrection(const ContactProblem& problem, const StopTest& stop)
    : columns_(impulse_columns(problem)), mechanisms_(find_mechanisms(problem, columns_)) {
  for (Mechanism& mechanism : mechanisms_.list)
    if (!is_met(stop)) mechanism.factorise(problem, columns_);
}

void JointCorrection::add_velocities(ConstSpan y, Span v) const {
  for (const Mechanism& mechanism : mechanisms_.list) {
    const Mechanism::DenseVector change = mechanism.solve(mechanism.gather(y));
    for (std::size_t k = 0; k < mechanism.rows.size(); ++k) {
      const ImpulseColumn& column = columns_[mechanism.rows[k]];
      const double impulse =
          -mechanism.scale[static_cast<Index>(k)] * change[static_cast<Index>(k)];
      for (int side = 0; side < 2; ++side)
        for (int i = 0; i < 6 && column.body[side] >= 0; ++i)
          v[6 * static_cast<std::size_t>(column.body[side]) + i] +=
              impulse * column.motion[side][i];
    }
  }
}

} // namespace talus
