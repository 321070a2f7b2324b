#pragma once
// Entries that leave lists and others that come in, in place.

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace talus {

/// Takes the entries marked in `leaves` (empty: none) out of `items` and puts `newcomers` in, the
/// k-th at places[k], ascending, of the list that results. Entries have `width` items each. Linear;
/// a list that grows gets little more memory than it needs.
template <class T>
void regroup(std::vector<T>& items, std::span<const char> leaves, std::span<const int> places,
             std::vector<T> newcomers, std::size_t width = 1) {
  const auto move_entry = [&](auto from, std::size_t to) {
    for (std::size_t i = 0; i < width; ++i) items[width * to + i] = std::move(from[i]);
  };
  std::size_t kept = items.size() / width;
  if (!leaves.empty()) {
    kept = 0;
    for (std::size_t k = 0; k < leaves.size(); ++k) {
      if (leaves[k]) continue;
      if (kept != k) move_entry(items.begin() + width * k, kept);
      ++kept;
    }
    items.resize(width * kept);
  }
  std::size_t next = places.size(), to = kept + next;
  constexpr std::size_t small = 4096;
  if (items.capacity() > small && width * to < items.capacity() / 2) items.shrink_to_fit();
  if (width * to > items.capacity()) items.reserve(width * (to + to / 16));
  items.resize(width * to);
  while (next > 0) {
    --to;
    if (static_cast<std::size_t>(places[next - 1]) == to)
      --next, move_entry(newcomers.begin() + width * next, to);
    else
      --kept, move_entry(items.begin() + width * kept, to);
  }
}

} // namespace talus
