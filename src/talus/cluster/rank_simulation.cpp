#include "talus/cluster/rank_simulation.h"

#include "talus/cluster/rank_engine.h"
#include "talus/core/bit_hash.h"
#include "talus/core/error.h"
#include "talus/core/parallel.h"
#include "talus/solve/registry.h"
#include "talus/step/envelope.h"
#include "talus/world/surroundings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

namespace talus {

namespace {

std::shared_ptr<Solver> solver_over_ranks(StepOptions& options) {
  validate(options);
  std::shared_ptr<Solver> solver = options.own_solver;
  if (!solver) solver = make_solver(options.solver);
  for (const auto& [name, value] : options.solver_options) set_option(*solver, name, value);
  return solver;
}

void add_state(const BodyState& state, BitHash& hash) {
  const Quaternion& q = state.pose.rotation;
  hash.add(state.pose.position);
  for (const double x : {q.w, q.x, q.y, q.z}) hash.add(x);
  hash.add(state.velocity);
  hash.add(state.angular_velocity);
}

/// What all ranks sent to the first one; others get nothing.
template <class T>
std::vector<T> at_first_rank(Ranks& ranks, const std::vector<T>& mine) {
  std::vector<Bytes> out(ranks.count());
  for (const T& value : mine) append(out[0], value);
  std::vector<T> all;
  for (const Bytes& bytes : ranks.exchange(std::move(out))) {
    const auto values = values_in<T>(bytes);
    all.insert(all.end(), values.begin(), values.end());
  }
  return all;
}

auto key_of_bond(const Bond& bond) {
  return std::tie(bond.collider_a, bond.collider_b);
}

} // namespace

RankSimulation::Engine::Engine(World w, StepOptions o, Ranks& r, RankOptions ro)
    : whole(std::move(w)), options(std::move(o)), ranks(r), rank_options(std::move(ro)) {
  ranks.together([&] {
    solver = solver_over_ranks(options);
    refuse_what_does_not_work();
    radii = bounding_radii(whole);
    least_radius = smallest_radius(whole, radii);
    // A body that is removed has been there: what is large and how wide cells are stays the same.
    const std::vector<Index> removed = whole.removed_bodies();
    whole.set_removed({});
    choose_large_bodies();
    whole.set_removed(removed);
    list_colliders_of_whole();
  });
  distribute();
}

void RankSimulation::Engine::refuse_what_does_not_work() const {
  const auto refuse = [](const std::string& what) {
    throw InvalidArgument("over ranks there is no support for " + what);
  };
  for (const ForceFunction& force : whole.forces())
    if (loaded_body(force) < 0) refuse("force functions, which may look at any body");
  if (options.time_limit > 0) refuse("a time limit (solver.max_products is one for all machines)");
  if (!solver->info().over_ranks)
    refuse(fmt::format("solver {}; there is for {}", solver->info().name, solvers_over_ranks()));
  if (const std::string why = solver->refuses_ranks(); !why.empty())
    refuse(fmt::format("solver {} {}", solver->info().name, why));
}

void RankSimulation::Engine::choose_large_bodies() {
  is_large.assign(whole.size(), 0);
  for (Index i = 0; i < whole.size(); ++i)
    is_large[i] = whole.bodies()[i].kind != BodyKind::dynamic || !std::isfinite(radii[i]) ||
                  (radii[i] == 0 && !whole.bodies()[i].shapes.empty());
  for (const Joint& joint : whole.joints())
    for (const Index body : {joint.body_a, joint.body_b})
      if (body != ground) is_large[body] = 1;
  for (const ForceFunction& force : whole.forces()) is_large[loaded_body(force)] = 1;
  std::vector<double> small;
  for (Index i = 0; i < whole.size(); ++i)
    if (!is_large[i]) small.push_back(radii[i]);
  if (!small.empty()) {
    std::ranges::nth_element(small, small.begin() + small.size() / 2);
    const double limit = rank_options.large_radius * small[small.size() / 2];
    for (Index i = 0; i < whole.size(); ++i)
      if (!is_large[i] && radii[i] > limit) is_large[i] = 1;
  }
  Index movable = 0;
  for (Index i = 0; i < whole.size(); ++i) {
    if (!is_large[i]) {
      most_radius = std::max(most_radius, radii[i]);
      continue;
    }
    large.push_back(i);
    movable += whole.bodies()[i].kind == BodyKind::dynamic;
  }
  if (movable > most_shared_bodies)
    throw InvalidArgument(fmt::format("{} dynamic bodies have joints or are large; over ranks at "
                                      "most {} may",
                                      movable, most_shared_bodies));
  grid.width = rank_options.cell_radii * (most_radius > 0 ? most_radius : 1.0);
}

void RankSimulation::Engine::list_colliders_of_whole() {
  first_collider.reserve(whole.size());
  for (Index i = 0; i < whole.size(); ++i) {
    first_collider.push_back(static_cast<Index>(colliders.size()));
    Index number = 0;
    for (const BodyShape& shape : whole.bodies()[i].shapes)
      colliders.push_back({i, shape.material, number++});
  }
}

/// Divides all bodies, whose states every rank has.
void RankSimulation::Engine::distribute() {
  std::vector<CellWeight> bodies;
  if (ranks.rank() == 0)
    for (Index i = 0; i < whole.size(); ++i)
      if (!is_large[i]) bodies.push_back({cell_of(i), 1});
  owners = rank_options.cuts.empty() ? CellOwners::balanced(std::move(bodies), ranks)
                                     : CellOwners(rank_options.cuts);
  own.clear();
  for (Index i = 0; i < whole.size(); ++i)
    if (!is_large[i] && owners.owner(cell_of(i)) == ranks.rank()) own.push_back(i);
}

RankSimulation::RankSimulation(World world, StepOptions options, Ranks& ranks,
                               RankOptions rank_options)
    : engine_(std::make_unique<Engine>(std::move(world), std::move(options), ranks,
                                       std::move(rank_options))) {}
RankSimulation::~RankSimulation() = default;
RankSimulation::RankSimulation(RankSimulation&&) noexcept = default;
RankSimulation& RankSimulation::operator=(RankSimulation&&) noexcept = default;

const StepReport& RankSimulation::step() {
  with_threads(engine_->options.threads, [&] { engine_->run_step(); });
  return engine_->report;
}

const StepOptions& RankSimulation::options() const {
  return engine_->options;
}
double RankSimulation::time() const {
  return engine_->time;
}
std::int64_t RankSimulation::steps() const {
  return engine_->steps;
}
const StepReport& RankSimulation::report() const {
  return engine_->report;
}
Index RankSimulation::own_bodies() const {
  return static_cast<Index>(engine_->own.size());
}
Index RankSimulation::own_contacts() const {
  return static_cast<Index>(engine_->contacts.size());
}

SimulationState RankSimulation::gather_state() const {
  const Engine& e = *engine_;
  const bool first = e.ranks.rank() == 0;
  std::vector<Engine::BodyPacket> mine;
  for (const Index body : e.own) mine.push_back({body, e.whole.states()[body], {}, {}});
  const auto bodies = at_first_rank(e.ranks, mine);
  auto cached = at_first_rank(e.ranks, e.packets_of_cache());
  auto bonds = at_first_rank(e.ranks, e.bonds);

  SimulationState state;
  state.time = e.time;
  state.steps = e.steps;
  if (!first) return state;
  state.bodies.assign(e.whole.states().begin(), e.whole.states().end());
  for (const auto& packet : bodies) state.bodies[packet.body] = packet.state;
  state.joint_coordinates.assign(e.whole.joint_coordinates().begin(),
                                 e.whole.joint_coordinates().end());
  state.warm_start.step = e.cache.step;
  state.warm_start.rows = e.cache.rows;
  state.removed = e.whole.removed_bodies();
  e.set_cache(std::move(cached), state.warm_start);
  bonds.insert(bonds.end(), e.severed.begin(), e.severed.end());
  std::ranges::sort(bonds, {}, key_of_bond);
  state.bonds = std::move(bonds);
  return state;
}

void RankSimulation::restore(const SimulationState& state) {
  Engine& e = *engine_;
  e.ranks.together([&] { require_fitting(state, e.whole); });
  e.whole.set_removed(state.removed);
  e.least_radius = smallest_radius(e.whole, e.radii);
  std::ranges::copy(state.bodies, e.whole.states().begin());
  std::ranges::copy(state.joint_coordinates, e.whole.joint_coordinates().begin());
  e.time = state.time;
  e.steps = state.steps;
  e.distribute();
  e.cache = {};
  e.cache.step = state.warm_start.step;
  e.cache.rows = state.warm_start.rows;
  const WarmStart& from = state.warm_start;
  for (std::size_t k = 0; k < from.contacts.size(); ++k) {
    const CachedImpulse& cached = from.contacts[k];
    if (e.next_owner(cached.collider_a, cached.collider_b) != e.ranks.rank()) continue;
    e.cache.contacts.push_back(cached);
    if (!from.normals.empty()) e.cache.normals.push_back(from.normals[k]);
    if (!from.moments.empty()) e.cache.moments.push_back(from.moments[k]);
    if (!from.shear.empty()) e.cache.shear.push_back(from.shear[k]);
  }
  e.bonds.clear();
  e.severed.clear();
  for (const Bond& bond : state.bonds) {
    if (bond.broken)
      e.severed.push_back(bond);
    else if (e.next_owner(bond.collider_a, bond.collider_b) == e.ranks.rank())
      e.bonds.push_back(bond);
  }
}

RankSimulation::Forces RankSimulation::gather_forces() const {
  const Engine& e = *engine_;
  struct Packet {
    ContactPoint point;
    Vec3 impulse, moment;
  };
  const std::size_t d = e.dimension();
  std::vector<Packet> mine;
  for (std::size_t c = 0; c < e.contacts.size(); ++c) {
    ContactPoint point = e.contacts[c];
    point.body_a = e.colliders[point.collider_a].body;
    point.body_b = e.colliders[point.collider_b].body;
    const RigidContact& frame = std::get<RigidModel>(e.problem.model).contacts[c];
    const Vec3 third = cross(frame.normal, frame.tangent);
    const double* x = &e.result.x[d * c];
    const double pull = e.bonds_now.pull.empty() ? 0.0 : e.bonds_now.pull[c];
    Packet packet{point, (x[0] - pull) * frame.normal + x[1] * frame.tangent + x[2] * third, {}};
    if (d > 3) packet.moment = x[3] * frame.tangent + x[4] * third + x[5] * frame.normal;
    mine.push_back(packet);
  }
  auto all = at_first_rank(e.ranks, mine);
  std::ranges::sort(all, {}, [](const Packet& packet) {
    return std::tie(packet.point.collider_a, packet.point.collider_b, packet.point.key);
  });
  Forces forces;
  for (const Packet& packet : all) {
    forces.contacts.push_back(packet.point);
    forces.impulses.push_back(packet.impulse);
    if (d > 3) forces.moments.push_back(packet.moment);
  }
  if (e.ranks.rank() != 0) return forces;
  forces.rows = e.rows;
  // Without contacts and rows there is no answer.
  if (!e.result.x.empty())
    forces.multipliers.assign(e.result.x.end() - e.rows.size(), e.result.x.end());
  return forces;
}

bool RankSimulation::has_same_bits() const {
  return engine_->solver->has_same_bits_over_ranks();
}

std::uint64_t RankSimulation::hash() const {
  const Engine& e = *engine_;
  // A sum of the hashes of bodies and impulses depends on neither their order nor their place.
  std::uint64_t sum = 0;
  const auto add_body = [&](Index body) {
    BitHash bits;
    bits.add(static_cast<std::uint64_t>(body));
    add_state(e.whole.states()[body], bits);
    sum += bits.value();
  };
  for (const Index body : e.own) add_body(body);
  for (std::size_t k = 0; k < e.cache.contacts.size(); ++k) {
    const CachedImpulse& cached = e.cache.contacts[k];
    BitHash bits;
    if (!e.cache.moments.empty()) bits.add(e.cache.moments[k]);
    if (!e.cache.shear.empty()) bits.add(e.cache.shear[k]);
    for (const auto part :
         {static_cast<std::uint64_t>(cached.collider_a),
          static_cast<std::uint64_t>(cached.collider_b), cached.key.children, cached.key.features})
      bits.add(part);
    bits.add(cached.impulse);
    sum += bits.value();
  }
  const auto add_bond = [&](const Bond& bond) {
    BitHash bits;
    for (const Index part : {bond.collider_a, bond.collider_b, Index{bond.broken}})
      bits.add(static_cast<std::uint64_t>(part));
    bits.add(bond.origin);
    sum += bits.value();
  };
  for (const Bond& bond : e.bonds) add_bond(bond);
  if (e.ranks.rank() == 0) {
    for (const Index body : e.large) add_body(body);
    for (const Bond& bond : e.severed) add_bond(bond);
    BitHash bits;
    for (const CachedMultiplier& row : e.cache.rows) bits.add(row.value);
    sum += bits.value();
  }
  std::int64_t halves[2] = {static_cast<std::int64_t>(sum & 0xffffffff),
                            static_cast<std::int64_t>(sum >> 32)};
  e.ranks.sum(std::span<std::int64_t>(halves));
  return static_cast<std::uint64_t>(halves[0]) + (static_cast<std::uint64_t>(halves[1]) << 32);
}

} // namespace talus
