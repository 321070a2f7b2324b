#pragma once
// Copies of entries that other ranks own.

#include "talus/core/types.h"

#include <cstdint>
#include <vector>

namespace talus {

struct Traffic;

/// Which entries of this rank go to which other rank, in this order. Rank r receives what is meant
/// for it sorted by sender, in the sender's order.
struct HaloPlan {
  std::vector<std::vector<Index>> send; ///< By receiver; empty for the rank itself.
};

class Halo {
public:
  virtual ~Halo() = default;
  Halo(const Halo&) = delete;
  Halo& operator=(const Halo&) = delete;

  /// Entries that this rank receives and sends.
  virtual Index received() const { return 0; }
  Index sent() const { return sent_; }
  int receivers() const { return receivers_; }

  /// Fills `copies` (received() entries) from the `owned` entries of the ranks that own them.
  /// Entries have `width` numbers each. Nothing is added, so nothing is rounded.
  void copy(ConstSpan owned, Span copies, int width);

protected:
  explicit Halo(const HaloPlan& plan);
  virtual void do_copy(ConstSpan owned, Span copies, int width) = 0;

private:
  friend class Ranks;
  Traffic* traffic_ = nullptr;
  Index sent_ = 0;
  int receivers_ = 0;
};

} // namespace talus
