#include "talus/problem/delassus/explicit_operator.h"

#include "talus/core/error.h"
#include "talus/core/parallel.h"
#include "talus/core/vector_ops.h"
#include "talus/linalg/mass_factor.h"
#include "talus/problem/delassus/sweep_rows.h"

#include <algorithm>
#include <cmath>

namespace talus {
namespace {

template <int D>
class ExplicitOperator : public DelassusOperator {
public:
  /// `lengths` are those that the model's moments are measured in already.
  ExplicitOperator(const ContactProblem& problem, const LocalModel& model, ConstSpan lengths = {})
      : DelassusOperator(problem, 0), w_(to_blocks<D>(model.W)), v_(model.V),
        u_(model.U.empty() ? transpose(model.V) : model.U), r_(model.R) {
    if (equalities() > 0 && v_.empty()) v_ = zero_matrix(D * contacts(), equalities());
    if (equalities() > 0 && u_.empty()) u_ = zero_matrix(equalities(), D * contacts());
    Vector q = model.q;
    q.insert(q.end(), model.s.begin(), model.s.end());
    take_lengths(lengths);
    finish(diagonal_blocks(), std::move(q));
  }

  void generalized_velocity(ConstSpan, Span) const override {
    throw InvalidArgument("a local problem has no generalised velocities");
  }
  SweepRows rows() const override {
    return ExplicitRows<D>(w_, v_, u_, r_, free_velocity(), compliance());
  }
  const char* face() const override { return "explicit"; }

  SparseMatrix matrix() const override {
    const Index impulses = D * contacts();
    SparseMatrix n = zero_matrix(size(), size());
    const auto stored = w_.value.size() + v_.value.size() + u_.value.size() + r_.value.size();
    n.column.reserve(stored);
    n.value.reserve(stored);
    const auto append = [&](const SparseMatrix& a, Index row, Index first_column) {
      if (a.empty()) return;
      for (Index k = a.row_start[row]; k < a.row_start[row + 1]; ++k) {
        n.column.push_back(first_column + a.column[k]);
        n.value.push_back(a.value[k]);
      }
    };
    for (Index i = 0; i < impulses; ++i) {
      for (Index k = w_.row_start[i / D]; k < w_.row_start[i / D + 1]; ++k)
        for (int j = 0; j < D; ++j) {
          n.column.push_back(D * w_.column[k] + j);
          n.value.push_back(w_.value[(static_cast<std::size_t>(k) * D + i % D) * D + j]);
        }
      append(v_, i, impulses);
      n.row_start[i + 1] = n.nonzeros();
    }
    for (Index j = 0; j < equalities(); ++j) {
      append(u_, j, 0);
      append(r_, j, impulses);
      n.row_start[impulses + j + 1] = n.nonzeros();
    }
    return with_compliance(std::move(n));
  }

protected:
  void apply_structure(ConstSpan x, Span y, ConstSpan scale) const override {
    const auto factor = [&](Index block) { return scale.empty() ? 1.0 : scale[block]; };
    const Index impulses = D * contacts();
    parallel_for(
        contacts(),
        [&](Index begin, Index end) {
          for (Index c = begin; c < end; ++c) {
            double sum[D] = {};
            for (Index k = w_.row_start[c]; k < w_.row_start[c + 1]; ++k) {
              const Index column = w_.column[k];
              const double* a = &w_.value[static_cast<std::size_t>(k) * D * D];
              const double s = factor(column);
              double xs[D];
              for (int j = 0; j < D; ++j) xs[j] = s * x[D * column + j];
              for (int i = 0; i < D; ++i)
                for (int j = 0; j < D; ++j) sum[i] += a[D * i + j] * xs[j];
            }
            if (!v_.empty())
              for (int i = 0; i < D; ++i)
                for (Index k = v_.row_start[D * c + i]; k < v_.row_start[D * c + i + 1]; ++k)
                  sum[i] +=
                      v_.value[k] * factor(contacts() + v_.column[k]) * x[impulses + v_.column[k]];
            for (int i = 0; i < D; ++i) y[D * c + i] = factor(c) * sum[i];
          }
        },
        128);
    for (Index j = 0; j < equalities(); ++j) {
      double sum = 0;
      for (Index k = u_.row_start[j]; k < u_.row_start[j + 1]; ++k)
        sum += u_.value[k] * factor(u_.column[k] / D) * x[u_.column[k]];
      if (!r_.empty())
        for (Index k = r_.row_start[j]; k < r_.row_start[j + 1]; ++k)
          sum += r_.value[k] * factor(contacts() + r_.column[k]) * x[impulses + r_.column[k]];
      y[impulses + j] = factor(contacts() + j) * sum;
    }
  }

  double row_bound(Index block) const override {
    double largest = 0;
    const auto include = [&](const SparseMatrix& a, Index row) {
      if (a.empty()) return;
      for (Index k = a.row_start[row]; k < a.row_start[row + 1]; ++k)
        largest = std::max(largest, std::abs(a.value[k]));
    };
    if (block >= contacts()) {
      include(u_, block - contacts());
      include(r_, block - contacts());
      return largest;
    }
    for (Index k = w_.row_start[block] * D * D; k < w_.row_start[block + 1] * D * D; ++k)
      largest = std::max(largest, std::abs(w_.value[k]));
    for (int i = 0; i < D; ++i) include(v_, D * block + i);
    return largest;
  }

private:
  Vector diagonal_blocks() const {
    Vector diagonal(static_cast<std::size_t>(contacts()) * D * D + equalities(), 0.0);
    for (Index c = 0; c < contacts(); ++c)
      for (Index k = w_.row_start[c]; k < w_.row_start[c + 1]; ++k)
        if (w_.column[k] == c)
          std::copy_n(&w_.value[static_cast<std::size_t>(k) * D * D], D * D,
                      &diagonal[static_cast<std::size_t>(c) * D * D]);
    for (Index j = 0; j < equalities() && !r_.empty(); ++j)
      diagonal[static_cast<std::size_t>(contacts()) * D * D + j] = entry(r_, j, j);
    return diagonal;
  }

  BlockMatrix<D> w_;
  SparseMatrix v_, u_, r_;
};

/// ℓ of every contact, from the diagonal blocks of W and the compliance.
Vector moment_lengths(const ContactProblem& problem, const SparseMatrix& w) {
  const int d = problem.dimension;
  Vector lengths(problem.contacts());
  for (Index c = 0; c < problem.contacts(); ++c) {
    double block[36] = {};
    for (int i = 0; i < d; ++i) {
      block[(d + 1) * i] = entry(w, d * c + i, d * c + i);
      if (!problem.compliance.empty()) block[(d + 1) * i] += problem.compliance[d * c + i];
    }
    lengths[c] = moment_length(block, d, problem.first_moment());
  }
  return lengths;
}

/// The model with moments divided and angular velocities multiplied by the lengths.
LocalModel measured_in(const ConstSpan lengths, int d, int first, LocalModel model) {
  const auto factor = [&](Index i) {
    return i % d < first || i / d >= static_cast<Index>(lengths.size()) ? 1.0 : lengths[i / d];
  };
  const auto scale = [](SparseMatrix& a, auto&& of_row, auto&& of_column) {
    for (Index i = 0; i < a.rows; ++i)
      for (Index k = a.row_start[i]; k < a.row_start[i + 1]; ++k)
        a.value[k] *= of_row(i) * of_column(a.column[k]);
  };
  const auto one = [](Index) { return 1.0; };
  scale(model.W, factor, factor);
  if (!model.V.empty()) scale(model.V, factor, one);
  if (!model.U.empty()) scale(model.U, one, factor);
  for (std::size_t i = 0; i < model.q.size(); ++i) model.q[i] *= factor(static_cast<Index>(i));
  return model;
}

/// The part of `a` in the given row and column ranges.
SparseMatrix part(const SparseMatrix& a, Index row, Index rows, Index column, Index columns) {
  std::vector<Triplet> entries;
  for (Index i = row; i < row + rows; ++i)
    for (Index k = a.row_start[i]; k < a.row_start[i + 1]; ++k)
      if (a.column[k] >= column && a.column[k] < column + columns)
        entries.push_back({i - row, a.column[k] - column, a.value[k]});
  return from_triplets(rows, columns, std::move(entries));
}

} // namespace

std::unique_ptr<DelassusOperator>
make_explicit_operator(const ContactProblem& problem, const LocalModel& model, ConstSpan lengths) {
  if (problem.has_moments()) {
    Vector own;
    if (lengths.empty()) own = moment_lengths(problem, model.W);
    const ConstSpan used = lengths.empty() ? ConstSpan(own) : lengths;
    const LocalModel measured = measured_in(used, problem.dimension, problem.first_moment(), model);
    if (problem.dimension == 3)
      return std::make_unique<ExplicitOperator<3>>(problem, measured, used);
    if (problem.dimension == 5)
      return std::make_unique<ExplicitOperator<5>>(problem, measured, used);
    return std::make_unique<ExplicitOperator<6>>(problem, measured, used);
  }
  switch (problem.dimension) {
  case 1:
    return std::make_unique<ExplicitOperator<1>>(problem, model);
  case 2:
    return std::make_unique<ExplicitOperator<2>>(problem, model);
  default:
    return std::make_unique<ExplicitOperator<3>>(problem, model);
  }
}

LocalModel eliminate_velocities(const GlobalModel& model) {
  const MassFactor factor(model.M);
  const SparseMatrix jacobian = transpose(join_columns(model.H, model.G)); // a row per impulse
  const Index dofs = model.M.rows, size = jacobian.rows, impulses = model.H.columns;
  Vector column(dofs), response(dofs), product(size);
  std::vector<Triplet> entries;
  for (Index j = 0; j < size; ++j) {
    fill(column, 0.0);
    for (Index k = jacobian.row_start[j]; k < jacobian.row_start[j + 1]; ++k)
      column[jacobian.column[k]] = jacobian.value[k];
    factor.solve(column, response);
    multiply(jacobian, response, product);
    for (Index i = 0; i < size; ++i)
      if (product[i] != 0) entries.push_back({i, j, product[i]});
  }
  const SparseMatrix all = from_triplets(size, size, std::move(entries));

  factor.solve(model.f, response);
  multiply(jacobian, response, product);
  LocalModel local;
  local.W = part(all, 0, impulses, 0, impulses);
  local.q.assign(product.begin(), product.begin() + impulses);
  for (Index i = 0; i < impulses; ++i) local.q[i] += model.w[i];
  if (size == impulses) return local;
  const Index equalities = size - impulses;
  local.V = part(all, 0, impulses, impulses, equalities);
  local.U = part(all, impulses, equalities, 0, impulses);
  local.R = part(all, impulses, equalities, impulses, equalities);
  local.s.assign(product.begin() + impulses, product.end());
  for (Index j = 0; j < equalities; ++j) local.s[j] += model.b[j];
  return local;
}

} // namespace talus
