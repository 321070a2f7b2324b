#include "talus/core/vector_ops.h"

#include "talus/core/parallel.h"

#include <cassert>
#include <cmath>
#include <limits>

namespace talus {
namespace {

Index length(ConstSpan x) {
  return static_cast<Index>(x.size());
}

/// Sum of term(i) over [begin, end) with eight running sums: the compiler may then use SIMD lanes
/// without reordering a floating-point sum, so optimisation does not change the result.
template <class Term>
double lane_sum(Index begin, Index end, Term term) {
  constexpr Index lanes = 8;
  if (end - begin < lanes) {
    double few = 0;
    for (Index i = begin; i < end; ++i) few += term(i);
    return few;
  }
  double sums[lanes] = {};
  Index i = begin;
  for (; i + lanes <= end; i += lanes)
    for (Index k = 0; k < lanes; ++k) sums[k] += term(i + k);
  for (; i < end; ++i) sums[i % lanes] += term(i);
  return ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]));
}

template <class Term>
double sum(Index n, Term term) {
  return parallel_sum(n, [&](Index begin, Index end) { return lane_sum(begin, end, term); });
}

template <class Body>
void for_each(Index n, Body body) {
  parallel_for(n, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) body(i);
  });
}

} // namespace

double dot(ConstSpan x, ConstSpan y) {
  assert(x.size() == y.size());
  return sum(length(x), [a = x.data(), b = y.data()](Index i) { return a[i] * b[i]; });
}

double norm(ConstSpan x) {
  return std::sqrt(dot(x, x));
}

double distance(ConstSpan x, ConstSpan y) {
  assert(x.size() == y.size());
  return std::sqrt(sum(length(x), [a = x.data(), b = y.data()](Index i) {
    const double d = a[i] - b[i];
    return d * d;
  }));
}

double max_abs(ConstSpan x) {
  double largest = 0;
  for (double v : x) {
    if (std::isnan(v)) return std::numeric_limits<double>::quiet_NaN();
    largest = std::max(largest, std::abs(v));
  }
  return largest;
}

bool all_finite(ConstSpan x) {
  for (double v : x)
    if (!std::isfinite(v)) return false;
  return true;
}

void copy(ConstSpan x, Span y) {
  assert(x.size() == y.size());
  for_each(length(x), [a = x.data(), b = y.data()](Index i) { b[i] = a[i]; });
}

void fill(Span y, double value) {
  for_each(length(y), [b = y.data(), value](Index i) { b[i] = value; });
}

void scale(double a, Span y) {
  for_each(length(y), [a, b = y.data()](Index i) { b[i] *= a; });
}

void axpy(double a, ConstSpan x, Span y) {
  assert(x.size() == y.size());
  for_each(length(x), [a, p = x.data(), b = y.data()](Index i) { b[i] += a * p[i]; });
}

void combine(double a, ConstSpan x, double b, ConstSpan y, Span z) {
  assert(x.size() == y.size() && y.size() == z.size());
  for_each(length(x), [a, b, p = x.data(), q = y.data(), r = z.data()](Index i) {
    r[i] = a * p[i] + b * q[i];
  });
}

} // namespace talus
