#pragma once
// Bodies that lie in each other. A step pushes them apart (StepOptions::max_recovery_speed), which
// is rarely what the maker of a scene had in mind.

#include "talus/collide/contact_point.h"
#include "talus/world/world.h"

#include <span>
#include <vector>

namespace talus {

struct Overlap {
  Index body_a = 0, body_b = 0; ///< body_a < body_b.
  double depth = 0;             ///< Of the deepest contact of the pair, m.

  bool operator==(const Overlap&) const = default;
};

/// Pairs of bodies that overlap, in their present poses, by more than `share` of the smaller one's
/// bounding radius: the deepest first, equal ones in the order of the bodies. Pairs that cannot
/// touch do not count: bodies that are both fixed or kinematic, those of a joint, filtered ones.
/// Bodies that merely touch are far below a `share` of 1 %. Costs one collision detection. Throws
/// InvalidArgument for a share that is negative or not finite, ImpossibleStep as a step would.
std::vector<Overlap> find_overlaps(const World& world, double share = 0.01);
/// The same of the contacts that were found, and the bounding radii of all bodies.
std::vector<Overlap> overlaps_of(std::span<const ContactPoint> contacts,
                                 const std::vector<double>& radii, double share);

} // namespace talus
