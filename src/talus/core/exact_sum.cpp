#include "talus/core/exact_sum.h"

#include <bit>
#include <cmath>
#include <limits>

namespace talus {
namespace {

constexpr std::int64_t limb_mask = 0xffffffff;
constexpr int limb_bits = 32, mantissa_bits = 53;
constexpr int smallest_exponent = -1074;

/// Limbs to [0, 2³²) but for the last one, which keeps the sign.
template <class Limbs>
void normalise(Limbs& limb, int count) {
  for (int k = 0; k + 1 < count; ++k) {
    limb[k + 1] += limb[k] >> limb_bits; // rounds down, also of negative limbs
    limb[k] &= limb_mask;
  }
}

} // namespace

void ExactSum::add(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const int exponent = static_cast<int>(bits >> 52 & 0x7ff);
  auto mantissa = static_cast<std::int64_t>(bits & 0xfffffffffffff);
  if (exponent == 0x7ff) {
    ++words_[mantissa != 0 ? not_numbers : x > 0 ? plus_infinities : minus_infinities];
    return;
  }
  if (exponent != 0) mantissa |= std::int64_t{1} << 52;
  const int position = exponent == 0 ? 0 : exponent - 1;
  const int first = position / limb_bits, shift = position % limb_bits;
  // 53 bits, moved by up to 31, lie in three limbs.
  const std::int64_t low = (mantissa & limb_mask) << shift, high = mantissa >> limb_bits << shift;
  const std::int64_t sign = bits >> 63 ? -1 : 1;
  words_[first] += sign * (low & limb_mask);
  words_[first + 1] += sign * ((low >> limb_bits & limb_mask) + (high & limb_mask));
  words_[first + 2] += sign * (high >> limb_bits);
  if (++additions_ >= additions_before_carry) carry();
}

void ExactSum::carry() {
  normalise(words_, limbs);
  additions_ = 0;
}

ExactSum& ExactSum::operator+=(const ExactSum& other) {
  for (int k = 0; k < words; ++k) words_[k] += other.words_[k];
  additions_ += other.additions_ + 1;
  if (additions_ >= additions_before_carry) carry();
  return *this;
}

double ExactSum::value() const {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (words_[not_numbers] > 0 || (words_[plus_infinities] > 0 && words_[minus_infinities] > 0))
    return std::numeric_limits<double>::quiet_NaN();
  if (words_[plus_infinities] > 0) return infinity;
  if (words_[minus_infinities] > 0) return -infinity;

  std::array<std::int64_t, words> limb = words_;
  normalise(limb, limbs);
  const bool negative = limb[limbs - 1] < 0;
  if (negative) {
    for (std::int64_t& part : limb) part = -part;
    normalise(limb, limbs);
  }
  int top = limbs - 1;
  while (top >= 0 && limb[top] == 0) --top;
  if (top < 0) return 0;

  // The highest 53 bits, and what lies below them decides the rounding.
  const auto bit = [&](int position) {
    return limb[position / limb_bits] >> position % limb_bits & 1;
  };
  const int length =
      limb_bits * top + static_cast<int>(std::bit_width(static_cast<std::uint64_t>(limb[top])));
  const int lowest = length > mantissa_bits ? length - mantissa_bits : 0;
  std::int64_t mantissa = 0;
  for (int position = length - 1; position >= lowest; --position)
    mantissa = 2 * mantissa + bit(position);
  if (lowest > 0 && bit(lowest - 1)) {
    bool above_half = false;
    for (int position = 0; position < lowest - 1 && !above_half; ++position)
      above_half = bit(position) != 0;
    if (above_half || mantissa % 2 != 0) ++mantissa;
  }
  const double size = std::ldexp(static_cast<double>(mantissa), lowest + smallest_exponent);
  return negative ? -size : size;
}

} // namespace talus
