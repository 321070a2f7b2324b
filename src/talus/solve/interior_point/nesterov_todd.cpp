#include "talus/solve/interior_point/nesterov_todd.h"

#include "talus/contact/projection_kernels.h"
#include "talus/core/vector_ops.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace talus {
namespace {

/// √(x_0² − |x_1|²), 0 outside the cone.
double hyperbolic_norm(const double* x) {
  const double length = planar_length(x[1], x[2]);
  return std::sqrt(std::max(0.0, (x[0] - length) * (x[0] + length)));
}

/// The symmetric scaling W = η (2 v vᵀ − J) of a pair inside the cone, J = diag(1, −1, −1), its
/// inverse, λ = W y = W⁻¹ w, and η.
void scale_pair(const double* w, const double* y, double* forward, double* backward, double* lambda,
                double& eta) {
  const double a = hyperbolic_norm(w), b = hyperbolic_norm(y);
  double wn[3], yn[3];
  for (int i = 0; i < 3; ++i) {
    wn[i] = w[i] / a;
    yn[i] = y[i] / b;
  }
  const double gamma = std::sqrt(0.5 * (1 + wn[0] * yn[0] + wn[1] * yn[1] + wn[2] * yn[2]));
  double v[3] = {(wn[0] + yn[0]) / (2 * gamma) + 1, (wn[1] - yn[1]) / (2 * gamma),
                 (wn[2] - yn[2]) / (2 * gamma)};
  const double size = std::sqrt(2 * v[0]);
  eta = std::sqrt(a / b);
  for (double& entry : v) entry /= size;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const double reflection = i != j ? 0 : i == 0 ? 1 : -1;
      const double flip = (i == 0) == (j == 0) ? 1 : -1;
      forward[3 * i + j] = eta * (2 * v[i] * v[j] - reflection);
      backward[3 * i + j] = (2 * flip * v[i] * v[j] - reflection) / eta;
    }
  const double share = wn[0] + yn[0] + 2 * gamma, root = std::sqrt(a * b);
  lambda[0] = root * gamma;
  for (int i = 1; i < 3; ++i)
    lambda[i] = root * ((gamma + yn[0]) * wn[i] + (gamma + wn[0]) * yn[i]) / share;
}

void multiply_3x3(const double* a, const double* b, double* c) {
  double product[9] = {};
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k)
      for (int j = 0; j < 3; ++j) product[3 * i + j] += a[3 * i + k] * b[3 * k + j];
  std::copy_n(product, 9, c);
}

/// y = A x, or Aᵀ x.
void apply_3x3(const double* a, bool transposed, const double* x, double* y) {
  double result[3] = {};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) result[i] += a[transposed ? 3 * j + i : 3 * i + j] * x[j];
  std::copy_n(result, 3, y);
}

/// Largest α with x + α d in the second-order cone, x inside: the step along d in the coordinates
/// in which x is the unit.
double second_order_step(const double* x, const double* d) {
  const double size = hyperbolic_norm(x);
  const double unit[3] = {x[0] / size, x[1] / size, x[2] / size};
  const double head = (unit[0] * d[0] - unit[1] * d[1] - unit[2] * d[2]) / size;
  const double share = (head + d[0] / size) / (unit[0] + 1);
  const double t = d[1] / size - share * unit[1], o = d[2] / size - share * unit[2];
  const double speed = planar_length(t, o) - head;
  return speed > 0 ? 1 / speed : std::numeric_limits<double>::infinity();
}

/// The principal axes of T Tᵀ = η² exp of a boost: (1, ±d)/√2 with lengths η e^{±t}, and η across.
/// Reciprocal lengths are computed as such, so that the shortest is as accurate as the longest.
struct Axes {
  Axes(const double* t, double size) {
    double first[3] = {}; // the first row of T Tᵀ
    for (int i = 0; i < 3; ++i)
      for (int k = 0; k < 3; ++k) first[i] += t[k] * t[3 * i + k];
    const double boost = planar_length(first[1], first[2]);
    const double d[2] = {boost > 0 ? first[1] / boost : 1.0, boost > 0 ? first[2] / boost : 0.0};
    length[0] = std::sqrt(first[0] + boost);
    length[1] = size * size / length[0];
    length[2] = size;
    const double half = std::sqrt(0.5);
    for (int k = 0; k < 2; ++k) {
      const double sign = k == 0 ? half : -half;
      vector[k][0] = half;
      vector[k][1] = sign * d[0];
      vector[k][2] = sign * d[1];
    }
    vector[2][0] = 0;
    vector[2][1] = -d[1];
    vector[2][2] = d[0];
  }
  double vector[3][3], length[3];
};

/// R = S⁻¹ Uᵀ A and C = A⁻¹ U S for T Tᵀ = U S² Uᵀ, A diagonal.
void cone_root(const double* t, double size, const double* a, double* r, double* c) {
  const Axes axes(t, size);
  for (int k = 0; k < 3; ++k)
    for (int i = 0; i < 3; ++i) {
      r[3 * k + i] = axes.vector[k][i] * a[4 * i] / axes.length[k];
      c[3 * i + k] = axes.vector[k][i] * axes.length[k] / a[4 * i];
    }
}

/// R with RᵀR = rowsᵀ rows by Householder reflections, and its inverse. The rows differ by many
/// decades: sorted by size and with column pivots, every row is treated to its own precision (Cox,
/// Higham 1998). `rows` is destroyed.
void triangular_root(double* rows, int count, int n, int stride, double* r, double* c) {
  assert(n <= max_dimension);
  const auto size_of = [&](int i) {
    double size = 0;
    for (int j = 0; j < n; ++j) size = std::max(size, std::abs(rows[n * i + j]));
    return size;
  };
  for (int i = 1; i < count; ++i)
    for (int k = i; k > 0 && size_of(k) > size_of(k - 1); --k)
      std::swap_ranges(rows + n * k, rows + n * (k + 1), rows + n * (k - 1));
  int column[max_dimension] = {0, 1, 2, 3, 4, 5};
  for (int k = 0; k < n; ++k) {
    const auto length_below = [&](int j) {
      double sum = 0;
      for (int i = k; i < count; ++i) sum += rows[n * i + column[j]] * rows[n * i + column[j]];
      return std::sqrt(sum);
    };
    for (int j = k + 1; j < n; ++j)
      if (length_below(j) > length_below(k)) std::swap(column[j], column[k]);
    const double length = length_below(k);
    double* pivot = rows + n * k;
    const double alpha = pivot[column[k]] > 0 ? -length : length;
    const double head = pivot[column[k]] - alpha;
    for (int j = k + 1; j < n && length > 0; ++j) {
      double sum = head * pivot[column[j]];
      for (int i = k + 1; i < count; ++i) sum += rows[n * i + column[k]] * rows[n * i + column[j]];
      const double factor = sum / (alpha * head);
      pivot[column[j]] += factor * head;
      for (int i = k + 1; i < count; ++i)
        rows[n * i + column[j]] += factor * rows[n * i + column[k]];
    }
    pivot[column[k]] = length > 0 ? alpha : std::numeric_limits<double>::min();
  }
  // C = R⁻¹ column by column, R upper triangular in the pivoted columns.
  for (int k = 0; k < n; ++k) {
    for (int j = k; j < n; ++j) r[stride * k + column[j]] = rows[n * k + column[j]];
    double x[max_dimension] = {};
    for (int i = k; i >= 0; --i) {
      double sum = i == k ? 1 : 0;
      for (int j = i + 1; j <= k; ++j) sum -= rows[n * i + column[j]] * x[j];
      x[i] = sum / rows[n * i + column[i]];
      c[stride * column[i] + k] = x[i];
    }
  }
}

} // namespace

NesterovTodd::NesterovTodd(const ConeProduct& cones) : cones_(cones), lambda_(cones.size()) {
  std::size_t next = 0;
  for (Index block = 0; block < cones.layout().blocks; ++block) {
    scaling_.push_back(next);
    next += cones.part(block).half_lines + 9 * cones.part(block).second_order;
  }
  t_.resize(next);
  inverse_.resize(next);
  size_.resize(static_cast<std::size_t>(ConeProduct::most_cones) * cones.layout().blocks);
}

void NesterovTodd::start(ConstSpan w, ConstSpan y) {
  for (Index block = 0; block < cones_.layout().blocks; ++block) {
    const ConeProduct::Part& part = cones_.part(block);
    const std::size_t at = scaling_[block];
    for (int i = 0; i < part.half_lines; ++i) {
      const Index k = part.first + i;
      t_[at + i] = std::sqrt(w[k] / y[k]);
      inverse_[at + i] = std::sqrt(y[k] / w[k]);
      lambda_[k] = std::sqrt(w[k] * y[k]);
    }
    for (int cone = 0; cone < part.second_order; ++cone) {
      const Index k = part.cone(cone);
      const std::size_t own = at + part.half_lines + 9 * cone;
      scale_pair(&w[k], &y[k], &t_[own], &inverse_[own], &lambda_[k], size_of(block, cone));
    }
  }
}

double NesterovTodd::duality_measure() const {
  return cones_.degree() > 0 ? cones_.dot(lambda_, lambda_) / cones_.degree() : 0.0;
}

namespace {

/// y = S x with S the stored numbers of T or T⁻¹, transposed or not.
void apply_scaling(const ConeProduct& cones, const std::vector<std::size_t>& scaling,
                   const Vector& matrix, bool transposed, ConstSpan x, Span y) {
  for (Index block = 0; block < cones.layout().blocks; ++block) {
    const ConeProduct::Part& part = cones.part(block);
    const std::size_t at = scaling[block];
    for (int i = 0; i < part.half_lines; ++i)
      y[part.first + i] = matrix[at + i] * x[part.first + i];
    for (int cone = 0; cone < part.second_order; ++cone) {
      const Index k = part.cone(cone);
      apply_3x3(&matrix[at + part.half_lines + 9 * cone], transposed, &x[k], &y[k]);
    }
  }
}

} // namespace

void NesterovTodd::primal(Span w) const {
  apply_scaling(cones_, scaling_, t_, false, lambda_, w);
}

void NesterovTodd::dual(Span y) const {
  unscale_dual(lambda_, y);
}

void NesterovTodd::scale_primal(ConstSpan x, Span y) const {
  apply_scaling(cones_, scaling_, inverse_, false, x, y);
}

void NesterovTodd::unscale_dual(ConstSpan x, Span y) const {
  apply_scaling(cones_, scaling_, inverse_, true, x, y);
}

void NesterovTodd::hessian_root(Span root, Span inverse_root) const {
  fill(root, 0.0);
  fill(inverse_root, 0.0);
  double rows[3 * (max_facets + 4)] = {};
  for (Index block = 0; block < cones_.layout().blocks; ++block) {
    const ConeProduct::Part& part = cones_.part(block);
    const int n = cones_.active()[block], stride = cones_.layout().size(block);
    double* r = &root[cones_.layout().entry(block)];
    double* c = &inverse_root[cones_.layout().entry(block)];
    if (n > 0 && part.rows() == 0) c[0] = 1;
    if (n == 0 || part.rows() == 0) continue;
    const double* a = cones_.matrix(block);
    const double* t = &t_[scaling_[block]];
    const double* inverse = &inverse_[scaling_[block]];
    if (part.second_order == 1 && part.half_lines == 0) {
      cone_root(t, size_of(block, 0), a, r, c);
      continue;
    }
    for (int k = 0; k < part.half_lines; ++k)
      for (int j = 0; j < n; ++j) rows[n * k + j] = inverse[k] * a[n * k + j];
    for (int cone = 0; cone < part.second_order; ++cone) {
      const int first = part.half_lines + 3 * cone;
      Axes axes(t + part.half_lines + 9 * cone, size_of(block, cone));
      for (int k = 0; k < 3; ++k)
        for (int j = 0; j < n; ++j) {
          double sum = 0;
          for (int i = 0; i < 3; ++i) sum += axes.vector[k][i] * a[n * (first + i) + j];
          rows[n * (first + k) + j] = sum / axes.length[k];
        }
    }
    triangular_root(rows, part.rows(), n, stride, r, c);
  }
}

double NesterovTodd::largest_step(ConstSpan d) const {
  double step = std::numeric_limits<double>::infinity();
  for (Index block = 0; block < cones_.layout().blocks; ++block) {
    const ConeProduct::Part& part = cones_.part(block);
    for (Index k = part.first; k < part.first + part.half_lines; ++k)
      if (d[k] < 0) step = std::min(step, -lambda_[k] / d[k]);
    for (int cone = 0; cone < part.second_order; ++cone) {
      const Index k = part.cone(cone);
      step = std::min(step, second_order_step(&lambda_[k], &d[k]));
    }
  }
  return cones_.least(step);
}

void NesterovTodd::advance(double step, ConstSpan dw, ConstSpan dy) {
  for (Index block = 0; block < cones_.layout().blocks; ++block) {
    const ConeProduct::Part& part = cones_.part(block);
    const std::size_t at = scaling_[block];
    for (int i = 0; i < part.half_lines; ++i) {
      const Index k = part.first + i;
      const double w = lambda_[k] + step * dw[k], y = lambda_[k] + step * dy[k];
      t_[at + i] *= std::sqrt(w / y);
      inverse_[at + i] *= std::sqrt(y / w);
      lambda_[k] = std::sqrt(w * y);
    }
    for (int cone = 0; cone < part.second_order; ++cone) {
      const Index k = part.cone(cone);
      double w[3], y[3], forward[9], backward[9];
      for (int i = 0; i < 3; ++i) {
        w[i] = lambda_[k + i] + step * dw[k + i];
        y[i] = lambda_[k + i] + step * dy[k + i];
      }
      double eta;
      scale_pair(w, y, forward, backward, &lambda_[k], eta);
      size_of(block, cone) *= eta;
      double* t = &t_[at + part.half_lines + 9 * cone];
      double* inverse = &inverse_[at + part.half_lines + 9 * cone];
      multiply_3x3(t, forward, t);
      multiply_3x3(backward, inverse, inverse);
    }
  }
}

void NesterovTodd::correction(double centring, ConstSpan dw, ConstSpan dy, Span t) const {
  for (Index block = 0; block < cones_.layout().blocks; ++block) {
    const ConeProduct::Part& part = cones_.part(block);
    for (Index k = part.first; k < part.first + part.half_lines; ++k)
      t[k] = (centring - dw[k] * dy[k]) / lambda_[k];
    for (int cone = 0; cone < part.second_order; ++cone) {
      const Index k = part.cone(cone);
      const double* l = &lambda_[k];
      const double* x = &dw[k];
      const double* y = &dy[k];
      // The product (x·y, x_0 y_1 + y_0 x_1) and its inverse with respect to λ.
      const double r[3] = {centring - (x[0] * y[0] + x[1] * y[1] + x[2] * y[2]),
                           -(x[0] * y[1] + y[0] * x[1]), -(x[0] * y[2] + y[0] * x[2])};
      const double determinant = hyperbolic_norm(l) * hyperbolic_norm(l);
      t[k] = (l[0] * r[0] - l[1] * r[1] - l[2] * r[2]) / determinant;
      for (int i = 1; i < 3; ++i) t[k + i] = (r[i] - l[i] * t[k]) / l[0];
    }
  }
}

} // namespace talus
