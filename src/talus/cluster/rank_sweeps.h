#pragma once
// Sweeps over the cells of all ranks (problem/delassus/cell_sweeps.h), for one layout of contacts.

#include "talus/cluster/sweep_plan.h"
#include "talus/problem/delassus/cell_sweeps.h"
#include "talus/problem/delassus/rolling_layout.h"

#include <cmath>
#include <functional>

namespace talus {

/// The contacts of a layout between the bodies of a plan: the layout's own, then copies.
template <class Layout>
struct PlannedLayout;

template <int B, int D>
struct PlannedLayout<BlockLayout<B, D>> {
  PlannedLayout(const BlockLayout<B, D>& whole, const SweepPlan& plan) : layout(whole) {
    const std::size_t entries =
        whole.inverse_mass.size() == whole.free_velocities.size() ? B : B * B;
    for (const BodyCopy& copy : plan.copies) {
      for (std::size_t i = 0; i < entries; ++i)
        layout.inverse_mass.push_back(static_cast<double>(copy.count) *
                                      whole.inverse_mass[entries * copy.body + i]);
      for (int i = 0; i < B; ++i)
        layout.free_velocities.push_back(
            whole.free_velocities[static_cast<std::size_t>(B) * copy.body + i]);
    }
    layout.contact_bodies = plan.contact_bodies;
  }
  BlockLayout<B, D> layout;
};

inline RigidBodies with_copies(const RigidLayout& whole, const SweepPlan& plan) {
  RigidBodies bodies{whole.inverse_mass(),
                     {whole.free_velocity().begin(), whole.free_velocity().end()},
                     plan.contact_bodies};
  for (const BodyCopy& copy : plan.copies) {
    RigidInverseMass mass = whole.inverse_mass()[copy.body];
    mass.mass *= static_cast<double>(copy.count);
    for (double& entry : mass.inertia) entry *= static_cast<double>(copy.count);
    bodies.inverse_mass.push_back(mass);
    for (int i = 0; i < 6; ++i)
      bodies.free_velocity.push_back(
          whole.free_velocity()[6 * static_cast<std::size_t>(copy.body) + i]);
  }
  return bodies;
}

template <>
struct PlannedLayout<RigidLayout> {
  /// Without copies the bodies are those of the layout.
  PlannedLayout(const RigidLayout& whole, const SweepPlan& plan)
      : bodies(plan.copies.empty() ? RigidBodies{} : with_copies(whole, plan)),
        layout(plan.copies.empty() ? whole : RigidLayout(whole.model(), bodies)) {}
  RigidBodies bodies;
  RigidLayout layout;
};

template <>
struct PlannedLayout<RollingLayout> {
  PlannedLayout(const RollingLayout& whole, const SweepPlan& plan)
      : bodies(with_copies(whole, plan)), layout(whole, bodies) {}
  RigidBodies bodies;
  RollingLayout layout;
};

template <class Layout>
class RankSweeps : public CellSweeps {
  static constexpr int B = Layout::body_dofs;

public:
  /// v of the layout's own bodies at given impulses.
  using MakeVelocities = std::function<void(ConstSpan x, Span v)>;

  /// Keeps references to all but the plan.
  RankSweeps(const Layout& whole, const Sharing& sharing, SweepPlan plan, MakeVelocities velocities)
      : CellSweeps(sharing.division), sharing_(&sharing), plan_(std::move(plan)),
        planned_(whole, plan_), bodies_(whole.bodies()), make_velocities_(std::move(velocities)) {
    std::size_t most = 0;
    for (const ColourHalo& halo : plan_.halos)
      most = std::max({most, halo.depart.size(), halo.arrive.size()});
    sent_.resize(B * most);
    arrived_.resize(B * most);
  }

  /// Contacts between bodies and copies.
  const Layout& layout() const { return planned_.layout; }
  const SweepPlan& plan() const { return plan_; }

  void begin_colour(Index colour, BodyVelocities v) override {
    for (Index k = plan_.copies_start[colour]; k < plan_.copies_start[colour + 1]; ++k)
      refresh(k, v);
  }

  void end_colour(Index colour, BodyVelocities v) override {
    take_means(colour, v);
    const ColourHalo& exchange = plan_.halos[colour];
    if (!exchange.halo) return;
    for (std::size_t k = 0; k < exchange.depart.size(); ++k)
      std::copy_n(v.of(exchange.depart[k]), B, &sent_[B * k]);
    exchange.halo->copy(sent_, Span(arrived_.data(), B * exchange.arrive.size()), B);
    for (std::size_t k = 0; k < exchange.arrive.size(); ++k)
      std::copy_n(&arrived_[B * k], B, v.of(exchange.arrive[k]));
  }

  void make_velocities(ConstSpan x, Span v) override {
    make_velocities_(x, v.first(static_cast<std::size_t>(B) * bodies_));
    for (std::size_t k = 0; k < plan_.copies.size(); ++k)
      copy_body(static_cast<Index>(k), {v.data(), B});
  }

  void refresh_copies(BodyVelocities v) const override {
    for (std::size_t k = 0; k < plan_.copies.size(); ++k) refresh(static_cast<Index>(k), v);
  }

private:
  void copy_body(Index copy, BodyVelocities v) const {
    std::copy_n(v.of(plan_.copies[copy].body), B, v.of(bodies_ + copy));
  }
  /// Those of immovable bodies never change.
  void refresh(Index copy, BodyVelocities v) const {
    if (plan_.copies[copy].shared >= 0) copy_body(copy, v);
  }

  /// Shared bodies move by the mean of what their copies did, added exactly.
  void take_means(Index colour, BodyVelocities v) {
    const std::vector<Index>& changed = plan_.changed[colour];
    if (changed.empty()) return;
    sums_.assign(B * changed.size(), ExactSum());
    for (Index k = plan_.copies_start[colour]; k < plan_.copies_start[colour + 1]; ++k) {
      const BodyCopy& copy = plan_.copies[k];
      if (copy.shared < 0) continue;
      const auto at = std::ranges::lower_bound(changed, copy.shared) - changed.begin();
      const double *before = v.of(copy.body), *after = v.of(bodies_ + k);
      const auto share = static_cast<double>(copy.count);
      for (int i = 0; i < B; ++i) sums_[B * at + i].add((after[i] - before[i]) / share);
    }
    sharing_->division.ranks->sum(sums_);
    for (std::size_t k = 0; k < changed.size(); ++k) {
      double* now = v.of(sharing_->shared[changed[k]]);
      for (int i = 0; i < B; ++i) now[i] += sums_[B * k + i].value();
    }
  }

  const Sharing* sharing_;
  SweepPlan plan_;
  PlannedLayout<Layout> planned_;
  Index bodies_;
  MakeVelocities make_velocities_;
  std::vector<ExactSum> sums_;
  Vector sent_, arrived_;
};

} // namespace talus
