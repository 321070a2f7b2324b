#include "talus/solve/joint_mechanisms.h"

#include "talus/core/error.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace talus {
namespace {

/// Relative to the diagonal of N_ff.
constexpr double regularisation = 1e-10;

void set_side(const RigidModel& model, ImpulseColumn& column, int side, Index body,
              const Vec3& linear, const Vec3& angular) {
  if (body < 0) return;
  const RigidInverseMass& m = model.inverse_mass[body];
  const double* j = m.inertia;
  if (m.mass == 0 && j[0] == 0 && j[3] == 0 && j[5] == 0) return;
  column.body[side] = body;
  column.wrench[side] << linear.x, linear.y, linear.z, angular.x, angular.y, angular.z;
  column.motion[side] << m.mass * linear.x, m.mass * linear.y, m.mass * linear.z,
      j[0] * angular.x + j[1] * angular.y + j[2] * angular.z,
      j[1] * angular.x + j[3] * angular.y + j[4] * angular.z,
      j[2] * angular.x + j[4] * angular.y + j[5] * angular.z;
}

ImpulseColumn column_of(const ContactProblem& problem, const RigidModel& model, Index entry) {
  ImpulseColumn result;
  BodyPair pair;
  RigidRow row;
  if (entry < problem.impulses()) {
    const Index c = entry / problem.dimension, k = entry % problem.dimension;
    pair = model.contact_bodies[c];
    const RigidContact& contact = model.contacts[c];
    const Vec3 third = cross(contact.normal, contact.tangent);
    const Vec3 axes[6] = {contact.normal,  contact.tangent, third,
                          contact.tangent, third,           contact.normal};
    const Vec3 d = axes[k];
    row = k < 3 ? RigidRow{-d, -cross(contact.arm_a, d), d, cross(contact.arm_b, d)}
                : RigidRow{{}, -d, {}, d};
  } else {
    pair = model.row_bodies[entry - problem.impulses()];
    row = model.rows[entry - problem.impulses()];
  }
  set_side(model, result, 0, pair.a, row.linear_a, row.angular_a);
  set_side(model, result, 1, pair.b, row.linear_b, row.angular_b);
  return result;
}

/// Bodies that rows connect, as a forest.
class ConnectedBodies {
public:
  explicit ConnectedBodies(std::size_t count) : parent_(count), jointed_(count) {
    std::iota(parent_.begin(), parent_.end(), 0);
  }
  void connect(const std::array<Index, 2>& body) {
    for (const Index b : body)
      if (b >= 0) jointed_[b] = true;
    if (body[0] < 0 || body[1] < 0) return;
    const Index a = root(body[0]), b = root(body[1]);
    parent_[std::max(a, b)] = std::min(a, b);
  }
  bool is_jointed(Index body) const { return body >= 0 && jointed_[body]; }
  Index root(Index body) {
    while (parent_[body] != body) body = parent_[body] = parent_[parent_[body]];
    return body;
  }

private:
  std::vector<Index> parent_;
  std::vector<bool> jointed_;
};

} // namespace

bool is_free(const ContactProblem& problem, Index row) {
  return problem.row_lower.empty() ||
         (std::isinf(problem.row_lower[row]) && std::isinf(problem.row_upper[row]));
}

std::vector<ImpulseColumn> impulse_columns(const ContactProblem& problem) {
  const auto& model = std::get<RigidModel>(problem.model);
  std::vector<ImpulseColumn> columns;
  columns.reserve(problem.size());
  for (Index i = 0; i < problem.size(); ++i) columns.push_back(column_of(problem, model, i));
  return columns;
}

double coupling(const ImpulseColumn& i, const ImpulseColumn& j) {
  double sum = 0;
  for (int s = 0; s < 2; ++s)
    for (int t = 0; t < 2; ++t)
      if (i.body[s] >= 0 && i.body[s] == j.body[t]) sum += i.wrench[s].dot(j.motion[t]);
  return sum;
}

double coupling_through(Index body, const ImpulseColumn& i, const ImpulseColumn& j) {
  double sum = 0;
  for (int s = 0; s < 2; ++s)
    for (int t = 0; t < 2; ++t)
      if (i.body[s] == body && j.body[t] == body) sum += i.wrench[s].dot(j.motion[t]);
  return sum;
}

Mechanisms find_mechanisms(const ContactProblem& problem,
                           const std::vector<ImpulseColumn>& columns) {
  const std::size_t bodies = std::get<RigidModel>(problem.model).inverse_mass.size();
  ConnectedBodies connected(bodies);
  for (Index j = 0; j < problem.equalities(); ++j)
    if (is_free(problem, j)) connected.connect(columns[problem.impulses() + j].body);
  Mechanisms result;
  std::vector<Index> mechanism_of(bodies, -1);
  const auto mechanism = [&](Index body) -> Mechanism* {
    if (!connected.is_jointed(body)) return nullptr;
    Index& index = mechanism_of[connected.root(body)];
    if (index < 0) {
      index = static_cast<Index>(result.list.size());
      result.list.emplace_back();
    }
    return &result.list[index];
  };
  for (Index i = 0; i < problem.size(); ++i) {
    const auto& body = columns[i].body;
    if (i >= problem.impulses() && is_free(problem, i - problem.impulses())) {
      // A row between immovable bodies moves nothing: its multiplier stays 0.
      if (Mechanism* own = mechanism(body[0] >= 0 ? body[0] : body[1])) own->rows.push_back(i);
      continue;
    }
    result.others.push_back(i);
    Mechanism *first = mechanism(body[0]), *second = mechanism(body[1]);
    if (first) first->others.push_back(i);
    if (second && second != first) second->others.push_back(i);
  }
  return result;
}

void Mechanism::factorise(const ContactProblem& problem,
                          const std::vector<ImpulseColumn>& columns) {
  const auto count = static_cast<Index>(rows.size());
  scale.resize(count);
  for (Index k = 0; k < count; ++k)
    scale[k] = 1 / std::sqrt(talus::coupling(columns[rows[k]], columns[rows[k]]));
  std::vector<std::pair<Index, Index>> of_body; // (body, place)
  for (Index k = 0; k < count; ++k)
    for (const Index b : columns[rows[k]].body)
      if (b >= 0) of_body.emplace_back(b, k);
  std::ranges::sort(of_body);
  std::vector<Eigen::Triplet<double>> entries;
  std::vector<Index> neighbours;
  for (Index k = 0; k < count; ++k) {
    neighbours.clear();
    for (const Index b : columns[rows[k]].body) {
      if (b < 0) continue;
      const auto first = std::ranges::lower_bound(of_body, std::pair{b, Index{0}});
      for (auto it = first; it != of_body.end() && it->first == b; ++it)
        neighbours.push_back(it->second);
    }
    std::ranges::sort(neighbours);
    neighbours.erase(std::unique(neighbours.begin(), neighbours.end()), neighbours.end());
    for (const Index other : neighbours) {
      const double value =
          scale[k] * scale[other] * talus::coupling(columns[rows[k]], columns[rows[other]]);
      entries.emplace_back(k, other, value);
    }
  }
  for (Index k = 0; k < count && !problem.compliance.empty(); ++k)
    entries.emplace_back(k, k, scale[k] * scale[k] * problem.compliance[rows[k]]);
  matrix.resize(count, count);
  matrix.setFromTriplets(entries.begin(), entries.end());
  Eigen::SparseMatrix<double> regular = matrix;
  for (Index k = 0; k < count; ++k) regular.coeffRef(k, k) += regularisation;
  factor.compute(regular);
  if (factor.info() != Eigen::Success)
    throw InvalidProblem("the joint rows cannot be factorised: an entry is not finite");
}

void Mechanism::couple(const std::vector<bool>& is_wanted,
                       const std::vector<ImpulseColumn>& columns) {
  kept.clear();
  std::ranges::copy_if(others, std::back_inserter(kept), [&](Index i) { return is_wanted[i]; });
  const auto count = static_cast<Index>(rows.size());
  coupling.resize(count, static_cast<Index>(kept.size()));
  for (Index k = 0; k < count; ++k)
    for (std::size_t c = 0; c < kept.size(); ++c)
      coupling(k, static_cast<Index>(c)) =
          scale[k] * talus::coupling(columns[rows[k]], columns[kept[c]]);
}

/// Eigen would take one column after the other, and wait for each number of L once per column.
void Mechanism::apply_factor(Dense& b) const {
  using Factor = Eigen::SparseMatrix<double>;
  const Factor& L = factor.matrixL().nestedExpression(); // below its unit diagonal
  const auto& D = factor.vectorD();
  Dense x = factor.permutationP() * b;
  for (Index j = 0; j < L.cols(); ++j)
    for (Factor::InnerIterator entry(L, j); entry; ++entry)
      x.row(entry.row()) -= entry.value() * x.row(j);
  for (Index j = 0; j < L.cols(); ++j) x.row(j) /= D[j];
  for (auto j = static_cast<Index>(L.cols()) - 1; j >= 0; --j)
    for (Factor::InnerIterator entry(L, j); entry; ++entry)
      x.row(j) -= entry.value() * x.row(entry.row());
  b = factor.permutationPinv() * x;
}

Mechanism::Dense Mechanism::solve(const Dense& b) const {
  Dense x = b;
  apply_factor(x);
  Dense rest(b.rows(), b.cols());
  for (int k = 0; k < 2; ++k) {
    rest = b;
    rest -= matrix * x;
    apply_factor(rest);
    x += rest;
  }
  return x;
}

Mechanism::DenseVector Mechanism::solve(const DenseVector& b) const {
  DenseVector x = factor.solve(b), rest(b.size());
  for (int k = 0; k < 2; ++k) {
    rest = b;
    rest -= matrix * x;
    x += factor.solve(rest);
  }
  return x;
}

Mechanism::DenseVector Mechanism::gather(ConstSpan y) const {
  DenseVector result(rows.size());
  for (std::size_t k = 0; k < rows.size(); ++k) result[k] = scale[k] * y[rows[k]];
  return result;
}

} // namespace talus
