#include "talus/cluster/rank_simulation.h"

#include "talus/cluster/rank_engine.h"
#include "talus/core/bit_hash.h"
#include "talus/core/error.h"
#include "talus/core/parallel.h"
#include "talus/solve/registry.h"
#include "talus/step/envelope.h"

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

} // namespace

RankSimulation::Engine::Engine(WorldShare share, StepOptions o, Ranks& r, RankOptions ro)
    : options(std::move(o)), ranks(r), rank_options(std::move(ro)),
      colliders(std::move(share.colliders)), shapes(std::move(share.shapes)),
      exclusions(std::move(share.exclusions)), here(std::move(share.world)),
      seen(std::move(share.numbers)), removed_at(std::move(share.removed_at)) {
  ranks.together([&] {
    solver = solver_over_ranks(options);
    refuse_what_does_not_work();
    radii_here = bounding_radii(here);
  });
  has_removals =
      ranks.any(std::ranges::any_of(removed_at, [](double when) { return std::isfinite(when); }));
  least_radius = global_least_radius();
  choose_large_bodies();
  distribute();
}

void RankSimulation::Engine::refuse_what_does_not_work() const {
  const auto refuse = [](const std::string& what) {
    throw InvalidArgument("over ranks there is no support for " + what);
  };
  if (options.time_limit > 0) refuse("a time limit (solver.max_products is one for all machines)");
  if (!solver->info().over_ranks)
    refuse(fmt::format("solver {}; there is for {}", solver->info().name, solvers_over_ranks()));
  if (const std::string why = solver->refuses_ranks(); !why.empty())
    refuse(fmt::format("solver {} {}", solver->info().name, why));
}

RankSimulation::RankSimulation(World world, StepOptions options, Ranks& ranks,
                               RankOptions rank_options)
    : RankSimulation(share_of(std::move(world), ranks.rank(), ranks.count()), std::move(options),
                     ranks, std::move(rank_options)) {}
RankSimulation::RankSimulation(WorldShare share, StepOptions options, Ranks& ranks,
                               RankOptions rank_options)
    : engine_(std::make_unique<Engine>(std::move(share), std::move(options), ranks,
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
Index RankSimulation::all_bodies() const {
  return engine_->colliders.bodies();
}
Index RankSimulation::own_bodies() const {
  return engine_->own_bodies();
}
Index RankSimulation::bodies_here() const {
  return engine_->here.size();
}
const MaterialTable& RankSimulation::materials() const {
  return engine_->here.materials;
}
std::size_t RankSimulation::joints() const {
  return engine_->here.joints().size();
}
Index RankSimulation::own_contacts() const {
  return static_cast<Index>(engine_->contacts.size());
}

RankSimulation::Forces RankSimulation::gather_forces() const {
  const Engine& e = *engine_;
  struct Packet {
    ContactPoint point;
    Vec3 impulse, moment;
  };
  std::vector<Packet> mine;
  for (std::size_t c = 0; e.has_answer && c < e.contacts.size(); ++c) {
    const ActingContact contact = e.acting_contact(c);
    mine.push_back({contact.point, contact.impulse, contact.moment});
  }
  auto all = values_at_first_rank(e.ranks, mine);
  std::ranges::sort(all, {}, [](const Packet& packet) { return order_of(packet.point); });
  Forces forces;
  for (const Packet& packet : all) {
    forces.contacts.push_back(packet.point);
    forces.impulses.push_back(packet.impulse);
    if (contacts_have_moments()) forces.moments.push_back(packet.moment);
  }
  if (e.ranks.rank() == 0) forces.joints = joint_answers();
  return forces;
}

bool RankSimulation::has_same_bits() const {
  return engine_->solver->has_same_bits_over_ranks();
}

std::uint64_t RankSimulation::hash() const {
  const Engine& e = *engine_;
  // A sum of the hashes of bodies and impulses depends on neither their order nor their place.
  std::uint64_t sum = 0;
  for (Index k = 0; k < static_cast<Index>(e.seen.size()); ++k) {
    if (!e.counts_here(k)) continue;
    BitHash bits;
    bits.add(static_cast<std::uint64_t>(e.seen[k]));
    add_state(e.here.states()[k], bits);
    sum += bits.value();
  }
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
