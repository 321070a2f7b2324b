#include "talus/cluster/sweep_plan.h"

#include "talus/core/error.h"

#include <algorithm>
#include <tuple>

namespace talus {
namespace {

/// A body of this rank's own or one of its ghosts that a cell may change.
struct Touch {
  Index colour, body, cell;
  auto key() const { return std::tie(colour, body, cell); }
};

/// A place in the list of bodies that `owner` sends to a rank (Sharing::velocities).
struct Place {
  int owner;
  Index entry;
};

struct Request {
  Index entry, colour;
};

struct Announcement {
  Index colour;
  Place place;
};

class Planner {
public:
  Planner(const std::vector<BodyPair>& pairs, const std::vector<char>& is_movable,
          const Sharing& sharing, Ranks& ranks, SweepPlan& plan)
      : pairs_(pairs), is_movable_(is_movable), sharing_(sharing), ranks_(ranks), plan_(plan),
        bodies_(static_cast<Index>(is_movable.size())), shared_(bodies_, -1), ghost_(bodies_, -1) {
    for (std::size_t k = 0; k < sharing.shared.size(); ++k)
      shared_[sharing.shared[k]] = static_cast<Index>(k);
    for (std::size_t k = 0; k < sharing.ghosts.size(); ++k)
      ghost_[sharing.ghosts[k]] = static_cast<Index>(k);
  }

  void make() {
    ranks_.together([&] {
      list_copies_and_touches();
      find_holders();
    });
    count_copies();
    make_halos(receivers_of_touches());
  }

private:
  /// A shared or immovable body gets a copy per cell; the others are touched.
  void list_copies_and_touches() {
    const Division& division = sharing_.division;
    plan_.contact_bodies = pairs_;
    std::vector<Index> order(division.cells());
    for (Index cell = 0; cell < division.cells(); ++cell) order[cell] = cell;
    std::ranges::stable_sort(order, {}, [&](Index cell) { return division.cell_colour[cell]; });
    plan_.copies_start.assign(division.colours + 1, 0);
    std::vector<Index> seen_in(bodies_, -1), copy_of(bodies_, -1);
    for (const Index cell : order) {
      const Index colour = division.cell_colour[cell];
      for (Index c = division.cell_start[cell]; c < division.cell_start[cell + 1]; ++c)
        for (const int side : {0, 1}) {
          Index& body = side == 0 ? plan_.contact_bodies[c].a : plan_.contact_bodies[c].b;
          if (body < 0) continue;
          const bool is_copied = shared_[body] >= 0 || !is_movable_[body];
          if (seen_in[body] != cell) {
            seen_in[body] = cell;
            if (is_copied) {
              copy_of[body] = bodies_ + static_cast<Index>(plan_.copies.size());
              plan_.copies.push_back({.body = body, .shared = shared_[body], .colour = colour});
            } else {
              touches_.push_back({colour, body, cell});
            }
          }
          if (is_copied) body = copy_of[body];
        }
      plan_.copies_start[colour + 1] = static_cast<Index>(plan_.copies.size());
    }
    for (Index k = 0; k < division.colours; ++k)
      plan_.copies_start[k + 1] = std::max(plan_.copies_start[k], plan_.copies_start[k + 1]);
    std::ranges::sort(touches_, {}, &Touch::key);
    for (std::size_t k = 1; k < touches_.size(); ++k)
      if (touches_[k].colour == touches_[k - 1].colour && touches_[k].body == touches_[k - 1].body)
        fail();
  }

  [[noreturn]] static void fail() {
    throw Error("two cells of one colour change the same body: cells are too small for a sweep");
  }

  /// Who has copies of own bodies, and at which place of its list.
  void find_holders() {
    holders_.resize(bodies_);
    for (int r = 0; r < static_cast<int>(sharing_.velocities.send.size()); ++r) {
      const auto& list = sharing_.velocities.send[r];
      for (std::size_t k = 0; k < list.size(); ++k)
        holders_[list[k]].push_back({r, static_cast<Index>(k)});
    }
  }

  void count_copies() {
    const std::size_t shared = sharing_.shared.size();
    std::vector<std::int64_t> counts(shared * sharing_.division.colours, 0);
    for (const BodyCopy& copy : plan_.copies)
      if (copy.shared >= 0) ++counts[shared * copy.colour + copy.shared];
    if (!counts.empty()) ranks_.sum(std::span<std::int64_t>(counts));
    for (BodyCopy& copy : plan_.copies)
      if (copy.shared >= 0) copy.count = counts[shared * copy.colour + copy.shared];
    plan_.changed.resize(sharing_.division.colours);
    for (std::size_t k = 0; k < counts.size(); ++k)
      if (counts[k] > 0) plan_.changed[k / shared].push_back(static_cast<Index>(k % shared));
  }

  /// The rank that owns each ghost, and where its list for this rank begins.
  void find_owners() {
    std::vector<Bytes> out(ranks_.count());
    for (int r = 0; r < ranks_.count(); ++r)
      if (r < static_cast<int>(sharing_.velocities.send.size()))
        append(out[r], static_cast<Index>(sharing_.velocities.send[r].size()));
    first_ghost_.assign(ranks_.count() + 1, 0);
    const std::vector<Bytes> in = ranks_.exchange(std::move(out));
    for (int r = 0; r < ranks_.count(); ++r) {
      const auto count = values_in<Index>(in[r]);
      first_ghost_[r + 1] = first_ghost_[r] + (count.empty() ? 0 : count[0]);
    }
  }

  Place place_of_ghost(Index ghost) const {
    const auto after = std::ranges::upper_bound(first_ghost_, ghost);
    const int owner = static_cast<int>(after - first_ghost_.begin()) - 1;
    return {owner, ghost - first_ghost_[owner]};
  }

  /// For every touch, in their order, the ranks that have the body too, each with the place by
  /// which it knows the body.
  std::vector<std::vector<Announcement>> receivers_of_touches() {
    find_owners();
    const int count = ranks_.count(), me = ranks_.rank();
    std::vector<Bytes> questions(count);
    for (const Touch& touch : touches_)
      if (const Index ghost = ghost_[touch.body]; ghost >= 0) {
        const Place place = place_of_ghost(ghost);
        append(questions[place.owner], Request{place.entry, touch.colour});
      }
    const std::vector<Bytes> asked = ranks_.exchange(std::move(questions));
    std::vector<Bytes> answers(count);
    ranks_.together([&] { answer(asked, answers); });
    const std::vector<Bytes> told = ranks_.exchange(std::move(answers));
    std::vector<std::vector<Index>> words(count);
    for (int r = 0; r < count; ++r) words[r] = values_in<Index>(told[r]);
    std::vector<std::size_t> next(count, 0);
    std::vector<std::vector<Announcement>> announcements(count);
    send_.assign(sharing_.division.colours, std::vector<std::vector<Index>>(count));
    const auto announce = [&](int to, const Touch& touch, Place place) {
      announcements[to].push_back({touch.colour, place});
      send_[touch.colour][to].push_back(touch.body);
    };
    for (const Touch& touch : touches_) {
      const Index ghost = ghost_[touch.body];
      if (ghost < 0) {
        for (const auto& [holder, entry] : holders_[touch.body])
          announce(holder, touch, {me, entry});
        continue;
      }
      const Place place = place_of_ghost(ghost);
      announce(place.owner, touch, place);
      const std::vector<Index>& list = words[place.owner];
      std::size_t& at = next[place.owner];
      for (Index others = list[at++]; others > 0; --others, at += 2)
        announce(static_cast<int>(list[at]), touch, {place.owner, list[at + 1]});
    }
    return announcements;
  }

  /// To each request how many others have the body, and who at which place. An owner hears of all
  /// who change its bodies, so that it sees conflicts.
  void answer(const std::vector<Bytes>& asked, std::vector<Bytes>& answers) const {
    std::vector<std::pair<Index, Index>> changes; // (body, colour)
    for (const Touch& touch : touches_)
      if (ghost_[touch.body] < 0) changes.push_back({touch.body, touch.colour});
    for (int r = 0; r < ranks_.count(); ++r)
      for (const Request& request : values_in<Request>(asked[r])) {
        const Index body = sharing_.velocities.send[r][request.entry];
        changes.push_back({body, request.colour});
        append(answers[r], static_cast<Index>(holders_[body].size()) - 1);
        for (const auto& [holder, entry] : holders_[body]) {
          if (holder == r) continue;
          append(answers[r], static_cast<Index>(holder));
          append(answers[r], entry);
        }
      }
    std::ranges::sort(changes);
    if (std::ranges::adjacent_find(changes) != changes.end()) fail();
  }

  void make_halos(const std::vector<std::vector<Announcement>>& announcements) {
    const int count = ranks_.count(), me = ranks_.rank();
    const Index colours = sharing_.division.colours;
    std::vector<Bytes> out(count);
    for (int r = 0; r < count; ++r)
      for (const Announcement& one : announcements[r]) append(out[r], one);
    const std::vector<Bytes> in = ranks_.exchange(std::move(out));
    plan_.halos.resize(colours);
    std::vector<std::int64_t> traffic(colours, 0);
    for (int r = 0; r < count; ++r)
      for (const auto& [colour, place] : values_in<Announcement>(in[r])) {
        ++traffic[colour];
        plan_.halos[colour].arrive.push_back(
            place.owner == me ? sharing_.velocities.send[r][place.entry]
                              : sharing_.ghosts[first_ghost_[place.owner] + place.entry]);
      }
    if (colours > 0) ranks_.sum(std::span<std::int64_t>(traffic));
    for (Index colour = 0; colour < colours; ++colour) {
      if (traffic[colour] == 0) continue;
      ColourHalo& halo = plan_.halos[colour];
      for (const auto& list : send_[colour])
        halo.depart.insert(halo.depart.end(), list.begin(), list.end());
      std::ranges::sort(halo.depart);
      halo.depart.erase(std::ranges::unique(halo.depart).begin(), halo.depart.end());
      for (auto& list : send_[colour])
        for (Index& body : list)
          body =
              static_cast<Index>(std::ranges::lower_bound(halo.depart, body) - halo.depart.begin());
      halo.halo = ranks_.make_halo({std::move(send_[colour])});
    }
  }

  const std::vector<BodyPair>& pairs_;
  const std::vector<char>& is_movable_;
  const Sharing& sharing_;
  Ranks& ranks_;
  SweepPlan& plan_;
  Index bodies_;
  std::vector<Index> shared_, ghost_; ///< Places of bodies in the lists of Sharing, or -1.
  std::vector<Touch> touches_;
  std::vector<std::vector<std::pair<int, Index>>> holders_; ///< Of own bodies: (rank, entry).
  std::vector<Index> first_ghost_;                          ///< Of each owner.
  std::vector<std::vector<std::vector<Index>>> send_;       ///< By colour and receiver.
};

} // namespace

SweepPlan make_sweep_plan(const std::vector<BodyPair>& contact_bodies,
                          const std::vector<char>& is_movable, const Sharing& sharing,
                          Ranks& ranks) {
  SweepPlan plan;
  Planner(contact_bodies, is_movable, sharing, ranks, plan).make();
  return plan;
}

} // namespace talus
