#pragma once
// The body-structured, matrix-free Delassus operator over any layout of body_layout.h.
//
// N x is made in two passes, both threaded and free of races: every body gathers the impulses of
// its contacts in fixed order and is accelerated (v = M⁻¹ D S x), then every contact reads the
// velocities of its two bodies (y = S Dᵀ v).

#include "talus/core/parallel.h"
#include "talus/core/vector_ops.h"
#include "talus/problem/delassus.h"

#include <algorithm>
#include <cmath>

namespace talus {

template <class Layout>
class BodyOperator : public DelassusOperator {
  static constexpr int B = Layout::body_dofs, D = Layout::dimension;

public:
  BodyOperator(const ContactProblem& problem, Layout layout)
      : DelassusOperator(problem, problem.dofs()), layout_(std::move(layout)),
        contacts_of_(make_adjacency(layout_.bodies(), layout_.contact_pairs())),
        rows_of_(make_adjacency(layout_.bodies(), layout_.row_pairs())),
        v_(static_cast<std::size_t>(layout_.bodies()) * B) {
    finish(diagonal_blocks(), velocity_at_rest());
  }

  SweepRows rows() const override { return BodyRows<Layout>(layout_, compliance()); }
  const char* face() const override { return "bodies"; }
  const Layout& layout() const { return layout_; }

  std::optional<PrimalPieces> primal() const override {
    Vector factor(static_cast<std::size_t>(layout_.bodies()) * B * B);
    if (!factorise_inverse_masses(factor)) return std::nullopt;
    const Index dofs = B * layout_.bodies();
    return PrimalPieces{identity_matrix(dofs), half_rows(factor, dofs)};
  }

  SparseMatrix matrix() const override {
    if (const auto pieces = primal())
      return with_compliance(product(pieces->rows, transpose(pieces->rows)));
    return with_compliance(matrix_by_columns());
  }

  void generalized_velocity(ConstSpan x, Span v) const override {
    accelerate(x, {}, v);
    axpy(1.0, layout_.free_velocity(), v);
  }

protected:
  void apply_structure(ConstSpan x, Span y, ConstSpan scale) const override {
    accelerate(x, scale, v_);
    observe(v_, scale, y);
  }

  /// v = M⁻¹ D S x.
  void accelerate(ConstSpan x, ConstSpan scale, Span v) const {
    parallel_for(
        layout_.bodies(),
        [&](Index begin, Index end) {
          for (Index body = begin; body < end; ++body) {
            double wrench[B] = {};
            gather(body, x, scale, wrench);
            double* dv = &v[static_cast<std::size_t>(body) * B];
            std::fill(dv, dv + B, 0.0);
            layout_.add_acceleration(body, wrench, dv);
          }
        },
        256);
  }

private:
  /// M⁻¹ = L Lᵀ of every body, L lower triangular; columns of immovable directions are zero. False
  /// when a mass is not symmetric.
  bool factorise_inverse_masses(Span factor) const {
    constexpr double symmetry_tolerance = 1e-14;
    for (Index body = 0; body < layout_.bodies(); ++body) {
      double inverse[B * B];
      inverse_mass_block(body, inverse);
      double largest = 0;
      for (int i = 0; i < B; ++i) largest = std::max(largest, inverse[(B + 1) * i]);
      for (int i = 0; i < B; ++i)
        for (int j = 0; j < i; ++j)
          if (std::abs(inverse[B * i + j] - inverse[B * j + i]) > symmetry_tolerance * largest)
            return false;
      cholesky_semidefinite(inverse, &factor[static_cast<std::size_t>(body) * B * B]);
    }
    return true;
  }

  void inverse_mass_block(Index body, double* inverse) const {
    for (int j = 0; j < B; ++j) {
      double wrench[B] = {}, dv[B] = {};
      wrench[j] = 1;
      layout_.add_acceleration(body, wrench, dv);
      for (int i = 0; i < B; ++i) inverse[B * i + j] = dv[i];
    }
  }

  static void cholesky_semidefinite(const double* a, double* l) {
    constexpr double rank_tolerance = 1e-14;
    std::fill_n(l, B * B, 0.0);
    for (int j = 0; j < B; ++j) {
      double pivot = a[(B + 1) * j];
      for (int k = 0; k < j; ++k) pivot -= l[B * j + k] * l[B * j + k];
      if (pivot <= rank_tolerance * a[(B + 1) * j]) continue;
      l[(B + 1) * j] = std::sqrt(pivot);
      for (int i = j + 1; i < B; ++i) {
        double sum = a[B * i + j];
        for (int k = 0; k < j; ++k) sum -= l[B * i + k] * l[B * j + k];
        l[B * i + j] = sum / l[(B + 1) * j];
      }
    }
  }

  /// [H G]ᵀ L: a row per impulse with B entries for each of its bodies.
  SparseMatrix half_rows(ConstSpan factor, Index dofs) const {
    SparseMatrix rows = zero_matrix(size(), dofs);
    const auto append = [&](Index body, const double* wrench) {
      const double* l = &factor[static_cast<std::size_t>(body) * B * B];
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
    for (Index c = 0; c < contacts(); ++c)
      for (int i = 0; i < D; ++i)
        append_row(D * c + i, layout_.contact_pairs()[c], [&](int side, double* wrench) {
          double unit[D] = {};
          unit[i] = 1;
          layout_.add_wrench(c, side, unit, wrench);
        });
    for (Index j = 0; j < equalities(); ++j)
      append_row(D * contacts() + j, layout_.row_pairs()[j],
                 [&](int side, double* wrench) { layout_.add_row_wrench(j, side, 1.0, wrench); });
    return rows;
  }

  SparseMatrix matrix_by_columns() const {
    SparseMatrix transposed = zero_matrix(size(), size());
    Vector unit(size(), 0.0), column(size());
    for (Index j = 0; j < size(); ++j) {
      unit[j] = 1;
      apply_structure(unit, column, {});
      unit[j] = 0;
      for (Index i = 0; i < size(); ++i)
        if (column[i] != 0) {
          transposed.column.push_back(i);
          transposed.value.push_back(column[i]);
        }
      transposed.row_start[j + 1] = transposed.nonzeros();
    }
    return transpose(transposed);
  }

  void gather(Index body, ConstSpan x, ConstSpan scale, double* wrench) const {
    for (Index k = contacts_of_.start[body]; k < contacts_of_.start[body + 1]; ++k) {
      const Index c = contacts_of_.item[k] / 2;
      const double* xc = &x[static_cast<std::size_t>(c) * D];
      if (scale.empty()) {
        layout_.add_wrench(c, contacts_of_.item[k] % 2, xc, wrench);
        continue;
      }
      double scaled[D];
      for (int i = 0; i < D; ++i) scaled[i] = scale[c] * xc[i];
      layout_.add_wrench(c, contacts_of_.item[k] % 2, scaled, wrench);
    }
    const Index first_row = D * contacts();
    for (Index k = rows_of_.start[body]; k < rows_of_.start[body + 1]; ++k) {
      const Index j = rows_of_.item[k] / 2;
      const double s = scale.empty() ? 1.0 : scale[contacts() + j];
      layout_.add_row_wrench(j, rows_of_.item[k] % 2, s * x[first_row + j], wrench);
    }
  }

  /// y = S Dᵀ v.
  void observe(ConstSpan v, ConstSpan scale, Span y) const {
    parallel_for(
        contacts(),
        [&](Index begin, Index end) {
          for (Index c = begin; c < end; ++c) {
            double* yc = &y[static_cast<std::size_t>(c) * D];
            layout_.contact_velocity(c, v.data(), yc);
            if (!scale.empty())
              for (int i = 0; i < D; ++i) yc[i] *= scale[c];
          }
        },
        1024);
    const Index first_row = D * contacts();
    for (Index j = 0; j < equalities(); ++j)
      y[first_row + j] =
          (scale.empty() ? 1.0 : scale[contacts() + j]) * layout_.row_velocity(j, v.data());
  }

  Vector velocity_at_rest() const {
    Vector q(size());
    observe(layout_.free_velocity(), {}, q);
    for (Index i = 0; i < size(); ++i) q[i] += layout_.bias()[i];
    return q;
  }

  /// N_cc column by column: a unit impulse, the bodies' response, the contact's velocity.
  Vector diagonal_blocks() const {
    Vector diagonal(static_cast<std::size_t>(contacts()) * D * D + equalities());
    Vector& v = v_;
    std::fill(v.begin(), v.end(), 0.0);
    const auto clear = [&](BodyPair pair) {
      for (Index body : {pair.a, pair.b})
        if (body >= 0) std::fill_n(v.begin() + static_cast<std::size_t>(body) * B, B, 0.0);
    };
    for (Index c = 0; c < contacts(); ++c)
      for (int j = 0; j < D; ++j) {
        double unit[D] = {}, response[D];
        unit[j] = 1;
        layout_.add_impulse(c, unit, v.data());
        layout_.contact_velocity(c, v.data(), response);
        for (int i = 0; i < D; ++i)
          diagonal[static_cast<std::size_t>(c) * D * D + D * i + j] = response[i];
        clear(layout_.contact_pairs()[c]);
      }
    for (Index j = 0; j < equalities(); ++j) {
      layout_.add_row_impulse(j, 1.0, v.data());
      diagonal[static_cast<std::size_t>(contacts()) * D * D + j] =
          layout_.row_velocity(j, v.data());
      clear(layout_.row_pairs()[j]);
    }
    return diagonal;
  }

  Layout layout_;
  BodyAdjacency contacts_of_, rows_of_;
  mutable Vector v_;
};

} // namespace talus
