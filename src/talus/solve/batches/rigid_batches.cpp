#include "talus/solve/batches/rigid_batches.h"

#include "talus/contact/local_contact.h"
#include "talus/problem/delassus/sweep_rows.h"
#include "talus/solve/batches/batch_visit.h"

#include <algorithm>
#include <numeric>

namespace talus {
namespace {

using namespace batch;

bool is_isotropic(const RigidInverseMass& m) {
  const double* j = m.inertia;
  return j[1] == 0 && j[2] == 0 && j[4] == 0 && j[0] == j[3] && j[0] == j[5];
}

bool is_movable(const RigidInverseMass& m) {
  return m.mass != 0 || std::ranges::any_of(m.inertia, [](double entry) { return entry != 0; });
}

} // namespace

bool RigidBatches::admits(const ScaledProblem& problem) {
  constexpr Index most_contacts = 1'000'000; // beyond, memory counts for more than time
  return (problem.division() || problem.contacts() <= most_contacts) &&
         std::holds_alternative<RigidModel>(problem.problem().model) && problem.has_round_cones() &&
         problem.problem().law == Law::coulomb && !problem.is_frozen();
}

bool RigidBatches::is_idle(Index contact, ConstSpan x) const {
  const std::size_t at = 3 * static_cast<std::size_t>(contact);
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

void RigidBatches::add_part(std::span<const Index> contacts, ConstSpan x) {
  const Index first = static_cast<Index>(plan_.size());
  const auto movable = [&](Index body) { return is_movable(layout_->inverse_mass()[body]); };
  busy_.clear();
  idle_.clear();
  for (const Index c : contacts) (is_idle(c, x) ? idle_ : busy_).push_back(c);
  for (const std::vector<Index>* list : {&busy_, &idle_})
    planner_.group(*list, layout_->contact_pairs(), layout_->bodies(), movable, plan_);
  parts_.push_back({first, static_cast<Index>(plan_.size())});
}

void RigidBatches::add_cells(ConstSpan x) {
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

void RigidBatches::prepare(const ScaledProblem& problem, const SweepPartition& parts, ConstSpan x) {
  model_ = &std::get<RigidModel>(problem.problem().model);
  const auto rows = std::get<BodyRows<RigidLayout>>(problem.delassus().rows());
  layout_ = &rows.layout();
  cells_ = rows.cells();
  const Vector& compliance = problem.problem().compliance;
  row_compliance_ =
      ConstSpan(compliance)
          .subspan(compliance.empty() ? 0 : 3 * static_cast<std::size_t>(problem.contacts()));
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
  // Room for batches that are filled differently, so that like problems allocate nothing.
  plan_.reserve(static_cast<std::size_t>(problem.contacts()) / 4 + SweepPartition::most_parts);
  parts_.clear();
  round_start_.assign(1, 0);
  busy_.reserve(problem.contacts());
  idle_.reserve(problem.contacts());
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

  batches_.reserve(plan_.capacity());
  batches_.resize(plan_.size());
  parallel_for(
      static_cast<Index>(plan_.size()),
      [&](Index begin, Index end) {
        for (Index k = begin; k < end; ++k) fill(problem, plan_[k], batches_[k]);
      },
      64);
  is_awake_.reserve(plan_.capacity());
  is_awake_.assign(plan_.size(), 1);
  sweeps_ = 0;
  set_impulses(x);
}

void RigidBatches::fill(const ScaledProblem& problem, const BatchContacts& contacts,
                        ContactBatch& batch) const {
  const Index world = static_cast<Index>(bodies_.size()) - 1;
  const Vector& compliance = problem.problem().compliance;
  batch = ContactBatch{};
  batch.contact = contacts;
  batch.is_isotropic = true;
  std::ranges::fill(batch.relaxation, 1.0);
  for (int lane = 0; lane < batch_width; ++lane) {
    const Index c = contacts[lane];
    batch.body_a[lane] = batch.body_b[lane] = world;
    if (c < 0) continue; // zero velocity: the contact is open
    const RigidContact& k = model_->contacts[c];
    const BodyPair pair = layout_->contact_pairs()[c];
    if (pair.a >= 0) batch.body_a[lane] = pair.a;
    if (pair.b >= 0) batch.body_b[lane] = pair.b;
    const auto put = [lane](const Vec3& v, ContactBatch::Lanes* to) {
      to[0][lane] = v.x;
      to[1][lane] = v.y;
      to[2][lane] = v.z;
    };
    put(k.normal, batch.normal);
    put(k.tangent, batch.tangent);
    put(k.arm_a, batch.arm_a);
    put(k.arm_b, batch.arm_b);
    LocalContact local;
    double block[9];
    problem.delassus().sweep_block(c, block);
    prepare_local_contact(block, 3, local);
    const PackedContact packed = pack<3>(local);
    for (int i = 0; i < 6; ++i) {
      batch.block[i][lane] = packed.A[i];
      batch.inverse[i][lane] = packed.inverse[i];
    }
    const double small = 1e-9 * packed.A[3];
    batch.is_isotropic &= std::abs(packed.A[1]) <= small && std::abs(packed.A[2]) <= small &&
                          std::abs(packed.A[4]) <= small &&
                          std::abs(packed.A[3] - packed.A[5]) <= small;
    for (int i = 0; i < 3; ++i) {
      batch.bias[i][lane] = model_->w[3 * static_cast<std::size_t>(c) + i];
      if (!compliance.empty())
        batch.compliance[i][lane] = compliance[3 * static_cast<std::size_t>(c) + i];
    }
    batch.mu[lane] = problem.problem().mu[c];
    batch.weight[lane] = 1 / (problem.scale()[c] * problem.scale()[c]);
  }
}

void RigidBatches::set_impulses(ConstSpan x) {
  for (ContactBatch& batch : batches_)
    for (int lane = 0; lane < batch_width; ++lane) {
      if (batch.contact[lane] < 0) continue;
      for (int i = 0; i < 3; ++i)
        batch.impulse[i][lane] = batch.last[i][lane] =
            x[3 * static_cast<std::size_t>(batch.contact[lane]) + i];
    }
}

void RigidBatches::get_impulses(Span x) const {
  parallel_for(
      static_cast<Index>(batches_.size()),
      [&](Index begin, Index end) {
        for (Index k = begin; k < end; ++k)
          for (int lane = 0; lane < batch_width; ++lane) {
            const Index c = batches_[k].contact[lane];
            for (int i = 0; i < 3 && c >= 0; ++i)
              x[3 * static_cast<std::size_t>(c) + i] = batches_[k].impulse[i][lane];
          }
      },
      64);
}

template <class Visit>
void RigidBatches::for_each_part(Visit&& visit) {
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

void RigidBatches::set_velocities(ConstSpan v) {
  for (std::size_t i = 0; i + 1 < bodies_.size(); ++i) {
    std::copy_n(&v[6 * i], 3, bodies_[i].velocity);
    std::copy_n(&v[6 * i + 3], 3, bodies_[i].spin);
  }
}

void RigidBatches::add_impulses() {
  const auto add = [&](auto isotropic, const ContactBatch& batch) {
    for (int first = 0; first < batch_width; first += lanes) {
      Group<decltype(isotropic)::value> group(bodies_.data(), inertia_.data(), batch, first);
      group.add_impulse(load3(batch.impulse, first), bodies_.data(), batch, first);
    }
  };
  for_each_part([&](Index part) {
    for (Index k = parts_[part].first; k < parts_[part].last; ++k)
      is_isotropic_ ? add(std::true_type(), batches_[k]) : add(std::false_type(), batches_[k]);
  });
}

void RigidBatches::reset(Span x) {
  if (cells_) {
    get_impulses(x);
    made_.resize(6 * static_cast<std::size_t>(layout_->bodies()));
    cells_->make_velocities(x, made_);
    set_velocities(made_);
  } else {
    set_velocities(layout_->free_velocity());
    add_impulses();
    for (Index j = 0; j < static_cast<Index>(model_->rows.size()); ++j)
      add_row_impulse(j, x[3 * model_->contacts.size() + j]);
  }
  for (ContactBatch& batch : batches_)
    for (int i = 0; i < 3; ++i) std::ranges::copy(batch.impulse[i], batch.last[i]);
  last_bodies_ = bodies_;
}

void RigidBatches::contact_velocities(Span u) {
  if (cells_) cells_->refresh_copies(velocities());
  parallel_for(
      static_cast<Index>(batches_.size()),
      [&](Index begin, Index end) {
        for (Index k = begin; k < end; ++k)
          for (int first = 0; first < batch_width; first += lanes)
            observe(batches_[k], first, bodies_.data(), u);
      },
      64);
}

/// All eight numbers of a record, in whole registers: masses stay as they are.
void RigidBatches::extrapolate_bodies(double beta) {
  constexpr int numbers = sizeof(BodyRecord) / sizeof(double);
  static_assert(numbers % lanes == 0);
  const V share = simd::Set(Tag(), beta);
  parallel_for(static_cast<Index>(bodies_.size()), [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      double *v = bodies_[i].velocity, *last = last_bodies_[i].velocity;
      for (int k = 0; k < numbers; k += lanes) {
        const V now = load(v + k), before = load(last + k);
        store(batch::add(now, mul(share, sub(now, before))), v + k);
        store(now, last + k);
      }
    }
  });
}

RigidBatches::Progress RigidBatches::sweep(const SweepSettings& settings) {
  extrapolate_bodies(settings.beta);
  if (sweeps_++ % sweeps_until_all == 0) std::ranges::fill(is_awake_, std::uint8_t{1});
  progress_.assign(parts_.size(), {});
  for_each_part([&](Index part) {
    const std::span batches(batches_.data() + parts_[part].first,
                            batches_.data() + parts_[part].last);
    std::uint8_t* awake = is_awake_.data() + parts_[part].first;
    progress_[part] =
        is_isotropic_
            ? sweep_batches<true>(batches, awake, settings, bodies_.data(), inertia_.data())
            : sweep_batches<false>(batches, awake, settings, bodies_.data(), inertia_.data());
  });
  return total();
}

/// Part by part; over ranks exactly, in any order.
RigidBatches::Progress RigidBatches::total() const {
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

double RigidBatches::row_velocity(Index row, double multiplier) const {
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

void RigidBatches::add_row_impulse(Index row, double dx) {
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

} // namespace talus
