#include "talus/cluster/analysis/message_model.h"

#include <algorithm>
#include <array>
#include <tuple>

namespace talus {
namespace {

constexpr std::int64_t bytes_of_impulse = 24, bytes_of_velocity = 48;

/// The cell of each contact, the first of its bodies'.
std::vector<CellCode> cells_of(const PlacedContacts& placed) {
  std::vector<CellCode> cells;
  cells.reserve(placed.contacts.size());
  for (const BodyPair pair : placed.contacts) {
    CellCode least = ~CellCode{0};
    for (const Index body : {pair.a, pair.b})
      if (body >= 0) least = std::min(least, placed.grid.cell_of(placed.centres[body]));
    cells.push_back(least);
  }
  return cells;
}

template <class T>
void sort_and_unite(std::vector<T>& list) {
  std::ranges::sort(list);
  list.erase(std::ranges::unique(list).begin(), list.end());
}

} // namespace

CellOwners balanced_owners(const PlacedContacts& placed, int ranks) {
  std::vector<CellWeight> weights;
  for (const Vec3& centre : placed.centres) weights.push_back({placed.grid.cell_of(centre), 2});
  for (const CellCode cell : cells_of(placed)) weights.push_back({cell, 1});
  return CellOwners::balanced(std::move(weights), ranks);
}

std::vector<RankMessages> count_messages(const PlacedContacts& placed, const CellOwners& owners,
                                         int ranks) {
  std::vector<RankMessages> result(ranks);
  const std::vector<CellCode> cells = cells_of(placed);
  std::vector<int> owner_of;
  for (const Vec3& centre : placed.centres) {
    owner_of.push_back(owners.owner(placed.grid.cell_of(centre)));
    ++result[owner_of.back()].bodies;
  }
  const Index stride = placed.grid.stride_for(placed.reach);
  for (RankMessages& rank : result) rank.contacts_of_colour.assign(stride * stride * stride, 0);
  for (const CellCode cell : cells) {
    RankMessages& rank = result[owners.owner(cell)];
    ++rank.contacts;
    ++rank.contacts_of_colour[CellGrid::colour_of(cell, stride)];
  }
  std::vector<CellCode> distinct = cells;
  sort_and_unite(distinct);
  for (const CellCode cell : distinct) ++result[owners.owner(cell)].cells;

  // Impulses up and velocities down, one message of each kind between two ranks.
  std::vector<std::array<Index, 3>> impulses, ghosts; // from, to; contact or body
  for (std::size_t c = 0; c < cells.size(); ++c) {
    const int owner = owners.owner(cells[c]);
    for (const Index body : {placed.contacts[c].a, placed.contacts[c].b}) {
      if (body < 0 || owner_of[body] == owner) continue;
      impulses.push_back({owner, owner_of[body], static_cast<Index>(c)});
      ghosts.push_back({owner_of[body], owner, body});
    }
  }
  sort_and_unite(ghosts);
  std::ranges::sort(impulses);
  const auto add_product = [&](const std::vector<std::array<Index, 3>>& list, std::int64_t bytes) {
    for (std::size_t k = 0; k < list.size(); ++k) {
      RankMessages& from = result[list[k][0]];
      from.product_bytes += bytes;
      from.product_messages +=
          k == 0 || list[k][0] != list[k - 1][0] || list[k][1] != list[k - 1][1];
    }
  };
  add_product(impulses, bytes_of_impulse);
  add_product(ghosts, bytes_of_velocity);

  // Whoever has a body is told by whoever changes it: its owner, and the ranks that have it as a
  // ghost.
  std::vector<std::vector<int>> holders(placed.centres.size());
  for (const auto& [owner, rank, body] : ghosts) holders[body].push_back(rank);
  std::vector<std::tuple<CellCode, Index>> touches;
  for (std::size_t c = 0; c < cells.size(); ++c)
    for (const Index body : {placed.contacts[c].a, placed.contacts[c].b})
      if (body >= 0 && !holders[body].empty()) touches.emplace_back(cells[c], body);
  sort_and_unite(touches);
  std::vector<std::array<Index, 3>> sweeps; // from, to, colour
  for (const auto& [cell, body] : touches) {
    const int changer = owners.owner(cell);
    const Index colour = CellGrid::colour_of(cell, stride);
    const auto tell = [&](int rank) {
      if (rank != changer) sweeps.push_back({changer, rank, colour});
    };
    tell(owner_of[body]);
    for (const int rank : holders[body]) tell(rank);
  }
  std::ranges::sort(sweeps);
  for (std::size_t k = 0; k < sweeps.size(); ++k) {
    RankMessages& from = result[sweeps[k][0]];
    from.sweep_bytes += bytes_of_velocity;
    from.sweep_messages += k == 0 || sweeps[k] != sweeps[k - 1];
  }

  std::vector<std::array<Index, 2>> pairs;
  for (const auto* list : {&impulses, &ghosts, &sweeps})
    for (const auto& entry : *list) pairs.push_back({entry[0], entry[1]});
  sort_and_unite(pairs);
  for (const auto& [from, to] : pairs) ++result[from].neighbours;
  return result;
}

} // namespace talus
