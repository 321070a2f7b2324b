// Writing FCLIB files: int32 and float64, uncompressed, as Siconos and libfclib expect them.

#include "talus/contact/set_traits.h"
#include "talus/core/error.h"
#include "talus/core/files/atomic_file.h"
#include "talus/core/files/hdf5_file.h"
#include "talus/problem/files/fclib_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace talus {

namespace {

constexpr Index compressed_rows = -2; ///< In the field nz; a number >= 0 counts triplets.

void write_matrix_header(Hdf5File& file, const std::string& group, const SparseMatrix& a,
                         Index nz) {
  file.write_value<Index>(group + "/nzmax", a.nonzeros());
  file.write_value<Index>(group + "/m", a.rows);
  file.write_value<Index>(group + "/n", a.columns);
  file.write_value<Index>(group + "/nz", nz);
}

void write_compressed_rows(Hdf5File& file, const std::string& group, const SparseMatrix& a) {
  write_matrix_header(file, group, a, compressed_rows);
  file.write<Index>(group + "/p", a.row_start);
  file.write<Index>(group + "/i", a.column);
  file.write<double>(group + "/x", a.value);
}

/// Triplets, since the global reader of Siconos knows nothing else.
void write_triplets(Hdf5File& file, const std::string& group, const SparseMatrix& a) {
  std::vector<Index> row(a.value.size());
  for (Index i = 0; i < a.rows; ++i)
    std::fill(row.begin() + a.row_start[i], row.begin() + a.row_start[i + 1], i);
  write_matrix_header(file, group, a, a.nonzeros());
  file.write<Index>(group + "/p", a.column);
  file.write<Index>(group + "/i", row);
  file.write<double>(group + "/x", a.value);
}

/// A matrix without rows or columns may be default-constructed; the file wants its real size.
SparseMatrix sized(const SparseMatrix& a, Index rows, Index columns) {
  return a.empty() ? zero_matrix(rows, columns) : a;
}

SparseMatrix add_diagonal(const SparseMatrix& a, ConstSpan diagonal) {
  std::vector<Triplet> entries;
  for (Index i = 0; i < a.rows; ++i) {
    for (Index k = a.row_start[i]; k < a.row_start[i + 1]; ++k)
      entries.push_back({i, a.column[k], a.value[k]});
    if (diagonal[i] != 0) entries.push_back({i, i, diagonal[i]});
  }
  return from_triplets(a.rows, a.columns, std::move(entries));
}

bool same(const SparseMatrix& a, const SparseMatrix& b) {
  return a.rows == b.rows && a.columns == b.columns && a.row_start == b.row_start &&
         a.column == b.column && a.value == b.value;
}

/// The group of the problem: "/fclib_local" or "/fclib_global", "_rolling" behind with moments.
std::string root_of(const ContactProblem& problem) {
  const std::string root =
      std::holds_alternative<LocalModel>(problem.model) ? "/fclib_local" : "/fclib_global";
  return has_moments(problem.friction.kind) ? root + "_rolling" : root;
}

void write_local(Hdf5File& file, const ContactProblem& problem, const LocalModel& model) {
  const std::string root = root_of(problem);
  const Index impulses = problem.impulses(), equalities = problem.equalities();
  SparseMatrix W = sized(model.W, impulses, impulses), R = sized(model.R, equalities, equalities);
  if (!problem.compliance.empty()) {
    const ConstSpan compliance = problem.compliance;
    W = add_diagonal(W, compliance.first(impulses));
    R = add_diagonal(R, compliance.last(equalities));
  }
  write_compressed_rows(file, root + "/W", W);
  file.write<double>(root + "/vectors/q", model.q);
  if (equalities == 0) return;
  write_triplets(file, root + "/V", sized(model.V, impulses, equalities));
  write_triplets(file, root + "/R", R);
  file.write<double>(root + "/vectors/s", model.s);
}

/// `a` with more rows below: for each entry i of `columns` one with a 1 in that column.
SparseMatrix with_unit_rows(SparseMatrix a, const std::vector<Index>& columns) {
  for (const Index column : columns) {
    a.column.push_back(column);
    a.value.push_back(1);
    a.row_start.push_back(a.nonzeros());
    ++a.rows;
  }
  return a;
}

/// Positions of the entries that differ from zero.
std::vector<Index> nonzero_entries(ConstSpan x) {
  std::vector<Index> positions;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (x[i] != 0) positions.push_back(static_cast<Index>(i));
  return positions;
}

/// Compliance as degrees of freedom: a mass 1/Eᵢ that only the impulse xᵢ moves adds Eᵢ to the
/// diagonal of N = Dᵀ M⁻¹ D.
GlobalModel with_springs(GlobalModel model, const ContactProblem& problem) {
  const Index impulses = problem.impulses(), equalities = problem.equalities();
  const ConstSpan compliance = problem.compliance;
  const auto of_contacts = nonzero_entries(compliance.first(impulses));
  const auto of_rows = nonzero_entries(compliance.last(equalities));
  const auto add_empty_rows = [](SparseMatrix& a, std::size_t count) {
    a.row_start.resize(a.row_start.size() + count, a.nonzeros());
    a.rows += static_cast<Index>(count);
  };
  SparseMatrix H = sized(model.H, model.M.rows, impulses);
  SparseMatrix G = sized(model.G, model.M.rows, equalities);
  model.H = with_unit_rows(std::move(H), of_contacts);
  add_empty_rows(model.H, of_rows.size());
  add_empty_rows(G, of_contacts.size());
  model.G = with_unit_rows(std::move(G), of_rows);
  for (const Index i : nonzero_entries(compliance)) {
    model.M.column.push_back(model.M.columns++);
    model.M.value.push_back(1 / compliance[i]);
    model.M.row_start.push_back(model.M.nonzeros());
    ++model.M.rows;
    model.f.push_back(0);
  }
  return model;
}

/// Eᵢ xᵢ behind the velocities of the bodies; none at all where impulses are not known.
void append_spring_velocities(const FclibSolution& solution, const ContactProblem& problem,
                              Vector& v) {
  Vector x = solution.r;
  x.insert(x.end(), solution.l.begin(), solution.l.end());
  if (x.size() != static_cast<std::size_t>(problem.size())) {
    v.clear();
    return;
  }
  for (const Index i : nonzero_entries(problem.compliance))
    v.push_back(problem.compliance[i] * x[i]);
}

void write_global(Hdf5File& file, const ContactProblem& problem, const GlobalModel& model) {
  const std::string root = root_of(problem);
  write_triplets(file, root + "/M", model.M);
  write_triplets(file, root + "/H", sized(model.H, model.M.rows, problem.impulses()));
  file.write<double>(root + "/vectors/f", model.f);
  file.write<double>(root + "/vectors/w", model.w);
  if (problem.equalities() == 0) return;
  write_triplets(file, root + "/G", sized(model.G, model.M.rows, problem.equalities()));
  file.write<double>(root + "/vectors/b", model.b);
}

Index mobile_bodies(const RigidModel& model) {
  Index count = 0, last = -1;
  for (const Index dof : mobile_dofs(model))
    if (dof / 6 != last) last = dof / 6, ++count;
  return count;
}

void write_model(Hdf5File& file, const ContactProblem& problem, const std::string& info) {
  if (const auto* local = std::get_if<LocalModel>(&problem.model)) {
    write_local(file, problem, *local);
    return;
  }
  GlobalModel global = to_global(problem);
  if (!problem.compliance.empty()) global = with_springs(std::move(global), problem);
  write_global(file, problem, global);
  file.write_attribute<Index>(info, "numberOfDegreeOfFreedom", global.M.rows);
  if (const auto* rigid = std::get_if<RigidModel>(&problem.model))
    file.write_attribute<Index>(info, "numberOfInvolvedDS", mobile_bodies(*rigid));
}

/// Vectors that are not given become datasets without content: libfclib, when asked for a solution,
/// ends the program if one of them does not exist.
void write_solution(Hdf5File& file, const std::string& group, const FclibSolution& solution,
                    const ContactProblem& problem) {
  Vector v = solution.v;
  std::size_t dofs = problem.dofs();
  if (const auto* rigid = std::get_if<RigidModel>(&problem.model)) {
    const std::vector<Index> mobile = mobile_dofs(*rigid);
    dofs = mobile.size();
    if (!v.empty()) {
      for (std::size_t k = 0; k < dofs; ++k) v[k] = v[mobile[k]];
      v.resize(dofs);
    }
  }
  if (!std::holds_alternative<LocalModel>(problem.model)) {
    dofs += nonzero_entries(problem.compliance).size();
    if (!v.empty()) append_spring_velocities(solution, problem, v);
  }
  file.make_group(group);
  const auto write = [&](const char* name, const Vector& x, std::size_t entries) {
    const std::string dataset = group + "/" + name;
    if (!x.empty())
      file.write<double>(dataset, x);
    else if (entries > 0)
      file.make_unfilled<double>(dataset, entries);
  };
  write("v", v, dofs);
  write("u", solution.u, problem.impulses());
  write("r", solution.r, problem.impulses());
  write("l", solution.l, problem.equalities());
}

bool is_empty(const FclibSolution& solution) {
  return solution.v.empty() && solution.u.empty() && solution.r.empty() && solution.l.empty();
}

void check_solution(const FclibSolution& solution, const ContactProblem& problem,
                    const std::string& what) {
  const auto check = [&](const Vector& x, Index entries, const char* name) {
    if (!x.empty() && x.size() != static_cast<std::size_t>(entries))
      throw InvalidProblem(
          fmt::format("{} of the {} has {} entries; {} are needed", name, what, x.size(), entries));
    if (!std::all_of(x.begin(), x.end(), [](double value) { return std::isfinite(value); }))
      throw InvalidProblem(fmt::format("{} of the {} is not finite", name, what));
  };
  check(solution.v, problem.dofs(), "v");
  check(solution.u, problem.impulses(), "u");
  check(solution.r, problem.impulses(), "r");
  check(solution.l, problem.equalities(), "l");
}

/// What the format has no place for is refused before a file is touched.
void check_expressible(const FclibFile& file) {
  const ContactProblem& problem = file.problem;
  validate(problem);
  if (problem.dimension == 1)
    throw InvalidProblem("FCLIB files hold contacts of 2 or 3 components (3, 5 or 6 with moments); "
                         "a complementarity "
                         "problem has no place there");
  if (const auto* local = std::get_if<LocalModel>(&problem.model)) {
    if (!local->U.empty() && !same(local->U, transpose(local->V)))
      throw InvalidProblem("FCLIB files have no place for a coupling U that is not the transpose "
                           "of V");
  }
  const auto is_bound = [](double bound) { return std::isfinite(bound); };
  if (std::any_of(problem.row_lower.begin(), problem.row_lower.end(), is_bound) ||
      std::any_of(problem.row_upper.begin(), problem.row_upper.end(), is_bound))
    throw InvalidProblem("FCLIB files have no place for bounds on the multipliers of equality rows "
                         "(joint limits, motors of limited strength)");
  check_solution(file.solution, problem, "solution");
  for (std::size_t k = 0; k < file.guesses.size(); ++k)
    check_solution(file.guesses[k], problem, fmt::format("guess {}", k + 1));
}

} // namespace

void write_fclib(const std::string& path, const FclibFile& content) {
  check_expressible(content);
  const ContactProblem& problem = content.problem;
  AtomicFile target(path);
  Hdf5File file = Hdf5File::create(target);
  const std::string root = root_of(problem);
  file.write_value<Index>(root + "/spacedim", problem.dimension);
  file.write_string(root + "/info/title", problem.title);
  file.write_string(root + "/info/description", problem.description);
  file.write_string(root + "/info/math_info", problem.math_info);
  write_model(file, problem, root + "/info");
  file.write<double>(root + "/vectors/mu", problem.mu);
  if (has_moments(problem.friction.kind)) {
    file.write<double>(root + "/vectors/mu_r", problem.rolling);
    if (problem.dimension == 6) file.write<double>(root + "/vectors/mu_s", problem.spinning);
  }
  if (!is_empty(content.solution)) write_solution(file, "/solution", content.solution, problem);
  if (!content.guesses.empty()) {
    file.write_value<Index>("/guesses/number_of_guesses",
                            static_cast<Index>(content.guesses.size()));
    for (std::size_t k = 0; k < content.guesses.size(); ++k)
      write_solution(file, fmt::format("/guesses/{}", k + 1), content.guesses[k], problem);
  }
  file.close();
  target.commit();
}

} // namespace talus
