#pragma once
// A hash of the bits of numbers, to compare results of runs and machines: FNV-1a.

#include "talus/core/types.h"
#include "talus/core/vec3.h"

#include <bit>
#include <cstdint>

namespace talus {

class BitHash {
public:
  void add(std::uint64_t bits) {
    for (int byte = 0; byte < 8; ++byte) {
      value_ ^= (bits >> (8 * byte)) & 0xff;
      value_ *= 0x100000001b3;
    }
  }
  void add(double number) { add(std::bit_cast<std::uint64_t>(number)); }
  void add(const Vec3& v) {
    for (const double x : {v.x, v.y, v.z}) add(x);
  }
  void add(const Vector& v) {
    for (const double x : v) add(x);
  }
  std::uint64_t value() const { return value_; }

private:
  std::uint64_t value_ = 0xcbf29ce484222325;
};

} // namespace talus
