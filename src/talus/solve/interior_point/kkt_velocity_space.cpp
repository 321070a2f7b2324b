// [M̃ −D̃; −D̃ᵀ −(E+H)], with none of the contacts eliminated (augmented) or all of them (Schur
// complement over the velocities). Free rows are never eliminated.

#include "talus/core/vector_ops.h"
#include "talus/solve/interior_point/barrier_blocks.h"
#include "talus/solve/interior_point/kkt_spaces.h"

#include <algorithm>
#include <cmath>

namespace talus {
namespace {

/// Up to this asymmetry of M̃ the factors of its lower triangle serve, and refinement does the rest.
constexpr double symmetry_tolerance = 1e-8;

class VelocitySpace : public KktSystem::Method {
public:
  VelocitySpace(const ScaledProblem& problem, const PrimalPieces& pieces,
                const std::vector<signed char>& active, bool eliminate, SymmetricFactor& factor,
                StopTest stop)
      : layout_(problem), active_(active), factor_(factor), stop_(std::move(stop)),
        barrier_(problem, active), mass_(pieces.mass), root_theta_(layout_.entry(layout_.blocks)),
        work_(problem.size()) {
    scale_rows(problem, pieces.rows);
    choose_kept(problem, eliminate);
    if (!is_met(stop_)) build_pattern();
  }

  Index dofs() const override { return mass_.rows; }

  bool factorise(ConstSpan, ConstSpan inverse_root, double shift) override {
    value_.assign(constant_.begin(), constant_.end());
    inverse_root_ = inverse_root;
    std::size_t note = 0;
    for (Index block = 0; block < layout_.blocks; ++block) {
      if (active_[block] == 0) continue;
      if (is_kept(block)) {
        note = add_border(block, shift, note);
      } else {
        if (!barrier_.make_root_theta(block, inverse_root_, shift, root_theta_)) return false;
        note = add_panel(block, note);
      }
    }
    return factor_.factorise(value_, stop_);
  }

  void solve(ConstSpan a, ConstSpan b, Span dv, Span dz) override {
    // Eliminated blocks: dz = Θ (b − D̃ᵀ dv). Kept ones: ẑ, from the right-hand side Cᵀ b.
    fill(work_, 0.0);
    for (Index block = 0; block < layout_.blocks; ++block)
      if (!is_kept(block)) multiply_theta(block, b, work_);
    x_.resize(mass_.rows + kept_rows_.size());
    multiply(columns_, work_, Span(x_).first(mass_.rows));
    axpy(1.0, a, Span(x_).first(mass_.rows));
    for (Index block = 0; block < layout_.blocks; ++block)
      if (is_kept(block)) to_border(block, b);
    factor_.solve(x_);
    copy(Span(x_).first(mass_.rows), dv);
    multiply(rows_, dv, work_);
    combine(1.0, b, -1.0, work_, work_);
    fill(dz, 0.0);
    for (Index block = 0; block < layout_.blocks; ++block)
      if (is_kept(block))
        from_border(block, dz);
      else
        multiply_theta(block, work_, dz);
  }

  void residual(ConstSpan root, ConstSpan a, ConstSpan b, ConstSpan dv, ConstSpan dz, Span ra,
                Span rb) const override {
    apply_mass(dv, dz, ra);
    combine(1.0, a, -1.0, ra, ra);
    apply_rows(dv, dz, rb);
    combine(1.0, b, -1.0, rb, rb);
    subtract_hessian(layout_, active_, root, dz, rb);
  }

  void apply_rows(ConstSpan v, ConstSpan z, Span y) const override {
    multiply(rows_, v, y);
    for (std::size_t i = 0; i < y.size(); ++i) y[i] += barrier_.compliance()[i] * z[i];
  }

  void apply_mass(ConstSpan v, ConstSpan z, Span y) const override {
    multiply(columns_, z, y);
    scale(-1.0, y);
    for (Index i = 0; i < mass_.rows; ++i)
      for (Index k = mass_.row_start[i]; k < mass_.row_start[i + 1]; ++k)
        y[i] += mass_.value[k] * v[mass_.column[k]];
  }

private:
  /// D̃ᵀ in scaled variables, without the entries that take no part.
  void scale_rows(const ScaledProblem& problem, const SparseMatrix& rows) {
    rows_.rows = rows.rows;
    rows_.columns = rows.columns;
    for (Index block = 0; block < layout_.blocks; ++block)
      for (int i = 0; i < layout_.size(block); ++i) {
        const Index row = layout_.row(block) + i;
        for (Index k = rows.row_start[row]; k < rows.row_start[row + 1]; ++k) {
          if (rows.value[k] == 0 || i >= active_[block]) continue;
          rows_.column.push_back(rows.column[k]);
          rows_.value.push_back(problem.scale()[block] * rows.value[k]);
        }
        rows_.row_start.push_back(rows_.nonzeros());
      }
    columns_ = transpose(rows_);
  }

  void choose_kept(const ScaledProblem& problem, bool eliminate) {
    kept_.assign(problem.size(), -1);
    for (Index block = 0; block < layout_.blocks; ++block) {
      if (eliminate && !barrier_.is_free(block)) continue;
      for (int i = 0; i < active_[block]; ++i) {
        kept_[layout_.row(block) + i] = static_cast<Index>(mass_.rows + kept_rows_.size());
        kept_rows_.push_back(layout_.row(block) + i);
      }
    }
  }

  /// The degrees of freedom that a block touches.
  void find_dofs(Index block, std::vector<Index>& dofs) const {
    const Index row = layout_.row(block);
    dofs.assign(rows_.column.begin() + rows_.row_start[row],
                rows_.column.begin() + rows_.row_start[row + layout_.size(block)]);
    std::sort(dofs.begin(), dofs.end());
    dofs.erase(std::unique(dofs.begin(), dofs.end()), dofs.end());
  }

  void build_pattern() {
    const Index size = mass_.rows + static_cast<Index>(kept_rows_.size());
    SymmetricPattern pattern(size);
    std::vector<std::pair<Index, double>> constant;
    std::vector<Index> notes, dofs;
    for (Index i = 0; i < mass_.rows; ++i)
      for (Index k = mass_.row_start[i]; k < mass_.row_start[i + 1]; ++k)
        if (mass_.column[k] <= i)
          constant.emplace_back(pattern.note(i, mass_.column[k]), mass_.value[k]);
    panel_start_.assign(1, 0);
    for (Index block = 0; block < layout_.blocks; ++block) {
      const Index row = layout_.row(block);
      const int m = active_[block];
      if (m > 0) {
        find_dofs(block, dofs);
        for (int i = 0; i < m; ++i)
          for (Index dof : dofs) panel_.push_back(entry(rows_, row + i, dof));
      }
      if (is_kept(block)) {
        for (int i = 0; i < m; ++i) {
          for (int j = 0; j <= i; ++j)
            notes.push_back(pattern.note(kept_[row + i], kept_[row + j]));
          for (Index dof : dofs) notes.push_back(pattern.note(kept_[row + i], dof));
        }
      } else if (m > 0) {
        for (std::size_t i = 0; i < dofs.size(); ++i)
          for (std::size_t j = 0; j <= i; ++j) notes.push_back(pattern.note(dofs[i], dofs[j]));
      }
      panel_start_.push_back(panel_.size());
    }
    pattern.finish();
    for (Index note : notes) slot_.push_back(pattern.slot(note));
    constant_.assign(pattern.nonzeros(), 0.0);
    for (const auto& [note, value] : constant) constant_[pattern.slot(note)] += value;
    std::vector<signed char> sign(size, 1);
    std::fill(sign.begin() + mass_.rows, sign.end(), static_cast<signed char>(-1));
    if (!is_met(stop_)) factor_.set_pattern(pattern.column_start(), pattern.row(), sign);
  }

  bool is_kept(Index block) const { return active_[block] > 0 && kept_[layout_.row(block)] >= 0; }

  /// Adds D̃_c Θ_c D̃_cᵀ to the matrix.
  std::size_t add_panel(Index block, std::size_t note) {
    const int m = active_[block];
    const std::size_t width = scale_panel(block, root_theta_);
    const double* panel = scaled_panel_.data();
    for (std::size_t i = 0; i < width; ++i)
      for (std::size_t j = 0; j <= i; ++j) {
        double sum = 0;
        for (int l = 0; l < m; ++l) sum += panel[l * width + i] * panel[l * width + j];
        value_[slot_[note++]] += sum;
      }
    return note;
  }

  /// Adds the rows −Cᵀ D̃_cᵀ and the block −(1 + Cᵀ (E + δ) C) of ẑ.
  std::size_t add_border(Index block, double shift, std::size_t note) {
    const int m = active_[block];
    const std::size_t width = scale_panel(block, inverse_root_);
    double s[max_dimension * max_dimension] = {};
    barrier_.stiffness_in_root(block, inverse_root_, shift, s);
    for (int i = 0; i < m; ++i) {
      for (int j = 0; j <= i; ++j) value_[slot_[note++]] -= s[m * i + j];
      for (std::size_t k = 0; k < width; ++k) value_[slot_[note++]] -= scaled_panel_[i * width + k];
    }
    return note;
  }

  /// scaled_panel_ = Sᵀ D̃_cᵀ for a block-diagonal S; answers the number of columns.
  std::size_t scale_panel(Index block, ConstSpan s) {
    const int n = layout_.size(block), m = active_[block];
    const double* panel = panel_.data() + panel_start_[block];
    const std::size_t width = (panel_start_[block + 1] - panel_start_[block]) / m;
    const double* sc = &s[layout_.entry(block)];
    scaled_panel_.assign(m * width, 0.0);
    for (int i = 0; i < m; ++i)
      for (int k = 0; k < m; ++k)
        for (std::size_t j = 0; j < width; ++j)
          scaled_panel_[i * width + j] += sc[n * k + i] * panel[k * width + j];
    return width;
  }

  void multiply_theta(Index block, ConstSpan x, Span y) const {
    const int n = layout_.size(block), m = active_[block];
    const Index row = layout_.row(block);
    const double* root = &root_theta_[layout_.entry(block)];
    double image[max_dimension] = {};
    for (int k = 0; k < m; ++k)
      for (int i = 0; i < m; ++i) image[k] += root[n * i + k] * x[row + i];
    for (int i = 0; i < m; ++i) {
      y[row + i] = 0;
      for (int k = 0; k < m; ++k) y[row + i] += root[n * i + k] * image[k];
    }
  }

  void to_border(Index block, ConstSpan b) {
    const int n = layout_.size(block), m = active_[block];
    const Index row = layout_.row(block);
    const double* c = &inverse_root_[layout_.entry(block)];
    for (int i = 0; i < m; ++i) {
      double sum = 0;
      for (int k = 0; k < m; ++k) sum += c[n * k + i] * b[row + k];
      x_[kept_[row + i]] = -sum;
    }
  }

  void from_border(Index block, Span dz) const {
    const int n = layout_.size(block), m = active_[block];
    const Index row = layout_.row(block);
    const double* c = &inverse_root_[layout_.entry(block)];
    for (int i = 0; i < m; ++i) {
      dz[row + i] = 0;
      for (int k = 0; k < m; ++k) dz[row + i] += c[n * i + k] * x_[kept_[row + k]];
    }
  }

  BlockLayoutOfRows layout_;
  std::vector<signed char> active_;
  SymmetricFactor& factor_;
  StopTest stop_;
  BarrierBlocks barrier_;
  SparseMatrix mass_, rows_, columns_; ///< M̃, scaled D̃ᵀ and D̃.
  ConstSpan inverse_root_;
  Vector root_theta_, work_, x_, value_, constant_, panel_, scaled_panel_;
  std::vector<std::size_t> panel_start_;
  std::vector<Index> kept_;      ///< Unknown of an entry of x that is not eliminated, else -1.
  std::vector<Index> kept_rows_; ///< Entries of x that are not eliminated.
  std::vector<Index> slot_;      ///< Where the entries that change go.
};

/// Nothing where the problem has no velocities or its mass matrix is not symmetric.
std::optional<PrimalPieces> symmetric_pieces(const ScaledProblem& problem) {
  auto pieces = problem.delassus().primal();
  if (pieces && !(asymmetry(pieces->mass) <= symmetry_tolerance)) pieces.reset();
  return pieces;
}

} // namespace

bool has_kkt_velocity_space(const ScaledProblem& problem) {
  return symmetric_pieces(problem).has_value();
}

std::unique_ptr<KktSystem::Method> make_kkt_velocity_space(const ScaledProblem& problem,
                                                           const std::vector<signed char>& active,
                                                           bool eliminate, SymmetricFactor& factor,
                                                           StopTest stop) {
  const auto pieces = symmetric_pieces(problem);
  if (!pieces) return nullptr;
  return std::make_unique<VelocitySpace>(problem, *pieces, active, eliminate, factor,
                                         std::move(stop));
}

} // namespace talus
