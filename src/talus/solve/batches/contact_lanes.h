#pragma once
// Vectors of three in the lanes of registers, one contact per lane, and the exchange between
// records in memory and lanes. For sources of this room only.
//
// What is here and in the headers that include it is compiled once for each width of registers
// (batch_kernels.h), in a namespace of its own, so that no function of one is linked in place of
// the other's. Functions of the standard library have no such namespace and are not called.

#include "talus/solve/batches/contact_batch.h"

#include <hwy/highway.h>

#ifdef TALUS_WIDE_LANES
#define TALUS_LANES wide
#else
#define TALUS_LANES narrow
#endif

namespace talus::batch::TALUS_LANES {

namespace simd = hwy::HWY_NAMESPACE;

/// Products and sums are rounded apart, so that every width gives the same bits.
#ifdef TALUS_WIDE_LANES
using Tag = simd::FixedTag<double, batch_width>;
#else
/// Two registers per batch: the second hides what the first waits for.
using Tag = simd::CappedTag<double, 4>;
#endif
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

constexpr int record_size = 8; ///< Numbers of a record, a cache line.

#ifdef TALUS_WIDE_LANES
/// Blocks of two numbers: two of a, then two of b.
template <int which>
HWY_INLINE V blocks(V a, V b) {
  return V{_mm512_shuffle_f64x2(a.raw, b.raw, which)};
}
/// Rows become columns.
HWY_INLINE void transpose(const V* row, V* column) {
  const Tag d;
  constexpr int first_two = 0x44, last_two = 0xee, even = 0x88, odd = 0xdd;
  for (int k = 0; k < 2; ++k) { // even columns, then odd ones
    V pair[4];
    for (int i = 0; i < 4; ++i)
      pair[i] = k == 0 ? simd::InterleaveLower(d, row[2 * i], row[2 * i + 1])
                       : simd::InterleaveUpper(d, row[2 * i], row[2 * i + 1]);
    const V low_ab = blocks<first_two>(pair[0], pair[1]),
            low_cd = blocks<first_two>(pair[2], pair[3]),
            high_ab = blocks<last_two>(pair[0], pair[1]),
            high_cd = blocks<last_two>(pair[2], pair[3]);
    column[k] = blocks<even>(low_ab, low_cd);
    column[2 + k] = blocks<odd>(low_ab, low_cd);
    column[4 + k] = blocks<even>(high_ab, high_cd);
    column[6 + k] = blocks<odd>(high_ab, high_cd);
  }
}
/// The numbers of some records, one record per lane.
HWY_INLINE void load_records(const double* const* records, V* numbers) {
  V rows[lanes];
  for (int i = 0; i < lanes; ++i) rows[i] = load(records[i]);
  transpose(rows, numbers);
}
HWY_INLINE void store_records(const V* numbers, double* const* records) {
  V rows[lanes];
  transpose(numbers, rows);
  for (int i = 0; i < lanes; ++i) store(rows[i], records[i]);
}
#else
/// The numbers of some records, one record per lane.
HWY_INLINE void load_records(const double* const* records, V* numbers) {
  const Tag d;
  for (int half = 0; half < record_size; half += 4) {
    V* columns = numbers + half;
    if constexpr (lanes == 4) {
      const V r0 = load(records[0] + half), r1 = load(records[1] + half),
              r2 = load(records[2] + half), r3 = load(records[3] + half);
      const V t0 = simd::InterleaveLower(d, r0, r1), t1 = simd::InterleaveUpper(d, r0, r1),
              t2 = simd::InterleaveLower(d, r2, r3), t3 = simd::InterleaveUpper(d, r2, r3);
      columns[0] = simd::ConcatLowerLower(d, t2, t0);
      columns[1] = simd::ConcatLowerLower(d, t3, t1);
      columns[2] = simd::ConcatUpperUpper(d, t2, t0);
      columns[3] = simd::ConcatUpperUpper(d, t3, t1);
    } else {
      HWY_ALIGN double column[4][lanes];
      for (int lane = 0; lane < lanes; ++lane)
        for (int i = 0; i < 4; ++i) column[i][lane] = records[lane][half + i];
      for (int i = 0; i < 4; ++i) columns[i] = load(column[i]);
    }
  }
}
HWY_INLINE void store_records(const V* numbers, double* const* records) {
  const Tag d;
  for (int half = 0; half < record_size; half += 4) {
    const V* columns = numbers + half;
    if constexpr (lanes == 4) {
      const V t0 = simd::InterleaveLower(d, columns[0], columns[1]),
              t1 = simd::InterleaveUpper(d, columns[0], columns[1]),
              t2 = simd::InterleaveLower(d, columns[2], columns[3]),
              t3 = simd::InterleaveUpper(d, columns[2], columns[3]);
      store(simd::ConcatLowerLower(d, t2, t0), records[0] + half);
      store(simd::ConcatLowerLower(d, t3, t1), records[1] + half);
      store(simd::ConcatUpperUpper(d, t2, t0), records[2] + half);
      store(simd::ConcatUpperUpper(d, t3, t1), records[3] + half);
    } else {
      HWY_ALIGN double column[4][lanes];
      for (int i = 0; i < 4; ++i) store(columns[i], column[i]);
      for (int lane = 0; lane < lanes; ++lane)
        for (int i = 0; i < 4; ++i) records[lane][half + i] = column[i][lane];
    }
  }
}
#endif

} // namespace talus::batch::TALUS_LANES
