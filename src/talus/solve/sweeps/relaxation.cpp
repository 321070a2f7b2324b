#include "talus/solve/sweeps/relaxation.h"

#include "talus/contact/contact_set.h"
#include "talus/core/error.h"
#include "talus/core/vector_ops.h"
#include "talus/solve/sweeps/polyhedral_step.h"

namespace talus {
namespace {

/// The velocity offsets of the contacts: q of a local model, w of the others.
Vector& offsets(ContactProblem& problem) {
  if (auto* local = std::get_if<LocalModel>(&problem.model)) return local->q;
  if (auto* global = std::get_if<GlobalModel>(&problem.model)) return global->w;
  return std::get<RigidModel>(problem.model).w;
}

} // namespace

void sliding_speeds(const ContactProblem& problem, ConstSpan u, Span speeds) {
  const int d = problem.dimension;
  for (Index c = 0; c < problem.contacts(); ++c)
    speeds[c] = tilt({problem.friction, d, 1, 0}, &u[d * c]);
}

ContactProblem first_relaxation(const ContactProblem& problem, ConstSpan gamma) {
  ContactProblem relaxed = problem;
  relaxed.law = Law::associated;
  Vector& w = offsets(relaxed);
  for (Index c = 0; c < problem.contacts(); ++c) w[problem.dimension * c] += gamma[c];
  return relaxed;
}

SecondRelaxation::SecondRelaxation(const ContactProblem& problem) {
  const int d = problem.dimension;
  if (!is_cone_shaped(problem.friction.kind) || !is_polyhedral(problem.friction.kind, d))
    throw InvalidArgument("the relaxation P2 needs a polyhedral cone, not the set " +
                          to_string(problem.friction));
  if (!problem.compliance.empty())
    throw InvalidArgument("the relaxation P2 does not know compliance");
  const std::vector<Tangential> directions = generators(problem.friction, d);
  std::vector<Triplet> entries;
  const auto next = [&] { return static_cast<Index>(contact_.size()); };
  for (Index c = 0; c < problem.contacts(); ++c) {
    entries.push_back({d * c, next(), 1});
    contact_.push_back(-1);
    if (problem.mu[c] == 0) continue;
    for (const Tangential& direction : directions) {
      entries.push_back({d * c + 1, next(), direction.t});
      if (d == 3) entries.push_back({d * c + 2, next(), direction.o});
      contact_.push_back(c);
    }
  }
  combine_ = from_triplets(problem.impulses(), next(), std::move(entries));
  const SparseMatrix back = transpose(combine_);

  relaxed_.dimension = 1;
  relaxed_.friction = {FrictionKind::none};
  relaxed_.mu.assign(contact_.size(), 0);
  relaxed_.row_lower = problem.row_lower;
  relaxed_.row_upper = problem.row_upper;
  if (const auto* local = std::get_if<LocalModel>(&problem.model)) {
    LocalModel model = *local;
    model.W = product(back, product(local->W, combine_));
    if (!local->V.empty()) model.V = product(back, local->V);
    if (!local->U.empty()) model.U = product(local->U, combine_);
    model.q.resize(contact_.size());
    multiply(back, local->q, model.q);
    relaxed_.model = std::move(model);
  } else {
    const GlobalModel global = to_global(problem);
    GlobalModel model = global;
    model.H = product(global.H, combine_);
    model.w.resize(contact_.size());
    multiply(back, global.w, model.w);
    relaxed_.model = std::move(model);
  }
  offset_ = offsets(relaxed_);
}

const ContactProblem& SecondRelaxation::at(ConstSpan speeds) {
  Vector& w = offsets(relaxed_);
  for (std::size_t i = 0; i < contact_.size(); ++i)
    w[i] = offset_[i] + (contact_[i] < 0 ? 0.0 : speeds[contact_[i]]);
  return relaxed_;
}

void SecondRelaxation::to_impulses(ConstSpan unknowns, Span x) const {
  const std::size_t own = contact_.size(), impulses = static_cast<std::size_t>(combine_.rows);
  multiply(combine_, unknowns.first(own), x.first(impulses));
  copy(unknowns.subspan(own), x.subspan(impulses));
}

} // namespace talus
