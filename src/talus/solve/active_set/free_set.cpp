#include "talus/solve/active_set/free_set.h"

#include "talus/core/division.h"
#include "talus/core/elementary.h"
#include "talus/core/parallel.h"
#include "talus/core/ranks.h"

#include <cmath>
#include <limits>
#include <numbers>

namespace talus {
namespace {

/// Share of a bound that counts as having reached it, as in tangent_cone.cpp.
constexpr double reached = 1 - 1e-12;
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr Index contact_chunk = 512;

/// Outward normal of a facet of the regular polygon.
struct Facet {
  Facet(int index, int facets)
      : angle(std::numbers::pi * (2 * index + 1) / facets), t(cosine(angle)), o(sine(angle)) {}
  double angle, t, o;
};

double apothem(int facets) {
  return cosine(std::numbers::pi / facets);
}

/// The largest α >= 0 with x + α d <= bound, for x <= bound.
double step_to(double bound, double x, double d) {
  return d > 0 ? std::max(0.0, bound - x) / d : infinity;
}

/// The largest α >= 0 with |x + α d| <= bound in the plane: the positive root of a quadratic,
/// written without cancellation.
double step_to_circle(double bound, const double* x, const double* d) {
  const double a = d[0] * d[0] + d[1] * d[1];
  if (a == 0) return infinity;
  const double b = x[0] * d[0] + x[1] * d[1];
  const double c = std::max(0.0, bound * bound - x[0] * x[0] - x[1] * x[1]);
  const double root = std::sqrt(b * b + a * c);
  return b > 0 ? c / (b + root) : (root - b) / a;
}

double step_in_section(const ContactSet& set, const double* x, const double* d) {
  if (set.dimension == 2 || set.set.kind == FrictionKind::box) {
    double step = infinity;
    for (int i = 0; i + 1 < set.dimension; ++i)
      step = std::min({step, step_to(set.bound, x[i], d[i]), step_to(set.bound, -x[i], -d[i])});
    return step;
  }
  if (set.set.kind == FrictionKind::cylinder) return step_to_circle(set.bound, x, d);
  double step = infinity;
  const double limit = set.bound * apothem(set.set.facets);
  for (int k = 0; k < set.set.facets; ++k) {
    const Facet facet(k, set.set.facets);
    step = std::min(
        step, step_to(limit, facet.t * x[0] + facet.o * x[1], facet.t * d[0] + facet.o * d[1]));
  }
  return step;
}

} // namespace

FreeSet::FreeSet(const ScaledProblem& problem, Boundary boundary)
    : problem_(&problem), boundary_(boundary), faces_(problem.contacts()),
      rows_(problem.equalities(), 0) {}

FreeSet::Face FreeSet::face_of(const ContactSet& set, const double* z) const {
  Face face;
  face.normal = z[0] > 0;
  if (set.dimension == 1 || set.set.kind == FrictionKind::none || set.bound == 0) return face;
  if (set.dimension == 2) {
    face.tangents = std::abs(z[1]) < reached * set.bound;
    face.direction[0] = 1;
    return face;
  }
  const auto on_edge = [&](int facet, double t, double o) {
    --face.tangents;
    face.facet = static_cast<signed char>(facet);
    face.direction[0] = t;
    face.direction[1] = o;
  };
  face.tangents = 2;
  switch (set.set.kind) {
  case FrictionKind::cylinder: {
    const double length = hypotenuse(z[1], z[2]);
    if (length >= reached * set.bound) on_edge(0, -z[2] / length, z[1] / length);
    break;
  }
  case FrictionKind::box:
    if (std::abs(z[1]) >= reached * set.bound) on_edge(0, 0, 1);
    if (std::abs(z[2]) >= reached * set.bound) on_edge(1, 1, 0);
    return face; // a product of intervals: their free components stay free on the boundary
  default:
    for (int k = 0; k < set.set.facets && face.tangents > 0; ++k) {
      const Facet facet(k, set.set.facets);
      if (facet.t * z[1] + facet.o * z[2] >= reached * set.bound * apothem(set.set.facets))
        on_edge(k, -facet.o, facet.t);
    }
  }
  if (boundary_ == Boundary::fixed && face.tangents == 1) face.tangents = 0;
  return face;
}

Index FreeSet::update(ConstSpan z) {
  const int d = problem_->dimension();
  Index changes = parallel_sum<Index>(
      problem_->contacts(),
      [&](Index begin, Index end) {
        Index changed = 0;
        for (Index c = begin; c < end; ++c) {
          const Face face = face_of(problem_->contact_set(c), &z[d * c]);
          changed += !face.same_as(faces_[c]);
          faces_[c] = face;
        }
        return changed;
      },
      contact_chunk);
  for (Index j = 0; j < problem_->equalities(); ++j) {
    const double value = z[d * problem_->contacts() + j], far = std::abs(value) + 1;
    const signed char free = problem_->project_row(j, value - far) < value &&
                             problem_->project_row(j, value + far) > value;
    changes += free != rows_[j];
    rows_[j] = free;
  }
  // Of the rows every rank knows, so that their changes count once per rank: zero stays zero.
  if (const Division* division = problem_->division())
    return static_cast<Index>(division->ranks->sum(std::int64_t{changes}) > 0);
  return changes;
}

void FreeSet::bend(ConstSpan z, ConstSpan u) {
  if (problem_->dimension() < 3) return;
  for (Index c = 0; c < problem_->contacts(); ++c) {
    Face& face = faces_[c];
    face.curvature = 0;
    if (face.tangents != 1) continue;
    const ContactSet set = problem_->contact_set(c);
    if (set.set.kind != FrictionKind::cylinder) continue;
    // λ / bound with e = z_t / bound.
    const double inward = -(u[3 * c + 1] * z[3 * c + 1] + u[3 * c + 2] * z[3 * c + 2]);
    face.curvature = std::max(0.0, inward / (set.bound * set.bound));
  }
}

void FreeSet::restrict_to(ConstSpan x, Span y) const {
  const int d = problem_->dimension();
  parallel_for(
      problem_->contacts(),
      [&](Index begin, Index end) {
        for (Index c = begin; c < end; ++c) {
          const Face& face = faces_[c];
          const double* from = &x[d * c];
          double* to = &y[d * c];
          to[0] = face.normal ? from[0] : 0.0;
          if (d == 1) continue;
          if (d == 3 && face.tangents == 1) {
            const double along = face.direction[0] * from[1] + face.direction[1] * from[2];
            to[1] = along * face.direction[0];
            to[2] = along * face.direction[1];
            continue;
          }
          for (int i = 1; i < d; ++i) to[i] = face.tangents > 0 ? from[i] : 0.0;
        }
      },
      contact_chunk);
  for (Index j = 0; j < problem_->equalities(); ++j) {
    const Index i = d * problem_->contacts() + j;
    y[i] = rows_[j] ? x[i] : 0.0;
  }
}

void FreeSet::add_curvature(ConstSpan x, Span y) const {
  if (problem_->dimension() < 3) return;
  parallel_for(
      problem_->contacts(),
      [&](Index begin, Index end) {
        for (Index c = begin; c < end; ++c) {
          const double curvature = faces_[c].curvature;
          if (curvature == 0) continue;
          y[3 * c + 1] += curvature * x[3 * c + 1];
          y[3 * c + 2] += curvature * x[3 * c + 2];
        }
      },
      contact_chunk);
}

SparseMatrix FreeSet::basis() const {
  const int d = problem_->dimension();
  SparseMatrix z = zero_matrix(problem_->size(), 0);
  const auto append = [&](Index row, Index column, double value) {
    z.column.push_back(column);
    z.value.push_back(value);
    z.row_start[row + 1] = z.nonzeros();
  };
  for (Index c = 0; c < problem_->contacts(); ++c) {
    const Face& face = faces_[c];
    for (int i = 0; i < d; ++i) z.row_start[d * c + i + 1] = z.nonzeros();
    if (face.normal) append(d * c, z.columns++, 1.0);
    for (int i = 1; i < d; ++i) {
      z.row_start[d * c + i + 1] = z.nonzeros();
      if (face.tangents == 0) continue;
      if (d == 3 && face.tangents == 1)
        append(d * c + i, z.columns, face.direction[i - 1]);
      else
        append(d * c + i, z.columns++, 1.0);
    }
    if (d == 3 && face.tangents == 1) ++z.columns;
  }
  for (Index j = 0; j < problem_->equalities(); ++j) {
    const Index row = d * problem_->contacts() + j;
    z.row_start[row + 1] = z.nonzeros();
    if (rows_[j]) append(row, z.columns++, 1.0);
  }
  return z;
}

Vector FreeSet::curvatures() const {
  Vector result;
  for (const Face& face : faces_) {
    if (face.normal) result.push_back(0);
    for (int i = 0; i < face.tangents; ++i) result.push_back(face.curvature);
  }
  for (signed char free : rows_)
    if (free) result.push_back(0);
  return result;
}

double FreeSet::longest_step(ConstSpan z, ConstSpan p) const {
  const int d = problem_->dimension();
  double step = infinity;
  for (Index c = 0; c < problem_->contacts(); ++c) {
    const Face& face = faces_[c];
    if (face.normal) step = std::min(step, step_to(0, -z[d * c], -p[d * c]));
    if (face.tangents == 0) continue;
    step = std::min(step, step_in_section(problem_->contact_set(c), &z[d * c + 1], &p[d * c + 1]));
  }
  for (Index j = 0; j < problem_->equalities(); ++j) {
    const Index i = d * problem_->contacts() + j;
    if (!rows_[j] || p[i] == 0 || problem_->is_free_row(j)) continue;
    const double far = problem_->project_row(j, std::copysign(infinity, p[i]));
    if (std::isfinite(far)) step = std::min(step, (far - z[i]) / p[i]);
  }
  if (const Division* division = problem_->division()) step = division->ranks->min(step);
  return step;
}

} // namespace talus
