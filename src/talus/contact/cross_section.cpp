#include "talus/contact/cross_section.h"

#include "talus/core/elementary.h"
#include "talus/core/error.h"

#include <array>
#include <cmath>
#include <numbers>
#include <string>

namespace talus {
namespace {

/// sin(x) or cos(x) for 0 <= x <= π/4 by its Taylor series from the term of the given degree: 25
/// degrees leave less than 1e-27.
constexpr long double taylor(long double x, int first_degree) {
  long double term = first_degree == 0 ? 1 : x;
  long double sum = 0;
  for (int degree = first_degree; degree <= 25; degree += 2) {
    sum += term;
    term *= -x * x / ((degree + 1) * (degree + 2));
  }
  return sum;
}

constexpr int quarter_limit = max_facets / 2;

/// sines[i][j] = sin(π/2 · j/i): the polygon of m = 2 i facets has its vertices at the even and its
/// facet normals at the odd multiples of π/m = (π/2)/i, and cosines are the row read backwards.
/// Mirroring at π/4 makes 0 and 1 exact.
constexpr auto sines = [] {
  std::array<std::array<double, quarter_limit + 1>, quarter_limit + 1> table{};
  for (int i = 2; i <= quarter_limit; ++i)
    for (int j = 0; j <= i; ++j) {
      const bool is_low = 2 * j <= i;
      const long double angle = std::numbers::pi_v<long double> / 2 * (is_low ? j : i - j) / i;
      table[i][j] = static_cast<double>(taylor(angle, is_low ? 1 : 0));
    }
  return table;
}();

[[noreturn]] void reject_facets(int facets) {
  throw InvalidArgument("a friction polygon with " + std::to_string(facets) +
                        " facets; it must have an even number from 4 to " +
                        std::to_string(max_facets));
}

/// Fills in x's coordinates, and turns the edge so that x lies on its side.
void measure(Tangential x, SectionFacet& facet) {
  facet.across = facet.normal.t * x.t + facet.normal.o * x.o;
  facet.along = facet.edge.t * x.t + facet.edge.o * x.o;
  if (facet.along >= 0) return;
  facet.along = -facet.along;
  facet.edge = {-facet.edge.t, -facet.edge.o};
}

} // namespace

SectionFacet square_facet(Tangential x) {
  const Tangential sign = {std::copysign(1.0, x.t), std::copysign(1.0, x.o)};
  const double t = std::abs(x.t), o = std::abs(x.o);
  if (t >= o) return {1, 1, {sign.t, 0}, {0, sign.o}, t, o};
  return {1, 1, {0, sign.o}, {sign.t, 0}, o, t};
}

SectionFacet polygon_facet(int facets, Tangential x) {
  if (facets < 4 || facets > max_facets || facets % 2 != 0) [[unlikely]]
    reject_facets(facets);
  const int quarter = facets / 2;
  const double* sine = sines[quarter].data();
  const double* cosine = sine + quarter; // read backwards

  // An even number of facets makes both axes mirrors: search the first quadrant. Its facets lie
  // between the vertices at multiples 2k and 2k + 2; count the vertices that x has passed.
  const double t = std::abs(x.t), o = std::abs(x.o);
  int middle = 1;
  while (middle + 2 <= quarter && cosine[-(middle + 1)] * o >= sine[middle + 1] * t) middle += 2;

  SectionFacet facet;
  facet.apothem = sine[quarter - 1];
  facet.half_edge = sine[1];
  facet.normal = {std::copysign(cosine[-middle], x.t), std::copysign(sine[middle], x.o)};
  facet.edge = {-facet.normal.o, facet.normal.t};
  measure(x, facet);
  return facet;
}

int section_vertices(const FrictionSet& set) {
  return set.kind == FrictionKind::prism || set.kind == FrictionKind::polyhedron ? set.facets : 4;
}

Tangential section_vertex(const FrictionSet& set, int k) {
  const int m = section_vertices(set);
  k %= m;
  if (set.kind == FrictionKind::pyramid || set.kind == FrictionKind::box) {
    constexpr double corner[4][2] = {{1, 1}, {-1, 1}, {-1, -1}, {1, -1}};
    return {corner[k][0], corner[k][1]};
  }
  if (2 * k >= m) {
    const Tangential opposite = section_vertex(set, k - m / 2);
    return {-opposite.t, -opposite.o};
  }
  const double angle = 2 * std::numbers::pi * k / m;
  return {cosine(angle), sine(angle)};
}

} // namespace talus
