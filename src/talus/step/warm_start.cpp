#include "talus/step/warm_start.h"

#include "talus/core/parallel.h"
#include "talus/step/laws/elastic_contacts.h"

#include <tuple>

namespace talus {

namespace {

template <class T>
auto contact_key(const T& contact) {
  return std::tie(contact.collider_a, contact.collider_b, contact.key);
}
template <class T>
auto row_key(const T& row) {
  return std::tie(row.joint, row.row);
}

Vec3 in_world(const RigidContact& frame, const double* x) {
  return x[0] * frame.normal + x[1] * frame.tangent + x[2] * cross(frame.normal, frame.tangent);
}

/// Of the moments about tangent, third axis and normal.
Vec3 moment_in_world(const RigidContact& frame, const double* x) {
  return x[3] * frame.tangent + x[4] * cross(frame.normal, frame.tangent) + x[5] * frame.normal;
}

} // namespace

void initial_impulses(const WarmStart& cache, std::span<const ContactPoint> contacts,
                      const SpatialOrder& order, std::span<const BodyState> states, double h,
                      int dimension, Vector& x, Vector& shear) {
  const std::size_t d = dimension;
  shear.assign(cache.shear.empty() ? 0 : contacts.size(), 0.0);
  const bool with_moments = d > 3 && !cache.moments.empty();
  x.assign(d * contacts.size(), 0.0);
  if (!(cache.step > 0)) return;
  const double scale = h / cache.step;
  std::size_t k = 0;
  for (std::size_t sorted = 0; sorted < contacts.size(); ++sorted) {
    const std::size_t c = order.place(static_cast<Index>(sorted));
    while (k < cache.contacts.size() && contact_key(cache.contacts[k]) < contact_key(contacts[c])) {
      ++k;
    }
    if (k == cache.contacts.size()) break;
    if (contact_key(cache.contacts[k]) != contact_key(contacts[c])) continue;
    Vec3 impulse = scale * cache.contacts[k].impulse;
    if (!cache.normals.empty())
      impulse = turned_with(contacts[c], cache.normals[k], states, cache.step, impulse);
    for (int i = 0; i < 3; ++i) x[d * c + i] = impulse[i];
    if (!shear.empty()) shear[c] = cache.shear[k];
    for (int i = 0; i < 3 && with_moments; ++i) x[d * c + 3 + i] = scale * cache.moments[k][i];
  }
}

void turn_into_frames(std::span<const RigidContact> frames, Span x) {
  if (frames.empty()) return;
  const std::size_t d = x.size() / frames.size();
  parallel_for(static_cast<Index>(frames.size()), [&](Index begin, Index end) {
    for (std::size_t c = begin; c < static_cast<std::size_t>(end); ++c) {
      const RigidContact& frame = frames[c];
      double* xc = &x[d * c];
      const Vec3 impulse{xc[0], xc[1], xc[2]}, third = cross(frame.normal, frame.tangent);
      xc[0] = dot(frame.normal, impulse);
      xc[1] = dot(frame.tangent, impulse);
      xc[2] = dot(third, impulse);
      if (d == 3) continue;
      const Vec3 moment{xc[3], xc[4], xc[5]};
      xc[3] = dot(frame.tangent, moment);
      xc[4] = dot(third, moment);
      xc[5] = dot(frame.normal, moment);
    }
  });
}

void append_multipliers(const WarmStart& cache, std::span<const JointRow> rows, double h,
                        Vector& x) {
  const std::size_t first = x.size();
  x.resize(first + rows.size(), 0.0);
  if (!(cache.step > 0)) return;
  std::size_t k = 0;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    while (k < cache.rows.size() && row_key(cache.rows[k]) < row_key(rows[r])) ++k;
    if (k == cache.rows.size()) break;
    if (row_key(cache.rows[k]) == row_key(rows[r]))
      x[first + r] = h / cache.step * cache.rows[k].value;
  }
}

void impulses_in_world(ConstSpan x, int dimension, std::span<const RigidContact> frames,
                       ConstSpan pull, std::vector<Vec3>& impulses) {
  impulses.resize(frames.size());
  for (std::size_t c = 0; c < frames.size(); ++c)
    impulses[c] = in_world(frames[c], &x[dimension * c]);
  for (std::size_t c = 0; c < pull.size(); ++c) impulses[c] -= pull[c] * frames[c].normal;
}

void remember(std::span<const ContactPoint> contacts, const SpatialOrder& order,
              std::span<const RigidContact> frames, std::span<const JointRow> rows, ConstSpan x,
              double h, bool with_normals, ConstSpan compliance, WarmStart& cache) {
  cache.step = h;
  // Room for every contact: how many of them bear a load changes from step to step.
  cache.contacts.clear();
  cache.contacts.reserve(contacts.size());
  cache.normals.clear();
  if (with_normals) cache.normals.reserve(contacts.size());
  cache.moments.clear();
  cache.shear.clear();
  if (!compliance.empty()) cache.shear.reserve(contacts.size());
  const std::size_t d = contacts.empty() ? 3 : (x.size() - rows.size()) / contacts.size();
  if (d > 3) cache.moments.reserve(contacts.size());
  for (std::size_t sorted = 0; sorted < contacts.size(); ++sorted) {
    const std::size_t c = order.place(static_cast<Index>(sorted));
    const Vec3 impulse = in_world(frames[c], &x[d * c]);
    if (impulse == Vec3{}) continue;
    cache.contacts.push_back(
        {contacts[c].collider_a, contacts[c].collider_b, contacts[c].key, impulse});
    if (with_normals) cache.normals.push_back(contacts[c].normal);
    if (!compliance.empty()) cache.shear.push_back(h * h * compliance[d * c + 1]);
    if (d > 3) cache.moments.push_back(moment_in_world(frames[c], &x[d * c]));
  }
  cache.rows.clear();
  for (std::size_t r = 0; r < rows.size(); ++r) {
    cache.rows.push_back({rows[r].joint, rows[r].row, x[d * contacts.size() + r]});
  }
}

} // namespace talus
