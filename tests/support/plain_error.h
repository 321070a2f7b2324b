#pragma once
// The error of problem/quality.h once more, from its definition: in physical variables, with plain
// loops, without the library's operators, scaling and projections. What judges the judge.

#include "talus/problem/contact_problem.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

namespace talus::testing {

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

  Vector velocity(const Vector& x) const {
    Vector y = std::visit([&](const auto& model) { return velocity(model, x); }, problem_.model);
    for (std::size_t i = 0; i < problem_.compliance.size(); ++i)
      y[i] += problem_.compliance[i] * x[i];
    return y;
  }

  double diagonal(Index i) const {
    const double e = problem_.compliance.empty() ? 0 : problem_.compliance[i];
    return e + std::visit([&](const auto& model) { return diagonal(model, i); }, problem_.model);
  }

private:
  /// An entry of x as the impulses on its two bodies per unit.
  struct Entry {
    BodyPair bodies;
    RigidRow row;
  };
  Entry rigid_entry(const RigidModel& model, Index i) const {
    if (i >= problem_.impulses())
      return {model.row_bodies[i - problem_.impulses()], model.rows[i - problem_.impulses()]};
    const RigidContact& contact = model.contacts[i / 3];
    const Vec3 d = i % 3 == 0   ? contact.normal
                   : i % 3 == 1 ? contact.tangent
                                : cross(contact.normal, contact.tangent);
    return {model.contact_bodies[i / 3],
            {-d, -cross(contact.arm_a, d), d, cross(contact.arm_b, d)}};
  }
  static Vec3 turned(const RigidInverseMass& m, const Vec3& a) {
    const double* j = m.inertia;
    return {j[0] * a.x + j[1] * a.y + j[2] * a.z, j[1] * a.x + j[3] * a.y + j[4] * a.z,
            j[2] * a.x + j[4] * a.y + j[5] * a.z};
  }

  Vector velocity(const RigidModel& model, const Vector& x) const {
    std::vector<Vec3> linear, angular;
    for (std::size_t b = 0; b < model.inverse_mass.size(); ++b) {
      const double* v = &model.free_velocity[6 * b];
      linear.push_back({v[0], v[1], v[2]});
      angular.push_back({v[3], v[4], v[5]});
    }
    const auto push = [&](Index body, double size, const Vec3& force, const Vec3& torque) {
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
    const auto seen = [&](Index body, const Vec3& force, const Vec3& torque) {
      return body < 0 ? 0.0 : dot(force, linear[body]) + dot(torque, angular[body]);
    };
    Vector y;
    for (Index i = 0; i < problem_.size(); ++i) {
      const auto [bodies, row] = rigid_entry(model, i);
      const double bias = i < problem_.impulses() ? model.w[i] : model.b[i - problem_.impulses()];
      y.push_back(bias + seen(bodies.a, row.linear_a, row.angular_a) +
                  seen(bodies.b, row.linear_b, row.angular_b));
    }
    return y;
  }
  double diagonal(const RigidModel& model, Index i) const {
    const auto [bodies, row] = rigid_entry(model, i);
    const auto part = [&](Index body, const Vec3& force, const Vec3& torque) {
      if (body < 0) return 0.0;
      const RigidInverseMass& m = model.inverse_mass[body];
      return m.mass * dot(force, force) + dot(torque, turned(m, torque));
    };
    return part(bodies.a, row.linear_a, row.angular_a) +
           part(bodies.b, row.linear_b, row.angular_b);
  }

  /// y += A x, or Aᵀ x, with the parts of y and x that begin at `row` and `column`.
  static void add(const SparseMatrix& a, bool transposed, Index row, Index column, const Vector& x,
                  Vector& y) {
    for (Index i = 0; i < a.rows; ++i)
      for (Index k = a.row_start[i]; k < a.row_start[i + 1]; ++k) {
        const Index j = a.column[k];
        y[row + (transposed ? j : i)] += a.value[k] * x[column + (transposed ? i : j)];
      }
  }

  Vector velocity(const LocalModel& model, const Vector& x) const {
    Vector y = model.q;
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
  double diagonal(const LocalModel& model, Index i) const {
    const Index j = i - problem_.impulses();
    return j < 0 ? entry(model.W, i, i) : entry(model.R, j, j);
  }

  Vector velocity(const GlobalModel& model, const Vector& x) const {
    const Index rows = problem_.impulses();
    Vector momentum = model.f, y = model.w;
    y.insert(y.end(), model.b.begin(), model.b.end());
    add(model.H, false, 0, 0, x, momentum);
    add(model.G, false, 0, rows, x, momentum);
    const Vector v = accelerated(momentum);
    add(model.H, true, 0, 0, v, y);
    add(model.G, true, rows, 0, v, y);
    return y;
  }
  double diagonal(const GlobalModel& model, Index i) const {
    const Index j = i - problem_.impulses();
    Vector unit(problem_.size(), 0.0), column(problem_.dofs(), 0.0);
    unit[i] = 1;
    if (j < 0)
      add(model.H, false, 0, 0, unit, column);
    else
      add(model.G, false, 0, problem_.impulses(), unit, column);
    const Vector response = accelerated(column);
    double sum = 0;
    for (std::size_t k = 0; k < column.size(); ++k) sum += column[k] * response[k];
    return sum;
  }
  Vector accelerated(const Vector& momentum) const {
    const std::size_t n = momentum.size();
    Vector v(n, 0.0);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) v[i] += inverse_mass_[n * i + j] * momentum[j];
    return v;
  }
  /// Gauss and Jordan, with row pivots.
  void invert(const SparseMatrix& mass) {
    const auto n = static_cast<std::size_t>(mass.rows);
    Vector a(n * n, 0.0);
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
      const double scale = 1 / a[n * k + k];
      for (std::size_t j = 0; j < n; ++j) {
        a[n * k + j] *= scale;
        inverse_mass_[n * k + j] *= scale;
      }
      for (std::size_t i = 0; i < n; ++i) {
        const double factor = a[n * i + k];
        if (i == k || factor == 0) continue;
        for (std::size_t j = 0; j < n; ++j) {
          a[n * i + j] -= factor * a[n * k + j];
          inverse_mass_[n * i + j] -= factor * inverse_mass_[n * k + j];
        }
      }
    }
  }

  const ContactProblem& problem_;
  Vector inverse_mass_;
};

/// A tangential vector, or a point of a cross section.
struct Tangent {
  double x = 0, y = 0;
};
inline double dot(const Tangent& a, const Tangent& b) {
  return a.x * b.x + a.y * b.y;
}

/// Corners of the cross section S in order; none for the disc.
inline std::vector<Tangent> corners(const FrictionSet& set) {
  if (set.kind == FrictionKind::box || set.kind == FrictionKind::pyramid)
    return {{1, 1}, {-1, 1}, {-1, -1}, {1, -1}};
  std::vector<Tangent> result;
  if (set.kind == FrictionKind::prism || set.kind == FrictionKind::polyhedron)
    for (int k = 0; k < set.facets; ++k) {
      const double angle = 2 * std::numbers::pi * k / set.facets;
      result.push_back({std::cos(angle), std::sin(angle)});
    }
  return result;
}

/// The nearest point of size · S.
inline Tangent nearest_in_section(const FrictionSet& set, double size, const Tangent& t) {
  const auto polygon = corners(set);
  if (polygon.empty()) {
    const double length = std::hypot(t.x, t.y);
    const double s = length > size ? size / length : 1;
    return {s * t.x, s * t.y};
  }
  bool inside = size > 0;
  Tangent best;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < polygon.size(); ++k) {
    const Tangent a{size * polygon[k].x, size * polygon[k].y};
    const Tangent& next = polygon[(k + 1) % polygon.size()];
    const Tangent edge{size * next.x - a.x, size * next.y - a.y}, from{t.x - a.x, t.y - a.y};
    inside = inside && edge.x * from.y - edge.y * from.x >= 0;
    const double length = dot(edge, edge);
    const double s = length > 0 ? std::clamp(dot(edge, from) / length, 0.0, 1.0) : 0;
    const Tangent point{a.x + s * edge.x, a.y + s * edge.y};
    const double gap = std::hypot(t.x - point.x, t.y - point.y);
    if (gap < least) least = gap, best = point;
  }
  return inside ? t : best;
}

/// The nearest point of a cone-shaped set: of all its faces, the nearest point of the nearest one.
inline Vec3 nearest_in_cone(const FrictionSet& set, double mu, const Vec3& r) {
  const auto polygon = corners(set);
  if (polygon.empty()) {
    // The disc: a problem in the plane of r and the axis.
    const double t = std::hypot(r.y, r.z);
    if (t <= mu * r.x) return r;
    const double along = std::max(0.0, (r.x + mu * t) / (1 + mu * mu));
    const double s = t > 0 ? mu * along / t : 0;
    return {along, s * r.y, s * r.z};
  }
  std::vector<Vec3> edges;
  for (const Tangent& p : polygon) edges.push_back({1, mu * p.x, mu * p.y});
  Vec3 best;
  bool inside = r.x >= 0;
  const auto offer = [&](const Vec3& point) {
    if (norm(r - point) < norm(r - best)) best = point;
  };
  for (std::size_t k = 0; k < edges.size(); ++k) {
    const Vec3 &a = edges[k], &b = edges[(k + 1) % edges.size()];
    const Vec3 inward = cross(a, b);
    inside = inside && dot(inward, r) >= 0;
    offer(std::max(0.0, dot(a, r) / dot(a, a)) * a);
    const double size = dot(inward, inward);
    if (!(size > 0)) { // without friction the cone is its axis
      inside = false;
      continue;
    }
    const Vec3 point = r - (dot(inward, r) / size) * inward;
    if (dot(cross(a, point), inward) >= 0 && dot(cross(point, b), inward) >= 0) offer(point);
  }
  return inside ? r : best;
}

/// P_K of contact c, in components (normal, tangential ...); missing components are 0.
inline Vec3 nearest_admissible(const ContactProblem& problem, Index c, const Vec3& r) {
  const FrictionSet& set = problem.friction;
  const double mu = problem.mu[c], normal = std::max(0.0, r.x);
  if (problem.dimension == 1 || set.kind == FrictionKind::none) return {normal, 0, 0};
  const double bound = has_fixed_bound(set.kind) ? mu * problem.normal_estimate[c] : 0;
  if (problem.dimension == 2) {
    if (has_fixed_bound(set.kind)) return {normal, std::clamp(r.y, -bound, bound), 0};
    return nearest_in_cone({FrictionKind::cone}, mu, {r.x, r.y, 0});
  }
  if (is_cone_shaped(set.kind)) return nearest_in_cone(set, mu, r);
  const Tangent t = nearest_in_section(set, bound, {r.y, r.z});
  return {normal, t.x, t.y};
}

/// σ(u_t) = max { -s·u_t : s ∈ mu S }.
inline double plain_tilt(const ContactProblem& problem, Index c, const Vec3& u) {
  const FrictionSet& set = problem.friction;
  if (problem.dimension == 1 || problem.law != Law::coulomb || !is_cone_shaped(set.kind)) return 0;
  const auto polygon = problem.dimension == 3 ? corners(set) : std::vector<Tangent>{};
  if (polygon.empty()) return problem.mu[c] * std::hypot(u.y, u.z);
  double largest = 0;
  for (const Tangent& p : polygon) largest = std::max(largest, -dot(p, {u.y, u.z}));
  return problem.mu[c] * largest;
}

/// Σ |F_c|² / rho_c + Σ F_j² / rho_j; nothing where a rho is not that of the definition, because N
/// has no positive diagonal there.
inline std::optional<double> squared_residual(const ContactProblem& problem, const PlainOperator& n,
                                              const Vector& x) {
  const int d = problem.dimension;
  const Vector y = n.velocity(x);
  double sum = 0;
  for (Index c = 0; c < problem.contacts(); ++c) {
    double trace = 0;
    Vec3 r, u;
    for (int i = 0; i < d; ++i) {
      trace += n.diagonal(d * c + i);
      r[i] = x[d * c + i];
      u[i] = y[d * c + i];
    }
    if (!(trace > 0)) return std::nullopt;
    const double rho = d / trace;
    u.x += plain_tilt(problem, c, u);
    const Vec3 f = r - nearest_admissible(problem, c, r - rho * u);
    sum += talus::dot(f, f) / rho;
  }
  for (Index j = 0; j < problem.equalities(); ++j) {
    const Index i = problem.impulses() + j;
    if (!(n.diagonal(i) > 0)) return std::nullopt;
    const double rho = 1 / n.diagonal(i);
    double target = x[i] - rho * y[i];
    if (!problem.row_lower.empty())
      target = std::clamp(target, problem.row_lower[j], problem.row_upper[j]);
    sum += (x[i] - target) * (x[i] - target) / rho;
  }
  return sum;
}

/// The square of what rounding of q̄ makes of a residual.
inline double squared_rounding(const ContactProblem& problem, const PlainOperator& n) {
  const Vector q = n.velocity(Vector(problem.size(), 0.0));
  double sum = 0;
  for (Index i = 0; i < problem.size(); ++i) {
    double diagonal = 0;
    const Index first = i < problem.impulses() ? i - i % problem.dimension : i;
    const Index entries = i < problem.impulses() ? problem.dimension : 1;
    for (Index k = first; k < first + entries; ++k) diagonal += n.diagonal(k) / entries;
    sum += q[i] * q[i] / diagonal;
  }
  const double epsilon = 64 * std::numeric_limits<double>::epsilon();
  return epsilon * epsilon * sum;
}

/// |F(x)|_E / |F(0)|_E; nothing for problems too large for this or without a positive diagonal.
inline std::optional<double> plain_error(const ContactProblem& problem, const Vector& x) {
  if (!PlainOperator::is_small(problem)) return std::nullopt;
  const PlainOperator n(problem);
  const auto square = squared_residual(problem, n, x);
  const auto reference = squared_residual(problem, n, Vector(x.size(), 0.0));
  if (!square || !reference) return std::nullopt;
  const double rounding = squared_rounding(problem, n);
  if (*reference > rounding) return std::sqrt(*square / *reference);
  return *square <= rounding ? 0 : std::numeric_limits<double>::infinity();
}

/// Whether a claim to be within the tolerance, or not to be, agrees with the plain error up to
/// rounding.
inline bool agrees(bool claimed_within, double error, double tolerance) {
  const double slack = 0.01 * tolerance + 1e-11;
  return claimed_within ? error <= tolerance + slack : !(error < tolerance - slack);
}

} // namespace talus::testing
