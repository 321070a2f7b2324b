// The Schur complement M̃ + D̃ Θ D̃ᵀ over the bodies' velocities.

#include "talus/core/small_matrix.h"
#include "talus/core/vector_ops.h"
#include "talus/solve/newton_blocks.h"
#include "talus/solve/sparse_lu.h"

#include <Eigen/SparseCholesky>

#include <algorithm>
#include <cmath>

namespace talus {
namespace {

/// The rows of scaled D̃ᵀ belonging to one block, over the degrees of freedom they touch.
struct Panel {
  std::vector<Index> dof; ///< Increasing.
  Vector value;           ///< size(block) x dof.size(), row-major.
  std::vector<Index> slot; ///< Where D̃ Θ D̃ᵀ goes in the analysed matrix: dof.size()², column-major.
};

class BodySpace : public NewtonSystem::Method {
public:
  BodySpace(const ScaledProblem& problem, const PrimalPieces& pieces)
      : layout_(problem), dofs_(pieces.mass.rows), mass_(transpose(pieces.mass)),
        symmetric_mass_(asymmetry(pieces.mass) <= symmetry_tolerance), analysed_(layout_.blocks),
        theta_(layout_.entry(layout_.blocks)), start_(problem.size()), v_(dofs_) {
    build_panels(problem, pieces.rows);
    if (const ConstSpan e = problem.delassus().compliance(); !e.empty()) {
      compliance_.assign(e.begin(), e.end());
      for (Index block = 0; block < layout_.blocks; ++block)
        for (int i = 0; i < layout_.size(block); ++i)
          compliance_[layout_.row(block) + i] *= problem.scale()[block] * problem.scale()[block];
    }
  }

  bool solve(const NewtonMatrices& matrices, ConstSpan rhs, Span dz, bool factorised) override {
    if (!eliminate_blocks(matrices, rhs)) return false;
    if (!factorised) {
      find_active_blocks(layout_, matrices.k, active_);
      if (analysed_.needs_analysis(active_)) {
        build_pattern();
        cholesky_analysed_ = lu_analysed_ = false;
      }
      fill_matrix();
      if (!factorise()) return false;
    }
    // D̃ (C + K E)⁻¹ rhs
    v_.setZero();
    for (Index block = 0; block < layout_.blocks; ++block) {
      const Panel& panel = panels_[block];
      const std::size_t m = panel.dof.size();
      for (int i = 0; i < layout_.size(block); ++i)
        for (std::size_t a = 0; a < m; ++a)
          v_[panel.dof[a]] += panel.value[i * m + a] * start_[layout_.row(block) + i];
    }
    v_ = factor_ == Factor::cholesky ? Eigen::VectorXd(cholesky_.solve(v_))
                                     : Eigen::VectorXd(lu_.solve(v_));
    copy(start_, dz);
    for (Index block : active_) subtract_response(block, dz);
    return true;
  }

  int determinant_sign() override {
    return block_sign_ * (factor_ == Factor::cholesky ? sign_of_product(cholesky_.vectorD())
                                                      : static_cast<int>(lu_.signDeterminant()));
  }

private:
  static constexpr double symmetry_tolerance = 1e-13;
  enum class Factor { cholesky, lu };

  void build_panels(const ScaledProblem& problem, const SparseMatrix& rows) {
    panels_.resize(layout_.blocks);
    for (Index block = 0; block < layout_.blocks; ++block) {
      Panel& panel = panels_[block];
      const Index row = layout_.row(block);
      const int n = layout_.size(block);
      for (Index k = rows.row_start[row]; k < rows.row_start[row + n]; ++k)
        if (rows.value[k] != 0) panel.dof.push_back(rows.column[k]);
      std::sort(panel.dof.begin(), panel.dof.end());
      panel.dof.erase(std::unique(panel.dof.begin(), panel.dof.end()), panel.dof.end());
      panel.value.assign(n * panel.dof.size(), 0.0);
      for (int i = 0; i < n; ++i)
        for (Index k = rows.row_start[row + i]; k < rows.row_start[row + i + 1]; ++k) {
          const auto at = std::lower_bound(panel.dof.begin(), panel.dof.end(), rows.column[k]);
          if (at == panel.dof.end() || *at != rows.column[k]) continue;
          panel.value[i * panel.dof.size() + (at - panel.dof.begin())] =
              problem.scale()[block] * rows.value[k];
        }
    }
  }

  /// Θ = (C + K E)⁻¹ K and start = (C + K E)⁻¹ rhs, block by block.
  bool eliminate_blocks(const NewtonMatrices& matrices, ConstSpan rhs) {
    symmetric_ = symmetric_mass_;
    block_sign_ = 1;
    for (Index block = 0; block < layout_.blocks; ++block) {
      const int n = layout_.size(block);
      const Index row = layout_.row(block);
      const std::size_t entry = layout_.entry(block);
      double a[9], right[12]; // A [Θ start] = right
      if (matrices.c_inverse.empty())
        pose_block(matrices, rhs, block, a, right);
      else
        pose_inverted_block(matrices, rhs, block, a, right);
      if (!compliance_.empty()) block_sign_ *= sign_of(determinant(a, n));
      if (!solve_small(a, right, n, n + 1)) return false;
      double largest = 0, asymmetric = 0;
      for (int i = 0; i < n; ++i) {
        start_[row + i] = right[(n + 1) * i + n];
        for (int j = 0; j < n; ++j) {
          const double value = right[(n + 1) * i + j];
          theta_[entry + n * i + j] = value;
          largest = std::max(largest, std::abs(value));
          asymmetric = std::max(asymmetric, std::abs(value - right[(n + 1) * j + i]));
        }
      }
      if (asymmetric > symmetry_tolerance * largest) symmetric_ = false;
    }
    return true;
  }

  /// A = C + K E, right = [K rhs].
  void pose_block(const NewtonMatrices& matrices, ConstSpan rhs, Index block, double* a,
                  double* right) const {
    const int n = layout_.size(block);
    const Index row = layout_.row(block);
    const std::size_t entry = layout_.entry(block);
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        const double kij = matrices.k[entry + n * i + j];
        a[n * i + j] = matrices.c[entry + n * i + j] +
                       (compliance_.empty() ? 0.0 : kij * compliance_[row + j]);
        right[(n + 1) * i + j] = kij;
      }
      right[(n + 1) * i + n] = rhs[row + i];
    }
  }

  /// The same times C⁻¹: A = 1 + C⁻¹ K E, right = C⁻¹ [K rhs].
  void pose_inverted_block(const NewtonMatrices& matrices, ConstSpan rhs, Index block, double* a,
                           double* right) const {
    const int n = layout_.size(block);
    const Index row = layout_.row(block);
    const std::size_t entry = layout_.entry(block);
    for (int i = 0; i < n; ++i) {
      const double* inverse = &matrices.c_inverse[entry + n * i];
      double* out = &right[(n + 1) * i];
      std::fill_n(out, n + 1, 0.0);
      for (int l = 0; l < n; ++l) {
        for (int j = 0; j < n; ++j) out[j] += inverse[l] * matrices.k[entry + n * l + j];
        out[n] += inverse[l] * rhs[row + l];
      }
      for (int j = 0; j < n; ++j)
        a[n * i + j] =
            (i == j ? 1.0 : 0.0) + (compliance_.empty() ? 0.0 : out[j] * compliance_[row + j]);
    }
  }

  void build_pattern() {
    std::vector<std::vector<Index>> rows_of(dofs_);
    for (Index j = 0; j < dofs_; ++j) {
      rows_of[j].assign(mass_.column.begin() + mass_.row_start[j],
                        mass_.column.begin() + mass_.row_start[j + 1]);
      rows_of[j].push_back(j);
    }
    for (Index block : analysed_.list()) {
      const std::vector<Index>& dof = panels_[block].dof;
      for (Index j : dof) rows_of[j].insert(rows_of[j].end(), dof.begin(), dof.end());
    }
    std::vector<Index> start = {0}, inner;
    for (std::vector<Index>& rows : rows_of) {
      std::sort(rows.begin(), rows.end());
      rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
      inner.insert(inner.end(), rows.begin(), rows.end());
      start.push_back(static_cast<Index>(inner.size()));
    }
    const Vector zero(inner.size(), 0.0);
    matrix_ = Eigen::Map<const EigenSparse>(dofs_, dofs_, static_cast<Index>(inner.size()),
                                            start.data(), inner.data(), zero.data());
    const auto slot_of = [&](Index row, Index column) {
      const auto first = inner.begin() + start[column], last = inner.begin() + start[column + 1];
      return static_cast<Index>(std::lower_bound(first, last, row) - inner.begin());
    };
    mass_slot_.clear();
    for (Index j = 0; j < dofs_; ++j)
      for (Index k = mass_.row_start[j]; k < mass_.row_start[j + 1]; ++k)
        mass_slot_.push_back(slot_of(mass_.column[k], j));
    for (Index block : analysed_.list()) {
      Panel& panel = panels_[block];
      panel.slot.clear();
      for (Index j : panel.dof)
        for (Index i : panel.dof) panel.slot.push_back(slot_of(i, j));
    }
  }

  void fill_matrix() {
    double* value = matrix_.valuePtr();
    std::fill_n(value, matrix_.nonZeros(), 0.0);
    for (std::size_t k = 0; k < mass_slot_.size(); ++k) value[mass_slot_[k]] += mass_.value[k];
    for (Index block : active_) {
      const Panel& panel = panels_[block];
      const int n = layout_.size(block);
      const std::size_t m = panel.dof.size();
      const double* theta = &theta_[layout_.entry(block)];
      const double* p = panel.value.data();
      std::size_t at = 0;
      for (std::size_t b = 0; b < m; ++b) {
        double column[3] = {}; // Θ D̃ᵀ e_b
        for (int i = 0; i < n; ++i)
          for (int j = 0; j < n; ++j) column[i] += theta[n * i + j] * p[j * m + b];
        for (std::size_t a = 0; a < m; ++a, ++at) {
          double sum = 0;
          for (int i = 0; i < n; ++i) sum += p[i * m + a] * column[i];
          value[panel.slot[at]] += sum;
        }
      }
    }
  }

  bool factorise() {
    if (symmetric_) {
      if (!cholesky_analysed_) cholesky_.analyzePattern(matrix_);
      cholesky_analysed_ = true;
      cholesky_.factorize(matrix_);
      factor_ = Factor::cholesky;
      if (cholesky_.info() == Eigen::Success) return true;
    }
    if (!lu_analysed_) lu_.analyzePattern(matrix_);
    lu_analysed_ = true;
    lu_.factorize(matrix_);
    factor_ = Factor::lu;
    return lu_.info() == Eigen::Success;
  }

  /// dz_c -= Θ_c D̃_cᵀ v.
  void subtract_response(Index block, Span dz) const {
    const Panel& panel = panels_[block];
    const int n = layout_.size(block);
    const std::size_t m = panel.dof.size();
    double velocity[3] = {};
    for (int i = 0; i < n; ++i)
      for (std::size_t a = 0; a < m; ++a) velocity[i] += panel.value[i * m + a] * v_[panel.dof[a]];
    const double* theta = &theta_[layout_.entry(block)];
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) dz[layout_.row(block) + i] -= theta[n * i + j] * velocity[j];
  }

  BlockLayoutOfRows layout_;
  Index dofs_;
  SparseMatrix mass_; ///< M̃ column by column.
  bool symmetric_mass_, symmetric_ = false;
  int block_sign_ = 1; ///< Of the product of det(C + K E) over the blocks.
  bool cholesky_analysed_ = false, lu_analysed_ = false;
  Factor factor_ = Factor::lu;
  std::vector<Panel> panels_;
  std::vector<Index> active_, mass_slot_;
  AnalysedBlocks analysed_;
  Vector compliance_; ///< Scaled E; empty without.
  Vector theta_, start_;
  Eigen::VectorXd v_;
  EigenSparse matrix_;
  Eigen::SimplicialLDLT<EigenSparse, Eigen::Lower, Eigen::AMDOrdering<Index>> cholesky_;
  SparseLu lu_;
};

} // namespace

std::unique_ptr<NewtonSystem::Method> make_body_space(const ScaledProblem& problem,
                                                      const PrimalPieces& pieces) {
  return std::make_unique<BodySpace>(problem, pieces);
}

} // namespace talus
