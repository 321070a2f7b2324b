#include "talus/solve/batches/rigid_batches.h"

#include "talus/contact/local_contact.h"
#include "talus/core/large_problem.h"
#include "talus/solve/batches/batch_kinds.h"

#include <algorithm>
#include <numeric>

namespace talus {
namespace {

using namespace batch;

} // namespace

template <int D>
bool RigidBatches<D>::admits(const ScaledProblem& problem) {
  const bool known = D == 3 ? problem.has_round_cones()
                            : has_moments(problem.problem().friction.kind) &&
                                  problem.dimension() == D && !problem.division();
  constexpr Index most_contacts = 10'000'000; // 3 GB; beyond, memory counts for more than time
  return known && (problem.division() || problem.contacts() <= most_contacts) &&
         std::holds_alternative<RigidModel>(problem.problem().model) &&
         problem.problem().law == Law::coulomb && !problem.is_frozen();
}

template <int D>
bool RigidBatches<D>::is_idle(Index contact, ConstSpan x) const {
  const std::size_t at = D * static_cast<std::size_t>(contact);
  if (x[at] != 0) return false;
  const RigidContact& k = model_->contacts[contact];
  const auto point_velocity = [&](Index body, const Vec3& arm) {
    if (body < 0) return Vec3{};
    const double* v = &layout_->free_velocity()[6 * static_cast<std::size_t>(body)];
    return Vec3{v[0], v[1], v[2]} + talus::cross(Vec3{v[3], v[4], v[5]}, arm);
  };
  const BodyPair pair = layout_->contact_pairs()[contact];
  const Vec3 relative = point_velocity(pair.b, k.arm_b) - point_velocity(pair.a, k.arm_a);
  return model_->w[at] + talus::dot(k.normal, relative) > 0;
}

template <int D>
void RigidBatches<D>::add_part(std::span<const Index> contacts, ConstSpan x) {
  const Index first = static_cast<Index>(plan_.size());
  const auto movable = [&](Index body) { return is_movable(layout_->inverse_mass()[body]); };
  busy_.clear();
  idle_.clear();
  for (const Index c : contacts) (is_idle(c, x) ? idle_ : busy_).push_back(c);
  for (const std::vector<Index>* list : {&busy_, &idle_})
    planner_.group(*list, layout_->contact_pairs(), layout_->bodies(), movable, plan_);
  parts_.push_back({first, static_cast<Index>(plan_.size())});
}

template <int D>
void RigidBatches<D>::add_cells(ConstSpan x) {
  const std::vector<Index>& start = cells_->division().cell_start;
  for (Index colour = 0; colour < cells_->colours(); ++colour) {
    for (const Index cell : cells_->cells(colour)) {
      order_.resize(start[cell + 1] - start[cell]);
      std::iota(order_.begin(), order_.end(), start[cell]);
      add_part(order_, x);
    }
    round_start_.push_back(static_cast<Index>(parts_.size()));
  }
}

template <int D>
void RigidBatches<D>::prepare(const ScaledProblem& problem, const SweepPartition& parts,
                              ConstSpan x) {
  model_ = &std::get<RigidModel>(problem.problem().model);
  const auto rows = std::get<BodyRows<LayoutOf<D>>>(problem.delassus().rows());
  layout_ = &rows.layout();
  cells_ = rows.cells();
  const ConstSpan compliance = compliance_of<D>(problem);
  row_compliance_ =
      compliance.subspan(compliance.empty() ? 0 : D * static_cast<std::size_t>(problem.contacts()));
  const std::vector<RigidInverseMass>& masses = layout_->inverse_mass();
  const Index bodies = layout_->bodies();
  is_isotropic_ = std::ranges::all_of(masses, is_isotropic);
  if (cells_) is_isotropic_ = !cells_->division().ranks->any(!is_isotropic_);
  bodies_.assign(bodies + 1, BodyRecord{}); // the last one stands for the world
  for (Index i = 0; i < bodies; ++i) {
    bodies_[i].inverse_mass = masses[i].mass;
    bodies_[i].inverse_inertia = masses[i].inertia[0];
  }
  inertia_.clear();
  if (!is_isotropic_) {
    inertia_.assign(bodies + 1, {});
    for (Index i = 0; i < bodies; ++i) std::copy_n(masses[i].inertia, 6, inertia_[i].entries);
  }

  plan_.clear();
  parts_.clear();
  round_start_.assign(1, 0);
  if (!is_large(problem.contacts())) {
    // Room for batches that are filled differently, so that like problems allocate nothing.
    plan_.reserve(static_cast<std::size_t>(problem.contacts()) / 4 + SweepPartition::most_parts);
    batches_.reserve(plan_.capacity());
    is_awake_.reserve(plan_.capacity());
    busy_.reserve(problem.contacts());
    idle_.reserve(problem.contacts());
  }
  if (cells_) {
    add_cells(x);
  } else if (parts.rounds() == 0) {
    order_.resize(problem.contacts());
    std::iota(order_.begin(), order_.end(), Index{0});
    add_part(order_, x);
    round_start_.push_back(1);
  }
  for (Index round = 0; round < parts.rounds() && !cells_; ++round) {
    for (Index k = parts.first_part(round); k < parts.first_part(round + 1); ++k)
      add_part(parts.part(k), x);
    round_start_.push_back(static_cast<Index>(parts_.size()));
  }

  batches_.resize(plan_.size());
  parallel_for(
      static_cast<Index>(plan_.size()),
      [&](Index begin, Index end) {
        for (Index k = begin; k < end; ++k) fill(problem, plan_[k], batches_[k]);
      },
      64);
  is_awake_.assign(plan_.size(), 1);
  sweeps_ = 0;
  set_impulses(x);
}

template <int D>
void RigidBatches<D>::fill(const ScaledProblem& problem, const BatchContacts& contacts,
                           ContactBatch<D>& batch) const {
  const Index world = static_cast<Index>(bodies_.size()) - 1;
  batch = ContactBatch<D>{};
  batch.contact = contacts;
  batch.is_round = true;
  std::ranges::fill(batch.relaxation, 1.0);
  for (int lane = 0; lane < batch_width; ++lane) {
    batch.body_a[lane] = batch.body_b[lane] = world;
    // A lane without a contact has no velocity: it is open.
    if (contacts[lane] >= 0) fill_lane(problem, contacts[lane], lane, batch);
  }
}

template <int D>
void RigidBatches<D>::fill_lane(const ScaledProblem& problem, Index c, int lane,
                                ContactBatch<D>& batch) const {
  const RigidContact& k = model_->contacts[c];
  const BodyPair pair = layout_->contact_pairs()[c];
  if (pair.a >= 0) batch.body_a[lane] = pair.a;
  if (pair.b >= 0) batch.body_b[lane] = pair.b;
  const auto put = [lane](const Vec3& v, BatchLanes* to) {
    to[0][lane] = v.x;
    to[1][lane] = v.y;
    to[2][lane] = v.z;
  };
  put(k.normal, batch.normal);
  put(k.tangent, batch.tangent);
  put(k.arm_a, batch.arm_a);
  put(k.arm_b, batch.arm_b);
  LocalContact local;
  double block[D * D];
  problem.delassus().sweep_block(c, block);
  prepare_local_contact(block, D, local);
  const auto packed = pack<D>(local);
  for (int i = 0; i < ContactBatch<D>::triangle; ++i) {
    batch.block[i][lane] = packed.A[i];
    batch.inverse[i][lane] = packed.inverse[i];
  }
  batch.is_round &= has_round_block<D>(packed.A);
  double measure = 1; // of moments
  if constexpr (D == 6) {
    measure = problem.delassus().lengths()[c];
    batch.length[lane] = measure;
    batch.rolling[lane] = problem.problem().rolling[c] / measure;
    batch.spinning[lane] = problem.problem().spinning[c] / measure;
  }
  const ConstSpan compliance = compliance_of<D>(problem);
  for (int i = 0; i < D; ++i) {
    const std::size_t at = D * static_cast<std::size_t>(c) + i;
    batch.bias[i][lane] = i < 3 ? model_->w[at] : measure * model_->w[at];
    if (!compliance.empty()) batch.compliance[i][lane] = compliance[at];
  }
  batch.mu[lane] = problem.problem().mu[c];
  batch.weight[lane] = 1 / (problem.scale()[c] * problem.scale()[c]);
}

template <int D>
void RigidBatches<D>::set_impulses(ConstSpan x) {
  for (ContactBatch<D>& batch : batches_)
    for (int lane = 0; lane < batch_width; ++lane) {
      if (batch.contact[lane] < 0) continue;
      for (int i = 0; i < D; ++i)
        batch.impulse[i][lane] = batch.last[i][lane] =
            x[D * static_cast<std::size_t>(batch.contact[lane]) + i];
    }
}

template <int D>
void RigidBatches<D>::get_impulses(Span x) const {
  parallel_for(
      static_cast<Index>(batches_.size()),
      [&](Index begin, Index end) {
        for (Index k = begin; k < end; ++k)
          for (int lane = 0; lane < batch_width; ++lane) {
            const Index c = batches_[k].contact[lane];
            for (int i = 0; i < D && c >= 0; ++i)
              x[D * static_cast<std::size_t>(c) + i] = batches_[k].impulse[i][lane];
          }
      },
      64);
}

template <int D>
template <class Visit>
void RigidBatches<D>::for_each_part(Visit&& visit) {
  for (std::size_t round = 0; round + 1 < round_start_.size(); ++round) {
    const Index first = round_start_[round];
    if (cells_) cells_->begin_colour(static_cast<Index>(round), velocities());
    parallel_for(
        round_start_[round + 1] - first,
        [&](Index begin, Index end) {
          for (Index k = first + begin; k < first + end; ++k) visit(k);
        },
        1);
    if (cells_) cells_->end_colour(static_cast<Index>(round), velocities());
  }
}

template <int D>
void RigidBatches<D>::set_velocities(ConstSpan v) {
  for (std::size_t i = 0; i + 1 < bodies_.size(); ++i) {
    std::copy_n(&v[6 * i], 3, bodies_[i].velocity);
    std::copy_n(&v[6 * i + 3], 3, bodies_[i].spin);
  }
}

template <int D>
void RigidBatches<D>::add_impulses() {
  for_each_part([&](Index part) {
    const auto [first, last] = parts_[part];
    kernels<D>().add_impulses(batches_.data() + first, last - first, bodies_.data(), inertias());
  });
}

template <int D>
void RigidBatches<D>::reset(Span x) {
  if (cells_) {
    get_impulses(x);
    made_.resize(6 * static_cast<std::size_t>(layout_->bodies()));
    cells_->make_velocities(x, made_);
    set_velocities(made_);
  } else {
    set_velocities(layout_->free_velocity());
    add_impulses();
    for (Index j = 0; j < static_cast<Index>(model_->rows.size()); ++j)
      add_row_impulse(j, x[D * model_->contacts.size() + j]);
  }
  for (ContactBatch<D>& batch : batches_)
    for (int i = 0; i < D; ++i) std::ranges::copy(batch.impulse[i], batch.last[i]);
  last_bodies_ = bodies_;
}

template <int D>
void RigidBatches<D>::contact_velocities(Span u) {
  if (cells_) cells_->refresh_copies(velocities());
  parallel_for(
      static_cast<Index>(batches_.size()),
      [&](Index begin, Index end) {
        kernels<D>().observe(batches_.data() + begin, end - begin, bodies_.data(), u.data());
      },
      64);
}

template <int D>
void RigidBatches<D>::extrapolate_bodies(double beta) {
  parallel_for(static_cast<Index>(bodies_.size()), [&](Index begin, Index end) {
    kernels<D>().extrapolate(bodies_.data() + begin, last_bodies_.data() + begin, end - begin,
                             beta);
  });
}

template <int D>
SweepProgress RigidBatches<D>::sweep(const SweepSettings& settings) {
  extrapolate_bodies(settings.beta);
  if (sweeps_++ % sweeps_until_all == 0) std::ranges::fill(is_awake_, std::uint8_t{1});
  progress_.assign(parts_.size(), {});
  for_each_part([&](Index part) {
    const auto [first, last] = parts_[part];
    progress_[part] =
        kernels<D>().sweep(batches_.data() + first, last - first, is_awake_.data() + first,
                           settings, bodies_.data(), inertias());
  });
  return total();
}

/// Part by part; over ranks exactly, in any order.
template <int D>
SweepProgress RigidBatches<D>::total() const {
  Progress total;
  if (!cells_) {
    for (const Progress& part : progress_) {
      total.squared += part.squared;
      total.along += part.along;
    }
    return total;
  }
  ExactSum sums[2];
  for (const Progress& part : progress_) {
    sums[0].add(part.squared);
    sums[1].add(part.along);
  }
  cells_->division().ranks->sum(sums);
  return {sums[0].value(), sums[1].value()};
}

template <int D>
double RigidBatches<D>::row_velocity(Index row, double multiplier) const {
  const RigidRow& r = model_->rows[row];
  const BodyPair pair = model_->row_bodies[row];
  double u = model_->b[row];
  if (!row_compliance_.empty()) u += row_compliance_[row] * multiplier;
  const auto add = [&](Index body, const Vec3& linear, const Vec3& angular) {
    if (body < 0) return;
    const BodyRecord& k = bodies_[body];
    u += talus::dot(linear, {k.velocity[0], k.velocity[1], k.velocity[2]}) +
         talus::dot(angular, {k.spin[0], k.spin[1], k.spin[2]});
  };
  add(pair.a, r.linear_a, r.angular_a);
  add(pair.b, r.linear_b, r.angular_b);
  return u;
}

template <int D>
void RigidBatches<D>::add_row_impulse(Index row, double dx) {
  const RigidRow& r = model_->rows[row];
  const BodyPair pair = model_->row_bodies[row];
  const auto add = [&](Index body, const Vec3& linear, const Vec3& angular) {
    if (body < 0) return;
    const RigidInverseMass& m = model_->inverse_mass[body];
    const double* j = m.inertia;
    const Vec3 f = dx * linear, t = dx * angular;
    BodyRecord& k = bodies_[body];
    k.velocity[0] += m.mass * f.x;
    k.velocity[1] += m.mass * f.y;
    k.velocity[2] += m.mass * f.z;
    k.spin[0] += j[0] * t.x + j[1] * t.y + j[2] * t.z;
    k.spin[1] += j[1] * t.x + j[3] * t.y + j[4] * t.z;
    k.spin[2] += j[2] * t.x + j[4] * t.y + j[5] * t.z;
  };
  add(pair.a, r.linear_a, r.angular_a);
  add(pair.b, r.linear_b, r.angular_b);
}

template class RigidBatches<3>;
template class RigidBatches<6>;

} // namespace talus
