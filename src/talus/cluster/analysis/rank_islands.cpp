#include "talus/cluster/analysis/rank_islands.h"

#include <algorithm>
#include <numeric>

namespace talus {
namespace {

bool is_mobile(const RigidInverseMass& inverse) {
  const auto moves = [](double entry) { return entry != 0; };
  return moves(inverse.mass) || std::ranges::any_of(inverse.inertia, moves);
}

struct Named {
  Index body = 0, name = 0; ///< By numbers of the whole world.
};

/// Names of the islands of this rank's bodies, -1 for immovable ones, and whether other ranks have
/// parts of them.
class Names {
public:
  Names(const RankIslandInput& input, Ranks& ranks) : in_(input), ranks_(ranks) {
    const std::size_t bodies = in_.model.inverse_mass.size();
    group_.resize(bodies);
    std::iota(group_.begin(), group_.end(), 0);
    name_.assign(in_.numbers.begin(), in_.numbers.end());
    for (const auto* pairs : {&in_.model.contact_bodies, &in_.model.row_bodies})
      for (const BodyPair pair : *pairs)
        if (moves(pair.a) && moves(pair.b)) join(pair.a, pair.b);
    for (std::size_t k = 0; k < bodies; ++k) lower(static_cast<Index>(k), name_[k]);
    connects_.assign(bodies, 0);
    for (const Index body : in_.sharing.ghosts) connects_[group(body)] = 1;
    for (const Index body : in_.sharing.shared) connects_[group(body)] = 1;
    for (const auto& list : in_.sharing.velocities.send)
      for (const Index body : list) connects_[group(body)] = 1;
    const auto halo = ranks_.make_halo(in_.sharing.velocities);
    do {
      changed_ = false;
      tell_owners();
      ask_owners(*halo);
      share();
    } while (ranks_.any(changed_));
  }

  Index of(BodyPair pair) {
    for (const Index body : {pair.a, pair.b})
      if (moves(body)) return name_[group(body)];
    return -1;
  }
  bool is_on_other_ranks(BodyPair pair) {
    for (const Index body : {pair.a, pair.b})
      if (moves(body)) return connects_[group(body)] != 0;
    return false;
  }

private:
  bool moves(Index body) const { return body >= 0 && is_mobile(in_.model.inverse_mass[body]); }

  Index group(Index body) {
    while (group_[body] != body) body = group_[body] = group_[group_[body]];
    return body;
  }
  void join(Index a, Index b) {
    a = group(a);
    b = group(b);
    group_[std::max(a, b)] = std::min(a, b);
  }
  void lower(Index body, Index name) {
    Index& now = name_[group(body)];
    if (name >= now) return;
    now = name;
    changed_ = true;
  }

  void tell_owners() {
    std::vector<Bytes> out(ranks_.count());
    for (const Index body : in_.sharing.ghosts)
      append(out[in_.owner_of[body]], Named{in_.numbers[body], name_[group(body)]});
    for (const Bytes& bytes : ranks_.exchange(std::move(out)))
      for (const Named& named : values_in<Named>(bytes)) {
        const auto at = std::ranges::lower_bound(in_.numbers, named.body) - in_.numbers.begin();
        lower(static_cast<Index>(at), named.name);
      }
  }

  /// Numbers are exact as doubles.
  void ask_owners(Halo& halo) {
    Vector mine(name_.size()), theirs(in_.sharing.ghosts.size());
    for (std::size_t k = 0; k < mine.size(); ++k) mine[k] = name_[group(static_cast<Index>(k))];
    halo.copy(mine, theirs, 1);
    for (std::size_t k = 0; k < theirs.size(); ++k)
      lower(in_.sharing.ghosts[k], static_cast<Index>(theirs[k]));
  }

  /// Shared bodies are in the same order on all ranks.
  void share() {
    Bytes mine;
    for (const Index body : in_.sharing.shared) append(mine, name_[group(body)]);
    for (const Bytes& bytes : ranks_.gather(mine)) {
      const auto names = values_in<Index>(bytes);
      for (std::size_t k = 0; k < names.size(); ++k) lower(in_.sharing.shared[k], names[k]);
    }
  }

  const RankIslandInput& in_;
  Ranks& ranks_;
  std::vector<Index> group_, name_;
  std::vector<char> connects_;
  bool changed_ = false;
};

void sort_and_unite(std::vector<Index>& names) {
  std::ranges::sort(names);
  names.erase(std::ranges::unique(names).begin(), names.end());
}

/// Names that one of the ranks has, sorted.
std::vector<Index> of_all(Ranks& ranks, const std::vector<Index>& mine) {
  Bytes bytes;
  for (const Index name : mine) append(bytes, name);
  std::vector<Index> all;
  for (const Bytes& part : ranks.gather(bytes)) {
    const auto names = values_in<Index>(part);
    all.insert(all.end(), names.begin(), names.end());
  }
  sort_and_unite(all);
  return all;
}

} // namespace

RankIslands::RankIslands(const RankIslandInput& input, Ranks& ranks) : ranks_(ranks) {
  Names names(input, ranks);
  const RigidModel& model = input.model;
  std::vector<Index> here, over_ranks;
  for (const Index c : input.marked) {
    const BodyPair pair = model.contact_bodies[c];
    if (const Index name = names.of(pair); name >= 0)
      (names.is_on_other_ranks(pair) ? over_ranks : here).push_back(name);
  }
  sort_and_unite(here);
  sort_and_unite(over_ranks);
  over_ranks = of_all(ranks, over_ranks);
  here_only_ = static_cast<Index>(here.size());
  count_ = here_only_ + static_cast<Index>(over_ranks.size());
  const auto island_of = [&](BodyPair pair) {
    const Index name = names.of(pair);
    const auto& list = names.is_on_other_ranks(pair) ? over_ranks : here;
    const auto found = std::ranges::lower_bound(list, name);
    if (name < 0 || found == list.end() || *found != name) return Index{-1};
    const auto at = static_cast<Index>(found - list.begin());
    return &list == &here ? at : here_only_ + at;
  };
  for (const BodyPair pair : model.contact_bodies) of_contact_.push_back(island_of(pair));
  for (const BodyPair pair : model.row_bodies) of_row_.push_back(island_of(pair));
}

std::vector<double> RankIslands::values(std::vector<ExactSum> sums, int width) const {
  ranks_.sum(std::span(sums).subspan(static_cast<std::size_t>(width) * here_only_));
  std::vector<double> values;
  for (const ExactSum& sum : sums) values.push_back(sum.value());
  return values;
}

} // namespace talus
