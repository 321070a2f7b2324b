#pragma once
// Contacts and bodies along a space-filling curve: what is close in space is then close in memory.
//
// Contacts come sorted by the numbers of their bodies. Where neighbours have numbers close to each
// other, this order is as good as any. Where bodies are numbered at random, every contact fetches
// its second body from afar, and a solve of a problem that does not fit the cache waits for memory.

#include "talus/collide/contact_point.h"

#include <cstdint>
#include <span>
#include <vector>

namespace talus {

class SpatialOrder {
public:
  /// If the bodies' numbers are scattered, sorts contacts along the Morton curve of their points
  /// (those in one cell, 1/65536 of the extent in each direction, keep their order) and numbers the
  /// bodies 0 to `bodies` - 1 anew in the order in which contacts mention them. Fewer than `least`
  /// contacts stay as they are: they fit into the cache in any order. Linear time, memory is kept.
  void sort(std::vector<ContactPoint>& contacts, Index bodies, Index least = 4096);

  /// Gives work space back that only sort() uses.
  void release_memory();

  bool changed_anything() const { return !place_.empty(); }
  /// Where the k-th contact of the list before sort() is now.
  Index place(Index k) const { return place_.empty() ? k : place_[k]; }
  /// The new number of a body.
  Index rank(Index body) const { return rank_.empty() ? body : rank_[body]; }

  /// True when samples of neighbours in the list mention bodies all over the place.
  static bool is_scattered(std::span<const ContactPoint> contacts);

private:
  struct Item {
    std::uint64_t code;
    Index contact;
  };
  /// False when the contacts have no extent that could be divided.
  bool fill_codes(std::span<const ContactPoint> contacts);
  void sort_codes();
  void move_to_places(std::span<ContactPoint> contacts);
  void number_bodies(std::span<const ContactPoint> contacts, Index bodies);

  std::vector<Item> items_, other_;
  std::vector<Index> place_, rank_;
};

} // namespace talus
