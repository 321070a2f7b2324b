#pragma once
// The error of problem/scaled/quality.h once more, from its definition: in physical variables, with
// plain loops, without the library's operators, scaling and projections, and in extended precision.
// What judges the judge.

#include "support/plain_rolling.h"
#include "talus/contact/set_traits.h"
#include "talus/problem/contact_problem.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

namespace talus::test {

/// Extended precision: where impulses nearly cancel, double has no digits left to judge with.
using Real = long double;
using Reals = std::vector<Real>;

struct Triple {
  Real x = 0, y = 0, z = 0;
  Triple() = default;
  Triple(Real a, Real b, Real c) : x(a), y(b), z(c) {}
  Triple(const Vec3& v) : x(v.x), y(v.y), z(v.z) {}
  Real& operator[](int i) { return i == 0 ? x : i == 1 ? y : z; }
  Triple& operator+=(const Triple& o) {
    x += o.x, y += o.y, z += o.z;
    return *this;
  }
};
inline Triple operator-(const Triple& a, const Triple& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
inline Triple operator*(Real s, const Triple& a) {
  return {s * a.x, s * a.y, s * a.z};
}
inline Real dot(const Triple& a, const Triple& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
inline Real norm(const Triple& a) {
  return std::sqrt(dot(a, a));
}
inline Triple cross(const Triple& a, const Triple& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/// y = N x + q̄ and the diagonal of N, by the formulas of contact_problem.h.
class PlainOperator {
public:
  explicit PlainOperator(const ContactProblem& problem) : problem_(problem) {
    if (const auto* global = std::get_if<GlobalModel>(&problem.model)) invert(global->M);
  }

  /// Inverting M takes time with the cube of its size.
  static bool is_small(const ContactProblem& problem) {
    return !std::holds_alternative<GlobalModel>(problem.model) || problem.dofs() <= 150;
  }

  Reals velocity(const Reals& x) const {
    Reals y = std::visit([&](const auto& model) { return velocity(model, x); }, problem_.model);
    for (std::size_t i = 0; i < problem_.compliance.size(); ++i)
      y[i] += problem_.compliance[i] * x[i];
    return y;
  }

  Real diagonal(Index i) const {
    const Real e = problem_.compliance.empty() ? 0 : problem_.compliance[i];
    return e + std::visit([&](const auto& model) { return diagonal(model, i); }, problem_.model);
  }

private:
  struct Directions {
    Triple linear_a, angular_a, linear_b, angular_b;
  };
  /// An entry of x as the impulses on its two bodies per unit.
  struct Entry {
    BodyPair bodies;
    Directions row;
  };
  Entry rigid_entry(const RigidModel& model, Index i) const {
    if (i >= problem_.impulses()) {
      const RigidRow& row = model.rows[i - problem_.impulses()];
      return {model.row_bodies[i - problem_.impulses()],
              {row.linear_a, row.angular_a, row.linear_b, row.angular_b}};
    }
    const Index c = i / problem_.dimension, k = i % problem_.dimension;
    const RigidContact& contact = model.contacts[c];
    // The third axis is data, rounded to double as it is everywhere.
    const Triple d = k == 0 || k == 5   ? contact.normal
                     : k == 1 || k == 3 ? contact.tangent
                                        : talus::cross(contact.normal, contact.tangent);
    if (k >= 3) return {model.contact_bodies[c], {{}, -1 * d, {}, d}};
    return {model.contact_bodies[c],
            {-1 * d, -1 * cross(contact.arm_a, d), d, cross(contact.arm_b, d)}};
  }
  static Triple turned(const RigidInverseMass& m, const Triple& a) {
    const double* j = m.inertia;
    return {j[0] * a.x + j[1] * a.y + j[2] * a.z, j[1] * a.x + j[3] * a.y + j[4] * a.z,
            j[2] * a.x + j[4] * a.y + j[5] * a.z};
  }

  Reals velocity(const RigidModel& model, const Reals& x) const {
    std::vector<Triple> linear, angular;
    for (std::size_t b = 0; b < model.inverse_mass.size(); ++b) {
      const double* v = &model.free_velocity[6 * b];
      linear.push_back({v[0], v[1], v[2]});
      angular.push_back({v[3], v[4], v[5]});
    }
    const auto push = [&](Index body, Real size, const Triple& force, const Triple& torque) {
      if (body < 0) return;
      const RigidInverseMass& m = model.inverse_mass[body];
      linear[body] += size * m.mass * force;
      angular[body] += size * turned(m, torque);
    };
    for (Index i = 0; i < problem_.size(); ++i) {
      const auto [bodies, row] = rigid_entry(model, i);
      push(bodies.a, x[i], row.linear_a, row.angular_a);
      push(bodies.b, x[i], row.linear_b, row.angular_b);
    }
    const auto seen = [&](Index body, const Triple& force, const Triple& torque) {
      return body < 0 ? Real(0) : dot(force, linear[body]) + dot(torque, angular[body]);
    };
    Reals y;
    for (Index i = 0; i < problem_.size(); ++i) {
      const auto [bodies, row] = rigid_entry(model, i);
      const Real bias = i < problem_.impulses() ? model.w[i] : model.b[i - problem_.impulses()];
      y.push_back(bias + seen(bodies.a, row.linear_a, row.angular_a) +
                  seen(bodies.b, row.linear_b, row.angular_b));
    }
    return y;
  }
  Real diagonal(const RigidModel& model, Index i) const {
    const auto [bodies, row] = rigid_entry(model, i);
    const auto part = [&](Index body, const Triple& force, const Triple& torque) {
      if (body < 0) return Real(0);
      const RigidInverseMass& m = model.inverse_mass[body];
      return m.mass * dot(force, force) + dot(torque, turned(m, torque));
    };
    return part(bodies.a, row.linear_a, row.angular_a) +
           part(bodies.b, row.linear_b, row.angular_b);
  }

  /// y += A x, or Aᵀ x, with the parts of y and x that begin at `row` and `column`.
  static void add(const SparseMatrix& a, bool transposed, Index row, Index column, const Reals& x,
                  Reals& y) {
    for (Index i = 0; i < a.rows; ++i)
      for (Index k = a.row_start[i]; k < a.row_start[i + 1]; ++k) {
        const Index j = a.column[k];
        y[row + (transposed ? j : i)] += a.value[k] * x[column + (transposed ? i : j)];
      }
  }

  Reals velocity(const LocalModel& model, const Reals& x) const {
    Reals y(model.q.begin(), model.q.end());
    y.insert(y.end(), model.s.begin(), model.s.end());
    const Index rows = problem_.impulses();
    add(model.W, false, 0, 0, x, y);
    add(model.V, false, 0, rows, x, y);
    add(model.R, false, rows, rows, x, y);
    if (model.U.empty())
      add(model.V, true, rows, 0, x, y);
    else
      add(model.U, false, rows, 0, x, y);
    return y;
  }
  Real diagonal(const LocalModel& model, Index i) const {
    const Index j = i - problem_.impulses();
    return j < 0 ? entry(model.W, i, i) : entry(model.R, j, j);
  }

  Reals velocity(const GlobalModel& model, const Reals& x) const {
    const Index rows = problem_.impulses();
    Reals momentum(model.f.begin(), model.f.end()), y(model.w.begin(), model.w.end());
    y.insert(y.end(), model.b.begin(), model.b.end());
    add(model.H, false, 0, 0, x, momentum);
    add(model.G, false, 0, rows, x, momentum);
    const Reals v = accelerated(momentum);
    add(model.H, true, 0, 0, v, y);
    add(model.G, true, rows, 0, v, y);
    return y;
  }
  Real diagonal(const GlobalModel& model, Index i) const {
    const Index j = i - problem_.impulses();
    Reals unit(problem_.size(), 0.0), column(problem_.dofs(), 0.0);
    unit[i] = 1;
    if (j < 0)
      add(model.H, false, 0, 0, unit, column);
    else
      add(model.G, false, 0, problem_.impulses(), unit, column);
    const Reals response = accelerated(column);
    Real sum = 0;
    for (std::size_t k = 0; k < column.size(); ++k) sum += column[k] * response[k];
    return sum;
  }
  Reals accelerated(const Reals& momentum) const {
    const std::size_t n = momentum.size();
    Reals v(n, 0.0);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) v[i] += inverse_mass_[n * i + j] * momentum[j];
    return v;
  }
  /// Gauss and Jordan, with row pivots.
  void invert(const SparseMatrix& mass) {
    const auto n = static_cast<std::size_t>(mass.rows);
    Reals a(n * n, 0.0);
    inverse_mass_.assign(n * n, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
      inverse_mass_[n * i + i] = 1;
      for (std::size_t j = 0; j < n; ++j)
        a[n * i + j] = entry(mass, static_cast<Index>(i), static_cast<Index>(j));
    }
    for (std::size_t k = 0; k < n; ++k) {
      std::size_t pivot = k;
      for (std::size_t i = k; i < n; ++i)
        if (std::abs(a[n * i + k]) > std::abs(a[n * pivot + k])) pivot = i;
      for (std::size_t j = 0; j < n; ++j) {
        std::swap(a[n * k + j], a[n * pivot + j]);
        std::swap(inverse_mass_[n * k + j], inverse_mass_[n * pivot + j]);
      }
      const Real scale = 1 / a[n * k + k];
      for (std::size_t j = 0; j < n; ++j) {
        a[n * k + j] *= scale;
        inverse_mass_[n * k + j] *= scale;
      }
      for (std::size_t i = 0; i < n; ++i) {
        const Real factor = a[n * i + k];
        if (i == k || factor == 0) continue;
        for (std::size_t j = 0; j < n; ++j) {
          a[n * i + j] -= factor * a[n * k + j];
          inverse_mass_[n * i + j] -= factor * inverse_mass_[n * k + j];
        }
      }
    }
  }

  const ContactProblem& problem_;
  Reals inverse_mass_;
};

/// A tangential vector, or a point of a cross section.
struct Tangent {
  Real x = 0, y = 0;
};
inline Real dot(const Tangent& a, const Tangent& b) {
  return a.x * b.x + a.y * b.y;
}

/// Corners of the cross section S in order; none for the disc.
inline std::vector<Tangent> corners(const FrictionSet& set) {
  if (set.kind == FrictionKind::box || set.kind == FrictionKind::pyramid)
    return {{1, 1}, {-1, 1}, {-1, -1}, {1, -1}};
  std::vector<Tangent> result;
  if (set.kind == FrictionKind::prism || set.kind == FrictionKind::polyhedron)
    for (int k = 0; k < set.facets; ++k) {
      const Real angle = 2 * std::numbers::pi * k / set.facets;
      result.push_back({std::cos(angle), std::sin(angle)});
    }
  return result;
}

/// The nearest point of size · S.
inline Tangent nearest_in_section(const FrictionSet& set, Real size, const Tangent& t) {
  const auto polygon = corners(set);
  if (polygon.empty()) {
    const Real length = std::hypot(t.x, t.y);
    const Real s = length > size ? size / length : 1;
    return {s * t.x, s * t.y};
  }
  bool inside = size > 0;
  Tangent best;
  Real least = std::numeric_limits<Real>::infinity();
  for (std::size_t k = 0; k < polygon.size(); ++k) {
    const Tangent a{size * polygon[k].x, size * polygon[k].y};
    const Tangent& next = polygon[(k + 1) % polygon.size()];
    const Tangent edge{size * next.x - a.x, size * next.y - a.y}, from{t.x - a.x, t.y - a.y};
    inside = inside && edge.x * from.y - edge.y * from.x >= 0;
    const Real length = dot(edge, edge);
    const Real s = length > 0 ? std::clamp(dot(edge, from) / length, Real(0), Real(1)) : 0;
    const Tangent point{a.x + s * edge.x, a.y + s * edge.y};
    const Real gap = std::hypot(t.x - point.x, t.y - point.y);
    if (gap < least) least = gap, best = point;
  }
  return inside ? t : best;
}

/// The nearest point of a cone-shaped set: of all its faces, the nearest point of the nearest one.
inline Triple nearest_in_cone(const FrictionSet& set, Real mu, const Triple& r) {
  const auto polygon = corners(set);
  if (polygon.empty()) {
    // The disc: a problem in the plane of r and the axis.
    const Real t = std::hypot(r.y, r.z);
    if (t <= mu * r.x) return r;
    const Real along = std::max(Real(0), (r.x + mu * t) / (1 + mu * mu));
    const Real s = t > 0 ? mu * along / t : 0;
    return {along, s * r.y, s * r.z};
  }
  std::vector<Triple> edges;
  for (const Tangent& p : polygon) edges.push_back({1, mu * p.x, mu * p.y});
  Triple best;
  bool inside = r.x >= 0;
  const auto offer = [&](const Triple& point) {
    if (norm(r - point) < norm(r - best)) best = point;
  };
  for (std::size_t k = 0; k < edges.size(); ++k) {
    const Triple &a = edges[k], &b = edges[(k + 1) % edges.size()];
    const Triple inward = cross(a, b);
    inside = inside && dot(inward, r) >= 0;
    offer(std::max(Real(0), dot(a, r) / dot(a, a)) * a);
    const Real size = dot(inward, inward);
    if (!(size > 0)) { // without friction the cone is its axis
      inside = false;
      continue;
    }
    const Triple point = r - (dot(inward, r) / size) * inward;
    if (dot(cross(a, point), inward) >= 0 && dot(cross(point, b), inward) >= 0) offer(point);
  }
  return inside ? r : best;
}

/// P_K of contact c, in components (normal, tangential ...); missing components are 0.
inline Triple nearest_admissible(const ContactProblem& problem, Index c, const Triple& r) {
  const FrictionSet& set = problem.friction;
  const Real mu = problem.mu[c], normal = std::max(Real(0), r.x);
  if (problem.dimension == 1 || set.kind == FrictionKind::none) return {normal, 0, 0};
  const Real bound = has_fixed_bound(set.kind) ? mu * problem.normal_estimate[c] : 0;
  if (problem.dimension == 2) {
    if (has_fixed_bound(set.kind)) return {normal, std::clamp(r.y, -bound, bound), 0};
    return nearest_in_cone({FrictionKind::cone}, mu, {r.x, r.y, 0});
  }
  if (is_cone_shaped(set.kind)) return nearest_in_cone(set, mu, r);
  const Tangent t = nearest_in_section(set, bound, {r.y, r.z});
  return {normal, t.x, t.y};
}

/// σ(u_t) = max { -s·u_t : s ∈ mu S }.
inline Real plain_tilt(const ContactProblem& problem, Index c, const Triple& u) {
  const FrictionSet& set = problem.friction;
  if (problem.dimension == 1 || problem.law != Law::coulomb || !is_cone_shaped(set.kind)) return 0;
  const auto polygon = problem.dimension == 3 ? corners(set) : std::vector<Tangent>{};
  if (polygon.empty()) return problem.mu[c] * std::hypot(u.y, u.z);
  Real largest = 0;
  for (const Tangent& p : polygon) largest = std::max(largest, -dot(p, {u.y, u.z}));
  return problem.mu[c] * largest;
}

/// How the block of entry i is measured: 1 / rho, and the length of its contact if i is a moment.
struct PlainScale {
  Real mean, length;
};
inline PlainScale plain_scale(const ContactProblem& problem, const PlainOperator& n, Index i) {
  if (i >= problem.impulses()) return {n.diagonal(i), 1};
  const int d = problem.dimension;
  const Index first = i - i % d;
  Real impulses = 0, moments = 0;
  const int plain = plain_impulses(problem);
  for (int k = 0; k < d; ++k) (k < plain ? impulses : moments) += n.diagonal(first + k);
  if (plain == d) return {impulses / d, 1};
  const Real squared = moments > 0 ? (impulses / plain) / (moments / (d - plain)) : 1;
  return {(impulses + squared * moments) / d, i % d < plain ? 1 : std::sqrt(squared)};
}

/// |F_c|² / rho_c of a contact with moments, in the length of the contact.
inline Real squared_rolling_residual(const ContactProblem& problem, const PlainOperator& n,
                                     const Reals& x, const Reals& y, Index c) {
  const int d = problem.dimension;
  const int plain = plain_impulses(problem);
  const auto [mean, length] = plain_scale(problem, n, d * c + plain);
  const auto discs = plain_discs(problem, c, length);
  SixReals r = {}, u = {}, trial = {};
  for (int i = 0; i < d; ++i) {
    r[i] = x[d * c + i] / (i < plain ? 1 : length);
    u[i] = y[d * c + i] * (i < plain ? 1 : length);
  }
  u[0] += plain_rolling_tilt(problem, discs, u);
  for (int i = 0; i < d; ++i) trial[i] = r[i] - u[i] / mean;
  const SixReals nearest = nearest_in_rolling_cone(discs, trial);
  Real sum = 0;
  for (int i = 0; i < d; ++i) sum += (r[i] - nearest[i]) * (r[i] - nearest[i]) * mean;
  return sum;
}

/// Σ |F_c|² / rho_c + Σ F_j² / rho_j; nothing where a rho is not that of the definition, because N
/// has no positive diagonal there.
inline std::optional<Real> squared_residual(const ContactProblem& problem, const PlainOperator& n,
                                            const Reals& x) {
  const int d = problem.dimension;
  const Reals y = n.velocity(x);
  Real sum = 0;
  for (Index c = 0; c < problem.contacts(); ++c) {
    if (plain_impulses(problem) < d) {
      sum += squared_rolling_residual(problem, n, x, y, c);
      continue;
    }
    Real trace = 0;
    Triple r, u;
    for (int i = 0; i < d; ++i) {
      trace += n.diagonal(d * c + i);
      r[i] = x[d * c + i];
      u[i] = y[d * c + i];
    }
    if (!(trace > 0)) return std::nullopt;
    const Real rho = d / trace;
    u.x += plain_tilt(problem, c, u);
    const Triple f = r - nearest_admissible(problem, c, r - rho * u);
    sum += dot(f, f) / rho;
  }
  for (Index j = 0; j < problem.equalities(); ++j) {
    const Index i = problem.impulses() + j;
    if (!(n.diagonal(i) > 0)) return std::nullopt;
    const Real rho = 1 / n.diagonal(i);
    Real target = x[i] - rho * y[i];
    if (!problem.row_lower.empty())
      target = std::clamp<Real>(target, problem.row_lower[j], problem.row_upper[j]);
    sum += (x[i] - target) * (x[i] - target) / rho;
  }
  return sum;
}

/// The square of what rounding of q̄ makes of a residual.
inline Real squared_rounding(const ContactProblem& problem, const PlainOperator& n) {
  const Reals q = n.velocity(Reals(problem.size(), 0.0));
  Real sum = 0;
  for (Index i = 0; i < problem.size(); ++i) {
    const auto [mean, length] = plain_scale(problem, n, i);
    sum += q[i] * length * q[i] * length / mean;
  }
  const Real epsilon = 64 * std::numeric_limits<double>::epsilon();
  return epsilon * epsilon * sum;
}

/// |x|_E.
inline Real energy_norm(const ContactProblem& problem, const PlainOperator& n, const Reals& x) {
  Real sum = 0;
  for (Index i = 0; i < problem.size(); ++i) {
    const auto [mean, length] = plain_scale(problem, n, i);
    sum += (x[i] / length) * (x[i] / length) * mean;
  }
  return std::sqrt(sum);
}

/// max(|F(x)|_E / |F(0)|_E, resolution), infinite for impulses out of all proportion; nothing for
/// problems too large for this or without a positive diagonal.
inline std::optional<double> plain_error(const ContactProblem& problem, const Vector& answer) {
  if (!PlainOperator::is_small(problem)) return std::nullopt;
  const PlainOperator n(problem);
  const Reals x(answer.begin(), answer.end());
  const auto square = squared_residual(problem, n, x);
  const auto reference = squared_residual(problem, n, Reals(x.size(), 0.0));
  if (!square || !reference) return std::nullopt;
  const Real rounding = squared_rounding(problem, n);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (!(*reference > rounding)) return *square <= rounding ? 0 : infinity;
  const Real size = energy_norm(problem, n, x) / std::sqrt(*reference);
  if (size > 1e9L) return infinity;
  const Real error = std::sqrt(*square / *reference);
  return static_cast<double>(std::max(error, size * 0x1p-52L));
}

/// Whether a claim to be within the tolerance, or not to be, agrees with the plain error up to
/// rounding.
inline bool agrees(bool claimed_within, double error, double tolerance) {
  const double slack = 0.01 * tolerance + 1e-11;
  return claimed_within ? error <= tolerance + slack : !(error < tolerance - slack);
}

} // namespace talus::test
