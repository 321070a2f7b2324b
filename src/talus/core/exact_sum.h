#pragma once
// Sums of doubles without rounding: the same bits in any order and any grouping.
//
// A double is an integer multiple of 2⁻¹⁰⁷⁴ below 2²⁰⁹⁸ of them. The sum is kept as that integer,
// in limbs of 32 bits, each in a signed word of 64 with room for carries (Kulisch's accumulator).
// Limbs of sums from different processes may be added as plain integers, in any order. Infinities
// and NaN are counted beside them. Adding takes some ten nanoseconds, 576 bytes per sum.

#include <array>
#include <cstdint>
#include <span>

namespace talus {

class ExactSum {
public:
  static constexpr int words = 72;

  void add(double x);
  ExactSum& operator+=(const ExactSum& other);
  /// The sum, rounded to the nearest double (ties to even); infinite or NaN as the sum of the
  /// numbers is.
  double value() const;

  /// Carries what limbs hold beyond 32 bits: up to 2²⁸ such sums may then be added word by word.
  void carry();
  std::span<std::int64_t, words> data() { return words_; }

private:
  static constexpr int limbs = 68;
  static constexpr int plus_infinities = 68, minus_infinities = 69, not_numbers = 70;
  /// Each addition grows a limb by less than 2³³.
  static constexpr std::int64_t additions_before_carry = std::int64_t{1} << 28;

  std::array<std::int64_t, words> words_{}; ///< Limbs of weight 2^(32 k - 1074), then counts.
  std::int64_t additions_ = 0;              ///< Since the last carry.
};

} // namespace talus
