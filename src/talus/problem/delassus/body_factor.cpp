#include "talus/problem/delassus/body_factor.h"

#include "talus/problem/delassus/body_root.h"
#include "talus/problem/delassus/sweep_rows.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>

namespace talus {
namespace {

template <class Layout>
BodyFactor factor_of(const Layout& layout) {
  constexpr int B = Layout::body_dofs, D = Layout::dimension;
  BodyFactor factor;
  factor.body_dofs = B;
  factor.bodies = layout.bodies();
  factor.pairs = layout.contact_pairs();
  factor.row_pairs = layout.row_pairs();
  factor.root.resize(static_cast<std::size_t>(factor.bodies) * B * B);
  for (Index body = 0; body < factor.bodies; ++body) {
    double inverse[B * B];
    inverse_mass_block(layout, body, inverse);
    semidefinite_root<B>(inverse, &factor.root[static_cast<std::size_t>(body) * B * B]);
  }
  factor.jacobian.assign(static_cast<std::size_t>(layout.contacts()) * 2 * B * D, 0.0);
  for (Index c = 0; c < layout.contacts(); ++c)
    for (int side = 0; side < 2; ++side) {
      const Index body = side == 0 ? factor.pairs[c].a : factor.pairs[c].b;
      if (body < 0) continue;
      double* block = &factor.jacobian[(static_cast<std::size_t>(c) * 2 + side) * B * D];
      for (int j = 0; j < D; ++j) {
        double unit[D] = {}, wrench[B] = {};
        unit[j] = 1;
        layout.add_wrench(c, side, unit, wrench);
        for (int i = 0; i < B; ++i) block[D * i + j] = wrench[i];
      }
    }
  const SparseMatrix rows = rooted_rows(layout, factor.root);
  std::vector<Triplet> entries;
  for (Index row = 0; row < rows.rows; ++row)
    for (Index k = rows.row_start[row]; k < rows.row_start[row + 1]; ++k)
      if (rows.value[k] != 0) entries.push_back({rows.column[k], row, rows.value[k]});
  factor.B = from_triplets(rows.columns, rows.rows, std::move(entries));
  return factor;
}

/// What a contact tells about one of its bodies.
struct Side {
  Vec3 arm;                 ///< From the centre of mass to the contact, world axes.
  bool turns = false;       ///< Whether the axes below are known.
  std::array<Vec3, 3> axes; ///< R_bodyᵀ applied to the world axes x, y, z.
};

/// In space: the block is ±(R; R_bodyᵀ [arm]ₓ R) with R = (n, t, o) and + on body b.
Side spatial_side(const double* block, int side) {
  const double sign = side == 0 ? -1 : 1;
  Vec3 frame[3], turn[3]; // columns
  for (int j = 0; j < 3; ++j) {
    frame[j] = sign * Vec3{block[j], block[3 + j], block[6 + j]};
    turn[j] = sign * Vec3{block[9 + j], block[12 + j], block[15 + j]};
  }
  // Xw = R_bodyᵀ (arm x w); its rows are orthogonal to the arm.
  const auto X = [&](const Vec3& w) {
    return dot(frame[0], w) * turn[0] + dot(frame[1], w) * turn[1] + dot(frame[2], w) * turn[2];
  };
  Vec3 rows[3];
  for (int i = 0; i < 3; ++i)
    rows[i] = turn[0][i] * frame[0] + turn[1][i] * frame[1] + turn[2][i] * frame[2];
  Vec3 arm;
  for (int i = 0; i < 3; ++i) {
    const Vec3 candidate = cross(rows[i], rows[(i + 1) % 3]);
    if (dot(candidate, candidate) > dot(arm, arm)) arm = candidate;
  }
  double square = 0;
  for (const Vec3& row : rows) square += dot(row, row);
  const double length = std::sqrt(0.5 * square);
  Side result;
  if (!(norm(arm) > 0) || !(length > 0)) return result;
  arm = (length / norm(arm)) * arm;
  if (dot(arm, frame[0]) * sign > 0) arm = -arm; // the normal points from a to b
  const Vec3 a = (1 / length) * arm, e = orthogonal_unit(a), f = cross(a, e);
  const Vec3 image_f = (1 / length) * X(e), image_e = (-1 / length) * X(f);
  const Vec3 image_a = cross(image_e, image_f);
  for (int i = 0; i < 3; ++i) result.axes[i] = a[i] * image_a + e[i] * image_e + f[i] * image_f;
  result.arm = arm;
  result.turns = true;
  return result;
}

/// In the plane: ±(n t; arm x n, arm x t).
Side planar_side(const double* block, int side) {
  const double sign = side == 0 ? -1 : 1;
  const double n[2] = {sign * block[0], sign * block[2]}, t[2] = {sign * block[1], sign * block[3]};
  const double moment_n = sign * block[4], moment_t = sign * block[5];
  // arm x n = p, arm x t = q for orthonormal n, t.
  const double turn = n[0] * t[1] - n[1] * t[0];
  Side result;
  if (turn == 0) return result;
  result.arm = {(n[0] * moment_t - t[0] * moment_n) / turn,
                (n[1] * moment_t - t[1] * moment_n) / turn, 0};
  result.turns = true;
  return result;
}

} // namespace

std::optional<BodyFactor> body_factor(const DelassusOperator& n) {
  const SweepRows rows = n.rows_here();
  return std::visit(
      [](const auto& concrete) -> std::optional<BodyFactor> {
        if constexpr (requires { concrete.layout(); })
          return factor_of(concrete.layout());
        else
          return std::nullopt;
      },
      rows);
}

std::vector<Vector> rigid_modes(const BodyFactor& factor) {
  const bool spatial = factor.body_dofs == 6;
  const int d = spatial ? 3 : 2, block = factor.body_dofs * d;
  const Index contacts = static_cast<Index>(factor.pairs.size());
  std::vector<Side> sides(2 * static_cast<std::size_t>(contacts));
  for (Index k = 0; k < 2 * contacts; ++k) {
    const Index body = k % 2 == 0 ? factor.pairs[k / 2].a : factor.pairs[k / 2].b;
    if (body < 0) continue;
    const double* jacobian = &factor.jacobian[static_cast<std::size_t>(k) * block];
    sides[k] = spatial ? spatial_side(jacobian, k % 2) : planar_side(jacobian, k % 2);
  }
  const BodyAdjacency contacts_of = make_adjacency(factor.bodies, factor.pairs);

  // Positions along a walk over the contacts, and any contact's axes.
  std::vector<Vec3> position(factor.bodies);
  std::vector<const Side*> axes(factor.bodies, nullptr);
  std::vector<bool> seen(factor.bodies, false);
  std::deque<Index> queue;
  for (Index seed = 0; seed < factor.bodies; ++seed) {
    if (seen[seed]) continue;
    seen[seed] = true;
    queue.assign(1, seed);
    while (!queue.empty()) {
      const Index body = queue.front();
      queue.pop_front();
      for (Index k = contacts_of.start[body]; k < contacts_of.start[body + 1]; ++k) {
        const Index item = contacts_of.item[k], c = item / 2;
        if (!axes[body] && sides[item].turns) axes[body] = &sides[item];
        const Index other = item % 2 == 0 ? factor.pairs[c].b : factor.pairs[c].a;
        if (other < 0 || seen[other]) continue;
        seen[other] = true;
        position[other] = position[body] + sides[item].arm - sides[item ^ 1].arm;
        queue.push_back(other);
      }
    }
  }

  std::vector<Vector> modes(
      factor.body_dofs, Vector(static_cast<std::size_t>(factor.bodies) * factor.body_dofs, 0.0));
  for (Index body = 0; body < factor.bodies; ++body) {
    const std::size_t first = static_cast<std::size_t>(body) * factor.body_dofs;
    for (int i = 0; i < d; ++i) modes[i][first + i] = 1;
    if (!spatial) {
      modes[2][first] = -position[body].y;
      modes[2][first + 1] = position[body].x;
      modes[2][first + 2] = 1;
      continue;
    }
    for (int i = 0; i < 3; ++i) {
      Vec3 omega;
      omega[i] = 1;
      const Vec3 linear = cross(omega, position[body]);
      for (int k = 0; k < 3; ++k) {
        modes[3 + i][first + k] = linear[k];
        modes[3 + i][first + 3 + k] = axes[body] ? axes[body]->axes[i][k] : omega[k];
      }
    }
  }
  return modes;
}

} // namespace talus
