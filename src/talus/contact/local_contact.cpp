#include "talus/contact/local_contact.h"

#include "talus/contact/local_polyhedron.h"
#include "talus/contact/projection_kernels.h"
#include "talus/core/elementary.h"
#include "talus/core/small_matrix.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace talus {
namespace {

constexpr int max_block = max_dimension * max_dimension;

/// Dimensions known to the compiler make the loops below two to three times as fast.
template <int d>
void velocity(const LocalContact& contact, const double* b, const double* z, double* u) {
  for (int i = 0; i < d; ++i) {
    u[i] = b[i];
    for (int j = 0; j < d; ++j) u[i] += contact.A[d * i + j] * z[j];
  }
}

bool is_tilted(const ContactSet& set, Law law) {
  return law == Law::coulomb && is_cone_shaped(set.set.kind) && set.dimension > 1;
}

/// F(z) = z - P(z - û); also hands out the trial point z - û.
template <int d>
double natural_map(const LocalContact& contact, const ContactSet& set, Law law, const double* b,
                   const double* z, double* f, double* trial) {
  double u[max_dimension], projected[max_dimension];
  velocity<d>(contact, b, z, u);
  for (int i = 0; i < d; ++i) trial[i] = z[i] - u[i];
  if (is_tilted(set, law)) trial[0] -= tilt(set, u);
  project(set, trial, projected);
  double sum = 0;
  for (int i = 0; i < d; ++i) {
    f[i] = z[i] - projected[i];
    sum += f[i] * f[i];
  }
  return std::sqrt(sum);
}

/// The sliding equation of the cone in space, for directions e = (cos θ, sin θ), p = e'(θ).
class SlidingEquation {
public:
  SlidingEquation(const LocalContact& contact, double mu, Law law, const double* b)
      : A_(contact.A), b_(b), mu_(mu), coulomb_(law == Law::coulomb) {
    if (!coulomb_) return;
    x_ = A_[0] * b[2] - A_[6] * b[0];
    y_ = A_[3] * b[0] - A_[0] * b[1];
    xx_ = mu * (A_[1] * b[2] - A_[7] * b[0]);
    yy_ = mu * (A_[5] * b[0] - A_[2] * b[1]);
    xy_ = mu * (A_[2] * b[2] - A_[1] * b[1] + (A_[4] - A_[8]) * b[0]);
  }

  /// g(θ) and its derivative, up to a positive factor.
  void evaluate(double ex, double ey, double& g, double& slope) const {
    double curvature;
    evaluate(ex, ey, g, slope, curvature);
  }
  /// The same with the second derivative, which the associated law leaves out: 0 then.
  void evaluate(double ex, double ey, double& g, double& slope, double& curvature) const {
    if (coulomb_) {
      // u_n = 0 gives z_n = -b_n / h with h = A_nn + mu A_nt e; g = h (u_t·p) is a quadratic
      // polynomial in e.
      const double linear = x_ * ex + y_ * ey, product = ex * ey, difference = ex * ex - ey * ey;
      g = linear + xx_ * (ex * ex) + yy_ * (ey * ey) + xy_ * product;
      slope = y_ * ex - x_ * ey + 2 * (yy_ - xx_) * product + xy_ * difference;
      curvature = 2 * (yy_ - xx_) * difference - 4 * xy_ * product - linear;
      return;
    }
    // Stationarity of the objective along the cone's generator d = (1, mu e): z_n = -b·d / d'Ad.
    const double px = -ey, py = ex;
    const double at_e = an(ex, ey), at_p = an(px, py), bt_e = bt(ex, ey), bt_p = bt(px, py);
    const double e_A_e = quadratic(ex, ey, ex, ey), p_A_p = quadratic(px, py, px, py);
    const double p_A_e = quadratic(px, py, ex, ey);
    const double bd = b_[0] + mu_ * bt_e, dAd = A_[0] + 2 * mu_ * at_e + mu_ * mu_ * e_A_e;
    const double cross_term = at_p + mu_ * p_A_e;
    g = bt_p * dAd - bd * cross_term;
    slope = -bt_e * dAd + mu_ * bt_p * cross_term + bd * (at_e + mu_ * (e_A_e - p_A_p));
    curvature = 0;
  }

  /// The impulse for direction e; false if it does not push or the friction would not oppose the
  /// sliding.
  bool impulse(double ex, double ey, double* z) const {
    double normal;
    if (coulomb_)
      normal = -b_[0] / (A_[0] + mu_ * an(ex, ey));
    else
      normal = -(b_[0] + mu_ * bt(ex, ey)) /
               (A_[0] + 2 * mu_ * an(ex, ey) + mu_ * mu_ * quadratic(ex, ey, ex, ey));
    z[0] = normal;
    z[1] = mu_ * normal * ex;
    z[2] = mu_ * normal * ey;
    if (!(normal > 0) || !std::isfinite(normal)) return false;
    const double along =
        bt(ex, ey) + A_tn(ex, ey) * normal + mu_ * normal * quadratic(ex, ey, ex, ey);
    return along <= 0;
  }

  /// The step of find_direction() that is the last: the next would be cubically (associated law:
  /// quadratically) small, and its evaluation would only confirm it.
  double last_step(LocalAccuracy accuracy) const {
    const bool sweep = accuracy == LocalAccuracy::sweep;
    return coulomb_ ? (sweep ? 1e-3 : 1e-6) : (sweep ? 1e-5 : 1e-9);
  }

private:
  double an(double x, double y) const { return A_[1] * x + A_[2] * y; }
  double A_tn(double x, double y) const { return A_[3] * x + A_[6] * y; }
  double bt(double x, double y) const { return b_[1] * x + b_[2] * y; }
  double quadratic(double x, double y, double s, double t) const {
    return x * (A_[4] * s + A_[5] * t) + y * (A_[7] * s + A_[8] * t);
  }

  const double* A_;
  const double* b_;
  double mu_;
  bool coulomb_;
  double x_ = 0, y_ = 0, xx_ = 0, yy_ = 0, xy_ = 0; ///< Coefficients of g under Coulomb's law.
};

/// Halley's method on g(θ) from e (Newton's where there is no second derivative), turning the
/// direction without trigonometry: the angle 2 atan(step / 2) is the step up to its cube. True when
/// converged.
bool find_direction(const SlidingEquation& equation, LocalAccuracy accuracy, double& ex,
                    double& ey) {
  const double last_step = equation.last_step(accuracy);
  const auto turn = [&](double cosine, double sine) {
    const double x = ex;
    ex = cosine * x - sine * ey;
    ey = cosine * ey + sine * x;
  };
  for (int k = 0; k < 20; ++k) {
    double g, slope, curvature;
    equation.evaluate(ex, ey, g, slope, curvature);
    if (g == 0) return true;
    const double step = -(g * slope) / (slope * slope - 0.5 * g * curvature);
    if (!(slope > 0) || !(std::abs(step) < 1)) return false;
    const double half_square = 0.5 * step * step;
    if (std::abs(step) < last_step) {
      turn(1 - half_square * (1 - half_square * (1.0 / 6)), step * (1 - half_square * (1.0 / 3)));
      return true;
    }
    const double unit = 1 / (1 + 0.5 * half_square);
    turn((1 - 0.5 * half_square) * unit, step * unit);
  }
  return false;
}

/// Bisection of a sign change of g between two angles.
double bisect(const SlidingEquation& equation, double low, double high, double g_low) {
  for (int k = 0; k < 60; ++k) {
    const double middle = 0.5 * (low + high);
    double g, slope;
    equation.evaluate(cosine(middle), sine(middle), g, slope);
    if ((g < 0) == (g_low < 0))
      low = middle;
    else
      high = middle;
  }
  return 0.5 * (low + high);
}

/// All sign changes of g on a fine circle, refined: the best valid one by natural residual.
bool search_direction(const SlidingEquation& equation, const LocalContact& contact,
                      const ContactSet& set, Law law, const double* b, double* z) {
  constexpr int samples = 64;
  double best = std::numeric_limits<double>::infinity(), g_before = 0;
  for (int k = 0; k <= samples; ++k) {
    const double angle = 2 * std::numbers::pi * k / samples;
    double g, slope, candidate[3];
    equation.evaluate(cosine(angle), sine(angle), g, slope);
    if (k > 0 && (g < 0) != (g_before < 0)) {
      const double root = bisect(equation, angle - 2 * std::numbers::pi / samples, angle, g_before);
      double ex = cosine(root), ey = sine(root);
      find_direction(equation, LocalAccuracy::rounding, ex, ey);
      if (equation.impulse(ex, ey, candidate)) {
        const double residual = local_residual(contact, set, law, b, candidate);
        if (residual < best) {
          best = residual;
          std::copy_n(candidate, 3, z);
        }
      }
    }
    g_before = g;
  }
  return std::isfinite(best);
}

/// An element of the generalised Jacobian of F at z: I - P'(z - û) (I - û'(z)).
template <int d>
void natural_map_jacobian(const LocalContact& contact, const ContactSet& set, Law law,
                          const double* b, const double* z, const double* trial, double* jacobian) {
  double derivative[max_block], velocity_derivative[max_block];
  projection_jacobian(set, trial, derivative);
  std::copy_n(contact.A, d * d, velocity_derivative);
  if (is_tilted(set, law)) {
    double u[max_dimension], gradient[max_dimension - 1];
    velocity<d>(contact, b, z, u);
    tilt_gradient(set, u, gradient);
    for (int i = 1; i < d; ++i)
      for (int j = 0; j < d; ++j) velocity_derivative[j] += gradient[i - 1] * contact.A[d * i + j];
  }
  for (int i = 0; i < d; ++i)
    for (int j = 0; j < d; ++j) {
      double sum = i == j ? 1.0 : 0.0;
      for (int k = 0; k < d; ++k)
        sum -= derivative[d * i + k] * ((k == j ? 1.0 : 0.0) - velocity_derivative[d * k + j]);
      jacobian[d * i + j] = sum;
    }
}

/// Semismooth Newton on the natural map with projected gradient steps when Newton does not help:
/// any set, any law. Ends at rounding, or at the given share of the first residual.
template <int d>
void solve_by_natural_map_in(const LocalContact& contact, const ContactSet& set, Law law,
                             const double* b, double* z, double share) {
  double size = 1;
  for (int i = 0; i < d; ++i) size += std::abs(b[i]);
  const double rounding = 1e-13 * size;

  double f[max_dimension], trial[max_dimension], best[max_dimension];
  double residual = natural_map<d>(contact, set, law, b, z, f, trial), best_residual = residual;
  const double goal = std::max(rounding, share * residual);
  std::copy_n(z, d, best);
  constexpr double gradient_step = 0.3; // below 2 / λmax of a block with trace up to 6
  for (int k = 0; k < 200 && residual > goal; ++k) {
    double jacobian[max_block], step[max_dimension];
    natural_map_jacobian<d>(contact, set, law, b, z, trial, jacobian);
    for (int i = 0; i < d; ++i) step[i] = -f[i];
    const bool solvable = solve_small(jacobian, step, d, 1, 1e-14);
    double candidate[max_dimension], f_new[max_dimension], trial_new[max_dimension];
    double improved = std::numeric_limits<double>::infinity();
    for (double length = 1; solvable && length > 1e-3 && !(improved < 0.9 * residual);
         length *= 0.5) {
      for (int i = 0; i < d; ++i) candidate[i] = z[i] + length * step[i];
      improved = natural_map<d>(contact, set, law, b, candidate, f_new, trial_new);
    }
    if (!(improved < 0.9 * residual)) {
      double u[max_dimension];
      velocity<d>(contact, b, z, u);
      if (is_tilted(set, law)) u[0] += tilt(set, u);
      for (int i = 0; i < d; ++i) candidate[i] = z[i] - gradient_step * u[i];
      project(set, candidate, candidate);
      improved = natural_map<d>(contact, set, law, b, candidate, f_new, trial_new);
    }
    std::copy_n(candidate, d, z);
    std::copy_n(f_new, d, f);
    std::copy_n(trial_new, d, trial);
    residual = improved;
    if (residual < best_residual) {
      best_residual = residual;
      std::copy_n(z, d, best);
    }
  }
  // Newton's last iterate may lie outside K by rounding.
  project(set, best, z);
}

/// Calls `call` with the dimension as a constant.
template <class Call>
auto in_dimension(int d, Call&& call) {
  switch (d) {
  case 1:
    return call(std::integral_constant<int, 1>());
  case 2:
    return call(std::integral_constant<int, 2>());
  case 3:
    return call(std::integral_constant<int, 3>());
  case 5:
    return call(std::integral_constant<int, 5>());
  default:
    return call(std::integral_constant<int, 6>());
  }
}

void solve_by_natural_map(const LocalContact& contact, const ContactSet& set, Law law,
                          const double* b, double* z, double share = 0) {
  in_dimension(set.dimension,
               [&](auto d) { solve_by_natural_map_in<d()>(contact, set, law, b, z, share); });
}

/// In the plane a sliding contact has two candidate directions only.
bool slide_in_plane(const LocalContact& contact, double mu, Law law, const double* b, double* z) {
  const double* A = contact.A;
  for (const double e : {1.0, -1.0}) {
    const double normal =
        law == Law::coulomb ? -b[0] / (A[0] + mu * e * A[1])
                            : -(b[0] + mu * e * b[1]) / (A[0] + 2 * mu * e * A[1] + mu * mu * A[3]);
    const double slip = b[1] + A[2] * normal + A[3] * mu * e * normal;
    if (!(normal > 0) || !std::isfinite(normal) || slip * e > 0) continue;
    z[0] = normal;
    z[1] = mu * e * normal;
    return true;
  }
  return false;
}

bool slide_in_space(const LocalContact& contact, const ContactSet& set, Law law, const double* b,
                    const double* stick, LocalAccuracy accuracy, double* z) {
  const SlidingEquation equation(contact, set.mu, law, b);
  // Start where the last answer slid, or where the sticking impulse would point.
  double ex = z[1], ey = z[2], length = planar_length(ex, ey);
  if (!(length > 0)) {
    ex = stick[1];
    ey = stick[2];
    length = planar_length(ex, ey);
  }
  if (length > 0) {
    ex /= length;
    ey /= length;
    if (find_direction(equation, accuracy, ex, ey) && equation.impulse(ex, ey, z)) return true;
  }
  return search_direction(equation, contact, set, law, b, z);
}

/// Other cone-shaped sets: separation and sticking in closed form, sliding by shape.
void solve_on_cone_shape(const LocalContact& contact, const ContactSet& set, Law law,
                         const double* b, double* z, LocalAccuracy accuracy) {
  const int d = set.dimension;
  if (b[0] >= (law == Law::coulomb ? 0.0 : tilt(set, b))) {
    std::fill_n(z, d, 0.0);
    return;
  }
  double stick[max_dimension] = {};
  for (int i = 0; i < d; ++i)
    for (int j = 0; j < d; ++j) stick[i] -= contact.inverse[d * i + j] * b[j];
  if (gauge(set, stick) <= room(set, stick[0])) {
    std::copy_n(stick, d, z);
    return;
  }
  double guess[max_dimension];
  std::copy_n(z, d, guess);
  const bool moments = has_moments(set.set.kind);
  const bool found = moments
                         ? law == Law::coulomb && slide_with_moments(contact, set, b, z, accuracy)
                     : d == 2 ? slide_in_plane(contact, set.mu, law, b, z)
                              : slide_on_polyhedral_cone(contact, set, law, b, z);
  if (found) return;
  std::copy_n(guess, d, z);
  const bool rough = moments && accuracy == LocalAccuracy::sweep; // sweeps come back
  solve_by_natural_map(contact, set, law, b, z, rough ? 0.01 : 0.0);
}

/// Max(0, -b_n / A_nn): what pushes where there is no friction.
void solve_without_friction(const LocalContact& contact, int d, const double* b, double* z) {
  std::fill_n(z, d, 0.0);
  z[0] = std::max(0.0, -b[0] / contact.A[0]);
}

} // namespace

void prepare_local_contact(const double* a, int dimension, LocalContact& contact) {
  std::copy_n(a, dimension * dimension, contact.A);
  if (invert_small(contact.A, contact.inverse, dimension, 1e-12)) return;
  double trace = 0;
  for (int i = 0; i < dimension; ++i) trace += contact.A[(dimension + 1) * i];
  for (int i = 0; i < dimension; ++i) contact.A[(dimension + 1) * i] += 1e-12 * trace;
  invert_small(contact.A, contact.inverse, dimension);
}

double local_residual(const LocalContact& contact, const ContactSet& set, Law law, const double* b,
                      const double* z) {
  double f[max_dimension], trial[max_dimension];
  return in_dimension(set.dimension,
                      [&](auto d) { return natural_map<d()>(contact, set, law, b, z, f, trial); });
}

void slide_on_round_cone(const LocalContact& contact, double mu, Law law, const double* b,
                         const double* stick, double* z, LocalAccuracy accuracy) {
  if (mu == 0) return solve_without_friction(contact, 3, b, z);
  const ContactSet set{{.kind = FrictionKind::cone}, 3, mu};
  const double guess[3] = {z[0], z[1], z[2]};
  if (slide_in_space(contact, set, law, b, stick, accuracy, z)) return;
  std::copy_n(guess, 3, z);
  solve_by_natural_map(contact, set, law, b, z);
}

void solve_local_contact(const LocalContact& contact, const ContactSet& set, Law law,
                         const double* b, double* z, LocalAccuracy accuracy) {
  const int d = set.dimension;
  if (is_frictionless(set)) return solve_without_friction(contact, d, b, z);
  if (is_round_cone(set.set.kind, d))
    solve_on_round_cone(contact, set.mu, law, b, z, accuracy);
  else if (is_cone_shaped(set.set.kind))
    solve_on_cone_shape(contact, set, law, b, z, accuracy);
  else if (d == 2)
    solve_interval_contact(contact, set.bound, b, z);
  else
    solve_by_natural_map(contact, set, law, b, z);
}

} // namespace talus
