// What a simulation over ranks tells files, piece by piece, so that no rank has all of it
// (rank_simulation.h).

#include "talus/cluster/rank_engine.h"
#include "talus/core/error.h"
#include "talus/step/measures.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <tuple>

namespace talus {
namespace {

auto order_of(const ContactPoint& contact) {
  return std::tie(contact.collider_a, contact.collider_b, contact.key);
}

/// Pairs of colliders as numbers in the same order.
std::int64_t number_of_pair(const ContactPoint& contact) {
  return (std::int64_t{contact.collider_a} << 32) + contact.collider_b;
}

/// Says of sorted numbers, some on each rank, how many belong to the next piece.
class Pieces {
public:
  Pieces(const std::vector<std::int64_t>& mine, std::size_t most, Ranks& ranks)
      : mine_(mine), most_(static_cast<std::int64_t>(most)), ranks_(ranks) {}

  /// All ranks together; false at the end.
  bool next() {
    begin_ = end_;
    const std::int64_t left = ranks_.sum(static_cast<std::int64_t>(mine_.size() - begin_));
    end_ = left <= most_ ? mine_.size() : cut();
    return left > 0;
  }
  std::size_t begin() const { return begin_; }
  std::size_t end() const { return end_; }

private:
  std::size_t up_to(std::int64_t number) const {
    return std::upper_bound(mine_.begin() + begin_, mine_.end(), number) - mine_.begin();
  }
  std::int64_t count_up_to(std::int64_t number) {
    return ranks_.sum(static_cast<std::int64_t>(up_to(number) - begin_));
  }
  /// Behind the largest number up to which there are not too many, but behind one at least.
  std::size_t cut() {
    const std::int64_t end = std::numeric_limits<std::int64_t>::max() / 2;
    const std::int64_t fits = first_number(0, end, [&](std::int64_t n) { return n > most_; }) - 1;
    if (count_up_to(fits) > 0) return up_to(fits);
    return up_to(first_number(fits, end, [](std::int64_t n) { return n > 0; }));
  }
  /// The first number up to which the count is as asked for.
  template <class Test>
  std::int64_t first_number(std::int64_t low, std::int64_t high, Test&& test) {
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      if (test(count_up_to(middle)))
        high = middle;
      else
        low = middle + 1;
    }
    return low;
  }

  const std::vector<std::int64_t>& mine_;
  std::int64_t most_;
  Ranks& ranks_;
  std::size_t begin_ = 0, end_ = 0;
};

/// What a contact does to one of its bodies.
struct SideOfContact {
  Index body = 0;
  bool on_b = false;
  ActingContact contact;
};

std::vector<Index> sorted_union(std::vector<Index> a, const std::vector<Index>& b) {
  a.insert(a.end(), b.begin(), b.end());
  std::ranges::sort(a);
  a.erase(std::ranges::unique(a).begin(), a.end());
  return a;
}

} // namespace

ActingContact RankSimulation::Engine::acting_contact(std::size_t c) const {
  const std::size_t d = dimension();
  ActingContact acting;
  acting.point = contacts[c];
  acting.point.body_a = colliders[contacts[c].collider_a].body;
  acting.point.body_b = colliders[contacts[c].collider_b].body;
  const RigidContact& frame = std::get<RigidModel>(problem.model).contacts[c];
  const Vec3 third = cross(frame.normal, frame.tangent);
  const double* x = &result.x[d * c];
  const double pull = bonds_now.pull.empty() ? 0.0 : bonds_now.pull[c];
  acting.impulse = (x[0] - pull) * frame.normal + x[1] * frame.tangent + x[2] * third;
  if (d > 3) acting.moment = x[3] * frame.tangent + x[4] * third + x[5] * frame.normal;
  if (c >= centres.size()) return acting;
  acting.centre_a = centres[c][0];
  acting.centre_b = centres[c][1];
  return acting;
}

void RankSimulation::keep_contacts() {
  engine_->keeps_contacts = true;
}

bool RankSimulation::contacts_have_moments() const {
  return engine_->dimension() > 3;
}

void RankSimulation::for_contacts(std::size_t most, const TakeContacts& take) const {
  const Engine& e = *engine_;
  std::vector<Index> order(e.centres.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [&](Index c) { return order_of(e.contacts[c]); });
  std::vector<std::int64_t> pairs;
  pairs.reserve(order.size());
  for (const Index c : order) pairs.push_back(number_of_pair(e.contacts[c]));
  for (Pieces pieces(pairs, most, e.ranks); pieces.next();) {
    std::vector<ActingContact> mine;
    for (std::size_t k = pieces.begin(); k < pieces.end(); ++k)
      mine.push_back(e.acting_contact(order[k]));
    auto piece = values_at_first_rank(e.ranks, mine);
    std::ranges::sort(piece, {}, [](const ActingContact& c) { return order_of(c.point); });
    e.ranks.together([&] {
      if (e.ranks.rank() == 0) take(piece);
    });
  }
}

void RankSimulation::for_bodies(Index most, bool with_forces, const TakeBodies& take) const {
  const Engine& e = *engine_;
  const bool is_first = e.ranks.rank() == 0;
  const std::vector<Index> large = large_bodies();
  // Which contacts touch which bodies that are not large.
  std::vector<std::pair<Index, std::int64_t>> sides;
  for (std::size_t c = 0; with_forces && c < e.centres.size(); ++c)
    for (const bool on_b : {false, true}) {
      const Index body =
          e.colliders[on_b ? e.contacts[c].collider_b : e.contacts[c].collider_a].body;
      if (!std::ranges::binary_search(large, body))
        sides.emplace_back(body, 2 * static_cast<std::int64_t>(c) + on_b);
    }
  std::ranges::sort(sides);
  std::size_t next_body = 0, next_side = 0;
  for (std::int64_t first = 0; first < e.colliders.bodies(); first += most) {
    const auto end = static_cast<Index>(std::min<std::int64_t>(e.colliders.bodies(), first + most));
    std::vector<Bytes> bodies_out(e.ranks.count()), sides_out(e.ranks.count());
    BodyPiece piece;
    piece.first = static_cast<Index>(first);
    if (is_first) piece.bodies.resize(end - piece.first), piece.states.resize(end - piece.first);
    const auto place = [&](Index number, Body body, const BodyState& state) {
      piece.bodies[number - piece.first] = std::move(body);
      piece.states[number - piece.first] = state;
    };
    e.ranks.together([&] {
      for (; next_body < e.seen.size() && e.seen[next_body] < end; ++next_body) {
        const auto k = static_cast<Index>(next_body);
        if (!e.counts_here(k)) continue;
        if (is_first)
          place(e.seen[k], e.here.bodies()[k], e.here.states()[k]);
        else
          append(bodies_out[0], e.shapes, e.traveller(k));
      }
      for (; next_side < sides.size() && sides[next_side].first < end; ++next_side) {
        const auto [body, side] = sides[next_side];
        append(sides_out[0], SideOfContact{body, side % 2 == 1,
                                           e.acting_contact(static_cast<std::size_t>(side / 2))});
      }
    });
    for (const Bytes& bytes : e.ranks.exchange(std::move(bodies_out)))
      for (TravellerReader reader(e.shapes, bytes); !reader.at_end();) {
        Traveller one = reader.next();
        place(one.number, std::move(one.body), one.state);
      }
    if (with_forces) {
      std::vector<SideOfContact> all;
      for (const Bytes& bytes : e.ranks.exchange(std::move(sides_out))) {
        const auto part = values_in<SideOfContact>(bytes);
        all.insert(all.end(), part.begin(), part.end());
      }
      std::ranges::sort(all, {},
                        [](const SideOfContact& side) { return order_of(side.contact.point); });
      piece.forces.resize(piece.bodies.size());
      for (const SideOfContact& side : all)
        add_contact(side.contact, contacts_have_moments(), side.on_b, e.options.step,
                    piece.forces[side.body - piece.first]);
    }
    e.ranks.together([&] {
      if (is_first) take(piece);
    });
  }
}

std::vector<Index> RankSimulation::large_bodies() const {
  const Engine& e = *engine_;
  std::vector<Index> large;
  for (std::size_t k = 0; k < e.seen.size(); ++k)
    if (e.owner_of[k] < 0) large.push_back(e.seen[k]);
  return large;
}

World RankSimulation::small_world(const std::vector<Index>& others) const {
  const Engine& e = *engine_;
  const bool is_first = e.ranks.rank() == 0;
  std::vector<Bytes> out(e.ranks.count());
  std::vector<Index> there; // on the first rank
  e.ranks.together([&] {
    for (Index k = 0; k < static_cast<Index>(e.seen.size()); ++k) {
      if (!e.counts_here(k)) continue;
      const bool is_wanted = e.owner_of[k] < 0 || std::ranges::binary_search(others, e.seen[k]);
      if (!is_wanted) continue;
      if (is_first)
        there.push_back(k);
      else
        append(out[0], e.shapes, e.traveller(k));
    }
  });
  std::vector<Traveller> arrivals;
  for (const Bytes& bytes : e.ranks.exchange(std::move(out)))
    for (TravellerReader reader(e.shapes, bytes); !reader.at_end();)
      arrivals.push_back(reader.next());
  if (!is_first) return World();
  World world = e.here.part(there);
  std::ranges::sort(arrivals, {}, &Traveller::number);
  std::vector<Index> numbers, places;
  for (const Index k : there) numbers.push_back(e.seen[k]);
  std::vector<Body> bodies;
  std::vector<BodyState> states;
  for (Traveller& one : arrivals) {
    const auto below = std::ranges::lower_bound(numbers, one.number) - numbers.begin();
    places.push_back(static_cast<Index>(below) + static_cast<Index>(places.size()));
    bodies.push_back(std::move(one.body));
    states.push_back(one.state);
  }
  world.regroup({}, places, std::move(bodies), std::move(states));
  world.list_names();
  return world;
}

SimulationState RankSimulation::state_of_small_world(const std::vector<Index>& others) const {
  const Engine& e = *engine_;
  const std::vector<Index> numbers = sorted_union(large_bodies(), others);
  std::vector<Engine::StatePacket> mine;
  for (const Index number : numbers) {
    const Index k = e.place(number);
    if (k < e.here.size() && e.seen[k] == number && e.counts_here(k))
      mine.push_back({number, e.here.bodies()[k].removed, e.here.states()[k]});
  }
  auto packets = values_at_first_rank(e.ranks, mine);
  std::ranges::sort(packets, {}, &Engine::StatePacket::body);
  SimulationState state;
  state.time = e.time;
  state.steps = e.steps;
  for (std::size_t k = 0; k < packets.size(); ++k) {
    state.bodies.push_back(packets[k].state);
    if (packets[k].removed) state.removed.push_back(static_cast<Index>(k));
  }
  state.joint_coordinates.assign(e.here.joint_coordinates().begin(),
                                 e.here.joint_coordinates().end());
  return state;
}

RankSimulation::JointAnswers RankSimulation::joint_answers() const {
  const Engine& e = *engine_;
  JointAnswers answers{e.rows, {}};
  // Without contacts and rows there is no answer.
  if (e.result.x.size() >= e.rows.size() && !e.result.x.empty())
    answers.multipliers.assign(e.result.x.end() - e.rows.size(), e.result.x.end());
  return answers;
}

double RankSimulation::mass_through_plane(const Vec3& point, const Vec3& normal) const {
  const Engine& e = *engine_;
  struct Crossing {
    Index body;
    double mass;
  };
  std::vector<Crossing> mine;
  for (Index k = 0; k < static_cast<Index>(e.seen.size()); ++k) {
    if (!e.counts_here(k)) continue;
    const double mass =
        mass_through(e.here.states()[k], e.here.bodies()[k].mass, point, normal, e.options.step);
    if (mass != 0) mine.push_back({e.seen[k], mass});
  }
  auto all = values_at_first_rank(e.ranks, mine);
  std::ranges::sort(all, {}, &Crossing::body);
  double sum = 0;
  for (const Crossing& crossing : all) sum += crossing.mass;
  return sum;
}

std::pair<double, double> RankSimulation::energies() const {
  const Engine& e = *engine_;
  std::array<ExactSum, 2> sums;
  for (Index k = 0; k < static_cast<Index>(e.seen.size()); ++k) {
    if (!e.counts_here(k)) continue;
    const BodyMeasures body = measures_of(e.here, k, e.here.states()[k]);
    sums[0].add(body.kinetic_energy);
    sums[1].add(body.potential_energy);
  }
  e.ranks.sum(sums);
  return {sums[0].value(), sums[1].value()};
}

RankSimulation::Overlaps RankSimulation::find_overlaps(std::size_t most, double share) {
  Engine& e = *engine_;
  e.drop_ghosts();
  e.velocity.assign(6 * e.seen.size(), 0.0);
  e.added_mass.clear();
  e.gather_ghosts(0.0);
  struct Packet {
    Overlap overlap;
    std::uint32_t length_a, length_b;
  };
  std::vector<Overlap> mine; // with places in `here`
  e.ranks.together([&] {
    e.collide(0.0);
    mine = overlaps_of(e.contacts, e.radii_here, share);
  });
  Overlaps result;
  result.pairs = e.ranks.sum(static_cast<std::int64_t>(mine.size()));
  std::vector<Bytes> out(e.ranks.count());
  for (std::size_t k = 0; k < std::min(most, mine.size()); ++k) {
    const Overlap& o = mine[k];
    const std::string &a = e.here.bodies()[o.body_a].name, &b = e.here.bodies()[o.body_b].name;
    append(out[0], Packet{{e.seen[o.body_a], e.seen[o.body_b], o.depth},
                          static_cast<std::uint32_t>(a.size()),
                          static_cast<std::uint32_t>(b.size())});
    for (const char letter : a + b) append(out[0], letter);
  }
  e.contacts.clear();
  e.cells.clear();
  e.bonds_now = {};
  e.start.clear();
  e.drop_ghosts();
  struct Named {
    Overlap overlap;
    std::pair<std::string, std::string> names;
  };
  std::vector<Named> all;
  for (const Bytes& bytes : e.ranks.exchange(std::move(out)))
    for (TravellerReader reader(e.shapes, bytes); !reader.at_end();) {
      const auto packet = reader.value<Packet>();
      Named& named = all.emplace_back();
      named.overlap = packet.overlap;
      for (std::uint32_t k = 0; k < packet.length_a; ++k) named.names.first += reader.value<char>();
      for (std::uint32_t k = 0; k < packet.length_b; ++k)
        named.names.second += reader.value<char>();
    }
  std::ranges::sort(all, {}, [](const Named& n) {
    return std::tuple(-n.overlap.depth, n.overlap.body_a, n.overlap.body_b);
  });
  if (all.size() > most) all.resize(most);
  for (Named& named : all) {
    result.deepest.push_back(named.overlap);
    result.names.push_back(std::move(named.names));
  }
  return result;
}

} // namespace talus
