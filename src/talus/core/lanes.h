#pragma once
// Pairs and quadruples of doubles in SIMD registers, for the products of 6-vectors that compilers
// leave scalar. They are GCC's and Clang's vector types: + and * work lane by lane.

#include <cstring>

namespace talus {

using Lanes2 [[gnu::vector_size(16)]] = double;
using Lanes4 [[gnu::vector_size(32)]] = double;

/// A 6-vector of velocities or wrenches in two registers.
struct Lanes6 {
  Lanes4 head;
  Lanes2 tail;
};

inline Lanes6 load6(const double* p) {
  Lanes6 v;
  std::memcpy(&v.head, p, sizeof v.head);
  std::memcpy(&v.tail, p + 4, sizeof v.tail);
  return v;
}

inline void store6(const Lanes6& v, double* p) {
  std::memcpy(p, &v.head, sizeof v.head);
  std::memcpy(p + 4, &v.tail, sizeof v.tail);
}

/// a + b s.
inline Lanes6 multiply_add(const Lanes6& a, const Lanes6& b, double s) {
  return {a.head + b.head * s, a.tail + b.tail * s};
}

/// a·b + c·d.
inline double dot_sum(const Lanes6& a, const Lanes6& b, const Lanes6& c, const Lanes6& d) {
  const Lanes4 head = a.head * b.head + c.head * d.head;
  const Lanes2 tail = a.tail * b.tail + c.tail * d.tail;
  const Lanes2 sum = (Lanes2{head[0], head[1]} + Lanes2{head[2], head[3]}) + tail;
  return sum[0] + sum[1];
}

} // namespace talus
