#pragma once
// Bodies on their way from rank to rank.
//
// All ranks have a table of the shapes that bodies have, with the same numbers, so that a body
// says a number. A scene may have as many spheres as bodies, each of its own radius: beyond the
// first ones, spheres travel by themselves.

#include "talus/core/ranks.h"
#include "talus/world/body.h"

#include <limits>
#include <unordered_map>
#include <vector>

namespace talus {

class ShapeTable {
public:
  /// The number of these shapes, or -1 of a lone sphere that is not in the table. Equal shapes are
  /// those at the same place in memory.
  Index find(const BodyShapes& shapes) const;
  /// Lists the shapes of a body, unless they are there or travel by themselves. All ranks list the
  /// same in the same order.
  void add(const BodyShapes& shapes);
  const BodyShapes& operator[](Index number) const { return lists_[number]; }

private:
  std::vector<BodyShapes> lists_;
  std::unordered_multimap<std::size_t, Index> number_of_;
};

/// A body, the number it has in the whole world, and what its rank knows of it.
struct Traveller {
  Index number = 0;
  Body body;
  BodyState state;
  double radius = 0; ///< Bounding radius.
  double removed_at = std::numeric_limits<double>::infinity();
};

/// Appends a body; it must not have a prescribed motion.
void append(Bytes& bytes, const ShapeTable& table, const Traveller& traveller);

/// Reads bodies, and plain values between them.
class TravellerReader {
public:
  TravellerReader(const ShapeTable& table, const Bytes& bytes) : table_(table), bytes_(bytes) {}
  bool at_end() const { return at_ == bytes_.size(); }
  Traveller next();
  template <class T>
  T value() {
    T result;
    std::memcpy(&result, &bytes_[at_], sizeof result);
    at_ += sizeof result;
    return result;
  }

private:
  const ShapeTable& table_;
  const Bytes& bytes_;
  std::size_t at_ = 0;
  BodyShapes last_; ///< The last sphere: the next one may be equal.
};

} // namespace talus
