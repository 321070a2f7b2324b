#pragma once
// The body-structured, matrix-free Delassus operator over any layout of body_layout.h.
//
// N x is made in two passes, both threaded and free of races: every body gathers the impulses of
// its contacts in fixed order and is accelerated (v = M⁻¹ D S x), then every contact reads the
// velocities of its two bodies (y = S Dᵀ v).

#include "talus/core/parallel.h"
#include "talus/core/vector_ops.h"
#include "talus/problem/delassus/body_root.h"
#include "talus/problem/delassus/delassus.h"
#include "talus/problem/delassus/rolling_layout.h"
#include "talus/problem/delassus/sweep_rows.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace talus {

template <class Layout>
class BodyOperator : public DelassusOperator {
  static constexpr int B = Layout::body_dofs, D = Layout::dimension;

public:
  BodyOperator(const ContactProblem& problem, Layout layout)
      : DelassusOperator(problem, problem.dofs()), layout_(std::move(layout)),
        rigid_(std::get_if<RigidModel>(&problem.model)) {
    build();
  }

  bool rebuild(const ContactProblem& problem) override {
    if constexpr (std::is_same_v<Layout, RigidLayout>) {
      const auto* model = std::get_if<RigidModel>(&problem.model);
      if (!model || problem.dimension != Layout::dimension) return false;
      take_sizes(problem, problem.dofs());
      layout_ = RigidLayout(*model);
      rigid_ = model;
      build();
      return true;
    }
    if constexpr (std::is_same_v<Layout, RollingLayout>) {
      const auto* model = std::get_if<RigidModel>(&problem.model);
      if (!model || problem.dimension != Layout::dimension) return false;
      take_sizes(problem, problem.dofs());
      layout_.assign(problem, *model);
      build();
      return true;
    }
    return false;
  }

  SweepRows rows() const override { return BodyRows<Layout>(layout_, compliance()); }
  const char* face() const override { return "bodies"; }
  const Layout& layout() const { return layout_; }

  std::optional<PrimalPieces> primal() const override {
    Vector factor(static_cast<std::size_t>(layout_.bodies()) * B * B);
    if (!factorise_inverse_masses(factor)) return std::nullopt;
    const Index dofs = B * layout_.bodies();
    return PrimalPieces{identity_matrix(dofs), rooted_rows(layout_, factor)};
  }

  SparseMatrix matrix() const override {
    if (const auto pieces = primal())
      return with_compliance(product(pieces->rows, transpose(pieces->rows)));
    return with_compliance(matrix_by_columns());
  }

  void generalized_velocity(ConstSpan x, Span v) const override {
    if (lengths().empty()) {
      accelerate(x, {}, v);
    } else {
      measured_.assign(x.begin(), x.end());
      measure_moments(measured_);
      accelerate(measured_, {}, v);
    }
    axpy(1.0, layout_.free_velocity(), v);
  }

protected:
  void apply_structure(ConstSpan x, Span y, ConstSpan scale) const override {
    apply_in_chunks(x, y, scale, {});
  }

  void apply_in_chunks(ConstSpan x, Span y, ConstSpan scale,
                       const ContactsReady& ready) const override {
    v_.resize(static_cast<std::size_t>(layout_.bodies()) * B);
    accelerate(x, scale, v_);
    observe(v_, scale, y, ready);
  }

  /// v = M⁻¹ D S x.
  void accelerate(ConstSpan x, ConstSpan scale, Span v) const {
    list_contacts_of_bodies();
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

  /// y = S Dᵀ v.
  void observe(ConstSpan v, ConstSpan scale, Span y, const ContactsReady& ready) const {
    parallel_for(
        contacts(),
        [&](Index begin, Index end) {
          for (Index c = begin; c < end; ++c) {
            double* yc = &y[static_cast<std::size_t>(c) * D];
            layout_.contact_velocity(c, v.data(), yc);
            if (!scale.empty())
              for (int i = 0; i < D; ++i) yc[i] *= scale[c];
          }
          if (ready) ready(begin, end);
        },
        contact_chunk);
    const Index first_row = D * contacts();
    for (Index j = 0; j < equalities(); ++j)
      y[first_row + j] =
          (scale.empty() ? 1.0 : scale[contacts() + j]) * layout_.row_velocity(j, v.data());
  }

  /// Only products need the lists; sweeps do without them.
  void list_contacts_of_bodies() const {
    if (lists_are_made_) return;
    fill_adjacency(layout_.bodies(), layout_.contact_pairs(), contacts_of_);
    fill_adjacency(layout_.bodies(), layout_.row_pairs(), rows_of_);
    lists_are_made_ = true;
  }

  /// wrench += the impulses of the body's contacts, then of its rows.
  void gather(Index body, ConstSpan x, ConstSpan scale, double* wrench) const {
    // Bodies meet their contacts out of order, which the processor does not foresee.
    constexpr Index ahead = 4;
    const auto items = static_cast<Index>(contacts_of_.item.size());
    for (Index k = contacts_of_.start[body]; k < contacts_of_.start[body + 1]; ++k) {
      if (k + ahead < items) {
        const Index soon = contacts_of_.item[k + ahead];
        layout_.prefetch(soon / 2, soon % 2);
      }
      const Index item = contacts_of_.item[k], c = item / 2;
      const double* xc = &x[static_cast<std::size_t>(c) * D];
      const double s = scale.empty() ? 1.0 : scale[c];
      double scaled[D];
      for (int i = 0; i < D; ++i) scaled[i] = s * xc[i];
      layout_.add_wrench(c, item % 2, scaled, wrench);
    }
    add_row_wrenches(body, x, scale, wrench);
  }

  void add_row_wrenches(Index body, ConstSpan x, ConstSpan scale, double* wrench) const {
    const Index first_row = D * contacts();
    for (Index k = rows_of_.start[body]; k < rows_of_.start[body + 1]; ++k) {
      const Index j = rows_of_.item[k] / 2;
      const double s = scale.empty() ? 1.0 : scale[contacts() + j];
      layout_.add_row_wrench(j, rows_of_.item[k] % 2, s * x[first_row + j], wrench);
    }
  }

  const BodyAdjacency& contacts_of_bodies() const { return contacts_of_; }
  const BodyAdjacency& rows_of_bodies() const { return rows_of_; }

  /// block += Dᵀ M⁻¹ D of one side of a contact.
  void add_diagonal(Index c, int side, Index body, double* block) const {
    if constexpr (std::is_same_v<Layout, RigidLayout>)
      if (rigid_) {
        const RigidContact& k = rigid_->contacts[c];
        return add_rigid_diagonal(k, side == 0 ? k.arm_a : k.arm_b, rigid_->inverse_mass[body],
                                  block);
      }
    double wrench[D][B] = {};
    for (int j = 0; j < D; ++j) {
      double unit[D] = {};
      unit[j] = 1;
      layout_.add_wrench(c, side, unit, wrench[j]);
    }
    for (int j = 0; j < D; ++j) {
      double response[B] = {};
      layout_.add_acceleration(body, wrench[j], response);
      for (int i = 0; i < D; ++i)
        for (int k = 0; k < B; ++k) block[D * i + j] += wrench[i][k] * response[k];
    }
  }

private:
  /// The block of a rigid contact with arm r, in its frame d_i: m⁻¹ δ_ij + t_i·J⁻¹ t_j,
  /// t_i = r × d_i.
  static void add_rigid_diagonal(const RigidContact& k, const Vec3& arm, const RigidInverseMass& m,
                                 double* block) {
    const Vec3 t[3] = {cross(arm, k.normal), cross(arm, k.tangent),
                       cross(arm, cross(k.normal, k.tangent))};
    const double* j = m.inertia;
    for (int i = 0; i < 3; ++i) {
      const Vec3 response{j[0] * t[i].x + j[1] * t[i].y + j[2] * t[i].z,
                          j[1] * t[i].x + j[3] * t[i].y + j[4] * t[i].z,
                          j[2] * t[i].x + j[4] * t[i].y + j[5] * t[i].z};
      block[4 * i] += m.mass + dot(t[i], response);
      for (int l = i + 1; l < 3; ++l) {
        const double entry = dot(t[l], response);
        block[3 * i + l] += entry;
        block[3 * l + i] += entry;
      }
    }
  }

  /// M⁻¹ = L Lᵀ of every body, L lower triangular; columns of immovable directions are zero. False
  /// when a mass is not symmetric.
  bool factorise_inverse_masses(Span factor) const {
    constexpr double symmetry_tolerance = 1e-14;
    for (Index body = 0; body < layout_.bodies(); ++body) {
      double inverse[B * B];
      inverse_mass_block(layout_, body, inverse);
      double largest = 0;
      for (int i = 0; i < B; ++i) largest = std::max(largest, inverse[(B + 1) * i]);
      for (int i = 0; i < B; ++i)
        for (int j = 0; j < i; ++j)
          if (std::abs(inverse[B * i + j] - inverse[B * j + i]) > symmetry_tolerance * largest)
            return false;
      semidefinite_root<B>(inverse, &factor[static_cast<std::size_t>(body) * B * B]);
    }
    return true;
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

  void build() {
    lists_are_made_ = false;
    if constexpr (requires { layout_.lengths(); }) take_lengths(layout_.lengths());
    finish();
  }

  void make_free_velocity(Span q) const override {
    observe(layout_.free_velocity(), {}, q, {});
    parallel_for(contacts(), [&](Index begin, Index end) {
      for (Index c = begin; c < end; ++c)
        for (int i = 0; i < D; ++i) q[D * c + i] += layout_.contact_bias(c)[i];
    });
    for (Index j = 0; j < equalities(); ++j) q[D * contacts() + j] += layout_.row_bias(j);
  }

  /// N_cc = Σ_sides D_cᵀ M⁻¹ D_c, from the wrenches of unit impulses and the bodies' responses.
  void make_block(Index block, double* entries) const override {
    if (block < contacts()) {
      std::fill_n(entries, D * D, 0.0);
      const BodyPair pair = layout_.contact_pairs()[block];
      if (pair.a >= 0) add_diagonal(block, 0, pair.a, entries);
      if (pair.b >= 0) add_diagonal(block, 1, pair.b, entries);
      return;
    }
    const Index j = block - contacts();
    const BodyPair pair = layout_.row_pairs()[j];
    entries[0] = 0;
    for (int side = 0; side < 2; ++side) {
      const Index body = side == 0 ? pair.a : pair.b;
      if (body < 0) continue;
      double wrench[B] = {}, response[B] = {};
      layout_.add_row_wrench(j, side, 1.0, wrench);
      layout_.add_acceleration(body, wrench, response);
      for (int i = 0; i < B; ++i) entries[0] += wrench[i] * response[i];
    }
  }

  Layout layout_;
  const RigidModel* rigid_ = nullptr; ///< Of the problem, if it has one.
  mutable bool lists_are_made_ = false;
  mutable BodyAdjacency contacts_of_, rows_of_;
  mutable Vector v_, measured_;
};

} // namespace talus
