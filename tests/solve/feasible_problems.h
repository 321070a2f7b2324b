#pragma once
// Random problems that have a solution: the free velocities are chosen so that some velocity v0
// satisfies every constraint (the existence criterion of Acary, Cadoux, Lemaréchal, Malick 2011),
// however redundant, heavy, light, slippery or rough the contacts are.

#include "support/random_models.h"
#include "talus/contact/contact_set.h"

#include <cmath>
#include <limits>

namespace talus::test {

struct ProblemTraits {
  int dimension = 3;
  FrictionSet friction = {};
  Law law = Law::coulomb;
  Index contacts = 6, equalities = 0;
  bool body_structure = false; ///< Six degrees of freedom per body, two bodies per contact.
  bool duplicated = false;     ///< Every contact and row twice.
  bool bounded_rows = false;   ///< Joint limits and motors of limited strength.
  double mass_ratio = 1;
  double mu = -1; ///< Of every contact; negative: random in [0, 1].
};

class FeasibleProblems {
public:
  explicit FeasibleProblems(unsigned seed) : random_(seed) {}

  ContactProblem make(const ProblemTraits& traits) {
    ContactProblem problem = frame(traits);
    auto& model = std::get<GlobalModel>(problem.model);
    spread_masses(model, traits);
    if (traits.duplicated) duplicate(problem);
    problem.friction = traits.friction;
    problem.law = traits.law;
    if (traits.mu >= 0) problem.mu.assign(problem.mu.size(), traits.mu);
    if (has_fixed_bound(traits.friction.kind))
      problem.normal_estimate = random_.vector(problem.mu.size(), 0, 2);
    if (traits.bounded_rows) bound_rows(problem);
    make_feasible(problem);
    return problem;
  }

private:
  ContactProblem frame(const ProblemTraits& traits) {
    if (traits.body_structure) {
      ContactProblem problem =
          random_.rigid(2 + traits.contacts / 2, traits.contacts, traits.equalities);
      problem.model = to_global(problem);
      return problem;
    }
    const Index rows = traits.dimension * traits.contacts + traits.equalities;
    ContactProblem problem =
        random_.global(traits.dimension, traits.contacts, rows + 4, traits.equalities);
    for (auto* jacobian :
         {&std::get<GlobalModel>(problem.model).H, &std::get<GlobalModel>(problem.model).G})
      make_columns_nonzero(*jacobian);
    return problem;
  }

  /// Impulses that move nothing are not part of a problem.
  void make_columns_nonzero(SparseMatrix& a) {
    if (a.empty()) return;
    std::vector<Triplet> entries;
    for (Index i = 0; i < a.rows; ++i)
      for (Index k = a.row_start[i]; k < a.row_start[i + 1]; ++k)
        entries.push_back({i, a.column[k], a.value[k]});
    for (Index j = 0; j < a.columns; ++j)
      entries.push_back({random_.integer(0, a.rows - 1), j, random_.number(0.5, 1)});
    a = from_triplets(a.rows, a.columns, std::move(entries));
  }

  /// M -> S M S with S constant on each body, so that masses differ by up to mass_ratio.
  void spread_masses(GlobalModel& model, const ProblemTraits& traits) {
    const int body = traits.body_structure ? 6 : 1;
    Vector scale(model.M.rows);
    for (Index i = 0; i < model.M.rows; ++i)
      scale[i] =
          i % body == 0 ? std::pow(traits.mass_ratio, random_.number(-0.25, 0.25)) : scale[i - 1];
    for (Index i = 0; i < model.M.rows; ++i)
      for (Index k = model.M.row_start[i]; k < model.M.row_start[i + 1]; ++k)
        model.M.value[k] *= scale[i] * scale[model.M.column[k]];
  }

  static void duplicate(ContactProblem& problem) {
    auto& model = std::get<GlobalModel>(problem.model);
    model.H = join_columns(model.H, model.H);
    model.w.resize(2 * model.w.size());
    problem.mu.insert(problem.mu.end(), problem.mu.begin(), problem.mu.end());
    if (model.G.empty()) return;
    model.G = join_columns(model.G, model.G);
    model.b.resize(2 * model.b.size());
  }

  void bound_rows(ContactProblem& problem) {
    const double infinity = std::numeric_limits<double>::infinity();
    for (Index j = 0; j < problem.equalities(); ++j) {
      const double strength = random_.number(0.1, 1);
      const int kind = j % 3;
      problem.row_lower.push_back(kind == 0 ? 0 : kind == 1 ? -strength : -infinity);
      problem.row_upper.push_back(kind == 1 ? strength : infinity);
    }
  }

  void make_feasible(ContactProblem& problem) {
    auto& model = std::get<GlobalModel>(problem.model);
    const Vector v0 = random_.vector(model.M.rows);
    const int d = problem.dimension;
    multiply(transpose(model.H), v0, model.w);
    for (double& value : model.w) value = -value;
    for (Index c = 0; c < problem.contacts(); ++c) {
      double slack[3] = {0, 0, 0};
      for (int i = 1; i < d; ++i) slack[i] = random_.number(-0.1, 0.1);
      ContactSet set{problem.friction, d, problem.mu[c], 0};
      slack[0] = random_.number(0, 1) < 0.3 ? 0.5 : 0.01;
      if (is_cone_shaped(problem.friction.kind)) slack[0] += tilt(set, slack);
      for (int i = 0; i < d; ++i) model.w[d * c + i] += slack[i];
    }
    if (model.G.empty()) return;
    multiply(transpose(model.G), v0, model.b);
    for (double& value : model.b) value = -value;
  }

  RandomProblems random_;
};

} // namespace talus::test
