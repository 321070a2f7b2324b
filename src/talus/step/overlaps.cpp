#include "talus/step/overlaps.h"

#include "talus/step/assembly/step_problem.h"
#include "talus/step/colliders.h"
#include "talus/step/envelope.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

namespace talus {

namespace {

std::vector<ContactPoint> touching_contacts(const World& world) {
  std::vector<Collider> colliders;
  list_colliders(world, colliders);
  for (Collider& collider : colliders)
    collider.pose = world.states()[collider.body].pose * collider.pose;
  CollisionDetector detector;
  detector.exclude_body_pairs(world.contact_exclusions());
  std::vector<ContactPoint> contacts;
  detect_contacts(world, detector, colliders, 0.0, contacts);
  drop_out_of_plane_contacts(world, contacts);
  return contacts;
}

/// One entry per pair of bodies.
void keep_deepest(std::vector<Overlap>& overlaps) {
  std::ranges::sort(overlaps, {},
                    [](const Overlap& o) { return std::tuple(o.body_a, o.body_b, -o.depth); });
  const auto rest = std::ranges::unique(
      overlaps, {}, [](const Overlap& o) { return std::pair(o.body_a, o.body_b); });
  overlaps.erase(rest.begin(), rest.end());
}

} // namespace

std::vector<Overlap> find_overlaps(const World& world, double share) {
  if (!(share >= 0) || !std::isfinite(share))
    throw InvalidArgument(fmt::format("share is {}, it must be finite and 0 or more", share));
  const std::vector<double> radii = bounding_radii(world);
  return overlaps_of(touching_contacts(world), radii, share);
}

std::vector<Overlap> overlaps_of(std::span<const ContactPoint> contacts,
                                 const std::vector<double>& radii, double share) {
  std::vector<Overlap> overlaps;
  for (const ContactPoint& contact : contacts) {
    const auto [a, b] = std::minmax(contact.body_a, contact.body_b);
    const double depth = -contact.gap;
    if (depth > share * smaller_radius(radii[a], radii[b]) && depth > 0)
      overlaps.push_back({a, b, depth});
  }
  keep_deepest(overlaps);
  std::ranges::stable_sort(overlaps, std::ranges::greater{}, &Overlap::depth);
  return overlaps;
}

} // namespace talus
