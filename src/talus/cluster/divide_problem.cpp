#include "talus/cluster/divide_problem.h"

#include "talus/cluster/problem_parts.h"
#include "talus/cluster/rank_operator.h"
#include "talus/cluster/sharing.h"
#include "talus/contact/set_traits.h"
#include "talus/core/error.h"
#include "talus/problem/delassus/body_root.h"
#include "talus/problem/delassus/body_structure.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace talus {
namespace {

/// Where everything goes: the same on all ranks.
struct Plan {
  std::vector<Index> cell_of_body;    ///< 1, 2, ...; 0 for shared and immovable bodies.
  std::vector<Index> cell_of_contact; ///< The lowest of its bodies; 0 where none has a cell.
  std::vector<char> is_shared;        ///< Movable bodies that all ranks have.
  std::vector<int> rank_of_cell;
  std::vector<Index> order; ///< Contacts by cell.
  std::vector<Index> colour_of_cell;
  Index colours = 0;

  int rank_of_body(Index body) const { return rank_of_cell[cell_of_body[body]]; }
  int rank_of_contact(Index contact) const { return rank_of_cell[cell_of_contact[contact]]; }
};

template <class Layout>
bool is_movable(const Layout& layout, Index body) {
  constexpr int B = Layout::body_dofs;
  double inverse[B * B];
  inverse_mass_block(layout, body, inverse);
  return std::any_of(inverse, inverse + B * B, [](double entry) { return entry != 0; });
}

/// Bodies in breadth-first order over the contacts between bodies that have cells.
template <class Layout>
std::vector<Index> breadth_first(const Layout& layout, const std::vector<char>& has_cell) {
  const auto& pairs = layout.contact_pairs();
  const BodyAdjacency contacts = make_adjacency(layout.bodies(), pairs);
  std::vector<char> seen(layout.bodies(), 0);
  std::vector<Index> order;
  const auto visit = [&](Index body) {
    if (body < 0 || seen[body] || !has_cell[body]) return;
    seen[body] = 1;
    order.push_back(body);
  };
  std::size_t next = 0;
  for (Index start = 0; start < layout.bodies(); ++start) {
    visit(start);
    for (; next < order.size(); ++next)
      for (Index k = contacts.start[order[next]]; k < contacts.start[order[next] + 1]; ++k) {
        const BodyPair pair = pairs[contacts.item[k] / 2];
        visit(pair.a);
        visit(pair.b);
      }
  }
  return order;
}

void cut_cells(const DivideOptions& options, int ranks, Plan& plan) {
  const auto cells = static_cast<Index>(plan.rank_of_cell.size());
  if (!options.cuts.empty()) {
    if (static_cast<int>(options.cuts.size()) != ranks - 1)
      throw InvalidArgument(fmt::format("{} ranks need {} cuts", ranks, ranks - 1));
    for (Index cell = 0; cell < cells; ++cell)
      plan.rank_of_cell[cell] = static_cast<int>(
          std::upper_bound(options.cuts.begin(), options.cuts.end(), cell) - options.cuts.begin());
    return;
  }
  std::vector<std::int64_t> contacts(cells, 0);
  for (const Index cell : plan.cell_of_contact) ++contacts[cell];
  const auto all = static_cast<std::int64_t>(plan.cell_of_contact.size());
  std::int64_t before = 0;
  for (Index cell = 0; cell < cells; ++cell) {
    // By the middle of the cell, so that ranks differ by no more than a cell.
    const std::int64_t twice_middle = 2 * before + contacts[cell];
    plan.rank_of_cell[cell] =
        all == 0
            ? 0
            : static_cast<int>(std::min<std::int64_t>(ranks - 1, ranks * twice_middle / (2 * all)));
    before += contacts[cell];
  }
}

/// Colours in the order of the cells, the lowest that no cell has which changes a body together
/// with this one.
template <class Layout>
void colour_cells(const Layout& layout, Plan& plan) {
  const auto& pairs = layout.contact_pairs();
  std::vector<std::vector<Index>> cells_of(layout.bodies());
  for (std::size_t c = 0; c < pairs.size(); ++c)
    for (const Index body : {pairs[c].a, pairs[c].b})
      if (body >= 0 && plan.cell_of_body[body] > 0)
        cells_of[body].push_back(plan.cell_of_contact[c]);
  std::vector<std::vector<Index>> earlier(plan.rank_of_cell.size());
  for (std::vector<Index>& cells : cells_of) {
    std::ranges::sort(cells);
    cells.erase(std::ranges::unique(cells).begin(), cells.end());
    for (std::size_t k = 1; k < cells.size(); ++k)
      earlier[cells[k]].insert(earlier[cells[k]].end(), cells.begin(), cells.begin() + k);
  }
  plan.colour_of_cell.assign(plan.rank_of_cell.size(), 0);
  std::vector<char> taken;
  for (std::size_t cell = 0; cell < earlier.size(); ++cell) {
    taken.assign(plan.colours + 1, 0);
    for (const Index other : earlier[cell]) taken[plan.colour_of_cell[other]] = 1;
    const auto free = static_cast<Index>(std::ranges::find(taken, 0) - taken.begin());
    plan.colour_of_cell[cell] = free;
    plan.colours = std::max(plan.colours, free + 1);
  }
}

template <class Layout>
Plan make_plan(const Layout& layout, const DivideOptions& options, int ranks) {
  if (options.bodies_per_cell < 1) throw InvalidArgument("cells need at least one body each");
  const Index bodies = layout.bodies();
  std::vector<Index> contacts(bodies, 0);
  std::vector<char> has_cell(bodies, 1);
  Plan plan;
  plan.is_shared.assign(bodies, 0);
  for (const BodyPair pair : layout.contact_pairs())
    for (const Index body : {pair.a, pair.b})
      if (body >= 0 && ++contacts[body] > options.most_contacts) has_cell[body] = 0;
  for (const BodyPair pair : layout.row_pairs())
    for (const Index body : {pair.a, pair.b})
      if (body >= 0) has_cell[body] = 0;
  Index shared = 0;
  for (Index body = 0; body < bodies; ++body) {
    const bool movable = is_movable(layout, body);
    if (!movable) has_cell[body] = 0;
    plan.is_shared[body] = movable && !has_cell[body];
    shared += plan.is_shared[body];
  }
  if (shared > most_shared_bodies)
    throw InvalidProblem(fmt::format("{} bodies are jointed or have more than {} contacts; over "
                                     "ranks at most {} may be",
                                     shared, options.most_contacts, most_shared_bodies));
  plan.cell_of_body.assign(bodies, 0);
  const std::vector<Index> order = breadth_first(layout, has_cell);
  for (std::size_t k = 0; k < order.size(); ++k)
    plan.cell_of_body[order[k]] = 1 + static_cast<Index>(k) / options.bodies_per_cell;
  const auto pairs = layout.contact_pairs();
  plan.cell_of_contact.assign(pairs.size(), 0);
  for (std::size_t c = 0; c < pairs.size(); ++c)
    for (const Index body : {pairs[c].a, pairs[c].b}) {
      const Index cell = body < 0 ? 0 : plan.cell_of_body[body];
      Index& least = plan.cell_of_contact[c];
      if (cell > 0 && (least == 0 || cell < least)) least = cell;
    }
  plan.order.resize(pairs.size());
  std::iota(plan.order.begin(), plan.order.end(), 0);
  std::ranges::stable_sort(plan.order, {}, [&](Index c) { return plan.cell_of_contact[c]; });
  plan.rank_of_cell.assign(
      1 + (order.size() + options.bodies_per_cell - 1) / options.bodies_per_cell, 0);
  cut_cells(options, ranks, plan);
  colour_cells(layout, plan);
  return plan;
}

/// Lists of one rank, from the plan.
template <class Layout>
struct RankLists {
  RankLists(const Layout& layout, const Plan& plan, int rank, int ranks) {
    const auto& pairs = layout.contact_pairs();
    const auto has_cell = [&](Index body) { return body >= 0 && plan.cell_of_body[body] > 0; };
    std::vector<char> here(layout.bodies(), 0);
    // Who sees whose bodies: the ghosts of rank r, by owner.
    std::vector<std::vector<Index>> seen_by(ranks), seen_of(ranks);
    sharing.impulses.send.resize(ranks);
    for (const Index c : plan.order) {
      const int owner = plan.rank_of_contact(c);
      if (owner == rank) contacts.push_back(c);
      for (const Index body : {pairs[c].a, pairs[c].b}) {
        if (!has_cell(body)) continue;
        const int of_body = plan.rank_of_body(body);
        if (of_body == owner) continue;
        if (owner == rank) {
          seen_of[of_body].push_back(body);
          sharing.impulses.send[of_body].push_back(static_cast<Index>(contacts.size()) - 1);
        } else if (of_body == rank) {
          seen_by[owner].push_back(body);
          foreign.push_back(c);
        }
      }
    }
    for (auto* lists : {&seen_of, &seen_by})
      for (auto& list : *lists) {
        std::ranges::sort(list);
        list.erase(std::ranges::unique(list).begin(), list.end());
      }
    for (Index body = 0; body < layout.bodies(); ++body)
      here[body] = !has_cell(body) || plan.rank_of_body(body) == rank;
    for (const auto& list : seen_of)
      for (const Index body : list) here[body] = 1;
    for (Index body = 0; body < layout.bodies(); ++body)
      if (here[body]) bodies.push_back(body);
    connect(layout, plan, rank, seen_of, seen_by);
  }

  /// The connections in local numbers.
  void connect(const Layout& layout, const Plan& plan, int rank,
               const std::vector<std::vector<Index>>& seen_of,
               const std::vector<std::vector<Index>>& seen_by) {
    const Numbering numbers(bodies, layout.bodies());
    for (const auto& list : seen_of)
      for (const Index body : list) sharing.ghosts.push_back(numbers.place(body));
    for (const auto& list : seen_by) {
      auto& send = sharing.velocities.send.emplace_back();
      for (const Index body : list) send.push_back(numbers.place(body));
    }
    for (const Index body : bodies)
      if (plan.is_shared[body]) sharing.shared.push_back(numbers.place(body));
    for (const Index c : foreign) {
      const BodyPair pair = layout.contact_pairs()[c];
      const auto own = [&](Index body) {
        const bool mine =
            body >= 0 && plan.cell_of_body[body] > 0 && plan.rank_of_body(body) == rank;
        return mine ? numbers.place(body) : -1;
      };
      sharing.foreign_bodies.push_back({own(pair.a), own(pair.b)});
    }
    for (std::size_t k = 0; k < contacts.size(); ++k)
      if (k > 0 && plan.cell_of_contact[contacts[k]] != plan.cell_of_contact[contacts[k - 1]])
        sharing.division.cell_start.push_back(static_cast<Index>(k));
    if (!contacts.empty())
      sharing.division.cell_start.push_back(static_cast<Index>(contacts.size()));
    for (Index cell = 0; cell < sharing.division.cells(); ++cell)
      sharing.division.cell_colour.push_back(
          plan.colour_of_cell[plan.cell_of_contact[contacts[sharing.division.cell_start[cell]]]]);
    sharing.division.colours = plan.colours;
  }

  std::vector<Index> contacts, bodies, foreign;
  Sharing sharing;
};

void set_model(const RigidLayout&, RigidModel model, ContactProblem& problem) {
  problem.model = std::move(model);
}

/// The operator has the numbers; the problem is asked for its sizes only.
template <int B, int D>
void set_model(const BlockLayout<B, D>&, const BlockLayout<B, D>& part, ContactProblem& problem) {
  GlobalModel model;
  model.M = zero_matrix(B * part.bodies(), B * part.bodies());
  model.b.assign(part.rows(), 0.0);
  problem.model = std::move(model);
}

/// `whole` is the layout's own data, or the model that it refers to.
template <class Layout, class Data>
std::unique_ptr<DividedProblem> divide(const ContactProblem& problem, const Layout& layout,
                                       const Data& whole, Ranks& ranks,
                                       const DivideOptions& options) {
  auto part = std::make_unique<DividedProblem>();
  RankOperator<Layout>* n = nullptr;
  ranks.together([&] {
    const Plan plan = make_plan(layout, options, ranks.count());
    RankLists<Layout> lists(layout, plan, ranks.rank(), ranks.count());
    const Numbering bodies(lists.bodies, layout.bodies());
    part->problem = cut_data(problem, lists.contacts);
    part->ghosts = static_cast<Index>(lists.sharing.ghosts.size());
    part->shared = static_cast<Index>(lists.sharing.shared.size());
    part->foreign_contacts = static_cast<Index>(lists.foreign.size());
    part->cells = lists.sharing.division.cells();
    Data own = cut(whole, bodies, lists.contacts, true);
    set_model(layout, own, part->problem);
    Data foreign = cut(whole, bodies, lists.foreign, false);
    if constexpr (std::is_same_v<Data, RigidModel>) {
      part->foreign = std::move(foreign);
      auto made = std::make_unique<RankOperator<Layout>>(
          part->problem, Layout(std::get<RigidModel>(part->problem.model)), Layout(part->foreign),
          std::move(lists.sharing));
      n = made.get();
      part->n = std::move(made);
    } else {
      auto made = std::make_unique<RankOperator<Layout>>(
          part->problem, std::move(own), std::move(foreign), std::move(lists.sharing));
      n = made.get();
      part->n = std::move(made);
    }
    part->contacts = std::move(lists.contacts);
    part->bodies = bodies.list();
  });
  n->connect(ranks);
  return part;
}

} // namespace

std::unique_ptr<DividedProblem> divide_problem(const ContactProblem& whole, Ranks& ranks,
                                               const DivideOptions& options) {
  validate(whole);
  const auto refuse = [](const char* what) {
    throw InvalidProblem(std::string(what) + " cannot be divided over ranks");
  };
  if (has_moments(whole.friction.kind)) refuse("a problem with moments of rolling friction");
  if (const auto* model = std::get_if<RigidModel>(&whole.model))
    return divide(whole, RigidLayout(*model), *model, ranks, options);
  const auto* model = std::get_if<GlobalModel>(&whole.model);
  if (!model) refuse("a local problem, which does not know its bodies,");
  if (whole.dimension == 3)
    if (const auto layout = recognise_bodies<6, 3>(*model))
      return divide(whole, *layout, *layout, ranks, options);
  if (whole.dimension == 2)
    if (const auto layout = recognise_bodies<3, 2>(*model))
      return divide(whole, *layout, *layout, ranks, options);
  refuse("a problem whose mass matrix is not made of bodies");
  return nullptr;
}

Vector part_of(const DividedProblem& part, const ContactProblem& whole, ConstSpan x) {
  Vector result;
  const std::size_t d = whole.dimension;
  for (const Index c : part.contacts)
    result.insert(result.end(), x.begin() + d * c, x.begin() + d * (c + 1));
  result.insert(result.end(), x.begin() + whole.impulses(), x.end());
  return result;
}

Vector whole_of(const DividedProblem& part, const ContactProblem& whole, ConstSpan x,
                Ranks& ranks) {
  const std::size_t d = whole.dimension, own = d * part.contacts.size();
  Bytes numbers, entries;
  for (const Index c : part.contacts) append(numbers, c);
  for (std::size_t i = 0; i < own; ++i) append(entries, x[i]);
  const std::vector<Bytes> all_numbers = ranks.gather(numbers), all_entries = ranks.gather(entries);
  Vector result(whole.size());
  for (int r = 0; r < ranks.count(); ++r) {
    const auto contacts = values_in<Index>(all_numbers[r]);
    const auto values = values_in<double>(all_entries[r]);
    for (std::size_t k = 0; k < contacts.size(); ++k)
      std::copy_n(&values[d * k], d, &result[d * contacts[k]]);
  }
  std::copy(x.begin() + own, x.end(), result.begin() + whole.impulses());
  return result;
}

SolveResult solve_over_ranks(Solver& solver, const ContactProblem& whole,
                             const SolveOptions& options, Ranks& ranks,
                             const DivideOptions& division) {
  const auto part = divide_problem(whole, ranks, division);
  SolveOptions own = options;
  if (!options.initial.empty()) own.initial = part_of(*part, whole, options.initial);
  SolveResult result = solve(solver, part->problem, *part->n, own);
  result.v.clear();
  if (result.status == Status::unsupported) return result;
  result.x = whole_of(*part, whole, result.x, ranks);
  result.u = whole_of(*part, whole, result.u, ranks);
  return result;
}

} // namespace talus
