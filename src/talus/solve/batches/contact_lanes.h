#pragma once
// Vectors of three in the lanes of registers, one contact per lane, and the exchange between
// records in memory and lanes. For sources of this room only.

#include "talus/solve/batches/rigid_batches.h"

#include <hwy/highway.h>

namespace talus::batch {

namespace simd = hwy::HWY_NAMESPACE;

/// Four contacts per register, and two registers per batch: the second hides what the first waits
/// for. Products and sums are rounded apart, so that every width gives the same bits.
using Tag = simd::CappedTag<double, 4>;
using V = simd::VFromD<Tag>;
constexpr int lanes = static_cast<int>(simd::MaxLanes(Tag()));

struct V3 {
  V x, y, z;
};

inline V add(V a, V b) {
  return simd::Add(a, b);
}
inline V sub(V a, V b) {
  return simd::Sub(a, b);
}
inline V mul(V a, V b) {
  return simd::Mul(a, b);
}
inline V3 add(const V3& a, const V3& b) {
  return {add(a.x, b.x), add(a.y, b.y), add(a.z, b.z)};
}
inline V3 sub(const V3& a, const V3& b) {
  return {sub(a.x, b.x), sub(a.y, b.y), sub(a.z, b.z)};
}
inline V3 mul(V s, const V3& a) {
  return {mul(s, a.x), mul(s, a.y), mul(s, a.z)};
}
inline V dot(const V3& a, const V3& b) {
  return add(add(mul(a.x, b.x), mul(a.y, b.y)), mul(a.z, b.z));
}
inline V3 cross(const V3& a, const V3& b) {
  return {sub(mul(a.y, b.z), mul(a.z, b.y)), sub(mul(a.z, b.x), mul(a.x, b.z)),
          sub(mul(a.x, b.y), mul(a.y, b.x))};
}
inline V load(const double* p) {
  return simd::Load(Tag(), p);
}
inline void store(V value, double* p) {
  simd::Store(value, Tag(), p);
}
inline V3 load3(const BatchLanes* p, int at) {
  return {load(p[0] + at), load(p[1] + at), load(p[2] + at)};
}
inline void store3(const V3& v, BatchLanes* p, int at) {
  store(v.x, p[0] + at);
  store(v.y, p[1] + at);
  store(v.z, p[2] + at);
}
/// The D components of a contact, in the lanes of its group.
template <int D>
struct Entries {
  V e[D];
};
template <int D>
inline Entries<D> load_entries(const BatchLanes* p, int at) {
  Entries<D> x;
  for (int i = 0; i < D; ++i) x.e[i] = load(p[i] + at);
  return x;
}
template <int D>
inline void store_entries(const Entries<D>& x, BatchLanes* p, int at) {
  for (int i = 0; i < D; ++i) store(x.e[i], p[i] + at);
}
template <int D>
inline Entries<D> add(const Entries<D>& a, const Entries<D>& b) {
  Entries<D> sum;
  for (int i = 0; i < D; ++i) sum.e[i] = add(a.e[i], b.e[i]);
  return sum;
}
template <int D>
inline Entries<D> sub(const Entries<D>& a, const Entries<D>& b) {
  Entries<D> difference;
  for (int i = 0; i < D; ++i) difference.e[i] = sub(a.e[i], b.e[i]);
  return difference;
}
template <int D>
inline Entries<D> mul(V s, const Entries<D>& a) {
  Entries<D> product;
  for (int i = 0; i < D; ++i) product.e[i] = mul(s, a.e[i]);
  return product;
}
/// Entry by entry.
template <int D>
inline Entries<D> mul(const Entries<D>& a, const Entries<D>& b) {
  Entries<D> product;
  for (int i = 0; i < D; ++i) product.e[i] = mul(a.e[i], b.e[i]);
  return product;
}
template <int D>
inline V dot(const Entries<D>& a, const Entries<D>& b) {
  V sum = mul(a.e[0], b.e[0]);
  for (int i = 1; i < D; ++i) sum = add(sum, mul(a.e[i], b.e[i]));
  return sum;
}

/// Product with a symmetric matrix of which the upper triangle is given.
inline V3 product(const V* m, const V3& a) {
  return {add(add(mul(m[0], a.x), mul(m[1], a.y)), mul(m[2], a.z)),
          add(add(mul(m[1], a.x), mul(m[3], a.y)), mul(m[4], a.z)),
          add(add(mul(m[2], a.x), mul(m[4], a.y)), mul(m[5], a.z))};
}

/// Rows of 4 numbers become columns, or the other way round.
inline void transpose(const double* const* rows, V* columns) {
  const Tag d;
  if constexpr (lanes == 4) {
    const V r0 = simd::Load(d, rows[0]), r1 = simd::Load(d, rows[1]), r2 = simd::Load(d, rows[2]),
            r3 = simd::Load(d, rows[3]);
    const V t0 = simd::InterleaveLower(d, r0, r1), t1 = simd::InterleaveUpper(d, r0, r1),
            t2 = simd::InterleaveLower(d, r2, r3), t3 = simd::InterleaveUpper(d, r2, r3);
    columns[0] = simd::ConcatLowerLower(d, t2, t0);
    columns[1] = simd::ConcatLowerLower(d, t3, t1);
    columns[2] = simd::ConcatUpperUpper(d, t2, t0);
    columns[3] = simd::ConcatUpperUpper(d, t3, t1);
  } else {
    HWY_ALIGN double column[4][lanes];
    for (int lane = 0; lane < lanes; ++lane)
      for (int i = 0; i < 4; ++i) column[i][lane] = rows[lane][i];
    for (int i = 0; i < 4; ++i) columns[i] = simd::Load(d, column[i]);
  }
}
inline void transpose_back(const V* columns, double* const* rows) {
  const Tag d;
  if constexpr (lanes == 4) {
    const V t0 = simd::InterleaveLower(d, columns[0], columns[1]),
            t1 = simd::InterleaveUpper(d, columns[0], columns[1]),
            t2 = simd::InterleaveLower(d, columns[2], columns[3]),
            t3 = simd::InterleaveUpper(d, columns[2], columns[3]);
    simd::Store(simd::ConcatLowerLower(d, t2, t0), d, rows[0]);
    simd::Store(simd::ConcatLowerLower(d, t3, t1), d, rows[1]);
    simd::Store(simd::ConcatUpperUpper(d, t2, t0), d, rows[2]);
    simd::Store(simd::ConcatUpperUpper(d, t3, t1), d, rows[3]);
  } else {
    HWY_ALIGN double column[4][lanes];
    for (int i = 0; i < 4; ++i) simd::Store(columns[i], d, column[i]);
    for (int lane = 0; lane < lanes; ++lane)
      for (int i = 0; i < 4; ++i) rows[lane][i] = column[i][lane];
  }
}

} // namespace talus::batch
