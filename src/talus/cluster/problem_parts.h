#pragma once
// Some of the bodies and contacts of a problem, for divide_problem.h.

#include "talus/problem/contact_problem.h"
#include "talus/problem/delassus/body_layout.h"

#include <utility>
#include <vector>

namespace talus {

/// A list of bodies and the place of each in it.
class Numbering {
public:
  Numbering(std::vector<Index> list, Index all) : list_(std::move(list)), place_(all, -1) {
    for (std::size_t k = 0; k < list_.size(); ++k) place_[list_[k]] = static_cast<Index>(k);
  }
  const std::vector<Index>& list() const { return list_; }
  Index place(Index body) const { return body < 0 ? -1 : place_[body]; }
  BodyPair places(BodyPair pair) const { return {place(pair.a), place(pair.b)}; }

private:
  std::vector<Index> list_, place_;
};

template <class T>
std::vector<T> chosen(const std::vector<T>& all, const std::vector<Index>& list,
                      std::size_t width) {
  std::vector<T> result;
  result.reserve(width * list.size());
  for (const Index k : list)
    result.insert(result.end(), all.begin() + width * k, all.begin() + width * (k + 1));
  return result;
}

/// Contacts `contacts` on bodies `bodies`; rows stay if `with_rows`.
template <int B, int D>
BlockLayout<B, D> cut(const BlockLayout<B, D>& whole, const Numbering& bodies,
                      const std::vector<Index>& contacts, bool with_rows) {
  BlockLayout<B, D> part;
  const bool diagonal = whole.inverse_mass.size() == whole.free_velocities.size();
  part.inverse_mass = chosen(whole.inverse_mass, bodies.list(), diagonal ? B : B * B);
  part.free_velocities = chosen(whole.free_velocities, bodies.list(), B);
  part.contact_bodies = chosen(whole.contact_bodies, contacts, 1);
  for (BodyPair& pair : part.contact_bodies) pair = bodies.places(pair);
  part.jacobian = chosen(whole.jacobian, contacts, 2 * B * D);
  part.biases = chosen(whole.biases, contacts, D);
  if (!with_rows) return part;
  part.row_bodies = whole.row_bodies;
  for (BodyPair& pair : part.row_bodies) pair = bodies.places(pair);
  part.row_jacobian = whole.row_jacobian;
  part.biases.insert(part.biases.end(), whole.biases.end() - whole.row_bodies.size(),
                     whole.biases.end());
  return part;
}

inline RigidModel cut(const RigidModel& whole, const Numbering& bodies,
                      const std::vector<Index>& contacts, bool with_rows) {
  RigidModel part;
  part.inverse_mass = chosen(whole.inverse_mass, bodies.list(), 1);
  part.free_velocity = chosen(whole.free_velocity, bodies.list(), 6);
  part.contact_bodies = chosen(whole.contact_bodies, contacts, 1);
  for (BodyPair& pair : part.contact_bodies) pair = bodies.places(pair);
  part.contacts = chosen(whole.contacts, contacts, 1);
  part.w = chosen(whole.w, contacts, 3);
  if (!with_rows) return part;
  part.row_bodies = whole.row_bodies;
  for (BodyPair& pair : part.row_bodies) pair = bodies.places(pair);
  part.rows = whole.rows;
  part.b = whole.b;
  return part;
}

/// All of the problem but its model.
inline ContactProblem cut_data(const ContactProblem& whole, const std::vector<Index>& contacts) {
  const std::size_t d = whole.dimension;
  ContactProblem part;
  part.dimension = whole.dimension;
  part.mu = chosen(whole.mu, contacts, 1);
  part.friction = whole.friction;
  part.law = whole.law;
  if (!whole.normal_estimate.empty())
    part.normal_estimate = chosen(whole.normal_estimate, contacts, 1);
  part.row_lower = whole.row_lower;
  part.row_upper = whole.row_upper;
  if (!whole.compliance.empty()) {
    part.compliance = chosen(whole.compliance, contacts, d);
    part.compliance.insert(part.compliance.end(), whole.compliance.begin() + whole.impulses(),
                           whole.compliance.end());
  }
  return part;
}

} // namespace talus
