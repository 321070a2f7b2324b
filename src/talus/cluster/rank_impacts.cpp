// Extra solves of a step over ranks: the bounds of friction where the set does not know them, the
// rebounds of Poisson's law, and rebounds that must not create energy (rank_engine.h).

#include "talus/cluster/analysis/rank_islands.h"
#include "talus/cluster/rank_engine.h"
#include "talus/contact/set_traits.h"
#include "talus/solve/registry.h"
#include "talus/step/impact_energy.h"
#include "talus/step/laws/impact_work.h"
#include "talus/step/laws/poisson.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace talus {

/// As estimate_normal_impulses() does (solve/normal_estimate.h), with rows as they are.
Vector RankSimulation::Engine::estimate_normals(const Sharing& sharing, const ContactProblem& part,
                                                const Vector& initial) {
  ContactProblem frictionless = part;
  frictionless.friction = {FrictionKind::none};
  frictionless.normal_estimate.clear();
  SolveOptions normal_options;
  normal_options.max_iterations = 20000;
  normal_options.initial = initial;
  const auto apgd = make_solver("apgd");
  const SolveResult answer =
      solve(*apgd, frictionless, *connected_operator(sharing, frictionless), normal_options);
  Vector estimate(part.contacts());
  for (std::size_t c = 0; c < estimate.size(); ++c)
    estimate[c] = std::max(0.0, answer.x[part.dimension * c]);
  return estimate;
}

SolveResult RankSimulation::Engine::solve_part(const Sharing& sharing, ContactProblem& part,
                                               const Vector& initial,
                                               const SolveOptions& solve_options) {
  if (has_fixed_bound(options.friction.kind))
    part.normal_estimate = estimate_normals(sharing, part, initial);
  SolveOptions part_options = solve_options;
  part_options.initial = initial;
  return solve(*solver, part, *connected_operator(sharing, part), part_options);
}

/// Returns the iterations of the two solves.
long RankSimulation::Engine::rebound_by_poisson(const Sharing& sharing,
                                                const SolveOptions& solve_options) {
  if (options.impact_law != ImpactLaw::poisson || !ranks.any(!rebounds.empty())) return 0;
  Vector before(6 * seen.size()), restitution(contacts.size());
  turned_velocities(here, options.step, SpatialOrder(), before);
  for (std::size_t c = 0; c < contacts.size(); ++c)
    restitution[c] = here.materials
                         .between(colliders[contacts[c].collider_a].material,
                                  colliders[contacts[c].collider_b].material)
                         .restitution;
  PoissonInput input{problem, before, restitution,
                     restitution_threshold_of(options, norm(here.gravity)),
                     [&](ContactProblem& part, const Vector& initial) {
                       return solve_part(sharing, part, initial, solve_options);
                     }};
  input.largest = [this](double number) { return ranks.max(number); };
  input.pull = [&](ConstSpan pull, ContactProblem& part) {
    const std::size_t d = part.dimension;
    const auto n = connected_operator(sharing, part);
    Vector x(n->size(), 0.0), v(n->dofs());
    for (std::size_t c = 0; c < pull.size(); ++c) x[d * c] = -pull[c];
    n->generalized_velocity(x, v);
    std::get<RigidModel>(part.model).free_velocity = std::move(v);
  };
  return find_poisson_rebounds(input, rebounds);
}

namespace {

/// Rebounds of a divided step, each island's scaled by a factor of its own.
class ScaledImpact {
public:
  ScaledImpact(ContactProblem& problem, std::span<const Rebound> rebounds, RankIslands islands,
               ConstSpan before)
      : problem_(problem), rebounds_(rebounds), islands_(std::move(islands)), before_(before),
        scale_(islands_.count(), 1.0) {}

  const RankIslands& islands() const { return islands_; }
  double& scale(Index island) { return scale_[island]; }

  void set_targets() {
    for (const Rebound& rebound : rebounds_)
      std::get<RigidModel>(problem_.model).w[entry(rebound.contact)] =
          scaled_target(rebound, scale_of(rebound.contact));
  }

  /// W of every island. All ranks together.
  std::vector<ImpactWork> works(ConstSpan x, ConstSpan v) const {
    const auto& model = std::get<RigidModel>(problem_.model);
    std::vector<ExactSum> sums(2 * scale_.size());
    RecoverySpeeds recovery(problem_, rebounds_);
    for (Index c = 0; c < problem_.contacts(); ++c) {
      const double recovered = recovery.of(c, scale_of(c));
      const Index island = islands_.of_contact(c);
      if (island < 0 || is_spring(problem_, c)) continue;
      const double* impulse = &x[entry(c)];
      ImpactWork work;
      work.add(impulse, problem_.dimension, relative_velocity(model, c, before_),
               relative_velocity(model, c, v), recovered, shear_energy(problem_, c, impulse));
      sums[2 * island].add(work.sum);
      sums[2 * island + 1].add(work.turnover);
    }
    const std::vector<double> values = islands_.values(std::move(sums), 2);
    std::vector<ImpactWork> works;
    for (std::size_t k = 0; k < scale_.size(); ++k)
      works.push_back({values[2 * k], values[2 * k + 1]});
    return works;
  }

  /// Σ γ_n e |u⁻| of every island. All ranks together.
  std::vector<double> rebound_energies(ConstSpan x) const {
    std::vector<ExactSum> sums(scale_.size());
    for (const Rebound& rebound : rebounds_)
      if (const Index island = islands_.of_contact(rebound.contact); island >= 0)
        sums[island].add(x[entry(rebound.contact)] * rebound.speed);
    return islands_.values(std::move(sums), 1);
  }

  /// Copies the marked islands' parts of an answer.
  void take(const std::vector<char>& marked, const Vector& from, Vector& x) const {
    const auto is_marked = [&](Index island) { return island >= 0 && marked[island]; };
    for (Index c = 0; c < problem_.contacts(); ++c)
      if (is_marked(islands_.of_contact(c)))
        std::copy_n(&from[entry(c)], problem_.dimension, &x[entry(c)]);
    for (Index row = 0; row < problem_.equalities(); ++row)
      if (is_marked(islands_.of_row(row)))
        x[entry(problem_.contacts()) + row] = from[entry(problem_.contacts()) + row];
  }
  void take_estimates(const std::vector<char>& marked, const Vector& from,
                      Vector& estimates) const {
    for (std::size_t c = 0; c < estimates.size(); ++c)
      if (const Index island = islands_.of_contact(static_cast<Index>(c));
          island >= 0 && marked[island])
        estimates[c] = from[c];
  }

private:
  std::size_t entry(Index contact) const {
    return static_cast<std::size_t>(problem_.dimension) * contact;
  }
  double scale_of(Index contact) const {
    const Index island = islands_.of_contact(contact);
    return island < 0 ? 1.0 : scale_[island];
  }

  ContactProblem& problem_;
  std::span<const Rebound> rebounds_;
  RankIslands islands_;
  ConstSpan before_;
  std::vector<double> scale_;
};

} // namespace

/// As limit_impact_energy() does, but for all islands at once: the whole step is solved again, and
/// each island takes its part of the answers that it asked for.
void RankSimulation::Engine::keep_rebounds_from_creating_energy(const Sharing& sharing,
                                                                const SolveOptions& solve_options,
                                                                StepReport& now) {
  if (!ranks.any(!rebounds.empty())) return;
  // What a solve leaves over is no gain.
  const double slack = std::max(0.01 * now.tolerance, 1e-12);
  Vector before(6 * seen.size());
  turned_velocities(here, options.step, SpatialOrder(), before);
  RankIslandInput input{std::get<RigidModel>(problem.model), sharing, seen, owner_of, {}};
  for (const Rebound& rebound : rebounds) input.marked.push_back(rebound.contact);
  ScaledImpact impact(problem, rebounds, RankIslands(input, ranks), before);
  const auto count = static_cast<std::size_t>(impact.islands().count());
  const std::vector<ImpactWork> unscaled = impact.works(result.x, result.v);
  const std::vector<double> energies = impact.rebound_energies(result.x);
  std::vector<std::optional<ScaleSearch>> searches(count);
  for (std::size_t k = 0; k < count; ++k)
    if (unscaled[k].sum > slack * unscaled[k].turnover)
      searches[k].emplace(unscaled[k].sum, energies[k], slack);
  const auto goes_on = [](const auto& search) { return search && !search->has_ended(); };
  const auto scale_of = [&](const auto& search) {
    if (!search) return 1.0;
    return search->has_ended() ? search->best().value_or(1.0) : search->scale();
  };

  Vector answer = result.x, estimates = problem.normal_estimate;
  bool is_scaled = false;
  while (ranks.any(std::ranges::any_of(searches, goes_on))) {
    for (std::size_t k = 0; k < count; ++k) impact.scale(k) = scale_of(searches[k]);
    impact.set_targets();
    const SolveResult trial = solve_part(sharing, problem, answer, solve_options);
    result.iterations += trial.iterations;
    result.work += trial.work;
    const std::vector<ImpactWork> works = impact.works(trial.x, trial.v);
    std::vector<char> taken(count, 0);
    for (std::size_t k = 0; k < count; ++k)
      if (goes_on(searches[k]))
        taken[k] = searches[k]->include(std::isfinite(works[k].sum) ? &works[k] : nullptr);
    impact.take(taken, trial.x, answer);
    impact.take_estimates(taken, problem.normal_estimate, estimates);
    is_scaled = is_scaled || std::ranges::any_of(taken, [](char t) { return t != 0; });
  }
  if (!ranks.any(
          std::ranges::any_of(searches, [](const auto& search) { return search.has_value(); })))
    return;
  double least = 1;
  for (std::size_t k = 0; k < count; ++k) {
    impact.scale(k) = scale_of(searches[k]);
    least = std::min(least, impact.scale(k));
  }
  impact.set_targets();
  problem.normal_estimate = std::move(estimates);
  if (!ranks.any(is_scaled)) return;
  now.restitution_scale = ranks.min(least);
  result.x = std::move(answer);
  judge_answer(problem, *connected_operator(sharing, problem), solve_options,
               "the islands were solved", result);
}

} // namespace talus
