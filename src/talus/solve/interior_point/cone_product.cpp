#include "talus/solve/interior_point/cone_product.h"

#include "talus/contact/projection_kernels.h"
#include "talus/core/division.h"
#include "talus/core/elementary.h"
#include "talus/core/ranks.h"
#include "talus/core/small_matrix.h"
#include "talus/core/vector_ops.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace talus {
namespace {

/// Outward facet normal k of the polygon with m vertices, the first on the first tangential axis,
/// and the distance of its facets from the centre (cross_section.h).
struct PolygonFacet {
  double t, o, apothem;
};

PolygonFacet polygon_facet_normal(int facets, int k) {
  const double angle = (2 * k + 1) * std::numbers::pi / facets;
  return {cosine(angle), sine(angle), cosine(std::numbers::pi / facets)};
}

} // namespace

ConeProduct::ConeProduct(const ScaledProblem& problem)
    : division_(problem.division()), layout_(problem) {
  fixed_.assign(problem.equalities(), std::numeric_limits<double>::quiet_NaN());
  for (Index c = 0; c < layout_.contacts; ++c) add_contact(problem.contact_set(c));
  if (division_)
    degree_ = static_cast<double>(division_->ranks->sum(static_cast<std::int64_t>(degree_)));
  for (Index j = 0; j < problem.equalities(); ++j) add_row(problem, j);
}

void ConeProduct::begin_part(int active) {
  Part part;
  part.first = size();
  part.matrix = matrix_.size();
  parts_.push_back(part);
  active_.push_back(static_cast<signed char>(active));
}

void ConeProduct::add_half_line(std::initializer_list<double> row, double offset) {
  matrix_.insert(matrix_.end(), row.begin(), row.begin() + active_.back());
  offset_.push_back(offset);
  ++parts_.back().half_lines;
  degree_ += 1;
}

void ConeProduct::add_second_order(std::initializer_list<double> rows, double offset) {
  matrix_.insert(matrix_.end(), rows);
  offset_.insert(offset_.end(), {offset, 0.0, 0.0});
  ++parts_.back().second_order;
  degree_ += 1;
}

/// Coefficients are positive (conic_ip.cpp refuses others).
void ConeProduct::add_rolling_contact(const ContactSet& set) {
  begin_part(set.dimension);
  if (set.dimension == 3) {
    for (const double sign : {1.0, -1.0}) {
      add_half_line({set.mu, sign, 0}, 0);
      add_half_line({set.rolling, 0, sign}, 0);
    }
  } else if (set.dimension == 6) {
    add_half_line({set.spinning, 0, 0, 0, 0, 1}, 0);
    add_half_line({set.spinning, 0, 0, 0, 0, -1}, 0);
    add_second_order({set.mu, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0}, 0);
    add_second_order({set.rolling, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0}, 0);
  } else {
    add_second_order({set.mu, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0}, 0);
    add_second_order({set.rolling, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1}, 0);
  }
}

void ConeProduct::add_contact(const ContactSet& set) {
  const FrictionKind kind = set.set.kind;
  if (has_moments(kind)) return add_rolling_contact(set);
  const bool grows = is_cone_shaped(kind);
  const double reach = grows ? set.mu : set.bound;
  const bool frictionless = set.dimension == 1 || kind == FrictionKind::none || !(reach > 0);
  begin_part(frictionless ? 1 : set.dimension);
  if (frictionless) return add_half_line({1, 0, 0}, 0);
  const double slope = grows ? reach : 0, bound = grows ? 0 : reach;
  if (!grows) add_half_line({1, 0, 0}, 0);
  if (set.dimension == 2) {
    add_half_line({slope, 1, 0}, bound);
    add_half_line({slope, -1, 0}, bound);
  } else if (kind == FrictionKind::cone || kind == FrictionKind::cylinder) {
    add_second_order({slope, 0, 0, 0, 1, 0, 0, 0, 1}, bound);
  } else if (kind == FrictionKind::pyramid || kind == FrictionKind::box) {
    for (double sign : {1.0, -1.0}) {
      add_half_line({slope, sign, 0}, bound);
      add_half_line({slope, 0, sign}, bound);
    }
  } else {
    for (int k = 0; k < set.set.facets; ++k) {
      const PolygonFacet facet = polygon_facet_normal(set.set.facets, k);
      add_half_line({slope * facet.apothem, -facet.t, -facet.o}, bound * facet.apothem);
    }
  }
}

void ConeProduct::add_row(const ScaledProblem& problem, Index row) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const double lower = problem.project_row(row, -infinity),
               upper = problem.project_row(row, infinity);
  begin_part(lower < upper ? 1 : 0);
  if (!(lower < upper)) {
    fixed_[row] = lower;
    return;
  }
  if (std::isfinite(lower)) add_half_line({1}, -lower);
  if (std::isfinite(upper)) add_half_line({-1}, upper);
}

double ConeProduct::dot(ConstSpan w, ConstSpan y) const {
  if (!division_) return talus::dot(w, y);
  const std::size_t first_row = layout_.contacts < layout_.blocks
                                    ? static_cast<std::size_t>(parts_[layout_.contacts].first)
                                    : w.size();
  ExactSum sum[1];
  sum[0].add(talus::dot(w.first(first_row), y.first(first_row)));
  division_->ranks->sum(std::span<ExactSum>(sum));
  // All ranks have the rows.
  return sum[0].value() + talus::dot(w.subspan(first_row), y.subspan(first_row));
}

double ConeProduct::least(double number) const {
  return division_ ? division_->ranks->min(number) : number;
}

bool ConeProduct::are_finite(ConstSpan w) const {
  const bool finite = all_finite(w);
  return division_ ? !division_->ranks->any(!finite) : finite;
}

void ConeProduct::centre(double height, Span z) const {
  fill(z, 0.0);
  for (Index c = 0; c < layout_.contacts; ++c) z[layout_.row(c)] = height;
  for (Index block = layout_.contacts; block < layout_.blocks; ++block) {
    const Part& part = parts_[block];
    double& value = z[layout_.row(block)];
    if (active_[block] == 0)
      value = fixed_[block - layout_.contacts];
    else if (part.half_lines == 2)
      value = 0.5 * (offset_[part.first + 1] - offset_[part.first]);
    else if (part.half_lines == 1) // w = ±z + offset
      value = matrix_[part.matrix] * (height - offset_[part.first]);
  }
}

void ConeProduct::push_inside(double measure, ConstSpan y, Span z) const {
  constexpr double most = 0.1;           // of the way to the middle, where bounds limit the push
  constexpr double smallest_slope = 0.1; // so that little friction does not mean large impulses
  Vector middle(z.size());
  centre(0, middle);
  for (Index block = 0; block < layout_.blocks; ++block) {
    const Part& part = parts_[block];
    const Index row = layout_.row(block);
    if (part.rows() == 0) {
      for (int i = active_[block]; i < layout_.size(block); ++i) z[row + i] = middle[row + i];
      continue;
    }
    const double largest = *std::max_element(&y[part.first], &y[part.first] + part.rows());
    const double slope = std::max(smallest_slope, std::abs(matrix_[part.matrix]));
    const double depth = measure / (slope * (largest + std::sqrt(measure)));
    const double bound = offset_[part.first + part.rows() - (part.second_order ? 3 : 1)];
    if (block < layout_.contacts) {
      z[row] = std::max(z[row], 0.0) + depth;
      const double share = bound > 0 ? std::min(most, depth / bound) : 0.0;
      for (int i = 1; i < layout_.size(block); ++i)
        z[row + i] = i < active_[block] ? (1 - share) * z[row + i] : 0.0;
    } else if (part.half_lines == 2) {
      z[row] += std::min(most, depth / (bound - middle[row])) * (middle[row] - z[row]);
    } else {
      z[row] += matrix_[part.matrix] * depth;
    }
  }
}

void ConeProduct::start_near(double measure, ConstSpan u, Span z, Span w, Span y) const {
  multiplier(u, 0.0, y);
  push_inside(measure, y, z);
  constraint(z, w);
  for (const Part& part : parts_) {
    for (Index k = part.first; k < part.first + part.half_lines; ++k) y[k] += measure / w[k];
    for (int cone = 0; cone < part.second_order; ++cone) {
      const Index k = part.cone(cone);
      const double length = planar_length(w[k + 1], w[k + 2]);
      const double share = measure / ((w[k] - length) * (w[k] + length));
      y[k] += share * w[k];
      y[k + 1] -= share * w[k + 1];
      y[k + 2] -= share * w[k + 2];
    }
  }
}

void ConeProduct::constraint(ConstSpan z, Span w) const {
  multiply(z, w);
  axpy(1.0, offset_, w);
}

void ConeProduct::multiply(ConstSpan z, Span w) const {
  for (Index block = 0; block < layout_.blocks; ++block) {
    const Part& part = parts_[block];
    const int n = active_[block];
    const double* a = matrix(block);
    const double* x = &z[layout_.row(block)];
    for (int i = 0; i < part.rows(); ++i) {
      double sum = 0;
      for (int j = 0; j < n; ++j) sum += a[n * i + j] * x[j];
      w[part.first + i] = sum;
    }
  }
}

void ConeProduct::transpose(ConstSpan y, Span u) const {
  fill(u, 0.0);
  for (Index block = 0; block < layout_.blocks; ++block) {
    const Part& part = parts_[block];
    const int n = active_[block];
    const double* a = matrix(block);
    for (int i = 0; i < part.rows(); ++i)
      for (int j = 0; j < n; ++j) u[layout_.row(block) + j] += a[n * i + j] * y[part.first + i];
  }
}

namespace {

/// (AᵀA)⁻¹ x for `rows` x n matrices A of full column rank.
void solve_gram(const double* a, int rows, int n, double* x) {
  double gram[max_dimension * max_dimension] = {};
  for (int k = 0; k < rows; ++k)
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) gram[n * i + j] += a[n * k + i] * a[n * k + j];
  if (!solve_small(gram, x, n, 1)) std::fill_n(x, n, 0.0);
}

} // namespace

void ConeProduct::multiplier(ConstSpan u, double depth, Span y) const {
  for (Index block = 0; block < layout_.blocks; ++block) {
    const Part& part = parts_[block];
    const int n = active_[block], rows = part.rows();
    if (rows == 0) continue;
    const double* a = matrix(block);
    double x[max_dimension];
    std::copy_n(&u[layout_.row(block)], n, x);
    solve_gram(a, rows, n, x);
    double* value = &y[part.first];
    for (int i = 0; i < rows; ++i) {
      value[i] = 0;
      for (int j = 0; j < n; ++j) value[i] += a[n * i + j] * x[j];
    }
    for (int i = 0; i < part.half_lines; ++i) value[i] = std::max(value[i], depth);
    for (int cone = 0; cone < part.second_order; ++cone) {
      double* head = value + part.half_lines + 3 * cone;
      head[0] = std::max(head[0], planar_length(head[1], head[2]) + depth);
    }
  }
}

void ConeProduct::impulses(ConstSpan w, Span z) const {
  centre(0, z);
  for (Index block = 0; block < layout_.blocks; ++block) {
    const Part& part = parts_[block];
    const int n = active_[block], rows = part.rows();
    if (rows == 0) continue;
    const double* a = matrix(block);
    double x[max_dimension] = {};
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < n; ++j)
        x[j] += a[n * i + j] * (w[part.first + i] - offset_[part.first + i]);
    solve_gram(a, rows, n, x);
    std::copy_n(x, n, &z[layout_.row(block)]);
  }
}

void ConeProduct::mask(Span x) const {
  for (Index block = 0; block < layout_.blocks; ++block)
    for (int i = active_[block]; i < layout_.size(block); ++i) x[layout_.row(block) + i] = 0;
}

} // namespace talus
