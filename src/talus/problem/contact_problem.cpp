#include "talus/problem/contact_problem.h"

#include "talus/contact/set_traits.h"
#include "talus/core/error.h"

#include <Eigen/Cholesky>

#include <algorithm>
#include <array>

namespace talus {

namespace {

constexpr int body_dofs = 6;
using Row6 = std::array<double, body_dofs>;

/// The velocity of one body (v, ω) to one component of a relative velocity.
Row6 stack(const Vec3& linear, const Vec3& angular) {
  return {linear.x, linear.y, linear.z, angular.x, angular.y, angular.z};
}

double inverse_diagonal(const RigidInverseMass& m, int dof) {
  if (dof < 3) return m.mass;
  constexpr int diagonal[3] = {0, 3, 5};
  return m.inertia[diagonal[dof - 3]];
}

/// Inertia of the angular degrees of freedom that can move. A locked one has a zero row in the
/// inverse inertia J (J is positive semidefinite); any positive number on its diagonal keeps it out
/// of the others, and their largest keeps the pivots comparable.
Eigen::Matrix3d inertia(const RigidInverseMass& m, Index body) {
  const double* j = m.inertia;
  Eigen::Matrix3d inverse;
  inverse << j[0], j[1], j[2], j[1], j[3], j[4], j[2], j[4], j[5];
  const double largest = inverse.diagonal().maxCoeff();
  for (int i = 0; i < 3; ++i)
    if (inverse(i, i) == 0) inverse(i, i) = largest > 0 ? largest : 1;
  const Eigen::LDLT<Eigen::Matrix3d> factor(inverse);
  // Pivots this far below the largest are rounding: the inertia would be noise.
  const auto pivots = factor.vectorD();
  if (factor.info() != Eigen::Success || pivots.minCoeff() <= 1e-14 * pivots.maxCoeff())
    throw InvalidProblem("body " + std::to_string(body) +
                         " has a singular inverse inertia: lock rotations about world axes (zero "
                         "rows) or all of them");
  return factor.solve(Eigen::Matrix3d::Identity());
}

/// Translates a RigidModel: degrees of freedom that can move get a place in v, the others are moved
/// to the right-hand sides with their prescribed velocity.
class GlobalBuilder {
public:
  GlobalBuilder(const RigidModel& rigid, int dimension) : rigid_(rigid), dimension_(dimension) {
    place_.assign(rigid.free_velocity.size(), -1);
    const std::vector<Index> mobile = mobile_dofs(rigid);
    for (std::size_t k = 0; k < mobile.size(); ++k) place_[mobile[k]] = static_cast<Index>(k);
    dofs_ = static_cast<Index>(mobile.size());
  }

  GlobalModel build() {
    GlobalModel global;
    build_masses(global);
    build_contacts(global);
    build_rows(global);
    return global;
  }

private:
  Index place(Index body, int dof) const {
    return place_[static_cast<std::size_t>(body_dofs) * body + dof];
  }
  double velocity(Index body, int dof) const {
    return rigid_.free_velocity[static_cast<std::size_t>(body_dofs) * body + dof];
  }

  void build_masses(GlobalModel& global) const {
    std::vector<Triplet> entries;
    global.f.assign(dofs_, 0.0);
    for (Index body = 0; body < static_cast<Index>(rigid_.inverse_mass.size()); ++body) {
      const RigidInverseMass& inverse = rigid_.inverse_mass[body];
      const Eigen::Matrix3d rotational = inertia(inverse, body);
      const auto add = [&](int i, int j, double value) {
        const Index row = place(body, i), column = place(body, j);
        if (row < 0 || column < 0 || value == 0) return;
        entries.push_back({row, column, value});
        global.f[row] += value * velocity(body, j);
      };
      for (int i = 0; i < 3 && inverse.mass > 0; ++i) add(i, i, 1 / inverse.mass);
      // Only one triangle is taken from the solve, so that M is symmetric to the last bit.
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) add(3 + i, 3 + j, rotational(std::max(i, j), std::min(i, j)));
    }
    global.M = from_triplets(dofs_, dofs_, std::move(entries));
  }

  /// One side of one column of H or G: into the matrix, or into the constant when it cannot move.
  void add_column(Index body, const Row6& jacobian, Index column, std::vector<Triplet>& entries,
                  double& constant) const {
    if (body < 0) return;
    for (int dof = 0; dof < body_dofs; ++dof) {
      if (jacobian[dof] == 0) continue;
      if (const Index row = place(body, dof); row >= 0)
        entries.push_back({row, column, jacobian[dof]});
      else
        constant += jacobian[dof] * velocity(body, dof);
    }
  }

  void build_contacts(GlobalModel& global) const {
    std::vector<Triplet> entries;
    global.w = rigid_.w;
    for (Index c = 0; c < static_cast<Index>(rigid_.contacts.size()); ++c) {
      const RigidContact& contact = rigid_.contacts[c];
      const BodyPair pair = rigid_.contact_bodies[c];
      const Vec3 axes[3] = {contact.normal, contact.tangent,
                            cross(contact.normal, contact.tangent)};
      for (int k = 3; k < dimension_; ++k) { // moments about tangent, third axis, normal
        const Index column = dimension_ * c + k;
        const Vec3& axis = axes[(k - 2) % 3];
        add_column(pair.a, stack({}, -axis), column, entries, global.w[column]);
        add_column(pair.b, stack({}, axis), column, entries, global.w[column]);
      }
      for (int k = 0; k < 3; ++k) {
        // axis · (ω x arm) = (arm x axis) · ω
        const Index column = dimension_ * c + k;
        add_column(pair.a, stack(-axes[k], -cross(contact.arm_a, axes[k])), column, entries,
                   global.w[column]);
        add_column(pair.b, stack(axes[k], cross(contact.arm_b, axes[k])), column, entries,
                   global.w[column]);
      }
    }
    global.H = from_triplets(dofs_, static_cast<Index>(global.w.size()), std::move(entries));
  }

  void build_rows(GlobalModel& global) const {
    if (rigid_.rows.empty()) return;
    std::vector<Triplet> entries;
    global.b = rigid_.b;
    for (Index j = 0; j < static_cast<Index>(rigid_.rows.size()); ++j) {
      const RigidRow& row = rigid_.rows[j];
      const BodyPair pair = rigid_.row_bodies[j];
      add_column(pair.a, stack(row.linear_a, row.angular_a), j, entries, global.b[j]);
      add_column(pair.b, stack(row.linear_b, row.angular_b), j, entries, global.b[j]);
    }
    global.G = from_triplets(dofs_, static_cast<Index>(global.b.size()), std::move(entries));
  }

  const RigidModel& rigid_;
  int dimension_;
  std::vector<Index>
      place_; ///< Where each entry of the rigid v went, -1 for those that cannot move.
  Index dofs_ = 0;
};

} // namespace

bool ContactProblem::has_moments() const {
  return talus::has_moments(friction.kind);
}

int ContactProblem::first_moment() const {
  return impulse_components(friction.kind, dimension);
}

Index ContactProblem::equalities() const {
  if (const auto* local = std::get_if<LocalModel>(&model))
    return static_cast<Index>(local->s.size());
  if (const auto* global = std::get_if<GlobalModel>(&model))
    return static_cast<Index>(global->b.size());
  return static_cast<Index>(std::get<RigidModel>(model).rows.size());
}

Index ContactProblem::dofs() const {
  if (std::holds_alternative<LocalModel>(model)) return 0;
  if (const auto* global = std::get_if<GlobalModel>(&model)) return global->M.rows;
  return body_dofs * static_cast<Index>(std::get<RigidModel>(model).inverse_mass.size());
}

std::vector<Index> mobile_dofs(const RigidModel& model) {
  std::vector<Index> mobile;
  for (Index body = 0; body < static_cast<Index>(model.inverse_mass.size()); ++body)
    for (int dof = 0; dof < body_dofs; ++dof)
      if (inverse_diagonal(model.inverse_mass[body], dof) != 0)
        mobile.push_back(body_dofs * body + dof);
  return mobile;
}

GlobalModel to_global(const ContactProblem& problem) {
  if (std::holds_alternative<LocalModel>(problem.model))
    throw InvalidProblem("a local problem (W, q) does not know the masses and Jacobians that a "
                         "global one (M, H, f, w) needs");
  if (const auto* global = std::get_if<GlobalModel>(&problem.model)) return *global;
  validate(problem);
  return GlobalBuilder(std::get<RigidModel>(problem.model), problem.dimension).build();
}

} // namespace talus
