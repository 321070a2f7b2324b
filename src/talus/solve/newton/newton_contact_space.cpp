// C + K N of the active blocks, dense or sparse.

#include "talus/core/small_matrix.h"
#include "talus/core/vector_ops.h"
#include "talus/linalg/dense_factor.h"
#include "talus/linalg/sparse_lu.h"
#include "talus/solve/newton/newton_blocks.h"

#include <algorithm>

namespace talus {
namespace {

/// The rows of scaled N belonging to one block, over their common columns.
struct Panel {
  std::vector<Index> block;    ///< Blocks of the columns, increasing.
  std::vector<Index> position; ///< First column of each block within the panel, and the width.
  Vector value;                ///< size(block) x width, row-major.
};

class ContactSpace : public NewtonSystem::Method {
public:
  ContactSpace(const ScaledProblem& problem, Index dense_limit, StopTest stop)
      : layout_(problem), dense_limit_(dense_limit), size_(problem.size()), stop_(std::move(stop)),
        analysed_(layout_.blocks), first_(layout_.blocks, -1), rhs_(size_) {
    build_panels(problem);
  }

  bool solve(const NewtonMatrices& matrices, ConstSpan rhs, Span dz, bool factorised) override {
    const auto& [c, k, c_inverse] = matrices;
    if (!factorised) find_active_blocks(layout_, k, active_);
    copy(rhs, rhs_);
    if (!solve_inactive(c, dz)) return false;
    if (active_.empty()) return true;
    Index rows = 0;
    for (Index block : active_) rows += layout_.size(block);
    dense_was_used_ = rows <= dense_limit_;
    if (dense_was_used_) {
      if (!factorised) factorise_dense(c, k, rows, dz);
      gather(c, k, active_, factorised, dz);
      dense_lu_.solve(packed_);
      scatter(active_, dz);
      return true;
    }
    if (!factorised && !factorise_sparse(c, k, dz)) return false;
    if (is_met(stop_)) return false;
    gather(c, k, analysed_.list(), factorised, dz);
    lu_.solve_transposed({packed_.data(), static_cast<std::size_t>(packed_.size())});
    scatter(analysed_.list(), dz);
    return true;
  }

  int determinant_sign() override {
    if (active_.empty()) return 1;
    return dense_was_used_ ? dense_lu_.determinant_sign() : lu_.determinant_sign();
  }

private:
  void build_panels(const ScaledProblem& problem) {
    const SparseMatrix n = problem.delassus().matrix();
    std::vector<Index> block_of(size_);
    for (Index block = 0; block < layout_.blocks; ++block)
      for (int i = 0; i < layout_.size(block); ++i) block_of[layout_.row(block) + i] = block;
    panels_.resize(layout_.blocks);
    for (Index block = 0; block < layout_.blocks; ++block) {
      Panel& panel = panels_[block];
      const Index row = layout_.row(block);
      const int rows = layout_.size(block);
      panel.block.push_back(block); // a complementarity problem may have zeros on its diagonal
      for (Index k = n.row_start[row]; k < n.row_start[row + rows]; ++k)
        panel.block.push_back(block_of[n.column[k]]);
      std::sort(panel.block.begin(), panel.block.end());
      panel.block.erase(std::unique(panel.block.begin(), panel.block.end()), panel.block.end());
      Index width = 0;
      for (Index neighbour : panel.block) {
        panel.position.push_back(width);
        width += layout_.size(neighbour);
      }
      panel.position.push_back(width);
      panel.value.assign(static_cast<std::size_t>(rows) * width, 0.0);
      for (int i = 0; i < rows; ++i) {
        std::size_t at = 0;
        for (Index k = n.row_start[row + i]; k < n.row_start[row + i + 1]; ++k) {
          const Index neighbour = block_of[n.column[k]];
          while (panel.block[at] != neighbour) ++at;
          const Index column = panel.position[at] + n.column[k] - layout_.row(neighbour);
          panel.value[static_cast<std::size_t>(i) * width + column] =
              problem.scale()[block] * problem.scale()[neighbour] * n.value[k];
        }
      }
    }
  }

  /// dz = C⁻¹ rhs where K = 0; the other entries of dz become zero.
  bool solve_inactive(ConstSpan c, Span dz) const {
    std::size_t next = 0;
    for (Index block = 0; block < layout_.blocks; ++block) {
      const int n = layout_.size(block);
      double* x = &dz[layout_.row(block)];
      if (next < active_.size() && active_[next] == block) {
        ++next;
        std::fill_n(x, n, 0.0);
        continue;
      }
      double a[max_dimension * max_dimension];
      std::copy_n(&c[layout_.entry(block)], n * n, a);
      std::copy_n(&rhs_[layout_.row(block)], n, x);
      if (!solve_small(a, x, n, 1)) return false;
    }
    return true;
  }

  /// Writes the rows of one block of C + K N with write(i, column, offset, value), where offset
  /// counts the columns in the system, and moves the known entries of dz to the right-hand side.
  template <class Write>
  void make_rows(Index block, ConstSpan c, ConstSpan k, ConstSpan dz, Write&& write) {
    const Panel& panel = panels_[block];
    const Index width = panel.position.back();
    const int n = layout_.size(block);
    const double* kc = &k[layout_.entry(block)];
    const double* cc = &c[layout_.entry(block)];
    Index offset = 0;
    for (std::size_t at = 0; at < panel.block.size(); ++at) {
      const Index neighbour = panel.block[at];
      const int m = layout_.size(neighbour);
      const double* value = &panel.value[panel.position[at]];
      const Index first = first_[neighbour];
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < m; ++j) {
          double sum = neighbour == block ? cc[n * i + j] : 0.0;
          for (int l = 0; l < n; ++l)
            sum += kc[n * i + l] * value[static_cast<std::size_t>(l) * width + j];
          if (first >= 0)
            write(i, first + j, offset + j, sum);
          else
            rhs_[layout_.row(block) + i] -= sum * dz[layout_.row(neighbour) + j];
        }
      if (first >= 0) offset += m;
    }
  }

  void number(const std::vector<Index>& blocks) {
    std::fill(first_.begin(), first_.end(), -1);
    Index next = 0;
    for (Index block : blocks) {
      first_[block] = next;
      next += layout_.size(block);
    }
    rows_ = next;
  }

  void factorise_dense(ConstSpan c, ConstSpan k, Index rows, ConstSpan dz) {
    number(active_);
    dense_.setZero(rows, rows);
    for (Index block : active_)
      make_rows(block, c, k, dz, [&](int i, Index column, Index, double value) {
        dense_(first_[block] + i, column) = value;
      });
    dense_lu_.factorise(dense_);
  }

  bool factorise_sparse(ConstSpan c, ConstSpan k, ConstSpan dz) {
    const bool analyse = analysed_.needs_analysis(active_);
    number(analysed_.list());
    if (analyse) {
      build_pattern();
      if (is_met(stop_)) return false;
      lu_.analyse(matrix_);
    }
    for (Index block : analysed_.list()) fill_rows(block, c, k, dz);
    if (is_met(stop_)) return false;
    return lu_.factorise(matrix_);
  }

  /// The transpose of C + K N in compressed columns: row by row the matrix itself.
  void build_pattern() {
    std::vector<Index> start = {0}, inner;
    std::vector<Index> columns;
    for (Index block : analysed_.list()) {
      columns.clear();
      for (Index neighbour : panels_[block].block)
        for (int j = 0; j < layout_.size(neighbour) && first_[neighbour] >= 0; ++j)
          columns.push_back(first_[neighbour] + j);
      for (int i = 0; i < layout_.size(block); ++i) {
        inner.insert(inner.end(), columns.begin(), columns.end());
        start.push_back(static_cast<Index>(inner.size()));
      }
    }
    const Vector zero(inner.size(), 0.0);
    matrix_ = Eigen::Map<const EigenSparse>(rows_, rows_, static_cast<Index>(inner.size()),
                                            start.data(), inner.data(), zero.data());
  }

  void fill_rows(Index block, ConstSpan c, ConstSpan k, ConstSpan dz) {
    const Index* start = matrix_.outerIndexPtr() + first_[block];
    double* value = matrix_.valuePtr();
    make_rows(block, c, k, dz,
              [&](int i, Index, Index offset, double sum) { value[start[i] + offset] = sum; });
  }

  /// The right-hand side of the system; making the matrix has already moved the known entries to
  /// it.
  void gather(ConstSpan c, ConstSpan k, const std::vector<Index>& blocks, bool factorised,
              ConstSpan dz) {
    if (factorised && blocks.size() < panels_.size())
      for (Index block : blocks) make_rows(block, c, k, dz, [](int, Index, Index, double) {});
    packed_.resize(rows_);
    for (Index block : blocks)
      for (int i = 0; i < layout_.size(block); ++i)
        packed_[first_[block] + i] = rhs_[layout_.row(block) + i];
  }
  void scatter(const std::vector<Index>& blocks, Span dz) const {
    for (Index block : blocks)
      for (int i = 0; i < layout_.size(block); ++i)
        dz[layout_.row(block) + i] = packed_[first_[block] + i];
  }

  BlockLayoutOfRows layout_;
  Index dense_limit_, size_, rows_ = 0;
  StopTest stop_;
  bool dense_was_used_ = false;
  std::vector<Panel> panels_;
  std::vector<Index> active_;
  AnalysedBlocks analysed_;
  std::vector<Index> first_; ///< First row of each block in the system; -1 when not in it.
  Vector rhs_;
  Eigen::VectorXd packed_;
  RowMajorMatrix dense_;
  DenseLu dense_lu_;
  EigenSparse matrix_;
  SparseLu lu_{SparseLu::Pattern::symmetric};
};

} // namespace

std::unique_ptr<NewtonSystem::Method> make_contact_space(const ScaledProblem& problem,
                                                         Index dense_limit, StopTest stop) {
  return std::make_unique<ContactSpace>(problem, dense_limit, std::move(stop));
}

} // namespace talus
