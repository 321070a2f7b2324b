// Cᵀ N C + 1 over ẑ = R z, from the explicit N.

#include "talus/core/vector_ops.h"
#include "talus/linalg/eigen_sparse.h"
#include "talus/linalg/sparse_lu.h"
#include "talus/solve/interior_point/kkt_spaces.h"

#include <algorithm>

namespace talus {
namespace {

/// Up to this asymmetry the factors of the symmetric part serve, and refinement does the rest.
constexpr double symmetry_tolerance = 1e-9;

class ContactSpace : public KktSystem::Method {
public:
  ContactSpace(const ScaledProblem& problem, const std::vector<signed char>& active,
               SymmetricFactor& factor, StopTest stop)
      : layout_(problem), active_(active), factor_(factor), stop_(std::move(stop)),
        n_(scaled_matrix(problem)), symmetric_(asymmetry(n_) <= symmetry_tolerance) {
    unknown_.assign(problem.size(), -1);
    for (Index block = 0; block < layout_.blocks; ++block)
      for (int i = 0; i < active_[block]; ++i) unknown_[layout_.row(block) + i] = size_++;
    x_.resize(size_);
    if (!is_met(stop_)) build_pattern();
  }

  Index dofs() const override { return 0; }

  bool factorise(ConstSpan root, ConstSpan inverse_root, double shift) override {
    inverse_root_ = inverse_root;
    value_.assign(value_.size(), 0.0);
    for (const Coupling& pair : couplings_) add_coupling(pair);
    for (Index block = 0; block < layout_.blocks; ++block) add_own(block, root, shift);
    if (symmetric_) return factor_.factorise(value_, stop_);
    if (is_met(stop_)) return false;
    std::copy(value_.begin(), value_.end(), matrix_.valuePtr());
    return lu_.factorise(matrix_);
  }

  void solve(ConstSpan, ConstSpan b, Span, Span dz) override {
    const auto for_each_row = [&](auto&& use) {
      for (Index block = 0; block < layout_.blocks; ++block)
        for (int i = 0; i < active_[block]; ++i)
          use(layout_.row(block), i, active_[block], layout_.size(block),
              &inverse_root_[layout_.entry(block)]);
    };
    for_each_row([&](Index row, int i, int m, int n, const double* c) {
      double sum = 0;
      for (int k = 0; k < m; ++k) sum += c[n * k + i] * b[row + k];
      x_[unknown_[row + i]] = sum;
    });
    if (symmetric_)
      factor_.solve(x_);
    else
      lu_.solve(x_);
    fill(dz, 0.0);
    for_each_row([&](Index row, int i, int m, int n, const double* c) {
      for (int k = 0; k < m; ++k) dz[row + i] += c[n * i + k] * x_[unknown_[row + k]];
    });
  }

  void residual(ConstSpan root, ConstSpan, ConstSpan b, ConstSpan, ConstSpan dz, Span,
                Span rb) const override {
    multiply(n_, dz, rb);
    combine(1.0, b, -1.0, rb, rb);
    subtract_hessian(layout_, active_, root, dz, rb);
  }

  void apply_rows(ConstSpan, ConstSpan z, Span y) const override { multiply(n_, z, y); }
  void apply_mass(ConstSpan, ConstSpan, Span) const override {}

private:
  static SparseMatrix scaled_matrix(const ScaledProblem& problem) {
    return scale_both_sides(problem.delassus().matrix(), problem.scale(), problem.dimension(),
                            problem.contacts());
  }

  /// N_ij of two blocks, dense, and where Cᵢᵀ N_ij Cⱼ goes.
  struct Coupling {
    Index i = 0, j = 0;
    std::size_t value = 0; ///< In couplings' values, active(i) x active(j).
    std::size_t slot = 0;  ///< In slot_, in the same order; only i >= j when symmetric.
  };

  void find_couplings() {
    std::vector<Index> block_of(n_.rows);
    for (Index block = 0; block < layout_.blocks; ++block)
      for (int i = 0; i < layout_.size(block); ++i) block_of[layout_.row(block) + i] = block;
    std::vector<Index> neighbours;
    for (Index i = 0; i < layout_.blocks; ++i) {
      neighbours.assign(1, i); // a complementarity problem may have zeros on its diagonal
      for (Index k = n_.row_start[layout_.row(i)];
           k < n_.row_start[layout_.row(i) + layout_.size(i)]; ++k)
        neighbours.push_back(block_of[n_.column[k]]);
      std::sort(neighbours.begin(), neighbours.end());
      neighbours.erase(std::unique(neighbours.begin(), neighbours.end()), neighbours.end());
      for (Index j : neighbours) {
        if (active_[i] == 0 || active_[j] == 0 || (symmetric_ && j > i)) continue;
        couplings_.push_back({i, j, coupling_value_.size(), 0});
        for (int a = 0; a < active_[i]; ++a)
          for (int b = 0; b < active_[j]; ++b) {
            const Index row = layout_.row(i) + a, column = layout_.row(j) + b;
            const double value = entry(n_, row, column);
            coupling_value_.push_back(symmetric_ ? 0.5 * (value + entry(n_, column, row)) : value);
          }
      }
    }
  }

  void add_coupling(const Coupling& pair) {
    const int m = active_[pair.i], l = active_[pair.j];
    const int n = layout_.size(pair.i), o = layout_.size(pair.j);
    const double* ci = &inverse_root_[layout_.entry(pair.i)];
    const double* cj = &inverse_root_[layout_.entry(pair.j)];
    const double* value = &coupling_value_[pair.value];
    double half[max_dimension * max_dimension] = {}; // N_ij Cⱼ
    for (int a = 0; a < m; ++a)
      for (int k = 0; k < l; ++k)
        for (int b = 0; b < l; ++b) half[l * a + b] += value[l * a + k] * cj[o * k + b];
    for (int a = 0; a < m; ++a)
      for (int b = 0; b < l; ++b) {
        if (symmetric_ && pair.i == pair.j && b > a) continue;
        double sum = 0;
        for (int k = 0; k < m; ++k) sum += ci[n * k + a] * half[l * k + b];
        value_[slot_[pair.slot + l * a + b]] += sum;
      }
  }

  /// 1 + δ CᵀC on the diagonal; free rows, whose R is 0, get δ alone.
  void add_own(Index block, ConstSpan root, double shift) {
    const int n = layout_.size(block), m = active_[block];
    const double* c = &inverse_root_[layout_.entry(block)];
    const bool is_free = block >= layout_.contacts && root[layout_.entry(block)] == 0;
    for (int a = 0; a < m; ++a)
      for (int b = 0; b < m; ++b) {
        if (symmetric_ && b > a) continue;
        double sum = a == b && !is_free ? 1 : 0;
        for (int k = 0; k < m; ++k) sum += shift * c[n * k + a] * c[n * k + b];
        value_[slot_[own_slot_[block] + m * a + b]] += sum;
      }
  }

  void build_pattern() {
    find_couplings();
    const auto for_each_entry = [&](auto&& use) {
      for (Coupling& pair : couplings_)
        for (int a = 0; a < active_[pair.i]; ++a)
          for (int b = 0; b < active_[pair.j]; ++b)
            use(pair, unknown_[layout_.row(pair.i) + a], unknown_[layout_.row(pair.j) + b]);
    };
    std::size_t next = 0;
    own_slot_.assign(layout_.blocks, 0);
    for (Coupling& pair : couplings_) {
      pair.slot = next;
      if (pair.i == pair.j) own_slot_[pair.i] = next;
      next += static_cast<std::size_t>(active_[pair.i]) * active_[pair.j];
    }
    if (symmetric_) {
      SymmetricPattern pattern(size_);
      std::vector<Index> notes;
      for_each_entry([&](Coupling&, Index i, Index j) { notes.push_back(pattern.note(i, j)); });
      pattern.finish();
      for (Index note : notes) slot_.push_back(pattern.slot(note));
      value_.resize(pattern.nonzeros());
      if (is_met(stop_)) return;
      factor_.set_pattern(pattern.column_start(), pattern.row(),
                          std::vector<signed char>(size_, 1));
      return;
    }
    std::vector<Eigen::Triplet<double, Index>> entries;
    for_each_entry([&](Coupling&, Index i, Index j) {
      entries.emplace_back(i, j, 0.0);
      entries.emplace_back(j, i, 0.0);
    });
    matrix_.resize(size_, size_);
    matrix_.setFromTriplets(entries.begin(), entries.end());
    matrix_.makeCompressed();
    value_.resize(matrix_.nonZeros());
    for_each_entry([&](Coupling&, Index i, Index j) {
      const Index* first = matrix_.innerIndexPtr() + matrix_.outerIndexPtr()[j];
      const Index* last = matrix_.innerIndexPtr() + matrix_.outerIndexPtr()[j + 1];
      slot_.push_back(
          static_cast<Index>(std::lower_bound(first, last, i) - matrix_.innerIndexPtr()));
    });
    if (!is_met(stop_)) lu_.analyse(matrix_);
  }

  BlockLayoutOfRows layout_;
  std::vector<signed char> active_;
  SymmetricFactor& factor_;
  StopTest stop_;
  SparseMatrix n_; ///< N in scaled variables, compliance included.
  bool symmetric_;
  Index size_ = 0;
  std::vector<Index> unknown_, slot_;
  std::vector<Coupling> couplings_;
  std::vector<std::size_t> own_slot_;
  ConstSpan inverse_root_;
  Vector coupling_value_, value_, x_;
  EigenSparse matrix_;
  SparseLu lu_{SparseLu::Pattern::symmetric};
};

} // namespace

std::unique_ptr<KktSystem::Method> make_kkt_contact_space(const ScaledProblem& problem,
                                                          const std::vector<signed char>& active,
                                                          SymmetricFactor& factor, StopTest stop) {
  return std::make_unique<ContactSpace>(problem, active, factor, std::move(stop));
}

} // namespace talus
