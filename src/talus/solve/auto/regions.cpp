#include "talus/solve/auto/regions.h"

#include "talus/core/vector_ops.h"
#include "talus/solve/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace talus {
namespace {

constexpr double seed_share = 0.9;  ///< Of the squared residual that a region begins with.
constexpr int most_layers = 2;      ///< Of bodies around its first ones.
constexpr Index most_blocks = 1000; ///< Of a region.
constexpr long sweeps_between = 40; ///< Of the whole, between two regions.
constexpr int patience = 3;         ///< Rounds without half the error.
constexpr long region_products = 3000;
/// Contacts that go round in circles do so again with more of it.
constexpr double momentum = 0.3;
/// The share of the squared residual that a region may keep. Sweeps take care of the rest.
constexpr double kept_share = 0.25;

bool moves(const RigidInverseMass& m) {
  return m.mass != 0 || std::ranges::any_of(m.inertia, [](double entry) { return entry != 0; });
}

/// Gives the contacts and rows of the part offsets with which its velocity at x is `velocity`.
void hold_outside(ContactProblem& part, ConstSpan x, ConstSpan velocity) {
  const auto n = make_operator(part);
  Vector u(part.size());
  n->apply(x, u);
  const ConstSpan free = n->free_velocity();
  auto& model = std::get<RigidModel>(part.model);
  for (Index i = 0; i < part.size(); ++i) {
    double& offset = i < part.impulses() ? model.w[i] : model.b[i - part.impulses()];
    offset += velocity[i] - (u[i] + free[i]);
  }
}

} // namespace

std::string Regions::refuses(const ScaledProblem& problem) const {
  return RigidBatches<3>::admits(problem) ? ""
                                          : "problems that are not rigid contacts on round cones";
}

void Regions::mark_bodies(const RigidModel& model, const ScaledProblem& problem, ConstSpan z,
                          int layers) {
  body_.assign(model.inverse_mass.size(), 0);
  const auto mark = [&](std::vector<char>& marks, BodyPair pair) {
    for (const Index body : {pair.a, pair.b})
      if (body >= 0 && moves(model.inverse_mass[body])) marks[body] = 1;
  };
  for (std::size_t k = 0; k < seeds_; ++k) mark(body_, model.contact_bodies[worst_[k].second]);
  const auto touches = [&](BodyPair pair) {
    return (pair.a >= 0 && body_[pair.a]) || (pair.b >= 0 && body_[pair.b]);
  };
  for (int layer = 0; layer < layers; ++layer) {
    new_body_ = body_;
    for (Index c = 0; c < problem.contacts(); ++c)
      if (z[3 * static_cast<std::size_t>(c)] > 0 && touches(model.contact_bodies[c]))
        mark(new_body_, model.contact_bodies[c]);
    for (const BodyPair& pair : model.row_bodies)
      if (touches(pair)) mark(new_body_, pair);
    std::swap(body_, new_body_);
  }
}

Index Regions::mark_blocks(const RigidModel& model) {
  inside_.clear();
  const auto is_inside = [&](BodyPair pair) {
    return (pair.a >= 0 && body_[pair.a]) || (pair.b >= 0 && body_[pair.b]);
  };
  for (const std::vector<BodyPair>* pairs : {&model.contact_bodies, &model.row_bodies})
    for (const BodyPair& pair : *pairs) inside_.push_back(is_inside(pair));
  return static_cast<Index>(std::ranges::count(inside_, 1));
}

Index Regions::find_region(const ScaledProblem& problem, ConstSpan z, ConstSpan u) {
  const auto& model = std::get<RigidModel>(problem.problem().model);
  worst_.clear();
  double all = 0;
  for (Index c = 0; c < problem.contacts(); ++c) {
    const double squared = problem.squared_residual(c, c + 1, z, u, false);
    if (squared > 0) worst_.push_back({squared, c});
    all += squared;
  }
  std::ranges::sort(worst_, [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  double sum = 0;
  for (seeds_ = 0; seeds_ < worst_.size() && sum < seed_share * all; ++seeds_)
    sum += worst_[seeds_].first;
  if (seeds_ == 0) return 0;
  const Index most = std::min(most_blocks, CostModel(problem).blocks() / 3);
  for (int layers = most_layers; layers >= 0; --layers) {
    mark_bodies(model, problem, z, layers);
    if (const Index blocks = mark_blocks(model); blocks <= most) return blocks;
  }
  return 0;
}

void Regions::solve_region(ScaledProblem& problem, Index blocks, Span z, ConstSpan u,
                           Monitor& monitor) {
  const ContactProblem& whole = problem.problem();
  Islands division;
  division.count = 2;
  for (const char inside : inside_) division.of_block.push_back(inside ? 0 : 1);
  Island region = std::move(split(whole, division, {true, false})[0]);
  Vector x(problem.size()), part_x(region.problem.size()), part_u(region.problem.size());
  problem.to_physical(z, x);
  gather(whole, region, x, part_x);
  Vector velocity(u.begin(), u.end());
  for (Index c = 0; c < problem.contacts(); ++c)
    for (int i = 0; i < 3; ++i) velocity[3 * static_cast<std::size_t>(c) + i] /= problem.scale()[c];
  for (Index j = 0; j < problem.equalities(); ++j)
    velocity[3 * static_cast<std::size_t>(problem.contacts()) + j] /=
        problem.scale()[problem.contacts() + j];
  gather(whole, region, velocity, part_u);
  hold_outside(region.problem, part_x, part_u);

  const auto n = make_operator(region.problem);
  ScaledProblem part(region.problem, *n);
  if (!(part.reference() > 0)) return;
  const Index all = CostModel(problem).blocks();
  const double size = static_cast<double>(blocks) / all;
  SolveOptions options = monitor.options_within(monitor.tolerance() * problem.reference() *
                                                std::sqrt(kept_share * size) / part.reference());
  const double left = static_cast<double>(monitor.products_left()) / size;
  options.max_products = static_cast<long>(std::clamp<double>(left, 1, region_products));
  Vector part_z(part.size());
  part.to_scaled(part_x, part_z);
  Monitor own(part, options);
  if (!inner_) {
    inner_ = make_solver("auto");
    set_option(*inner_, "regions", "false");
  }
  inner_->run(part, part_z, own);
  const double products = static_cast<double>(part.products());
  problem.count_products(std::lround(products * size));
  monitor.add_solves(own.iterations(),
                     std::lround((static_cast<double>(own.work()) - products) * size));
  if (own.best().empty()) return;
  part.to_physical(own.best(), part_x);
  scatter(whole, region, part_x, x);
  problem.to_scaled(x, z);
}

void Regions::run(ScaledProblem& problem, Span z, Monitor& monitor) {
  Vector u(problem.size());
  problem.velocity(z, u);
  if (!monitor.proceed(z, u)) return;
  double milestone = monitor.error();
  for (int round = 1, idle = 0; idle < patience; ++round) {
    const Index blocks = find_region(problem, z, u);
    if (blocks == 0) return monitor.stall("the residual is everywhere");
    solve_region(problem, blocks, z, u, monitor);
    problem.velocity(z, u);
    if (!monitor.proceed(z, u)) return;
    if (!sweeps_.run_some(problem, z, monitor, sweeps_between, momentum)) return;
    problem.velocity(z, u);
    if (!monitor.proceed(z, u)) return;
    idle = monitor.best_error() > 0.5 * milestone ? idle + 1 : 0;
    if (idle == 0) milestone = monitor.best_error();
    if (monitor.wants_every_iteration())
      monitor.note(fmt::format("region {} of {} contacts and rows", round, blocks));
  }
  monitor.stall("regions no longer halve the error");
}

} // namespace talus
