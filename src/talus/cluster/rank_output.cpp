// What a simulation over ranks tells files, piece by piece, so that no rank has all of it
// (rank_simulation.h).

#include "talus/cluster/rank_engine.h"
#include "talus/core/error.h"
#include "talus/step/measures.h"

#include <algorithm>
#include <numeric>

namespace talus {
namespace {

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
    const std::int64_t end = std::numeric_limits<std::int64_t>::max();
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
  std::vector<Index> order(e.has_answer ? e.centres.size() : 0);
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

/// Which contacts touch which bodies that are not large: 2 c + side, ascending by body.
std::vector<std::pair<Index, std::int64_t>> RankSimulation::Engine::sides_of_contacts() const {
  std::vector<std::pair<Index, std::int64_t>> sides;
  for (std::size_t c = 0; has_answer && c < centres.size(); ++c)
    for (const int side : {0, 1}) {
      const Index body =
          colliders[side == 1 ? contacts[c].collider_b : contacts[c].collider_a].body;
      const Index k = place(body);
      const bool is_large = k < here.size() && seen[k] == body && owner_of[k] < 0;
      if (!is_large) sides.emplace_back(body, 2 * static_cast<std::int64_t>(c) + side);
    }
  std::ranges::sort(sides);
  return sides;
}

/// All bodies of the piece come to the first rank.
void RankSimulation::Engine::gather_bodies(std::size_t& next, BodyPiece& piece) const {
  const Index end = piece.first + piece.count;
  const bool is_first = ranks.rank() == 0;
  const auto put = [&](Index number, Body body, const BodyState& state) {
    piece.bodies[number - piece.first] = std::move(body);
    piece.states[number - piece.first] = state;
  };
  std::vector<Bytes> out(ranks.count());
  ranks.together([&] {
    if (is_first) piece.bodies.resize(piece.count), piece.states.resize(piece.count);
    for (; next < seen.size() && seen[next] < end; ++next) {
      const auto k = static_cast<Index>(next);
      if (!counts_here(k)) continue;
      if (is_first)
        put(seen[k], here.bodies()[k], here.states()[k]);
      else
        append(out[0], shapes, traveller(k));
    }
  });
  for (const Bytes& bytes : ranks.exchange(std::move(out)))
    for (TravellerReader reader(shapes, bytes); !reader.at_end();) {
      Traveller one = reader.next();
      put(one.number, std::move(one.body), one.state);
    }
}

/// What contacts do to the bodies of the piece, added on the first rank in the order of the whole.
void RankSimulation::Engine::gather_forces_on_bodies(
    std::span<const std::pair<Index, std::int64_t>> sides, std::size_t& next,
    BodyPiece& piece) const {
  std::vector<SideOfContact> mine;
  for (; next < sides.size() && sides[next].first < piece.first + piece.count; ++next) {
    const auto [body, side] = sides[next];
    mine.push_back({body, side % 2 == 1, acting_contact(static_cast<std::size_t>(side / 2))});
  }
  auto all = values_at_first_rank(ranks, mine);
  std::ranges::sort(all, {},
                    [](const SideOfContact& side) { return order_of(side.contact.point); });
  piece.forces.resize(piece.bodies.size());
  for (const SideOfContact& side : all)
    add_contact(side.contact, dimension() > 3, side.on_b, options.step,
                piece.forces[side.body - piece.first]);
}

void RankSimulation::for_bodies(Index most, bool with_forces, const TakeBodies& take) const {
  const Engine& e = *engine_;
  const auto sides =
      with_forces ? e.sides_of_contacts() : std::vector<std::pair<Index, std::int64_t>>();
  const std::int64_t all = e.colliders.bodies();
  std::size_t next_body = 0, next_side = 0;
  for (std::int64_t first = 0; first < all; first += most) {
    BodyPiece piece;
    piece.first = static_cast<Index>(first);
    piece.count = static_cast<Index>(std::min<std::int64_t>(most, all - first));
    e.gather_bodies(next_body, piece);
    if (with_forces) e.gather_forces_on_bodies(sides, next_side, piece);
    e.ranks.together([&] {
      if (e.ranks.rank() == 0) take(piece);
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
  // Without contacts and rows there is none.
  if (e.has_answer && !e.result.x.empty())
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

ContactSums RankSimulation::contact_sums() const {
  const Engine& e = *engine_;
  // Bodies that are not large move.
  const auto moves = [&](Index body) {
    const Index k = e.place(body);
    const bool is_here = k < e.here.size() && e.seen[k] == body;
    return !is_here || e.here.bodies()[k].kind == BodyKind::dynamic;
  };
  ContactSums sums;
  sums.h = e.options.step;
  std::array<ExactSum, 3> support;
  for (std::size_t c = 0; e.has_answer && c < e.contacts.size(); ++c) {
    const ActingContact contact = e.acting_contact(c);
    ContactSums one{.h = sums.h, .support = {}, .largest = sums.largest};
    one.add(contact.impulse, moves(contact.point.body_a), moves(contact.point.body_b));
    sums.largest = one.largest;
    for (int i = 0; i < 3; ++i) support[i].add(one.support[i]);
  }
  e.ranks.sum(support);
  sums.largest = e.ranks.max(sums.largest);
  sums.support = {support[0].value(), support[1].value(), support[2].value()};
  return sums;
}

} // namespace talus
