#include "talus/solve/central_path/folded_path.h"

#include "talus/core/elementary.h"
#include "talus/core/vector_ops.h"
#include "talus/problem/scaled/natural_map.h"
#include "talus/solve/newton/newton_blocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace talus {

void FoldedPathOptions::visit(OptionVisitor& visitor) {
  visitor.visit("start", start, Range::above(0),
                "ε of the first point, in units of the mean free impulse per contact, squared");
  visitor.visit("smoothing", smoothing, Range::above(0), "width of the smoothed tilt over ε");
  visitor.visit("accuracy", accuracy, Range::inside(0, 1),
                "relative change in the last Newton step back to the path");
  visitor.visit("bend", bend, Range::inside(0, 1),
                "relative change in the first one, at which the length of steps aims");
}

FoldedPath::FoldedPath(const ScaledProblem& problem, const FoldedPathOptions& options,
                       StopTest stop)
    : problem_(problem), options_(options), stop_(std::move(stop)),
      system_(problem, NewtonSpace::automatic, NewtonSystem::default_dense_limit, stop_),
      cones_(path_cones(problem)), degree_(std::max(1.0, number_of_cones(cones_))),
      unit_(problem.reference() / std::sqrt(degree_)), spectrum_(cones_.size()),
      smoothing_rate_(cones_.size(), 0.0), c_(block_diagonal_size(problem)), c_inverse_(c_.size()),
      k_(c_.size()), weight_(cones_.size(), 0.0) {
  for (Vector* work : {&y_, &z_, &u_, &residual_, &at_.p, &tangent_, &trial_.p, &rhs_, &dz_, &n_dz_,
                       &correction_, &along_})
    work->assign(problem.size(), 0.0);
}

/// Everything at a point: x and y by their spectra, z, u, T F and the matrices of (H + T N) dz.
void FoldedPath::place(const Point& point) {
  const double epsilon = exponential(point.log_epsilon) * unit_ * unit_;
  width_ = options_.smoothing * epsilon / unit_;
  for (std::size_t block = 0; block < cones_.size(); ++block) {
    const PathCone& cone = cones_[block];
    if (cone.size == 0) {
      z_[cone.row] = point.p[cone.row];
      continue;
    }
    lorentz::Spectrum& spectrum = spectrum_[block];
    spectrum = lorentz::spectrum(&point.p[cone.row], cone.size, epsilon);
    lorentz::compose(spectrum, spectrum.x, &z_[cone.row]);
    lorentz::compose(spectrum, spectrum.y, &y_[cone.row]);
    for (int i = 0; i < cone.size; ++i)
      z_[cone.row + i] = z_[cone.row + i] / cone.stretch(i) + (i == 0 ? cone.offset : 0.0);
  }
  problem_.velocity(z_, u_);
  make_matrices();
  make_residual();
}

void FoldedPath::make_matrices() {
  // Joints have H = 0; C must have an inverse all the same.
  constexpr double free_row = 1e-9;
  fill(c_, 0.0);
  fill(c_inverse_, 0.0);
  fill(k_, 0.0);
  const BlockLayoutOfRows layout(problem_);
  for (Index block = 0; block < static_cast<Index>(cones_.size()); ++block) {
    const PathCone& cone = cones_[block];
    const int n = layout.size(block), m = cone.size;
    const std::size_t entry = layout.entry(block);
    if (m == 0) {
      c_[entry] = free_row;
      c_inverse_[entry] = 1 / free_row;
      k_[entry] = 1;
      continue;
    }
    double h[9], inverse[9], gradient[2] = {};
    lorentz::slope(spectrum_[block], h);
    lorentz::inverse_slope(spectrum_[block], inverse);
    smoothing_rate_[block] = tilt_gradient(block, gradient);
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < m; ++j) {
        const double stretch = cone.stretch(i) * cone.stretch(j);
        c_[entry + n * i + j] = h[m * i + j] * stretch;
        c_inverse_[entry + n * i + j] = inverse[m * i + j] / stretch;
        k_[entry + n * i + j] = (i == j ? 1.0 : 0.0) + (i == 0 && j > 0 ? gradient[j - 1] : 0.0);
      }
    for (int i = m; i < n; ++i) c_[entry + (n + 1) * i] = c_inverse_[entry + (n + 1) * i] = 1;
  }
}

/// Of σ_δ = mu √(|û_t|² + δ²) at û = stretch · y; answers dσ_δ / d log ε.
double FoldedPath::tilt_gradient(Index block, double* gradient) const {
  const PathCone& cone = cones_[block];
  if (cone.size < 2 || !problem_.is_tilted()) return 0;
  const double mu = problem_.problem().mu[block];
  const double length = smoothed_sliding(cone);
  for (int i = 1; i < cone.size; ++i)
    gradient[i - 1] = mu * cone.tangential * y_[cone.row + i] / length;
  return mu * width_ * width_ / length;
}

/// √(|û_t|² + δ²).
double FoldedPath::smoothed_sliding(const PathCone& cone) const {
  double squared = width_ * width_;
  for (int i = 1; i < cone.size; ++i) {
    const double sliding = cone.tangential * y_[cone.row + i];
    squared += sliding * sliding;
  }
  return std::sqrt(squared);
}

void FoldedPath::make_residual() {
  fill(residual_, 0.0);
  squared_residual_ = 0;
  for (Index block = 0; block < static_cast<Index>(cones_.size()); ++block) {
    const PathCone& cone = cones_[block];
    double* f = &residual_[cone.row];
    if (cone.size == 0) f[0] = -u_[cone.row];
    for (int i = 0; i < cone.size; ++i)
      f[i] = cone.stretch(i) * y_[cone.row + i] - u_[cone.row + i];
    if (cone.size > 1 && problem_.is_tilted())
      f[0] -= problem_.problem().mu[block] * smoothed_sliding(cone);
    for (int i = 0; i < std::max(1, cone.size); ++i) squared_residual_ += f[i] * f[i];
    add_tilt(block, f);
  }
}

/// f = T f.
void FoldedPath::add_tilt(Index block, double* f) const {
  if (cones_[block].size < 2) return;
  const double* tilt = &k_[BlockLayoutOfRows(problem_).entry(block)];
  for (int j = 1; j < cones_[block].size; ++j) f[0] += tilt[j] * f[j];
}

/// dp = dx − dy for the dz of (H + T N) dz = rhs, with H dx taken from the equation: H itself would
/// amplify what rounding leaves of dz.
void FoldedPath::to_path_variables(Span dp) {
  problem_.product(dz_, n_dz_);
  fill(dp, 0.0);
  for (Index block = 0; block < static_cast<Index>(cones_.size()); ++block) {
    const PathCone& cone = cones_[block];
    if (cone.size == 0) dp[cone.row] = dz_[cone.row];
    add_tilt(block, &n_dz_[cone.row]);
    for (int i = 0; i < cone.size; ++i) {
      const Index at = cone.row + i;
      dp[at] = cone.stretch(i) * dz_[at] + (rhs_[at] - n_dz_[at]) / cone.stretch(i);
    }
  }
}

bool FoldedPath::newton_direction(Span dp) {
  copy(residual_, rhs_);
  if (!system_.solve({c_, k_, c_inverse_}, rhs_, dz_)) return false;
  to_path_variables(dp);
  return true;
}

/// dp / d log ε: (H + T N) dz = û − (dσ_δ / d log ε) e_n, dy = y − H dx.
bool FoldedPath::tangent_direction(Span dp, bool factorised) {
  fill(rhs_, 0.0);
  for (std::size_t block = 0; block < cones_.size(); ++block) {
    const PathCone& cone = cones_[block];
    for (int i = 0; i < cone.size; ++i)
      rhs_[cone.row + i] =
          cone.stretch(i) * y_[cone.row + i] - (i == 0 ? smoothing_rate_[block] : 0);
  }
  const NewtonMatrices matrices{c_, k_, c_inverse_};
  if (!(factorised ? system_.solve_again(matrices, rhs_, dz_) : system_.solve(matrices, rhs_, dz_)))
    return false;
  for (const PathCone& cone : cones_)
    for (int i = 0; i < cone.size; ++i) rhs_[cone.row + i] -= cone.stretch(i) * y_[cone.row + i];
  to_path_variables(dp);
  return true;
}

double FoldedPath::change(ConstSpan dp) const {
  double largest = 0;
  for (std::size_t block = 0; block < cones_.size(); ++block)
    if (cones_[block].size > 0)
      largest =
          std::max(largest, lorentz::relative_change(spectrum_[block], &dp[cones_[block].row]));
  return largest;
}

double FoldedPath::inner(ConstSpan a, ConstSpan b) const {
  double sum = 0;
  for (std::size_t block = 0; block < cones_.size(); ++block) {
    const PathCone& cone = cones_[block];
    double product = 0;
    for (int i = 0; i < cone.size; ++i) product += a[cone.row + i] * b[cone.row + i];
    sum += weight_[block] * product;
  }
  return sum;
}

/// The arc length counts relative changes of x and y where place() was last.
void FoldedPath::weigh() {
  for (std::size_t block = 0; block < cones_.size(); ++block) {
    const lorentz::Spectrum& spectrum = spectrum_[block];
    const double least =
        spectrum.size == 1 ? spectrum.root[0] : std::min(spectrum.root[0], spectrum.root[1]);
    weight_[block] = 1 / (least * least * degree_);
  }
}

PathOutcome FoldedPath::find_first_point(Monitor& monitor) {
  constexpr int most_steps = 60;
  constexpr double good_enough = 1e-6, sufficient_decrease = 0.1, least_share = 1e-8;
  fill(at_.p, 0.0);
  at_.log_epsilon = logarithm(options_.start);
  place(at_);
  for (int k = 0; k < most_steps; ++k) {
    if (!monitor.count_iteration()) return PathOutcome::stopped;
    if (!newton_direction(correction_)) return PathOutcome::blocked;
    const double size = change(correction_), before = std::sqrt(squared_residual_);
    double share = 1; // halved at most log2(1 / least_share) times
    for (;; share /= 2) {
      if (share < least_share || is_met(stop_)) return PathOutcome::blocked;
      combine(1.0, at_.p, share, correction_, trial_.p);
      trial_.log_epsilon = at_.log_epsilon;
      place(trial_);
      if (size < good_enough ||
          std::sqrt(squared_residual_) < (1 - sufficient_decrease * share) * before)
        break;
    }
    std::swap(at_.p, trial_.p);
    if (size < good_enough) return PathOutcome::moved;
  }
  return PathOutcome::blocked;
}

PathOutcome FoldedPath::start(Span z, Span u, Monitor& monitor) {
  if (!(unit_ > 0)) return PathOutcome::blocked;
  if (const auto found = find_first_point(monitor); found != PathOutcome::moved) return found;
  if (!tangent_direction(tangent_, false)) return PathOutcome::blocked;
  length_ = first_length;
  sign_ = system_.determinant_sign();
  orientation_ = -sign_;
  weigh();
  orient_tangent();
  folds_ = 0;
  copy(z_, z);
  copy(u_, u);
  return sign_ != 0 ? PathOutcome::moved : PathOutcome::blocked;
}

/// From dp / d log ε to the unit vector along the path, in the direction in which it is followed:
/// det(H + T N) has the sign of d log ε / ds, up to one that stays the same along the path.
void FoldedPath::orient_tangent() {
  const double before = descent_;
  descent_ = orientation_ * sign_ / std::sqrt(1 + inner(tangent_, tangent_));
  for (double& entry : tangent_) entry *= descent_;
  folds_ += before * descent_ < 0;
}

/// Newton's method on the equations of the path and of the plane through the trial point that is
/// orthogonal to the tangent.
bool FoldedPath::return_to_path(Point& trial) {
  constexpr int most_steps = 5;
  constexpr double largest_first = 1.5, contraction = 0.6;
  double last = 0;
  for (int k = 0; k < most_steps; ++k) {
    place(trial);
    if (!newton_direction(correction_) || !tangent_direction(along_, true)) return false;
    const double shift = -inner(tangent_, correction_) / (descent_ + inner(tangent_, along_));
    axpy(shift, along_, correction_);
    const double size = std::max(change(correction_), std::abs(shift));
    if (k == 0) first_change_ = size;
    if (!(size < (k == 0 ? largest_first : contraction * last))) return false;
    axpy(1.0, correction_, trial.p);
    trial.log_epsilon += shift;
    if (size < options_.accuracy) return true;
    last = size;
  }
  return false;
}

bool FoldedPath::advance() {
  constexpr double shorter = 0.4, longer = 3;
  bool fresh = false; // the tangent is that of the last Newton step, not quite on the path
  // A length that is not finite would never become shorter.
  while (length_ > shortest && std::isfinite(length_) && !is_met(stop_)) {
    combine(1.0, at_.p, length_, tangent_, trial_.p);
    trial_.log_epsilon = at_.log_epsilon + length_ * descent_;
    if (return_to_path(trial_)) {
      std::swap(at_, trial_);
      std::swap(tangent_, along_);
      sign_ = system_.determinant_sign();
      length_ *= std::clamp(std::sqrt(options_.bend / first_change_), shorter, longer);
      return true;
    }
    length_ *= shorter;
    if (fresh) continue;
    place(at_);
    if (!tangent_direction(tangent_, false)) return false;
    sign_ = system_.determinant_sign();
    orient_tangent();
    fresh = true;
  }
  return false;
}

PathOutcome FoldedPath::step(Span z, Span u, Monitor& monitor) {
  const int folds = folds_;
  if (!advance()) return PathOutcome::blocked;
  place(at_);
  weigh();
  orient_tangent();
  if (monitor.wants_every_iteration())
    monitor.note(fmt::format("ε = {:.4g}", exponential(at_.log_epsilon)));
  if (folds_ > folds) monitor.note(fmt::format("fold {} of the central path", folds_));
  copy(z_, z);
  copy(u_, u);
  if (!monitor.proceed(z, u)) return PathOutcome::stopped;
  const bool came_back = at_.log_epsilon > logarithm(options_.start) + 1;
  return came_back || sign_ == 0 ? PathOutcome::blocked : PathOutcome::moved;
}

} // namespace talus
