#include "talus/solve/contradiction.h"

#include "talus/core/vector_ops.h"
#include "talus/linalg/dense_factor.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace talus {
namespace {

/// Weight of the proximal term; the mean diagonal of N is 1. Smaller ones need fewer steps of more
/// iterations each.
constexpr double weight = 0.01;
/// Of the change in a proximal step: the accuracy of d is that of the last one.
constexpr double inner_accuracy = 1e-12;
/// Entries of d below this share of the largest take no part.
constexpr double negligible = 1e-6;

bool is_symmetric(const ContactProblem& problem) {
  constexpr double rounding = 1e-12;
  if (const auto* local = std::get_if<LocalModel>(&problem.model))
    return local->U.empty() && asymmetry(local->W) <= rounding &&
           (local->R.empty() || asymmetry(local->R) <= rounding);
  if (const auto* global = std::get_if<GlobalModel>(&problem.model))
    return asymmetry(global->M) <= rounding;
  return true;
}

/// True where the directions are all of K, not just normals.
bool takes_whole_cones(const ContactProblem& problem) {
  return problem.law == Law::associated && problem.dimension > 1 &&
         is_cone_shaped(problem.friction.kind);
}

/// The contradiction that the direction proves, if it rules out every answer of admissible size.
std::optional<Contradiction> proof_by(const ScaledProblem& problem, ConstSpan direction) {
  const double descent = -dot(problem.free_velocity(), direction);
  if (!(descent > 0)) return std::nullopt;
  Vector moved(problem.size());
  problem.product(direction, moved);
  Contradiction found;
  found.least_size = descent / (norm(moved) * problem.reference());
  if (!(found.least_size > largest_relative_size)) return std::nullopt;
  const int d = problem.dimension();
  const double least = negligible * max_abs(direction);
  for (Index c = 0; c < problem.contacts(); ++c)
    if (direction[d * c] > least) found.contacts.push_back(c);
  for (Index j = 0; j < problem.equalities(); ++j)
    if (std::abs(direction[d * problem.contacts() + j]) > least) found.rows.push_back(j);
  return found;
}

/// d as the solution of  min |B d|² + (q̂·d + 1)²,  B'B = N,  q̂ = q / |q|, over normal impulses and
/// rows, which is zero exactly where there is a contradiction. Lawson and Hanson's active-set
/// method for nonnegative least squares: exact up to rounding whatever the masses, for small
/// problems.
class LeastSquares {
public:
  /// Entries up to which it is worth its price, the fourth power of their number at worst.
  static constexpr Index largest = 150;

  explicit LeastSquares(const ScaledProblem& problem) : problem_(problem) {
    list_variables();
    if (variables_.empty()) return; // motors of limited strength alone
    const auto count = static_cast<Eigen::Index>(variables_.size());
    matrix_.resize(count + 1, count);
    matrix_.topRows(count) = root();
    const double size = norm(problem.free_velocity());
    for (Eigen::Index i = 0; i < count; ++i)
      matrix_(count, i) = variables_[i].sign * problem.free_velocity()[variables_[i].entry] / size;
    right_ = Eigen::VectorXd::Zero(count + 1);
    right_[count] = -1;
  }

  /// The direction in all entries of z.
  Vector solve() {
    if (variables_.empty()) return Vector(problem_.size(), 0.0);
    const auto count = static_cast<Eigen::Index>(variables_.size());
    x_ = Eigen::VectorXd::Zero(count);
    is_active_.resize(count);
    for (Eigen::Index i = 0; i < count; ++i) is_active_[i] = variables_[i].is_free;
    settle();
    constexpr double rounding = 1e-13;
    for (Eigen::Index step = 0; step < 3 * count; ++step) {
      const Eigen::VectorXd descent = matrix_.transpose() * (right_ - matrix_ * x_);
      Eigen::Index best = -1;
      for (Eigen::Index i = 0; i < count; ++i)
        if (!is_active_[i] && descent[i] > rounding && (best < 0 || descent[i] > descent[best]))
          best = i;
      if (best < 0) break;
      is_active_[best] = true;
      settle();
    }
    Vector direction(problem_.size(), 0.0);
    for (Eigen::Index i = 0; i < count; ++i)
      direction[variables_[i].entry] = variables_[i].sign * x_[i];
    return direction;
  }

private:
  struct Variable {
    Index entry = 0;
    double scale = 1, sign = 1;
    bool is_free = false;
  };

  void list_variables() {
    const int d = problem_.dimension();
    const ConstSpan scale = problem_.scale();
    for (Index c = 0; c < problem_.contacts(); ++c) variables_.push_back({d * c, scale[c]});
    const ContactProblem& data = problem_.problem();
    for (Index j = 0; j < problem_.equalities(); ++j) {
      const bool down = data.row_lower.empty() || std::isinf(data.row_lower[j]);
      const bool up = data.row_upper.empty() || std::isinf(data.row_upper[j]);
      if (!down && !up) continue; // of limited strength
      variables_.push_back({d * problem_.contacts() + j, scale[problem_.contacts() + j],
                            up ? 1.0 : -1.0, down && up});
    }
  }

  /// B with B'B = N of the variables. Eigenvalues that are rounding become zero: without that, B
  /// would have the root of rounding where N has none.
  Eigen::MatrixXd root() const {
    const SparseMatrix n = problem_.delassus().matrix();
    const auto count = static_cast<Eigen::Index>(variables_.size());
    Eigen::MatrixXd scaled(count, count);
    for (Eigen::Index i = 0; i < count; ++i)
      for (Eigen::Index j = 0; j < count; ++j) {
        const Variable &a = variables_[i], &b = variables_[j];
        scaled(i, j) = a.sign * b.sign * a.scale * b.scale * entry(n, a.entry, b.entry);
      }
    const EigenPairs eigen = symmetric_eigenpairs(scaled);
    const double rounding = 1e-14 * std::max(0.0, eigen.values.maxCoeff());
    const Eigen::VectorXd roots = eigen.values.unaryExpr(
        [&](double value) { return value > rounding ? std::sqrt(value) : 0.0; });
    return roots.asDiagonal() * eigen.vectors.transpose();
  }

  /// Solves on the active variables; those that become negative leave, one by one, on the way.
  void settle() {
    while (true) { // ends: see below
      std::vector<Eigen::Index> active;
      for (Eigen::Index i = 0; i < x_.size(); ++i)
        if (is_active_[i]) active.push_back(i);
      if (active.empty()) return;
      const Eigen::VectorXd target = least_squares(matrix_(Eigen::all, active), right_);
      double share = 1;
      Eigen::Index leaving = -1;
      for (std::size_t k = 0; k < active.size(); ++k) {
        const Eigen::Index i = active[k];
        const auto place = static_cast<Eigen::Index>(k);
        if (variables_[i].is_free || target[place] > 0) continue;
        const double fraction = x_[i] > 0 ? x_[i] / (x_[i] - target[place]) : 0;
        if (leaving < 0 || fraction < share) share = fraction, leaving = i;
      }
      for (std::size_t k = 0; k < active.size(); ++k)
        x_[active[k]] += share * (target[static_cast<Eigen::Index>(k)] - x_[active[k]]);
      if (leaving < 0) return;
      is_active_[leaving] = false; // one fewer in each pass: the loop ends
      x_[leaving] = 0;
    }
  }

  const ScaledProblem& problem_;
  std::vector<Variable> variables_;
  Eigen::MatrixXd matrix_;
  Eigen::VectorXd right_, x_;
  std::vector<bool> is_active_;
};

/// d as the limit of the steps of the proximal point method on min ½ z'N z + q'z over the
/// directions, by gradients: for large problems, and for the associated law.
class ProximalPoints {
public:
  ProximalPoints(const ScaledProblem& problem, long products)
      : problem_(problem), last_product_(problem.products() + products), z_(problem.size(), 0.0),
        centre_(z_), y_(z_), next_(z_), gradient_(z_), direction_(z_) {}

  std::optional<Contradiction> run() {
    constexpr int power_iterations = 30;
    constexpr double margin = 1.1; // power iterations come from below
    curvature_ = margin * problem_.largest_eigenvalue(power_iterations) + weight;
    if (!(curvature_ < std::numeric_limits<double>::infinity())) return std::nullopt;
    while (problem_.products() < last_product_) {
      if (!proximal_step()) return std::nullopt;
      combine(1.0, z_, -1.0, centre_, direction_);
      keep_directions(direction_);
      if (norm(direction_) <= inner_accuracy * norm(z_)) return std::nullopt; // z is a solution
      if (auto found = proof_by(problem_, direction_)) return found;
      // The next step will be much like this one.
      combine(2.0, z_, -1.0, centre_, next_);
      std::swap(centre_, z_);
      std::swap(z_, next_);
      keep_directions(z_);
    }
    return std::nullopt;
  }

private:
  /// Projects on the directions along which impulses may grow without limit.
  void keep_directions(Vector& x) const {
    const int d = problem_.dimension();
    if (takes_whole_cones(problem_.problem())) {
      problem_.project_contacts(0, problem_.contacts(), x.data());
    } else {
      for (Index c = 0; c < problem_.contacts(); ++c) {
        x[d * c] = std::max(0.0, x[d * c]);
        std::fill_n(&x[d * c] + 1, d - 1, 0.0);
      }
    }
    const ContactProblem& data = problem_.problem();
    if (data.row_lower.empty()) return;
    for (Index j = 0; j < problem_.equalities(); ++j) {
      double& value = x[d * problem_.contacts() + j];
      if (std::isfinite(data.row_lower[j])) value = std::max(0.0, value);
      if (std::isfinite(data.row_upper[j])) value = std::min(0.0, value);
    }
  }

  /// z = argmin ½ z'N z + q'z + weight/2 |z - centre|² by Nesterov's method for strongly convex
  /// functions, from z. False when a number is not finite.
  bool proximal_step() {
    const double root = std::sqrt(weight / curvature_), beta = (1 - root) / (1 + root);
    copy(z_, y_);
    double change = 0;
    do {
      problem_.velocity(y_, gradient_);
      for (std::size_t i = 0; i < y_.size(); ++i) {
        gradient_[i] += weight * (y_[i] - centre_[i]);
        next_[i] = y_[i] - gradient_[i] / curvature_;
      }
      keep_directions(next_);
      change = distance(next_, z_);
      if (!std::isfinite(change)) return false;
      for (std::size_t i = 0; i < y_.size(); ++i) y_[i] = next_[i] + beta * (next_[i] - z_[i]);
      std::swap(z_, next_);
    } while (change > inner_accuracy * distance(z_, centre_) &&
             problem_.products() < last_product_);
    return true;
  }

  const ScaledProblem& problem_;
  long last_product_;
  Vector z_, centre_, y_, next_, gradient_, direction_;
  double curvature_ = 0;
};

} // namespace

std::optional<Contradiction> find_contradiction(const ScaledProblem& problem, long products) {
  if (problem.reference() == 0 || !is_symmetric(problem.problem())) return std::nullopt;
  if (problem.contacts() + problem.equalities() <= LeastSquares::largest) {
    // Normals alone are a proof under the associated law, too.
    if (auto found = proof_by(problem, LeastSquares(problem).solve())) return found;
    if (!takes_whole_cones(problem.problem())) return std::nullopt;
  }
  return ProximalPoints(problem, products).run();
}

} // namespace talus
