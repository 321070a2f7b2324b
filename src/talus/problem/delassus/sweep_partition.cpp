#include "talus/problem/delassus/sweep_partition.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <tuple>

namespace talus {
namespace {

/// Contacts per range, while there are not too many ranges.
constexpr Index range_contacts = 4096;

/// The movable body with the lower number; -1 when both are the world.
Index lower_body(const BodyPair& pair) {
  if (pair.a < 0 || pair.b < 0) return std::max(pair.a, pair.b);
  return std::min(pair.a, pair.b);
}

} // namespace

void SweepPartition::divide(Index bodies, const std::vector<BodyPair>& pairs) {
  contacts_ = static_cast<Index>(pairs.size());
  list_.clear();
  round_start_.clear();
  part_start_.clear();
  if (contacts_ < least) return;
  round_start_.push_back(0);
  part_start_.push_back(0);
  const Index ranges = std::clamp<Index>(contacts_ / range_contacts, 2, most_ranges);
  cut_into_ranges(bodies, ranges, pairs);
  count_matches(ranges, pairs);
  arrange_rounds(ranges);
  list_.resize(contacts_);
  for (Index c = 0; c < contacts_; ++c) list_[place_[match_of(pairs[c])]++] = c;
}

/// Ranges of consecutive bodies with equal shares of the contacts, each counted for its lower body.
void SweepPartition::cut_into_ranges(Index bodies, Index ranges,
                                     const std::vector<BodyPair>& pairs) {
  range_of_.assign(bodies, 0);
  for (const BodyPair& pair : pairs)
    if (const Index body = lower_body(pair); body >= 0) ++range_of_[body];
  const Index share = contacts_ / ranges + 1;
  Index before = 0;
  for (Index& entry : range_of_) {
    const Index own = entry;
    entry = before / share;
    before += own;
  }
}

/// Number of the pair of ranges that a contact is between, ranges² in all.
Index SweepPartition::match_of(const BodyPair& pair) const {
  const Index lower = lower_body(pair), upper = std::max(pair.a, pair.b);
  return lower < 0 ? 0 : most_ranges * range_of_[lower] + range_of_[upper];
}

void SweepPartition::count_matches(Index ranges, const std::vector<BodyPair>& pairs) {
  place_.assign(most_ranges * most_ranges, 0);
  for (const BodyPair& pair : pairs) ++place_[match_of(pair)];
  matches_.clear();
  for (Index i = 0; i < ranges; ++i)
    for (Index j = i; j < ranges; ++j)
      if (const Index size = place_[most_ranges * i + j]; size > 0)
        matches_.push_back({i, j, size});
}

/// Large matches choose their round first, so that those of a round are of similar size. A match
/// meets at most 2 (most_ranges - 2) others with one of its ranges, so the bits suffice.
void SweepPartition::arrange_rounds(Index ranges) {
  static_assert(2 * most_ranges <= 32);
  std::array<std::uint32_t, most_ranges> played{}; // a bit per round
  for (Index range = 0; range < ranges; ++range) played[range] = 1;
  std::ranges::sort(matches_, [](const Match& a, const Match& b) {
    return std::tuple(b.size, a.first, a.second) < std::tuple(a.size, b.first, b.second);
  });
  for (Match& match : matches_) {
    if (match.first == match.second) continue;
    match.round = std::countr_one(played[match.first] | played[match.second]);
    played[match.first] |= std::uint32_t{1} << match.round;
    played[match.second] |= std::uint32_t{1} << match.round;
  }
  std::ranges::sort(matches_, {}, [](const Match& match) {
    return std::tuple(match.round, match.first, match.second);
  });
  for (const Match& match : matches_) {
    const Index part = static_cast<Index>(part_start_.size()) - 1, first = part_start_.back();
    while (match.round >= rounds()) round_start_.push_back(part);
    round_start_.back() = part + 1;
    place_[most_ranges * match.first + match.second] = first;
    part_start_.push_back(first + match.size);
  }
}

} // namespace talus
