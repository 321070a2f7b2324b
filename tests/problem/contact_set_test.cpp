// Projections on the contact sets, judged by the variational inequality that characterises them.

#include "problem/contact_set_samples.h"
#include "talus/contact/projection_kernels.h"
#include "talus/core/error.h"

#include <gtest/gtest.h>

#include <limits>

namespace talus::test {
namespace {

constexpr double rounding = 1e-13;
constexpr int points_per_set = 1000;

/// Size against which a rounding error of a projection of x on K is to be seen.
double magnitude(const ContactSet& k, const Point& x) {
  return (1 + k.mu) * (norm(x) + k.bound) + 1e-100;
}

/// Runs a check that returns the error of one random point and the bound it must respect.
template <class Measure>
void expect_small(unsigned seed, Measure measure) {
  for_random_points(seed, points_per_set, false,
                    [&](const ContactSet& k, Sampler& sampler, const Point& x, const Case& what) {
                      const double error = measure(k, sampler, x);
                      EXPECT_LE(error, rounding) << what;
                      return error <= rounding;
                    });
}

TEST(ContactSetProjection, LiesInTheSet) {
  expect_small(11, [](const ContactSet& k, Sampler&, const Point& x) {
    return violation(k, projected(k, x)) / magnitude(k, x);
  });
}

TEST(ContactSetProjection, SatisfiesTheVariationalInequality) {
  expect_small(12, [](const ContactSet& k, Sampler& sampler, const Point& x) {
    const Point p = projected(k, x);
    double worst = 0;
    for (int i = 0; i < 20; ++i) {
      const Point y = sampler.member(k, 2 * norm(x) + k.bound);
      worst = std::max(worst, dot(x - p, y - p) / (magnitude(k, x) * (magnitude(k, x) + norm(y))));
    }
    return worst;
  });
}

// For polyhedral sets the inequality at all vertices, the apex and far along the axis proves the
// projection exact, not merely better than samples.
TEST(ContactSetProjection, IsNearestAmongAllVertices) {
  expect_small(13, [](const ContactSet& k, Sampler&, const Point& x) {
    const Point p = projected(k, x);
    const double scale = magnitude(k, x);
    double worst = dot(x - p, combine(-1, p, 0, p)) / (scale * scale);
    if (!is_cone(k)) worst = 0;
    for (const Point& vertex : section_vertices(k))
      for (double n : {0.0, scale, 3 * scale}) {
        const double radius = is_cone_shaped(k.set.kind) ? k.mu * n : k.bound;
        const Point y = combine(n, {1, 0, 0}, radius, vertex);
        worst = std::max(worst, dot(x - p, y - p) / (scale * (scale + norm(y))));
      }
    return worst;
  });
}

TEST(ContactSetProjection, IsIdempotent) {
  expect_small(14, [](const ContactSet& k, Sampler&, const Point& x) {
    const Point p = projected(k, x);
    return norm(projected(k, p) - p) / magnitude(k, x);
  });
}

TEST(ContactSetProjection, LeavesInteriorPointsUntouched) {
  expect_small(15, [](const ContactSet& k, Sampler& sampler, const Point& x) {
    Point inside = combine(0.9, sampler.member(k, norm(x)), 0, x);
    inside[0] = inside[0] / 0.9 + 1e-3 * norm(x);
    return inside == projected(k, inside) ? 0.0 : 1.0;
  });
}

TEST(ContactSetProjection, DoesNotExpandDistances) {
  expect_small(16, [](const ContactSet& k, Sampler& sampler, const Point& x) {
    const Point far = sampler.point(k);
    const Point near = combine(1, x, 1e-3, far);
    double worst = 0;
    for (const Point& z : {far, near}) {
      const double excess = norm(projected(k, x) - projected(k, z)) - norm(x - z);
      worst = std::max(worst, excess / (magnitude(k, x) + magnitude(k, z)));
    }
    return worst;
  });
}

TEST(ContactSetProjection, MayOverwriteItsArgument) {
  expect_small(17, [](const ContactSet& k, Sampler&, const Point& x) {
    Point in_place = x, weighted = x, weighted_in_place = x, dual = {}, dual_in_place = x;
    project(k, in_place.data(), in_place.data());
    project_weighted(k, 2, 5, x.data(), weighted.data());
    project_weighted(k, 2, 5, weighted_in_place.data(), weighted_in_place.data());
    project_dual(k, x.data(), dual.data());
    project_dual(k, dual_in_place.data(), dual_in_place.data());
    return in_place == projected(k, x) && weighted == weighted_in_place && dual == dual_in_place
               ? 0.0
               : 1.0;
  });
}

// A power of two scales every operation exactly as long as nothing over- or underflows.
TEST(ContactSetProjection, IsRightForHugeAndTinyValues) {
  for (const int exponent : {-900, -520, 520, 900})
    expect_small(18, [=](const ContactSet& k, Sampler&, const Point& x) {
      const double scale = std::ldexp(1.0, exponent);
      ContactSet scaled_set = k;
      scaled_set.bound *= scale;
      const Point scaled = projected(scaled_set, combine(scale, x, 0, x));
      return norm(combine(1 / scale, scaled, -1, projected(k, x))) / magnitude(k, x);
    });
}

TEST(ContactSetProjection, KeepsMixedMagnitudesApart) {
  const ContactSet cone = {{FrictionKind::cone}, 3, 0.5, 0};
  EXPECT_EQ(projected(cone, {1e300, 1e-300, -1e-300}), (Point{1e300, 1e-300, -1e-300}));
  EXPECT_EQ(projected(cone, {-1e300, 1e-300, 0}), (Point{0, 0, 0}));
  const Point steep = projected(cone, {0, 3e200, 4e200});
  EXPECT_NEAR(steep[0] / 1e200, 2, 1e-14);
  EXPECT_NEAR(steep[1] / 1e200, 0.6, 1e-14);
  EXPECT_NEAR(steep[2] / 1e200, 0.8, 1e-14);
}

TEST(ContactSetProjection, PassesNanOn) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto has_nan = [](const Point& y) { return std::isnan(y[0] + y[1] + y[2]); };
  for (const ContactSet& k : all_sets())
    for (int i = 0; i < k.dimension; ++i)
      for (const double other : {-3.0, 0.0, 2.0}) {
        Point x = {};
        std::fill_n(x.begin(), k.dimension, other);
        x[i] = nan;
        Point weighted = {}, dual = {}, polar = {};
        project_weighted(k, 2, 3, x.data(), weighted.data());
        project_dual(k, x.data(), dual.data());
        project_polar(k, x.data(), polar.data());
        EXPECT_TRUE(has_nan(projected(k, x))) << (Case{k, x, 0});
        EXPECT_TRUE(has_nan(weighted) && has_nan(dual) && has_nan(polar)) << (Case{k, x, 0});
      }
}

TEST(ContactSetProjection, HasTheRotationalSymmetryOfItsPolygon) {
  expect_small(19, [](const ContactSet& k, Sampler& sampler, const Point& x) {
    const bool has_polygon =
        k.set.kind == FrictionKind::prism || k.set.kind == FrictionKind::polyhedron;
    if (!has_polygon || k.dimension < 3) return 0.0;
    const double angle = 2 * std::numbers::pi * sampler.choice(k.set.facets) / k.set.facets;
    const auto turned = [c = std::cos(angle), s = std::sin(angle)](const Point& p) {
      return Point{p[0], c * p[1] - s * p[2], s * p[1] + c * p[2]};
    };
    return norm(projected(k, turned(x)) - turned(projected(k, x))) / magnitude(k, x);
  });
}

// 1 - cos(π/64) = 1.2e-3 is how far the polygon's facets stay inside the circle.
TEST(ContactSetProjection, OfManyFacetsApproachesTheRoundSets) {
  Sampler sampler(20);
  const ContactSet cone = {{FrictionKind::cone}, 3, 0.6, 0};
  const ContactSet polyhedron = {{FrictionKind::polyhedron, 64}, 3, 0.6, 0};
  const ContactSet cylinder = {{FrictionKind::cylinder}, 3, 0, 0.6};
  const ContactSet prism = {{FrictionKind::prism, 64}, 3, 0, 0.6};
  for (int i = 0; i < 2000; ++i) {
    const Point x = sampler.point(cone);
    const double size = norm(x) + 1;
    // Near the rim the tangential components may differ by about half an edge.
    EXPECT_LE(norm(projected(cone, x) - projected(polyhedron, x)), 0.04 * size)
        << (Case{polyhedron, x, 20});
    EXPECT_LE(norm(projected(cylinder, x) - projected(prism, x)), 0.04 * size)
        << (Case{prism, x, 20});
  }
}

TEST(ContactSetProjection, CoincidesInThePlaneForSetsOfTheSameShape) {
  Sampler sampler(21);
  const auto planar = [](FrictionKind kind) { return ContactSet{{kind}, 2, 0.4, 0.8}; };
  for (int i = 0; i < 2000; ++i) {
    const Point x = sampler.point(planar(FrictionKind::cone));
    const Point cone = projected(planar(FrictionKind::cone), x);
    EXPECT_EQ(cone, projected(planar(FrictionKind::pyramid), x));
    EXPECT_EQ(cone, projected(planar(FrictionKind::polyhedron), x));
    const Point box = projected(planar(FrictionKind::box), x);
    EXPECT_EQ(box, projected(planar(FrictionKind::prism), x));
    EXPECT_EQ(box, projected(planar(FrictionKind::cylinder), x));
  }
}

// Up to rounding: a compiler may fuse products and sums differently where it inlines them.
TEST(ContactSetProjection, EqualsTheInlineKernels) {
  expect_small(22, [](const ContactSet& k, Sampler&, const Point& x) {
    if (k.dimension != 3) return 0.0;
    Point y = projected(k, x);
    const Point expected = y;
    if (k.set.kind == FrictionKind::cone) project_on_cone<3>(k.mu, x.data(), y.data());
    if (k.set.kind == FrictionKind::box) project_on_box<3>(k.bound, x.data(), y.data());
    if (k.set.kind == FrictionKind::cylinder) project_on_cylinder<3>(k.bound, x.data(), y.data());
    if (k.set.kind == FrictionKind::none) project_on_ray<3>(x.data(), y.data());
    return norm(y - expected) / magnitude(k, x);
  });
}

void expect_point(const Point& value, const Point& expected) {
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(value[i], expected[i], 1e-14) << "component " << i;
}

TEST(ContactSetProjection, HandWorkedValues) {
  // Cone mu = 1: (0, 3, 4) lies at height 5/2 on the ray (1, 3/5, 4/5).
  expect_point(projected({{FrictionKind::cone}, 3, 1, 0}, {0, 3, 4}), {2.5, 1.5, 2});
  // Cone mu = 1/2, x = (-1, 5, 0): height (-1 + 2.5) / 1.25 = 1.2.
  expect_point(projected({{FrictionKind::cone}, 3, 0.5, 0}, {-1, 5, 0}), {1.2, 0.6, 0});
  expect_point(projected({{FrictionKind::cone}, 2, 0.5, 0}, {-1, -5, 0}), {1.2, -0.6, 0});
  expect_point(projected({{FrictionKind::cone}, 3, 0.5, 0}, {-3, 5, 0}), {0, 0, 0});
  // Pyramid mu = 1: facet t = n moves (0, 2, 0.5) to (1, 1, 0.5); edge: (1+4+4)/3 = 3.
  expect_point(projected({{FrictionKind::pyramid}, 3, 1, 0}, {0, 2, 0.5}), {1, 1, 0.5});
  expect_point(projected({{FrictionKind::pyramid}, 3, 1, 0}, {1, 4, -4}), {3, 3, -3});
  expect_point(projected({{FrictionKind::pyramid}, 3, 1, 0}, {-8, 4, 4}), {0, 0, 0});
  // polyhedron:4 is |t| + |o| <= mu n: (0, 3, 3) sees the facet t + o = n at height 2.
  expect_point(projected({{FrictionKind::polyhedron, 4}, 3, 1, 0}, {0, 3, 3}), {2, 1, 1});
  expect_point(projected({{FrictionKind::polyhedron, 4}, 3, 1, 0}, {0, -3, 0}), {1.5, -1.5, 0});
  // polyhedron:6 has facets perpendicular to the second axis at distance (√3/2) mu n.
  const double s = std::sqrt(3) / 2;
  expect_point(projected({{FrictionKind::polyhedron, 6}, 3, 1, 0}, {0, 0, 7 / s}), {4, 0, 4 * s});
  expect_point(projected({{FrictionKind::prism, 6}, 3, 0, 2}, {-1, 0.25, 9}), {0, 0.25, 2 * s});
  expect_point(projected({{FrictionKind::prism, 6}, 3, 0, 2}, {1, 9, 0.1}), {1, 2, 0});
  expect_point(projected({{FrictionKind::box}, 3, 0, 2}, {1, -9, 0.1}), {1, -2, 0.1});
  expect_point(projected({{FrictionKind::cylinder}, 3, 0, 2}, {1, -3, 4}), {1, -1.2, 1.6});
  expect_point(projected({{FrictionKind::none}, 3, 0.5, 2}, {1, -3, 4}), {1, 0, 0});
  expect_point(projected({{FrictionKind::cone}, 1, 0.5, 0}, {-1, 0, 0}), {0, 0, 0});
  // Without friction every cone-shaped set is the ray, also below its apex on the axis.
  for (FrictionKind kind : {FrictionKind::cone, FrictionKind::pyramid, FrictionKind::polyhedron}) {
    expect_point(projected({{kind}, 3, 0, 0}, {-1, 0, 0}), {0, 0, 0});
    expect_point(projected({{kind}, 3, 0, 0}, {2, 1, -1}), {2, 0, 0});
  }
}

TEST(ContactSetProjection, WeightedSatisfiesItsVariationalInequality) {
  expect_small(31, [](const ContactSet& k, Sampler& sampler, const Point& x) {
    const double weight_n = std::pow(10, sampler.uniform(-2, 2));
    const double weight_t = std::pow(10, sampler.uniform(-2, 2));
    Point p = {};
    project_weighted(k, weight_n, weight_t, x.data(), p.data());
    const double largest = std::max(weight_n, weight_t), smallest = std::min(weight_n, weight_t);
    const double size = magnitude(k, x) * std::sqrt(largest / smallest);
    double worst = violation(k, p) / size;
    for (int i = 0; i < 20; ++i) {
      const Point y = sampler.member(k, 2 * size);
      const Point a = x - p, b = y - p;
      const double product = weight_n * a[0] * b[0] + weight_t * (a[1] * b[1] + a[2] * b[2]);
      worst = std::max(worst, product / (largest * size * (size + norm(y))));
    }
    return worst;
  });
}

TEST(ContactSetProjection, WeightedWithEqualWeightsIsPlain) {
  expect_small(32, [](const ContactSet& k, Sampler&, const Point& x) {
    Point p = {};
    project_weighted(k, 3, 3, x.data(), p.data());
    return norm(p - projected(k, x)) / magnitude(k, x);
  });
}

TEST(ContactSetProjection, WeightedHandWorkedValue) {
  // Cone mu = 1, weights 1 and 4: in (x_n, 2 x_t) the cone has mu' = 2 and (0, 5/2, 0) becomes
  // (0, 5, 0) -> height 10 / 5 = 2, so the nearest point is (2, 2, 0).
  Point p = {0, 2.5, 0};
  project_weighted({{FrictionKind::cone}, 3, 1, 0}, 1, 4, p.data(), p.data());
  expect_point(p, {2, 2, 0});
}

TEST(ContactSetDual, IsNonNegativeOnAllGenerators) {
  expect_small(41, [](const ContactSet& k, Sampler& sampler, const Point& x) {
    Point u = {};
    project_dual(k, x.data(), u.data());
    double worst = std::max(0.0, -u[0]) / magnitude(k, x);
    if (!is_cone(k)) return worst;
    for (int i = 0; i < 20; ++i) {
      const Point r = sampler.member(k, 1);
      worst = std::max(worst, -dot(u, r) / (magnitude(k, x) * (1 + norm(r))));
    }
    return worst;
  });
}

TEST(ContactSetDual, IsTheNearestDualPoint) {
  expect_small(42, [](const ContactSet& k, Sampler& sampler, const Point& x) {
    Point p = {};
    project_dual(k, x.data(), p.data());
    double worst = 0;
    for (int i = 0; i < 20; ++i) {
      // u_n >= mu max { s·u_t } puts u into K*; the margin covers the sampled circle.
      Point u = sampler.smooth_point(k);
      const bool is_tilted = is_cone_shaped(k.set.kind);
      const double lowest = is_tilted ? 1.00001 * k.mu * std::max(0.0, brute_support(k, u)) : 0;
      u[0] = lowest + (sampler.choice(2) == 0 ? 0 : std::abs(u[0]));
      worst = std::max(worst, dot(x - p, u - p) / (magnitude(k, x) * (magnitude(k, x) + norm(u))));
    }
    return worst;
  });
}

TEST(ContactSetDual, MoreauDecomposesEveryPoint) {
  expect_small(43, [](const ContactSet& k, Sampler& sampler, const Point& x) {
    if (!is_cone(k)) return 0.0;
    const Point p = projected(k, x);
    Point polar = {};
    project_polar(k, x.data(), polar.data());
    const double scale = magnitude(k, x);
    double worst = norm(combine(1, p, 1, polar) - x) / scale;
    worst = std::max(worst, std::abs(dot(p, polar)) / (scale * scale));
    for (int i = 0; i < 10; ++i) {
      const Point r = sampler.member(k, 1);
      worst = std::max(worst, dot(polar, r) / (scale * (1 + norm(r))));
    }
    return worst;
  });
}

TEST(ContactSetDual, HandWorkedValues) {
  const auto dual = [](const ContactSet& k, Point x) {
    project_dual(k, x.data(), x.data());
    return x;
  };
  // K* of the cone mu = 1/2 is { u_n >= |u_t| / 2 }.
  expect_point(dual({{FrictionKind::cone}, 3, 0.5, 0}, {1, 2, 0}), {1, 2, 0});
  expect_point(dual({{FrictionKind::cone}, 3, 0.5, 0}, {0, 2, 0}), {0.8, 1.6, 0});
  expect_point(dual({{FrictionKind::box}, 3, 0.5, 1}, {-4, 2, 3}), {0, 2, 3});
  expect_point(dual({{FrictionKind::none}, 3, 0.5, 1}, {-4, 2, 3}), {0, 2, 3});
}

TEST(ContactSetErrors, BadDimensionAndFacetsAreRejectedByName) {
  Point x = {1, 2, 3}, y = {};
  double jacobian[9];
  for (const int dimension : {-1, 0, 4, 1000}) {
    const ContactSet k = {{FrictionKind::cone}, dimension, 0.5, 0};
    EXPECT_THROW(project(k, x.data(), y.data()), InvalidArgument);
    EXPECT_THROW(project_weighted(k, 1, 1, x.data(), y.data()), InvalidArgument);
    EXPECT_THROW(project_dual(k, x.data(), y.data()), InvalidArgument);
    EXPECT_THROW(project_polar(k, x.data(), y.data()), InvalidArgument);
    EXPECT_THROW(projection_jacobian(k, x.data(), jacobian), InvalidArgument);
    EXPECT_THROW(tilt(k, x.data()), InvalidArgument);
    EXPECT_THROW(tilt_gradient(k, x.data(), y.data()), InvalidArgument);
  }
  for (const int facets : {-2, 0, 2, 5, 66}) {
    EXPECT_THROW(project({{FrictionKind::polyhedron, facets}, 3, 0.5, 0}, x.data(), y.data()),
                 InvalidArgument);
    EXPECT_THROW(project({{FrictionKind::prism, facets}, 3, 0.5, 1}, x.data(), y.data()),
                 InvalidArgument);
  }
  EXPECT_EQ(y, Point{}) << "a rejected call must not write";
}

} // namespace
} // namespace talus::test
