#include "talus/contact/local_contact.h"
#include "talus/contact/rolling_step.h"

#include <algorithm>
#include <cmath>

namespace talus {
namespace {

/// Below this share of A_nn the divisor of z_n is not trusted.
constexpr double least_divisor = 1e-3;

template <int d>
bool slide(const double* A, const double* radius, const double* b, double* z,
           LocalAccuracy accuracy) {
  double u[d], size = 1;
  for (int i = 0; i < d; ++i) size += std::abs(b[i]);
  if (!(z[0] > 0)) {
    std::fill_n(z, d, 0.0);
    z[0] = -b[0] / A[0];
  }
  rolling::clip<d>(radius, z);

  // Sweeps come back: a tenth of the residual is as good as none.
  const double share = accuracy == LocalAccuracy::sweep ? 0.1 : 0.0, rounding = 1e-13 * size;
  double goal = 0, last = 0;
  for (int k = 0; k < 12; ++k) {
    rolling::velocity<d>(A, b, z, u);
    const auto states = rolling::states_at<d>(A, radius, z, u);
    const double residual = std::sqrt(states.residual);
    if (k == 0) goal = std::max(rounding, share * residual);
    if (residual <= goal || (k > 0 && residual <= 100 * rounding && residual >= last)) {
      rolling::clip<d>(radius, z);
      return true;
    }
    last = residual;
    const double divisor = rolling::advance<d>(A, radius, b, states, z);
    if (!(divisor > least_divisor * A[0]) || !(z[0] > 0) || !std::isfinite(z[0])) return false;
  }
  return false;
}

template <int d>
bool slide(const LocalContact& contact, const ContactSet& set, const double* b, double* z,
           LocalAccuracy accuracy) {
  double A[rolling::packed_size<d>];
  for (int i = 0, k = 0; i < d; ++i)
    for (int j = i; j < d; ++j, ++k) A[k] = contact.A[d * i + j];
  const double radius[3] = {set.mu, set.rolling, set.spinning};
  return slide<d>(A, radius, b, z, accuracy);
}

rolling::RoundBlock<double> round_block(const double* triangle) {
  return {triangle[0], triangle[6], triangle[12], triangle[15], triangle[20]};
}

/// The sticking impulse; false where it is not admissible.
template <int d>
bool stick(const double* inverse, const double* radius, const double* b, double* z) {
  for (int i = 0; i < d; ++i) {
    double sum = 0;
    for (int j = 0; j < d; ++j) sum += inverse[rolling::place<d>(i, j)] * b[j];
    z[i] = -sum;
  }
  bool within = z[0] >= 0;
  for (int i = 0; i < rolling::group_count<d>; ++i) {
    const rolling::Group group = rolling::group<d>(i);
    within &= rolling::length(z + group.first, group.size) <= radius[i] * z[0];
  }
  return within;
}

} // namespace

bool slide_with_moments(const LocalContact& contact, const ContactSet& set, const double* b,
                        double* z, LocalAccuracy accuracy) {
  if (set.dimension == 3) return slide<3>(contact, set, b, z, accuracy);
  if (set.dimension == 5) return slide<5>(contact, set, b, z, accuracy);
  return slide<6>(contact, set, b, z, accuracy);
}

template <int d>
void solve_in_sweep(const PackedRollingContact& contact, const ContactSet& set, Law law,
                    const double* b, double* z) {
  const double radius[3] = {set.mu, set.rolling, set.spinning};
  double start[d];
  std::copy_n(z, d, start);
  if (law == Law::coulomb) {
    if (b[0] >= 0) return std::fill_n(z, d, 0.0), void();
    if (d == 6 && rolling::is_round(contact.A))
      return rolling::solve_spheres(round_block(contact.A), round_block(contact.inverse), radius, b,
                                    start, z);
    if (stick<d>(contact.inverse, radius, b, z)) return;
    std::copy_n(start, d, z);
    if (slide<d>(contact.A, radius, b, z, LocalAccuracy::sweep)) return;
    std::copy_n(start, d, z);
  }
  LocalContact unpacked;
  unpack<d>(contact, unpacked);
  solve_local_contact(unpacked, set, law, b, z, LocalAccuracy::sweep);
}

template void solve_in_sweep<5>(const PackedRollingContact&, const ContactSet&, Law, const double*,
                                double*);
template void solve_in_sweep<6>(const PackedRollingContact&, const ContactSet&, Law, const double*,
                                double*);

} // namespace talus
