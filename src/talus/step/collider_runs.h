#pragma once
// Bodies, materials and numbers of all colliders of a world in little memory: colliders are counted
// body by body, and most bodies are like the one before. A process that has some of the bodies
// (cluster/rank_simulation.h) still knows the colliders of all.

#include "talus/core/error.h"
#include "talus/core/types.h"
#include "talus/world/body.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

namespace talus {

/// Body and material of a collider, by its number, and which of the body's shapes it is.
struct ColliderInfo {
  Index body = 0, material = 0, shape = 0;
};

class ColliderRuns {
public:
  /// Counts the next body. All shapes of a body have one material. Throws InvalidArgument where
  /// numbers of 32 bits do not suffice.
  void add(const Body& body) {
    const auto shapes = static_cast<Index>(body.shapes.size());
    add(shapes, shapes > 0 ? body.shapes.front().material : 0);
  }
  void add(Index shapes, Index material, Index bodies = 1) {
    require_numbers(bodies_ + std::int64_t{bodies}, "bodies");
    require_numbers(colliders_ + std::int64_t{bodies} * shapes, "shapes of bodies");
    if (runs_.empty() || runs_.back().shapes != shapes || runs_.back().material != material)
      runs_.push_back({bodies_, colliders_, shapes, material});
    bodies_ += bodies;
    colliders_ += bodies * shapes;
  }
  /// Calls visit(bodies, shapes, material) for the bodies from `begin` to `end` - 1, many alike at
  /// a time.
  template <class Visit>
  void visit(Index begin, Index end, Visit&& visit) const {
    if (begin >= end) return;
    for (auto run = std::ranges::upper_bound(runs_, begin, {}, &Run::body) - 1;
         run != runs_.end() && run->body < end; ++run) {
      const Index run_end = run + 1 == runs_.end() ? bodies_ : (run + 1)->body;
      visit(std::min(end, run_end) - std::max(begin, run->body), run->shapes, run->material);
    }
  }
  Index bodies() const { return bodies_; }
  Index colliders() const { return colliders_; }

  Index first_of(Index body) const {
    const Run& run = *(std::ranges::upper_bound(runs_, body, {}, &Run::body) - 1);
    return run.collider + (body - run.body) * run.shapes;
  }
  ColliderInfo operator[](Index collider) const {
    // The last run that begins there: those before it have no colliders.
    const Run& run = *(std::ranges::upper_bound(runs_, collider, {}, &Run::collider) - 1);
    const Index number = collider - run.collider;
    return {run.body + number / run.shapes, run.material, number % run.shapes};
  }

private:
  static void require_numbers(std::int64_t count, const char* what) {
    constexpr std::int64_t most = std::numeric_limits<Index>::max();
    if (count > most)
      throw InvalidArgument(
          fmt::format("a world has at most {} {}; here are {}", most, what, count));
  }

  struct Run {
    Index body, collider, shapes, material;
  };
  std::vector<Run> runs_;
  Index bodies_ = 0, colliders_ = 0;
};

/// What a step looks up: a list, or runs.
class ColliderTable {
public:
  ColliderTable(std::span<const ColliderInfo> list) : list_(list) {}
  ColliderTable(const std::vector<ColliderInfo>& list) : list_(list) {}
  ColliderTable(const ColliderRuns& runs) : runs_(&runs) {}

  ColliderInfo operator[](Index collider) const {
    return runs_ ? (*runs_)[collider] : list_[collider];
  }

private:
  std::span<const ColliderInfo> list_;
  const ColliderRuns* runs_ = nullptr;
};

} // namespace talus
