#include "talus/problem/delassus/sparse_operator.h"

#include "talus/core/vector_ops.h"
#include "talus/linalg/mass_factor.h"
#include "talus/problem/delassus/explicit_operator.h"
#include "talus/problem/delassus/sweep_rows.h"

#include <algorithm>

namespace talus {
namespace {

class SparseOperator : public DelassusOperator {
public:
  SparseOperator(const ContactProblem& problem, const GlobalModel& model)
      : DelassusOperator(problem, model.M.rows), problem_(problem), model_(model), factor_(model.M),
        jacobian_(join_columns(model.H, model.G)), jacobian_transposed_(transpose(jacobian_)),
        scaled_(size()), wrench_(model.M.rows), free_(model.M.rows), v_(model.M.rows) {
    factor_.solve(model.f, free_);
    Vector q(size());
    multiply(jacobian_transposed_, free_, q);
    for (Index i = 0; i < dimension() * contacts(); ++i) q[i] += model.w[i];
    for (Index j = 0; j < equalities(); ++j) q[dimension() * contacts() + j] += model.b[j];
    Vector diagonal = diagonal_blocks();
    if (first_moment() < dimension()) {
      choose_lengths(diagonal);
      measure_rotations(q);
    }
    finish(std::move(diagonal), std::move(q));
  }

  void generalized_velocity(ConstSpan x, Span v) const override {
    Vector measured(x.begin(), x.end());
    measure_moments(measured);
    accelerate(measured, {}, v);
    axpy(1.0, free_, v);
  }

  SweepRows rows() const override { return explicit_face().rows(); }
  SparseMatrix matrix() const override { return explicit_face().matrix(); }
  std::optional<PrimalPieces> primal() const override {
    return PrimalPieces{model_.M, jacobian_transposed_};
  }
  const char* face() const override { return "sparse"; }

protected:
  void apply_structure(ConstSpan x, Span y, ConstSpan scale) const override {
    accelerate(x, scale, v_);
    multiply(jacobian_transposed_, v_, y);
    apply_scale(scale, y);
  }

private:
  /// Chooses ℓ from the diagonal blocks; measures these and the Jacobian in it.
  void choose_lengths(Span diagonal) {
    const int d = dimension();
    Vector lengths(contacts());
    for (Index c = 0; c < contacts(); ++c) {
      double* block = &diagonal[static_cast<std::size_t>(c) * d * d];
      double with_compliance[36];
      std::copy_n(block, d * d, with_compliance);
      if (!compliance().empty())
        for (int i = 0; i < d; ++i) with_compliance[(d + 1) * i] += compliance()[d * c + i];
      lengths[c] = moment_length(with_compliance, d, first_moment());
      for (int i = 0; i < d; ++i)
        for (int j = 0; j < d; ++j)
          block[d * i + j] *=
              (i < first_moment() ? 1 : lengths[c]) * (j < first_moment() ? 1 : lengths[c]);
    }
    take_lengths(lengths);
    for (Index c = 0; c < contacts(); ++c)
      for (Index row = d * c + first_moment(); row < d * (c + 1); ++row)
        for (Index k = jacobian_transposed_.row_start[row];
             k < jacobian_transposed_.row_start[row + 1]; ++k)
          jacobian_transposed_.value[k] *= lengths[c];
    jacobian_ = transpose(jacobian_transposed_);
  }

  /// Gauss-Seidel needs rows of N, which only exist once N has been formed: done at the first
  /// request.
  const DelassusOperator& explicit_face() const {
    if (!explicit_)
      explicit_ = make_explicit_operator(problem_, eliminate_velocities(model_), lengths());
    return *explicit_;
  }

  void apply_scale(ConstSpan scale, Span y) const {
    if (scale.empty()) return;
    const int d = dimension();
    for (Index c = 0; c < contacts(); ++c)
      for (int i = 0; i < d; ++i) y[d * c + i] *= scale[c];
    for (Index j = 0; j < equalities(); ++j) y[d * contacts() + j] *= scale[contacts() + j];
  }

  void accelerate(ConstSpan x, ConstSpan scale, Span v) const {
    copy(x, scaled_);
    apply_scale(scale, scaled_);
    multiply(jacobian_, scaled_, wrench_);
    factor_.solve(wrench_, v);
  }

  /// hᵢᵀ M⁻¹ hⱼ within each block: one solve per column of [H G].
  Vector diagonal_blocks() const {
    const int d = dimension();
    const Index impulses = d * contacts();
    Vector diagonal(static_cast<std::size_t>(d) * impulses + equalities());
    Vector column(model_.M.rows), response(model_.M.rows);
    const auto row_times_response = [&](Index row) {
      double sum = 0;
      for (Index k = jacobian_transposed_.row_start[row];
           k < jacobian_transposed_.row_start[row + 1]; ++k)
        sum += jacobian_transposed_.value[k] * response[jacobian_transposed_.column[k]];
      return sum;
    };
    for (Index j = 0; j < size(); ++j) {
      fill(column, 0.0);
      for (Index k = jacobian_transposed_.row_start[j]; k < jacobian_transposed_.row_start[j + 1];
           ++k)
        column[jacobian_transposed_.column[k]] = jacobian_transposed_.value[k];
      factor_.solve(column, response);
      if (j >= impulses) {
        diagonal[static_cast<std::size_t>(d) * impulses + j - impulses] = row_times_response(j);
        continue;
      }
      const Index c = j / d;
      for (int i = 0; i < d; ++i)
        diagonal[static_cast<std::size_t>(c) * d * d + d * i + j % d] =
            row_times_response(d * c + i);
    }
    return diagonal;
  }

  const ContactProblem& problem_;
  const GlobalModel& model_;
  MassFactor factor_;
  SparseMatrix jacobian_, jacobian_transposed_;
  mutable Vector scaled_, wrench_;
  Vector free_;
  mutable Vector v_;
  mutable std::unique_ptr<DelassusOperator> explicit_;
};

} // namespace

std::unique_ptr<DelassusOperator> make_sparse_operator(const ContactProblem& problem,
                                                       const GlobalModel& model) {
  return std::make_unique<SparseOperator>(problem, model);
}

} // namespace talus
