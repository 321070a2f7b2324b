#include "talus/solve/splitting/shifted_system.h"

#include "talus/core/vector_ops.h"
#include "talus/linalg/sparse_lu.h"
#include "talus/linalg/symmetric_factor.h"
#include "talus/problem/scaled/contact_sum.h"
#include "talus/problem/scaled/natural_map.h"
#include "talus/solve/rank_bodies.h"

#include <algorithm>
#include <cmath>

namespace talus {
namespace {

/// Of a symmetric matrix, in compressed columns, each with its diagonal entry first.
struct LowerTriangle {
  std::vector<Index> start{0}, row;
  Vector value;
  Index columns() const { return static_cast<Index>(start.size()) - 1; }
};

/// A column of the lower triangle is the row of the upper one: `outer` and `inner` may be either.
LowerTriangle lower_triangle(Index size, const Index* outer, const Index* inner,
                             const double* value) {
  LowerTriangle lower;
  for (Index j = 0; j < size; ++j) {
    const Index* first = std::lower_bound(inner + outer[j], inner + outer[j + 1], j);
    const Index* last = inner + outer[j + 1];
    if (first == last || *first != j) { // rows without a diagonal entry
      lower.row.push_back(j);
      lower.value.push_back(0.0);
    }
    lower.row.insert(lower.row.end(), first, last);
    lower.value.insert(lower.value.end(), value + (first - inner), value + (last - inner));
    lower.start.push_back(static_cast<Index>(lower.row.size()));
  }
  return lower;
}
LowerTriangle lower_triangle(const EigenSparse& a) {
  return lower_triangle(static_cast<Index>(a.cols()), a.outerIndexPtr(), a.innerIndexPtr(),
                        a.valuePtr());
}
LowerTriangle lower_triangle(const SparseMatrix& a) {
  return lower_triangle(a.rows, a.row_start.data(), a.column.data(), a.value.data());
}

/// Cholesky for symmetric matrices, LU for the others.
class Factor {
public:
  Factor(bool symmetric, StopTest stop) : symmetric_(symmetric), stop_(std::move(stop)) {}
  bool symmetric() const { return symmetric_; }

  bool factorise(const EigenSparse& matrix) {
    if (symmetric_) return factorise(lower_triangle(matrix));
    if (is_met(stop_)) return false;
    if (!analysed_) lu_.analyse(matrix);
    analysed_ = true;
    if (is_met(stop_)) return false;
    return lu_.factorise(matrix);
  }
  /// Of a symmetric matrix, of which this is the lower triangle.
  bool factorise(const LowerTriangle& lower) {
    if (is_met(stop_)) return false;
    if (!analysed_)
      cholesky_.set_pattern(lower.start, lower.row, std::vector<signed char>(lower.columns(), 1));
    analysed_ = true;
    return cholesky_.factorise(lower.value, stop_);
  }

  /// x = A⁻¹ x.
  void solve(Span x) {
    if (symmetric_) return cholesky_.solve(x);
    lu_.solve(x);
  }

private:
  bool symmetric_, analysed_ = false;
  StopTest stop_;
  SymmetricFactor cholesky_;
  SparseLu lu_{SparseLu::Pattern::any};
};

/// Up to this share of the largest entry, a difference between a matrix and its transpose is taken
/// for rounding of whoever made it: the lower triangle stands for both, which moves the solution by
/// far less than any tolerance.
constexpr double symmetry_tolerance = 1e-12;

bool is_symmetric(const SparseMatrix& a) {
  return asymmetry(a) <= symmetry_tolerance;
}

SparseMatrix scaled_rows(const ScaledProblem& problem, const SparseMatrix& a) {
  return scale_rows(a, problem.scale(), problem.dimension(), problem.contacts());
}

class Bodies : public ShiftedSystem::Method {
public:
  Bodies(const ScaledProblem& problem, const PrimalPieces& pieces, StopTest stop)
      : mass_(to_eigen(pieces.mass)), rows_(to_eigen(scaled_rows(problem, pieces.rows))),
        columns_(rows_.transpose()), compliance_(Eigen::VectorXd::Zero(problem.size())),
        factor_(is_symmetric(pieces.mass), std::move(stop)) {
    if (const ConstSpan e = problem.delassus().compliance(); !e.empty()) {
      Vector scaled(problem.size());
      problem.to_operator(e, scaled); // twice: S E S
      problem.to_operator(scaled, scaled);
      compliance_ = as_eigen(ConstSpan(scaled));
    }
  }

  bool set_shift(double shift) override {
    theta_ = (compliance_.array() + shift).inverse();
    const EigenSparse matrix = mass_ + EigenSparse(columns_ * theta_.asDiagonal() * rows_);
    return factor_.factorise(matrix);
  }

  bool solve(ConstSpan b, double, Span x) override {
    x_ = theta_.cwiseProduct(as_eigen(b));
    v_ = columns_ * x_;
    factor_.solve({v_.data(), static_cast<std::size_t>(v_.size())});
    as_eigen(x) = x_ - theta_.cwiseProduct(rows_ * v_);
    return true;
  }

private:
  EigenSparse mass_, rows_, columns_;
  Eigen::VectorXd compliance_, theta_, x_, v_;
  Factor factor_;
};

class Contacts : public ShiftedSystem::Method {
public:
  Contacts(const ScaledProblem& problem, StopTest stop)
      : Contacts(scale_both_sides(problem.delassus().matrix(), problem.scale(), problem.dimension(),
                                  problem.contacts()),
                 std::move(stop)) {}

  bool set_shift(double shift) override {
    if (!factor_.symmetric()) return factor_.factorise(n_ + shift * identity_);
    for (Index j = 0; j < lower_.columns(); ++j)
      lower_.value[lower_.start[j]] = diagonal_[j] + shift;
    return factor_.factorise(lower_);
  }

  bool solve(ConstSpan b, double, Span x) override {
    copy(b, x);
    factor_.solve(x);
    return true;
  }

private:
  Contacts(const SparseMatrix& n, StopTest stop) : factor_(is_symmetric(n), std::move(stop)) {
    if (!factor_.symmetric()) {
      n_ = to_eigen(n);
      identity_ = EigenSparse(n_.rows(), n_.cols());
      identity_.setIdentity();
      return;
    }
    lower_ = lower_triangle(n);
    for (Index j = 0; j < lower_.columns(); ++j) diagonal_.push_back(lower_.value[lower_.start[j]]);
  }

  EigenSparse n_, identity_; ///< Where N is not symmetric, else:
  LowerTriangle lower_;      ///< Of N + ρ I.
  Vector diagonal_;          ///< Of N.
  Factor factor_;
};

/// The diagonal of the scaled N has mean 1 in every block: the identity is its preconditioner.
class Gradients : public ShiftedSystem::Method {
public:
  Gradients(const ScaledProblem& problem, StopTest stop)
      : problem_(problem), stop_(std::move(stop)), r_(problem.size()), p_(problem.size()),
        ap_(problem.size()) {}

  bool set_shift(double shift) override {
    shift_ = shift;
    return true;
  }

  bool solve(ConstSpan b, double tolerance, Span x) override {
    apply(x, ap_);
    combine(1.0, b, -1.0, ap_, r_);
    copy(r_, p_);
    double squared = problem_.dot(r_, r_);
    const double enough = tolerance * tolerance * problem_.dot(b, b);
    // In exact arithmetic `size` steps are enough; rounding asks for some more.
    const long most = 10L * all_entries(problem_);
    for (long k = 0; k < most && squared > enough && !is_met(stop_); ++k) {
      apply(p_, ap_);
      const double alpha = squared / problem_.dot(p_, ap_);
      if (!std::isfinite(alpha)) return true; // the caller sees it in the iterate
      axpy(alpha, p_, x);
      axpy(-alpha, ap_, r_);
      const double next = problem_.dot(r_, r_);
      combine(1.0, r_, next / squared, p_, p_);
      squared = next;
    }
    return true;
  }

private:
  void apply(ConstSpan x, Span y) const {
    problem_.product(x, y);
    axpy(shift_, x, y);
  }

  const ScaledProblem& problem_;
  StopTest stop_;
  double shift_ = 1;
  Vector r_, p_, ap_;
};

/// `bodies` by an engine that works over ranks.
class BodiesOverRanks : public ShiftedSystem::Method {
public:
  BodiesOverRanks(const ScaledProblem& problem, LinearEngine engine)
      : problem_(problem), bodies_(problem, engine, true), compliance_(problem.size(), 0.0),
        theta_(block_diagonal_size(problem)), weighted_(problem.size()), response_(problem.size()) {
    if (const ConstSpan e = problem.delassus().compliance(); !e.empty()) {
      problem.to_operator(e, compliance_); // twice: S E S
      problem.to_operator(compliance_, compliance_);
    }
  }

  bool set_shift(double shift) override {
    fill(theta_, 0.0);
    for_each_entry(
        [&](Index i, std::size_t entry) { theta_[entry] = 1 / (compliance_[i] + shift); });
    return bodies_.factorise(theta_);
  }

  /// N x + E x + ρ x - b is D̃ᵀ times the residual of the velocities, where |D̃ᵀ| is of order 1.
  bool solve(ConstSpan b, double tolerance, Span x) override {
    for_each_entry([&](Index i, std::size_t entry) { weighted_[i] = theta_[entry] * b[i]; });
    if (!bodies_.solve(weighted_, tolerance * problem_.norm(b), response_)) return false;
    for_each_entry(
        [&](Index i, std::size_t entry) { x[i] = weighted_[i] - theta_[entry] * response_[i]; });
    return true;
  }

private:
  /// Calls work(entry of x, its diagonal entry in a block-diagonal matrix).
  template <class Work>
  void for_each_entry(Work&& work) const {
    const Index d = problem_.dimension(), impulses = d * problem_.contacts();
    for (Index i = 0; i < impulses; ++i) work(i, static_cast<std::size_t>(i) * d + i % d);
    for (Index i = impulses; i < problem_.size(); ++i)
      work(i, static_cast<std::size_t>(impulses) * d + (i - impulses));
  }

  const ScaledProblem& problem_;
  RankBodies bodies_;
  Vector compliance_, theta_, weighted_, response_;
};

} // namespace

ShiftedSystem::ShiftedSystem(const ScaledProblem& problem, Space space, StopTest stop,
                             LinearEngine engine)
    : problem_(problem), space_(space), stop_(std::move(stop)), engine_(engine) {
  if (!is_met(stop_)) choose_method(problem);
}

void ShiftedSystem::choose_method(const ScaledProblem& problem) {
  if (engine_ != LinearEngine::own) {
    space_ = Space::bodies;
    method_ = std::make_unique<BodiesOverRanks>(problem, engine_);
    return;
  }
  if (problem.division()) space_ = Space::gradients;
  if (space_ == Space::automatic)
    space_ = problem.size() > factorisation_limit ? Space::gradients : Space::bodies;
  if (space_ == Space::gradients) {
    method_ = std::make_unique<Gradients>(problem, stop_);
    return;
  }
  if (space_ == Space::bodies)
    if (const auto pieces = problem.delassus().primal()) {
      method_ = std::make_unique<Bodies>(problem, *pieces, stop_);
      return;
    }
  space_ = Space::contacts;
  method_ = std::make_unique<Contacts>(problem, stop_);
}

ShiftedSystem::~ShiftedSystem() = default;

bool ShiftedSystem::set_shift(double shift) {
  if (!method_ || is_met(stop_)) return false;
  if (space_ != Space::gradients) problem_.count_factorisation();
  return method_->set_shift(shift);
}

bool ShiftedSystem::solve(ConstSpan b, double tolerance, Span x) {
  return method_->solve(b, tolerance, x);
}

} // namespace talus
