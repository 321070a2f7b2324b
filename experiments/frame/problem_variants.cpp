#include "problem_variants.h"

namespace talus::experiments {
namespace {

/// Rows and columns of a matrix by their new place; -1 leaves them out.
SparseMatrix part_of(const SparseMatrix& a, const std::vector<Index>& row_place, Index rows,
                     const std::vector<Index>& column_place, Index columns) {
  std::vector<Triplet> entries;
  for (Index i = 0; i < a.rows; ++i)
    for (Index k = a.row_start[i]; k < a.row_start[i + 1]; ++k) {
      const Index row = row_place[i], column = column_place[a.column[k]];
      if (row >= 0 && column >= 0) entries.push_back({row, column, a.value[k]});
    }
  return from_triplets(rows, columns, std::move(entries));
}

Vector part_of(const Vector& x, const std::vector<Index>& place, Index size) {
  Vector part(size);
  for (std::size_t i = 0; i < x.size(); ++i)
    if (place[i] >= 0) part[place[i]] = x[i];
  return part;
}

/// Numbers what is kept, in order.
template <class Keep>
std::vector<Index> places(Index size, Index& kept, const Keep& keep) {
  std::vector<Index> place(size, -1);
  kept = 0;
  for (Index i = 0; i < size; ++i)
    if (keep(i)) place[i] = kept++;
  return place;
}

GlobalModel part_of(const GlobalModel& model, const std::vector<Index>& dof_place, Index dofs,
                    const std::vector<Index>& row_place, Index rows) {
  return {part_of(model.M, dof_place, dofs, dof_place, dofs),
          part_of(model.H, dof_place, dofs, row_place, rows),
          part_of(model.f, dof_place, dofs),
          part_of(model.w, row_place, rows),
          {},
          {}};
}

} // namespace

ContactProblem without_friction(ContactProblem problem) {
  problem.friction = {FrictionKind::none};
  problem.law = Law::associated;
  return problem;
}

ContactProblem normal_rows(const ContactProblem& problem,
                           const std::function<bool(Index contact)>& keep) {
  const GlobalModel space = to_global(problem);
  Index dofs = 0, rows = 0;
  const auto dof_place = places(space.M.rows, dofs, [](Index) { return true; });
  const auto row_place = places(problem.impulses(), rows, [&](Index row) {
    return row % 3 == 0 && (!keep || keep(row / 3));
  });
  ContactProblem normal;
  normal.dimension = 1;
  normal.mu.assign(rows, 0.0);
  normal.model = part_of(space, dof_place, dofs, row_place, rows);
  return without_friction(std::move(normal));
}

ContactProblem in_plane(const ContactProblem& rigid) {
  const RigidModel& bodies = std::get<RigidModel>(rigid.model);
  const std::vector<Index> mobile = mobile_dofs(bodies);
  Index dofs = 0, rows = 0;
  const auto dof_place = places(static_cast<Index>(mobile.size()), dofs, [&](Index i) {
    const Index axis = mobile[i] % 6; // (vx, vy, vz, ωx, ωy, ωz)
    return axis == 0 || axis == 2 || axis == 4;
  });
  // The frames of a planar world are (normal, normal of the plane, the rest).
  const auto row_place = places(rigid.impulses(), rows, [](Index row) { return row % 3 != 1; });
  ContactProblem planar;
  planar.dimension = 2;
  planar.mu = rigid.mu;
  planar.friction = {FrictionKind::pyramid};
  planar.model = part_of(to_global(rigid), dof_place, dofs, row_place, rows);
  return planar;
}

} // namespace talus::experiments
