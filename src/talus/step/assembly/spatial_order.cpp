#include "talus/step/assembly/spatial_order.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace talus {
namespace {

constexpr int bits = 16; ///< Per direction.

/// Two zeros after every one of the lowest 21 bits.
std::uint64_t spread(std::uint64_t x) {
  x = (x | x << 32) & 0x001f00000000ffffULL;
  x = (x | x << 16) & 0x001f0000ff0000ffULL;
  x = (x | x << 8) & 0x100f00f00f00f00fULL;
  x = (x | x << 4) & 0x10c30c30c30c30c3ULL;
  return (x | x << 2) & 0x1249249249249249ULL;
}

} // namespace

bool SpatialOrder::fill_codes(std::span<const ContactPoint> contacts) {
  Vec3 low = contacts[0].point, high = low;
  for (const ContactPoint& contact : contacts) {
    const Vec3& p = contact.point;
    low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
  }
  // One scale for all directions: the cells are cubes.
  const Vec3 extent = high - low;
  const double longest = std::max({extent.x, extent.y, extent.z});
  const double scale = ((1 << bits) - 1) / longest;
  if (!std::isfinite(longest) || !std::isfinite(scale)) return false;
  items_.resize(contacts.size());
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    const Vec3 cell = scale * (contacts[c].point - low);
    items_[c] = {spread(static_cast<std::uint64_t>(cell.x)) |
                     spread(static_cast<std::uint64_t>(cell.y)) << 1 |
                     spread(static_cast<std::uint64_t>(cell.z)) << 2,
                 static_cast<Index>(c)};
  }
  return true;
}

/// A radix sort, which is stable.
void SpatialOrder::sort_codes() {
  constexpr int digit_bits = 12;
  other_.resize(items_.size());
  for (int shift = 0; shift < 3 * bits; shift += digit_bits) {
    const auto digit = [shift](const Item& item) {
      return item.code >> shift & ((1 << digit_bits) - 1);
    };
    std::array<Index, (1 << digit_bits) + 1> next{};
    for (const Item& item : items_) ++next[digit(item) + 1];
    for (std::size_t d = 1; d < next.size(); ++d) next[d] += next[d - 1];
    for (const Item& item : items_) other_[next[digit(item)]++] = item;
    std::swap(items_, other_);
  }
}

bool SpatialOrder::is_scattered(std::span<const ContactPoint> contacts) {
  constexpr std::size_t windows = 16, window = 256;
  constexpr Index block = 64; // bodies that are fetched from one place
  std::array<Index, window> blocks;
  std::size_t distinct = 0, seen = 0;
  for (std::size_t w = 0; w < windows; ++w) {
    const std::size_t first = w * (contacts.size() / windows);
    const std::size_t count = std::min(window, contacts.size() - first);
    for (std::size_t k = 0; k < count; ++k) blocks[k] = contacts[first + k].body_b / block;
    std::sort(blocks.begin(), blocks.begin() + count);
    distinct += std::unique(blocks.begin(), blocks.begin() + count) - blocks.begin();
    seen += count;
  }
  return 4 * distinct > seen;
}

void SpatialOrder::number_bodies(std::span<const ContactPoint> contacts, Index bodies) {
  rank_.assign(bodies, -1);
  Index next = 0;
  const auto mention = [&](Index body) {
    if (rank_[body] < 0) rank_[body] = next++;
  };
  for (const ContactPoint& contact : contacts) {
    mention(contact.body_a);
    mention(contact.body_b);
  }
  for (Index body = 0; body < bodies; ++body) mention(body);
}

/// Cycle by cycle, in the list itself.
void SpatialOrder::move_to_places(std::span<ContactPoint> contacts) {
  for (std::size_t k = 0; k < items_.size(); ++k) {
    if (items_[k].contact < 0) continue;
    const ContactPoint first = contacts[k];
    std::size_t to = k;
    for (Index from = items_[k].contact; static_cast<std::size_t>(from) != k;) {
      contacts[to] = contacts[from];
      to = static_cast<std::size_t>(from);
      from = std::exchange(items_[to].contact, -1);
    }
    contacts[to] = first;
  }
}

void SpatialOrder::release_memory() {
  items_ = std::vector<Item>();
  other_ = std::vector<Item>();
}

void SpatialOrder::sort(std::vector<ContactPoint>& contacts, Index bodies, Index least) {
  place_.clear();
  rank_.clear();
  if (contacts.empty() || static_cast<Index>(contacts.size()) < least || !is_scattered(contacts))
    return;
  if (!fill_codes(contacts)) return;
  sort_codes();
  place_.resize(contacts.size());
  for (std::size_t k = 0; k < items_.size(); ++k) place_[items_[k].contact] = static_cast<Index>(k);
  move_to_places(contacts);
  number_bodies(contacts, bodies);
}

} // namespace talus
