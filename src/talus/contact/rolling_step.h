#pragma once
// The one-contact problem with moments under Coulomb's law, for a contact (double) or several at a
// time (lanes of vector registers): Real needs the functions that are defined for double below.
//
// With the groups i of components that are bounded together, |z_i| <= a_i z_n, and w_i = ρ_i z_i -
// u_i, the problem K ∋ z ⊥ û ∈ K*, u = A z + b, of a closed contact reads
//
//     u_n = 0,     z_i = w_i / ρ_i                where |w_i| <= ρ_i a_i z_n   (sticks: u_i = 0)
//                  z_i = a_i z_n w_i / |w_i|      elsewhere                    (slips)
//
// Newton's method on it is a linear system of the size of the contact. With e = w_i / |w_i| and p
// across it, a group that slips has
//
//     z_e = a_i z_n,     u_p + D z_p = 0,     D = |w_i| / (a_i z_n) - ρ_i >= 0,
//
// so all but z_n solve a symmetric positive definite system T: that of A over the components that
// stick and, with D on its diagonal, the components p. z_n follows from u_n = 0. A fixed point is a
// solution whatever D is; D makes the convergence quadratic.
//
// Spheres are simpler. Their blocks have a_n, a_s for the normal impulse and the spinning moment,
// and couple the friction t = (t, o) with the rolling moment m = (-m_o, m_t) by one number:
//
//     u_t = a_t t + c m + b_t,     u_m = c t + a_m m + b_m,     |t| <= μ z_n,  |m| <= ρ z_n
//
// z_n = max(0, -b_n / a_n) does not depend on the rest, so this is the minimum of a convex
// quadratic over a product of two discs. With (t_s, m_s) the point where both stick, the cases are:
// both stick; t slips along t_s and m sticks; the reverse; both slip, which alternate minimisation
// finds.

#include <algorithm>
#include <cmath>
#include <iterator>

namespace talus::rolling {

inline double root(double x) {
  return std::sqrt(x);
}
inline double magnitude(double x) {
  return std::abs(x);
}
inline double smaller(double a, double b) {
  return a < b ? a : b;
}
inline double larger(double a, double b) {
  return a > b ? a : b;
}
inline bool is_less(double a, double b) {
  return a < b;
}
inline bool is_at_most(double a, double b) {
  return a <= b;
}
inline bool is_everywhere(bool condition) {
  return condition;
}
inline bool both(bool a, bool b) {
  return a && b;
}
inline double choose(bool condition, double a, double b) {
  return condition ? a : b;
}
/// `value` in every lane of something like the first argument.
inline double fill_with(double, double value) {
  return value;
}

/// The groups of a contact of dimension d.
struct Group {
  int first, size;
};
template <int d>
inline constexpr int group_count = d == 6 ? 3 : 2;
template <int d>
constexpr Group group(int i) {
  if (d == 3) return {i + 1, 1};
  return i == 2 ? Group{5, 1} : Group{2 * i + 1, 2};
}

/// Place of entry (i, j) in the upper triangle, row by row.
template <int d>
constexpr int place(int i, int j) {
  return i <= j ? i * d - i * (i - 1) / 2 + (j - i) : place<d>(j, i);
}
template <int d>
inline constexpr int packed_size = d*(d + 1) / 2;

/// u = A z + b.
template <int d, class Real>
inline void velocity(const Real* A, const Real* b, const Real* z, Real* u) {
  for (int i = 0; i < d; ++i) {
    Real sum = b[i];
    for (int j = 0; j < d; ++j) sum = sum + A[place<d>(i, j)] * z[j];
    u[i] = sum;
  }
}

template <class Real>
inline Real length(const Real* x, int size) {
  return size == 1 ? magnitude(x[0]) : root(x[0] * x[0] + x[1] * x[1]);
}

/// Shortens the groups that reach beyond their bounds.
template <int d, class Real>
inline void clip(const Real* radius, Real* z) {
  for (int i = 0; i < group_count<d>; ++i) {
    const Group g = group<d>(i);
    const Real bound = radius[i] * z[0], reach = length(z + g.first, g.size);
    const auto beyond = is_less(bound, reach);
    const Real share =
        choose(beyond, bound, fill_with(bound, 1.0)) / choose(beyond, reach, fill_with(bound, 1.0));
    for (int k = g.first; k < g.first + g.size; ++k) z[k] = share * z[k];
  }
}

/// What is known of the groups at z, whose normal component is positive.
template <int d, class Real>
struct States {
  /// Slips, and the direction (cosine, sine) in which it does: (1, 0) where it sticks. Of a single
  /// component the cosine is the sign.
  decltype(is_less(Real(), Real())) slips[3];
  Real cosine[3], sine[3];
  Real drag[3];  ///< D.
  Real residual; ///< Squared, of the equations above.
};

template <int d, class Real>
inline States<d, Real> states_at(const Real* A, const Real* radius, const Real* z, const Real* u) {
  const Real zero = fill_with(z[0], 0.0), one = fill_with(z[0], 1.0);
  States<d, Real> s;
  s.residual = u[0] * u[0];
  for (int i = 0; i < group_count<d>; ++i) {
    const Group g = group<d>(i);
    Real rho = A[place<d>(g.first, g.first)];
    if (g.size == 2) rho = rho + A[place<d>(g.first + 1, g.first + 1)];
    Real w[2] = {rho * z[g.first] - u[g.first], zero};
    if (g.size == 2) w[1] = rho * z[g.first + 1] - u[g.first + 1];
    const Real reach = length(w, g.size), bound = radius[i] * z[0];
    s.slips[i] = is_less(rho * bound, reach);
    const Real divisor = choose(s.slips[i], reach, one);
    s.cosine[i] = choose(s.slips[i], w[0] / divisor, one);
    s.sine[i] = choose(s.slips[i], w[1] / divisor, zero);
    // Without a bound z_p vanishes: any large D will do.
    const Real least = fill_with(bound, 1e-100);
    s.drag[i] = smaller(choose(s.slips[i], (reach - rho * bound) / larger(bound, least), zero),
                        fill_with(bound, 1e8) * rho);
    for (int k = 0; k < g.size; ++k) {
      const Real direction = k == 0 ? s.cosine[i] : s.sine[i];
      const Real f = choose(s.slips[i], z[g.first + k] - bound * direction, u[g.first + k] / rho);
      s.residual = s.residual + f * f;
    }
  }
  return s;
}

/// Entries of (f, f + 1) and everything else that is multiplied with them, turned so that the first
/// is along (c, s) and the second across.
template <int d, class Real>
inline void turn(int f, const Real& c, const Real& s, Real* A, Real* b) {
  const auto turn_pair = [&](Real& along, Real& across) {
    const Real x = along, y = across;
    along = c * x + s * y;
    across = c * y - s * x;
  };
  for (int k = 0; k < d; ++k)
    if (k != f && k != f + 1) turn_pair(A[place<d>(k, f)], A[place<d>(k, f + 1)]);
  turn_pair(b[f], b[f + 1]);
  Real &xx = A[place<d>(f, f)], &xy = A[place<d>(f, f + 1)], &yy = A[place<d>(f + 1, f + 1)];
  // Columns, then rows.
  Real yx = xy;
  turn_pair(xx, xy);
  turn_pair(yx, yy);
  turn_pair(xx, yx);
  turn_pair(xy, yy);
}

/// Solves T y = right for two right-hand sides in place, T = L D Lᵀ positive definite of size n,
/// its upper triangle row by row.
template <int n, class Real>
inline void solve_two(Real* T, Real* first, Real* second) {
  for (int j = 0; j < n; ++j) {
    const Real inverse = fill_with(T[0], 1.0) / T[place<n>(j, j)];
    Real factor[n];
    for (int i = j + 1; i < n; ++i) factor[i] = T[place<n>(j, i)] * inverse;
    for (int i = j + 1; i < n; ++i) {
      for (int k = i; k < n; ++k)
        T[place<n>(i, k)] = T[place<n>(i, k)] - factor[i] * T[place<n>(j, k)];
      first[i] = first[i] - factor[i] * first[j];
      second[i] = second[i] - factor[i] * second[j];
    }
    T[place<n>(j, j)] = inverse;
  }
  for (int j = n - 1; j >= 0; --j) {
    for (int i = j + 1; i < n; ++i) {
      first[j] = first[j] - T[place<n>(j, i)] * first[i];
      second[j] = second[j] - T[place<n>(j, i)] * second[i];
    }
    first[j] = first[j] * T[place<n>(j, j)];
    second[j] = second[j] * T[place<n>(j, j)];
  }
}

/// z becomes the next iterate; groups that stick may reach beyond their bounds, which the next
/// step notices and clip() ends. Returns what z_n was divided by: near zero or below, friction
/// raises the contact that it acts on, and the step is not to be trusted.
template <int d, class Real>
inline Real advance(const Real* A, const Real* radius, const Real* b, const States<d, Real>& s,
                    Real* z) {
  constexpr int n = d - 1; // entry k of T is component k + 1
  const Real zero = fill_with(b[0], 0.0), one = fill_with(b[0], 1.0);
  Real turned[packed_size<d>], load[d];
  std::copy_n(A, packed_size<d>, turned);
  std::copy_n(b, d, load);
  for (int i = 0; i < group_count<d>; ++i)
    if (group<d>(i).size == 2) turn<d>(group<d>(i).first, s.cosine[i], s.sine[i], turned, load);

  Real T[packed_size<n>], y[n], per_normal[n], share[n];
  for (int k = 0; k < n; ++k) {
    share[k] = zero;
    y[k] = zero - load[k + 1];
    per_normal[k] = zero - turned[place<d>(0, k + 1)];
    for (int l = k; l < n; ++l) T[place<n>(k, l)] = turned[place<d>(k + 1, l + 1)];
  }
  for (int i = 0; i < group_count<d>; ++i) {
    const int e = group<d>(i).first - 1;
    const Real along = group<d>(i).size == 2 ? radius[i] : radius[i] * s.cosine[i];
    share[e] = choose(s.slips[i], along, zero);
    for (int k = 0; k < n; ++k)
      per_normal[k] = per_normal[k] - share[e] * turned[place<d>(k + 1, e + 1)];
  }
  // Components along the directions of slip are known: their rows and columns become those of 1.
  for (int i = 0; i < group_count<d>; ++i) {
    const int e = group<d>(i).first - 1;
    for (int k = 0; k < n; ++k)
      if (k != e) T[place<n>(k, e)] = choose(s.slips[i], zero, T[place<n>(k, e)]);
    T[place<n>(e, e)] = choose(s.slips[i], one, T[place<n>(e, e)]);
    y[e] = choose(s.slips[i], zero, y[e]);
    per_normal[e] = choose(s.slips[i], share[e], per_normal[e]);
    if (group<d>(i).size == 2) T[place<n>(e + 1, e + 1)] = T[place<n>(e + 1, e + 1)] + s.drag[i];
  }
  solve_two<n>(T, y, per_normal);

  Real top = zero - load[0], divisor = turned[0];
  for (int k = 0; k < n; ++k) {
    top = top - turned[place<d>(0, k + 1)] * y[k];
    divisor = divisor + turned[place<d>(0, k + 1)] * per_normal[k];
  }
  z[0] = top / divisor;
  for (int k = 0; k < n; ++k) z[k + 1] = y[k] + z[0] * per_normal[k];
  for (int i = 0; i < group_count<d>; ++i) {
    const Group g = group<d>(i);
    if (g.size == 1) continue;
    // A step across leaves the circle: back along the radius, and into the axes of the contact.
    const Real bound = radius[i] * z[0];
    const Real reach = length(z + g.first, 2);
    const auto shortens = both(is_less(bound, reach), s.slips[i]);
    const Real scale = choose(shortens, bound, one) / choose(shortens, reach, one);
    const Real along = scale * z[g.first], across = scale * z[g.first + 1];
    z[g.first] = s.cosine[i] * along - s.sine[i] * across;
    z[g.first + 1] = s.sine[i] * along + s.cosine[i] * across;
  }
  return divisor;
}

/// A vector of the tangent plane.
template <class Real>
struct Planar {
  Real x, y;
};
template <class Real>
inline Planar<Real> operator+(const Planar<Real>& a, const Planar<Real>& b) {
  return {a.x + b.x, a.y + b.y};
}
template <class Real>
inline Planar<Real> operator*(const Real& s, const Planar<Real>& a) {
  return {s * a.x, s * a.y};
}
template <class Mask, class Real>
inline Planar<Real> choose(const Mask& condition, const Planar<Real>& a, const Planar<Real>& b) {
  return {choose(condition, a.x, b.x), choose(condition, a.y, b.y)};
}
template <class Real>
inline auto is_within(const Planar<Real>& a, const Real& bound) {
  return is_at_most(a.x * a.x + a.y * a.y, bound * bound);
}
/// The nearest point of a disc.
template <class Real>
inline Planar<Real> clipped(const Planar<Real>& a, const Real& bound) {
  const Real one = fill_with(bound, 1.0), reach = root(a.x * a.x + a.y * a.y);
  const auto beyond = is_less(bound, reach);
  return (choose(beyond, bound, one) / choose(beyond, reach, one)) * a;
}

/// Whether a block of six components, an upper triangle, is that of a sphere.
inline bool is_round(const double* A) {
  const double small = 1e-9 * (A[6] + A[15]);
  constexpr int zeros[] = {1, 2, 3, 4, 5, 7, 8, 10, 13, 14, 16, 17, 19};
  return std::all_of(std::begin(zeros), std::end(zeros),
                     [&](int k) { return std::abs(A[k]) <= small; }) &&
         std::abs(A[6] - A[11]) <= small && std::abs(A[15] - A[18]) <= small &&
         std::abs(A[9] + A[12]) <= small;
}

/// A spherical block or its inverse.
template <class Real>
struct RoundBlock {
  Real n, t, coupling, m, s;
};

/// The friction and the moment of spheres of which one slips at least; on entry those where both
/// stick.
template <class Real>
inline void slip_of_spheres(const RoundBlock<Real>& A, const Planar<Real>& b_t,
                            const Planar<Real>& b_m, const Real& bound_t, const Real& bound_m,
                            const Planar<Real>& start_m, Planar<Real>& friction,
                            Planar<Real>& moment) {
  const Real minus = fill_with(A.n, -1.0);
  const Real over_t = minus / A.t, over_m = minus / A.m;
  const auto friction_at = [&](const Planar<Real>& m) { return over_t * (b_t + A.coupling * m); };
  const auto moment_at = [&](const Planar<Real>& t) { return over_m * (b_m + A.coupling * t); };
  // One slips where it would if both stuck, and the other sticks.
  const Planar<Real> sliding = clipped(friction, bound_t), moment_stuck = moment_at(sliding);
  const Planar<Real> turning = clipped(moment, bound_m), friction_stuck = friction_at(turning);
  const auto moment_sticks = is_within(moment_stuck, bound_m);
  const auto friction_sticks = is_within(friction_stuck, bound_t);
  // Both slip.
  Planar<Real> m = start_m, t = clipped(friction_at(m), bound_t);
  for (int k = 0; k < 2; ++k) {
    m = clipped(moment_at(t), bound_m);
    t = clipped(friction_at(m), bound_t);
  }
  friction = choose(moment_sticks, sliding, choose(friction_sticks, friction_stuck, t));
  moment = choose(moment_sticks, moment_stuck, choose(friction_sticks, turning, m));
}

/// Impulses of spheres with the velocity b without them; `start` are present ones.
template <class Real>
inline void solve_spheres(const RoundBlock<Real>& A, const RoundBlock<Real>& inverse,
                          const Real* radius, const Real* b, const Real* start, Real* z) {
  const Real zero = fill_with(b[0], 0.0);
  const Planar<Real> b_t{b[1], b[2]}, b_m{zero - b[4], b[3]}, start_m{zero - start[4], start[3]};
  z[0] = larger(zero, zero - inverse.n * b[0]);
  const Real bound_t = radius[0] * z[0], bound_m = radius[1] * z[0], bound_s = radius[2] * z[0];
  z[5] = larger(zero - bound_s, smaller(bound_s, zero - inverse.s * b[5]));
  const Real i_t = zero - inverse.t, i_c = zero - inverse.coupling, i_m = zero - inverse.m;
  Planar<Real> friction = i_t * b_t + i_c * b_m, moment = i_c * b_t + i_m * b_m;
  const auto sticks = both(is_within(friction, bound_t), is_within(moment, bound_m));
  if (!is_everywhere(sticks)) {
    Planar<Real> slid = friction, turned = moment;
    slip_of_spheres(A, b_t, b_m, bound_t, bound_m, start_m, slid, turned);
    friction = choose(sticks, friction, slid);
    moment = choose(sticks, moment, turned);
  }
  z[1] = friction.x;
  z[2] = friction.y;
  z[3] = moment.y;
  z[4] = zero - moment.x;
}

} // namespace talus::rolling
