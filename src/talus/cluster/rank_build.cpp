// Middle stages of a step over ranks: the problem, its connections, the solve (rank_engine.h).

#include "talus/cluster/rank_engine.h"
#include "talus/contact/set_traits.h"
#include "talus/core/large_problem.h"
#include "talus/step/assembly/bearings.h"
#include "talus/step/assembly/compact_contacts.h"
#include "talus/step/error.h"
#include "talus/step/laws/elastic_contacts.h"
#include "talus/step/warm_start.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

namespace talus {

double RankSimulation::Engine::penetration() const {
  constexpr double automatic_penetration = 1e-5; // of the smallest radius (step/envelope.h)
  return options.allowed_penetration >= 0 ? options.allowed_penetration
                                          : automatic_penetration * least_radius;
}

void RankSimulation::Engine::build(StepReport& now) {
  coordinates.assign(here.joint_coordinates().begin(), here.joint_coordinates().end());
  for (std::size_t j = 0; j < coordinates.size(); ++j)
    coordinates[j] = joint_coordinate(here, here.joints()[j], coordinates[j]);
  collect_joint_rows(here, coordinates, time, options.step, rows);
  drift.foresee(here, velocity, radii_here, options.step, rows);
  const SpatialOrder as_they_are;
  build_step_problem({here, options, colliders, penetration(), velocity, start, contacts,
                      as_they_are, radii_here, rows, last_shear, hertz, added_mass},
                     problem, rebounds);
  if (!start.empty()) turn_into_frames(std::get<RigidModel>(problem.model).contacts, start);
  if (has_yielding_contacts()) resume_shear(start, hertz, options.step, problem);
  if (options.warm_start) {
    append_multipliers(cache, rows, options.step, start);
    if (has_bearings(here, rows)) bound_bearings(here, start, options.step, 1, rows, problem);
  } else {
    start.clear();
  }
  now.joint_rows = static_cast<Index>(rows.size());
  for (const ContactPoint& contact : contacts)
    now.max_penetration = std::max(now.max_penetration, -contact.gap);
}

/// Bodies that touch one body are within two radii and the envelope of it; so all cells that change
/// it have different colours. The contacts between large bodies have a colour of their own. Colours
/// without a cell are left out.
void RankSimulation::Engine::colour_cells(double envelope, Division& division) {
  const Index stride = grid.stride_for(2 * most_radius + envelope);
  std::vector<std::int64_t> number(stride * stride * stride + 1, 0);
  for (Index cell = 0; cell < division.cells(); ++cell) {
    const CellCode code = cells[division.cell_start[cell]];
    division.cell_colour.push_back(code == 0 ? static_cast<Index>(number.size()) - 1
                                             : CellGrid::colour_of(code - 1, stride));
    ++number[division.cell_colour.back()];
  }
  ranks.sum(std::span<std::int64_t>(number));
  for (std::int64_t& cells_of_colour : number)
    cells_of_colour = cells_of_colour > 0 ? division.colours++ : -1;
  for (Index& colour : division.cell_colour) colour = static_cast<Index>(number[colour]);
}

/// Who needs whose velocities and impulses.
Sharing RankSimulation::Engine::connect_bodies(double envelope) {
  Sharing sharing;
  for (Index k = 0; k < static_cast<Index>(seen.size()); ++k)
    if (owner_of[k] < 0 && here.bodies()[k].kind == BodyKind::dynamic) sharing.shared.push_back(k);
  for (std::size_t c = 0; c < cells.size(); ++c)
    if (c > 0 && cells[c] != cells[c - 1])
      sharing.division.cell_start.push_back(static_cast<Index>(c));
  if (!cells.empty()) sharing.division.cell_start.push_back(static_cast<Index>(cells.size()));
  colour_cells(envelope, sharing.division);

  const int count = ranks.count();
  const RigidModel& model = std::get<RigidModel>(problem.model);
  Vector lengths;
  if (dimension() > 3) {
    const RollingLayout layout(problem, model);
    lengths.assign(layout.lengths().begin(), layout.lengths().end());
  }
  std::vector<std::vector<Index>> wanted(count);
  std::vector<Bytes> contacts_out(count);
  sharing.impulses.send.resize(count);
  for (Index c = 0; c < static_cast<Index>(contacts.size()); ++c)
    for (const int side : {0, 1}) {
      const Index body = side == 0 ? contacts[c].body_a : contacts[c].body_b;
      const int owner = owner_of[body];
      if (owner < 0 || owner == ranks.rank()) continue;
      wanted[owner].push_back(body);
      sharing.impulses.send[owner].push_back(c);
      append(contacts_out[owner], ContactPacket{seen[body], side, model.contacts[c],
                                                lengths.empty() ? 0.0 : lengths[c]});
    }
  std::vector<Bytes> wishes(count);
  for (int r = 0; r < count; ++r) {
    std::ranges::sort(wanted[r]);
    wanted[r].erase(std::ranges::unique(wanted[r]).begin(), wanted[r].end());
    for (const Index body : wanted[r]) {
      sharing.ghosts.push_back(body);
      append(wishes[r], seen[body]);
    }
  }
  for (const Bytes& bytes : ranks.exchange(std::move(wishes))) {
    auto& send = sharing.velocities.send.emplace_back();
    for (const Index body : values_in<Index>(bytes)) send.push_back(place(body));
  }
  foreign = {};
  foreign_lengths.clear();
  for (const Bytes& bytes : ranks.exchange(std::move(contacts_out)))
    for (const ContactPacket& packet : values_in<ContactPacket>(bytes)) {
      BodyPair pair;
      (packet.side == 0 ? pair.a : pair.b) = place(packet.body);
      sharing.foreign_bodies.push_back(pair);
      foreign.contacts.push_back(packet.contact);
      foreign_lengths.push_back(packet.length);
    }
  foreign.contact_bodies = sharing.foreign_bodies;
  return sharing;
}

template <class Layout>
std::unique_ptr<DelassusOperator>
RankSimulation::Engine::connected_operator(const Sharing& sharing, const ContactProblem& of,
                                           Layout contacts_here, Layout foreign_contacts) {
  std::unique_ptr<RankOperator<Layout>> n;
  ranks.together([&] {
    n = std::make_unique<RankOperator<Layout>>(of, std::move(contacts_here),
                                               std::move(foreign_contacts), sharing);
  });
  n->connect(ranks);
  return n;
}

std::unique_ptr<DelassusOperator>
RankSimulation::Engine::connected_operator(const Sharing& sharing, const ContactProblem& of) {
  const RigidModel& model = std::get<RigidModel>(of.model);
  if (dimension() == 3)
    return connected_operator(sharing, of, RigidLayout(model), RigidLayout(foreign));
  return connected_operator(sharing, of, RollingLayout(of, model),
                            RollingLayout(foreign, foreign_lengths));
}

/// As pull_together() does (laws/cohesion.h), each body's contacts in the order of their cells.
void RankSimulation::Engine::pull_bodies_together(const DelassusOperator& n) {
  if (!is_cohesive()) return;
  RigidModel& model = std::get<RigidModel>(problem.model);
  const std::size_t d = dimension();
  Vector x(n.size(), 0.0), v(n.dofs());
  for (std::size_t c = 0; c < bonds_now.pull.size(); ++c) x[d * c] = -bonds_now.pull[c];
  n.generalized_velocity(x, v);
  model.free_velocity = std::move(v);
}

/// From the initial impulses of the options, whose memory becomes that of the answer.
void RankSimulation::Engine::run_solver(const Sharing& sharing, SolveOptions& solve_options) {
  const std::unique_ptr<DelassusOperator> n = connected_operator(sharing, problem);
  const long iterations = result.iterations, work = result.work;
  result = {};
  result.x = std::exchange(solve_options.initial, {});
  SolveOptions from_result = solve_options;
  from_result.continue_from_result = true;
  SolveWorkspace workspace;
  solve(*solver, problem, *n, from_result, workspace, result);
  result.iterations += iterations;
  result.work += work;
}

/// Contacts of Hertz' law are springs whose slope was foreseen (laws/hertz_contacts.h).
void RankSimulation::Engine::settle_springs(const Sharing& sharing, SolveOptions& solve_options) {
  constexpr int most_rounds = 10;
  if (!here.materials.has_hertz_contacts()) return;
  for (int round = 0; round < most_rounds; ++round) {
    const bool steeper = steepen_where_outrun(hertz, options.step, result.x, result.v, problem);
    if (!ranks.any(steeper)) return;
    solve_options.initial = result.x;
    run_solver(sharing, solve_options);
  }
}

JointedStep RankSimulation::Engine::jointed_step(const Sharing& sharing,
                                                 SolveOptions& solve_options) {
  const auto solve_again = [this, &sharing, &solve_options] {
    solve_options.initial = result.x;
    run_solver(sharing, solve_options); // adds to iterations and work
  };
  const auto velocities = [this]() -> ConstSpan { return result.v; };
  return {here,  radii_here, options.step, options.max_products, rows,
          drift, problem,    result,       solve_again,          velocities};
}

void RankSimulation::Engine::solve_problem(StepReport& now) {
  all_contacts = ranks.sum(static_cast<std::int64_t>(contacts.size()));
  constexpr std::int64_t most_contacts = std::numeric_limits<Index>::max();
  ranks.together([&] {
    if (all_contacts > most_contacts)
      throw ImpossibleStep(
          fmt::format("{} contacts; a step has at most {}", all_contacts, most_contacts));
  });
  now.contacts = static_cast<Index>(all_contacts);
  now.max_penetration = ranks.max(now.max_penetration);
  result = {};
  pose_velocity.clear();
  if (all_contacts == 0 && rows.empty()) return;
  const Sharing sharing = connect_bodies(now.envelope);
  if (is_cohesive()) pull_bodies_together(*connected_operator(sharing, problem));
  // A tenth less, so that an answer at the edge is still within the tolerance when it is judged.
  now.tolerance = tolerance_of(options, now.contacts);
  SolveOptions solve_options;
  solve_options.tolerance = 0.9 * now.tolerance;
  solve_options.max_iterations = options.max_iterations;
  solve_options.max_products = options.max_products;
  problem.normal_estimate.clear();
  if (has_fixed_bound(options.friction.kind))
    problem.normal_estimate = estimate_normals(sharing, problem, start);
  solve_options.initial = std::move(start);
  start.clear();
  const long impact_iterations = rebound_by_poisson(sharing, solve_options);
  velocity = Vector(); // the problem has it
  // Whatever the number of contacts: that of a rank must not decide on a bit.
  std::optional<CompactContacts> compact;
  if (!here.plane_normal()) compact.emplace(contacts);
  run_solver(sharing, solve_options);
  // Where zero impulses are a solution the error knows only right and wrong, and a warm start
  // leaves a trace; zero is what is wanted.
  if (!std::isfinite(result.quality.error) && starts_warm()) {
    solve_options.initial.clear();
    run_solver(sharing, solve_options);
  }
  ranks.together([&] {
    if (result.status == Status::unsupported)
      throw ImpossibleStep(
          fmt::format("solver '{}' does not admit this step: {}", options.solver, result.message));
  });
  settle_springs(sharing, solve_options);
  const JointedStep jointed = jointed_step(sharing, solve_options);
  const bool is_accurate = now.tolerance <= roughest_closing_tolerance;
  if (is_accurate) close_joints(jointed);
  settle_bearings(jointed);
  keep_rebounds_from_creating_energy(sharing, solve_options, now);
  if (is_accurate && now.restitution_scale < 1) close_joints(jointed);
  result.iterations += impact_iterations;
  if (!rows.empty())
    ranks.together([&] {
      pose_velocity = velocities_of_poses(jointed, now.tolerance, result.v, SpatialOrder(), {});
    });
  velocity = std::move(result.v);
  if (is_large(problem.contacts())) result.u = {};
  if (compact)
    compact->restore([&](Index collider) { return place(colliders[collider].body); },
                     std::get<RigidModel>(problem.model).contacts, here.states(), contacts);
  const bool good = result.quality.error <= now.tolerance &&
                    relative_size(result.quality) <= largest_relative_size;
  now.status = good ? Status::converged : result.status;
  if (!good) now.message = result.message;
  now.iterations = result.iterations;
  now.work = result.work;
  now.error = result.quality.error;
  now.violation = result.quality.violation;
}

} // namespace talus
