// Who has which bodies: large ones, own ones, and how they change hands (rank_engine.h).

#include "talus/cluster/rank_engine.h"
#include "talus/core/error.h"
#include "talus/core/regroup.h"
#include "talus/step/envelope.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <limits>

namespace talus {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// The entry with `k` smaller or equal ones before it among the values of all ranks, which are not
/// negative: halved by bits.
double entry_of_sorted(std::vector<double> values, std::int64_t k, Ranks& ranks) {
  std::ranges::sort(values);
  auto low = std::int64_t{0}, high = std::bit_cast<std::int64_t>(infinity);
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    const auto below = std::ranges::upper_bound(values, std::bit_cast<double>(middle));
    if (ranks.sum(static_cast<std::int64_t>(below - values.begin())) > k)
      high = middle;
    else
      low = middle + 1;
  }
  return std::bit_cast<double>(low);
}

} // namespace

/// Of all dynamic bodies that are there.
double RankSimulation::Engine::global_least_radius() const {
  const double here_least = smallest_radius(here, radii_here);
  const double least = ranks.min(here_least > 0 ? here_least : infinity);
  return std::isfinite(least) ? least : 0.0;
}

/// The bounding radius above which bodies are large.
double RankSimulation::Engine::radius_limit() const {
  std::vector<double> small;
  for (std::size_t k = 0; k < seen.size(); ++k)
    if (owner_of[k] >= 0 && (radii_here[k] > 0 || here.bodies()[k].shapes.empty()))
      small.push_back(radii_here[k]);
  const std::int64_t count = ranks.sum(static_cast<std::int64_t>(small.size()));
  if (count == 0) return infinity;
  return rank_options.large_radius * entry_of_sorted(std::move(small), count / 2, ranks);
}

/// Bodies that are large though nothing but their size says so become those of all ranks.
void RankSimulation::Engine::share_large_bodies(double limit) {
  Bytes mine;
  for (Index k = 0; k < static_cast<Index>(seen.size()); ++k) {
    if (owner_of[k] < 0) continue;
    const double r = radii_here[k];
    if (r <= limit && (r > 0 || here.bodies()[k].shapes.empty())) continue;
    owner_of[k] = -1;
    append(mine, shapes, traveller(k));
  }
  std::vector<Traveller> arrivals;
  const std::vector<Bytes> all = ranks.gather(mine);
  for (int r = 0; r < ranks.count(); ++r) {
    if (r == ranks.rank()) continue;
    for (TravellerReader reader(shapes, all[r]); !reader.at_end();)
      arrivals.push_back(reader.next());
  }
  const std::vector<int> nobody(arrivals.size(), -1);
  regroup_bodies({}, std::move(arrivals), nobody);
}

/// A body that is removed has been there: what is large and how wide cells are stays the same.
void RankSimulation::Engine::choose_large_bodies() {
  const std::vector<char> common = marks_of_common_bodies(here);
  for (std::size_t k = 0; k < seen.size(); ++k) owner_of.push_back(common[k] ? -1 : ranks.rank());
  share_large_bodies(radius_limit());
  double most = 0;
  Index movable = 0;
  for (std::size_t k = 0; k < seen.size(); ++k) {
    const Body& body = here.bodies()[k];
    const BodyKind kind = body.removed ? body.extras.get().kind_before_removal : body.kind;
    if (owner_of[k] >= 0) most = std::max(most, radii_here[k]);
    movable += owner_of[k] < 0 && kind == BodyKind::dynamic;
  }
  most_radius = ranks.max(most);
  ranks.together([&] {
    if (movable > most_shared_bodies)
      throw InvalidArgument(fmt::format("{} dynamic bodies have joints or are large; over ranks at "
                                        "most {} may",
                                        movable, most_shared_bodies));
  });
  grid.width = rank_options.cell_radii * (most_radius > 0 ? most_radius : 1.0);
}

/// Divides all bodies anew, wherever they are.
void RankSimulation::Engine::distribute() {
  std::vector<CellWeight> weights;
  for (Index k = 0; k < static_cast<Index>(seen.size()); ++k)
    if (owns(k)) weights.push_back({cell_of(k), 1});
  owners = rank_options.cuts.empty() ? CellOwners::balanced(std::move(weights), ranks)
                                     : CellOwners(rank_options.cuts);
  std::vector<int> to;
  for (Index k = 0; k < static_cast<Index>(seen.size()); ++k)
    to.push_back(owner_of[k] < 0 ? -1 : owners.owner(cell_of(k)));
  migrate(std::move(to));
}

void RankSimulation::Engine::remove_bodies_due() {
  if (!has_removals) return;
  const double now = time + 1e-6 * options.step; // times are sums of steps, with rounding
  bool some = false;
  for (Index k = 0; k < static_cast<Index>(seen.size()); ++k) {
    if (removed_at[k] > now || here.bodies()[k].removed) continue;
    here.remove_body(k);
    some = true;
  }
  if (ranks.any(some)) least_radius = global_least_radius();
}

Traveller RankSimulation::Engine::traveller(Index k) const {
  return {seen[k], here.bodies()[k], here.states()[k], radii_here[k], removed_at[k]};
}

std::vector<Index>
RankSimulation::Engine::regroup_bodies(std::span<const char> leaves,
                                       std::vector<Traveller> arrivals,
                                       const std::vector<int>& owners_of_arrivals) {
  std::vector<Index> order(arrivals.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = static_cast<Index>(k);
  std::ranges::sort(order, {}, [&](Index k) { return arrivals[k].number; });
  std::vector<Index> places, numbers;
  std::vector<Body> bodies;
  std::vector<BodyState> states;
  std::vector<int> owners_there;
  std::vector<double> radii, times;
  std::size_t at = 0, stayed = 0;
  for (const Index k : order) {
    Traveller& one = arrivals[k];
    for (; at < seen.size() && seen[at] < one.number; ++at) stayed += leaves.empty() || !leaves[at];
    places.push_back(static_cast<Index>(stayed + places.size()));
    numbers.push_back(one.number);
    bodies.push_back(std::move(one.body));
    states.push_back(one.state);
    owners_there.push_back(owners_of_arrivals[k]);
    radii.push_back(one.radius);
    times.push_back(one.removed_at);
  }
  arrivals = {};
  here.regroup(leaves, places, std::move(bodies), std::move(states));
  regroup(seen, leaves, places, std::move(numbers));
  regroup(owner_of, leaves, places, std::move(owners_there));
  regroup(radii_here, leaves, places, std::move(radii));
  regroup(removed_at, leaves, places, std::move(times));
  return places;
}

/// A step that failed has left some.
void RankSimulation::Engine::drop_ghosts() {
  std::vector<char> leaves;
  bool some = false;
  for (const int owner : owner_of) {
    leaves.push_back(owner >= 0 && owner != ranks.rank());
    some = some || leaves.back();
  }
  if (some) regroup_bodies(leaves, {}, {});
}

/// In rounds, so that not all bodies are there twice.
void RankSimulation::Engine::migrate(std::vector<int> to) {
  constexpr std::size_t most_at_once = 1 << 16;
  const int self = ranks.rank();
  bool rest = true;
  while (rest) {
    rest = false;
    std::vector<Bytes> out(ranks.count());
    std::vector<char> leaves(seen.size(), 0);
    std::size_t sent = 0;
    for (Index k = 0; k < static_cast<Index>(seen.size()); ++k) {
      if (owner_of[k] < 0 || (owns(k) && to[k] == self)) continue;
      if (owns(k) && sent == most_at_once) {
        rest = true;
        continue;
      }
      leaves[k] = 1;
      if (!owns(k)) continue;
      append(out[to[k]], shapes, traveller(k));
      ++sent;
    }
    std::vector<Traveller> arrivals;
    for (Bytes& bytes : ranks.exchange(std::move(out))) {
      for (TravellerReader reader(shapes, bytes); !reader.at_end();)
        arrivals.push_back(reader.next());
      bytes = Bytes();
    }
    const std::vector<int> mine(arrivals.size(), self);
    const std::vector<Index> places = regroup_bodies(leaves, std::move(arrivals), mine);
    regroup(to, leaves, places, mine);
    rest = ranks.any(rest);
  }
}

} // namespace talus
