#include "talus/solve/lcp/principal_pivoting.h"

#include "talus/solve/lcp/pivot_tableau.h"

#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace talus {
namespace {

using Eigen::Index;

constexpr double infinity = std::numeric_limits<double>::infinity();
/// Diagonal entries of the Schur complement below this are zero.
constexpr double smallest_pivot = 1e-10;
/// Violations below this share of the largest |b| are rounding.
constexpr double rounding = 1e-13;
/// What a redundant row may be off by.
constexpr double redundant = 1e-9;
constexpr double tolerated_drift = 1e-11;
constexpr long pivots_between_checks = 25;

class Pivoting {
public:
  Pivoting(const Eigen::MatrixXd& A, const Eigen::VectorXd& b, const Eigen::VectorXd& lower,
           const Eigen::VectorXd& upper, const Eigen::VectorXd& start)
      : A_(A), b_(b), lower_(lower), upper_(upper), n_(b.size()), T_(A), is_basic_(n_, false),
        given_up_(n_, false) {
    x_ = start.cwiseMax(lower).cwiseMin(upper);
    u_ = A * x_ + b;
    size_ = std::max(b.cwiseAbs().maxCoeff(), u_.cwiseAbs().maxCoeff());
  }

  PrincipalAnswer run(const std::function<bool()>& go_on) {
    if (!std::isfinite(size_)) return finish(PrincipalEnd::stopped);
    while (true) { // every drive asks the caller
      const Index driven = violated_component();
      if (driven < 0) {
        if (!is_fresh_ && drift() > rounding * size_) {
          refactor();
          continue;
        }
        return finish(found_ray_ ? PrincipalEnd::ray : PrincipalEnd::solution);
      }
      const PrincipalEnd end = drive(driven, go_on);
      if (end != PrincipalEnd::solution) return finish(end);
    }
  }

private:
  struct Event {
    double length = infinity;
    Index component = -1;
    bool meets_bound = false; ///< Of the driven component: its other bound, not u = 0.
  };

  bool is_at_lower(Index i) const { return !is_basic_[i] && x_[i] <= lower_[i]; }
  bool is_at_upper(Index i) const { return !is_basic_[i] && x_[i] >= upper_[i]; }

  /// How far u_i has the wrong sign; for a component off its bounds any u is wrong.
  double violation(Index i) const {
    if (is_basic_[i] || given_up_[i] || lower_[i] == upper_[i]) return 0;
    if (is_at_lower(i)) return std::max(0.0, -u_[i]);
    if (is_at_upper(i)) return std::max(0.0, u_[i]);
    return std::abs(u_[i]);
  }

  Index violated_component() const {
    Index worst = -1;
    double most = rounding * size_;
    for (Index i = 0; i < n_; ++i) {
      const double found = violation(i);
      if (found <= most) continue;
      worst = i;
      if (least_index_) return worst;
      most = found;
    }
    return worst;
  }

  /// Moves component r until u_r = 0 or it meets its other bound.
  PrincipalEnd drive(Index r, const std::function<bool()>& go_on) {
    const double sign = u_[r] < 0 ? 1 : -1;
    while (true) { // as long as the caller goes on
      if (!go_on()) return PrincipalEnd::stopped;
      const Event event = first_event(r, sign);
      if (event.component < 0) {
        if (!is_fresh_) {
          refactor();
          continue;
        }
        // A redundant joint keeps a velocity of rounding that nothing can remove.
        given_up_[r] = true;
        if (std::abs(u_[r]) > redundant * size_) found_ray_ = true;
        return PrincipalEnd::solution;
      }
      if (!std::isfinite(event.length)) return PrincipalEnd::stopped;
      move(r, sign * event.length);
      least_index_ = event.length == 0;
      if (event.component == r) {
        if (event.meets_bound)
          x_[r] = sign > 0 ? upper_[r] : lower_[r];
        else
          flip(r);
        return PrincipalEnd::solution;
      }
      if (!flip(event.component)) return PrincipalEnd::not_convex;
      if (pivots_ % pivots_between_checks == 0 && drift() > tolerated_drift * size_) refactor();
    }
  }

  /// The shortest move of r that takes a component to a bound or its velocity to zero.
  Event first_event(Index r, double sign) const {
    const auto column = T_.col(r);
    Event first;
    // The driven component goes first among equals: it ends the drive.
    if (column[r] > smallest_pivot) first = {std::abs(u_[r]) / column[r], r, false};
    const double room = sign > 0 ? upper_[r] - x_[r] : x_[r] - lower_[r];
    if (room < first.length) first = {room, r, true};
    const auto consider = [&](double length, Index i) {
      if (std::max(0.0, length) < first.length) first = {std::max(0.0, length), i, false};
    };
    for (Index i = 0; i < n_; ++i) {
      const double rate = sign * column[i];
      if (i == r || std::abs(rate) <= smallest_pivot) continue;
      if (is_basic_[i]) {
        const double bound = rate > 0 ? upper_[i] : lower_[i];
        if (std::isfinite(bound)) consider((bound - x_[i]) / rate, i);
      } else if (is_satisfied(i) && lower_[i] < upper_[i]) {
        if (is_at_lower(i) ? rate < 0 : is_at_upper(i) ? rate > 0 : true)
          consider(-u_[i] / rate, i);
      }
    }
    return first;
  }

  bool is_satisfied(Index i) const { return !given_up_[i] && violation(i) <= rounding * size_; }

  void move(Index r, double step) {
    x_[r] += step;
    for (Index i = 0; i < n_; ++i) (is_basic_[i] ? x_[i] : u_[i]) += step * T_(i, r);
  }

  bool flip(Index i) {
    if (std::abs(T_(i, i)) <= smallest_pivot) return false;
    if (is_basic_[i])
      x_[i] = std::abs(x_[i] - lower_[i]) < std::abs(x_[i] - upper_[i]) ? lower_[i] : upper_[i];
    u_[i] = 0;
    exchange(T_, i, i);
    is_basic_[i] = !is_basic_[i];
    ++pivots_;
    is_fresh_ = false;
    return true;
  }

  std::vector<Index> components(bool basic) const {
    std::vector<Index> result;
    for (Index i = 0; i < n_; ++i)
      if (is_basic_[i] == basic) result.push_back(i);
    return result;
  }

  double drift() const {
    const Eigen::VectorXd exact = A_ * x_ + b_;
    double worst = 0;
    for (Index i = 0; i < n_; ++i)
      worst = std::max(worst, std::abs(exact[i] - (is_basic_[i] ? 0.0 : u_[i])));
    return worst;
  }

  /// Values and tableau from A itself.
  void refactor() {
    is_fresh_ = true;
    const std::vector<Index> basic = components(true), others = components(false);
    T_ = A_;
    if (!basic.empty()) {
      const Eigen::PartialPivLU<Eigen::MatrixXd> lu(Eigen::MatrixXd(A_(basic, basic)));
      const Eigen::MatrixXd inverse = lu.inverse();
      // Eigen takes the address of the first entry, which a matrix without columns does not have.
      const Eigen::MatrixXd across = others.empty() ? Eigen::MatrixXd(basic.size(), 0)
                                                    : lu.solve(Eigen::MatrixXd(A_(basic, others)));
      const Eigen::MatrixXd down = A_(others, basic) * inverse;
      const Eigen::VectorXd rhs = A_(basic, others) * x_(others) + b_(basic);
      if (!inverse.allFinite()) return;
      T_(basic, basic) = inverse;
      T_(basic, others) = -across;
      T_(others, basic) = down;
      T_(others, others) = A_(others, others) - A_(others, basic) * across;
      x_(basic) = -lu.solve(rhs);
    }
    u_ = A_ * x_ + b_;
    for (Index i : basic) u_[i] = 0;
  }

  PrincipalAnswer finish(PrincipalEnd end) const { return {end, x_, pivots_}; }

  const Eigen::MatrixXd& A_;
  const Eigen::VectorXd &b_, &lower_, &upper_;
  Index n_;
  Eigen::MatrixXd T_; ///< (x_basic, u_others) in terms of (u_basic, x_others).
  std::vector<bool> is_basic_, given_up_;
  Eigen::VectorXd x_, u_;
  double size_ = 0;
  bool least_index_ = false, is_fresh_ = true, found_ray_ = false;
  long pivots_ = 0;
};

} // namespace

PrincipalAnswer principal_pivoting(const Eigen::MatrixXd& A, const Eigen::VectorXd& b,
                                   const Eigen::VectorXd& lower, const Eigen::VectorXd& upper,
                                   const Eigen::VectorXd& start,
                                   const std::function<bool()>& go_on) {
  if (b.size() == 0) return {PrincipalEnd::solution, b, 0};
  return Pivoting(A, b, lower, upper, start).run(go_on);
}

} // namespace talus
