#pragma once
// The square root of a body-structured operator over any layout of body_layout.h: per body a lower
// triangular L with M⁻¹ = L Lᵀ, and the rows [H G]ᵀ L, whose product with their transpose is N.

#include "talus/core/sparse_matrix.h"
#include "talus/problem/contact_problem.h"

#include <algorithm>
#include <cmath>

namespace talus {

/// L with L Lᵀ = A, lower triangular, for a positive semidefinite A of n rows; columns without a
/// pivot are zero. Pivots are compared with their own diagonal entry: a block holds 1/kg beside
/// 1/(kg m²), whose sizes say nothing about each other.
template <int n>
void semidefinite_root(const double* a, double* root) {
  constexpr double rank_tolerance = 1e-14;
  std::fill_n(root, n * n, 0.0);
  for (int j = 0; j < n; ++j) {
    double pivot = a[(n + 1) * j];
    for (int k = 0; k < j; ++k) pivot -= root[n * j + k] * root[n * j + k];
    if (!(pivot > rank_tolerance * a[(n + 1) * j])) continue;
    root[(n + 1) * j] = std::sqrt(pivot);
    for (int i = j + 1; i < n; ++i) {
      double sum = a[n * i + j];
      for (int k = 0; k < j; ++k) sum -= root[n * i + k] * root[n * j + k];
      root[n * i + j] = sum / root[(n + 1) * j];
    }
  }
}

/// M⁻¹ of one body, row-major.
template <class Layout>
void inverse_mass_block(const Layout& layout, Index body, double* inverse) {
  constexpr int B = Layout::body_dofs;
  for (int j = 0; j < B; ++j) {
    double wrench[B] = {}, dv[B] = {};
    wrench[j] = 1;
    layout.add_acceleration(body, wrench, dv);
    for (int i = 0; i < B; ++i) inverse[B * i + j] = dv[i];
  }
}

/// [H G]ᵀ L: a row per entry of x with body_dofs entries for each of its bodies, zeros included.
/// `roots` holds L of every body.
template <class Layout>
SparseMatrix rooted_rows(const Layout& layout, ConstSpan roots) {
  constexpr int B = Layout::body_dofs, D = Layout::dimension;
  SparseMatrix rows = zero_matrix(D * layout.contacts() + layout.rows(), B * layout.bodies());
  const auto append = [&](Index body, const double* wrench) {
    const double* l = &roots[static_cast<std::size_t>(body) * B * B];
    for (int j = 0; j < B; ++j) {
      double sum = 0;
      for (int i = j; i < B; ++i) sum += l[B * i + j] * wrench[i];
      rows.column.push_back(B * body + j);
      rows.value.push_back(sum);
    }
  };
  const auto append_row = [&](Index row, BodyPair pair, auto&& add_wrench) {
    const auto bodies = {std::min(pair.a, pair.b), std::max(pair.a, pair.b)};
    for (Index previous = -1; Index body : bodies) {
      if (body == previous || body < 0) continue;
      double wrench[B] = {};
      if (body == pair.a) add_wrench(0, wrench);
      if (body == pair.b) add_wrench(1, wrench);
      append(body, wrench);
      previous = body;
    }
    rows.row_start[row + 1] = rows.nonzeros();
  };
  for (Index c = 0; c < layout.contacts(); ++c)
    for (int i = 0; i < D; ++i)
      append_row(D * c + i, layout.contact_pairs()[c], [&](int side, double* wrench) {
        double unit[D] = {};
        unit[i] = 1;
        layout.add_wrench(c, side, unit, wrench);
      });
  for (Index j = 0; j < layout.rows(); ++j)
    append_row(D * layout.contacts() + j, layout.row_pairs()[j],
               [&](int side, double* wrench) { layout.add_row_wrench(j, side, 1.0, wrench); });
  return rows;
}

} // namespace talus
