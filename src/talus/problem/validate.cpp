// The contradictions a ContactProblem can hold, checked in the order a reader would: the contacts,
// then the model's sizes, then its numbers.

#include "talus/contact/set_traits.h"
#include "talus/core/error.h"
#include "talus/core/friction_range.h"
#include "talus/problem/contact_problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace talus {

namespace {

template <class... Arguments>
[[noreturn]] void reject(fmt::format_string<Arguments...> text, Arguments&&... arguments) {
  throw InvalidProblem(fmt::format(text, std::forward<Arguments>(arguments)...));
}

void check_length(const Vector& x, std::int64_t length, const char* name) {
  if (static_cast<std::int64_t>(x.size()) != length)
    reject("{} has {} entries; {} are needed", name, x.size(), length);
}

void check_finite(const Vector& x, const char* name) {
  const auto bad = std::find_if(x.begin(), x.end(), [](double v) { return !std::isfinite(v); });
  if (bad != x.end()) reject("{}[{}] is {}; it must be finite", name, bad - x.begin(), *bad);
}

void check_vector(const Vector& x, std::int64_t length, const char* name) {
  check_length(x, length, name);
  check_finite(x, name);
}

void check_nonnegative(const Vector& x, std::int64_t length, const char* name) {
  check_vector(x, length, name);
  const auto bad = std::find_if(x.begin(), x.end(), [](double v) { return v < 0; });
  if (bad != x.end()) reject("{}[{}] is {}; it must not be negative", name, bad - x.begin(), *bad);
}

/// Compressed rows as sparse_matrix.h promises them: everything later trusts the indices.
void check_structure(const SparseMatrix& a, const char* name) {
  if (a.rows < 0 || a.columns < 0 || a.row_start.size() != static_cast<std::size_t>(a.rows) + 1 ||
      a.row_start.front() != 0 || a.column.size() != a.value.size() ||
      a.row_start.back() != static_cast<std::int64_t>(a.value.size()))
    reject("{} is not a matrix in compressed rows: its arrays have contradictory lengths", name);
  for (Index i = 0; i < a.rows; ++i)
    if (a.row_start[i] > a.row_start[i + 1])
      reject("row {} of {} has a negative number of entries", i, name);
  for (Index i = 0; i < a.rows; ++i)
    for (Index k = a.row_start[i]; k < a.row_start[i + 1]; ++k) {
      const Index j = a.column[k];
      if (j < 0 || j >= a.columns)
        reject("{} has an entry in column {} of row {}; it has {} columns", name, j, i, a.columns);
      if (k > a.row_start[i] && a.column[k - 1] >= j)
        reject("row {} of {} is not sorted by column, or repeats one", i, name);
      if (!std::isfinite(a.value[k]))
        reject("{}({}, {}) is {}; it must be finite", name, i, j, a.value[k]);
    }
}

/// A matrix without rows or without columns may be given as a default-constructed one.
void check_matrix(const SparseMatrix& a, std::int64_t rows, std::int64_t columns,
                  const char* name) {
  check_structure(a, name);
  if ((rows == 0 || columns == 0) && a.empty()) return;
  if (a.rows != rows || a.columns != columns)
    reject("{} is {} x {}; it must be {} x {}", name, a.rows, a.columns, rows, columns);
}

void check_model(const ContactProblem& problem, const LocalModel& local) {
  const Index impulses = problem.impulses(), equalities = problem.equalities();
  check_vector(local.q, impulses, "q");
  check_matrix(local.W, impulses, impulses, "W");
  check_finite(local.s, "s");
  check_matrix(local.V, impulses, equalities, "V");
  check_matrix(local.R, equalities, equalities, "R");
  check_structure(local.U, "U");
  if (!local.U.empty()) check_matrix(local.U, equalities, impulses, "U");
}

void check_model(const ContactProblem& problem, const GlobalModel& global) {
  const Index dofs = problem.dofs();
  check_matrix(global.M, dofs, dofs, "M");
  check_vector(global.f, dofs, "f");
  check_vector(global.w, problem.impulses(), "w");
  check_matrix(global.H, dofs, problem.impulses(), "H");
  check_finite(global.b, "b");
  check_matrix(global.G, dofs, problem.equalities(), "G");
}

void check_pairs(const std::vector<BodyPair>& pairs, std::size_t length, Index bodies,
                 const char* what) {
  if (pairs.size() != length)
    reject("{} pairs of bodies are given for {} {}s", pairs.size(), length, what);
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    for (const Index body : {pairs[k].a, pairs[k].b})
      if (body < -1 || body >= bodies)
        reject("{} {} names body {}; there are {} (0 to {}), and -1 for the world", what, k, body,
               bodies, bodies - 1);
    if (pairs[k].a == pairs[k].b)
      reject("{} {} has body {} on both sides; it takes two", what, k, pairs[k].a);
  }
}

/// Frames come from normalised vectors; anything worse than this is a mistake, not rounding.
constexpr double frame_tolerance = 1e-6;

void check_contact(const RigidContact& contact, std::size_t c) {
  for (const Vec3& v : {contact.normal, contact.tangent, contact.arm_a, contact.arm_b})
    if (!is_finite(v)) reject("contact {} has a frame or an arm that is not finite", c);
  if (std::abs(norm(contact.normal) - 1) > frame_tolerance)
    reject("contact {} has a normal of length {}; it must be 1", c, norm(contact.normal));
  if (std::abs(norm(contact.tangent) - 1) > frame_tolerance)
    reject("contact {} has a tangent of length {}; it must be 1", c, norm(contact.tangent));
  if (std::abs(dot(contact.normal, contact.tangent)) > frame_tolerance)
    reject("contact {} has a tangent that is not orthogonal to its normal", c);
}

/// Positive semidefinite up to rounding: all principal minors, relative to the diagonal.
bool is_positive_semidefinite(const double* j) {
  const double xx = j[0], xy = j[1], xz = j[2], yy = j[3], yz = j[4], zz = j[5];
  constexpr double slack = 1 + 1e-9;
  if (xx < 0 || yy < 0 || zz < 0) return false;
  if (xy * xy > slack * xx * yy || xz * xz > slack * xx * zz || yz * yz > slack * yy * zz)
    return false;
  const double determinant =
      xx * (yy * zz - yz * yz) - xy * (xy * zz - yz * xz) + xz * (xy * yz - yy * xz);
  return determinant >= -1e-9 * xx * yy * zz;
}

void check_mass(const RigidInverseMass& m, std::size_t body) {
  if (!std::isfinite(m.mass) || m.mass < 0)
    reject("body {} has inverse mass {}; it must be finite and not negative", body, m.mass);
  for (const double j : m.inertia)
    if (!std::isfinite(j)) reject("body {} has an inverse inertia that is not finite", body);
  if (!is_positive_semidefinite(m.inertia))
    reject("body {} has an inverse inertia that is not positive semidefinite", body);
}

void check_model(const ContactProblem& problem, const RigidModel& rigid) {
  if (problem.dimension != (has_moments(problem.friction.kind) ? 6 : 3))
    reject("a rigid model has dimension 3, or 6 with rolling friction, not {}", problem.dimension);
  const std::size_t bodies = rigid.inverse_mass.size(), contacts = problem.mu.size();
  check_vector(rigid.free_velocity, 6 * static_cast<std::int64_t>(bodies), "free_velocity");
  if (rigid.contacts.size() != contacts)
    reject("{} rigid contacts are given, but mu has {} entries", rigid.contacts.size(), contacts);
  check_vector(rigid.w, problem.impulses(), "w");
  check_vector(rigid.b, problem.equalities(), "b");
  check_pairs(rigid.contact_bodies, contacts, static_cast<Index>(bodies), "contact");
  check_pairs(rigid.row_bodies, rigid.rows.size(), static_cast<Index>(bodies), "equality row");
  for (std::size_t body = 0; body < bodies; ++body) check_mass(rigid.inverse_mass[body], body);
  for (std::size_t c = 0; c < contacts; ++c) check_contact(rigid.contacts[c], c);
  for (std::size_t j = 0; j < rigid.rows.size(); ++j) {
    const RigidRow& row = rigid.rows[j];
    for (const Vec3& v : {row.linear_a, row.angular_a, row.linear_b, row.angular_b})
      if (!is_finite(v)) reject("equality row {} has a Jacobian that is not finite", j);
  }
}

/// Sizes as 64-bit numbers: the problem's own accessors are only safe once these fit.
void check_size(const ContactProblem& problem) {
  struct Lengths {
    std::size_t equalities, dofs;
  };
  const auto lengths = std::visit(
      [](const auto& model) -> Lengths {
        using Model = std::decay_t<decltype(model)>;
        if constexpr (std::is_same_v<Model, LocalModel>)
          return {model.s.size(), 0};
        else if constexpr (std::is_same_v<Model, GlobalModel>)
          return {model.b.size(), model.f.size()};
        else
          return {model.rows.size(), 6 * model.inverse_mass.size()};
      },
      problem.model);
  constexpr std::size_t most = std::numeric_limits<Index>::max();
  if (problem.dimension * problem.mu.size() + lengths.equalities > most || lengths.dofs > most)
    reject("the problem has {} impulses and {} velocities; at most {} can be counted",
           problem.dimension * problem.mu.size() + lengths.equalities, lengths.dofs, most);
}

void check_dimension(const ContactProblem& problem) {
  const int d = problem.dimension;
  if ((d < 1 || d > 3) && d != 5 && d != 6)
    reject("the dimension is {}; it must be 1, 2 or 3, with rolling friction 3, 5 or 6", d);
  if (!exists_in(problem.friction.kind, d))
    reject("the friction set {} does not exist in dimension {}; {}", name_of(problem.friction.kind),
           d,
           d > 3 ? "the set of contacts with moments is rolling"
                 : "contacts with moments have dimension 5 or 6, or 3 in the plane");
}

void check_friction(const ContactProblem& problem) {
  const FrictionSet& set = problem.friction;
  if (has_facets(set.kind) && (set.facets < 4 || set.facets > max_facets || set.facets % 2 != 0))
    reject("{} facets are asked for; an even number from 4 to {} is needed", set.facets,
           max_facets);
  check_nonnegative(problem.mu, problem.contacts(), "mu");
  const auto rough =
      std::ranges::find_if(problem.mu, [](double m) { return m > largest_friction; });
  if (rough != problem.mu.end())
    reject("mu[{}] is {}; at most {} is possible", rough - problem.mu.begin(), *rough,
           largest_friction);
  const Index moments = has_moments(set.kind) ? problem.contacts() : 0;
  check_nonnegative(problem.rolling, moments, "rolling");
  check_nonnegative(problem.spinning, problem.dimension == 6 ? moments : 0, "spinning");
  if (has_fixed_bound(set.kind) || !problem.normal_estimate.empty())
    check_nonnegative(problem.normal_estimate, problem.contacts(), "normal_estimate");
  if (!problem.compliance.empty())
    check_nonnegative(problem.compliance, problem.size(), "compliance");
}

/// Bounds may be infinite, but only outwards: an l with lower <= l <= upper exists.
void check_row_bounds(const ContactProblem& problem) {
  const Vector &lower = problem.row_lower, &upper = problem.row_upper;
  if (lower.empty() && upper.empty()) return;
  if (lower.empty() || upper.empty())
    reject("{} is given without {}; both or neither are needed (infinite where there is no bound)",
           lower.empty() ? "row_upper" : "row_lower", lower.empty() ? "row_lower" : "row_upper");
  check_length(lower, problem.equalities(), "row_lower");
  check_length(upper, problem.equalities(), "row_upper");
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (std::size_t j = 0; j < lower.size(); ++j)
    if (!(lower[j] <= upper[j]) || lower[j] == infinity || upper[j] == -infinity)
      reject("row_lower[{}] is {} and row_upper[{}] is {}; no multiplier lies between them", j,
             lower[j], j, upper[j]);
}

} // namespace

void validate(const ContactProblem& problem) {
  check_dimension(problem);
  check_size(problem);
  check_friction(problem);
  check_row_bounds(problem);
  std::visit([&](const auto& model) { check_model(problem, model); }, problem.model);
}

} // namespace talus
