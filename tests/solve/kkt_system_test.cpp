// The linear algebra and the scalings of the interior-point methods.

#include "solve/feasible_problems.h"
#include "talus/core/error.h"
#include "talus/core/vector_ops.h"
#include "talus/linalg/sparse_ldl.h"
#include "talus/solve/interior_point/kkt_system.h"
#include "talus/solve/interior_point/nesterov_todd.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace talus {
namespace {

using test::FeasibleProblems;
using test::ProblemTraits;
using test::RandomProblems;

const std::vector<FrictionSet> all_sets = {{FrictionKind::none},          {FrictionKind::box},
                                           {FrictionKind::pyramid},       {FrictionKind::prism, 6},
                                           {FrictionKind::polyhedron, 8}, {FrictionKind::cylinder},
                                           {FrictionKind::cone}};

/// The lower triangle of a random sparse quasi-definite matrix.
struct QuasiDefinite {
  QuasiDefinite(RandomProblems& random, Index positive, Index negative)
      : size(positive + negative), dense(static_cast<std::size_t>(size) * size, 0.0) {
    for (Index i = 0; i < size; ++i) {
      sign.push_back(i < positive ? 1 : -1);
      for (Index j = 0; j < i; ++j)
        if (random.number(0, 1) < 0.15) at(i, j) = at(j, i) = random.number(-1, 1);
    }
    for (Index i = 0; i < size; ++i) {
      double sum = 0;
      for (Index j = 0; j < size; ++j)
        if (sign[j] == sign[i]) sum += std::abs(at(i, j));
      at(i, i) = sign[i] * (sum + random.number(0.1, 1));
    }
    start.push_back(0);
    for (Index j = 0; j < size; ++j) {
      for (Index i = j; i < size; ++i)
        if (i == j || at(i, j) != 0) {
          row.push_back(i);
          value.push_back(at(i, j));
        }
      start.push_back(static_cast<Index>(row.size()));
    }
  }
  double& at(Index i, Index j) { return dense[static_cast<std::size_t>(i) * size + j]; }
  double residual(const Vector& x, const Vector& b) {
    double largest = 0;
    for (Index i = 0; i < size; ++i) {
      double sum = -b[i];
      for (Index j = 0; j < size; ++j) sum += at(i, j) * x[j];
      largest = std::max(largest, std::abs(sum));
    }
    return largest;
  }

  Index size;
  Vector dense, value;
  std::vector<Index> start, row;
  std::vector<signed char> sign;
};

TEST(SparseLdl, SolvesQuasiDefiniteSystems) {
  RandomProblems random(1);
  for (int trial = 0; trial < 20; ++trial) {
    QuasiDefinite a(random, random.integer(1, 30), random.integer(1, 20));
    SparseLdl ldl;
    ldl.analyse(a.start, a.row);
    ASSERT_EQ(0, ldl.factorise(a.value, a.sign, 1e-14));
    const Vector b = random.vector(a.size);
    Vector x = b;
    ldl.solve(x);
    EXPECT_LT(a.residual(x, b), 1e-10);
  }
}

TEST(SparseLdl, RepairsPivotsOfTheWrongSign) {
  // [0 0; 0 -1] should have been positive in its first row.
  SparseLdl ldl;
  ldl.analyse({0, 1, 2}, {0, 1});
  const std::vector<signed char> sign = {1, -1};
  EXPECT_EQ(1, ldl.factorise(Vector{0, -1}, sign, 1e-3));
  Vector x = {1, 1};
  ldl.solve(x);
  EXPECT_NEAR(1000, x[0], 1e-9);
  EXPECT_NEAR(-1, x[1], 1e-12);
  EXPECT_EQ(-1, ldl.factorise(Vector{std::nan(""), -1}, sign, 1e-3));
}

TEST(SymmetricFactor, AnalysesAPatternOnce) {
  RandomProblems random(2);
  QuasiDefinite quasi(random, 12, 5), definite(random, 15, 0);
  for (QuasiDefinite* a : {&quasi, &definite}) {
    SymmetricFactor factor;
    for (int trial = 0; trial < 3; ++trial) {
      factor.set_pattern(a->start, a->row, a->sign);
      ASSERT_TRUE(factor.factorise(a->value));
      const Vector b = random.vector(a->size);
      Vector x = b;
      factor.solve(x);
      EXPECT_LT(a->residual(x, b), 1e-10);
    }
    EXPECT_EQ(1, factor.analyses());
  }
}

TEST(SymmetricFactor, RefusesWhatIsNotPositiveDefinite) {
  SymmetricFactor factor;
  factor.set_pattern({0, 1, 2}, {0, 1}, {1, 1});
  EXPECT_FALSE(factor.factorise(Vector{1, -1}));
  EXPECT_FALSE(factor.factorise(Vector{1, std::nan("")}));
  EXPECT_TRUE(factor.factorise(Vector{1, 1}));
}

/// w and y somewhere inside C, at distances from the boundary over many decades.
void random_interior(RandomProblems& random, const ConeProduct& cones, Vector& w, Vector& y) {
  w.resize(cones.size());
  y.resize(cones.size());
  for (Index block = 0; block < cones.layout().blocks; ++block) {
    const ConeProduct::Part& part = cones.part(block);
    for (Vector* x : {&w, &y}) {
      for (int i = 0; i < part.half_lines; ++i)
        (*x)[part.first + i] = std::pow(10.0, random.number(-4, 1));
      if (!part.second_order) continue;
      double* head = x->data() + part.first + part.half_lines;
      head[1] = random.number(-1, 1);
      head[2] = random.number(-1, 1);
      head[0] = std::hypot(head[1], head[2]) + std::pow(10.0, random.number(-4, 0));
    }
  }
}

struct KktCase {
  ContactProblem problem;
  std::unique_ptr<DelassusOperator> n;
};

KktCase make_case(FeasibleProblems& problems, const ProblemTraits& traits) {
  KktCase made{problems.make(traits), nullptr};
  made.n = make_operator(made.problem);
  return made;
}

TEST(ConeProduct, DescribesTheAdmissibleSets) {
  FeasibleProblems problems(5);
  RandomProblems random(6);
  for (int dimension : {1, 2, 3})
    for (const FrictionSet& set : all_sets) {
      const KktCase made = make_case(problems, {.dimension = dimension,
                                                .friction = set,
                                                .contacts = 8,
                                                .equalities = 6,
                                                .bounded_rows = true});
      const ScaledProblem scaled(made.problem, *made.n);
      const ConeProduct cones(scaled);
      const auto constraint = [](const ConeProduct& of, const Vector& z) {
        Vector w(of.size());
        of.constraint(z, w);
        return w;
      };
      const auto inside = [&](const Vector& z) {
        Vector w(cones.size());
        cones.constraint(z, w);
        double least = INFINITY;
        for (Index block = 0; block < cones.layout().blocks; ++block) {
          const ConeProduct::Part& part = cones.part(block);
          for (int i = 0; i < part.half_lines; ++i) least = std::min(least, w[part.first + i]);
          const double* head = w.data() + part.first + part.half_lines;
          if (part.second_order) least = std::min(least, head[0] - std::hypot(head[1], head[2]));
        }
        return least;
      };
      for (int trial = 0; trial < 20; ++trial) {
        Vector z = random.vector(scaled.size());
        scaled.project(z, z);
        EXPECT_GT(inside(z), -1e-12) << to_string(set) << " in dimension " << dimension;
        Vector w(cones.size()), y(cones.size());
        cones.start_near(1e-4, random.vector(scaled.size()), z, w, y);
        EXPECT_GT(inside(z), 0.0) << to_string(set);
        EXPECT_LT(distance(w, constraint(cones, z)), 1e-12 * norm(w));
        // Points outside K violate some w.
        Vector outside = random.vector(scaled.size()), nearest(scaled.size());
        for (Index block = 0; block < cones.layout().blocks; ++block)
          for (int i = cones.active()[block]; i < cones.layout().size(block); ++i)
            outside[cones.layout().row(block) + i] = z[cones.layout().row(block) + i];
        scaled.project(outside, nearest);
        if (distance(outside, nearest) > 1e-6) {
          EXPECT_LT(inside(outside), 0.0) << to_string(set);
        }
      }
      Vector z(scaled.size());
      cones.centre(0.5, z);
      EXPECT_GT(inside(z), 0.0) << to_string(set);
    }
}

TEST(ConeProduct, MultipliersReproduceVelocitiesInsideTheDualCone) {
  FeasibleProblems problems(7);
  RandomProblems random(8);
  for (const FrictionSet& set : all_sets) {
    const KktCase made = make_case(problems, {.friction = set});
    const ScaledProblem scaled(made.problem, *made.n);
    const ConeProduct cones(scaled);
    Vector w, y, u(scaled.size()), again(scaled.size()), found(cones.size());
    random_interior(random, cones, w, y);
    cones.transpose(y, u);
    cones.multiplier(u, -1e300, found); // no shift: half-lines and cones may be left
    cones.transpose(found, again);
    if (set.kind != FrictionKind::cylinder) { // whose second-order cone has a constant entry
      EXPECT_LT(distance(u, again), 1e-9 * norm(u)) << to_string(set);
    }
    cones.multiplier(u, 0.1, found);
    for (double value : found) EXPECT_TRUE(std::isfinite(value));
  }
}

TEST(NesterovTodd, ScalesBothSidesToTheSamePoint) {
  FeasibleProblems problems(9);
  RandomProblems random(10);
  for (const FrictionSet& set : all_sets) {
    const KktCase made =
        make_case(problems, {.friction = set, .equalities = 4, .bounded_rows = true});
    const ScaledProblem scaled(made.problem, *made.n);
    const ConeProduct cones(scaled);
    Vector w, y, back(cones.size()), scaled_w(cones.size());
    random_interior(random, cones, w, y);
    NesterovTodd scaling(cones);
    scaling.start(w, y);
    scaling.scale_primal(w, scaled_w); // T⁻¹ w = λ
    EXPECT_LT(distance(scaled_w, scaling.lambda()), 1e-9 * norm(scaling.lambda()));
    scaling.dual(back); // T⁻ᵀ λ = y, that is Tᵀ y = λ
    EXPECT_LT(distance(back, y), 1e-9 * norm(y));
    scaling.primal(back);
    EXPECT_LT(distance(back, w), 1e-9 * norm(w));
    EXPECT_NEAR(dot(w, y) / cones.degree(), scaling.duality_measure(), 1e-9 * dot(w, y));
  }
}

TEST(NesterovTodd, AdvancesLikeANewScaling) {
  FeasibleProblems problems(11);
  RandomProblems random(12);
  const KktCase made = make_case(problems, {.friction = {FrictionKind::cylinder}, .contacts = 20});
  const ScaledProblem scaled(made.problem, *made.n);
  const ConeProduct cones(scaled);
  Vector w, y, dw = random.vector(cones.size()), dy = random.vector(cones.size());
  random_interior(random, cones, w, y);
  NesterovTodd scaling(cones), fresh(cones);
  scaling.start(w, y);
  const double reach = std::min(scaling.largest_step(dw), scaling.largest_step(dy));
  ASSERT_TRUE(std::isfinite(reach));
  scaling.advance(0.9 * reach, dw, dy);
  scaling.primal(w);
  scaling.dual(y);
  fresh.start(w, y); // throws away the history: the same point, Hessian and measure
  EXPECT_NEAR(fresh.duality_measure(), scaling.duality_measure(), 1e-9 * fresh.duality_measure());
  Vector root(cones.layout().entry(cones.layout().blocks)), inverse(root.size()),
      other = root, other_inverse = root;
  scaling.hessian_root(root, inverse);
  fresh.hessian_root(other, other_inverse);
  for (Index c = 0; c < scaled.contacts(); ++c)
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        double a = 0, b = 0, unit = 0, size = 0;
        for (int k = 0; k < 3; ++k) {
          a += root[9 * c + 3 * k + i] * root[9 * c + 3 * k + j];
          b += other[9 * c + 3 * k + i] * other[9 * c + 3 * k + j];
          unit += root[9 * c + 3 * i + k] * inverse[9 * c + 3 * k + j];
          size = std::max(
              {size, std::abs(root[9 * c + 3 * k + i]), std::abs(root[9 * c + 3 * k + j])});
        }
        EXPECT_NEAR(a, b, 1e-6 * size * size);
        EXPECT_NEAR(unit, i == j ? 1 : 0, 1e-6);
      }
}

TEST(NesterovTodd, LargestStepEndsOnTheBoundary) {
  FeasibleProblems problems(13);
  RandomProblems random(14);
  const KktCase made = make_case(problems, {.contacts = 1});
  const ScaledProblem scaled(made.problem, *made.n);
  const ConeProduct cones(scaled);
  for (int trial = 0; trial < 50; ++trial) {
    Vector w, y, d = random.vector(cones.size());
    random_interior(random, cones, w, y);
    NesterovTodd scaling(cones);
    scaling.start(w, y);
    const double step = scaling.largest_step(d);
    if (!std::isfinite(step)) continue;
    const ConstSpan l = scaling.lambda();
    const double gap = l[0] + step * d[0] - std::hypot(l[1] + step * d[1], l[2] + step * d[2]);
    EXPECT_NEAR(0, gap, 1e-9 * (std::abs(l[0]) + step));
  }
}

/// |(N + H) dz − b| / |b| with N from the operator, on the entries that take part.
double residual_of(const ScaledProblem& scaled, const ConeProduct& cones, const Vector& root,
                   const Vector& b, const Vector& dz) {
  Vector image(scaled.size());
  scaled.product(dz, image);
  double sum = 0;
  for (Index block = 0; block < cones.layout().blocks; ++block) {
    const int n = cones.layout().size(block), m = cones.active()[block];
    const Index row = cones.layout().row(block);
    const double* r = &root[cones.layout().entry(block)];
    for (int i = 0; i < m; ++i) {
      double value = image[row + i] - b[row + i];
      for (int k = 0; k < m; ++k)
        for (int j = 0; j < m; ++j) value += r[n * k + i] * r[n * k + j] * dz[row + j];
      sum += value * value;
    }
  }
  return std::sqrt(sum) / norm(b);
}

TEST(KktSystem, SolvesTheSameSystemInEveryForm) {
  FeasibleProblems problems(15);
  RandomProblems random(16);
  for (const FrictionSet& set : all_sets)
    for (bool duplicated : {false, true})
      for (bool compliant : {false, true}) {
        ContactProblem problem = problems.make({.friction = set,
                                                .contacts = 10,
                                                .equalities = 5,
                                                .body_structure = !compliant,
                                                .duplicated = duplicated,
                                                .bounded_rows = compliant});
        if (compliant) problem.compliance = random.vector(problem.size(), 0, 0.5);
        const auto n = make_operator(problem);
        const ScaledProblem scaled(problem, *n);
        const ConeProduct cones(scaled);
        NesterovTodd scaling(cones);
        Vector w, y;
        random_interior(random, cones, w, y);
        scaling.start(w, y);
        Vector root(cones.layout().entry(cones.layout().blocks)), inverse(root.size());
        scaling.hessian_root(root, inverse);
        Vector b = random.vector(scaled.size()), dv, dz(scaled.size());
        for (Index block = 0; block < cones.layout().blocks; ++block)
          for (int i = cones.active()[block]; i < cones.layout().size(block); ++i)
            b[cones.layout().row(block) + i] = 0;
        // Duplicated joints make N + H singular: what they share can be solved, whatever b.
        if (duplicated) {
          const Vector z = random.vector(scaled.size());
          scaled.product(z, b);
          for (Index block = 0; block < cones.layout().blocks; ++block)
            for (int i = cones.active()[block]; i < cones.layout().size(block); ++i)
              b[cones.layout().row(block) + i] = 0;
        }
        for (KktForm form : {KktForm::augmented, KktForm::schur, KktForm::contact}) {
          SymmetricFactor factor;
          KktSystem kkt(scaled, cones.active(), form, factor);
          ASSERT_TRUE(kkt.factorise(root, inverse)) << to_string(form);
          const double claimed = kkt.solve({}, b, dv, dz);
          EXPECT_LT(claimed, 1e-8) << to_string(form) << " " << to_string(set) << duplicated;
          EXPECT_LT(residual_of(scaled, cones, root, b, dz), 1e-7)
              << to_string(form) << " " << to_string(set) << duplicated << compliant;
        }
      }
}

TEST(KktSystem, SolvesWithAMomentumRightHandSide) {
  FeasibleProblems problems(17);
  RandomProblems random(18);
  const KktCase made =
      make_case(problems, {.contacts = 10, .equalities = 3, .body_structure = true});
  const ScaledProblem scaled(made.problem, *made.n);
  const ConeProduct cones(scaled);
  NesterovTodd scaling(cones);
  Vector w, y;
  random_interior(random, cones, w, y);
  scaling.start(w, y);
  Vector root(cones.layout().entry(cones.layout().blocks)), inverse(root.size());
  scaling.hessian_root(root, inverse);
  Vector first_v, first_z;
  for (KktForm form : {KktForm::augmented, KktForm::schur}) {
    SymmetricFactor factor;
    KktSystem kkt(scaled, cones.active(), form, factor);
    ASSERT_TRUE(kkt.factorise(root, inverse));
    RandomProblems same(19);
    const Vector a = same.vector(kkt.dofs()), b = same.vector(scaled.size());
    Vector dv(kkt.dofs()), dz(scaled.size()), image(kkt.dofs());
    EXPECT_LT(kkt.solve(a, b, dv, dz), 1e-10);
    kkt.apply_mass(dv, dz, image);
    EXPECT_LT(distance(image, a), 1e-9 * norm(a));
    if (first_v.empty()) {
      first_v = dv;
      first_z = dz;
    }
    EXPECT_LT(distance(dv, first_v), 1e-7 * norm(dv));
    EXPECT_LT(distance(dz, first_z), 1e-6 * norm(dz));
  }
}

TEST(KktSystem, SaysWhatItCannotDo) {
  ContactProblem problem;
  LocalModel model;
  model.W = identity_matrix(3);
  model.q = {-1, 0, 0};
  problem.model = model;
  problem.mu = {0.5};
  const auto n = make_operator(problem);
  const ScaledProblem scaled(problem, *n);
  SymmetricFactor factor;
  EXPECT_THROW(KktSystem(scaled, {3}, KktForm::schur, factor), InvalidArgument);
  EXPECT_THROW(KktSystem(scaled, {3}, KktForm::augmented, factor), InvalidArgument);
  EXPECT_EQ(KktForm::contact, KktSystem(scaled, {3}, KktForm::automatic, factor).form());
}

} // namespace
} // namespace talus
