#include "talus/core/error.h"
#include "talus/problem/delassus/body_operator.h"
#include "talus/problem/delassus/body_structure.h"
#include "talus/problem/delassus/delassus.h"
#include "talus/problem/delassus/explicit_operator.h"
#include "talus/problem/delassus/sparse_operator.h"

namespace talus {
namespace {

template <int B, int D>
std::unique_ptr<DelassusOperator> bodies_of(const ContactProblem& problem,
                                            const GlobalModel& model) {
  auto layout = recognise_bodies<B, D>(model);
  if (!layout) return nullptr;
  return std::make_unique<BodyOperator<BlockLayout<B, D>>>(problem, std::move(*layout));
}

std::unique_ptr<DelassusOperator> bodies_of(const ContactProblem& problem,
                                            const GlobalModel& model) {
  if (problem.has_moments()) return nullptr;
  if (problem.dimension == 3) return bodies_of<6, 3>(problem, model);
  if (problem.dimension == 2) return bodies_of<3, 2>(problem, model);
  return nullptr;
}

std::unique_ptr<DelassusOperator> operator_of(const ContactProblem& problem,
                                              const LocalModel& model, OperatorStorage face) {
  if (face == OperatorStorage::sparse || face == OperatorStorage::bodies)
    throw InvalidProblem("a local problem has only the explicit face: it does not know M and H");
  return make_explicit_operator(problem, model);
}

std::unique_ptr<DelassusOperator> operator_of(const ContactProblem& problem,
                                              const GlobalModel& model, OperatorStorage face) {
  if (face == OperatorStorage::explicit_matrix)
    return make_explicit_operator(problem, eliminate_velocities(model));
  if (face == OperatorStorage::sparse) return make_sparse_operator(problem, model);
  if (auto bodies = bodies_of(problem, model)) return bodies;
  if (face == OperatorStorage::bodies)
    throw InvalidProblem(
        "no body structure: M must consist of 6 x 6 blocks (3 x 3 in the plane) and a "
        "contact must touch at most two of them");
  return make_sparse_operator(problem, model);
}

std::unique_ptr<DelassusOperator> operator_of(const ContactProblem& problem,
                                              const RigidModel& model, OperatorStorage face) {
  const bool bodies = face == OperatorStorage::automatic || face == OperatorStorage::bodies;
  if (bodies && problem.dimension == RollingLayout::dimension)
    return std::make_unique<BodyOperator<RollingLayout>>(problem, RollingLayout(problem, model));
  if (bodies) return std::make_unique<BodyOperator<RigidLayout>>(problem, RigidLayout(model));
  if (face == OperatorStorage::explicit_matrix)
    return make_explicit_operator(problem, eliminate_velocities(to_global(problem)));
  throw InvalidProblem(
      "a rigid problem has the faces bodies and explicit; convert it with to_global "
      "for the sparse one");
}

} // namespace

std::unique_ptr<DelassusOperator> make_operator(const ContactProblem& problem,
                                                OperatorStorage face) {
  return std::visit([&](const auto& model) { return operator_of(problem, model, face); },
                    problem.model);
}

} // namespace talus
