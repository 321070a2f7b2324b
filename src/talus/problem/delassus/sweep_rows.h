#pragma once
// Row access to N for Gauss-Seidel sweeps. A rows object holds the state of a sweep: after reset(x)
// it answers
//
//     velocity(c, u)    u = (N x + q̄)_c for the current x        (a contact's block)
//     add(c, dx)        x_c += dx
//     row_velocity(j)   (N x + q̄)_j,   row_add(j, dx)            (an equality row)
//     mark()            remembers x; extrapolate(beta, x) then makes the state that of
//                       x = mark + p, p = (x_now - mark) + beta p_last, without a product; with
//                       beta = 0 the state stays and p begins anew. Where the x given differs from
//                       that by dx, follow(c, dx) or row_follow(j, dx) must tell
//     leap(beta, x)     makes the state that of x = g + beta (g - g_last), where g is x as it was
//                       and g_last the same at the last leap; the first leap after a reset has
//                       beta = 0 (unless can_leap(), which says that nothing was lost by it). Where
//                       the x given differs from that, follow and row_follow must tell
//     for_each_contact(backward, visit), sum_contacts(backward, visit, prefetch)
//                       visit the contacts, several at once where they share no body
//                       (sweep_partition.h; over ranks cell_sweeps.h)
//     settle()          to be called before velocities are asked for outside of such visits
//     prefetch(c)       starts loading what velocity and add will read
//     take_memory(old)  uses the vectors of rows that are no longer needed
//     is_incremental    true when rounding of the changes gathers in the velocities until reset()
//
// Body rows keep the bodies' velocities up to date (the cost of a contact does not depend on how
// many neighbours it has); explicit rows multiply a block row of W. They are a variant, not
// virtual: a sweep visits the variant once and its inner loop is then compiled for the concrete
// rows.

#include "talus/core/vector_ops.h"
#include "talus/linalg/block_matrix.h"
#include "talus/problem/delassus/body_layout.h"
#include "talus/problem/delassus/cell_sweeps.h"
#include "talus/problem/delassus/delassus.h"
#include "talus/problem/delassus/rolling_layout.h"
#include "talus/problem/delassus/sweep_partition.h"

#include <optional>

namespace talus {

/// Rows of an explicit matrix, W in blocks and the coupling V, R of equality rows: x lives here, a
/// velocity is a row product.
template <int D>
class ExplicitRows {
public:
  static constexpr int dimension = D;
  static constexpr bool is_incremental = false;
  ExplicitRows(const BlockMatrix<D>& w, const SparseMatrix& v, const SparseMatrix& vt,
               const SparseMatrix& r, ConstSpan free_velocity, ConstSpan compliance)
      : w_(&w), v_(&v), vt_(&vt), r_(&r), q_(free_velocity), compliance_(compliance),
        contacts_(static_cast<Index>(w.row_start.size()) - 1), parts_(contacts_) {}

  const BlockMatrix<D>& blocks() const { return *w_; }
  void take_memory(ExplicitRows& old) { x_ = std::move(old.x_); }
  /// One part: every contact reads the impulses of all its neighbours.
  template <class Visit>
  void for_each_contact(bool backward, Visit&& visit) {
    parts_.for_each(backward, visit);
  }
  template <class Visit, class Prefetch>
  double sum_contacts(bool backward, Visit&& visit, Prefetch&& prefetch) {
    return parts_.sum(backward, visit, prefetch);
  }
  void settle() {}
  void reset(ConstSpan x) { x_.assign(x.begin(), x.end()); }
  void mark() {}
  void extrapolate(double beta, ConstSpan x) { leap(beta, x); }
  bool can_leap() const { return true; }
  void leap(double beta, ConstSpan x) {
    if (beta != 0) reset(x);
  }
  void follow(Index, const double*) {}
  void row_follow(Index, double) {}
  void prefetch(Index) const {}

  void velocity(Index c, double* u) const {
    // A sum per entry of the blocks: a sum per row would wait for each of its additions.
    double sums[D * D] = {};
    for (Index k = w_->row_start[c]; k < w_->row_start[c + 1]; ++k) {
      const double* a = &w_->value[static_cast<std::size_t>(k) * D * D];
      const double* x = &x_[static_cast<std::size_t>(w_->column[k]) * D];
      for (int i = 0; i < D; ++i)
        for (int j = 0; j < D; ++j) sums[D * i + j] += a[D * i + j] * x[j];
    }
    for (int i = 0; i < D; ++i) {
      u[i] = q_[D * c + i];
      for (int j = 0; j < D; ++j) u[i] += sums[D * i + j];
    }
    if (!v_->empty())
      for (int i = 0; i < D; ++i) u[i] += product(*v_, D * c + i, &x_[D * contacts_]);
    if (!compliance_.empty())
      for (int i = 0; i < D; ++i) u[i] += compliance_[D * c + i] * x_[D * c + i];
  }

  void add(Index c, const double* dx) {
    for (int i = 0; i < D; ++i) x_[D * c + i] += dx[i];
  }

  double row_velocity(Index j) const {
    const Index at = D * contacts_ + j;
    double u = q_[at] + product(*vt_, j, x_.data());
    if (!r_->empty()) u += product(*r_, j, &x_[D * contacts_]);
    return compliance_.empty() ? u : u + compliance_[at] * x_[at];
  }

  void row_add(Index j, double dx) { x_[D * contacts_ + j] += dx; }

private:
  static double product(const SparseMatrix& a, Index row, const double* x) {
    double sum = 0;
    for (Index k = a.row_start[row]; k < a.row_start[row + 1]; ++k)
      sum += a.value[k] * x[a.column[k]];
    return sum;
  }

  const BlockMatrix<D>* w_;
  const SparseMatrix *v_, *vt_, *r_;
  ConstSpan q_, compliance_;
  Vector x_;
  Index contacts_;
  SweepPartition parts_;
};

/// Rows of a body-structured operator: the bodies' velocities live here, and x where compliance
/// asks for it.
template <class Layout>
class BodyRows {
public:
  static constexpr int dimension = Layout::dimension;
  static constexpr int body_dofs = Layout::body_dofs;
  static constexpr bool is_incremental = true;
  /// `cells` are null where this process has all contacts.
  BodyRows(const Layout& layout, ConstSpan compliance, CellSweeps* cells = nullptr)
      : layout_(&layout), compliance_(compliance), parts_(layout.contacts()), cells_(cells) {}

  const Layout& layout() const { return *layout_; }
  CellSweeps* cells() const { return cells_; }
  /// Divides the contacts into parts; until then they are one.
  void divide() {
    if (!cells_) parts_.divide(layout_->bodies(), layout_->contact_pairs());
  }
  template <class Visit>
  void for_each_contact(bool backward, Visit&& visit) {
    if (cells_) return cells_->for_each(backward, velocities(), visit);
    parts_.for_each(backward, visit);
  }
  template <class Visit, class Prefetch>
  double sum_contacts(bool backward, Visit&& visit, Prefetch&& prefetch) {
    if (cells_) return cells_->sum(backward, velocities(), visit);
    return parts_.sum(backward, visit, prefetch);
  }
  void settle() {
    if (cells_) cells_->refresh_copies(velocities());
  }

  void take_memory(BodyRows& old) {
    v_ = std::move(old.v_);
    x_ = std::move(old.x_);
    marked_ = std::move(old.marked_);
    direction_ = std::move(old.direction_);
    parts_ = std::move(old.parts_);
  }

  void mark() {
    marked_.resize(v_.size());
    copy(v_, marked_);
  }
  void extrapolate(double beta, ConstSpan x) {
    direction_.resize(v_.size());
    if (beta == 0) return combine(1.0, v_, -1.0, marked_, direction_);
    parallel_for(static_cast<Index>(v_.size()), [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i) {
        direction_[i] = (v_[i] - marked_[i]) + beta * direction_[i];
        v_[i] = marked_[i] + direction_[i];
      }
    });
    keep(x);
  }
  bool can_leap() const { return has_leapt_; }
  void leap(double beta, ConstSpan x) {
    has_leapt_ = true;
    if (beta == 0) return mark();
    parallel_for(static_cast<Index>(v_.size()), [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i) {
        const double change = v_[i] - marked_[i];
        marked_[i] = v_[i];
        v_[i] += beta * change;
      }
    });
    keep(x);
  }
  void follow(Index c, const double* dx) { layout_->add_impulse(c, dx, v_.data()); }
  void row_follow(Index j, double dx) { layout_->add_row_impulse(j, dx, v_.data()); }
  void prefetch(Index c) const {
    layout_->prefetch(c, 0);
    layout_->prefetch(c, 1);
  }

  void reset(ConstSpan x) {
    has_leapt_ = false; // velocities made anew do not belong to those of the last leap
    keep(x);
    v_.resize(layout_->free_velocity().size());
    if (cells_) return cells_->make_velocities(x, v_);
    copy(layout_->free_velocity(), v_);
    parts_.for_each(false, [&](Index c) { follow(c, &x[dimension * c]); });
    for (Index j = 0; j < layout_->rows(); ++j)
      row_follow(j, x[dimension * layout_->contacts() + j]);
  }

  void velocity(Index c, double* u) const {
    layout_->contact_velocity(c, v_.data(), u);
    const double* bias = layout_->contact_bias(c);
    for (int i = 0; i < dimension; ++i) u[i] += bias[i];
    if (!compliance_.empty())
      for (int i = 0; i < dimension; ++i)
        u[i] += compliance_[dimension * c + i] * x_[dimension * c + i];
  }

  void add(Index c, const double* dx) {
    follow(c, dx);
    if (!compliance_.empty())
      for (int i = 0; i < dimension; ++i) x_[dimension * c + i] += dx[i];
  }

  double row_velocity(Index j) const {
    const Index at = dimension * layout_->contacts() + j;
    const double u = layout_->row_velocity(j, v_.data()) + layout_->row_bias(j);
    return compliance_.empty() ? u : u + compliance_[at] * x_[at];
  }

  void row_add(Index j, double dx) {
    row_follow(j, dx);
    if (!compliance_.empty()) x_[dimension * layout_->contacts() + j] += dx;
  }

private:
  BodyVelocities velocities() { return {v_.data(), body_dofs}; }
  void keep(ConstSpan x) {
    if (!compliance_.empty()) x_.assign(x.begin(), x.end());
  }

  const Layout* layout_;
  ConstSpan compliance_;
  Vector v_, x_;
  Vector marked_, direction_; ///< Velocities at the mark or leap, and those that belong to p.
  bool has_leapt_ = false;
  SweepPartition parts_;
  CellSweeps* cells_;
};

/// Divides the contacts into parts, where the rows know their bodies.
inline void divide(SweepRows& rows) {
  std::visit(
      [](auto& concrete) {
        if constexpr (requires { concrete.divide(); }) concrete.divide();
      },
      rows);
}

/// Replaces rows by fresh ones, divided, in the memory of the old.
inline SweepRows& renew(std::optional<SweepRows>& rows, SweepRows fresh) {
  if (rows && rows->index() == fresh.index())
    std::visit([&](auto& now) { now.take_memory(std::get<std::decay_t<decltype(now)>>(*rows)); },
               fresh);
  divide(fresh);
  return rows.emplace(std::move(fresh));
}

} // namespace talus
