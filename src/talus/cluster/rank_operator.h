#pragma once
// The Delassus operator of a problem that is divided over ranks (sharing.h). Its vectors hold the
// impulses of this rank's contacts; equality rows and their multipliers are the same on all ranks.
// A product is
//
//     foreign impulses ← copy          from lower ranks
//     v = M⁻¹ D S x                    own bodies: foreign contacts first, then own ones, which is
//                                      the order of their cells; shared bodies: sums of cells,
//                                      added exactly over all ranks; then rows
//     ghost velocities ← copy          from higher ranks
//     y = S Dᵀ v                       own contacts
//
// Every sum has the same terms in the same order whatever the number of ranks. All ranks must call
// a product together.

#include "talus/cluster/rank_sweeps.h"
#include "talus/cluster/sharing.h"
#include "talus/core/exact_sum.h"
#include "talus/core/ranks.h"
#include "talus/problem/delassus/body_operator.h"

#include <numeric>

namespace talus {

template <class Layout>
class RankOperator : public BodyOperator<Layout> {
  static constexpr int B = Layout::body_dofs, D = Layout::dimension;
  using Base = BodyOperator<Layout>;

public:
  /// `foreign` has the foreign contacts, with the bodies of Sharing::foreign_bodies. Does not
  /// communicate: connect() does.
  RankOperator(const ContactProblem& problem, Layout layout, Layout foreign, Sharing sharing)
      : Base(problem, std::move(layout)), foreign_(std::move(foreign)),
        sharing_(std::move(sharing)) {
    const Index bodies = this->layout().bodies();
    fill_adjacency(bodies, sharing_.foreign_bodies, foreign_of_);
    gathers_here_.assign(bodies, 1);
    for (const Index body : sharing_.ghosts) gathers_here_[body] = 0;
    for (const Index body : sharing_.shared) gathers_here_[body] = 0;
    for (const auto& list : sharing_.impulses.send)
      sent_contacts_.insert(sent_contacts_.end(), list.begin(), list.end());
    impulse_.resize(D * sent_contacts_.size());
    sums_.resize(B * sharing_.shared.size());
    ghost_velocity_.resize(B * sharing_.ghosts.size());
    foreign_impulse_.resize(D * sharing_.foreign_bodies.size());
    velocity_.resize(static_cast<std::size_t>(B) * bodies);
    this->divide(&sharing_.division);
  }

  /// To be called by all ranks before the first product.
  void connect(Ranks& ranks) {
    sharing_.division.ranks = &ranks;
    sharing_.division.first_contact = ranks.before(this->contacts());
    sharing_.division.all_contacts = ranks.sum(std::int64_t{this->contacts()});
    velocities_ = ranks.make_halo(sharing_.velocities);
    impulses_ = ranks.make_halo(plan_of_sent_impulses());
  }

  const Halo& velocities() const { return *velocities_; }
  const Halo& impulses() const { return *impulses_; }

  /// Rebuilding would need other contacts of other ranks.
  bool rebuild(const ContactProblem&) override { return false; }

  void prepare_sweeps() const override {
    if (sweeps_) return;
    const Layout& layout = this->layout();
    std::vector<char> movable(layout.bodies());
    for (Index body = 0; body < layout.bodies(); ++body) movable[body] = is_movable(body);
    sweeps_ = std::make_unique<RankSweeps<Layout>>(
        layout, sharing_,
        make_sweep_plan(layout.contact_pairs(), movable, sharing_, *sharing_.division.ranks),
        [this](ConstSpan x, Span v) { make_velocity(x, v); });
  }

  SweepRows rows() const override {
    prepare_sweeps();
    return BodyRows<Layout>(sweeps_->layout(), this->compliance(), sweeps_.get());
  }

  SweepRows rows_here() const override { return Base::rows(); }

  /// Own bodies in the order of this rank's problem; after those of the first rank the shared ones.
  BodyNumbers number_bodies() const override {
    Ranks& ranks = *sharing_.division.ranks;
    const Index bodies = this->layout().bodies();
    BodyNumbers result;
    result.width = B;
    result.number.assign(bodies, -1);
    result.is_own.assign(bodies, 0);
    for (Index body = 0; body < bodies; ++body)
      if (gathers_here_[body] && is_movable(body)) {
        result.is_own[body] = 1;
        ++result.own;
      }
    const bool is_first = ranks.rank() == 0;
    const std::int64_t first_shared = ranks.sum(is_first ? std::int64_t{result.own} : 0);
    if (is_first) result.own += static_cast<Index>(sharing_.shared.size());
    std::int64_t next = ranks.before(result.own);
    for (Index body = 0; body < bodies; ++body)
      if (result.is_own[body]) result.number[body] = next++;
    for (std::size_t k = 0; k < sharing_.shared.size(); ++k) {
      result.number[sharing_.shared[k]] = first_shared + static_cast<std::int64_t>(k);
      result.is_own[sharing_.shared[k]] = is_first;
    }
    const Vector numbers(result.number.begin(), result.number.end());
    Vector of_ghosts(sharing_.ghosts.size());
    velocities_->copy(numbers, of_ghosts, 1);
    for (std::size_t k = 0; k < sharing_.ghosts.size(); ++k)
      result.number[sharing_.ghosts[k]] = static_cast<std::int64_t>(of_ghosts[k]);
    return result;
  }

  /// More by what copies are lighter than their bodies.
  void sweep_block(Index contact, double* entries) const override {
    this->diagonal_block(contact, entries);
    const BodyPair pair = this->layout().contact_pairs()[contact],
                   planned = sweeps_->plan().contact_bodies[contact];
    for (const int side : {0, 1}) {
      const Index copy = (side == 0 ? planned.a : planned.b) - this->layout().bodies();
      if (copy < 0) continue;
      double part[D * D] = {};
      this->add_diagonal(contact, side, side == 0 ? pair.a : pair.b, part);
      const auto more = static_cast<double>(sweeps_->plan().copies[copy].count - 1);
      for (int i = 0; i < D * D; ++i) entries[i] += more * part[i];
    }
  }

  /// Of all bodies here, ghosts and shared ones included.
  void generalized_velocity(ConstSpan x, Span v) const override {
    if (this->lengths().empty()) return make_velocity(x, v);
    measured_.assign(x.begin(), x.end());
    this->measure_moments(measured_);
    make_velocity(measured_, v);
  }

protected:
  void apply_in_chunks(ConstSpan x, Span y, ConstSpan scale,
                       const DelassusOperator::ContactsReady& ready) const override {
    accelerate_over_ranks(x, scale, velocity_);
    this->observe(velocity_, scale, y, ready);
  }

private:
  bool is_movable(Index body) const {
    double inverse[B * B];
    inverse_mass_block(this->layout(), body, inverse);
    return std::any_of(inverse, inverse + B * B, [](double m) { return m != 0; });
  }

  /// Of entries in the order of `sent_contacts_`, which takes less memory than all contacts.
  HaloPlan plan_of_sent_impulses() const {
    HaloPlan plan;
    Index next = 0;
    for (const auto& list : sharing_.impulses.send) {
      auto& entries = plan.send.emplace_back(list.size());
      std::iota(entries.begin(), entries.end(), next);
      next += static_cast<Index>(entries.size());
    }
    return plan;
  }

  /// v = M⁻¹ (D x + f), x in the variables of the operator.
  void make_velocity(ConstSpan x, Span v) const {
    accelerate_over_ranks(x, {}, v);
    axpy(1.0, this->layout().free_velocity(), v);
  }

  void accelerate_over_ranks(ConstSpan x, ConstSpan scale, Span v) const {
    this->list_contacts_of_bodies();
    for (std::size_t k = 0; k < sent_contacts_.size(); ++k)
      scaled_impulse(sent_contacts_[k], x, scale, &impulse_[D * k]);
    impulses_->copy(impulse_, foreign_impulse_, D);
    accelerate_own(x, scale, v);
    accelerate_shared(x, scale, v);
    velocities_->copy(v, ghost_velocity_, B);
    for (std::size_t k = 0; k < sharing_.ghosts.size(); ++k)
      std::copy_n(&ghost_velocity_[B * k], B, &v[B * entry(sharing_.ghosts[k])]);
  }

  void accelerate_own(ConstSpan x, ConstSpan scale, Span v) const {
    parallel_for(
        this->layout().bodies(),
        [&](Index begin, Index end) {
          for (Index body = begin; body < end; ++body) {
            if (!gathers_here_[body]) continue;
            double wrench[B] = {};
            for (Index k = foreign_of_.start[body]; k < foreign_of_.start[body + 1]; ++k) {
              const Index c = foreign_of_.item[k] / 2;
              foreign_.add_wrench(c, foreign_of_.item[k] % 2, &foreign_impulse_[D * entry(c)],
                                  wrench);
            }
            this->gather(body, x, scale, wrench);
            set_velocity(body, wrench, v);
          }
        },
        256);
  }

  void accelerate_shared(ConstSpan x, ConstSpan scale, Span v) const {
    if (sharing_.shared.empty()) return;
    for (std::size_t k = 0; k < sharing_.shared.size(); ++k)
      add_cells(sharing_.shared[k], x, scale, &sums_[B * k]);
    sharing_.division.ranks->sum(sums_);
    for (std::size_t k = 0; k < sharing_.shared.size(); ++k) {
      double wrench[B];
      for (int i = 0; i < B; ++i) wrench[i] = sums_[B * k + i].value();
      this->add_row_wrenches(sharing_.shared[k], x, scale, wrench);
      set_velocity(sharing_.shared[k], wrench, v);
    }
  }

  /// The wrench of a shared body from each cell of this rank.
  void add_cells(Index body, ConstSpan x, ConstSpan scale, ExactSum* sums) const {
    const auto& cell_start = sharing_.division.cell_start;
    const BodyAdjacency& contacts = this->contacts_of_bodies();
    std::fill_n(sums, B, ExactSum());
    std::size_t cell = 0;
    Index k = contacts.start[body];
    const Index end = contacts.start[body + 1];
    while (k < end) {
      while (cell_start[cell + 1] <= contacts.item[k] / 2) ++cell;
      double wrench[B] = {};
      for (; k < end && contacts.item[k] / 2 < cell_start[cell + 1]; ++k) {
        double scaled[D];
        scaled_impulse(contacts.item[k] / 2, x, scale, scaled);
        this->layout().add_wrench(contacts.item[k] / 2, contacts.item[k] % 2, scaled, wrench);
      }
      for (int i = 0; i < B; ++i) sums[i].add(wrench[i]);
    }
  }

  void set_velocity(Index body, const double* wrench, Span v) const {
    double* dv = &v[B * entry(body)];
    std::fill(dv, dv + B, 0.0);
    this->layout().add_acceleration(body, wrench, dv);
  }

  static void scaled_impulse(Index contact, ConstSpan x, ConstSpan scale, double* scaled) {
    const double s = scale.empty() ? 1.0 : scale[contact];
    for (int i = 0; i < D; ++i) scaled[i] = s * x[D * entry(contact) + i];
  }

  static std::size_t entry(Index index) { return static_cast<std::size_t>(index); }

  Layout foreign_;
  Sharing sharing_;
  BodyAdjacency foreign_of_;
  std::vector<char> gathers_here_;
  std::vector<Index> sent_contacts_; ///< Rank by rank.
  std::unique_ptr<Halo> velocities_, impulses_;
  mutable std::unique_ptr<RankSweeps<Layout>> sweeps_; ///< Once a sweep has asked for them.
  mutable std::vector<ExactSum> sums_;
  mutable Vector velocity_, ghost_velocity_, impulse_, foreign_impulse_, measured_;
};

} // namespace talus
