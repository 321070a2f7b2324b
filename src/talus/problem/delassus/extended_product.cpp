#include "talus/problem/delassus/extended_product.h"

#include "talus/linalg/mass_factor.h"

#include <array>
#include <span>

namespace talus {
namespace {

using Extended = long double;
using ExtendedVector = std::vector<Extended>;

/// y += A x.
void add_product(const SparseMatrix& a, std::span<const Extended> x, std::span<Extended> y) {
  for (Index i = 0; i < a.rows; ++i)
    for (Index k = a.row_start[i]; k < a.row_start[i + 1]; ++k)
      y[i] += Extended(a.value[k]) * x[a.column[k]];
}

/// y += Aᵀ x.
void add_transposed(const SparseMatrix& a, std::span<const Extended> x, std::span<Extended> y) {
  for (Index i = 0; i < a.rows; ++i)
    for (Index k = a.row_start[i]; k < a.row_start[i + 1]; ++k)
      y[a.column[k]] += Extended(a.value[k]) * x[i];
}

ExtendedVector product_of(const ContactProblem& problem, const LocalModel& model,
                          std::span<const Extended> x) {
  const Index impulses = problem.impulses();
  ExtendedVector y(x.size());
  const auto r = x.first(impulses), l = x.subspan(impulses);
  const auto u = std::span(y).first(impulses), s = std::span(y).subspan(impulses);
  add_product(model.W, r, u);
  if (l.empty()) return y;
  add_product(model.V, l, u);
  if (model.U.empty())
    add_transposed(model.V, r, s);
  else
    add_product(model.U, r, s);
  add_product(model.R, l, s);
  return y;
}

/// v = M⁻¹ b by a factorisation in double and refinement: each pass gains the digits that the
/// factorisation has, so that three suffice for all but hopeless M.
ExtendedVector solve_refined(const SparseMatrix& m, const ExtendedVector& b) {
  const MassFactor factor(m);
  ExtendedVector v(b.size());
  Vector residual(b.size());
  for (int pass = 0; pass < 4; ++pass) {
    ExtendedVector mv(b.size());
    add_product(m, v, mv);
    for (std::size_t i = 0; i < b.size(); ++i) residual[i] = static_cast<double>(b[i] - mv[i]);
    factor.solve(residual, residual);
    for (std::size_t i = 0; i < b.size(); ++i) v[i] += residual[i];
  }
  return v;
}

ExtendedVector product_of(const ContactProblem& problem, const GlobalModel& model,
                          std::span<const Extended> x) {
  const Index impulses = problem.impulses();
  ExtendedVector impulse(model.M.rows), y(x.size());
  add_product(model.H, x.first(impulses), impulse);
  if (!model.G.empty()) add_product(model.G, x.subspan(impulses), impulse);
  const ExtendedVector v = solve_refined(model.M, impulse);
  add_transposed(model.H, v, std::span(y).first(impulses));
  if (!model.G.empty()) add_transposed(model.G, v, std::span(y).subspan(impulses));
  return y;
}

using Six = std::array<Extended, 6>;

/// The directions of one entry of x: how its impulse acts on the two bodies.
struct Column {
  Six a, b;
};

Six six(const Extended (&linear)[3], const Extended (&angular)[3]) {
  return {linear[0], linear[1], linear[2], angular[0], angular[1], angular[2]};
}

/// Entry `axis` of a contact: normal, tangent, normal x tangent, and the moments about tangent,
/// normal x tangent and normal.
Column column_of(const RigidContact& contact, int axis) {
  const Extended n[3] = {contact.normal.x, contact.normal.y, contact.normal.z};
  const Extended t[3] = {contact.tangent.x, contact.tangent.y, contact.tangent.z};
  // The third axis is rounded as the operators round it: it is data of the problem.
  const Vec3 third = cross(contact.normal, contact.tangent);
  const Extended o[3] = {third.x, third.y, third.z};
  const Extended(&d)[3] = axis == 0 || axis == 5 ? n : axis == 1 || axis == 3 ? t : o;
  if (axis >= 3) {
    const Extended none[3] = {}, opposite[3] = {-d[0], -d[1], -d[2]};
    return {six(none, opposite), six(none, d)};
  }
  const auto moment = [&](const Vec3& arm, Extended sign) {
    const Extended force[3] = {sign * d[0], sign * d[1], sign * d[2]};
    const Extended turn[3] = {arm.y * force[2] - arm.z * force[1],
                              arm.z * force[0] - arm.x * force[2],
                              arm.x * force[1] - arm.y * force[0]};
    return six(force, turn);
  };
  return {moment(contact.arm_a, -1), moment(contact.arm_b, 1)};
}

Column column_of(const RigidRow& row) {
  return {{row.linear_a.x, row.linear_a.y, row.linear_a.z, row.angular_a.x, row.angular_a.y,
           row.angular_a.z},
          {row.linear_b.x, row.linear_b.y, row.linear_b.z, row.angular_b.x, row.angular_b.y,
           row.angular_b.z}};
}

/// Calls body(entry of x, bodies, column) for every entry.
template <class Body>
void for_each_column(const ContactProblem& problem, const RigidModel& model, Body&& body) {
  for (std::size_t c = 0; c < model.contacts.size(); ++c)
    for (int axis = 0; axis < problem.dimension; ++axis)
      body(problem.dimension * c + axis, model.contact_bodies[c],
           column_of(model.contacts[c], axis));
  for (std::size_t j = 0; j < model.rows.size(); ++j)
    body(problem.impulses() + j, model.row_bodies[j], column_of(model.rows[j]));
}

Six times_inverse_mass(const RigidInverseMass& m, const Six& f) {
  const double* i = m.inertia;
  return {m.mass * f[0],
          m.mass * f[1],
          m.mass * f[2],
          i[0] * f[3] + i[1] * f[4] + i[2] * f[5],
          i[1] * f[3] + i[3] * f[4] + i[4] * f[5],
          i[2] * f[3] + i[4] * f[4] + i[5] * f[5]};
}

ExtendedVector product_of(const ContactProblem& problem, const RigidModel& model,
                          std::span<const Extended> x) {
  std::vector<Six> bodies(model.inverse_mass.size(), Six{});
  for_each_column(problem, model, [&](std::size_t i, BodyPair pair, const Column& column) {
    for (int k = 0; k < 6; ++k) {
      if (pair.a >= 0) bodies[pair.a][k] += column.a[k] * x[i];
      if (pair.b >= 0) bodies[pair.b][k] += column.b[k] * x[i];
    }
  });
  for (std::size_t b = 0; b < bodies.size(); ++b)
    bodies[b] = times_inverse_mass(model.inverse_mass[b], bodies[b]);
  ExtendedVector y(x.size());
  for_each_column(problem, model, [&](std::size_t i, BodyPair pair, const Column& column) {
    for (int k = 0; k < 6; ++k) {
      if (pair.a >= 0) y[i] += column.a[k] * bodies[pair.a][k];
      if (pair.b >= 0) y[i] += column.b[k] * bodies[pair.b][k];
    }
  });
  return y;
}

} // namespace

void extended_product(const ContactProblem& problem, ConstSpan x, Span y) {
  const ExtendedVector wide(x.begin(), x.end());
  const ExtendedVector result =
      std::visit([&](const auto& model) { return product_of(problem, model, std::span(wide)); },
                 problem.model);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Extended yielding = problem.compliance.empty() ? 0 : problem.compliance[i] * wide[i];
    y[i] = static_cast<double>(result[i] + yielding);
  }
}

} // namespace talus
