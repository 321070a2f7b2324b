#include "talus/collide/collision.h"

#include "talus/collide/broad_phase.h"
#include "talus/collide/leaf.h"
#include "talus/collide/narrow_phase.h"
#include "talus/core/error.h"
#include "talus/core/parallel.h"

#include <fmt/format.h>
#include <tbb/enumerable_thread_specific.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace talus {
namespace {

constexpr Index pairs_per_chunk = 256;

bool are_spheres(const Leaf& a, const Leaf& b) {
  return a.kind == ShapeKind::sphere && b.kind == ShapeKind::sphere;
}

ContactPoint complete(const PairContact& c, const Leaf& a, const Leaf& b) {
  const auto children =
      static_cast<std::uint64_t>(a.child) << 32 | static_cast<std::uint32_t>(b.child);
  return {a.collider,
          b.collider,
          a.body,
          b.body,
          {children, c.features},
          c.normal,
          0.5 * (c.point_a + c.point_b),
          c.gap};
}

} // namespace

struct CollisionDetector::Workspace {
  /// Starts loading the leaves of a later pair: bodies may be numbered in any order, and the
  /// processor does not foresee where the second leaf of a pair lies.
  void prefetch_leaves(Index pair) const {
    constexpr Index ahead = 12;
    if (pair + ahead >= static_cast<Index>(pairs.size())) return;
    __builtin_prefetch(&leaves.leaf[pairs[pair + ahead].first]);
    __builtin_prefetch(&leaves.leaf[pairs[pair + ahead].second]);
  }

  /// What one chunk of pairs found. Pairs of spheres have exactly one contact each and are computed
  /// straight into the result; only the others wait here.
  struct ChunkResult {
    std::vector<ContactPoint> contacts;
    std::vector<Index> contacts_of_pair;
    std::size_t total = 0;
  };

  Leaves leaves;
  BroadPhase broad_phase;
  std::vector<LeafPair> pairs;
  std::vector<ChunkResult> chunks;
  tbb::enumerable_thread_specific<NarrowScratch> scratch;

  void search_chunk(Index begin, Index end, double envelope, ChunkResult& result);
  void write_chunk(Index begin, Index end, const ChunkResult& result, ContactPoint* out) const;
};

void CollisionDetector::Workspace::search_chunk(Index begin, Index end, double envelope,
                                                ChunkResult& result) {
  result.contacts.clear();
  result.contacts_of_pair.clear();
  std::size_t spheres = 0;
  NarrowScratch& local = scratch.local();
  for (Index p = begin; p < end; ++p) {
    prefetch_leaves(p);
    const Leaf &a = leaves.leaf[pairs[p].first], &b = leaves.leaf[pairs[p].second];
    if (are_spheres(a, b)) {
      ++spheres;
      continue;
    }
    find_contacts(leaves, pairs[p], envelope, local);
    for (const PairContact& c : local.contacts) result.contacts.push_back(complete(c, a, b));
    result.contacts_of_pair.push_back(static_cast<Index>(local.contacts.size()));
  }
  result.total = spheres + result.contacts.size();
}

void CollisionDetector::Workspace::write_chunk(Index begin, Index end, const ChunkResult& result,
                                               ContactPoint* out) const {
  const ContactPoint* next = result.contacts.data();
  const Index* count = result.contacts_of_pair.data();
  for (Index p = begin; p < end; ++p) {
    prefetch_leaves(p);
    const Leaf &a = leaves.leaf[pairs[p].first], &b = leaves.leaf[pairs[p].second];
    if (are_spheres(a, b)) {
      *out++ = complete(sphere_contact(a.centre, a.radius, b.centre, b.radius), a, b);
      continue;
    }
    out = std::copy_n(next, *count, out);
    next += *count++;
  }
}

CollisionDetector::CollisionDetector() : workspace_(std::make_unique<Workspace>()) {}
CollisionDetector::~CollisionDetector() = default;
CollisionDetector::CollisionDetector(CollisionDetector&&) noexcept = default;
CollisionDetector& CollisionDetector::operator=(CollisionDetector&&) noexcept = default;

void CollisionDetector::exclude_body_pairs(std::vector<std::pair<Index, Index>> pairs) {
  for (auto& [a, b] : pairs) {
    if (a > b) std::swap(a, b);
  }
  std::sort(pairs.begin(), pairs.end());
  workspace_->broad_phase.excluded = std::move(pairs);
}

void CollisionDetector::release_memory() {
  auto fresh = std::make_unique<Workspace>();
  std::swap(fresh->broad_phase.excluded, workspace_->broad_phase.excluded);
  workspace_ = std::move(fresh);
}

CollisionReport CollisionDetector::detect(std::span<const Collider> colliders, double envelope,
                                          std::vector<ContactPoint>& contacts) {
  if (!(envelope >= 0) || !std::isfinite(envelope)) {
    throw InvalidArgument(
        fmt::format("collision: the envelope must be finite and not negative, not {}", envelope));
  }
  Workspace& w = *workspace_;
  w.leaves.assign(colliders);
  w.broad_phase.find_pairs(w.leaves, envelope, w.pairs);

  const auto n = static_cast<Index>(w.pairs.size());
  const Chunks chunks(n, pairs_per_chunk);
  if (static_cast<Index>(w.chunks.size()) < chunks.count) w.chunks.resize(chunks.count);
  parallel_for(
      n,
      [&](Index begin, Index end) {
        w.search_chunk(begin, end, envelope, w.chunks[begin / chunks.length]);
      },
      pairs_per_chunk);
  std::array<std::size_t, Chunks::max_chunks + 1> offset{};
  for (Index c = 0; c < chunks.count; ++c) offset[c + 1] = offset[c] + w.chunks[c].total;
  contacts.resize(offset[chunks.count]);
  parallel_for(
      n,
      [&](Index begin, Index end) {
        const Index c = begin / chunks.length;
        w.write_chunk(begin, end, w.chunks[c], contacts.data() + offset[c]);
      },
      pairs_per_chunk);
  return {n, static_cast<std::int64_t>(contacts.size())};
}

} // namespace talus
