#include "talus/solve/central_path/central_path_cones.h"

#include <algorithm>
#include <cmath>

namespace talus {

std::string path_refusal(const ContactProblem& problem) {
  const FrictionKind kind = problem.friction.kind;
  if (problem.dimension > 1 && kind != FrictionKind::none &&
      !(is_cone_shaped(kind) && (problem.dimension == 2 || kind == FrictionKind::cone)))
    return "sets that are not a second-order cone";
  for (std::size_t j = 0; j < problem.row_upper.size(); ++j)
    if (std::isfinite(problem.row_upper[j])) return "rows with an upper bound";
  return "";
}

std::vector<PathCone> path_cones(const ScaledProblem& problem) {
  // Below, friction is too weak to be told from none.
  constexpr double least_friction = 1e-8;
  std::vector<PathCone> cones;
  const int d = problem.dimension();
  const bool frictionless = problem.problem().friction.kind == FrictionKind::none || d == 1;
  for (Index c = 0; c < problem.contacts(); ++c) {
    const double mu = problem.problem().mu[c];
    if (frictionless || mu < least_friction)
      cones.push_back({d * c, 1});
    else
      cones.push_back({d * c, d, std::sqrt(mu), 1 / std::sqrt(mu)});
  }
  for (Index j = 0; j < problem.equalities(); ++j) {
    const Index row = d * problem.contacts() + j;
    if (problem.is_free_row(j))
      cones.push_back({row, 0});
    else
      cones.push_back({row, 1, 1, 1, problem.project_row(j, -HUGE_VAL)});
  }
  return cones;
}

double number_of_cones(const std::vector<PathCone>& cones) {
  return static_cast<double>(std::count_if(cones.begin(), cones.end(),
                                           [](const PathCone& cone) { return cone.size > 0; }));
}

} // namespace talus
