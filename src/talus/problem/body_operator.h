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
