#include "talus/cluster/world_share.h"

#include "talus/core/error.h"
#include "talus/core/regroup.h"
#include "talus/world/surroundings.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace talus {

std::vector<char> marks_of_common_bodies(const World& world) {
  std::vector<char> common;
  common.reserve(world.size());
  for (const Body& body : world.bodies()) {
    // What a removed body was decides: the rest goes on as if it were there.
    const BodyKind kind = body.removed ? body.extras.get().kind_before_removal : body.kind;
    common.push_back(kind != BodyKind::dynamic);
  }
  for (const Joint& joint : world.joints())
    for (const Index body : {joint.body_a, joint.body_b})
      if (body != ground) common[body] = 1;
  for (const ForceFunction& force : world.forces())
    if (const Index body = loaded_body(force); body >= 0) common[body] = 1;
  return common;
}

WorldShare share_of(World part, std::vector<Index> numbers, std::span<const char> everywhere,
                    ColliderRuns colliders, int rank, int ranks) {
  for (const ForceFunction& force : part.forces())
    if (loaded_body(force) < 0)
      throw InvalidArgument("over ranks there is no support for force functions, which may look at "
                            "any body");
  WorldShare share;
  std::vector<char> leaves = marks_of_common_bodies(part);
  for (const auto& [a, b] : part.contact_exclusions())
    share.exclusions.emplace_back(numbers[a], numbers[b]);
  for (Index k = 0; k < part.size(); ++k) {
    if (!leaves[k] && everywhere[k]) share.shapes.add(part.bodies()[k].shapes);
    leaves[k] = !leaves[k] && first_owner(numbers[k], ranks) != rank;
  }
  share.removed_at.resize(numbers.size(), std::numeric_limits<double>::infinity());
  for (const auto& [when, body] : part.removals())
    share.removed_at[body] = std::min(share.removed_at[body], when);
  part.regroup(leaves, {}, {}, {});
  part.release_slack();
  regroup(numbers, leaves, {}, {});
  regroup(share.removed_at, leaves, {}, {});
  share.world = std::move(part);
  share.numbers = std::move(numbers);
  share.colliders = std::move(colliders);
  return share;
}

WorldShare share_of(World whole, int rank, int ranks) {
  std::vector<Index> numbers(whole.size());
  std::iota(numbers.begin(), numbers.end(), 0);
  ColliderRuns colliders;
  for (const Body& body : whole.bodies()) colliders.add(body);
  const std::vector<char> everywhere(numbers.size(), 1);
  return share_of(std::move(whole), std::move(numbers), everywhere, std::move(colliders), rank,
                  ranks);
}

} // namespace talus
