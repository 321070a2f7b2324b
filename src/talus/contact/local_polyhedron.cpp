#include "talus/contact/local_polyhedron.h"

#include "talus/contact/cross_section.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace talus {
namespace {

double dot3(const double* a, const double* b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/// row·(A z + b) = 0 along z = weights of two generators: the coefficients of that equation.
struct Equation {
  double first, second, rhs;
};

Equation equation(const LocalContact& contact, const double* b, const double* row,
                  const double* first, const double* second) {
  double row_a[3] = {};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) row_a[j] += row[i] * contact.A[3 * i + j];
  return {dot3(row_a, first), dot3(row_a, second), -dot3(row, b)};
}

} // namespace

bool slide_on_polyhedral_cone(const LocalContact& contact, const ContactSet& set, Law law,
                              const double* b, double* z) {
  const int m = section_vertices(set.set);
  constexpr double normal[3] = {1, 0, 0};
  double best = std::numeric_limits<double>::infinity();
  const auto consider = [&](double x, const double* first, double y, const double* second) {
    const double candidate[3] = {x * first[0] + y * second[0], x * first[1] + y * second[1],
                                 x * first[2] + y * second[2]};
    const double residual = local_residual(contact, set, law, b, candidate);
    if (!(residual < best)) return;
    best = residual;
    std::copy_n(candidate, 3, z);
  };
  Tangential here = section_vertex(set.set, 0);
  for (int k = 0; k < m; ++k) {
    const Tangential next = section_vertex(set.set, k + 1);
    const double ray[3] = {1, set.mu * here.t, set.mu * here.o};
    const double next_ray[3] = {1, set.mu * next.t, set.mu * next.o};
    const double edge[3] = {0, next.t - here.t, next.o - here.o};
    // The condition on the velocity across the face: none in normal direction, or none along the
    // ray.
    const double* across = law == Law::coulomb ? normal : ray;
    const Equation e = equation(contact, b, across, ray, next_ray);
    const double on_ray = e.rhs / e.first;
    if (on_ray > 0 && std::isfinite(on_ray)) consider(on_ray, ray, 0, next_ray);
    const Equation f = equation(contact, b, edge, ray, next_ray);
    const double determinant = e.first * f.second - e.second * f.first;
    const double x = (e.rhs * f.second - e.second * f.rhs) / determinant;
    const double y = (e.first * f.rhs - e.rhs * f.first) / determinant;
    if (x >= 0 && y >= 0 && std::isfinite(x) && std::isfinite(y)) consider(x, ray, y, next_ray);
    here = next;
  }
  return std::isfinite(best);
}

void solve_interval_contact(const LocalContact& contact, double bound, const double* b, double* z) {
  const double* A = contact.A;
  const ContactSet set{{FrictionKind::box}, 2, 0, bound};
  double best = std::numeric_limits<double>::infinity(), answer[2] = {};
  const auto consider = [&](double normal, double tangential) {
    const double candidate[2] = {std::max(0.0, normal), std::clamp(tangential, -bound, bound)};
    const double residual = local_residual(contact, set, Law::associated, b, candidate);
    if (!(residual < best)) return;
    best = residual;
    std::copy_n(candidate, 2, answer);
  };
  // Free or at a bound in each component.
  consider(-(contact.inverse[0] * b[0] + contact.inverse[1] * b[1]),
           -(contact.inverse[2] * b[0] + contact.inverse[3] * b[1]));
  consider(0, -b[1] / A[3]);
  for (const double t : {bound, -bound}) {
    consider(0, t);
    consider(-(b[0] + A[1] * t) / A[0], t);
  }
  std::copy_n(answer, 2, z);
}

} // namespace talus
