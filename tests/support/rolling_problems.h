#pragma once
// Random problems with rolling and spinning friction.

#include "support/random_problems.h"

namespace talus::test {

/// A rigid problem in space becomes one with moments: lengths up to `largest`, w of the angular
/// velocities about one in five not zero.
inline ContactProblem with_moments(ContactProblem problem, Random& random, double largest = 0.5) {
  auto& model = std::get<RigidModel>(problem.model);
  Vector w;
  for (Index c = 0; c < problem.contacts(); ++c) {
    w.insert(w.end(), &model.w[3 * c], &model.w[3 * c] + 3);
    for (int i = 0; i < 3; ++i)
      w.push_back(uniform(random, 0, 1) < 0.2 ? uniform(random, -0.5, 0.5) : 0.0);
    problem.rolling.push_back(uniform(random, 0, largest));
    problem.spinning.push_back(uniform(random, 0, largest));
  }
  model.w = w;
  problem.dimension = 6;
  problem.friction = {FrictionKind::rolling};
  return problem;
}

inline ContactProblem random_rolling_problem(Random& random, const RandomOptions& options = {},
                                             double largest = 0.5) {
  return with_moments(random_rigid_problem(random, options), random, largest);
}

/// Without the spinning moments: dimension 5, as a global model.
inline ContactProblem without_spinning(const ContactProblem& problem) {
  ContactProblem result = problem;
  GlobalModel model = to_global(problem);
  const auto kept = [](Index entry) { return entry % 6 != 5; };
  const auto place = [](Index entry) { return 5 * (entry / 6) + entry % 6; };
  std::vector<Triplet> entries;
  for (Index i = 0; i < model.H.rows; ++i)
    for (Index k = model.H.row_start[i]; k < model.H.row_start[i + 1]; ++k)
      if (kept(model.H.column[k]))
        entries.push_back({i, place(model.H.column[k]), model.H.value[k]});
  Vector w;
  for (std::size_t i = 0; i < model.w.size(); ++i)
    if (kept(static_cast<Index>(i))) w.push_back(model.w[i]);
  model.H = from_triplets(model.M.rows, static_cast<Index>(w.size()), std::move(entries));
  model.w = std::move(w);
  result.dimension = 5;
  result.spinning.clear();
  result.compliance.clear();
  result.model = std::move(model);
  return result;
}

/// Bodies in the plane with one rolling moment per contact: dimension 3, as a global model.
inline ContactProblem planar_rolling_problem(Random& random, int bodies = 5, int contacts = 8,
                                             double largest = 0.5) {
  ContactProblem problem = random_planar_problem(random, bodies, contacts);
  auto& model = std::get<GlobalModel>(problem.model);
  const SparseMatrix columns = transpose(model.H); // a row per impulse
  std::vector<Triplet> entries;
  Vector w;
  for (Index c = 0; c < contacts; ++c) {
    for (int i = 0; i < 2; ++i)
      for (Index k = columns.row_start[2 * c + i]; k < columns.row_start[2 * c + i + 1]; ++k)
        entries.push_back({columns.column[k], 3 * c + i, columns.value[k]});
    // The moment turns the bodies against each other.
    double sign = 1;
    for (Index k = columns.row_start[2 * c]; k < columns.row_start[2 * c + 1]; ++k) {
      if (columns.column[k] % 3 != 2) continue;
      entries.push_back({columns.column[k], 3 * c + 2, sign});
      sign = -1;
    }
    w.insert(w.end(), {model.w[2 * c], model.w[2 * c + 1], 0.0});
    problem.rolling.push_back(uniform(random, 0, largest));
  }
  model.H = from_triplets(3 * bodies, 3 * contacts, std::move(entries));
  model.w = std::move(w);
  problem.dimension = 3;
  problem.friction = {FrictionKind::rolling};
  return problem;
}

} // namespace talus::test
