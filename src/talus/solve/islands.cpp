#include "talus/solve/islands.h"

#include "talus/core/sparse_matrix.h"
#include "talus/problem/scaled/natural_map.h"

#include <numeric>

namespace talus {
namespace {

/// Disjoint sets; the smaller index represents a set.
class Sets {
public:
  explicit Sets(Index n) : parent_(n) { std::iota(parent_.begin(), parent_.end(), 0); }
  Index find(Index i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void join(Index a, Index b) {
    a = find(a);
    b = find(b);
    if (a < b)
      parent_[b] = a;
    else
      parent_[a] = b;
  }

private:
  std::vector<Index> parent_;
};

bool is_mobile(const RigidInverseMass& inverse) {
  double sum = inverse.mass;
  for (double entry : inverse.inertia) sum += entry * entry;
  return sum > 0;
}

// Sets hold the blocks first and then what connects them: bodies or degrees of freedom.

void join_parts(const ContactProblem& problem, const RigidModel& model, Sets& sets) {
  const Index contacts = problem.contacts(), blocks = contacts + problem.equalities();
  const auto join_body = [&](Index block, Index body) {
    if (body >= 0 && is_mobile(model.inverse_mass[body])) sets.join(block, blocks + body);
  };
  for (Index c = 0; c < contacts; ++c) {
    join_body(c, model.contact_bodies[c].a);
    join_body(c, model.contact_bodies[c].b);
  }
  for (Index j = 0; j < problem.equalities(); ++j) {
    join_body(contacts + j, model.row_bodies[j].a);
    join_body(contacts + j, model.row_bodies[j].b);
  }
}

/// Joins block_of_row(row) with node(column) for every entry of a.
template <class Left, class Right>
void join_entries(const SparseMatrix& a, Sets& sets, Left&& left, Right&& right) {
  for (Index row = 0; row < a.rows; ++row)
    for (Index k = a.row_start[row]; k < a.row_start[row + 1]; ++k)
      if (a.value[k] != 0) sets.join(left(row), right(a.column[k]));
}

void join_parts(const ContactProblem& problem, const GlobalModel& model, Sets& sets) {
  const Index contacts = problem.contacts(), blocks = contacts + problem.equalities();
  const int d = problem.dimension;
  const auto dof = [&](Index i) { return blocks + i; };
  join_entries(model.M, sets, dof, dof);
  join_entries(model.H, sets, dof, [&](Index i) { return i / d; });
  join_entries(model.G, sets, dof, [&](Index j) { return contacts + j; });
}

void join_parts(const ContactProblem& problem, const LocalModel& model, Sets& sets) {
  const Index contacts = problem.contacts();
  const int d = problem.dimension;
  const auto contact = [&](Index i) { return i / d; };
  const auto row = [&](Index j) { return contacts + j; };
  join_entries(model.W, sets, contact, contact);
  join_entries(model.V, sets, contact, row);
  join_entries(model.U, sets, row, contact);
  join_entries(model.R, sets, row, row);
}

Index connectors(const ContactProblem& problem) {
  if (const auto* rigid = std::get_if<RigidModel>(&problem.model))
    return static_cast<Index>(rigid->inverse_mass.size());
  if (const auto* global = std::get_if<GlobalModel>(&problem.model)) return global->M.rows;
  return 0;
}

/// The entries of the rows and columns that have a new number (-1: none).
SparseMatrix part_of(const SparseMatrix& a, const std::vector<Index>& rows,
                     const std::vector<Index>& new_column, Index columns) {
  if (a.empty() || rows.empty() || columns == 0)
    return zero_matrix(static_cast<Index>(rows.size()), columns);
  SparseMatrix part;
  part.rows = static_cast<Index>(rows.size());
  part.columns = columns;
  for (Index row : rows) {
    for (Index k = a.row_start[row]; k < a.row_start[row + 1]; ++k) {
      if (new_column[a.column[k]] < 0) continue;
      part.column.push_back(new_column[a.column[k]]);
      part.value.push_back(a.value[k]);
    }
    part.row_start.push_back(static_cast<Index>(part.value.size()));
  }
  return part;
}

template <class Value>
std::vector<Value> part_of(const std::vector<Value>& all, const std::vector<Index>& chosen) {
  std::vector<Value> part;
  if (all.empty()) return part;
  part.reserve(chosen.size());
  for (Index i : chosen) part.push_back(all[i]);
  return part;
}

std::vector<Index> entries_of(const std::vector<Index>& contacts, int dimension) {
  std::vector<Index> entries;
  entries.reserve(dimension * contacts.size());
  for (Index c : contacts)
    for (int i = 0; i < dimension; ++i) entries.push_back(dimension * c + i);
  return entries;
}

/// Gives the chosen entries their new numbers; the caller takes them back with `forget`.
void number(const std::vector<Index>& chosen, std::vector<Index>& new_index) {
  for (std::size_t k = 0; k < chosen.size(); ++k) new_index[chosen[k]] = static_cast<Index>(k);
}
void forget(const std::vector<Index>& chosen, std::vector<Index>& new_index) {
  for (Index i : chosen) new_index[i] = -1;
}

// A splitter keeps the numbering arrays, so that splitting costs the size of the problem and not
// that times the number of islands.

class RigidSplitter {
public:
  RigidSplitter(const ContactProblem& problem, const RigidModel& model, Sets&, Index)
      : model_(model), dimension_(problem.dimension), new_body_(model.inverse_mass.size(), -1) {}

  RigidModel operator()(const Island& island) {
    RigidModel part;
    std::vector<Index> bodies;
    const auto renumber = [&](BodyPair pair) {
      for (Index* body : {&pair.a, &pair.b}) {
        if (*body < 0) continue;
        if (new_body_[*body] < 0) {
          new_body_[*body] = static_cast<Index>(bodies.size());
          bodies.push_back(*body);
        }
        *body = new_body_[*body];
      }
      return pair;
    };
    for (Index c : island.contacts)
      part.contact_bodies.push_back(renumber(model_.contact_bodies[c]));
    for (Index j : island.rows) part.row_bodies.push_back(renumber(model_.row_bodies[j]));
    part.contacts = part_of(model_.contacts, island.contacts);
    part.rows = part_of(model_.rows, island.rows);
    part.w = part_of(model_.w, entries_of(island.contacts, dimension_));
    part.b = part_of(model_.b, island.rows);
    part.inverse_mass = part_of(model_.inverse_mass, bodies);
    part.free_velocity = part_of(model_.free_velocity, entries_of(bodies, 6));
    forget(bodies, new_body_);
    return part;
  }

private:
  const RigidModel& model_;
  int dimension_;
  std::vector<Index> new_body_;
};

class GlobalSplitter {
public:
  GlobalSplitter(const ContactProblem& problem, const GlobalModel& model, Sets& sets, Index blocks)
      : model_(model), dimension_(problem.dimension), new_dof_(model.M.rows, -1),
        new_column_(model.H.columns, -1), new_row_(model.G.columns, -1),
        dofs_(static_cast<std::size_t>(blocks) + model.M.rows) {
    for (Index i = 0; i < model.M.rows; ++i) dofs_[sets.find(blocks + i)].push_back(i);
    for (Index block = 0; block < blocks; ++block) representative_.push_back(sets.find(block));
  }

  GlobalModel operator()(const Island& island) {
    const Index block = island.contacts.empty()
                            ? static_cast<Index>(new_column_.size()) / dimension_ + island.rows[0]
                            : island.contacts[0];
    const std::vector<Index>& dofs = dofs_[representative_[block]];
    const std::vector<Index> columns = entries_of(island.contacts, dimension_);
    number(dofs, new_dof_);
    number(columns, new_column_);
    number(island.rows, new_row_);
    GlobalModel part;
    part.M = part_of(model_.M, dofs, new_dof_, static_cast<Index>(dofs.size()));
    part.H = part_of(model_.H, dofs, new_column_, static_cast<Index>(columns.size()));
    if (!island.rows.empty())
      part.G = part_of(model_.G, dofs, new_row_, static_cast<Index>(island.rows.size()));
    part.f = part_of(model_.f, dofs);
    part.w = part_of(model_.w, columns);
    part.b = part_of(model_.b, island.rows);
    forget(dofs, new_dof_);
    forget(columns, new_column_);
    forget(island.rows, new_row_);
    return part;
  }

private:
  const GlobalModel& model_;
  int dimension_;
  std::vector<Index> new_dof_, new_column_, new_row_, representative_;
  std::vector<std::vector<Index>> dofs_; ///< Of each set, by its representative.
};

class LocalSplitter {
public:
  LocalSplitter(const ContactProblem& problem, const LocalModel& model, Sets&, Index)
      : model_(model), dimension_(problem.dimension), new_entry_(model.W.rows, -1),
        new_row_(problem.equalities(), -1) {}

  LocalModel operator()(const Island& island) {
    const std::vector<Index> entries = entries_of(island.contacts, dimension_);
    const Index size = static_cast<Index>(entries.size()),
                rows = static_cast<Index>(island.rows.size());
    number(entries, new_entry_);
    number(island.rows, new_row_);
    LocalModel part;
    part.W = part_of(model_.W, entries, new_entry_, size);
    part.q = part_of(model_.q, entries);
    if (rows > 0) {
      part.V = part_of(model_.V, entries, new_row_, rows);
      part.R = part_of(model_.R, island.rows, new_row_, rows);
      part.s = part_of(model_.s, island.rows);
      if (!model_.U.empty()) part.U = part_of(model_.U, island.rows, new_entry_, size);
    }
    forget(entries, new_entry_);
    forget(island.rows, new_row_);
    return part;
  }

private:
  const LocalModel& model_;
  int dimension_;
  std::vector<Index> new_entry_, new_row_;
};

template <class Model>
struct SplitterOf;
template <>
struct SplitterOf<RigidModel> {
  using Type = RigidSplitter;
};
template <>
struct SplitterOf<GlobalModel> {
  using Type = GlobalSplitter;
};
template <>
struct SplitterOf<LocalModel> {
  using Type = LocalSplitter;
};

Sets connected_sets(const ContactProblem& problem) {
  Sets sets(problem.contacts() + problem.equalities() + connectors(problem));
  std::visit([&](const auto& model) { join_parts(problem, model, sets); }, problem.model);
  return sets;
}

/// Everything that is the same for all models.
ContactProblem common_part(const ContactProblem& whole, const Island& island) {
  ContactProblem part;
  part.dimension = whole.dimension;
  part.friction = whole.friction;
  part.law = whole.law;
  part.mu = part_of(whole.mu, island.contacts);
  part.rolling = part_of(whole.rolling, island.contacts);
  part.spinning = part_of(whole.spinning, island.contacts);
  part.normal_estimate = part_of(whole.normal_estimate, island.contacts);
  part.row_lower = part_of(whole.row_lower, island.rows);
  part.row_upper = part_of(whole.row_upper, island.rows);
  if (!whole.compliance.empty()) {
    std::vector<Index> entries = entries_of(island.contacts, whole.dimension);
    for (Index j : island.rows) entries.push_back(whole.impulses() + j);
    part.compliance = part_of(whole.compliance, entries);
  }
  return part;
}

} // namespace

Islands find_islands(const ContactProblem& problem) {
  Sets sets = connected_sets(problem);
  const Index blocks = problem.contacts() + problem.equalities();
  Islands islands;
  islands.of_block.assign(blocks, -1);
  std::vector<Index> number_of(blocks + connectors(problem), -1);
  for (Index block = 0; block < blocks; ++block) {
    Index& island = number_of[sets.find(block)];
    if (island < 0) island = islands.count++;
    islands.of_block[block] = island;
  }
  return islands;
}

std::vector<Island> split(const ContactProblem& problem, const Islands& islands,
                          const std::vector<bool>& wanted) {
  std::vector<Index> place(islands.count, -1);
  Index count = 0;
  for (Index i = 0; i < islands.count; ++i)
    if (wanted[i]) place[i] = count++;
  std::vector<Island> parts(count);
  for (Index c = 0; c < problem.contacts(); ++c)
    if (const Index part = place[islands.of_block[c]]; part >= 0) parts[part].contacts.push_back(c);
  for (Index j = 0; j < problem.equalities(); ++j)
    if (const Index part = place[islands.of_block[problem.contacts() + j]]; part >= 0)
      parts[part].rows.push_back(j);
  Sets sets = connected_sets(problem);
  std::visit(
      [&](const auto& model) {
        using Model = std::decay_t<decltype(model)>;
        typename SplitterOf<Model>::Type splitter(problem, model, sets,
                                                  problem.contacts() + problem.equalities());
        for (Island& island : parts) {
          island.problem = common_part(problem, island);
          island.problem.model = splitter(island);
        }
      },
      problem.model);
  return parts;
}

IslandResiduals island_residuals(const ScaledProblem& problem, const Islands& islands, ConstSpan z,
                                 ConstSpan u) {
  Vector f(problem.size());
  natural_map(problem, {}, z, u, f);
  IslandResiduals result{Vector(islands.count, 0.0), std::vector<Index>(islands.count, 0)};
  const int d = problem.dimension();
  for (Index i = 0; i < problem.size(); ++i) {
    const Index block = i < d * problem.contacts() ? i / d : i - (d - 1) * problem.contacts();
    result.squared[islands.of_block[block]] += f[i] * f[i];
  }
  for (Index island : islands.of_block) ++result.blocks[island];
  return result;
}

void gather(const ContactProblem& whole, const Island& island, ConstSpan x, Span part) {
  std::size_t at = 0;
  for (Index c : island.contacts)
    for (int i = 0; i < whole.dimension; ++i) part[at++] = x[whole.dimension * c + i];
  for (Index j : island.rows) part[at++] = x[whole.impulses() + j];
}

void scatter(const ContactProblem& whole, const Island& island, ConstSpan part, Span x) {
  std::size_t at = 0;
  for (Index c : island.contacts)
    for (int i = 0; i < whole.dimension; ++i) x[whole.dimension * c + i] = part[at++];
  for (Index j : island.rows) x[whole.impulses() + j] = part[at++];
}

} // namespace talus
